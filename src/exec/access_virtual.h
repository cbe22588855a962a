// Rows of a virtual table: its cursor is filtered for each left row, once for each combination of
// the members of IN keys.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "exec/row_source.h"
#include "exec/seek_keys.h"
#include "function/virtual_table.h"

namespace godwit {

class VirtualSource final : public RowSource {
 public:
  static Result<std::unique_ptr<RowSource>> make(const RowSourceSpec& spec);
  Status open() override;
  void close() override { cursor_.reset(); }
  Status begin_left(const Chunk& left) override { return keys_.begin_left(left); }
  Status seek(uint32_t left_row) override;
  void begin_batch(uint32_t rows) override { rows_.begin(rows); }
  uint32_t max_batch() const override { return row_by_row_ ? 1 : kChunkRowsMax; }
  Status fetch(uint32_t max, uint32_t* fetched) override;
  void append_null() override;
  // Columns are there as soon as rows are.
  Status load(bool, const Selection&) override { return Status(); }
  const Vector* column(size_t index) const override { return rows_.vector(index); }
  Status mark_matched(const Selection& rows) override;
  Status begin_unmatched() override;

 private:
  explicit VirtualSource(const RowSourceSpec& spec);
  Status filter();
  Status fetch_rows(uint32_t max);
  Status fetch_unmatched(uint32_t max);

  const RowSourceSpec spec_;
  std::vector<SeekKey> key_list_;
  SeekKeys keys_;
  VirtualRows rows_;
  std::unique_ptr<VirtualCursor> cursor_;
  const bool row_by_row_;
  bool filtered_ = false;  // the cursor is on the rows of the current keys
  // Right and full joins: the rowids that had a match; rows are known by nothing else.
  std::unordered_set<int64_t> matched_;
  bool unmatched_ = false;
  Vector null_;
  Chunk null_left_;
};

}  // namespace godwit
