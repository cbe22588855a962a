#include "pager/spill_file.h"

#include <algorithm>

namespace godwit {

Result<std::unique_ptr<SpillFile>> SpillFile::open(Vfs* vfs, uint32_t page_size) {
  OpenOptions options;
  options.kind = FileKind::kTemporary;
  options.create = options.exclusive = options.delete_on_close = true;
  GW_ASSIGN(auto file, vfs->open("", options));
  return std::unique_ptr<SpillFile>(new SpillFile(std::move(file), page_size));
}

// Free slots first; neighbours go to the file in one write.
Status SpillFile::write(std::span<const uint8_t* const> pages, uint32_t* slots) {
  const size_t reused = std::min(pages.size(), free_.size());
  std::copy(free_.end() - static_cast<ptrdiff_t>(reused), free_.end(), slots);
  std::sort(slots, slots + reused);
  for (size_t i = reused; i < pages.size(); ++i) {
    slots[i] = slots_ + static_cast<uint32_t>(i - reused) + 1;
  }
  std::vector<ByteSpan> run;
  for (size_t i = 0; i < pages.size();) {
    const size_t first = i;
    run.clear();
    do {
      run.emplace_back(pages[i], page_size_);
      ++i;
    } while (i < pages.size() && slots[i] == slots[i - 1] + 1);
    GW_TRY(file_->write_vectored(uint64_t{slots[first] - 1} * page_size_, run));
  }
  free_.resize(free_.size() - reused);
  slots_ += static_cast<uint32_t>(pages.size() - reused);
  return {};
}

Status SpillFile::read(uint32_t slot, uint8_t* page) {
  GW_ASSIGN(size_t n, file_->read(uint64_t{slot - 1} * page_size_, {page, page_size_}));
  return n == page_size_ ? Status() : Status(code::kIoErrShortRead);
}

}  // namespace godwit
