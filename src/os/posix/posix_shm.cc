#include "os/posix/posix_shm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/posix/byte_range_lock.h"
#include "os/posix/lock_holders.h"

namespace godwit {

Result<std::unique_ptr<PosixShm>> PosixShm::open(const std::string& database_path,
                                                 int database_descriptor) {
  struct stat database;
  if (fstat(database_descriptor, &database) != 0) return Status(code::kIoErrFstat);
  mode_t mode = database.st_mode & 0777;
  std::string path = database_path + "-shm";
  bool read_only = false;
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor >= 0) {
    // The umask must not take away what the database grants; failing to is harmless.
    struct stat info;
    if (fstat(descriptor, &info) == 0 && info.st_size == 0 && (info.st_mode & 0777) != mode) {
      (void)!fchmod(descriptor, mode);
    }
  }
  if (descriptor < 0) {
    descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return Status(code::kCantOpen);
    read_only = true;
  }
  return std::unique_ptr<PosixShm>(new PosixShm(std::move(path), descriptor, read_only));
}

// Takes the read lock on the "open" byte that says: the content is in use.
Status PosixShm::enter() {
  RangeLock holder;
  if (query_range_lock(descriptor_, kShmOpenByte, 1, &holder) != 0) return Status(code::kIoErrLock);
  if (holder == RangeLock::kWrite) return Status(code::kBusy);
  if (holder == RangeLock::kUnlock) {
    if (read_only_) return Status(code::kReadOnlyCantInit);
    int error = set_range_lock(descriptor_, RangeLock::kWrite, kShmOpenByte, 1);
    if (error != 0) return Status(is_lock_conflict(error) ? code::kBusy : code::kIoErrShmLock);
    // Three bytes, not none: shorter than a header, so nobody takes it for valid content, but a
    // process that maps it anyway meets a page, not a bus error.
    if (ftruncate(descriptor_, 3) != 0) return Status(code::kIoErrShmOpen);
  }
  int error = set_range_lock(descriptor_, RangeLock::kRead, kShmOpenByte, 1);
  if (error != 0) return Status(is_lock_conflict(error) ? code::kBusy : code::kIoErrShmLock);
  entered_ = true;
  return {};
}

PosixShm::~PosixShm() {
  for (uint8_t* region : regions_) munmap(region, kShmRegionSize);
  close(descriptor_);
}

Status PosixShm::ensure_size(uint64_t size, bool extend, bool* long_enough) {
  struct stat info;
  if (fstat(descriptor_, &info) != 0) return Status(code::kIoErrShmSize);
  *long_enough = static_cast<uint64_t>(info.st_size) >= size;
  if (*long_enough || !extend || read_only_) return {};
  // Written, not only truncated upwards, so that a full disk shows here and not as a bus error.
  constexpr uint64_t kBlock = 4096;
  for (uint64_t block = static_cast<uint64_t>(info.st_size) / kBlock; block < size / kBlock;
       ++block) {
    ssize_t n;
    do {
      n = pwrite(descriptor_, "", 1, static_cast<off_t>(block * kBlock + kBlock - 1));
    } while (n < 0 && errno == EINTR);
    if (n != 1) return Status(code::kIoErrShmSize);
  }
  *long_enough = true;
  return {};
}

Result<volatile uint8_t*> PosixShm::map(uint32_t index, bool extend) {
  if (!entered_) GW_TRY(enter());
  while (regions_.size() <= index) {
    uint64_t start = regions_.size() * uint64_t{kShmRegionSize};
    bool long_enough;
    GW_TRY(ensure_size(start + kShmRegionSize, extend, &long_enough));
    if (!long_enough) return static_cast<volatile uint8_t*>(nullptr);
    void* view = mmap(nullptr, kShmRegionSize, read_only_ ? PROT_READ : PROT_READ | PROT_WRITE,
                      MAP_SHARED, descriptor_, static_cast<off_t>(start));
    if (view == MAP_FAILED) return Status(code::kIoErrShmMap);
    regions_.push_back(static_cast<uint8_t*>(view));
  }
  return static_cast<volatile uint8_t*>(regions_[index]);
}

Status PosixShm::lock(int first, int count, ShmLockMode mode) {
  int error = set_range_lock(
      descriptor_, mode == ShmLockMode::kShared ? RangeLock::kRead : RangeLock::kWrite,
      kShmLockBase + static_cast<uint64_t>(first), static_cast<uint64_t>(count));
  if (error == 0) return {};
  // A read-only descriptor cannot hold a write lock (EBADF): to the caller, somebody else has it.
  return Status(is_lock_conflict(error) || error == EBADF ? code::kBusy : code::kIoErrShmLock);
}

void PosixShm::unlock(int first, int count) {
  set_range_lock(descriptor_, RangeLock::kUnlock, kShmLockBase + static_cast<uint64_t>(first),
                 static_cast<uint64_t>(count));
}

std::vector<int64_t> PosixShm::lock_holders(int slot) const {
  return find_lock_holders(descriptor_, kShmLockBase + static_cast<uint64_t>(slot));
}

void PosixShm::remove_file() {
  unlink(path_.c_str());
}

}  // namespace godwit
