// The shared memory of WAL mode: the file "X-shm" beside database X, mapped in regions of 32 KiB.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/vfs.h"

namespace godwit {

class PosixShm {
 public:
  // Opens or creates the file for the database at `database_path`, open as `database_descriptor`
  // (its permissions are taken over); for reading only if that is all the file allows.
  // Errors: kCantOpen, kIoErrShm...
  static Result<std::unique_ptr<PosixShm>> open(const std::string& database_path,
                                                int database_descriptor);
  ~PosixShm();
  PosixShm(const PosixShm&) = delete;
  PosixShm& operator=(const PosixShm&) = delete;

  // If nobody else uses the shared memory when it is first mapped, its old content is discarded.
  // Errors: kBusy (somebody is discarding it just now), kReadOnlyCantInit (it would have to be, and
  // cannot; locks can be taken nevertheless, and the next call may succeed), kIoErrShm...
  Result<volatile uint8_t*> map(uint32_t index, bool extend);
  Status lock(int first, int count, ShmLockMode mode);
  void unlock(int first, int count);
  std::vector<int64_t> lock_holders(int slot) const;
  void remove_file();
  bool is_read_only() const { return read_only_; }

 private:
  PosixShm(std::string path, int descriptor, bool read_only)
      : path_(std::move(path)), descriptor_(descriptor), read_only_(read_only) {}
  Status enter();
  Status ensure_size(uint64_t size, bool extend, bool* long_enough);

  std::string path_;
  int descriptor_;
  bool read_only_;
  bool entered_ = false;
  std::vector<uint8_t*> regions_;
};

}  // namespace godwit
