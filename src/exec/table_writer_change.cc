// The changes themselves: insert, update, remove.
#include <algorithm>
#include <limits>

#include "exec/table_writer.h"
#include "value/affinity.h"

namespace godwit {

namespace {
constexpr Rowid kRowidMax = std::numeric_limits<Rowid>::max();
// How often a random rowid is tried when the largest is taken, before the table counts as full.
constexpr int kRandomRowidTries = 100;
}  // namespace

// ---- INSERT -----------------------------------------------------------------------------------------

// The rowid after the largest one; a free random one when that is taken.
Result<Rowid> TableWriter::choose_rowid() {
  if (knows_next_ && !table_->autoincrement) return next_rowid_;
  if (knows_next_) return autoincrement_.next(next_rowid_ - 1);
  GW_TRY(cursor_->last());
  Rowid largest = cursor_->at_end() ? 0 : cursor_->rowid();
  if (table_->autoincrement) return autoincrement_.next(largest);
  if (cursor_->at_end()) return Rowid{1};
  if (largest < kRowidMax) return largest + 1;
  for (int attempt = 0; attempt < kRandomRowidTries; ++attempt) {
    Rowid candidate = 0;
    context_->services->random_bytes(&candidate, sizeof(candidate));
    candidate &= kRowidMax >> 1;
    int order = 0;
    GW_TRY(cursor_->seek_rowid(candidate, &order));
    if (candidate > 0 && (cursor_->at_end() || order != 0)) return candidate;
  }
  return Status(code::kFull);
}

Result<bool> TableWriter::insert(std::span<ValueView> values, const ValueView* rowid) {
  scratch_.reset();
  conflict_clause_ = BoundUniqueCheck::kNoClause;
  if (!unique_checks_.empty()) keep_raw_values(values);
  apply_column_affinities(values);
  return table_->without_rowid ? insert_keyed_row(values) : insert_rowid_row(values, rowid);
}

// Reals are shown as such all the same.
void TableWriter::keep_raw_values(std::span<const ValueView> values) {
  is_excluded_raw_ = false;
  raw_values_.assign(values.begin(), values.end());
  for (size_t i = 0; i < raw_values_.size(); ++i) {
    ValueView& value = raw_values_[i];
    if (affinities_[i] == Affinity::kReal && value.is_integer()) {
      value = ValueView::of(static_cast<double>(value.integer));
    }
  }
}

// A row that was loaded, or is new: forgets what the row before needed.
void TableWriter::begin_row() {
  if (!row_is_loaded_) scratch_.reset();
  row_is_loaded_ = false;
}

Result<bool> TableWriter::insert_keyed_row(std::span<ValueView> values) {
  if (has_before(ast::TriggerEvent::kInsert)) {
    GW_ASSIGN(bool go_on, fire_before_insert(values, nullptr));
    if (!go_on) return false;
  }
  if (table_->has_generated) GW_TRY(compute_generated(values, 0));
  GW_ASSIGN(Verdict row, check_row(values, 0));
  if (row == Verdict::kSkip) return false;
  GW_ASSIGN(Verdict unique, unique_checks_.empty() ? check_unique(values, 0, true, nullptr)
                                                   : check_unique_by_clauses(values, 0, true));
  if (unique == Verdict::kSkip) return false;
  if (foreign_keys_ != nullptr) GW_TRY(foreign_keys_->count_stored({0, values}, nullptr));
  if (observer_ != nullptr) tell_before(RowChangeKind::kInsert, 0, {}, 0, values);
  for (IndexState& index : indexes_) GW_TRY(write_index_entry(&index));
  GW_TRY(write_row(values, 0, false));
  TriggerRow new_row{0, values};
  GW_TRY(row_done(ast::TriggerEvent::kInsert, nullptr, &new_row));
  return true;
}

Result<bool> TableWriter::insert_rowid_row(std::span<ValueView> values, const ValueView* rowid) {
  ValueView given = rowid != nullptr ? *rowid : ValueView();
  if (table_->rowid_column >= 0) {
    ValueView& alias = values[static_cast<size_t>(table_->rowid_column)];
    if (given.is_null()) given = alias;
    alias = ValueView::null();  // stored as NULL: the key holds it
  }
  if (has_before(ast::TriggerEvent::kInsert)) {
    GW_ASSIGN(bool go_on, fire_before_insert(values, &given));
    if (!go_on) return false;
  }
  bool automatic = given.is_null();
  Rowid id = 0;
  if (automatic) {
    GW_ASSIGN(id, choose_rowid());
  } else {
    apply_affinity(Affinity::kInteger, &given, &scratch_);
    if (!given.is_integer()) return Status(code::kMismatch);
    id = given.integer;
  }
  // As in SQLite also by rows that are then skipped.
  if (table_->autoincrement) autoincrement_.used(id);
  if (table_->has_generated) GW_TRY(compute_generated(values, id));
  if (checks_rows_) {
    GW_ASSIGN(Verdict row, check_row(values, id));
    if (row == Verdict::kSkip) return false;
  }
  proposed_rowid_ = id;
  // Nobody has a rowid behind the largest one.
  const bool is_largest =
      automatic || (knows_next_ && id >= next_rowid_ && triggers_ == nullptr && removal_keys_ == nullptr);
  if (!is_largest || !indexes_.empty() || checks_rows_ || !unique_checks_.empty()) {
    GW_ASSIGN(Verdict unique, unique_checks_.empty()
                                  ? check_unique(values, id, !is_largest, nullptr)
                                  : check_unique_by_clauses(values, id, !is_largest));
    if (unique == Verdict::kSkip) return false;
  }
  if (foreign_keys_ != nullptr) GW_TRY(foreign_keys_->count_stored({id, values}, nullptr));
  if (observer_ != nullptr) tell_before(RowChangeKind::kInsert, id, {}, id, values);
  for (IndexState& index : indexes_) GW_TRY(write_index_entry(&index));
  GW_TRY(write_row(values, id, is_largest));
  if (observer_ != nullptr) tell_after(RowChangeKind::kInsert, id);
  // The next automatic rowid follows this one if it is the largest; else an earlier one stands.
  if (is_largest || !knows_next_) {
    knows_next_ = id < kRowidMax && cursor_->is_on_largest();
    next_rowid_ = knows_next_ ? id + 1 : 0;
  }
  last_rowid_ = id;
  TriggerRow new_row{id, values};
  GW_TRY(row_done(ast::TriggerEvent::kInsert, nullptr, &new_row));
  return true;
}

// ---- UPDATE -----------------------------------------------------------------------------------------

Result<bool> TableWriter::update(Rowid old_rowid, std::span<const ValueView> old_values,
                                 std::span<ValueView> values, const ValueView* new_rowid) {
  begin_row();
  knows_next_ = false;
  const TriggerRow old_row{old_rowid, old_values};
  std::vector<ValueView> current;
  if (removed_rows_ && !has_before(ast::TriggerEvent::kUpdate)) {
    GW_ASSIGN(bool exists, refresh_old_row(old_rowid, old_values, values, &current));
    if (!exists) return false;
    old_values = current;
  }
  apply_column_affinities(values);
  Rowid id = old_rowid;
  if (new_rowid != nullptr) {
    ValueView given = *new_rowid;
    apply_affinity(Affinity::kInteger, &given, &scratch_);
    if (!given.is_integer()) return Status(code::kMismatch);
    id = given.integer;
  }
  if (table_->rowid_column >= 0) {
    values[static_cast<size_t>(table_->rowid_column)] = ValueView::null();
  }
  if (table_->has_generated) GW_TRY(compute_generated(values, id));
  const TriggerRow new_row{id, values};
  if (has_before(ast::TriggerEvent::kUpdate)) {
    GW_ASSIGN(bool go_on, fire_before_update(old_row, new_row, values, &current));
    if (!go_on) return false;
    old_values = current;
  }
  if (checks_rows_ || table_->has_generated) {
    GW_ASSIGN(Verdict row, check_row(values, id));
    if (row == Verdict::kSkip) return false;
  }
  Self self{old_rowid, old_values};
  if (table_->has_generated || triggers_ != nullptr || removal_keys_ != nullptr) {
    old_values_.assign(old_values.begin(), old_values.end());
    if (table_->has_generated) GW_TRY(compute_generated(old_values_, old_rowid));
    self.values = old_values_;
  }
  for (IndexState& index : indexes_) {
    if (!index.write->affected) continue;
    GW_TRY(make_key(&index, self.values, old_rowid, &index.old_key, &index.has_old_key));
  }
  bool check_key = table_->without_rowid || id != old_rowid;
  fired_on_replace_ = false;
  if (check_key || checks_rows_ || !indexes_.empty()) {
    GW_ASSIGN(Verdict unique, check_unique(values, id, check_key, &self));
    if (unique == Verdict::kSkip) return false;
  }
  if (fired_on_replace_) GW_TRY(find_old_entries_again(&self));
  GW_TRY(finish_update(self, values, id));
  last_rowid_ = id;
  GW_TRY(row_done(ast::TriggerEvent::kUpdate, &old_row, &new_row));
  return true;
}

// REPLACE for an earlier row of the statement may have removed the row (then false), or, in a table
// without rowids, put another one under its key. Gives the row as it is now, and takes the columns
// that are not assigned from it.
Result<bool> TableWriter::refresh_old_row(Rowid rowid, std::span<const ValueView> old_values,
                                          std::span<ValueView> values,
                                          std::vector<ValueView>* current) {
  GW_ASSIGN(bool exists, reload_row(rowid, old_values, current));
  if (!exists) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!write_->is_assigned(static_cast<int32_t>(i))) values[i] = (*current)[i];
  }
  return true;
}

