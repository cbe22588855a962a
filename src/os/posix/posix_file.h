// A file of a POSIX system, with byte-range locks owned by its open file description
// (F_OFD_SETLK): they conflict with the process-owned locks of C SQLite, with those of other Files
// in this process, and do not vanish when somebody closes another descriptor of the same file.
#pragma once

#include <string>

#include "os/posix/posix_shm.h"
#include "os/vfs.h"

namespace godwit {

class PosixFile : public File {
 public:
  struct Attributes {
    std::string path;
    FileIdentity identity;
    bool read_only = false;
    bool delete_on_close = false;
    bool no_lock = false;
    bool sync_directory = false;  // at the first sync()
  };
  PosixFile(int descriptor, Attributes attributes);
  ~PosixFile() override;

  Result<size_t> read(uint64_t offset, MutableByteSpan out) override;
  Status write(uint64_t offset, ByteSpan bytes) override;
  Status write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) override;
  Status truncate(uint64_t size) override;
  Status sync(SyncMode mode) override;
  Result<uint64_t> size() override;

  Status lock(LockLevel level) override;
  Status unlock(LockLevel level) override;
  LockLevel lock_level() const override { return lock_level_; }
  Result<bool> is_reserved() override;

  Result<volatile uint8_t*> shm_map(uint32_t index, bool extend) override;
  Status shm_lock(int first, int count, ShmLockMode mode) override;
  void shm_unlock(int first, int count) override;
  void shm_unmap(bool remove) override;
  std::vector<int64_t> shm_lock_holders(int slot) override {
    return shm_ ? shm_->lock_holders(slot) : std::vector<int64_t>();
  }
  bool shm_is_read_only() const override { return shm_ && shm_->is_read_only(); }

  FileIdentity identity() const override { return attributes_.identity; }
  bool has_moved() const override;
  bool is_read_only() const override { return attributes_.read_only; }
  bool has_shm() const override { return !attributes_.no_lock; }

 private:
  Status lock_shared();
  Status lock_exclusive();

  int descriptor_;
  Attributes attributes_;
  LockLevel lock_level_ = LockLevel::kNone;
  std::unique_ptr<PosixShm> shm_;
};

}  // namespace godwit
