#include "api/mutex.h"

#include <new>

#include "api/handles.h"

namespace {

// Every static mutex there may be.
sqlite3_mutex static_mutexes[SQLITE_MUTEX_STATIC_VFS3 - SQLITE_MUTEX_STATIC_MAIN + 1];

}  // namespace

sqlite3_mutex* sqlite3_mutex_alloc(int type) {
  if (type == SQLITE_MUTEX_FAST || type == SQLITE_MUTEX_RECURSIVE) {
    return new (std::nothrow) sqlite3_mutex;
  }
  if (type < SQLITE_MUTEX_STATIC_MAIN || type > SQLITE_MUTEX_STATIC_VFS3) return nullptr;
  return &static_mutexes[type - SQLITE_MUTEX_STATIC_MAIN];
}
void sqlite3_mutex_free(sqlite3_mutex* mutex) {
  const bool is_static = mutex >= std::begin(static_mutexes) && mutex < std::end(static_mutexes);
  if (!is_static) delete mutex;
}
void sqlite3_mutex_enter(sqlite3_mutex* mutex) {
  if (mutex != nullptr) mutex->lock();
}
int sqlite3_mutex_try(sqlite3_mutex* mutex) {
  return mutex == nullptr || mutex->try_lock() ? SQLITE_OK : SQLITE_BUSY;
}
void sqlite3_mutex_leave(sqlite3_mutex* mutex) {
  if (mutex != nullptr) mutex->unlock();
}

sqlite3_mutex* sqlite3_db_mutex(sqlite3* db) { return db == nullptr ? nullptr : &db->mutex; }
