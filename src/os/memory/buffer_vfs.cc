#include "os/memory/buffer_vfs.h"

#include <algorithm>
#include <cstring>

namespace godwit {

namespace {

// Of one connection alone: locks exclude nobody.
class BufferFile final : public File {
 public:
  BufferFile(MemoryBuffer* buffer, const void* vfs) : buffer_(buffer), vfs_(vfs) {}

  Result<size_t> read(uint64_t offset, MutableByteSpan out) override {
    if (offset >= buffer_->size) return size_t{0};
    size_t n = static_cast<size_t>(std::min<uint64_t>(out.size(), buffer_->size - offset));
    std::memcpy(out.data(), buffer_->data + offset, n);
    return n;
  }

  Status write(uint64_t offset, ByteSpan bytes) override {
    return write_vectored(offset, {&bytes, 1});
  }

  Status write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) override {
    if (buffer_->read_only) return Status(code::kIoErrWrite);
    for (ByteSpan piece : pieces) {
      if (piece.empty()) continue;
      GW_TRY(reserve(offset + piece.size()));
      if (offset > buffer_->size) {
        std::memset(buffer_->data + buffer_->size, 0, offset - buffer_->size);
      }
      std::memcpy(buffer_->data + offset, piece.data(), piece.size());
      offset += piece.size();
      buffer_->size = std::max(buffer_->size, offset);
    }
    return {};
  }

  Status truncate(uint64_t size) override {
    buffer_->size = std::min(buffer_->size, size);
    return {};
  }
  Status sync(SyncMode) override { return {}; }
  Result<uint64_t> size() override { return buffer_->size; }

  Status lock(LockLevel level) override {
    lock_level_ = std::max(lock_level_, level);
    return {};
  }
  Status unlock(LockLevel level) override {
    lock_level_ = std::min(lock_level_, level);
    return {};
  }
  LockLevel lock_level() const override { return lock_level_; }
  Result<bool> is_reserved() override { return lock_level_ >= LockLevel::kReserved; }

  Result<volatile uint8_t*> shm_map(uint32_t, bool) override { return Status(code::kCantOpen); }
  Status shm_lock(int, int, ShmLockMode) override { return Status(code::kCantOpen); }
  void shm_unlock(int, int) override {}
  void shm_unmap(bool) override {}
  bool has_shm() const override { return false; }

  FileIdentity identity() const override { return {reinterpret_cast<uintptr_t>(vfs_), 0}; }
  bool is_read_only() const override { return buffer_->read_only; }

 private:
  Status reserve(uint64_t bytes) {
    if (bytes <= buffer_->capacity) return {};
    if (buffer_->resize == nullptr || bytes > buffer_->size_limit) return Status(code::kFull);
    uint64_t wanted = std::min(2 * bytes, buffer_->size_limit);
    void* grown = buffer_->resize(buffer_->data, wanted);
    if (grown == nullptr) return Status::no_memory();
    buffer_->data = static_cast<uint8_t*>(grown);
    buffer_->capacity = wanted;
    return {};
  }

  MemoryBuffer* buffer_;
  const void* vfs_;
  LockLevel lock_level_ = LockLevel::kNone;
};

}  // namespace

BufferVfs::BufferVfs(MemoryBuffer buffer) : buffer_(buffer) {}

BufferVfs::~BufferVfs() {
  if (buffer_.release != nullptr) buffer_.release(buffer_.data);
}

Result<std::unique_ptr<File>> BufferVfs::open(const std::string& path, const OpenOptions& options) {
  if (path == kPath) return std::unique_ptr<File>(new BufferFile(&buffer_, this));
  if (options.kind == FileKind::kWal) return Status(code::kCantOpen);
  return MemoryVfs::open(path, options);
}

}  // namespace godwit