// All constraints hold: old entries out, new ones in.
Status TableWriter::finish_update(const Self& self, std::span<const ValueView> values,
                                  Rowid rowid) {
  const KeyedRow old_row{self.rowid, self.values}, new_row{rowid, values};
  if (foreign_keys_ != nullptr) GW_TRY(foreign_keys_->count_removed(old_row, &new_row));
  if (observer_ != nullptr) {
    tell_before(RowChangeKind::kUpdate, self.rowid, self.values, rowid, values);
  }
  for (IndexState& index : indexes_) {
    if (!index.write->affected || !index.has_old_key) continue;
    GW_TRY(remove_index_entry(&index, index.old_key));
  }
  bool moved = rowid != self.rowid;
  if (table_->without_rowid) {
    const Index& primary = *table_->primary_index;
    for (uint32_t i = 0; i < primary.declared_columns; ++i) {
      size_t column = static_cast<size_t>(primary.columns[i].column);
      // Also a key that differs only by its collation is written anew.
      moved |= compare_values(values[column], self.values[column], binary_collation()) != 0;
    }
    // The row is no parent of its own but by equal values, so that it is out while parents are sought.
    moved |= meets_itself_;
  }
  if (moved) GW_TRY(remove_tree_row(self.rowid, self.values));
  if (foreign_keys_ != nullptr) GW_TRY(foreign_keys_->count_stored(new_row, &old_row));
  for (IndexState& index : indexes_) {
    if (index.write->affected) GW_TRY(write_index_entry(&index));
  }
  GW_TRY(write_row(values, rowid, false));
  if (observer_ != nullptr) tell_after(RowChangeKind::kUpdate, rowid);
  return foreign_keys_ != nullptr ? foreign_keys_->act(old_row, &new_row) : Status();
}

