// SELECT count(*) FROM t: the entries of a tree are counted page by page, no row is read.
#pragma once

#include "exec/operator.h"

namespace godwit {

class CountScanOperator final : public Operator {
 public:
  static bool is_possible(const AggregateNode& node);
  static Result<std::unique_ptr<Operator>> make(const AggregateNode& node, ExecContext* context);
  Status open() override {
    given_ = false;
    close();
    return Status();
  }
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override {
    if (cursor_ != nullptr) cursor_->invalidate();
  }

 private:
  ExecContext* context_ = nullptr;
  const AccessNode* access_ = nullptr;
  std::unique_ptr<Cursor> cursor_;
  bool given_ = false;
  Vector count_;
  Chunk output_;
};

}  // namespace godwit
