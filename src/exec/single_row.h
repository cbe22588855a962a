// One row without columns: what a FROM clause starts from.
#pragma once

#include "exec/operator.h"

namespace godwit {

class SingleRowOperator final : public Operator {
 public:
  Status open() override {
    given_ = false;
    return Status();
  }
  Status next(uint32_t, const Chunk** chunk) override {
    chunk_.rows = 1;
    chunk_.selection = {nullptr, given_ ? 0u : 1u};
    given_ = true;
    *chunk = &chunk_;
    return Status();
  }
  void close() override {}

 private:
  bool given_ = false;
  Chunk chunk_;
};

}  // namespace godwit
