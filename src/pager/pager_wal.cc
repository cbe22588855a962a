// The pager in WAL mode. A snapshot's identity is the WAL-index header; the pages that differ
// between two snapshots are those of the frames between, unless the WAL was restarted meanwhile.
#include <algorithm>

#include "pager/checkpoint_worker.h"
#include "pager/pager.h"
#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {
namespace {

constexpr uint32_t kFramesToCompareMax = 65536;

// Checkpoints at fewer frames are cheap, and wanted at once by who asks for them.
constexpr uint32_t kBackgroundFramesMin = 100;
// The WAL is this many times as long as it should be: commits come faster than the worker copies.
constexpr uint32_t kBackgroundRounds = 6;

}  // namespace

SnapshotState Pager::wal_state() const {
  SnapshotState state;
  state.kind = SnapshotState::kWal;
  static_assert(sizeof(WalIndexHeader) == sizeof state.bytes);
  std::memcpy(state.bytes, &wal_->snapshot(), sizeof state.bytes);
  return state;
}

uint32_t Pager::wal_frames() const { return wal_ == nullptr ? 0 : wal_->snapshot().frame_count; }

CheckpointResult Pager::wal_progress() const {
  if (wal_ == nullptr) return {};
  return {static_cast<int>(wal_frames()), static_cast<int>(wal_->backfilled()), false};
}

// Whether the database, whose SHARED lock is held, has a WAL. `header`: null: the file is empty.
Result<bool> Pager::find_wal(const FileHeader* header) {
  if (ignore_wal_) return false;
  if (header != nullptr && header->read_version == kFormatWal) return true;
  std::string path = path_ + "-wal";
  GW_ASSIGN(bool exists, vfs_->exists(path));
  if (!exists || header != nullptr) return exists;
  // Left over from a database that was deleted.
  if (!read_only_) {
    Status status = vfs_->remove(path, false);
    if (status.code() != code::kIoErrDeleteNoEnt) GW_TRY(std::move(status));
  }
  return false;
}

Status Pager::open_wal() {
  // Nobody else will use it: no shared memory is needed.
  const bool on_heap = locking_mode_ == LockingMode::kExclusive && !read_only_;
  if (!on_heap && !file_->has_shm()) return Status(code::kCantOpen);
  if (on_heap) GW_TRY(lock_exclusive_in_wal_mode());
  GW_ASSIGN(wal_, Wal::open(vfs_, file_.get(), path_ + "-wal", read_only_, on_heap));
  journal_mode_ = JournalMode::kWal;
  return {};
}

// The last connection to leave copies the WAL into the database and deletes it.
void Pager::close_wal() {
  if (checkpoint_on_close_ && !read_only_ && lock_exclusive_in_wal_mode().ok()) {
    const bool syncs = synchronous_ != Synchronous::kOff;
    if (persist_wal_) {
      (void)wal_->checkpoint(CheckpointMode::kPassive, {}, syncs);
    } else {
      (void)wal_->checkpoint_and_remove(syncs);
    }
  }
  wal_.reset();
  (void)file_->unlock(LockLevel::kNone);
}

Status Pager::start_wal_snapshot() {
  for (;;) {
    bool changed = false;
    Status begun = wal_->begin_read(&changed);
    if (!begun.ok()) {
      // The new header may be loaded already, so that the next attempt will see no change.
      version_ = 0;
      return begun;
    }
    if (!changed && version_ != 0) return {};
    uint64_t version;
    if (register_wal_snapshot(&version)) {
      Status status = load_wal_header(version);
      if (!status.ok()) {
        wal_->end_read();
        version_ = 0;
      }
      return status;
    }
    wal_->end_read();
    version_ = 0;
  }
}

// Finds or makes the snapshot's place in the process's timeline. False: it is not the newest any
// more and the timeline does not have it, so another one must be taken.
bool Pager::register_wal_snapshot(uint64_t* version) {
  const WalIndexHeader& header = wal_->snapshot();
  SnapshotState state = wal_state();
  std::lock_guard guard(store_->timeline_mutex());
  if (store_->state() == state) {
    *version = store_->version();
    return true;
  }
  if (!wal_->is_newest()) return false;
  WalIndexHeader before;
  std::memcpy(&before, store_->state().bytes, sizeof before);
  bool known = store_->state().kind == SnapshotState::kWal &&
               std::memcmp(before.salt, header.salt, sizeof before.salt) == 0 &&
               before.frame_count <= header.frame_count &&
               header.frame_count - before.frame_count <= kFramesToCompareMax;
  scratch_numbers_.clear();
  for (uint32_t frame = before.frame_count + 1; known && frame <= header.frame_count; ++frame) {
    auto page = wal_->page_of(frame);
    known = page.ok();
    if (known) scratch_numbers_.push_back(*page);
  }
  *version = store_->advance(state, known ? &scratch_numbers_ : nullptr);
  return true;
}

