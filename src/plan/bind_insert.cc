#include <algorithm>
#include <vector>

#include "plan/bind_foreign_key.h"
#include "plan/bind_table_write.h"
#include "plan/bind_upsert.h"
#include "plan/bound_trigger.h"

namespace godwit {

namespace {

bool is_rowid_name(std::string_view name) {
  return names_equal(name, "rowid") || names_equal(name, "oid") || names_equal(name, "_rowid_");
}

// Which table column each name of the column list is; ColumnRef::kRowid for the rowid.
Status resolve_columns(const ast::InsertStatement& insert, const Table& table,
                       std::vector<int32_t>* targets) {
  for (const ast::Name& name : insert.columns) {
    int32_t column = table.find_column(name.text);
    bool has_rowid = table.kind == TableKind::kView || !table.without_rowid;
    if (column < 0 && is_rowid_name(name.text) && has_rowid) {
      column = ColumnRef::kRowid;
    } else if (column < 0) {
      return Status::error("table " + std::string(insert.target.table.text) +
                           " has no column named " + std::string(name.text));
    } else if (table.columns[static_cast<size_t>(column)].generated != Generated::kNo) {
      return Status::error("cannot INSERT into generated column \"" + std::string(name.text) +
                           "\"");
    }
    targets->push_back(column);
  }
  return Status();
}

void all_columns(const Table& table, std::vector<int32_t>* targets) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.generated == Generated::kNo && !column.hidden) {
      targets->push_back(static_cast<int32_t>(i));
    }
  }
}

Status wrong_count(const ast::InsertStatement& insert, size_t targets, uint32_t values) {
  std::string found = std::to_string(values) + (values == 1 ? " value" : " values");
  if (insert.columns.empty()) {
    return Status::error("table " + std::string(insert.target.table.text) + " has " +
                         std::to_string(targets) + " columns but " + std::to_string(values) +
                         " values were supplied");
  }
  return Status::error(found + " for " + std::to_string(targets) +
                       (targets == 1 ? " column" : " columns"));
}

// VALUES with one row, or DEFAULT VALUES.
bool gives_one_row(const ast::InsertStatement& insert) {
  if (insert.select == nullptr) return true;
  const ast::Select& select = *insert.select;
  return select.cores.size() == 1 && select.cores[0]->value_rows() == 1;
}

// The row may have the key of another one: a rowid that is chosen for it is free.
bool gives_key(const BoundInsert& insert) {
  const Table& table = *insert.write->table;
  if (!table.has_rowid() || insert.rowid_source >= 0) return true;
  return table.rowid_column >= 0 &&
         insert.column_sources[static_cast<size_t>(table.rowid_column)] >= 0;
}

// By the insert itself: those of rows that REPLACE removes do not count.
bool fires_triggers(const BoundTableWrite& write) {
  if (write.triggers == nullptr) return false;
  const BoundEventTriggers& triggers = write.triggers->of(ast::TriggerEvent::kInsert);
  return !triggers.before.empty() || !triggers.after_temp.empty() || !triggers.after.empty();
}

// Whether REPLACE may remove rows: not those that an ON CONFLICT clause takes care of.
bool replaces_rows(const BoundInsert& insert) {
  const BoundTableWrite& write = *insert.write;
  if (insert.upserts.empty()) return may_replace(write, insert.conflict);
  auto replaces = [&](const BoundUniqueCheck& check) {
    if (check.clause != BoundUniqueCheck::kNoClause) return false;
    if (check.index == BoundUniqueCheck::kKey && write.chooses_rowid) return false;
    ConflictAction own = check.index != BoundUniqueCheck::kKey
                             ? write.indexes[static_cast<size_t>(check.index)].index->conflict
                         : write.table->primary_index != nullptr
                             ? write.table->primary_index->conflict
                             : write.table->primary_key_conflict;
    return (insert.conflict != ConflictAction::kDefault ? insert.conflict : own) ==
           ConflictAction::kReplace;
  };
  return std::any_of(insert.unique_checks.begin(), insert.unique_checks.end(), replaces);
}

