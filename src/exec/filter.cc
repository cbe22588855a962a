#include "exec/filter.h"

#include <algorithm>

namespace godwit {

Selection filter_until_error(Expression* condition, const Chunk& chunk, const Selection& in,
                             uint16_t* rows, Status* error, uint32_t* failed_row) {
  auto all_at_once = filter_rows(condition, chunk, in, rows);
  if (all_at_once.ok()) [[likely]] return {rows, *all_at_once};
  uint32_t count = 0;
  for (uint32_t i = 0; i < in.count; ++i) {
    auto row = static_cast<uint16_t>(in[i]);
    auto passed = filter_rows(condition, chunk, {&row, 1}, rows + count);
    if (!passed.ok()) {
      *error = passed.take_status();
      *failed_row = row;
      break;
    }
    count += *passed;
  }
  return {rows, count};
}

Result<std::unique_ptr<Operator>> FilterOperator::make(const BoundExpr& condition,
                                                       std::span<const ColumnRef> columns,
                                                       std::unique_ptr<Operator> child,
                                                       ExecContext* context, OuterRow* outer) {
  auto filter = std::make_unique<FilterOperator>();
  filter->child_ = std::move(child);
  filter->context_ = context;
  GW_ASSIGN(filter->condition_, compile_expression(condition, {columns}, context, outer));
  return std::unique_ptr<Operator>(std::move(filter));
}

Status FilterOperator::open() {
  passed_.clear();
  deferred_ = Status();
  return child_->open();
}

Status FilterOperator::reopen() {
  passed_.clear();
  deferred_ = Status();
  return child_->reopen();
}

Status FilterOperator::next(uint32_t max_rows, const Chunk** chunk) {
  uint32_t rows = max_rows;
  while (!passed_.has_rows()) {
    if (!deferred_.ok()) [[unlikely]] return deferred_;
    GW_TRY(context_->check_interrupt());
    const Chunk* input = nullptr;
    GW_TRY(child_->next(rows, &input));
    if (input->at_end()) {
      *chunk = input;
      return Status();
    }
    if (rows_.size() < input->size()) rows_.resize(input->size());
    uint32_t failed_row = 0;
    passed_.begin(*input, filter_until_error(condition_.get(), *input, input->selection,
                                             rows_.data(), &deferred_, &failed_row));
    rows = std::min(rows * 8, kChunkRowsMax);
  }
  *chunk = passed_.give(max_rows);
  return Status();
}

Result<std::unique_ptr<Operator>> GateOperator::make(const BoundExpr& condition,
                                                     std::unique_ptr<Operator> child,
                                                     ExecContext* context, OuterRow* outer) {
  auto gate = std::make_unique<GateOperator>();
  gate->child_ = std::move(child);
  GW_ASSIGN(gate->condition_, compile_expression(condition, Layout(), context, outer));
  return std::unique_ptr<Operator>(std::move(gate));
}

Status GateOperator::open() {
  is_known_ = false;
  return child_->open();
}

Status GateOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!is_known_) {
    Chunk one_row;
    one_row.rows = 1;
    one_row.selection = {nullptr, 1};
    uint16_t row;
    GW_ASSIGN(uint32_t passed, filter_rows(condition_.get(), one_row, one_row.selection, &row));
    is_open_ = passed == 1;
    is_known_ = true;
  }
  *chunk = &end_;
  return is_open_ ? child_->next(max_rows, chunk) : Status();
}

}  // namespace godwit
