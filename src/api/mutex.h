// Mutexes as the application sees them. That of a connection is one too.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

// Recursive. Each call of the interface takes one, so the way without contention is inline.
struct sqlite3_mutex {
  void lock() {
    const uintptr_t self = this_thread();
    if (owner_.load(std::memory_order_relaxed) == self) {
      ++depth_;
      return;
    }
    int expected = kFree;
    if (!state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire)) wait();
    owner_.store(self, std::memory_order_relaxed);
  }
  bool try_lock() {
    const uintptr_t self = this_thread();
    if (owner_.load(std::memory_order_relaxed) == self) {
      ++depth_;
      return true;
    }
    int expected = kFree;
    if (!state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire)) return false;
    owner_.store(self, std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    if (depth_ > 0) {
      --depth_;
      return;
    }
    owner_.store(0, std::memory_order_relaxed);
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  enum : int { kFree, kHeld, kAwaited };

  static uintptr_t this_thread() {
#if defined(__x86_64__) && defined(__GNUC__)
    return reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
#else
    return reinterpret_cast<uintptr_t>(pthread_self());
#endif
  }
  void wait() {
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      state_.wait(kAwaited, std::memory_order_relaxed);
    }
  }

  std::atomic<int> state_{kFree};
  uint32_t depth_ = 0;                // of the owner's locks beyond the first
  std::atomic<uintptr_t> owner_{0};   // who reads its own number here holds the lock
};
