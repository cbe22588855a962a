// Frames: which rows of its partition each row's aggregates see.
//
//   partition     |--------------------------------------------|
//   peers         |---|----|------------|---|------------------|
//   a row                        ^
//   its frame                |------------------|          [start, end)
//   without EXCLUDE's part   |---|       |------|          up to three ranges
//
// Rows are numbers in the window operator's store. A batch is a run of rows of one partition whose
// results are computed together; frames of successive rows never move backwards.
#pragma once

#include <memory>
#include <vector>

#include "exec/column_store.h"
#include "exec/exec_context.h"
#include "exec/expression.h"
#include "exec/row_sorter.h"
#include "plan/bound_window.h"

namespace godwit {

// What must be known before the result of a row can be computed, besides the rows up to it.
struct WindowLookahead {
  bool partition = false;  // the whole partition
  bool peers = false;      // all rows that are peers of the row
  uint64_t rows = 0;       // so many rows after it, or the partition's end

  void add(const WindowLookahead& other) {
    partition |= other.partition;
    peers |= other.peers;
    if (other.rows > rows) rows = other.rows;
  }
};

struct RowRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t size() const { return end > begin ? end - begin : 0; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

struct WindowBatch {
  const ColumnStore* store = nullptr;
  RowRange rows;                     // to compute
  RowRange partition;                // as far as it is known
  std::span<const uint32_t> groups;  // the first row of each group of peers of the partition
  uint32_t first_group = 0;          // to which rows.begin belongs

  bool begins_partition() const { return rows.begin == partition.begin; }
  uint32_t group_end(size_t group) const {
    return group + 1 < groups.size() ? groups[group + 1] : partition.end;
  }
  // Calls visit(row, its group) for all rows of the batch.
  template <typename Visit>
  void for_each_row(const Visit& visit) const {
    uint32_t group = first_group;
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (group + 1 < groups.size() && groups[group + 1] <= row) ++group;
      visit(row, group);
    }
  }
};

class WindowFrame {
 public:
  // `key`: the ORDER BY term in the store, for RANGE with offsets; null: not needed.
  static Result<std::unique_ptr<WindowFrame>> make(const BoundWindow& window, const SortKey* key,
                                                   ExecContext* context, OuterRow* outer);
  // Once a run, before the first row.
  Status evaluate_offsets();
  WindowLookahead lookahead() const;

  // Computes the frames of the batch's rows.
  void compute(const WindowBatch& batch);
  // Of the i-th row of the batch; empty frames have end == begin.
  RowRange frame(uint32_t i) const { return frames_[i]; }
  // Writes the parts of the frame that EXCLUDE leaves, in order, empty ones left out.
  size_t parts(uint32_t i, uint32_t row, RowRange out[3]) const;

  // EXCLUDE was written: each frame is looked at anew.
  bool excludes() const { return has_exclude_; }
  // Frames start where the partition does: rows are added, never removed.
  bool only_grows() const { return start_.kind == ast::FrameBoundKind::kUnboundedPreceding; }
  // An aggregate that moves with the frame removes rows before it adds the last row (RANGE: all that
  // it can; GROUPS: the last group): that is SQLite's way, and sums of reals depend on it. Otherwise
  // it adds all rows first.
  bool removes_first() const { return removes_first_; }
  // The i-th row's frame would end behind the partition.
  bool is_cut_off(uint32_t i) const { return cut_off_[i] != 0; }
  ast::FrameUnit unit() const { return unit_; }

 private:
  struct Edge {
    ast::FrameBoundKind kind = ast::FrameBoundKind::kUnboundedPreceding;
    std::unique_ptr<Expression> offset;
    uint64_t count = 0;  // ROWS, GROUPS
    ValueView distance;  // RANGE
    bool has_offset() const { return offset != nullptr; }
  };

  Status evaluate_offset(Edge* edge, std::string_view which);
  uint32_t row_start(const RowRange& partition, uint32_t row) const;
  uint32_t row_end(const RowRange& partition, uint32_t row) const;
  uint32_t group_start(const WindowBatch& batch, uint32_t group) const;
  uint32_t group_end(const WindowBatch& batch, uint32_t group) const;
  uint32_t range_start(const WindowBatch& batch, uint32_t group);
  uint32_t range_end(const WindowBatch& batch, uint32_t group);
  // The key of `row`, moved by `distance` towards the end of the order.
  ValueView shifted(const WindowBatch& batch, uint32_t row, const ValueView& distance) const;
  int compare(const ValueView& a, const ValueView& b) const;

  ast::FrameUnit unit_ = ast::FrameUnit::kRange;
  ast::FrameExclude exclude_ = ast::FrameExclude::kNoOthers;
  bool has_exclude_ = false;
  Edge start_, end_;
  bool always_empty_ = false;  // the offsets are the wrong way round
  bool removes_first_ = false;
  SortKey key_;

  // RANGE with offsets: how far the bounds have come in the partition.
  uint32_t range_start_ = 0, range_end_ = 0;
  std::vector<RowRange> frames_;
  std::vector<uint8_t> cut_off_;
  std::vector<RowRange> peers_;  // if EXCLUDE needs them
};

}  // namespace godwit
