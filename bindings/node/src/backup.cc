// Online backups, a step at a time: lib/backup.js decides how many pages a step takes.

#include <unistd.h>


#include "addon.h"

namespace godwit::node {

namespace {

struct Backup {
  Addon* addon = nullptr;
  sqlite3* destination = nullptr;
  sqlite3_backup* backup = nullptr;
  uint32_t slot = 0;
  uint32_t generation = 0;
  bool remove_file = false;  // it was not there before, and the backup is not complete
};

void end_backup(Backup* backup) {
  if (backup->backup) sqlite3_backup_finish(backup->backup);
  std::string path;
  if (const char* name = sqlite3_db_filename(backup->destination, "main")) path = name;
  sqlite3_close_v2(backup->destination);
  if (backup->remove_file && !path.empty()) unlink(path.c_str());
  delete backup;
}

void finalize_backup(napi_env, void* data, void*) {
  auto* holder = static_cast<Backup**>(data);
  if (*holder) end_backup(*holder);
  delete holder;
}

Backup** holder_of(napi_env env, napi_value value) {
  void* data = nullptr;
  napi_get_value_external(env, value, &data);
  return static_cast<Backup**>(data);
}

// backupOpen(connection, schema, path, new file, target schema): a handle
napi_value backup_open(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  Connection* connection = call.connection();
  const std::string schema = call.text(1);
  const std::string path = call.text(2);
  sqlite3* destination = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &destination,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (code != SQLITE_OK) {
    napi_value text = fail(call.addon, sqlite3_extended_errcode(destination),
                           sqlite3_errmsg(destination));
    sqlite3_close_v2(destination);
    return text;
  }
  sqlite3_extended_result_codes(destination, 1);
  sqlite3_busy_timeout(destination, 0);
  auto* backup = new Backup{call.addon, destination};
  backup->remove_file = call.number(3) != 0;
  backup->backup = sqlite3_backup_init(destination, call.text(4).c_str(), connection->db,
                                       schema.c_str());
  if (!backup->backup) {
    napi_value text =
        fail(call.addon, sqlite3_extended_errcode(destination), sqlite3_errmsg(destination));
    end_backup(backup);
    return text;
  }
  napi_value handle;
  napi_create_external(env, new Backup*(backup), finalize_backup, nullptr, &handle);
  call.addon->header[kStatus] = 0;
  return handle;
}

// backupStep(handle, pages): true at the end. Pages in all and left are in kRowCount and kExtraCount.
napi_value backup_step(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Backup* backup = *holder_of(env, call.arguments[0]);
  int32_t pages = 0;
  napi_get_value_int32(env, call.arguments[1], &pages);
  const int code = sqlite3_backup_step(backup->backup, pages);
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_BUSY && code != SQLITE_LOCKED) {
    return fail(call.addon, code, sqlite3_errstr(code));
  }
  call.addon->header[kStatus] = code == SQLITE_BUSY || code == SQLITE_LOCKED ? kMoreRows : 0;
  call.addon->header[kRowCount] = sqlite3_backup_pagecount(backup->backup);
  call.addon->header[kExtraCount] = sqlite3_backup_remaining(backup->backup);
  if (code == SQLITE_DONE) backup->remove_file = false;
  napi_value done;
  napi_get_boolean(env, code == SQLITE_DONE, &done);
  return done;
}

napi_value backup_close(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Backup** holder = holder_of(env, call.arguments[0]);
  if (*holder) end_backup(*holder);
  *holder = nullptr;
  return nullptr;
}

}  // namespace

const MethodEntry kBackupMethods[] = {{"backupOpen", backup_open},
                                      {"backupStep", backup_step},
                                      {"backupClose", backup_close},
                                      {nullptr, nullptr}};

}  // namespace godwit::node
