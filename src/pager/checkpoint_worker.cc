#include "pager/checkpoint_worker.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>

#include "pager/own_thread.h"
#include "pager/wal.h"

namespace godwit {
namespace {

// When frames are left because they were appended during the run, or readers were in the way, the
// worker looks again, less and less often while commits go on. What is left after the last time waits
// for the next request.
constexpr std::chrono::milliseconds kPauseMin(10);
constexpr std::chrono::milliseconds kPauseMax(320);
constexpr int kPausesMax = 40;

struct CheckpointRequest {
  Vfs* vfs;
  std::string path;
  FileIdentity database;
  bool sync;
};

class CheckpointThread {
 public:
  static CheckpointThread& instance() {
    static CheckpointThread* thread = [] {
      auto* made = new CheckpointThread;  // never destroyed: it may outlive main()
      pthread_atfork([] { instance().before_fork(); }, [] { instance().after_fork(); },
                     [] { instance().restart_in_child(); });
      return made;
    }();
    return *thread;
  }

  void request(CheckpointRequest request) {
    std::lock_guard guard(mutex_);
    for (const CheckpointRequest& waiting : queue_) {
      if (waiting.database == request.database) return;
    }
    queue_.push_back(std::move(request));
    if (!has_thread_) {
      has_thread_ = true;
      start_own_thread([this] { run(); });
    }
    wake_.notify_one();
  }

  bool settle(FileIdentity database, bool break_off) {
    std::unique_lock guard(mutex_);
    bool had_any =
        std::erase_if(queue_, [&](const CheckpointRequest& r) { return r.database == database; }) > 0;
    ++awaited_;
    while (is_running_ && running_ == database) {
      had_any = true;
      if (break_off) broken_off_.store(true, std::memory_order_relaxed);
      wake_.notify_one();  // it may be pausing
      ended_.wait(guard);
    }
    --awaited_;
    return had_any;
  }

 private:
  void run() {
    std::unique_lock guard(mutex_);
    for (;;) {
      while (queue_.empty() || forks_ > 0) wake_.wait(guard);
      CheckpointRequest request = std::move(queue_.front());
      queue_.pop_front();
      is_running_ = true;
      running_ = request.database;
      broken_off_.store(false, std::memory_order_relaxed);
      guard.unlock();
      perform(request);
      guard.lock();
      is_running_ = false;
      if (forks_ > 0) queue_.push_front(std::move(request));  // it was broken off
      ended_.notify_all();
    }
  }

  // Errors are nobody's: what is left to copy stays in the WAL, where a later checkpoint meets the
  // same fault and reports it. A checkpoint by another process is waited for like commits.
  void perform(const CheckpointRequest& request) {
    OpenOptions options;
    auto opened = request.vfs->open(request.path, options);
    if (!opened.ok()) return;
    std::unique_ptr<File> file = *std::move(opened);
    if (file->is_read_only() || !(file->identity() == request.database)) return;
    if (!file->lock(LockLevel::kShared).ok()) return;
    // While we hold SHARED nobody removes the WAL.
    std::string wal_path = request.path + "-wal";
    auto exists = request.vfs->exists(wal_path);
    if (exists.ok() && *exists) {
      auto wal = Wal::open(request.vfs, file.get(), wal_path, false);
      if (wal.ok()) copy_frames(wal->get(), request.sync);
    }
    (void)file->unlock(LockLevel::kNone);
  }

  void copy_frames(Wal* wal, bool sync) {
    wal->set_break_off(&broken_off_);
    auto pause_time = kPauseMin;
    for (int pauses = 0; !broken_off_.load(std::memory_order_relaxed);) {
      auto result = wal->checkpoint(CheckpointMode::kPassive, {}, sync);
      if (!result.ok() && result.status().primary() != code::kBusy) return;
      if (result.ok() && result->checkpointed_frames == result->wal_frames) return;
      // Pauses until no commit comes any more.
      uint32_t frames = wal->newest_frame_count();
      for (bool quiet = false; !quiet;) {
        if (++pauses > kPausesMax || !pause(pause_time)) return;
        pause_time = std::min(2 * pause_time, kPauseMax);
        uint32_t now = wal->newest_frame_count();
        quiet = now == frames;
        frames = now;
      }
    }
  }

  // False: somebody waits for the end of the run, or for one of another database.
  bool pause(std::chrono::milliseconds time) {
    std::unique_lock guard(mutex_);
    return !wake_.wait_for(guard, time,
                           [this] { return awaited_ > 0 || forks_ > 0 || !queue_.empty(); });
  }

  void before_fork() {
    std::unique_lock guard(mutex_);
    ++forks_;
    while (is_running_) {
      broken_off_.store(true, std::memory_order_relaxed);
      wake_.notify_one();
      ended_.wait(guard);
    }
    guard.release();  // held across the fork
  }
  void after_fork() {
    --forks_;
    wake_.notify_one();
    mutex_.unlock();
  }
  void restart_in_child() {
    // Who waits on a condition at a fork is waited for in the child forever.
    new (&wake_) std::condition_variable;
    new (&ended_) std::condition_variable;
    has_thread_ = false;
    forks_ = awaited_ = 0;
    queue_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::condition_variable wake_;   // of the thread
  std::condition_variable ended_;  // a run
  std::deque<CheckpointRequest> queue_;
  bool has_thread_ = false;
  bool is_running_ = false;
  FileIdentity running_;
  int awaited_ = 0;  // callers of settle() that wait
  int forks_ = 0;    // that wait, or are under way
  std::atomic<bool> broken_off_{false};
};

}  // namespace

void CheckpointWorker::request(Vfs* vfs, const std::string& path, FileIdentity database, bool sync) {
  CheckpointThread::instance().request({vfs, path, database, sync});
}

bool CheckpointWorker::settle(FileIdentity database, bool break_off) {
  return CheckpointThread::instance().settle(database, break_off);
}

}  // namespace godwit
