#include "exec/distinct.h"

#include <algorithm>

namespace godwit {

Selection DistinctFilter::new_rows(std::span<const Vector* const> columns,
                                   const Selection& selection) {
  if (rows_.size() < selection.count) {
    rows_.resize(selection.count);
    numbers_.resize(selection.count);
  }
  // Keys are numbered as they appear, so a new one has the number that is next.
  uint32_t next_number = seen_.size();
  seen_.find_or_insert(columns, selection, numbers_.data());
  uint32_t count = 0;
  for (uint32_t i = 0; i < selection.count; ++i) {
    if (numbers_[i] != next_number) continue;
    ++next_number;
    rows_[count++] = static_cast<uint16_t>(selection[i]);
  }
  return {rows_.data(), count};
}

Status DistinctOperator::open() {
  distinct_.clear();
  rows_.clear();
  return child_->open();
}

void DistinctOperator::close() {
  distinct_.clear();
  child_->close();
}

Status DistinctOperator::next(uint32_t max_rows, const Chunk** chunk) {
  uint32_t rows = max_rows;
  while (!rows_.has_rows()) {
    GW_TRY(context_->check_interrupt());
    const Chunk* input = nullptr;
    GW_TRY(child_->next(rows, &input));
    if (input->at_end()) {
      *chunk = input;
      return Status();
    }
    std::span<const Vector* const> columns(input->columns.data(), key_columns_);
    rows_.begin(*input, distinct_.new_rows(columns, input->selection));
    rows = std::min(rows * 8, kChunkRowsMax);
  }
  *chunk = rows_.give(max_rows);
  return Status();
}

}  // namespace godwit
