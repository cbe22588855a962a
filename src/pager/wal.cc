#include "pager/wal.h"

#include <algorithm>

#include "base/assert.h"
#include "pager/file_header.h"

namespace godwit {
namespace {

constexpr int kAttemptsWithoutSleep = 5;
constexpr int kAttemptsMax = 100;
constexpr int kHeaderAttempts = 20;

// How far a lingering read mark may stay behind the snapshot.
constexpr uint32_t kMarkLagMax = 256;
// A WAL that is longer although checkpoints came so often as far as our marks, and no further, is so
// long because these linger.
constexpr uint32_t kFramesBeforeMarksHurt = 2000;
constexpr uint32_t kHindrancesMax = 16;

}  // namespace

Result<std::unique_ptr<Wal>> Wal::open(Vfs* vfs, File* database, const std::string& path,
                                       bool read_only, bool on_heap) {
  std::unique_ptr<Wal> wal(new Wal(vfs, database, path, read_only, on_heap));
  OpenOptions options;
  options.kind = FileKind::kWal;
  options.create = true;
  GW_ASSIGN(wal->file_, vfs->open(path, options));
  if (wal->file_->is_read_only()) wal->read_only_ = true;
  Status status = wal->index_.open();
  if (status.code() == code::kReadOnlyCantInit) {
    wal->index_.open_private();
    wal->read_only_ = true;
  } else if (!status.ok()) {
    wal->close();
    return status;
  }
  return wal;
}

Wal::~Wal() {
  close();
}

void Wal::close() {
  if (file_ == nullptr) return;
  end_write();
  read_mark_.release();
  file_.reset();
  index_.close(false);
}

Status Wal::lock_with(BusyHandler busy, int slot, int count) {
  for (int attempt = 0;; ++attempt) {
    Status status = lock(slot, count, ShmLockMode::kExclusive);
    if (status.primary() != code::kBusy || busy.retry == nullptr ||
        !busy.retry(busy.context, attempt)) {
      return status;
    }
  }
}

// --- Reading ---------------------------------------------------------------------------------

// Brings header_ up to the shared one.
Status Wal::load_header(bool* changed) {
  if (index_.header_equals(header_) && header_.is_initialized) return {};
  WalIndexHeader header;
  bool is_whole = index_.load_header(&header);
  // A writer that is at it needs nanoseconds. To be found with the write lock would mean kBusy to it.
  for (int i = 0; i < kHeaderAttempts && !is_whole; ++i) is_whole = index_.load_header(&header);
  if (!is_whole) {
    // Torn by a writer that is just at it, or died there, or never initialized. Who gets the write
    // lock knows that nobody is at it.
    bool was_locked = write_locked_;
    if (!was_locked) GW_TRY(lock(kWalWriteLock, 1, ShmLockMode::kExclusive));
    write_locked_ = true;
    Status status;
    if (index_.load_header(&header)) {
      header_ = header;
    } else {
      status = recover();
    }
    if (!was_locked) {
      unlock(kWalWriteLock);
      write_locked_ = false;
    }
    *changed = true;
    GW_TRY(std::move(status));
  } else {
    header_ = header;
    *changed = true;
  }
  if (header_.version != kWalIndexVersion) return Status(code::kCantOpen);
  if (header_.frame_count > 0 && !is_page_size(header_.page_size())) {
    return corrupt("WAL index: page size");
  }
  return {};
}

Status Wal::begin_read(bool* changed) {
  *changed = false;
  if (index_.is_private()) {
    read_mark_.release();
    GW_TRY(begin_private_read(changed));
    if (read_mark_.mark() >= 0) return {};
  }
  if (read_mark_.resume()) {
    if (resume_snapshot(changed)) return {};
    read_mark_.release();
  }
  for (int attempt = 0;; ++attempt) {
    if (attempt > kAttemptsMax) return Status(code::kProtocol);
    if (attempt > kAttemptsWithoutSleep) back_off(attempt);
    GW_ASSIGN(Attempt result, try_begin_read(false, changed));
    if (result != Attempt::kDone) continue;
    if (header_.frame_count < kFramesBeforeMarksHurt) hindrances_ = 0;
    return {};
  }
}

// Checkpoints that follow each commit of another process would never come to the end of the WAL if
// they always met a mark that lingers.
void Wal::end_read() {
  hindrances_ < kHindrancesMax ? read_mark_.park() : read_mark_.release();
}

// Without a mark afterwards: the shared memory has become usable.
Status Wal::begin_private_read(bool* changed) {
  GW_TRY(lock(wal_read_lock(0), 1, ShmLockMode::kShared));
  Status status = index_.open();
  if (status.ok()) {
    unlock(wal_read_lock(0));
    header_ = {};
    return status;
  }
  WalIndexHeader header = {};
  std::vector<PageNumber> pages;
  if (status.code() == code::kReadOnlyCantInit) status = scan(&header, &pages);
  pages.resize(header.frame_count);
  bool same = header_.is_initialized != 0 && header.frame_count == header_.frame_count &&
              std::memcmp(header.salt, header_.salt, sizeof header.salt) == 0 &&
              std::memcmp(header.frame_checksum, header_.frame_checksum,
                          sizeof header.frame_checksum) == 0;
  if (status.ok() && !same) {
    status = index_.rebuild(pages);
    header.change = header_.change + 1;
    header_ = header;
    index_.store_header(&header_);
    *changed = true;
  }
  if (!status.ok()) {
    unlock(wal_read_lock(0));
    return status;
  }
  min_frame_ = 1;
  read_mark_.acquired(0);
  return {};
}

// With the read mark of an earlier transaction still locked: whether it is good for the newest
// snapshot too, which needs no system call. While a mark from 1 on is locked nobody can restart the
// WAL, so newer frames may be read; but a mark that stays behind keeps checkpoints from completing.
bool Wal::resume_snapshot(bool* changed) {
  WalIndexHeader header = header_;
  bool is_newest = index_.header_equals(header_);
  if (!is_newest && (read_mark_.mark() == 0 || !index_.load_header(&header))) return false;
  if (read_mark_.mark() == 0) return true;
  uint32_t mark = index_.read_mark(read_mark_.mark());
  if (mark > header.frame_count || header.frame_count - mark > kMarkLagMax) return false;
  // If everything was copied meanwhile, mark 0 must be taken, so that the WAL can be restarted. If a
  // checkpoint came as far as the mark and no further, the mark must move on.
  if (index_.backfilled() >= mark) {
    ++hindrances_;
    return false;
  }
  if (is_newest) return true;
  if (std::memcmp(header.salt, header_.salt, sizeof header.salt) != 0 ||
      header.page_size_code != header_.page_size_code || header.version != kWalIndexVersion) {
    return false;
  }
  header_ = header;
  *changed = true;
  return true;
}

// Whoever is in the way holds its locks for microseconds; if it is descheduled, for longer.
void Wal::back_off(int attempt) {
  uint64_t delay = 1;
  if (attempt >= 10)
    delay = static_cast<uint64_t>(attempt - 9) * static_cast<uint64_t>(attempt - 9) * 39;
  vfs_->sleep_us(delay);
}

Result<Wal::Attempt> Wal::try_begin_read(bool use_wal, bool* changed) {
  if (!use_wal) {
    Status status = load_header(changed);
    if (status.code() == code::kBusy) {
      // A writer in the middle of its commit: soon over. A recovery: not.
      Status recovering = lock(kWalRecoverLock, 1, ShmLockMode::kShared);
      if (recovering.ok()) {
        unlock(kWalRecoverLock);
        return Attempt::kRetry;
      }
      return recovering.code() == code::kBusy ? Status(code::kBusyRecovery) : recovering;
    }
    GW_TRY(std::move(status));
    if (index_.backfilled() == header_.frame_count) {
      GW_ASSIGN(Attempt result, try_read_database_only());
      if (read_mark_.mark() == 0 || result == Attempt::kRetry) return result;
    }
  }
  uint32_t mark = 0;
  GW_ASSIGN(int chosen, choose_read_mark(&mark));
  if (chosen == 0) return Attempt::kRetry;
  Status status = lock(wal_read_lock(chosen), 1, ShmLockMode::kShared);
  if (status.code() == code::kBusy) return Attempt::kRetry;
  GW_TRY(std::move(status));
  // Before the lock was held the mark may have moved, or the WAL been restarted. Frames up to the
  // count of backfilled ones are in the file for good, as long as the WAL is not restarted.
  min_frame_ = index_.backfilled() + 1;
  shm_->shm_barrier();
  if (index_.read_mark(chosen) != mark || !index_.header_equals(header_)) {
    unlock(wal_read_lock(chosen));
    return Attempt::kRetry;
  }
  read_mark_.acquired(chosen);
  return Attempt::kDone;
}

// Everything is in the database file: mark 0, if nobody holds it exclusively (a checkpoint does).
Result<Wal::Attempt> Wal::try_read_database_only() {
  Status status = lock(wal_read_lock(0), 1, ShmLockMode::kShared);
  if (status.code() == code::kBusy) return Attempt::kDone;  // without a lock: take another mark
  GW_TRY(std::move(status));
  shm_->shm_barrier();
  if (!index_.header_equals(header_)) {
    unlock(wal_read_lock(0));
    return Attempt::kRetry;
  }
  read_mark_.acquired(0);
  return Attempt::kDone;
}

// The largest mark that is not beyond the snapshot; if it is before the snapshot's end, a mark that
// nobody uses is moved there. 0: all marks are in use just now.
Result<int> Wal::choose_read_mark(uint32_t* mark) {
  int best = 0;
  for (int i = 1; i < kReadMarks; ++i) {
    uint32_t candidate = index_.read_mark(i);
    if (candidate >= *mark && candidate <= header_.frame_count) {
      *mark = candidate;
      best = i;
    }
  }
  if (best != 0 && *mark == header_.frame_count) return best;
  if (index_.is_read_only()) return best != 0 ? Result<int>(best) : Status(code::kReadOnlyCantInit);
  for (int i = 1; i < kReadMarks; ++i) {
    Status status = lock(wal_read_lock(i), 1, ShmLockMode::kExclusive);
    if (status.ok()) {
      index_.set_read_mark(i, header_.frame_count);
      unlock(wal_read_lock(i));
      *mark = header_.frame_count;
      return i;
    }
    if (status.code() != code::kBusy) return status;
  }
  return best;
}

Result<uint32_t> Wal::find_frame(PageNumber page) {
  if (read_mark_.mark() == 0 && !index_.is_private()) return uint32_t{0};
  return index_.find(page, min_frame_, header_.frame_count);
}

Status Wal::read_frame(uint32_t frame, MutableByteSpan page) {
  uint32_t page_size = static_cast<uint32_t>(page.size());
  GW_ASSIGN(size_t n, file_->read(frame_offset(frame, page_size) + kFrameHeaderSize, page));
  return n == page.size() ? Status() : Status(code::kIoErrShortRead);
}

std::vector<WalReader> Wal::readers() {
  std::vector<WalReader> readers;
  WalIndexHeader newest;
  ReadMarkLock::release_idle(database_->identity());
  if (!index_.load_header(&newest)) return readers;
  for (int mark = 0; mark < kReadMarks; ++mark) {
    const uint32_t frame = mark == 0 ? 0 : index_.read_mark(mark);
    if (frame > newest.frame_count) continue;
    for (int64_t process : shm_->shm_lock_holders(wal_read_lock(mark))) {
      readers.push_back({frame, newest.frame_count - frame, process});
    }
  }
  return readers;
}

// --- Writing ---------------------------------------------------------------------------------

Status Wal::begin_write() {
  GW_ASSERT(read_mark_.mark() >= 0 && !write_locked_);
  if (read_only_) return Status(code::kReadOnly);
  GW_TRY(lock(kWalWriteLock, 1, ShmLockMode::kExclusive));
  if (!index_.header_equals(header_)) {
    unlock(kWalWriteLock);
    return Status(code::kBusySnapshot);
  }
  write_locked_ = true;
  index_.begin_append(std::memcmp(&header_, &written_, sizeof header_) == 0);
  return {};
}

void Wal::end_write() {
  if (!write_locked_) return;
  if (unpublished_page_size_ != 0) invalidate_unpublished();
  if (!index_.header_equals(header_)) {
    WalIndexHeader committed;
    if (index_.load_header(&committed)) {
      header_ = committed;
      (void)index_.forget_after(committed.frame_count);
    }
  }
  unlock(kWalWriteLock);
  write_locked_ = false;
}

// A commit that was written but failed (its sync, say) was given up: should everybody die now, the
// recovery must not find it. If this write fails as well, it may.
void Wal::invalidate_unpublished() {
  WalIndexHeader committed;
  static constexpr uint8_t kZeros[kFrameHeaderSize] = {};
  if (index_.load_header(&committed)) {
    (void)file_->write(frame_offset(committed.frame_count + 1, unpublished_page_size_), kZeros);
  }
  unpublished_page_size_ = 0;
}

Status Wal::prepare_append(bool* restarted) {
  GW_ASSERT(write_locked_);
  *restarted = false;
  if (read_mark_.mark() != 0) return {};
  if (index_.backfilled() > 0) {
    Status status = lock(wal_read_lock(1), kReadMarks - 1, ShmLockMode::kExclusive);
    if (status.ok()) {
      restart();
      *restarted = true;
      unlock(wal_read_lock(1), kReadMarks - 1);
    } else if (status.code() != code::kBusy) {
      return status;
    }
  }
  // A holder of mark 0 promises not to read the WAL, but a writer will read its own frames.
  read_mark_.release();
  for (int attempt = 0;; ++attempt) {
    if (attempt > kAttemptsMax) return Status(code::kProtocol);
    if (attempt > kAttemptsWithoutSleep) back_off(attempt);
    bool changed = false;
    GW_ASSIGN(Attempt result, try_begin_read(true, &changed));
    if (result == Attempt::kDone) return {};
  }
}

// The WAL's frames are all in the database file: the next frame overwrites the first. New salts
// make the old frames invalid. Requires the write lock and all read locks from 1 on.
void Wal::restart() {
  ++sequence_;
  header_.frame_count = 0;
  store_be32(header_.salt, load_be32(header_.salt) + 1);
  vfs_->randomness({header_.salt + 4, 4});
  index_.store_header(&header_);
  index_.set_backfilled(0);
  index_.set_backfill_attempted(0);
  index_.set_read_mark(1, 0);
  for (int i = 2; i < kReadMarks; ++i) index_.set_read_mark(i, kReadMarkUnused);
}

// The first frame is about to be written.
Status Wal::write_header(uint32_t page_size, bool sync) {
  constexpr bool kBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  if (sequence_ == 0) vfs_->randomness(header_.salt);
  uint8_t bytes[kWalHeaderSize];
  store_be32(bytes, kWalMagic | (kBigEndian ? 1 : 0));
  store_be32(bytes + kWalHeaderVersion, kWalFormatVersion);
  store_be32(bytes + kWalHeaderPageSize, page_size);
  store_be32(bytes + kWalHeaderSequence, sequence_);
  std::memcpy(bytes + kWalHeaderSalt, header_.salt, kWalSaltSize);
  WalChecksum sum = wal_checksum({}, bytes, kWalHeaderChecksum, false);
  store_be32(bytes + kWalHeaderChecksum, sum.s0);
  store_be32(bytes + kWalHeaderChecksum + 4, sum.s1);
  header_.big_endian_checksums = kBigEndian;
  header_.frame_checksum[0] = sum.s0;
  header_.frame_checksum[1] = sum.s1;
  GW_ASSIGN(uint64_t old_size, file_->size());
  GW_TRY(file_->write(0, bytes));
  cut_due_ = old_size > 0;
  // If new frames reached the disk before the new header, the old header would make the rest of
  // the old frames valid again, and a recovery would bring back old contents of pages. Where there
  // are no old frames there is no danger.
  return sync && old_size > 0 ? file_->sync(SyncMode::kDataOnly) : Status();
}

Status Wal::append(std::span<const WalPage> pages, uint32_t page_count, uint32_t page_size,
                   bool sync) {
  GW_ASSERT(write_locked_ && !pages.empty());
  if (header_.frame_count == 0) GW_TRY(write_header(page_size, sync));
  bool swap = checksum_needs_swap(header_.big_endian_checksums != 0);
  WalChecksum sum{header_.frame_checksum[0], header_.frame_checksum[1]};
  frame_headers_.resize(pages.size() * kFrameHeaderSize);
  pieces_.clear();
  for (size_t i = 0; i < pages.size(); ++i) {
    uint8_t* frame = &frame_headers_[i * kFrameHeaderSize];
    store_be32(frame, pages[i].number);
    store_be32(frame + kFramePageCount, i + 1 == pages.size() ? page_count : 0);
    std::memcpy(frame + kFrameSalt, header_.salt, kWalSaltSize);
    sum = wal_checksum(sum, frame, kFrameChecksummed, swap);
    sum = wal_checksum(sum, pages[i].data, page_size, swap);
    store_be32(frame + kFrameChecksum, sum.s0);
    store_be32(frame + kFrameChecksum + 4, sum.s1);
    pieces_.emplace_back(frame, kFrameHeaderSize);
    pieces_.emplace_back(pages[i].data, page_size);
  }
  uint32_t frame = header_.frame_count;
  if (frame > frames_in_file_) {
    // A frame count that others have written, or that is damaged.
    GW_ASSIGN(uint64_t size, file_->size());
    if (size < frame_offset(frame, page_size) + kFrameHeaderSize + page_size) {
      return corrupt("WAL is shorter than its index says");
    }
  }
  frames_in_file_ = 0;
  if (page_count != 0) unpublished_page_size_ = page_size;
  GW_TRY(file_->write_vectored(frame_offset(frame + 1, page_size), pieces_));
  for (const WalPage& page : pages) GW_TRY(index_.append(++frame, page.number));
  header_.frame_count = frames_in_file_ = frame;
  header_.frame_checksum[0] = sum.s0;
  header_.frame_checksum[1] = sum.s1;
  header_.page_size_code = static_cast<uint16_t>(page_size == 65536 ? 1 : page_size);
  if (page_count != 0) {
    header_.page_count = page_count;
    ++header_.change;
  }
  return {};
}

void Wal::publish() {
  index_.store_header(&header_);
  unpublished_page_size_ = 0;
  written_ = header_;
  if (!cut_due_) return;
  cut_due_ = false;
  if (size_limit_ < 0) return;
  // What is beyond the commit belongs to frames of before the restart, which are in the database.
  uint64_t used = frame_offset(header_.frame_count + 1, header_.page_size());
  uint64_t wanted = std::max(used, static_cast<uint64_t>(size_limit_));
  auto size = file_->size();
  if (size.ok() && *size > wanted) (void)file_->truncate(wanted);
}

}  // namespace godwit
