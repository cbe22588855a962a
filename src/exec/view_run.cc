#include "exec/view_run.h"

#include "value/affinity.h"

namespace godwit {

Status ViewRun::fire(ast::TriggerEvent event, const TriggerRow* old_row,
                     const TriggerRow* new_row) {
  GW_ASSIGN(bool go_on, triggers_.fire_before(event, old_row, new_row));
  if (!go_on || log_.returning == nullptr) return Status();
  const TriggerRow& row = new_row != nullptr ? *new_row : *old_row;
  return log_.returning->add(row.rowid, row.values);
}

Status ViewInsertRun::prepare() {
  GW_TRY(prepare_source(insert_.source));
  values_.resize(table_.columns.size());
  return prepare_returning(insert_.returning, table_);
}

Status ViewInsertRun::run_all() {
  if (source_ == nullptr) return insert_row({});
  return for_each_row(true, [&](std::span<ValueView> row) { return insert_row(row); });
}

// Columns of a view have no defaults, and no affinity is applied.
Status ViewInsertRun::insert_row(std::span<const ValueView> row) {
  for (size_t i = 0; i < values_.size(); ++i) {
    int32_t from = insert_.column_sources[i];
    values_[i] = from >= 0 ? row[static_cast<size_t>(from)] : ValueView::null();
  }
  TriggerRow new_row{0, values_};
  return fire(ast::TriggerEvent::kInsert, nullptr, &new_row);
}

Status ViewUpdateRun::prepare() {
  GW_TRY(prepare_source(update_.source));
  return prepare_returning(update_.returning, table_);
}

Status ViewUpdateRun::run_all() {
  return for_each_row(true, [&](std::span<ValueView> row) { return update_row(row); });
}

Status ViewUpdateRun::update_row(std::span<ValueView> row) {
  std::span<const ValueView> old_values = row.first(table_.columns.size());
  std::span<const ValueView> assigned = row.last(update_.assigned.size());
  values_.assign(old_values.begin(), old_values.end());
  for (size_t i = 0; i < assigned.size(); ++i) {
    int32_t column = update_.assigned[i];
    if (column != ColumnRef::kRowid) values_[static_cast<size_t>(column)] = assigned[i];
  }
  bytes_.reset();
  for (size_t i = 0; i < values_.size(); ++i) {
    apply_affinity(table_.columns[i].affinity, &values_[i], &bytes_);
  }
  TriggerRow old_row{0, old_values};
  TriggerRow new_row{0, values_};
  return fire(ast::TriggerEvent::kUpdate, &old_row, &new_row);
}

Status ViewDeleteRun::prepare() {
  GW_TRY(prepare_source(delete_.source));
  return prepare_returning(delete_.returning, table_);
}

Status ViewDeleteRun::run_all() {
  return for_each_row(true, [&](std::span<ValueView> row) {
    TriggerRow old_row{0, row.first(table_.columns.size())};
    return fire(ast::TriggerEvent::kDelete, &old_row, nullptr);
  });
}

}  // namespace godwit
