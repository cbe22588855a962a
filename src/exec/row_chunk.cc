#include "exec/row_chunk.h"

namespace godwit {

void RowChunk::init(const Table& table, SourceId id) {
  rowid_column_ = table.rowid_column;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    columns_.push_back({id, static_cast<int32_t>(i)});
  }
  columns_.push_back({id, ColumnRef::kRowid});
  vectors_.resize(columns_.size());
  for (Vector& vector : vectors_) chunk_.columns.push_back(&vector);
  chunk_.rows = 1;
  chunk_.selection = {nullptr, 1};
}

void RowChunk::show(std::span<const ValueView> values, Rowid rowid) {
  for (size_t i = 0; i < values.size(); ++i) vectors_[i].set_constant_value(values[i]);
  if (rowid_column_ >= 0) {
    vectors_[static_cast<size_t>(rowid_column_)].set_constant_value(ValueView::of(rowid));
  }
  vectors_.back().set_constant_value(ValueView::of(rowid));
}

Status RowChunk::evaluate(Expression* expression, ValueView* value) const {
  const Vector* result = nullptr;
  GW_TRY(expression->evaluate(chunk_, chunk_.selection, &result));
  *value = result->get(0);
  return Status();
}

}  // namespace godwit
