// Mutexes as the application sees them. That of a connection is one too.
#pragma once

#include <mutex>

struct sqlite3_mutex {
  std::recursive_mutex mutex;

  void lock() { mutex.lock(); }
  bool try_lock() { return mutex.try_lock(); }
  void unlock() { mutex.unlock(); }
};
