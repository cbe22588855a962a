// A file that a simulated process has open.
#pragma once

#include "tests/sim/sim_vfs.h"

namespace godwit::sim {

class SimFile : public File {
 public:
  SimFile(SimProcess* process, std::shared_ptr<Inode> inode, std::string path,
          const OpenOptions& options);
  ~SimFile() override;

  Result<size_t> read(uint64_t offset, MutableByteSpan out) override;
  Status write(uint64_t offset, ByteSpan bytes) override { return write_vectored(offset, {&bytes, 1}); }
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
  void shm_barrier() override;
  void shm_unmap(bool remove) override;

  FileIdentity identity() const override { return {process_->number_, inode_->serial}; }
  bool is_read_only() const override { return read_only_; }

 private:
  friend class SimProcess;
  // A write that a planted bug holds back.
  struct HeldWrite {
    uint64_t offset;
    std::vector<uint8_t> bytes;
  };
  bool holds_writes_back() const;
  void release_held_writes();
  void drop_locks();
  void drop_shm_locks();
  void isolate_mappings();

  SimProcess* process_;
  std::shared_ptr<Inode> inode_;
  std::string path_;
  FileKind kind_;
  bool read_only_;
  bool delete_on_close_;
  bool sync_directory_;  // at the next sync()
  LockLevel lock_level_ = LockLevel::kNone;
  bool uses_shm_ = false;
  uint8_t shm_shared_mask_ = 0;
  uint8_t shm_exclusive_mask_ = 0;
  std::vector<uint8_t*> mappings_;
  std::vector<HeldWrite> held_;
};

}  // namespace godwit::sim