// ---- DELETE -----------------------------------------------------------------------------------------

Result<bool> TableWriter::remove(Rowid rowid, std::span<ValueView> values) {
  begin_row();
  knows_next_ = false;
  if (table_->has_generated) GW_TRY(compute_generated(values, rowid));
  const TriggerRow old_row{rowid, values};
  std::vector<ValueView> current;
  if (has_before(ast::TriggerEvent::kDelete)) {
    GW_ASSIGN(bool go_on, fire_before(ast::TriggerEvent::kDelete, &old_row, nullptr));
    if (!go_on) return false;
    GW_ASSIGN(bool exists, reload_row(rowid, values, &current));
    if (!exists) return false;
    values = current;
  }
  if (removal_keys_ != nullptr) GW_TRY(removal_keys_->count_removed({rowid, values}, nullptr));
  if (observer_ != nullptr) tell_before(RowChangeKind::kDelete, rowid, values, 0, {});
  for (IndexState& index : indexes_) {
    GW_TRY(make_key(&index, values, rowid, &index.old_key, &index.has_old_key));
    if (index.has_old_key) GW_TRY(remove_index_entry(&index, index.old_key));
  }
  GW_TRY(remove_tree_row(rowid, values));
  if (observer_ != nullptr) tell_after(RowChangeKind::kDelete, rowid);
  if (removal_keys_ != nullptr) GW_TRY(removal_keys_->act({rowid, values}, nullptr));
  GW_TRY(row_done(ast::TriggerEvent::kDelete, &old_row, nullptr));
  return true;
}

