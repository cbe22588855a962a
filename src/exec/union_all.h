// UNION ALL: the rows of one child after the other.
#pragma once

#include <vector>

#include "exec/operator.h"

namespace godwit {

class UnionAllOperator final : public Operator {
 public:
  explicit UnionAllOperator(std::vector<std::unique_ptr<Operator>> children)
      : children_(std::move(children)) {}
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  std::vector<std::unique_ptr<Operator>> children_;
  size_t current_ = 0;
  bool current_open_ = false;
  Chunk end_;
};

}  // namespace godwit