// Whether a row that is in the way may be updated, and others with it.
bool may_update_others(const BoundInsert& insert) {
  return std::any_of(insert.unique_checks.begin(), insert.unique_checks.end(),
                     [&](const BoundUniqueCheck& check) {
                       if (check.clause == BoundUniqueCheck::kNoClause) return false;
                       if (check.index == BoundUniqueCheck::kKey && insert.write->chooses_rowid) {
                         return false;
                       }
                       const BoundUpsert& clause =
                           insert.upserts[static_cast<size_t>(check.clause)];
                       return clause.write != nullptr && clause.write->has_side_effects();
                     });
}

}  // namespace

Result<BoundInsert*> bind_insert(const DmlContext& context, const ast::InsertStatement& insert) {
  Binder& binder = *context.binder;
  if (insert.with != nullptr) GW_TRY(binder.push_with(*insert.with));
  GW_ASSIGN(const Table* table,
            find_target(context, insert.target, ast::TriggerEvent::kInsert,
                        !insert.returning.empty()));
  if (table->kind == TableKind::kView && !insert.upserts.empty()) {
    return Status::error("cannot UPSERT a view");
  }
  if (table->kind == TableKind::kVirtual && !insert.upserts.empty()) {
    return Status::error("UPSERT not implemented for virtual table \"" + table->name + "\"");
  }
  GW_ASSIGN(bool ignored, binder.authorize_write(AuthAction::kInsert, *table));
  if (ignored) return static_cast<BoundInsert*>(nullptr);
  auto* bound = context.arena->make<BoundInsert>();
  bound->conflict = effective_conflict(context, insert.conflict);
  std::vector<int32_t> targets;
  GW_TRY(resolve_columns(insert, *table, &targets));
  if (insert.columns.empty()) all_columns(*table, &targets);
  bound->column_sources = context.arena->make_array<int32_t>(table->columns.size());
  std::fill(bound->column_sources.begin(), bound->column_sources.end(), -1);
  if (insert.select != nullptr) {
    GW_ASSIGN(bound->source, binder.bind_insert_source(*insert.select));
    if (bound->source->column_count != targets.size()) {
      return wrong_count(insert, targets.size(), bound->source->column_count);
    }
    bound->must_buffer = query_reads(*bound->source, *table);
    for (size_t i = 0; i < targets.size(); ++i) {
      int32_t source = static_cast<int32_t>(i);
      // Of the names of a rowid the last one counts, of another column the first.
      if (targets[i] == ColumnRef::kRowid && table->rowid_column < 0) {
        bound->rowid_source = source;
      } else if (targets[i] == ColumnRef::kRowid || targets[i] == table->rowid_column) {
        bound->column_sources[static_cast<size_t>(table->rowid_column)] = source;
      } else if (bound->column_sources[static_cast<size_t>(targets[i])] < 0) {
        bound->column_sources[static_cast<size_t>(targets[i])] = source;
      }
    }
  }
  GW_ASSIGN(bound->write, bind_table_write(context, *table, nullptr));
  bound->write->chooses_rowid = !gives_key(*bound);
  Status clauses;
  GW_TRY(bind_upserts(context, insert, bound, &clauses));
  // What is wrong with foreign keys is reported before what is wrong in triggers and clauses.
  Status triggers =
      bind_triggers(context, ast::TriggerEvent::kInsert, {}, bound->conflict, bound->write);
  if (context.foreign_keys != nullptr && table->kind == TableKind::kTable) {
    bool replaces = replaces_rows(*bound);
    bound->is_alone = gives_one_row(insert) && insert.returning.empty() && !replaces &&
                      !fires_triggers(*bound->write) && !may_update_others(*bound);
    GW_TRY(context.foreign_keys->bind_insert(context, bound->write, replaces, bound->is_alone));
  }
  GW_TRY(std::move(triggers));
  GW_TRY(std::move(clauses));
  bound->must_buffer |= bound->has_side_effects();
  GW_ASSIGN(bound->returning, bind_returning(context, *table, insert.returning));
  if (insert.with != nullptr) binder.pop_with();
  return bound;
}

}  // namespace godwit
