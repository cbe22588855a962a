// WAL: hook, automatic and explicit checkpoints; and what concerns the page caches.
#include <new>

#include "api/handles.h"

using namespace godwit;
using namespace godwit::api;

void* sqlite3_wal_hook(sqlite3* db, int (*hook)(void*, sqlite3*, const char*, int),
                       void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  void* before = db->wal_context;
  db->wal_hook = hook;
  db->wal_context = context;
  // The hook takes the place of automatic checkpoints.
  db->connection->set_wal_autocheckpoint(0);
  if (hook == nullptr) {
    db->connection->set_wal_hook(nullptr, nullptr);
  } else {
    db->connection->set_wal_hook(
        [](void* self, const char* database, int frames) {
          auto* handle = static_cast<sqlite3*>(self);
          return handle->wal_hook(handle->wal_context, handle, database, frames);
        },
        db);
  }
  return before;
}

int sqlite3_wal_autocheckpoint(sqlite3* db, int frames) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->wal_hook = nullptr;
  db->wal_context = nullptr;
  db->connection->set_wal_hook(nullptr, nullptr);
  db->connection->set_wal_autocheckpoint(frames);
  return SQLITE_OK;
}

int sqlite3_wal_checkpoint_v2(sqlite3* db, const char* database, int mode, int* log_frames,
                              int* checkpointed) {
  if (log_frames != nullptr) *log_frames = -1;
  if (checkpointed != nullptr) *checkpointed = -1;
  if (!is_usable(db)) return SQLITE_MISUSE;
  if (mode < SQLITE_CHECKPOINT_NOOP || mode > SQLITE_CHECKPOINT_TRUNCATE) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    int index = -1;
    if (database != nullptr && database[0] != '\0') {
      index = db->connection->find_database(database);
      if (index < 0) {
        return report(db, Status::error(std::string("unknown database: ") + database));
      }
    }
    CheckpointResult result;
    Status status = mode == SQLITE_CHECKPOINT_NOOP
                        ? db->connection->inspect_wal(index, &result)
                        : db->connection->checkpoint(index, static_cast<CheckpointMode>(mode),
                                                     &result);
    if (log_frames != nullptr) *log_frames = result.wal_frames;
    if (checkpointed != nullptr) *checkpointed = result.checkpointed_frames;
    return report(db, status);
  });
}

int sqlite3_wal_checkpoint(sqlite3* db, const char* database) {
  return sqlite3_wal_checkpoint_v2(db, database, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

// Changed pages stay in memory until the transaction commits: there is nothing to write earlier.
int sqlite3_db_cacheflush(sqlite3* db) { return is_usable(db) ? SQLITE_OK : SQLITE_MISUSE; }

int sqlite3_db_release_memory(sqlite3* db) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->connection->forget_statements();
  return SQLITE_OK;
}
