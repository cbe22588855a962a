// Connections: opening, closing, errors, counters.
#include <new>

#include "api/config.h"
#include "api/extension.h"
#include "api/filename.h"
#include "api/handles.h"
#include "api/uri.h"
#include "api/vfs_registry.h"
#include "capture/data_changes.h"
#include "capture/pending.h"
#include "modules/modules.h"

using namespace godwit;

namespace godwit::api {

int report(sqlite3* db, const Status& status) {
  db->error_code = status.code();
  if (!status.ok()) db->error_message = status.message();
  return db->extended_codes ? status.code() : code::primary(status.code());
}

int report_code(sqlite3* db, int code) {
  db->error_code = code;
  db->error_message = code::text(code);
  return db->extended_codes ? code : code::primary(code);
}

}  // namespace godwit::api

using namespace godwit::api;

namespace {

// Their own statements must not keep the connection open.
void disconnect_virtual_tables(sqlite3* db) {
  if (db->connection == nullptr) return;
  db->connection->forget_statements();
  db->connection->virtual_tables().disconnect_all();
}

int open_database(const char* filename, sqlite3** out, int flags, const char* vfs_name) {
  mark_initialized();
  if (out == nullptr) return SQLITE_MISUSE;
  *out = nullptr;
  auto* db = new (std::nothrow) sqlite3;
  if (db == nullptr) return SQLITE_NOMEM;
  *out = db;
  db->extended_codes = (flags & SQLITE_OPEN_EXRESCODE) != 0;
  return guarded(db, [&] {
    constexpr int kAccess = SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int access = flags & kAccess;
    if (access != SQLITE_OPEN_READONLY && access != SQLITE_OPEN_READWRITE &&
        access != (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {
      return report(db, Status(SQLITE_MISUSE));
    }
    ConnectOptions options;
    options.read_only = (flags & SQLITE_OPEN_READWRITE) == 0;
    options.create = (flags & SQLITE_OPEN_CREATE) != 0;
    options.memory = (flags & SQLITE_OPEN_MEMORY) != 0;
    options.no_follow = (flags & SQLITE_OPEN_NOFOLLOW) != 0;
    std::string path = filename == nullptr ? "" : filename;
    UriParameters parameters;
    const bool may_be_uri = (flags & SQLITE_OPEN_URI) != 0 || uses_uris();
    if (may_be_uri && path.starts_with("file:")) {
      Status status = apply_uri(path, &path, &options, &parameters);
      if (!status.ok()) return report(db, status);
    }
    std::string vfs = vfs_name == nullptr ? "" : vfs_name;
    for (const auto& [name, value] : parameters) {
      if (name == "vfs") vfs = value;
    }
    options.vfs = find_vfs(vfs);
    if (options.vfs == nullptr) return report(db, Status::error("no such vfs: " + vfs));
    VfsParameters passed(&parameters);
    auto connection = Connection::open(path, options);
    if (!connection.ok()) return report(db, connection.status());
    db->connection = *std::move(connection);
    const std::string& full = db->connection->path();
    if (!parameters.empty()) {
      db->filenames[full] = filename_block(full, full.empty() ? "" : full + "-journal",
                                           full.empty() ? "" : full + "-wal", parameters);
    }
    db->connection->set_extension_loader(load_extension_function, db);
    // A replica's changes are kept, whoever opens it.
    db->connection->set_schema_loaded_hook(
        [](void* context) { (void)capture::attach_pending(static_cast<sqlite3*>(context)); }, db);
    Status started = Status(modules::register_modules(db));
    if (started.ok()) started = Status(capture::register_data_capture(db));
    if (started.ok()) started = start_automatic_extensions(db);
    if (started.ok()) return SQLITE_OK;
    disconnect_virtual_tables(db);
    db->connection.reset();
    return report(db, started);
  });
}

void destroy(sqlite3* db) {
  if ((db->trace_mask & SQLITE_TRACE_CLOSE) != 0) {
    db->trace(SQLITE_TRACE_CLOSE, db->trace_context, db, nullptr);
  }
  db->connection.reset();
  if (db->autovacuum_destroy != nullptr) db->autovacuum_destroy(db->autovacuum_context);
  close_extensions(db);
  delete db;
}

}  // namespace

int sqlite3_open(const char* filename, sqlite3** db) {
  return open_database(filename, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
}

int sqlite3_open_v2(const char* filename, sqlite3** db, int flags, const char* vfs) {
  return open_database(filename, db, flags, vfs);
}

int sqlite3_close(sqlite3* db) {
  if (db == nullptr) return SQLITE_OK;
  {
    std::lock_guard lock(db->mutex);
    disconnect_virtual_tables(db);
    if (db->is_in_use()) {
      return report(db, Status(code::kBusy,
                               "unable to close due to unfinalized statements or unfinished "
                               "backups"));
    }
  }
  destroy(db);
  return SQLITE_OK;
}

int sqlite3_close_v2(sqlite3* db) {
  if (db == nullptr) return SQLITE_OK;
  {
    std::lock_guard lock(db->mutex);
    disconnect_virtual_tables(db);
    if (db->is_in_use()) {
      db->is_zombie = true;
      return SQLITE_OK;
    }
  }
  destroy(db);
  return SQLITE_OK;
}

namespace godwit::api {

void close_if_zombie(sqlite3* db) {
  {
    std::lock_guard lock(db->mutex);
    if (!db->is_zombie || db->is_in_use()) return;
  }
  destroy(db);
}

}  // namespace godwit::api

int sqlite3_errcode(sqlite3* db) {
  if (db == nullptr) return SQLITE_NOMEM;
  return db->extended_codes ? db->error_code : code::primary(db->error_code);
}
int sqlite3_extended_errcode(sqlite3* db) { return db == nullptr ? SQLITE_NOMEM : db->error_code; }
const char* sqlite3_errmsg(sqlite3* db) {
  if (db == nullptr) return code::text(SQLITE_NOMEM);
  std::lock_guard lock(db->mutex);
  if (db->error_code == SQLITE_OK || db->error_code == SQLITE_ROW ||
      db->error_code == SQLITE_DONE) {
    return code::text(db->error_code);
  }
  return db->error_message.c_str();
}
const char* sqlite3_errstr(int code) { return code::text(code); }
int sqlite3_error_offset(sqlite3* db) {
  if (!is_usable(db) || db->error_code == SQLITE_OK) return -1;
  return db->connection->error_offset();
}
int sqlite3_extended_result_codes(sqlite3* db, int on) {
  if (db == nullptr) return SQLITE_MISUSE;
  db->extended_codes = on != 0;
  return SQLITE_OK;
}

sqlite3_int64 sqlite3_last_insert_rowid(sqlite3* db) {
  return is_usable(db) ? db->connection->last_insert_rowid() : 0;
}
void sqlite3_set_last_insert_rowid(sqlite3* db, sqlite3_int64 rowid) {
  if (is_usable(db)) db->connection->set_last_insert_rowid(rowid);
}
int sqlite3_changes(sqlite3* db) { return static_cast<int>(sqlite3_changes64(db)); }
sqlite3_int64 sqlite3_changes64(sqlite3* db) {
  return is_usable(db) ? db->connection->changes() : 0;
}
int sqlite3_total_changes(sqlite3* db) { return static_cast<int>(sqlite3_total_changes64(db)); }
sqlite3_int64 sqlite3_total_changes64(sqlite3* db) {
  return is_usable(db) ? db->connection->total_changes() : 0;
}
int sqlite3_get_autocommit(sqlite3* db) {
  return is_usable(db) ? static_cast<int>(db->connection->autocommit()) : 0;
}
void sqlite3_interrupt(sqlite3* db) {
  if (is_usable(db)) db->connection->interrupt();
}
int sqlite3_is_interrupted(sqlite3* db) {
  return is_usable(db) && db->connection->is_interrupted() ? 1 : 0;
}

int sqlite3_busy_handler(sqlite3* db, int (*handler)(void*, int), void* context) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->busy_handler = handler;
  db->busy_context = context;
  BusyHandler adapted;
  if (handler != nullptr) {
    adapted.context = db;
    adapted.retry = [](void* self, int attempt) {
      auto* handle = static_cast<sqlite3*>(self);
      return handle->busy_handler(handle->busy_context, attempt) != 0;
    };
  }
  db->connection->set_busy_handler(adapted);
  return SQLITE_OK;
}

int sqlite3_busy_timeout(sqlite3* db, int milliseconds) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->connection->set_busy_timeout(milliseconds);
  return SQLITE_OK;
}

int sqlite3_limit(sqlite3* db, int limit, int value) {
  if (!is_usable(db) || limit < 0 || limit >= Limits::kCount) return -1;
  std::lock_guard lock(db->mutex);
  db->connection->forget_statements();
  return static_cast<int>(db->connection->limits.set(static_cast<Limit>(limit), value));
}

const char* sqlite3_db_filename(sqlite3* db, const char* name) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  int index = name == nullptr ? 0 : db->connection->find_database(name);
  if (index < 0) return nullptr;
  return filename_of(db, db->connection->databases()[static_cast<size_t>(index)].path);
}

int sqlite3_db_readonly(sqlite3* db, const char* name) {
  if (!is_usable(db)) return -1;
  std::lock_guard lock(db->mutex);
  int index = name == nullptr ? 0 : db->connection->find_database(name);
  if (index < 0) return -1;
  const Btree* btree = db->connection->btree(index);
  return btree != nullptr && db->connection->btree(index)->pager().is_read_only() ? 1 : 0;
}

const char* sqlite3_db_name(sqlite3* db, int index) {
  if (!is_usable(db) || index < 0) return nullptr;
  std::lock_guard lock(db->mutex);
  auto& databases = db->connection->databases();
  if (static_cast<size_t>(index) >= databases.size()) return nullptr;
  return databases[static_cast<size_t>(index)].name.c_str();
}

sqlite3_stmt* sqlite3_next_stmt(sqlite3* db, sqlite3_stmt* after) {
  if (db == nullptr) return nullptr;
  std::lock_guard lock(db->mutex);
  return after == nullptr ? db->statements : after->next;
}
