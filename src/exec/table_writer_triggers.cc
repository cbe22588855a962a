// The triggers around a row that is written. What they do may change anything: after those before the
// change the row is looked up again.
#include "exec/table_writer.h"
#include "value/affinity.h"

namespace godwit {

namespace {
// What NEW.rowid is before an automatic rowid is chosen.
constexpr Rowid kNoRowidYet = -1;
}  // namespace

Status TableWriter::leave_for_triggers() {
  knows_next_ = false;
  return write_->sequence_root != 0 ? autoincrement_.store() : Status();
}

Status TableWriter::return_from_triggers() {
  if (write_->sequence_root == 0) return Status();
  return autoincrement_.load(btree_, write_->sequence_root, table_->name);
}

Result<bool> TableWriter::fire_before(ast::TriggerEvent event, const TriggerRow* old_row,
                                      const TriggerRow* new_row) {
  GW_TRY(leave_for_triggers());
  GW_ASSIGN(bool go_on, triggers_->fire_before(event, old_row, new_row));
  GW_TRY(return_from_triggers());
  return go_on;
}

// `rowid`: the one given for the row, which may be NULL; null for tables without rowids.
Result<bool> TableWriter::fire_before_insert(std::span<ValueView> values, ValueView* rowid) {
  TriggerRow row{kNoRowidYet, values};
  if (rowid != nullptr && !rowid->is_null()) {
    apply_affinity(Affinity::kInteger, rowid, &scratch_);
    if (!rowid->is_integer()) return Status(code::kMismatch);
    row.rowid = rowid->integer;
  }
  if (table_->has_generated) GW_TRY(compute_generated(values, row.rowid));
  if (table_->strict) GW_TRY(check_strict(values));
  return fire_before(ast::TriggerEvent::kInsert, nullptr, &row);
}

// Columns that are not assigned take what the triggers have made of them.
Result<bool> TableWriter::fire_before_update(const TriggerRow& old_row, const TriggerRow& new_row,
                                             std::span<ValueView> values,
                                             std::vector<ValueView>* current) {
  if (table_->strict) GW_TRY(check_strict(values));
  GW_ASSIGN(bool go_on, fire_before(ast::TriggerEvent::kUpdate, &old_row, &new_row));
  if (!go_on) return false;
  GW_ASSIGN(bool exists, refresh_old_row(old_row.rowid, old_row.values, values, current));
  if (!exists) return false;
  if (table_->rowid_column >= 0) {
    values[static_cast<size_t>(table_->rowid_column)] = ValueView::null();
  }
  if (table_->has_generated) GW_TRY(compute_generated(values, new_row.rowid));
  return true;
}

// The row was written or removed.
Status TableWriter::row_done(ast::TriggerEvent event, const TriggerRow* old_row,
                             const TriggerRow* new_row) {
  if (log_ != nullptr) ++log_->changes;
  if (event == ast::TriggerEvent::kInsert && !table_->without_rowid) {
    context_->services->set_last_insert_rowid(new_row->rowid);
  }
  if (triggers_ != nullptr && triggers_->has(event)) return fire_after(event, old_row, new_row);
  if (log_ == nullptr || log_->returning == nullptr) return Status();
  const TriggerRow& row = new_row != nullptr ? *new_row : *old_row;
  return log_->returning->add(row.rowid, row.values);
}

// RETURNING has its place among the triggers after the change.
Status TableWriter::fire_after(ast::TriggerEvent event, const TriggerRow* old_row,
                               const TriggerRow* new_row) {
  GW_TRY(leave_for_triggers());
  GW_ASSIGN(bool go_on, triggers_->fire_after_temp(event, old_row, new_row));
  if (go_on && log_ != nullptr && log_->returning != nullptr) {
    const TriggerRow& row = new_row != nullptr ? *new_row : *old_row;
    GW_TRY(log_->returning->add(row.rowid, row.values));
  }
  if (go_on) GW_TRY(triggers_->fire_after(event, old_row, new_row).status());
  return return_from_triggers();
}

// Moves cursor_ to the row. False: there is none under its key.
Result<bool> TableWriter::seek_row(Rowid rowid, std::span<const ValueView> values) {
  int order = 0;
  if (table_->without_rowid) {
    GW_TRY(cursor_->seek_key(primary_key(values), &order));
  } else {
    GW_TRY(cursor_->seek_rowid(rowid, &order));
  }
  return !cursor_->at_end() && order == 0;
}

// The row as it is now, generated columns included; false: it is gone.
Result<bool> TableWriter::reload_row(Rowid rowid, std::span<const ValueView> values,
                                     std::vector<ValueView>* current) {
  GW_ASSIGN(bool exists, seek_row(rowid, values));
  if (!exists) return false;
  GW_TRY(load_current_row(current, &scratch_));
  if (table_->has_generated) GW_TRY(compute_generated(*current, rowid));
  return true;
}

// REPLACE fires the triggers of DELETE for the rows that it removes, if triggers may be recursive.
Status TableWriter::replace_with_triggers(Rowid rowid, std::span<ValueView> values, bool pins) {
  fired_on_replace_ = true;
  triggers_->pin(pins ? table_ : nullptr);
  Status status = fire_around_removal(rowid, values);
  triggers_->pin(nullptr);
  return status;
}

Status TableWriter::fire_around_removal(Rowid rowid, std::span<ValueView> values) {
  TriggerRow row{rowid, values};
  std::vector<ValueView> current;
  std::span<const ValueView> now = values;
  if (has_before(ast::TriggerEvent::kDelete)) {
    GW_ASSIGN(bool go_on, fire_before(ast::TriggerEvent::kDelete, &row, nullptr));
    if (!go_on) return Status();
    GW_ASSIGN(bool exists, reload_row(rowid, values, &current));
    if (!exists) return Status();
    now = current;
  }
  GW_TRY(remove_row_and_entries(rowid, now));
  GW_TRY(leave_for_triggers());
  GW_ASSIGN(bool go_on, triggers_->fire_after_temp(ast::TriggerEvent::kDelete, &row, nullptr));
  if (go_on) {
    GW_TRY(triggers_->fire_after(ast::TriggerEvent::kDelete, &row, nullptr).status());
  }
  return return_from_triggers();
}

// Triggers that ran for rows which REPLACE removed may have put others in the way.
Result<TableWriter::Verdict> TableWriter::check_unique_again(std::span<const ValueView> values,
                                                             Rowid rowid, bool check_key,
                                                             const Self* self) {
  is_checked_again_ = true;
  // A rowid that was chosen as a free one may be taken now.
  Result<Verdict> verdict = check_unique(values, rowid, check_key || self == nullptr, self);
  is_checked_again_ = false;
  fired_on_replace_ = true;
  return verdict;
}

// The same triggers may have changed or removed the row that is being updated: index entries that are
// to go are those of the row as it is now.
Status TableWriter::find_old_entries_again(Self* self) {
  std::vector<ValueView> current;
  GW_ASSIGN(bool exists, reload_row(self->rowid, self->values, &current));
  if (exists) old_values_ = current;
  self->values = old_values_;
  for (IndexState& index : indexes_) {
    if (!index.write->affected) continue;
    index.has_old_key = false;
    if (!exists) continue;
    GW_TRY(make_key(&index, old_values_, self->rowid, &index.old_key, &index.has_old_key));
  }
  return Status();
}

}  // namespace godwit
