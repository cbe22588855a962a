// A subquery that is the first source of its FROM clause: its rows go through as they come, nothing
// is kept.
#pragma once

#include <vector>

#include "exec/operator.h"

namespace godwit {

class SubqueryScanOperator final : public Operator {
 public:
  // Whether `node` can be run so.
  static bool is_possible(const AccessNode& node);
  static Result<std::unique_ptr<Operator>> make(const AccessNode& node, ExecContext* context,
                                                OuterRow* outer);
  Status open() override { return input_->open(); }
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override { input_->close(); }

 private:
  std::unique_ptr<Operator> input_;
  std::vector<size_t> slots_;  // of the input, by slot of the output
  Chunk output_;
};

}  // namespace godwit
