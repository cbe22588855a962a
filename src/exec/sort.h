// ORDER BY: takes all rows of the child, gives them in order.
//
// Where the child's rows are sorted on leading terms already, each run of rows that are equal on
// those is sorted and given by itself, so a LIMIT above need not wait for all of them.
//
// What is more than the statement's memory budget is sorted in parts, which go to a temporary file
// (exec/sort_runs.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/column_builder.h"
#include "exec/expression.h"
#include "exec/limit.h"
#include "exec/operator.h"
#include "exec/row_sorter.h"
#include "exec/sort_runs.h"

namespace godwit {

// The rows of a sorter (after sort()) as chunks.
class SortedRows {
 public:
  explicit SortedRows(size_t columns) : builders_(columns) { output_.columns.resize(columns); }
  void rewind() { position_ = 0; }
  // At most `max_rows` of the next rows; at_end() when there are no more.
  const Chunk* next(const RowSorter& sorter, uint32_t max_rows);

 private:
  std::vector<ColumnBuilder> builders_;
  std::vector<uint32_t> rows_;
  uint32_t position_ = 0;
  Chunk output_;
};

class SortOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const SortNode& node,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  SortOperator(std::unique_ptr<Operator> child, ExecContext* context, size_t columns)
      : child_(std::move(child)), context_(context), sorted_(columns) {}

  Status collect();
  Status finish_run();
  Status spill();
  Status next_input();
  void drop_input(uint32_t count);

  std::unique_ptr<Operator> child_;
  ExecContext* context_;
  size_t columns_ = 0;                             // of the output
  std::vector<std::unique_ptr<Expression>> keys_;  // those that are no columns of the child
  std::vector<SortKey> presorted_;
  LimitBounds bounds_;
  std::optional<RowSorter> sorter_;
  SortedRows sorted_;
  std::unique_ptr<SortRuns> runs_;  // null: all rows are in sorter_
  bool must_fit_ = false;           // there is no place to spill to

  bool started_ = false;
  bool input_ended_ = false;
  ChunkRamp ramp_;
  Chunk input_;                  // child's columns, then keys_; rows not taken yet
  std::vector<uint16_t> rest_;
};

}  // namespace godwit