Result<int64_t> TableWriter::clear() {
  knows_next_ = false;
  int64_t rows = 0;
  GW_TRY(btree_->clear_tree(table_->root, &rows));
  for (IndexState& index : indexes_) {
    GW_TRY(btree_->clear_tree(index.write->index->root, nullptr));
  }
  return rows;
}

// ---- The observer -------------------------------------------------------------------------------------

void TableWriter::tell_before(RowChangeKind kind, Rowid old_rowid,
                              std::span<const ValueView> old_values, Rowid new_rowid,
                              std::span<const ValueView> new_values) {
  const uint32_t trigger_depth = context_->frame == nullptr ? 0 : context_->frame->depth;
  observer_->before_change({kind, table_, old_rowid, new_rowid, old_values, new_values,
                            trigger_depth + action_depth_, -1,
                            kind == RowChangeKind::kUpdate ? write_->assigned : std::span<const int32_t>()});
}

void TableWriter::tell_after(RowChangeKind kind, Rowid rowid) {
  RowChange change;
  change.kind = kind;
  change.table = table_;
  change.old_rowid = change.new_rowid = rowid;
  observer_->after_change(change);
}

// ---- Entries of the trees -----------------------------------------------------------------------------

Status TableWriter::write_index_entry(IndexState* index) {
  if (!index->has_key) return Status();
  ByteSpan record;
  GW_TRY(encoder_.encode(index->key, &record));
  return index->cursor->insert_key(index->key, record);
}

Status TableWriter::remove_index_entry(IndexState* index, std::span<const ValueView> key) {
  int order = 0;
  GW_TRY(index->cursor->seek_key(key, &order));
  // A row whose entry is missing: the index is damaged, and says so here as in SQLite.
  if (index->cursor->at_end() || order != 0) return Status(code::kCorruptIndex);
  return index->cursor->remove();
}

std::span<const ValueView> TableWriter::primary_key(std::span<const ValueView> values) {
  const Index& primary = *table_->primary_index;
  primary_key_.resize(primary.declared_columns);
  for (uint32_t i = 0; i < primary.declared_columns; ++i) {
    primary_key_[i] = values[static_cast<size_t>(primary.columns[i].column)];
  }
  return primary_key_;
}

// The triggers of a row that UPDATE replaces must not write the table: so it is in SQLite, whose cursor
// has to stay where it is.
Status TableWriter::check_pinned() const {
  for (const TriggerFrame* frame = context_->frame; frame != nullptr; frame = frame->parent) {
    if (frame->pinned == table_) return Status(code::extended(code::kConstraint, 11));
  }
  return Status();
}

Status TableWriter::write_row(std::span<const ValueView> values, Rowid rowid, bool append) {
  GW_TRY(check_pinned());
  for (size_t i = 0; i < stored_.size(); ++i) {
    const StoredColumn& stored = stored_columns_[i];
    const ValueView& value = values[stored.column];
    stored_[i] = stored.is_real ? stored_form(Affinity::kReal, value) : value;
  }
  ByteSpan record;
  GW_TRY(encoder_.encode(stored_, &record));
  if (!table_->without_rowid) return cursor_->insert(rowid, record, append);
  return cursor_->insert_key(primary_key(values), record);
}

