#include "exec/upsert.h"

#include "value/cast.h"

namespace godwit {

Result<std::unique_ptr<UpsertUpdate>> UpsertUpdate::make(const BoundUpsert& clause,
                                                         ExecContext* context, OuterRow* outer) {
  std::unique_ptr<UpsertUpdate> update(new UpsertUpdate());
  update->clause_ = &clause;
  GW_ASSIGN(update->writer_, TableWriter::make(*clause.write, ConflictAction::kAbort, context));
  GW_TRY(update->compile(context, outer));
  return update;
}

Status UpsertUpdate::compile(ExecContext* context, OuterRow* outer) {
  const Table& table = *clause_->write->table;
  for (const BoundSource* source : {clause_->row, clause_->excluded}) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      layout_columns_.push_back({source->id, static_cast<int32_t>(i)});
    }
    layout_columns_.push_back({source->id, ColumnRef::kRowid});
  }
  vectors_.resize(layout_columns_.size());
  for (Vector& vector : vectors_) chunk_.columns.push_back(&vector);
  chunk_.rows = 1;
  chunk_.selection = {nullptr, 1};
  Layout layout{layout_columns_};
  for (const BoundExpr* value : clause_->values) {
    GW_ASSIGN(auto expression, compile_expression(*value, layout, context, outer));
    expressions_.push_back(std::move(expression));
  }
  if (clause_->where != nullptr) {
    GW_ASSIGN(where_, compile_expression(*clause_->where, layout, context, outer));
  }
  for (int32_t column : clause_->assigned) {
    assigns_rowid_ |= column == ColumnRef::kRowid || column == table.rowid_column;
  }
  assigned_.resize(expressions_.size());
  return Status();
}

void UpsertUpdate::show(size_t first, std::span<const ValueView> values, Rowid rowid) {
  for (size_t i = 0; i < values.size(); ++i) vectors_[first + i].set_constant_value(values[i]);
  vectors_[first + values.size()].set_constant_value(ValueView::of(rowid));
  int32_t alias = clause_->write->table->rowid_column;
  if (alias < 0) return;
  vectors_[first + static_cast<size_t>(alias)].set_constant_value(ValueView::of(rowid));
}

Result<bool> UpsertUpdate::update(Rowid rowid, std::span<const ValueView> values,
                                  std::span<const ValueView> excluded, Rowid excluded_rowid) {
  bytes_.reset();
  show(0, values, rowid);
  show(values.size() + 1, excluded, excluded_rowid);
  if (where_ != nullptr) {
    const Vector* result = nullptr;
    GW_TRY(where_->evaluate(chunk_, chunk_.selection, &result));
    ValueView holds = result->get(0);
    if (holds.is_null() || !value_is_true(holds)) return false;
  }
  for (size_t i = 0; i < expressions_.size(); ++i) {
    const Vector* result = nullptr;
    GW_TRY(expressions_[i]->evaluate(chunk_, chunk_.selection, &result));
    ValueView& value = assigned_[i];
    value = result->get(0);
    if (value.type >= ValueType::kText && !value.zero_filled) {
      value.bytes = bytes_.copy(value.text()).data();
    }
  }
  new_values_.assign(values.begin(), values.end());
  const ValueView* new_rowid = nullptr;
  for (size_t i = 0; i < assigned_.size(); ++i) {
    int32_t column = clause_->assigned[i];
    if (column == ColumnRef::kRowid || column == clause_->write->table->rowid_column) {
      new_rowid = &assigned_[i];
    } else {
      new_values_[static_cast<size_t>(column)] = assigned_[i];
    }
  }
  return writer_->update(rowid, values, new_values_, new_rowid);
}

}  // namespace godwit
