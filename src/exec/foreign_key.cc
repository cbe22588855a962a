#include "exec/foreign_key.h"

#include "exec/action_writers.h"
#include "exec/foreign_key_counters.h"
#include "exec/table_writer.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

namespace {

Status violation(int code) { return Status(code, "FOREIGN KEY constraint failed"); }

}  // namespace

Result<std::unique_ptr<ForeignKeys>> ForeignKeys::make(const BoundForeignKeys& keys,
                                                       const Table& table, ExecContext* context,
                                                       ActionWriters* writers) {
  std::unique_ptr<ForeignKeys> result(new ForeignKeys(table, context, writers));
  for (const BoundReference* reference : keys.parents) {
    result->parents_.emplace_back(*reference);
  }
  for (const BoundChildren& bound : keys.children) GW_TRY(result->add_children(bound));
  return result;
}

Status ForeignKeys::add_children(const BoundChildren& bound) {
  auto children = std::make_unique<Children>();
  children->bound = &bound;
  children->count_outer.columns = bound.count_columns;
  GW_ASSIGN(children->count,
            QueryRun::make(*bound.count->plan, context_, &children->count_outer));
  if (bound.keys != nullptr) {
    children->keys_outer.columns = bound.keys_columns;
    GW_ASSIGN(children->keys, QueryRun::make(*bound.keys->plan, context_, &children->keys_outer));
  }
  children_.push_back(std::move(children));
  return Status();
}

void ForeignKeys::close() {
  for (ForeignKeyParent& parent : parents_) parent.close();
  for (auto& children : children_) {
    children->count->reset();
    if (children->keys != nullptr) children->keys->reset();
  }
}

// ---- Keys of rows -----------------------------------------------------------------------------------

ValueView ForeignKeys::value(const KeyedRow& row, int32_t column) const {
  if (column == table_.rowid_column) return ValueView::of(row.rowid);
  return row.values[static_cast<size_t>(column)];
}

bool ForeignKeys::child_key(const BoundReference& reference, const KeyedRow& row) {
  key_.clear();
  for (int32_t column : reference.child_columns) {
    key_.push_back(value(row, column));
    if (key_.back().is_null()) return false;
  }
  return true;
}

bool ForeignKeys::parent_key(const BoundReference& reference, const KeyedRow& row,
                             std::vector<ValueView>* key) const {
  key->clear();
  for (int32_t column : reference.parent_columns) {
    key->push_back(value(row, column));
    if (key->back().is_null()) return false;
  }
  return true;
}

// The row is not in the parent's index yet, whose affinities and collations would say more: values must
// be the same as they are.
bool ForeignKeys::is_own_parent(const BoundReference& reference, const KeyedRow& row) const {
  if (!reference.is_self()) return false;
  if (reference.parent_index == nullptr) {
    ValueView own = value(row, reference.child_columns[0]);
    Arena bytes;
    apply_affinity(Affinity::kInteger, &own, &bytes);
    return own.is_integer() && own.integer == row.rowid;
  }
  for (size_t i = 0; i < reference.child_columns.size(); ++i) {
    ValueView own = value(row, reference.child_columns[i]);
    ValueView parent = value(row, reference.parent_columns[i]);
    if (parent.is_null() || compare_values(own, parent, binary_collation()) != 0) return false;
  }
  return true;
}

bool ForeignKeys::is_same_key(const BoundReference& reference, const KeyedRow& a, const KeyedRow& b,
                              bool by_collation) const {
  for (int32_t column : reference.parent_columns) {
    const Collation* collation = by_collation && column != table_.rowid_column
                                     ? table_.columns[static_cast<size_t>(column)].collation
                                     : binary_collation();
    if (compare_values(value(a, column), value(b, column), collation) != 0) return false;
  }
  return true;
}

// ---- Counting ---------------------------------------------------------------------------------------

// Child rows with the key of `row`, but for the row `self` of a table that refers to itself.
Result<int64_t> ForeignKeys::count_children(Children* children, const KeyedRow& row,
                                            const KeyedRow& self) {
  const BoundReference& reference = *children->bound->reference;
  std::vector<ValueView>& values = children->count_outer.values;
  if (!parent_key(reference, row, &values)) return int64_t{0};
  if (reference.is_self()) {
    if (table_.without_rowid) {
      for (int32_t column : table_.primary_key) values.push_back(value(self, column));
    } else {
      values.push_back(ValueView::of(self.rowid));
    }
  }
  int64_t count = 0;
  for (;;) {
    GW_ASSIGN(bool more, children->count->step());
    if (!more) break;
    ++count;
  }
  children->count->reset();
  return count;
}

Status ForeignKeys::count_removed(const KeyedRow& row, const KeyedRow* replacement) {
  ForeignKeyCounters& counters = *context_->services->foreign_key_counters();
  Btree* btree = context_->services->btree(table_.database);
  for (ForeignKeyParent& parent : parents_) {
    bool deferred = parent.reference().key->deferred;
    if (counters.is_sound(deferred) || !child_key(parent.reference(), row)) continue;
    GW_ASSIGN(bool exists, parent.exists(btree, key_));
    if (!exists) counters.add(deferred, -1);
  }
  for (auto& children : children_) {
    const BoundReference& reference = *children->bound->reference;
    if (replacement != nullptr && is_same_key(reference, row, *replacement, false)) continue;
    GW_ASSIGN(int64_t count, count_children(children.get(), row, row));
    if (count > 0) counters.add(reference.key->deferred, count);
  }
  return Status();
}