Status TableWriter::remove_tree_row(Rowid rowid, std::span<const ValueView> values) {
  int order = 0;
  if (table_->without_rowid) {
    GW_TRY(cursor_->seek_key(primary_key(values), &order));
  } else {
    GW_TRY(cursor_->seek_rowid(rowid, &order));
  }
  // Gone already: removed by REPLACE for an earlier row of the same statement.
  if (cursor_->at_end() || order != 0) return Status();
  GW_TRY(check_pinned());
  return cursor_->remove();
}

// The row that cursor_ is on, decoded into values by column. Virtual columns are not computed.
Status TableWriter::load_current_row(std::vector<ValueView>* values, Arena* bytes) {
  std::vector<uint8_t> scratch;
  ByteSpan payload;
  GW_TRY(cursor_->complete_payload(&scratch, &payload));
  RecordDecoder decoder(btree_->encoding());
  GW_TRY(decoder.reset(payload));
  values->assign(table_->columns.size(), ValueView());
  for (size_t i = 0; i < values->size(); ++i) {
    const Column& column = table_->columns[i];
    if (column.storage_position < 0) continue;
    bool missing = false;
    ValueView& value = (*values)[i];
    GW_TRY(decoder.column(static_cast<uint32_t>(column.storage_position), &value, &missing));
    if (missing && defaults_[i] != nullptr) GW_TRY(evaluate_scalar(defaults_[i].get(), &value));
    if (value.type >= ValueType::kText) value.bytes = bytes->copy(value.text()).data();
    if (column.affinity == Affinity::kReal && value.is_integer()) {
      value = ValueView::of(static_cast<double>(value.integer));
    }
  }
  return Status();
}

Result<Rowid> TableWriter::load_conflicting_row(std::vector<ValueView>* values) {
  Rowid rowid = table_->without_rowid ? 0 : cursor_->rowid();
  GW_TRY(load_current_row(values, &scratch_));
  if (table_->has_generated) GW_TRY(compute_generated(*values, rowid));
  return rowid;
}

Result<bool> TableWriter::load_row(std::span<const ValueView> key, Rowid* rowid,
                                   std::vector<ValueView>* values, Arena* bytes) {
  int order = 0;
  *rowid = 0;
  if (table_->without_rowid) {
    GW_TRY(cursor_->seek_key(key, &order));
  } else {
    *rowid = key[0].integer;
    GW_TRY(cursor_->seek_rowid(*rowid, &order));
  }
  if (cursor_->at_end() || order != 0) return false;
  scratch_.reset();
  row_is_loaded_ = true;
  GW_TRY(load_current_row(values, bytes));
  if (table_->has_generated) GW_TRY(compute_generated(*values, *rowid));
  return true;
}

// REPLACE: removes the row that cursor_ is on, with its index entries. The new row's keys in
// IndexState::key stay. `pins`: see check_pinned().
Status TableWriter::remove_stored_row(Rowid rowid, bool pins) {
  std::vector<ValueView> values;
  GW_TRY(load_current_row(&values, &scratch_));
  if (table_->has_generated) GW_TRY(compute_generated(values, rowid));
  knows_next_ = false;
  removed_rows_ = true;
  fired_on_replace_ |= removal_keys_ != nullptr;  // actions may do what triggers do
  return fires_on_replace() ? replace_with_triggers(rowid, values, pins)
                            : remove_row_and_entries(rowid, values);
}

Status TableWriter::remove_row_and_entries(Rowid rowid, std::span<const ValueView> values) {
  if (removal_keys_ != nullptr) GW_TRY(removal_keys_->count_removed({rowid, values}, nullptr));
  if (observer_ != nullptr) tell_before(RowChangeKind::kDelete, rowid, values, 0, {});
  std::vector<ValueView> key;
  for (IndexState& index : indexes_) {
    bool in_index = false;
    key.resize(index.key.size());
    GW_TRY(make_key(&index, values, rowid, &key, &in_index));
    if (in_index) GW_TRY(remove_index_entry(&index, key));
  }
  GW_TRY(remove_tree_row(rowid, values));
  return removal_keys_ != nullptr ? removal_keys_->act({rowid, values}, nullptr) : Status();
}

}  // namespace godwit
