#include "os/posix/posix_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/assert.h"
#include "os/posix/byte_range_lock.h"
#include "os/posix/posix_vfs.h"

namespace godwit {
namespace {

Status write_error(int error) {
  return Status(error == ENOSPC || error == EDQUOT ? code::kFull : code::kIoErrWrite);
}

Status lock_error(int error, int io_code) {
  if (is_lock_conflict(error) || error == ETIMEDOUT || error == EBUSY || error == ENOLCK) {
    return Status(code::kBusy);
  }
  return Status(error == EPERM ? code::kPerm : io_code);
}

}  // namespace

PosixFile::PosixFile(int descriptor, Attributes attributes)
    : descriptor_(descriptor), attributes_(std::move(attributes)) {}

PosixFile::~PosixFile() {
  shm_.reset();
  close(descriptor_);
  if (attributes_.delete_on_close) unlink(attributes_.path.c_str());
}

Result<size_t> PosixFile::read(uint64_t offset, MutableByteSpan out) {
  size_t done = 0;
  while (done < out.size()) {
    ssize_t n =
        pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      return Status(errno == ERANGE || errno == EIO || errno == ENXIO ? code::kIoErrCorruptFs
                                                                      : code::kIoErrRead);
    }
    done += static_cast<size_t>(n);
  }
  return done;
}

Status PosixFile::write(uint64_t offset, ByteSpan bytes) {
  while (!bytes.empty()) {
    ssize_t n = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return write_error(errno);
    }
    if (n == 0) return Status(code::kFull);
    offset += static_cast<uint64_t>(n);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

Status PosixFile::write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) {
  constexpr size_t kBatchMax = std::min(IOV_MAX, 256);
  iovec vectors[kBatchMax];
  size_t skip = 0;  // bytes of pieces[0] already written
  while (!pieces.empty()) {
    size_t count = std::min(pieces.size(), kBatchMax);
    for (size_t i = 0; i < count; ++i) {
      vectors[i].iov_base = const_cast<uint8_t*>(pieces[i].data());
      vectors[i].iov_len = pieces[i].size();
    }
    vectors[0].iov_base = static_cast<uint8_t*>(vectors[0].iov_base) + skip;
    vectors[0].iov_len -= skip;
    ssize_t n = pwritev(descriptor_, vectors, static_cast<int>(count), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return write_error(errno);
    }
    if (n == 0) return Status(code::kFull);
    offset += static_cast<uint64_t>(n);
    size_t rest = skip + static_cast<size_t>(n);
    while (!pieces.empty() && rest >= pieces[0].size()) {
      rest -= pieces[0].size();
      pieces = pieces.subspan(1);
    }
    skip = rest;
  }
  return {};
}

bool PosixFile::has_moved() const {
  struct stat info;
  return stat(attributes_.path.c_str(), &info) != 0 ||
         FileIdentity{info.st_dev, info.st_ino} != attributes_.identity;
}

Status PosixFile::truncate(uint64_t size) {
  while (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    if (errno != EINTR) return Status(code::kIoErrTruncate);
  }
  return {};
}

Status PosixFile::sync(SyncMode mode) {
  // The size of the file is metadata that fdatasync() flushes too, when it changed.
  int failed = mode == SyncMode::kDataOnly ? fdatasync(descriptor_) : fsync(descriptor_);
  if (failed != 0) return Status(code::kIoErrFsync);
  if (attributes_.sync_directory) {
    GW_TRY(sync_directory_of(attributes_.path));
    attributes_.sync_directory = false;  // if it fails, the next sync tries again
  }
  return {};
}

Result<uint64_t> PosixFile::size() {
  struct stat info;
  if (fstat(descriptor_, &info) != 0) return Status(code::kIoErrFstat);
  return static_cast<uint64_t>(info.st_size);
}

