// The rows of the child for which a condition is true.
#pragma once

#include <vector>

#include "exec/chunk_slicer.h"
#include "exec/expression.h"
#include "exec/operator.h"

namespace godwit {

// Evaluates `condition` for `in` and puts the rows where it is true into `rows` (room for
// in.count). When the evaluation fails, the rows before the failing one are still given and *error
// is set: an error must not swallow the rows that SQLite returns before it. *failed_row: that row.
Selection filter_until_error(Expression* condition, const Chunk& chunk, const Selection& in,
                             uint16_t* rows, Status* error, uint32_t* failed_row);

class FilterOperator final : public Operator {
 public:
  // `columns`: of the child.
  static Result<std::unique_ptr<Operator>> make(const BoundExpr& condition,
                                                std::span<const ColumnRef> columns,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override { child_->close(); }
  Status reopen() override;

 private:
  std::unique_ptr<Operator> child_;
  ExecContext* context_ = nullptr;
  std::unique_ptr<Expression> condition_;
  std::vector<uint16_t> rows_;
  ChunkSlicer passed_;
  Status deferred_;
};

// Runs the child only if a condition that reads no row is true.
class GateOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const BoundExpr& condition,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override { child_->close(); }

 private:
  std::unique_ptr<Operator> child_;
  std::unique_ptr<Expression> condition_;
  bool is_known_ = false;
  bool is_open_ = false;
  Chunk end_;
};

}  // namespace godwit
