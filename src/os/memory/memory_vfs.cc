#include "os/memory/memory_vfs.h"

#include <algorithm>
#include <atomic>

#include "base/assert.h"

namespace godwit {

// Guarded by MemoryVfs::mutex_.
struct MemoryFileState {
  uint64_t serial = 0;
  std::vector<uint8_t> bytes;

  // Database locks: who holds them. A holder of kExclusive is counted in `shared` too.
  int shared = 0;
  const File* reserved = nullptr;
  const File* pending = nullptr;
  const File* exclusive = nullptr;

  int shm_users = 0;
  std::vector<std::unique_ptr<uint8_t[]>> shm_regions;
  int shm_shared[kShmLockCount] = {};
  const File* shm_exclusive[kShmLockCount] = {};
};

class MemoryFile : public File {
 public:
  MemoryFile(MemoryVfs* vfs, std::shared_ptr<MemoryFileState> state, bool read_only,
             std::string path_to_delete)
      : vfs_(vfs),
        state_(std::move(state)),
        read_only_(read_only),
        path_to_delete_(std::move(path_to_delete)) {}
  ~MemoryFile() override;

  Result<size_t> read(uint64_t offset, MutableByteSpan out) override;
  Status write(uint64_t offset, ByteSpan bytes) override;
  Status write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) override;
  Status truncate(uint64_t size) override;
  Status sync(SyncMode) override { return {}; }
  Result<uint64_t> size() override;
  Status lock(LockLevel level) override;
  Status unlock(LockLevel level) override;
  LockLevel lock_level() const override { return lock_level_; }
  Result<bool> is_reserved() override;
  Result<volatile uint8_t*> shm_map(uint32_t index, bool extend) override;
  Status shm_lock(int first, int count, ShmLockMode mode) override;
  void shm_unlock(int first, int count) override;
  void shm_unmap(bool remove) override;
  FileIdentity identity() const override {
    return {reinterpret_cast<uintptr_t>(vfs_), state_->serial};
  }
  bool is_read_only() const override { return read_only_; }

 private:
  void write_locked(uint64_t offset, ByteSpan bytes);

  MemoryVfs* vfs_;
  std::shared_ptr<MemoryFileState> state_;
  bool read_only_;
  std::string path_to_delete_;
  LockLevel lock_level_ = LockLevel::kNone;
  bool uses_shm_ = false;
  uint8_t shm_shared_mask_ = 0;
  uint8_t shm_exclusive_mask_ = 0;
};

MemoryFile::~MemoryFile() {
  shm_unmap(false);
  (void)unlock(LockLevel::kNone);
  if (!path_to_delete_.empty()) (void)vfs_->remove(path_to_delete_, false);
}

Result<size_t> MemoryFile::read(uint64_t offset, MutableByteSpan out) {
  std::lock_guard guard(vfs_->mutex_);
  const std::vector<uint8_t>& bytes = state_->bytes;
  if (offset >= bytes.size()) return size_t{0};
  size_t n = std::min<size_t>(out.size(), bytes.size() - offset);
  if (n > 0) std::memcpy(out.data(), bytes.data() + offset, n);
  return n;
}

void MemoryFile::write_locked(uint64_t offset, ByteSpan bytes) {
  if (bytes.empty()) return;
  if (state_->bytes.size() < offset + bytes.size()) state_->bytes.resize(offset + bytes.size());
  std::memcpy(state_->bytes.data() + offset, bytes.data(), bytes.size());
}

Status MemoryFile::write(uint64_t offset, ByteSpan bytes) {
  return write_vectored(offset, {&bytes, 1});
}

Status MemoryFile::write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) {
  std::lock_guard guard(vfs_->mutex_);
  if (read_only_) return Status(code::kIoErrWrite);
  for (ByteSpan piece : pieces) {
    write_locked(offset, piece);
    offset += piece.size();
  }
  return {};
}

Status MemoryFile::truncate(uint64_t size) {
  std::lock_guard guard(vfs_->mutex_);
  state_->bytes.resize(size);
  return {};
}

Result<uint64_t> MemoryFile::size() {
  std::lock_guard guard(vfs_->mutex_);
  return uint64_t{state_->bytes.size()};
}

