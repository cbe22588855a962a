#include "exec/values.h"

#include <algorithm>
#include <cstring>

namespace godwit {

Result<std::unique_ptr<Operator>> ValuesOperator::make(const ValuesNode& node, ExecContext* context,
                                                       OuterRow* outer) {
  auto values = std::make_unique<ValuesOperator>();
  values->rows_ = node.rows_exprs.size();
  size_t width = node.rows_exprs.empty() ? 0 : node.rows_exprs[0].size();
  values->expressions_.reserve(values->rows_ * width);
  for (std::span<BoundExpr* const> row : node.rows_exprs) {
    for (const BoundExpr* expr : row) {
      GW_ASSIGN(auto expression, compile_expression(*expr, Layout(), context, outer));
      values->expressions_.push_back(std::move(expression));
    }
  }
  values->builders_.resize(width);
  values->output_.columns.reserve(width);
  for (ColumnBuilder& builder : values->builders_) {
    values->output_.columns.push_back(&builder.vector());
  }
  return std::unique_ptr<Operator>(std::move(values));
}

Status ValuesOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!deferred_.ok()) [[unlikely]] return deferred_;
  auto wanted = static_cast<uint32_t>(std::min<size_t>(max_rows, rows_ - next_row_));
  arena_.reset();
  for (ColumnBuilder& builder : builders_) builder.begin(wanted);
  uint32_t count = 0;
  for (; count < wanted && deferred_.ok(); ++count, ++next_row_) {
    for (size_t i = 0; i < builders_.size(); ++i) {
      ValueView value;
      deferred_ = evaluate_scalar(expressions_[next_row_ * builders_.size() + i].get(), &value);
      if (!deferred_.ok()) break;
      builders_[i].put_copy(count, value, &arena_);
    }
    if (!deferred_.ok()) break;
  }
  if (count == 0 && !deferred_.ok()) return deferred_;
  for (ColumnBuilder& builder : builders_) builder.finish();
  output_.rows = count;
  output_.selection = {nullptr, count};
  *chunk = &output_;
  return Status();
}

}  // namespace godwit
