#include "exec/limit.h"

#include <algorithm>

#include "exec/row_key.h"
#include "value/affinity.h"

namespace godwit {

namespace {

Status evaluate_integer(Expression* expression, int64_t* integer) {
  ValueView value;
  GW_TRY(evaluate_scalar(expression, &value));
  if (value.is_text()) apply_numeric_affinity_to_text(&value);
  if (value.is_integer()) {
    *integer = value.integer;
    return Status();
  }
  if (value.is_real() && real_equals_integer(value.real, integer)) return Status();
  return Status(code::kMismatch);
}

}  // namespace

Status LimitBounds::prepare(const BoundExpr* limit, const BoundExpr* offset, ExecContext* context,
                            OuterRow* outer) {
  if (limit != nullptr) {
    GW_ASSIGN(limit_expression_, compile_expression(*limit, Layout(), context, outer));
  }
  if (offset != nullptr) {
    GW_ASSIGN(offset_expression_, compile_expression(*offset, Layout(), context, outer));
  }
  return Status();
}

Status LimitBounds::evaluate() {
  limit_ = -1;
  offset_ = 0;
  if (limit_expression_ != nullptr) GW_TRY(evaluate_integer(limit_expression_.get(), &limit_));
  if (offset_expression_ != nullptr) GW_TRY(evaluate_integer(offset_expression_.get(), &offset_));
  offset_ = std::max<int64_t>(offset_, 0);
  return Status();
}

int64_t LimitBounds::rows_needed() const {
  int64_t sum;
  if (limit_ < 0 || __builtin_add_overflow(limit_, offset_, &sum)) return -1;
  return sum;
}

Result<std::unique_ptr<Operator>> LimitOperator::make(const LimitNode& node,
                                                      std::unique_ptr<Operator> child,
                                                      ExecContext* context, OuterRow* outer) {
  auto limit = std::make_unique<LimitOperator>();
  limit->child_ = std::move(child);
  GW_TRY(limit->bounds_.prepare(node.limit, node.offset, context, outer));
  return std::unique_ptr<Operator>(std::move(limit));
}

Status LimitOperator::open() {
  started_ = false;
  return child_->open();
}

Status LimitOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!started_) {
    GW_TRY(bounds_.evaluate());
    left_ = bounds_.limit();
    skip_ = bounds_.offset();
    started_ = true;
  }
  *chunk = &output_;
  output_.selection = Selection();
  ChunkRamp skipping;
  while (left_ != 0) {
    uint32_t rows = max_rows;
    if (left_ > 0) rows = static_cast<uint32_t>(std::min<int64_t>(rows, left_));
    if (skip_ > 0) {
      // Rows to skip are asked for apart, so that a chunk is either dropped or given.
      rows = static_cast<uint32_t>(std::min<int64_t>(skipping.next(), skip_));
    }
    const Chunk* input = nullptr;
    GW_TRY(child_->next(rows, &input));
    if (input->at_end()) return Status();
    if (skip_ > 0) {
      skip_ -= input->size();
      continue;
    }
    if (left_ > 0) left_ -= input->size();
    *chunk = input;
    return Status();
  }
  return Status();
}

}  // namespace godwit