Status MemoryFile::lock(LockLevel level) {
  std::lock_guard guard(vfs_->mutex_);
  MemoryFileState& s = *state_;
  if (level <= lock_level_) return {};
  if (level == LockLevel::kShared) {
    if (s.pending != nullptr || s.exclusive != nullptr) return Status(code::kBusy);
    ++s.shared;
  } else if (level == LockLevel::kReserved) {
    if (s.reserved != nullptr) return Status(code::kBusy);
    s.reserved = this;
  } else {
    GW_ASSERT(level == LockLevel::kExclusive && lock_level_ >= LockLevel::kShared);
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

Status MemoryFile::unlock(LockLevel level) {
  std::lock_guard guard(vfs_->mutex_);
  MemoryFileState& s = *state_;
  if (level >= lock_level_) return {};
  if (s.reserved == this) s.reserved = nullptr;
  if (s.pending == this) s.pending = nullptr;
  if (s.exclusive == this) s.exclusive = nullptr;
  if (level == LockLevel::kNone) --s.shared;
  lock_level_ = level;
  return {};
}

Result<bool> MemoryFile::is_reserved() {
  std::lock_guard guard(vfs_->mutex_);
  return state_->reserved != nullptr;
}

Result<volatile uint8_t*> MemoryFile::shm_map(uint32_t index, bool extend) {
  std::lock_guard guard(vfs_->mutex_);
  MemoryFileState& s = *state_;
  if (!uses_shm_) {
    uses_shm_ = true;
    if (s.shm_users++ == 0) s.shm_regions.clear();
  }
  if (index >= s.shm_regions.size() && !extend) return static_cast<volatile uint8_t*>(nullptr);
  while (s.shm_regions.size() <= index) {
    s.shm_regions.push_back(std::make_unique<uint8_t[]>(kShmRegionSize));
  }
  return static_cast<volatile uint8_t*>(s.shm_regions[index].get());
}

Status MemoryFile::shm_lock(int first, int count, ShmLockMode mode) {
  std::lock_guard guard(vfs_->mutex_);
  MemoryFileState& s = *state_;
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

void MemoryFile::shm_unlock(int first, int count) {
  std::lock_guard guard(vfs_->mutex_);
  for (int i = first; i < first + count; ++i) {
    uint8_t bit = static_cast<uint8_t>(1 << i);
    if ((shm_shared_mask_ & bit) != 0) --state_->shm_shared[i];
    if ((shm_exclusive_mask_ & bit) != 0) state_->shm_exclusive[i] = nullptr;
    shm_shared_mask_ &= static_cast<uint8_t>(~bit);
    shm_exclusive_mask_ &= static_cast<uint8_t>(~bit);
  }
}

void MemoryFile::shm_unmap(bool) {
  shm_unlock(0, kShmLockCount);
  std::lock_guard guard(vfs_->mutex_);
  if (uses_shm_ && --state_->shm_users == 0) state_->shm_regions.clear();
  uses_shm_ = false;
}

MemoryVfs::MemoryVfs() = default;
MemoryVfs::~MemoryVfs() = default;

Result<std::unique_ptr<File>> MemoryVfs::open(const std::string& path, const OpenOptions& options) {
  std::lock_guard guard(mutex_);
  static std::atomic<uint64_t> next_serial{1};
  if (path.empty() && options.kind == FileKind::kTemporary) {
    auto unnamed = std::make_shared<MemoryFileState>();
    unnamed->serial = next_serial++;
    return std::unique_ptr<File>(new MemoryFile(this, std::move(unnamed), false, std::string()));
  }
  auto found = files_.find(path);
  if (found == files_.end()) {
    if (!options.create || options.read_only) return Status(code::kCantOpen);
    auto state = std::make_shared<MemoryFileState>();
    state->serial = next_serial++;
    found = files_.emplace(path, std::move(state)).first;
  } else if (options.create && options.exclusive) {
    return Status(code::kCantOpen);
  }
  return std::unique_ptr<File>(new MemoryFile(this, found->second, options.read_only,
                                              options.delete_on_close ? path : std::string()));
}

Status MemoryVfs::remove(const std::string& path, bool) {
  std::lock_guard guard(mutex_);
  return files_.erase(path) > 0 ? Status() : Status(code::kIoErrDeleteNoEnt);
}

Result<bool> MemoryVfs::exists(const std::string& path) {
  std::lock_guard guard(mutex_);
  auto found = files_.find(path);
  return found != files_.end() && !found->second->bytes.empty();
}

Result<std::string> MemoryVfs::full_path(const std::string& path) {
  return !path.empty() && path[0] == '/' ? path : "/" + path;
}

void MemoryVfs::randomness(MutableByteSpan out) {
  default_vfs()->randomness(out);
}
void MemoryVfs::sleep_us(uint64_t microseconds) {
  default_vfs()->sleep_us(microseconds);
}
int64_t MemoryVfs::current_time_ms() {
  return default_vfs()->current_time_ms();
}

std::vector<uint8_t> MemoryVfs::content(const std::string& path) {
  std::lock_guard guard(mutex_);
  auto found = files_.find(path);
  return found == files_.end() ? std::vector<uint8_t>() : found->second->bytes;
}

void MemoryVfs::set_content(const std::string& path, ByteSpan bytes) {
  OpenOptions options;
  options.create = true;
  auto file = open(path, options);
  std::lock_guard guard(mutex_);
  files_.at(path)->bytes.assign(bytes.begin(), bytes.end());
}

}  // namespace godwit
