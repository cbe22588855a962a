// Computes expressions over the rows of the child.
#pragma once

#include <vector>

#include "exec/expression.h"
#include "exec/operator.h"

namespace godwit {

class ProjectOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const ProjectNode& node,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override {
    deferred_ = Status();
    return child_->open();
  }
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override { child_->close(); }
  Status reopen() override {
    deferred_ = Status();
    return child_->reopen();
  }

 private:
  Status evaluate(const Chunk& input, const Selection& selection);
  // The rows of `input` before the first one that fails are given first, then the error.
  Status evaluate_until_error(const Chunk& input, Status error);

  // An output column: one of the child's as it is, or computed.
  struct Output {
    uint32_t slot = 0;
    std::unique_ptr<Expression> expression;  // null: the child's column `slot`
  };

  std::unique_ptr<Operator> child_;
  std::vector<Output> outputs_;
  Status deferred_;
  Chunk output_;
};

}  // namespace godwit