Status PosixFile::lock(LockLevel level) {
  if (level <= lock_level_) return {};
  if (attributes_.no_lock) {
    lock_level_ = level;
    return {};
  }
  switch (level) {
    case LockLevel::kShared:
      return lock_shared();
    case LockLevel::kReserved: {
      GW_ASSERT(lock_level_ == LockLevel::kShared);
      int error = set_range_lock(descriptor_, RangeLock::kWrite, kReservedByte, 1);
      if (error != 0) return lock_error(error, code::kIoErrLock);
      lock_level_ = LockLevel::kReserved;
      return {};
    }
    default:
      GW_ASSERT(level == LockLevel::kExclusive && lock_level_ >= LockLevel::kShared);
      return lock_exclusive();
  }
}

Status PosixFile::lock_shared() {
  // The pending byte is passed through like a turnstile: who holds it keeps new readers out.
  int error = set_range_lock(descriptor_, RangeLock::kRead, kPendingByte, 1);
  if (error != 0) return lock_error(error, code::kIoErrLock);
  error = set_range_lock(descriptor_, RangeLock::kRead, kSharedFirst, kSharedSize);
  int unlock_failed = set_range_lock(descriptor_, RangeLock::kUnlock, kPendingByte, 1);
  if (error != 0) return lock_error(error, code::kIoErrLock);
  if (unlock_failed != 0) return Status(code::kIoErrUnlock);
  lock_level_ = LockLevel::kShared;
  return {};
}

Status PosixFile::lock_exclusive() {
  if (lock_level_ < LockLevel::kPending) {
    int error = set_range_lock(descriptor_, RangeLock::kWrite, kPendingByte, 1);
    if (error != 0) return lock_error(error, code::kIoErrLock);
    // Without the reserved byte (recovery of a hot journal) a failure must not leave PENDING
    // behind: nobody would lower it again.
    if (lock_level_ == LockLevel::kReserved) lock_level_ = LockLevel::kPending;
  }
  int error = set_range_lock(descriptor_, RangeLock::kWrite, kSharedFirst, kSharedSize);
  if (error != 0) {
    if (lock_level_ == LockLevel::kShared) {
      set_range_lock(descriptor_, RangeLock::kUnlock, kPendingByte, 1);
    }
    return lock_error(error, code::kIoErrLock);
  }
  lock_level_ = LockLevel::kExclusive;
  return {};
}

Status PosixFile::unlock(LockLevel level) {
  GW_ASSERT(level <= LockLevel::kShared);
  if (level >= lock_level_) return {};
  if (attributes_.no_lock) {
    lock_level_ = level;
    return {};
  }
  if (level == LockLevel::kShared) {
    if (lock_level_ == LockLevel::kExclusive &&
        set_range_lock(descriptor_, RangeLock::kRead, kSharedFirst, kSharedSize) != 0) {
      return Status(code::kIoErrRdLock);
    }
    if (set_range_lock(descriptor_, RangeLock::kUnlock, kPendingByte, 2) != 0) {
      return Status(code::kIoErrUnlock);
    }
  } else if (set_range_lock(descriptor_, RangeLock::kUnlock, kPendingByte, 2 + kSharedSize) != 0) {
    return Status(code::kIoErrUnlock);
  }
  lock_level_ = level;
  return {};
}

Result<bool> PosixFile::is_reserved() {
  if (lock_level_ >= LockLevel::kReserved) return true;
  if (attributes_.no_lock) return false;
  RangeLock holder;
  if (query_range_lock(descriptor_, kReservedByte, 1, &holder) != 0) {
    return Status(code::kIoErrCheckReservedLock);
  }
  return holder != RangeLock::kUnlock;
}

Result<volatile uint8_t*> PosixFile::shm_map(uint32_t index, bool extend) {
  if (attributes_.no_lock) return Status(code::kCantOpen);
  if (!shm_) {
    GW_ASSIGN(shm_, PosixShm::open(attributes_.path, descriptor_));
  }
  return shm_->map(index, extend);
}

Status PosixFile::shm_lock(int first, int count, ShmLockMode mode) {
  GW_ASSERT(shm_ != nullptr);
  return shm_->lock(first, count, mode);
}

void PosixFile::shm_unlock(int first, int count) {
  if (shm_) shm_->unlock(first, count);
}

void PosixFile::shm_unmap(bool remove) {
  if (shm_ && remove) shm_->remove_file();
  shm_.reset();
}

}  // namespace godwit
