// LIMIT and OFFSET.
#pragma once

#include <memory>

#include "exec/expression.h"
#include "exec/operator.h"

namespace godwit {

// The two numbers of a LIMIT clause, evaluated once a run.
class LimitBounds {
 public:
  Status prepare(const BoundExpr* limit, const BoundExpr* offset, ExecContext* context,
                 OuterRow* outer);
  // Errors: "datatype mismatch" for what is not an integer.
  Status evaluate();
  // Rows to give; negative: no limit.
  int64_t limit() const { return limit_; }
  // Rows to skip; not negative.
  int64_t offset() const { return offset_; }
  // limit + offset; negative: no limit.
  int64_t rows_needed() const;

 private:
  std::unique_ptr<Expression> limit_expression_, offset_expression_;
  int64_t limit_ = -1;
  int64_t offset_ = 0;
};

class LimitOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const LimitNode& node,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override { child_->close(); }
  Status reopen() override {
    started_ = false;
    return child_->reopen();
  }

 private:
  std::unique_ptr<Operator> child_;
  LimitBounds bounds_;
  bool started_ = false;
  int64_t left_ = 0;  // rows to give yet; negative: no limit
  int64_t skip_ = 0;  // rows to drop yet
  Chunk output_;
};

}  // namespace godwit
