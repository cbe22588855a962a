#include "exec/returning.h"

namespace godwit {

Result<std::unique_ptr<Returning>> Returning::make(const BoundReturning& bound, const Table& table,
                                                   ExecContext* context) {
  std::unique_ptr<Returning> returning(new Returning());
  returning->row_.init(table, bound.row->id);
  for (const ResultColumn& column : bound.columns) {
    GW_ASSIGN(auto expression, compile_expression(*column.expr, returning->row_.layout(), context,
                                                  nullptr));
    returning->expressions_.push_back(std::move(expression));
    returning->is_real_.push_back(column.expr->affinity == Affinity::kReal);
  }
  return returning;
}

void Returning::clear() {
  values_.clear();
  bytes_.reset();
  at_ = next_ = 0;
}

Status Returning::add(Rowid rowid, std::span<const ValueView> values) {
  row_.show(values, rowid);
  for (size_t i = 0; i < expressions_.size(); ++i) {
    ValueView value;
    GW_TRY(row_.evaluate(expressions_[i].get(), &value));
    if (is_real_[i] && value.is_integer()) {
      value = ValueView::of(static_cast<double>(value.integer));
    }
    if (value.type >= ValueType::kText && !value.zero_filled) {
      value.bytes = bytes_.copy(value.text()).data();
    }
    values_.push_back(value);
  }
  return Status();
}

bool Returning::next() {
  if (next_ >= values_.size()) return false;
  at_ = next_;
  next_ += expressions_.size();
  return true;
}

}  // namespace godwit