Status ForeignKeys::count_stored(const KeyedRow& row, const KeyedRow* replaced) {
  ForeignKeyCounters& counters = *context_->services->foreign_key_counters();
  Btree* btree = context_->services->btree(table_.database);
  for (ForeignKeyParent& parent : parents_) {
    const BoundReference& reference = parent.reference();
    if (!child_key(reference, row) || is_own_parent(reference, row)) continue;
    GW_ASSIGN(bool exists, parent.exists(btree, key_));
    if (exists) continue;
    if (fails_at_once_ && !reference.key->deferred && !counters.defer_all) {
      return violation(code::kConstraintForeignKey);
    }
    counters.add(reference.key->deferred, 1);
  }
  for (auto& children : children_) {
    const BoundReference& reference = *children->bound->reference;
    bool deferred = reference.key->deferred;
    if (counters.is_sound(deferred)) continue;
    if (replaced != nullptr && is_same_key(reference, row, *replaced, false)) continue;
    GW_ASSIGN(int64_t count,
              count_children(children.get(), row, replaced != nullptr ? *replaced : row));
    if (count > 0) counters.add(deferred, -count);
  }
  return Status();
}

// ---- Actions ----------------------------------------------------------------------------------------

Status ForeignKeys::act(const KeyedRow& row, const KeyedRow* replacement) {
  for (auto& children : children_) {
    if (children->bound->action == ForeignKeyAction::kNoAction) continue;
    if (replacement != nullptr &&
        is_same_key(*children->bound->reference, row, *replacement, true)) {
      continue;
    }
    GW_TRY(act_on(children.get(), row, replacement));
  }
  return Status();
}

Status ForeignKeys::act_on(Children* children, const KeyedRow& row, const KeyedRow* replacement) {
  const BoundChildren& bound = *children->bound;
  bool restricts = bound.action == ForeignKeyAction::kRestrict;
  if (restricts && context_->services->foreign_key_counters()->defer_all) return Status();
  if (!parent_key(*bound.reference, row, &children->keys_outer.values)) return Status();
  // All keys are taken before the first row is changed.
  QueryRun& query = *children->keys;
  std::vector<ValueView> keys;
  Arena bytes;
  for (;;) {
    GW_ASSIGN(bool more, query.step());
    if (!more) break;
    if (restricts) {
      query.reset();
      return violation(code::kConstraintTrigger);
    }
    for (uint32_t i = 0; i < query.column_count(); ++i) {
      ValueView value = query.column(i);
      if (value.type >= ValueType::kText && !value.zero_filled) {
        value.bytes = bytes.copy(value.text()).data();
      }
      keys.push_back(value);
    }
  }
  query.reset();
  return keys.empty() ? Status() : change_children(bound, keys, replacement);
}

Status ForeignKeys::change_children(const BoundChildren& bound, std::span<const ValueView> keys,
                                    const KeyedRow* replacement) {
  GW_ASSIGN(ActionWriters::Lease writer, writers_->borrow(*bound.write));
  size_t columns = bound.keys->column_count;
  int64_t changes = 0;
  for (size_t at = 0; at < keys.size(); at += columns) {
    GW_ASSIGN(bool changed,
              change_child(bound, writer.get(), keys.subspan(at, columns), replacement));
    if (changed) ++changes;
  }
  context_->services->add_total_changes(changes);
  return Status();
}

// False: the row is gone, or a trigger gave it up.
Result<bool> ForeignKeys::change_child(const BoundChildren& bound, TableWriter* writer,
                                       std::span<const ValueView> key,
                                       const KeyedRow* replacement) {
  const BoundReference& reference = *bound.reference;
  Rowid rowid = 0;
  std::vector<ValueView> old_values;
  Arena bytes;
  GW_ASSIGN(bool exists, writer->load_row(key, &rowid, &old_values, &bytes));
  if (!exists) return false;
  if (replacement == nullptr && bound.action == ForeignKeyAction::kCascade) {
    return writer->remove(rowid, old_values);
  }
  std::vector<ValueView> values = old_values;
  ValueView new_rowid;
  bool assigns_rowid = false;
  for (size_t i = 0; i < reference.child_columns.size(); ++i) {
    int32_t column = reference.child_columns[i];
    ValueView assigned;
    if (bound.action == ForeignKeyAction::kCascade) {
      assigned = value(*replacement, reference.parent_columns[i]);
    } else if (bound.action == ForeignKeyAction::kSetDefault) {
      GW_TRY(writer->default_value(column, &assigned));
    }
    values[static_cast<size_t>(column)] = assigned;
    if (column != reference.child->rowid_column) continue;
    new_rowid = assigned;
    assigns_rowid = true;
  }
  return writer->update(rowid, old_values, values, assigns_rowid ? &new_rowid : nullptr);
}

}  // namespace godwit
