// A shared lock on a read mark of the WAL that outlives its transaction for some milliseconds, so
// that a connection which reads again and again makes no system call for it.
//
//              acquired()             park()
//     free ------------------> active ------> idle
//      ^                         |  ^          |  |
//      |        release()        |  | resume() |  | idle for kLingerTicks, or
//      +-------------------------+  +----------+  | release_idle()
//      +------------------------------------------+
//
// A lock that lingers hinders nobody but checkpoints, which cannot copy frames beyond it or start
// the WAL anew. Checkpoints of this process call release_idle() first; those of other processes
// meet a reader that stays a little longer.
//
// Threads: all calls are the connection's thread's, except that a thread of the process (started
// with the first lock, asleep while nothing lingers) gives up idle locks. State changes are
// compare-and-swap, so that the usual path takes no mutex.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/vfs.h"

namespace godwit {

class ReadMarkLock {
 public:
  explicit ReadMarkLock(File* database);
  ~ReadMarkLock();
  ReadMarkLock(const ReadMarkLock&) = delete;
  ReadMarkLock& operator=(const ReadMarkLock&) = delete;

  // The mark that is locked, -1: none. Not while idle.
  int mark() const { return mark_; }
  // The caller has locked `mark`.
  void acquired(int mark);
  // False: the lock is not held any more.
  bool resume();
  void park();
  void release();

  // Gives up the idle locks that connections of this process hold on the database's marks.
  static void release_idle(FileIdentity database);
  // For simulations, where no thread may act on its own: from now on only release_idle() gives up
  // idle locks.
  static void TEST_release_only_when_asked();

 private:
  friend class ReadMarkKeeper;
  enum State : uint8_t { kFree, kActive, kIdle, kReleasing };

  void release_if_idle();

  File* database_;
  FileIdentity identity_;
  int mark_ = -1;
  std::atomic<State> state_{kFree};
  std::atomic<uint32_t> idle_since_{0};  // tick
  uint32_t process_ = 0;                 // of the keeper that knows it
};

}  // namespace godwit