// Moves to the snapshot of `version` and checks its page 1.
Status Pager::load_wal_header(uint64_t version) {
  const WalIndexHeader& header = wal_->snapshot();
  adopt_version(version);
  snapshot_ = wal_state();
  uint32_t page_size = header.page_size();
  if (!is_page_size(page_size)) {
    // No WAL header was ever written or found.
    uint8_t bytes[kFileHeaderSize] = {};
    GW_ASSIGN(size_t n, file_->read(0, bytes));
    page_count_ = 0;
    if (n == 0) return {};
    GW_ASSIGN(FileHeader parsed, parse_file_header(bytes));
    page_size = parsed.page_size;
  }
  if (page_size != page_size_) drop_all_pages();
  page_size_ = page_size;
  page_count_ = header.page_count;
  if (page_count_ == 0) {
    GW_ASSIGN(uint64_t size, file_->size());
    page_count_ =
        static_cast<uint32_t>(std::min<uint64_t>((size + page_size - 1) / page_size, UINT32_MAX));
  }
  if (page_count_ == 0) return {};
  GW_ASSIGN(PageRef first, pages_.find(1) ? PageRef(pages_.find(1)) : read_slow(1));
  GW_TRY(adopt_header(first.data(), page_count_));
  return page_size == page_size_ ? Status() : corrupt("page size of WAL and database differ");
}

Status Pager::commit_to_wal() {
  bool has_first = page_count_ != original_page_count_;
  for (const UndoEntry& entry : undo_) has_first = has_first || entry.number == 1;
  if (has_first) GW_TRY(stamp_header());
  std::vector<Page*> changed = changed_pages();
  PageRef last;
  if (changed.empty() && !spilled_.empty()) {
    // The frame that ends the commit is of a page in memory.
    GW_ASSIGN(last, read_spilled(spilled_.begin()->first));
    changed.push_back(last.get());
  }
  if (changed.empty()) return {};
  std::vector<WalPage> pages;
  pages.reserve(changed.size());
  for (const Page* page : changed) pages.push_back({page->number(), page->data()});
  if (!wal_prepared_) {
    std::lock_guard guard(store_->timeline_mutex());
    bool restarted = false;
    Status status = wal_->prepare_append(&restarted);
    if (restarted) {
      scratch_numbers_.clear();
      snapshot_ = wal_state();
      version_ = store_->advance(snapshot_, &scratch_numbers_);
    }
    GW_TRY(std::move(status));
    wal_prepared_ = true;
  }
  wal_->set_size_limit(journal_size_limit_);
  if (!spilled_.empty()) GW_TRY(append_spilled_to_wal());
  GW_TRY(wal_->append(pages, page_count_, page_size_, synchronous_ != Synchronous::kOff));
  if (synchronous_ >= Synchronous::kFull) GW_TRY(wal_->sync());
  publish(changed);
  checkpoint_due_ = wal_autocheckpoint_ > 0 &&
                    wal_->snapshot().frame_count >= static_cast<uint32_t>(wal_autocheckpoint_);
  return {};
}

bool Pager::leaves_checkpoints_to_worker() const {
  return background_checkpoint_ && vfs_->allows_own_threads() &&
         locking_mode_ == LockingMode::kNormal &&
         static_cast<uint32_t>(wal_autocheckpoint_) >= kBackgroundFramesMin;
}

// After a commit. What cannot be copied now waits for a later commit. The worker is asked once for
// each `wal_autocheckpoint_` frames. While commits follow each other without a pause it never finds the
// WAL copied to its end, which is when the WAL can start anew: then at last a commit does the rest.
void Pager::checkpoint_if_due() {
  if (!checkpoint_due_) return;
  checkpoint_due_ = false;
  const bool syncs = synchronous_ != Synchronous::kOff;
  if (!leaves_checkpoints_to_worker()) {
    (void)wal_->checkpoint(CheckpointMode::kPassive, {}, syncs);
    return;
  }
  const uint32_t frames = wal_frames();
  const uint32_t step = static_cast<uint32_t>(wal_autocheckpoint_);
  const uint64_t salt = load_be64(wal_->snapshot().salt);
  if (salt == checkpoint_asked_salt_ && frames - checkpoint_asked_at_ < step) return;
  checkpoint_asked_at_ = frames;
  checkpoint_asked_salt_ = salt;
  if (frames / step < kBackgroundRounds) {
    wal_->release_mark();
    CheckpointWorker::request(vfs_, path_, file_->identity(), syncs);
  } else {
    (void)CheckpointWorker::settle(file_->identity(), false);
    (void)wal_->checkpoint(CheckpointMode::kPassive, {}, syncs);
  }
}

// The worker may be all that is in the way.
Status Pager::lock_exclusive_in_wal_mode() {
  Status status = file_->lock(LockLevel::kExclusive);
  if (status.code() != code::kBusy || !vfs_->allows_own_threads()) return status;
  return CheckpointWorker::settle(file_->identity()) ? file_->lock(LockLevel::kExclusive) : status;
}

