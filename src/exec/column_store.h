// Rows kept in memory, column by column: what sorts, hash joins, materialized subqueries and
// recursion remember of the chunks that went by.
//
// Rows are numbered from 0 in the order they were added and stand in blocks of kChunkRowsMax, each a
// vector a column. Text and blob bytes are copied into an arena, so rows outlive their source.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "exec/column_builder.h"
#include "vector/vector.h"

namespace godwit {

class ColumnStore {
 public:
  static constexpr uint32_t kBlockRows = kChunkRowsMax;
  // Not a row: gathered as NULLs.
  static constexpr uint32_t kNoRow = UINT32_MAX;

  explicit ColumnStore(size_t columns) : column_count_(columns) {}

  size_t column_count() const { return column_count_; }
  uint32_t size() const { return rows_; }
  bool empty() const { return rows_ == 0; }
  size_t bytes_held() const { return arena_->bytes_reserved() + block_bytes_; }

  // Forgets the rows; keeps memory for as many again, unless there were very many.
  void clear();
  // Adds the selected rows of `columns` (column_count() of them).
  void append(std::span<const Vector* const> columns, const Selection& selection);
  // Makes the rows added so far readable. More may be added afterwards.
  void finish();

  ValueView get(uint32_t row, size_t column) const {
    return block(row)[column].vector().get(row % kBlockRows);
  }
  // For each target row t: stores column `column` of row rows[t] at row t of `out`.
  void gather(size_t column, const uint32_t* rows, const Selection& targets,
              ColumnBuilder* out) const;

  uint32_t block_count() const { return (rows_ + kBlockRows - 1) / kBlockRows; }
  uint32_t block_rows(uint32_t block) const {
    return block + 1 < block_count() ? kBlockRows : rows_ - block * kBlockRows;
  }
  const Vector* block_column(uint32_t block, size_t column) const {
    return &blocks_[block][column].vector();
  }

 private:
  using Block = std::unique_ptr<ColumnBuilder[]>;
  const Block& block(uint32_t row) const { return blocks_[row / kBlockRows]; }

  size_t column_count_;
  uint32_t rows_ = 0;
  uint32_t finished_blocks_ = 0;  // whose vectors have their final form
  size_t block_bytes_ = 0;
  std::vector<Block> blocks_;
  std::unique_ptr<Arena> arena_ = std::make_unique<Arena>();
};

}  // namespace godwit
