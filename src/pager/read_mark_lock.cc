#include "pager/read_mark_lock.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "pager/own_thread.h"
#include "pager/wal_index_format.h"

namespace godwit {
namespace {

constexpr auto kTick = std::chrono::milliseconds(5);
constexpr uint32_t kLingerTicks = 2;
constexpr int kQuietTicksBeforeSleep = 8;

}  // namespace

// All locks of the process, and the thread that gives up those that have been idle for long.
class ReadMarkKeeper {
 public:
  static ReadMarkKeeper& instance() {
    static ReadMarkKeeper* keeper = [] {
      auto* made = new ReadMarkKeeper;  // never destroyed: its thread may outlive main()
      pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                     [] { instance().restart_in_child(); });
      return made;
    }();
    return *keeper;
  }

  void add(ReadMarkLock* lock) {
    std::lock_guard guard(mutex_);
    lock->process_ = process_.load(std::memory_order_relaxed);
    locks_.push_back(lock);
  }
  bool has(const ReadMarkLock* lock) const {
    return lock->process_ == process_.load(std::memory_order_relaxed);
  }
  void remove(ReadMarkLock* lock) {
    std::lock_guard guard(mutex_);
    std::erase(locks_, lock);
  }
  void release_idle(FileIdentity database) {
    std::lock_guard guard(mutex_);
    for (ReadMarkLock* lock : locks_) {
      if (lock->identity_ == database) lock->release_if_idle();
    }
  }
  uint32_t tick() const { return tick_.load(std::memory_order_relaxed); }
  // As if the thread were there and busy.
  void pretend_thread() {
    std::lock_guard guard(mutex_);
    has_thread_ = true;
    awake_.store(true, std::memory_order_seq_cst);
  }
  void ensure_awake() {
    if (!awake_.load(std::memory_order_seq_cst)) wake();
  }

 private:
  void wake() {
    std::lock_guard guard(mutex_);
    awake_.store(true, std::memory_order_release);
    if (!has_thread_) {
      has_thread_ = true;
      start_own_thread([this] { run(); });
    }
    condition_.notify_one();
  }

  void run() {
    std::unique_lock guard(mutex_);
    for (int quiet_ticks = 0;;) {
      if (quiet_ticks >= kQuietTicksBeforeSleep) {
        // Who parks a lock from now on finds the flag down, or its lock is seen here.
        awake_.store(false, std::memory_order_seq_cst);
        if (!any_held()) condition_.wait(guard, [this] { return awake_.load(); });
        awake_.store(true, std::memory_order_release);
        quiet_ticks = 0;
      }
      condition_.wait_for(guard, kTick);
      uint32_t now = tick_.fetch_add(1, std::memory_order_relaxed) + 1;
      for (ReadMarkLock* lock : locks_) {
        if (now - lock->idle_since_.load(std::memory_order_relaxed) >= kLingerTicks) {
          lock->release_if_idle();
        }
      }
      quiet_ticks = any_held() ? 0 : quiet_ticks + 1;
    }
  }

  bool any_held() const {
    return std::any_of(locks_.begin(), locks_.end(), [](const ReadMarkLock* lock) {
      return lock->state_.load(std::memory_order_seq_cst) == ReadMarkLock::kIdle;
    });
  }

  // The thread does not exist in a forked child, and who waits on a condition at a fork is waited for
  // there forever: the child needs a new one.
  void restart_in_child() {
    new (&condition_) std::condition_variable;
    has_thread_ = false;
    awake_.store(false);
    // The locks are the parent's: giving them up here would take them from it. What the child goes on
    // to use enters itself again.
    locks_.clear();
    process_.fetch_add(1, std::memory_order_relaxed);
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<ReadMarkLock*> locks_;
  bool has_thread_ = false;
  std::atomic<bool> awake_{false};
  std::atomic<uint32_t> tick_{0};
  std::atomic<uint32_t> process_{0};  // counts forks from ancestor to child
};

ReadMarkLock::ReadMarkLock(File* database) : database_(database), identity_(database->identity()) {
  ReadMarkKeeper::instance().add(this);
}

ReadMarkLock::~ReadMarkLock() {
  ReadMarkKeeper::instance().remove(this);
  release();
}

void ReadMarkLock::acquired(int mark) {
  GW_ASSERT(mark_ < 0);
  mark_ = mark;
  state_.store(kActive, std::memory_order_release);
}

bool ReadMarkLock::resume() {
  if (mark_ < 0) return false;
  State expected = kIdle;
  if (state_.compare_exchange_strong(expected, kActive, std::memory_order_acq_rel)) return true;
  while (state_.load(std::memory_order_acquire) == kReleasing) std::this_thread::yield();
  mark_ = -1;
  return false;
}

void ReadMarkLock::park() {
  if (mark_ < 0) return;
  ReadMarkKeeper& keeper = ReadMarkKeeper::instance();
  if (!keeper.has(this)) [[unlikely]] keeper.add(this);
  idle_since_.store(keeper.tick(), std::memory_order_relaxed);
  state_.store(kIdle, std::memory_order_seq_cst);
  keeper.ensure_awake();
}

void ReadMarkLock::release() {
  if (mark_ < 0) return;
  if (state_.load(std::memory_order_acquire) != kActive && !resume()) return;
  database_->shm_unlock(wal_read_lock(mark_), 1);
  mark_ = -1;
  state_.store(kFree, std::memory_order_release);
}

void ReadMarkLock::release_if_idle() {
  State expected = kIdle;
  if (!state_.compare_exchange_strong(expected, kReleasing, std::memory_order_acq_rel)) return;
  database_->shm_unlock(wal_read_lock(mark_), 1);
  state_.store(kFree, std::memory_order_release);
}

void ReadMarkLock::release_idle(FileIdentity database) {
  ReadMarkKeeper::instance().release_idle(database);
}

void ReadMarkLock::TEST_release_only_when_asked() {
  ReadMarkKeeper::instance().pretend_thread();
}

}  // namespace godwit
