// Files that live in this process and are shared by name, with the locks and the shared memory of
// real ones: for tests, and for databases that must not touch a disk.
//
// All state is guarded by one mutex: clarity before speed. Views from shm_map() are plain memory
// that all Files of the same name share, as with mmap().
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "os/vfs.h"

namespace godwit {

struct MemoryFileState;

class MemoryVfs : public Vfs {
 public:
  MemoryVfs();
  ~MemoryVfs() override;
  Result<std::unique_ptr<File>> open(const std::string& path, const OpenOptions& options) override;
  Status remove(const std::string& path, bool sync_directory) override;
  Result<bool> exists(const std::string& path) override;
  Result<std::string> full_path(const std::string& path) override;
  void randomness(MutableByteSpan out) override;
  void sleep_us(uint64_t microseconds) override;
  int64_t current_time_ms() override;

  // The bytes of a file (empty if there is none), and a file made of given bytes: what a test needs
  // to look at the state on "disk" or to prepare one.
  std::vector<uint8_t> content(const std::string& path);
  void set_content(const std::string& path, ByteSpan bytes);

 private:
  friend class MemoryFile;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<MemoryFileState>> files_;
};

}  // namespace godwit
