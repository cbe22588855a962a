#include "exec/column_store.h"

#include <algorithm>

namespace godwit {

namespace {
// What clear() keeps for the next run: sixteen blocks serve most subqueries without allocating.
constexpr size_t kBlocksKept = 16;
constexpr size_t kBytesPerValue = sizeof(Vector::Slot) + sizeof(uint32_t) + 2;
}  // namespace

void ColumnStore::clear() {
  rows_ = 0;
  finished_blocks_ = 0;
  if (blocks_.size() > kBlocksKept) blocks_.resize(kBlocksKept);
  block_bytes_ = blocks_.size() * column_count_ * kBytesPerValue * kBlockRows;
  arena_->reset();
}

void ColumnStore::append(std::span<const Vector* const> columns, const Selection& selection) {
  uint32_t added = 0;
  while (added < selection.count) {
    uint32_t in_block = rows_ % kBlockRows;
    if (in_block == 0) {
      size_t number = rows_ / kBlockRows;
      if (number == blocks_.size()) {
        blocks_.push_back(std::make_unique<ColumnBuilder[]>(column_count_));
        block_bytes_ += column_count_ * kBytesPerValue * kBlockRows;
      }
      for (size_t i = 0; i < column_count_; ++i) blocks_[number][i].begin(kBlockRows);
    }
    uint32_t count = std::min(selection.count - added, kBlockRows - in_block);
    ColumnBuilder* block = blocks_[rows_ / kBlockRows].get();
    for (size_t i = 0; i < column_count_; ++i) {
      block[i].append_copy(*columns[i], selection, added, count, in_block, arena_.get());
    }
    rows_ += count;
    added += count;
  }
}

void ColumnStore::finish() {
  for (uint32_t block = finished_blocks_; block < block_count(); ++block) {
    for (size_t i = 0; i < column_count_; ++i) blocks_[block][i].finish();
  }
  finished_blocks_ = rows_ / kBlockRows;  // a block that is not full may change
}

void ColumnStore::gather(size_t column, const uint32_t* rows, const Selection& targets,
                         ColumnBuilder* out) const {
  for (uint32_t i = 0; i < targets.count; ++i) {
    uint32_t target = targets[i];
    uint32_t row = rows[target];
    out->put(target, row == kNoRow ? ValueView::null() : get(row, column));
  }
}

}  // namespace godwit
