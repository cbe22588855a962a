#include "exec/virtual_run.h"

namespace godwit {

namespace {

// As sqlite3_vtab_on_conflict() numbers them.
uint8_t conflict_number(ConflictAction action) {
  switch (action) {
    case ConflictAction::kRollback: return 1;
    case ConflictAction::kIgnore: return 2;
    case ConflictAction::kFail: return 3;
    case ConflictAction::kReplace: return 5;
    default: return VirtualChange::kAbort;
  }
}

}  // namespace

Status VirtualRun::begin() {
  failed_constraint_ = false;
  return context_->services->begin_virtual_write(&code_);
}

Result<bool> VirtualRun::change(VirtualChange change, int64_t* rowid) {
  GW_TRY(context_->check_interrupt());
  change.conflict = conflict_number(conflict_);
  Status status = code_.update(change, rowid);
  if (status.ok()) {
    ++log_.changes;
    return true;
  }
  if (status.primary() == code::kConstraint && code_.supports_constraints()) {
    if (conflict_ == ConflictAction::kIgnore) return false;
    failed_constraint_ = conflict_ != ConflictAction::kReplace;
  }
  return status;
}

Status VirtualInsertRun::prepare() {
  GW_TRY(prepare_source(insert_.source));
  values_.resize(table_.columns.size());
  return prepare_returning(insert_.returning, table_);
}

Status VirtualInsertRun::run_all() {
  GW_TRY(begin());
  if (source_ == nullptr) return insert_row({});
  return for_each_row(insert_.must_buffer,
                      [&](std::span<ValueView> row) { return insert_row(row); });
}

// Columns have no defaults, and no affinity is applied.
Status VirtualInsertRun::insert_row(std::span<const ValueView> row) {
  for (size_t i = 0; i < values_.size(); ++i) {
    int32_t from = insert_.column_sources[i];
    values_[i] = from >= 0 ? row[static_cast<size_t>(from)] : ValueView::null();
  }
  ValueView key;
  if (insert_.rowid_source >= 0) key = row[static_cast<size_t>(insert_.rowid_source)];
  int64_t rowid = 0;
  GW_ASSIGN(bool done, change({nullptr, &key, values_}, &rowid));
  if (!done) return Status();
  context_->services->set_last_insert_rowid(rowid);
  if (log_.returning == nullptr) return Status();
  // The rowid that the table chooses is not known to RETURNING.
  return log_.returning->add(key.is_integer() ? key.integer : -1, values_);
}

Status VirtualUpdateRun::run_all() {
  GW_TRY(begin());
  return for_each_row(true, [&](std::span<ValueView> row) { return update_row(row); });
}

Status VirtualUpdateRun::update_row(std::span<const ValueView> row) {
  std::span<const ValueView> old_values = row.subspan(1, table_.columns.size());
  std::span<const ValueView> assigned = row.last(update_.assigned.size());
  values_.assign(old_values.begin(), old_values.end());
  ValueView key = row[0];
  for (size_t i = 0; i < assigned.size(); ++i) {
    int32_t column = update_.assigned[i];
    if (column == ColumnRef::kRowid) {
      key = assigned[i];
    } else {
      values_[static_cast<size_t>(column)] = assigned[i];
    }
  }
  if (table_.without_rowid) key = values_[static_cast<size_t>(table_.primary_key[0])];
  int64_t rowid = 0;
  return change({&row[0], &key, values_}, &rowid).status();
}

Status VirtualDeleteRun::run_all() {
  GW_TRY(begin());
  return for_each_row(true, [&](std::span<ValueView> row) -> Status {
    int64_t rowid = 0;
    return change({&row[0], nullptr, {}}, &rowid).status();
  });
}

}  // namespace godwit
