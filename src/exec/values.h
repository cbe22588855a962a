// VALUES: rows of expressions, evaluated as they are asked for.
#pragma once

#include <vector>

#include "base/arena.h"
#include "exec/column_builder.h"
#include "exec/expression.h"
#include "exec/operator.h"

namespace godwit {

class ValuesOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const ValuesNode& node, ExecContext* context,
                                                OuterRow* outer);
  Status open() override {
    next_row_ = 0;
    deferred_ = Status();
    return Status();
  }
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override {}

 private:
  std::vector<std::unique_ptr<Expression>> expressions_;  // row after row
  size_t rows_ = 0;
  size_t next_row_ = 0;
  std::vector<ColumnBuilder> builders_;
  Arena arena_;
  Status deferred_;
  Chunk output_;
};

}  // namespace godwit
