// The private temporary file for pages that do not fit into memory: of a write transaction what it has
// changed but not committed, of a temporary database anything. Pages stand in slots, which are given
// out and taken back one by one; nothing in the file outlives its Pager, and nothing is ever synced.
//
//     slot      1      2      3      4
//            +------+------+------+------+
//            | page | page | free | page |
//            +------+------+------+------+
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "os/vfs.h"

namespace godwit {

class SpillFile {
 public:
  // Errors: kCantOpen, kIoErrGetTempPath: there is no place for temporary files.
  static Result<std::unique_ptr<SpillFile>> open(Vfs* vfs, uint32_t page_size);

  // Writes each of `pages` into a slot of its own; slots[i] receives it. On error no slot was taken.
  // Errors: kFull, kIoErrWrite.
  Status write(std::span<const uint8_t* const> pages, uint32_t* slots);
  Status read(uint32_t slot, uint8_t* page);
  void free(uint32_t slot) { free_.push_back(slot); }

 private:
  SpillFile(std::unique_ptr<File> file, uint32_t page_size)
      : file_(std::move(file)), page_size_(page_size) {}

  std::unique_ptr<File> file_;
  uint32_t page_size_;
  uint32_t slots_ = 0;  // that the file has
  std::vector<uint32_t> free_;
};

}  // namespace godwit
