#include "tests/sim/sim_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace godwit::sim {

SimFile::SimFile(SimProcess* process, std::shared_ptr<Inode> inode, std::string path,
                 const OpenOptions& options)
    : process_(process),
      inode_(std::move(inode)),
      path_(std::move(path)),
      kind_(options.kind),
      read_only_(options.read_only),
      delete_on_close_(options.delete_on_close),
      sync_directory_(options.create &&
                      (kind_ == FileKind::kMainJournal || kind_ == FileKind::kSuperJournal ||
                       kind_ == FileKind::kWal)) {
  process_->files_.insert(this);
}

SimFile::~SimFile() {
  if (!process_->is_dead()) release_held_writes();
  shm_unmap(false);
  if (!process_->is_dead()) drop_locks();
  process_->files_.erase(this);
  if (delete_on_close_ && !process_->is_dead()) process_->machine_->disk.remove(path_);
}

Result<size_t> SimFile::read(uint64_t offset, MutableByteSpan out) {
  GW_TRY(process_->enter(SimProcess::Call::kRead, code::kIoErrRead));
  const std::vector<uint8_t>& bytes = inode_->bytes;
  if (offset >= bytes.size()) return size_t{0};
  size_t n = std::min<size_t>(out.size(), bytes.size() - offset);
  if (n > 0) std::memcpy(out.data(), bytes.data() + offset, n);
  return n;
}

// A call that fails or dies halfway has written some of its bytes.
Status SimFile::write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) {
  Machine& machine = *process_->machine_;
  bool was_dead = process_->is_dead();
  Status status = process_->enter(SimProcess::Call::kChange, code::kIoErrWrite);
  if (was_dead || read_only_) return Status(code::kIoErrWrite);
  uint64_t total = 0;
  for (ByteSpan piece : pieces) total += piece.size();
  uint64_t allowed = status.ok() ? total : machine.prng.below(total + 1);
  uint64_t grows_to = std::max<uint64_t>(inode_->bytes.size(), offset + total);
  if (status.ok() && machine.capacity != 0 &&
      machine.disk.used_bytes() + grows_to - inode_->bytes.size() > machine.capacity) {
    status = Status(code::kFull);
    allowed = machine.prng.below(total + 1);
  }
  for (ByteSpan piece : pieces) {
    piece = piece.first(std::min<uint64_t>(piece.size(), allowed));
    allowed -= piece.size();
    if (piece.empty()) continue;
    if (holds_writes_back()) {
      held_.push_back({offset, {piece.begin(), piece.end()}});
    } else {
      inode_->write(offset, piece);
    }
    offset += piece.size();
  }
  return status;
}

bool SimFile::holds_writes_back() const {
  return process_->machine_->bug == Bug::kJournalAfterDatabase && kind_ == FileKind::kMainJournal;
}

void SimFile::release_held_writes() {
  for (const HeldWrite& write : held_) inode_->write(write.offset, write.bytes);
  held_.clear();
}

Status SimFile::truncate(uint64_t size) {
  GW_TRY(process_->enter(SimProcess::Call::kChange, code::kIoErrTruncate));
  release_held_writes();
  inode_->truncate(size);
  return {};
}

Status SimFile::sync(SyncMode) {
  GW_TRY(process_->enter(SimProcess::Call::kChange, code::kIoErrFsync));
  Bug bug = process_->machine_->bug;
  bool ignored = (bug == Bug::kNoJournalSync && kind_ == FileKind::kMainJournal) ||
                 (bug == Bug::kNoDatabaseSync && kind_ == FileKind::kMainDb) ||
                 (bug == Bug::kNoWalSync && kind_ == FileKind::kWal);
  if (!ignored) inode_->sync();
  if (bug == Bug::kJournalAfterDatabase && kind_ == FileKind::kMainDb) {
    for (SimFile* file : process_->files_) {
      if (file->path_ != path_ + "-journal" || file->held_.empty()) continue;
      file->release_held_writes();
      file->inode_->sync();
    }
  }
  if (!sync_directory_) return {};
  GW_TRY(process_->sync_directory());
  sync_directory_ = false;
  return {};
}

Result<uint64_t> SimFile::size() {
  GW_TRY(process_->enter(SimProcess::Call::kRead, code::kIoErrFstat));
  return uint64_t{inode_->bytes.size()};
}

Status SimFile::lock(LockLevel level) {
  if (level <= lock_level_) return {};
  GW_TRY(process_->enter(SimProcess::Call::kRead, code::kIoErrLock));
  Inode& s = *inode_;
  if (level == LockLevel::kShared) {
    if (s.pending != nullptr || s.exclusive != nullptr) return Status(code::kBusy);
    ++s.shared;
  } else if (level == LockLevel::kReserved) {
    if (s.reserved != nullptr) return Status(code::kBusy);
    s.reserved = this;
  } else {
    if (s.pending != nullptr && s.pending != this) return Status(code::kBusy);
    bool alone = s.shared == 1;
    if (!alone && lock_level_ < LockLevel::kReserved) return Status(code::kBusy);
    s.pending = this;
    if (!alone) {
      lock_level_ = LockLevel::kPending;
      return Status(code::kBusy);
    }
    s.exclusive = this;
  }
  lock_level_ = level;
  return {};
}

