// One database file in a contiguous piece of memory that the application may have provided
// (sqlite3_deserialize()). Its rollback journal, where one is used, is a memory file too; it cannot
// have a WAL.
#pragma once

#include <memory>

#include "os/memory/memory_vfs.h"

namespace godwit {

struct MemoryBuffer {
  uint8_t* data = nullptr;
  uint64_t size = 0;
  uint64_t capacity = 0;
  uint64_t size_limit = uint64_t{1} << 30;  // growing beyond fails with kFull
  bool read_only = false;
  // Null: the buffer cannot grow. Gives null when there is no memory; the old buffer stays then.
  void* (*resize)(void* data, uint64_t bytes) = nullptr;
  void (*release)(void* data) = nullptr;  // null: it belongs to somebody else
};

class BufferVfs final : public MemoryVfs {
 public:
  static constexpr const char* kPath = "/memdb";

  explicit BufferVfs(MemoryBuffer buffer);
  ~BufferVfs() override;
  Result<std::unique_ptr<File>> open(const std::string& path, const OpenOptions& options) override;
  MemoryBuffer& buffer() { return buffer_; }

 private:
  MemoryBuffer buffer_;
};

}  // namespace godwit
