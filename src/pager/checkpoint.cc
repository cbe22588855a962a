// Checkpoints: copying frames of the WAL into the database file.
//
//   passive   copies what no reader forbids, waiting for nobody
//   full      takes the write lock, waits for readers of old snapshots, copies everything
//   restart   full, then waits until nobody reads the WAL: the next writer starts it anew
//   truncate  restart, then makes the WAL empty at once
//
// Order of writes: the WAL is synced, then pages are copied, then the database is synced, and only
// then the shared count of backfilled frames grows, which lets a writer restart the WAL.
#include <algorithm>

#include "base/assert.h"
#include "pager/file_header.h"
#include "pager/wal.h"

namespace godwit {

Result<CheckpointResult> Wal::checkpoint(CheckpointMode mode, BusyHandler busy, bool sync) {
  if (read_only_) return Status(code::kReadOnly);
  read_mark_.release();
  ReadMarkLock::release_idle(database_->identity());
  GW_TRY(lock(kWalCheckpointLock, 1, ShmLockMode::kExclusive));
  checkpoint_locked_ = true;
  CheckpointResult result;
  CheckpointMode effective = mode;
  BusyHandler passive;
  BusyHandler* handler = mode == CheckpointMode::kPassive ? &passive : &busy;
  Status status;
  if (mode != CheckpointMode::kPassive) {
    status = lock_with(busy, kWalWriteLock, 1);
    if (status.ok()) {
      write_locked_ = true;
    } else if (status.code() == code::kBusy) {
      effective = CheckpointMode::kPassive;
      handler = &passive;
      status = Status();
    }
  }
  // The work is done on the newest state; the connection's own snapshot header is put back, so that
  // its next begin_read() notices what has changed.
  WalIndexHeader own = header_;
  bool changed = false;
  if (status.ok()) status = load_header(&changed);
  if (status.ok()) {
    status = backfill(handler, sync);
    if (status.ok() && effective != CheckpointMode::kPassive) {
      status = wait_for_readers(effective, *handler);
    }
    if (status.ok() || status.code() == code::kBusy) {
      result.wal_frames = static_cast<int>(header_.frame_count);
      result.checkpointed_frames = static_cast<int>(index_.backfilled());
      result.busy = !status.ok() || effective != mode;
      status = Status();
    }
  }
  header_ = own;
  if (write_locked_) unlock(kWalWriteLock);
  write_locked_ = false;
  unlock(kWalCheckpointLock);
  checkpoint_locked_ = false;
  if (!status.ok()) return status;
  return result;
}

Status Wal::backfill(BusyHandler* busy, bool sync) {
  if (index_.backfilled() >= header_.frame_count) return {};
  uint32_t page_size = header_.page_size();
  GW_ASSIGN(uint64_t wal_size, file_->size());
  if (wal_size < frame_offset(header_.frame_count, page_size) + kFrameHeaderSize + page_size) {
    return corrupt("WAL is shorter than its index says");
  }
  // All pages that the file lacks are in the WAL, but for the lock page.
  GW_ASSIGN(uint64_t size, database_->size());
  uint64_t room = size + uint64_t{header_.frame_count + 1} * page_size;
  if (uint64_t{header_.page_count} * page_size > room) return corrupt("database size in the WAL");
  GW_ASSIGN(uint32_t safe_frame, last_safe_frame(busy));
  if (index_.backfilled() >= safe_frame) return {};
  GW_ASSIGN(std::vector<FramePage> pages, pages_to_copy(safe_frame));
  // Readers of the database file alone must not see pages change under them.
  Status status = lock_with(*busy, wal_read_lock(0), 1);
  if (status.code() == code::kBusy) return {};
  GW_TRY(std::move(status));
  index_.set_backfill_attempted(safe_frame);
  if (sync) status = file_->sync(SyncMode::kDataOnly);
  if (status.ok()) status = copy_pages(pages);
  if (status.ok()) status = check_break_off();
  if (status.ok()) {
    WalIndexHeader shared;
    if (index_.load_header(&shared) && shared.frame_count == safe_frame) {
      status = cut_database(uint64_t{header_.page_count} * page_size);
    }
  }
  if (status.ok() && sync) status = database_->sync(SyncMode::kDataOnly);
  if (status.ok()) index_.set_backfilled(safe_frame);
  unlock(wal_read_lock(0));
  return status;
}

Status Wal::check_break_off() const {
  bool breaks_off = break_off_ != nullptr && break_off_->load(std::memory_order_relaxed);
  return breaks_off ? Status(code::kInterrupt) : Status();
}

uint32_t Wal::newest_frame_count() const {
  WalIndexHeader header;
  return index_.load_header(&header) ? header.frame_count : 0;
}

// Never makes the file longer: every page that it lacked was in the WAL.
Status Wal::cut_database(uint64_t wanted) {
  GW_ASSIGN(uint64_t size, database_->size());
  return size > wanted ? database_->truncate(wanted) : Status();
}

// How far no reader's snapshot is in the way. Marks that nobody holds are moved out of the way.
Result<uint32_t> Wal::last_safe_frame(BusyHandler* busy) {
  uint32_t safe = header_.frame_count;
  for (int i = 1; i < kReadMarks; ++i) {
    uint32_t mark = index_.read_mark(i);
    if (safe <= mark) continue;
    Status status = lock_with(*busy, wal_read_lock(i), 1);
    if (status.ok()) {
      index_.set_read_mark(i, i == 1 ? safe : kReadMarkUnused);
      unlock(wal_read_lock(i));
    } else if (status.code() == code::kBusy) {
      safe = mark;
      *busy = {};  // what follows is passive: this reader was waited for already
    } else {
      return status;
    }
  }
  return safe;
}

// The pages of the frames that are not copied yet, each with its newest frame, by page number. A
// page whose newest frame may not be copied is left out: all snapshots that begin from now on will
// find that frame in the WAL.
Result<std::vector<Wal::FramePage>> Wal::pages_to_copy(uint32_t safe_frame) {
  std::vector<FramePage> all;
  uint32_t first = index_.backfilled() + 1;
  all.reserve(header_.frame_count - first + 1);
  for (uint32_t frame = first; frame <= header_.frame_count; ++frame) {
    GW_ASSIGN(PageNumber page, index_.page_of(frame));
    all.push_back({page, frame});
  }
  std::sort(all.begin(), all.end(), [](const FramePage& a, const FramePage& b) {
    return a.page != b.page ? a.page < b.page : a.frame > b.frame;
  });
  std::vector<FramePage> newest;
  for (const FramePage& entry : all) {
    if (entry.page == 0) return corrupt("WAL index: page 0");
    if (!newest.empty() && newest.back().page == entry.page) continue;
    newest.push_back(entry);
  }
  std::erase_if(newest, [&](const FramePage& entry) {
    return entry.frame > safe_frame || entry.page > header_.page_count;
  });
  return newest;
}

// Neighbouring pages go to the file in one write.
Status Wal::copy_pages(std::span<const FramePage> pages) {
  constexpr size_t kBatchBytes = 256 * 1024;
  uint32_t page_size = header_.page_size();
  size_t batch_max = kBatchBytes / page_size;
  std::vector<uint8_t> buffer(batch_max * page_size);
  for (size_t i = 0; i < pages.size();) {
    size_t count = 1;
    while (count < batch_max && i + count < pages.size() &&
           pages[i + count].page == pages[i].page + count) {
      ++count;
    }
    for (size_t k = 0; k < count; ++k) {
      GW_TRY(read_frame(pages[i + k].frame, {&buffer[k * page_size], page_size}));
    }
    GW_TRY(check_break_off());
    GW_TRY(database_->write(uint64_t{pages[i].page - 1} * page_size,
                            {buffer.data(), count * page_size}));
    i += count;
  }
  return {};
}

// After a backfill with the write lock held.
Status Wal::wait_for_readers(CheckpointMode mode, BusyHandler busy) {
  if (index_.backfilled() < header_.frame_count) return Status(code::kBusy);
  if (mode < CheckpointMode::kRestart) return {};
  GW_TRY(lock_with(busy, wal_read_lock(1), kReadMarks - 1));
  Status status;
  if (mode == CheckpointMode::kTruncate) {
    restart();
    status = file_->truncate(0);
  }
  unlock(wal_read_lock(1), kReadMarks - 1);
  return status;
}

Status Wal::checkpoint_and_remove(bool sync) {
  GW_ASSERT(database_->lock_level() == LockLevel::kExclusive);
  GW_ASSIGN(CheckpointResult result, checkpoint(CheckpointMode::kPassive, {}, sync));
  if (result.busy || result.checkpointed_frames != result.wal_frames) return Status(code::kBusy);
  file_.reset();
  Status status = vfs_->remove(path_, false);
  index_.close(true);
  return status.code() == code::kIoErrDeleteNoEnt ? Status() : status;
}

}  // namespace godwit