Status SimFile::unlock(LockLevel level) {
  if (level >= lock_level_) return {};
  if (!process_->is_dead()) {
    Inode& s = *inode_;
    if (s.reserved == this) s.reserved = nullptr;
    if (s.pending == this) s.pending = nullptr;
    if (s.exclusive == this) s.exclusive = nullptr;
    if (level == LockLevel::kNone) --s.shared;
  }
  lock_level_ = level;
  return {};
}

// At the end of the process or of the file. lock_level_ stays as the program knows it.
void SimFile::drop_locks() {
  Inode& s = *inode_;
  if (s.reserved == this) s.reserved = nullptr;
  if (s.pending == this) s.pending = nullptr;
  if (s.exclusive == this) s.exclusive = nullptr;
  if (lock_level_ != LockLevel::kNone) --s.shared;
}

Result<bool> SimFile::is_reserved() {
  GW_TRY(process_->enter(SimProcess::Call::kRead, code::kIoErrCheckReservedLock));
  return inode_->reserved != nullptr;
}

Result<volatile uint8_t*> SimFile::shm_map(uint32_t index, bool extend) {
  GW_TRY(process_->enter(SimProcess::Call::kRead, code::kIoErrShmMap));
  Inode& s = *inode_;
  if (!uses_shm_) {
    uses_shm_ = true;
    if (s.shm_descriptor < 0) s.shm_descriptor = memfd_create("sim-shm", MFD_CLOEXEC);
    if (s.shm_users++ == 0) {
      s.shm_regions = 0;
      if (ftruncate(s.shm_descriptor, 0) != 0) std::abort();
    }
  }
  if (index >= s.shm_regions) {
    if (!extend) return static_cast<volatile uint8_t*>(nullptr);
    s.shm_regions = index + 1;
    if (ftruncate(s.shm_descriptor, off_t{s.shm_regions} * kShmRegionSize) != 0) std::abort();
  }
  while (mappings_.size() <= index) {
    void* view = mmap(nullptr, kShmRegionSize, PROT_READ | PROT_WRITE, MAP_SHARED, s.shm_descriptor,
                      static_cast<off_t>(mappings_.size() * kShmRegionSize));
    if (view == MAP_FAILED) std::abort();
    mappings_.push_back(static_cast<uint8_t*>(view));
  }
  return static_cast<volatile uint8_t*>(mappings_[index]);
}

Status SimFile::shm_lock(int first, int count, ShmLockMode mode) {
  GW_TRY(process_->enter(SimProcess::Call::kRead, code::kIoErrShmLock));
  Inode& s = *inode_;
  for (int i = first; i < first + count; ++i) {
    int own = shm_shared_mask_ >> i & 1;
    if (s.shm_exclusive[i] != nullptr && s.shm_exclusive[i] != this) return Status(code::kBusy);
    if (mode == ShmLockMode::kExclusive && s.shm_shared[i] > own) return Status(code::kBusy);
  }
  for (int i = first; i < first + count; ++i) {
    uint8_t bit = static_cast<uint8_t>(1 << i);
    if (mode == ShmLockMode::kShared) {
      if ((shm_shared_mask_ & bit) == 0) ++s.shm_shared[i];
      shm_shared_mask_ |= bit;
    } else {
      s.shm_exclusive[i] = this;
      shm_exclusive_mask_ |= bit;
    }
  }
  return {};
}

void SimFile::shm_unlock(int first, int count) {
  if (process_->is_dead()) return;
  for (int i = first; i < first + count; ++i) {
    uint8_t bit = static_cast<uint8_t>(1 << i);
    if ((shm_shared_mask_ & bit) != 0) --inode_->shm_shared[i];
    if ((shm_exclusive_mask_ & bit) != 0) inode_->shm_exclusive[i] = nullptr;
    shm_shared_mask_ &= static_cast<uint8_t>(~bit);
    shm_exclusive_mask_ &= static_cast<uint8_t>(~bit);
  }
}

// A point between two writes to shared memory: the process may die here.
void SimFile::shm_barrier() { (void)process_->enter(SimProcess::Call::kBarrier, code::kIoErr); }

void SimFile::drop_shm_locks() {
  for (int i = 0; i < kShmLockCount; ++i) {
    if ((shm_shared_mask_ >> i & 1) != 0) --inode_->shm_shared[i];
    if ((shm_exclusive_mask_ >> i & 1) != 0) inode_->shm_exclusive[i] = nullptr;
  }
  shm_shared_mask_ = shm_exclusive_mask_ = 0;
  if (uses_shm_) --inode_->shm_users;
  uses_shm_ = false;
}

// What a dead process writes to its mappings is seen by nobody.
void SimFile::isolate_mappings() {
  for (uint8_t* mapping : mappings_) {
    std::vector<uint8_t> copy(mapping, mapping + kShmRegionSize);
    void* view = mmap(mapping, kShmRegionSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (view == MAP_FAILED) std::abort();
    std::memcpy(mapping, copy.data(), kShmRegionSize);
  }
}

void SimFile::shm_unmap(bool) {
  drop_shm_locks();
  for (uint8_t* mapping : mappings_) munmap(mapping, kShmRegionSize);
  mappings_.clear();
}

}  // namespace godwit::sim
