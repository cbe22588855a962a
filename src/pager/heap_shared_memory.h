// The WAL index of a connection that has the database to itself (PRAGMA locking_mode = EXCLUSIVE before
// the WAL is opened): in memory of its own, without a file and without locks. Stands where the database's
// File stands for all that concerns shared memory, and for nothing else.
#pragma once

#include <memory>
#include <vector>

#include "os/vfs.h"

namespace godwit {

class HeapSharedMemory : public File {
 public:
  explicit HeapSharedMemory(FileIdentity identity) : identity_(identity) {}

  Result<volatile uint8_t*> shm_map(uint32_t index, bool extend) override {
    while (extend && regions_.size() <= index) {
      regions_.push_back(std::make_unique<uint32_t[]>(kShmRegionSize / sizeof(uint32_t)));
    }
    if (regions_.size() <= index) return static_cast<volatile uint8_t*>(nullptr);
    return reinterpret_cast<volatile uint8_t*>(regions_[index].get());
  }
  Status shm_lock(int, int, ShmLockMode) override { return {}; }
  void shm_unlock(int, int) override {}
  void shm_unmap(bool) override { regions_.clear(); }
  FileIdentity identity() const override { return identity_; }

  Result<size_t> read(uint64_t, MutableByteSpan) override { return Status(code::kIoErrRead); }
  Status write(uint64_t, ByteSpan) override { return Status(code::kIoErrWrite); }
  Status write_vectored(uint64_t, std::span<const ByteSpan>) override { return Status(code::kIoErrWrite); }
  Status truncate(uint64_t) override { return Status(code::kIoErrTruncate); }
  Status sync(SyncMode) override { return Status(code::kIoErrFsync); }
  Result<uint64_t> size() override { return Status(code::kIoErrFstat); }
  Status lock(LockLevel) override { return Status(code::kIoErrLock); }
  Status unlock(LockLevel) override { return Status(code::kIoErrUnlock); }
  LockLevel lock_level() const override { return LockLevel::kNone; }
  Result<bool> is_reserved() override { return Status(code::kIoErrLock); }
  bool is_read_only() const override { return false; }

 private:
  FileIdentity identity_;
  std::vector<std::unique_ptr<uint32_t[]>> regions_;
};

}  // namespace godwit