Result<CheckpointResult> Pager::checkpoint(CheckpointMode mode) {
  if (state_ != State::kNone) return Status(code::kLocked);
  if (file_ == nullptr || options_.immutable) return CheckpointResult{};
  if (wal_ == nullptr) {
    GW_TRY(begin_read());
    end_read();
    if (wal_ == nullptr) return CheckpointResult{};
  }
  if (vfs_->allows_own_threads()) (void)CheckpointWorker::settle(file_->identity());
  return wal_->checkpoint(mode, busy_handler_, synchronous_ != Synchronous::kOff);
}

Result<std::vector<WalReader>> Pager::wal_readers() {
  if (file_ == nullptr || options_.immutable) return std::vector<WalReader>();
  if (wal_ == nullptr && state_ == State::kNone) {
    GW_TRY(begin_read());
    end_read();
  }
  return wal_ == nullptr ? std::vector<WalReader>() : wal_->readers();
}

Result<JournalMode> Pager::set_journal_mode(JournalMode mode) {
  GW_ASSERT(state_ == State::kNone);
  if (file_ == nullptr) {
    bool possible = path_.empty() && (mode == JournalMode::kMemory || mode == JournalMode::kOff);
    if (possible) journal_mode_ = mode;
    return journal_mode_;
  }
  if (options_.immutable) return journal_mode_;
  const bool needs_shm = locking_mode_ == LockingMode::kNormal;
  if (mode == JournalMode::kWal && needs_shm && !file_->has_shm()) return journal_mode_;
  GW_TRY(begin_read());
  end_read();
  if (mode == journal_mode_) return mode;
  if (mode == JournalMode::kWal) {
    GW_TRY(enter_wal_mode());
  } else if (journal_mode_ == JournalMode::kWal) {
    GW_TRY(leave_wal_mode(mode));
  } else {
    bool kept_journal = journal_mode_ == JournalMode::kPersist || journal_mode_ == JournalMode::kTruncate;
    journal_mode_ = mode;
    if (kept_journal && mode != JournalMode::kPersist && mode != JournalMode::kTruncate) {
      remove_kept_journal();
    }
  }
  return journal_mode_;
}

// The journal that PERSIST or TRUNCATE left behind. begin_read() has played back a hot one, and while
// we hold RESERVED nobody's transaction needs it.
void Pager::remove_kept_journal() {
  if (read_only_ || !begin_read().ok()) return;
  if (file_->lock(LockLevel::kReserved).ok()) {
    journal_->close();
    (void)vfs_->remove(journal_->path(), false);
    if (locking_mode_ == LockingMode::kNormal) (void)file_->unlock(LockLevel::kShared);
  }
  end_read();
}

// Who reads the changed header next opens the WAL.
Status Pager::enter_wal_mode() {
  if (journal_mode_ != JournalMode::kDelete) {
    if (journal_mode_ == JournalMode::kPersist || journal_mode_ == JournalMode::kTruncate) {
      remove_kept_journal();
    }
    journal_mode_ = JournalMode::kDelete;
  }
  GW_TRY(change_format(kFormatWal));
  version_ = 0;
  GW_TRY(begin_read());
  end_read();
  return {};
}

Status Pager::leave_wal_mode(JournalMode mode) {
  if (read_only_) return Status(code::kReadOnly);
  for (int attempt = 0;;) {
    Status status = lock_exclusive_in_wal_mode();
    if (status.ok()) break;
    if (status.primary() != code::kBusy || !wait_for_lock(&attempt)) {
      (void)file_->unlock(LockLevel::kShared);
      return status;
    }
  }
  Status status = wal_->checkpoint_and_remove(synchronous_ != Synchronous::kOff);
  if (!status.ok()) {
    (void)file_->unlock(LockLevel::kShared);
    return status;
  }
  wal_.reset();
  version_ = 0;
  // With a journal that a crash finds, whatever the mode will be.
  journal_mode_ = JournalMode::kDelete;
  // Still under the EXCLUSIVE lock, so that nobody starts a new WAL before the header is changed.
  ignore_wal_ = true;
  status = change_format(kFormatRollback);
  ignore_wal_ = false;
  if (status.ok()) journal_mode_ = mode;
  return status;
}

// Commits the header with another pair of version bytes.
Status Pager::change_format(uint8_t version) {
  GW_TRY(begin_write());
  auto change = [&]() -> Status {
    if (page_count_ == 0) {
      GW_ASSIGN(PageRef fresh, write_fresh(1));
      make_first_page(fresh.data(), page_size_, reserved_bytes_, version);
    }
    GW_ASSIGN(PageRef first, read(1));
    GW_TRY(write(first));
    first.data()[kHeaderWriteVersion] = version;
    first.data()[kHeaderReadVersion] = version;
    return commit();
  };
  Status status = change();
  end_read();
  return status;
}

}  // namespace godwit
