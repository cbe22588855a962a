// The VFS of POSIX systems: paths, opening and deleting of files, clock, randomness.
#pragma once

#include "os/vfs.h"

namespace godwit {

class PosixVfs : public Vfs {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, const OpenOptions& options) override;
  Status remove(const std::string& path, bool sync_directory) override;
  Result<bool> exists(const std::string& path) override;
  Result<std::string> full_path(const std::string& path) override;
  bool has_symbolic_link(const std::string& path) override;
  void randomness(MutableByteSpan out) override;
  void sleep_us(uint64_t microseconds) override;
  bool allows_own_threads() const override { return true; }
  int64_t current_time_ms() override;
};

// Flushes the directory that holds `path`. A directory that cannot be opened is no error: some file
// systems have none to flush.
Status sync_directory_of(const std::string& path);

}  // namespace godwit
