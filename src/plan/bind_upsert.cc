// A conflict target names what is unique by its columns: the INTEGER PRIMARY KEY or rowid, or an index
// whose columns are those of the target in any order, each under the index's collation unless the
// target says another one, and whose WHERE is the target's.
#include "plan/bind_upsert.h"

#include <algorithm>
#include <vector>

#include "plan/bind_assignments.h"
#include "plan/bind_table_write.h"
#include "plan/bind_trigger.h"
#include "plan/binder_state.h"

namespace godwit {

namespace {

// The table changes from row to row: what a correlated subquery gave for equal values before does
// not hold for the next row.
void read_anew(BoundExpr* expr) {
  if (expr == nullptr) return;
  for (BoundExpr* arg : expr->args) read_anew(arg);
  if (expr->query == nullptr) return;
  if (!expr->query->correlations.empty()) expr->query->is_deterministic = false;
  for (BoundCore* core : expr->query->cores) {
    for_each_expr(*core, [](BoundExpr* inner) { read_anew(inner); });
  }
}

class UpsertBinder {
 public:
  UpsertBinder(const DmlContext& context, const ast::InsertStatement& insert, BoundInsert* bound)
      : context_(context), binder_(*context.binder), insert_(insert), bound_(bound),
        write_(*bound->write), table_(*write_.table) {}

  Status bind_targets() {
    bound_->upserts = context_.arena->make_array<BoundUpsert>(insert_.upserts.size());
    // Whether the clause of each target is known yet; [0]: the key.
    checked_.resize(write_.indexes.size() + 1);
    for (size_t i = 0; i < insert_.upserts.size(); ++i) {
      GW_TRY(bind_target(insert_.upserts[i], static_cast<int32_t>(i)));
    }
    // What no clause names comes after.
    add_all_checks(BoundUniqueCheck::kNoClause);
    bound_->unique_checks = context_.arena->copy_array<BoundUniqueCheck>(checks_);
    return Status();
  }

  // As in SQLite nothing is said about a clause that never takes over, whatever it names.
  Status bind_clauses() {
    for (size_t i = 0; i < insert_.upserts.size(); ++i) {
      BoundUpsert& clause = bound_->upserts[i];
      clause.do_nothing = insert_.upserts[i].do_nothing || !is_used(static_cast<int32_t>(i));
      if (!clause.do_nothing) GW_TRY(bind_clause(insert_.upserts[i], &clause));
    }
    return Status();
  }

 private:
  bool is_used(int32_t clause) const {
    return std::any_of(checks_.begin(), checks_.end(), [&](const BoundUniqueCheck& check) {
      bool is_free = check.index == BoundUniqueCheck::kKey && write_.chooses_rowid;
      return check.clause == clause && !is_free;
    });
  }

  void add_check(int32_t index, int32_t clause) {
    size_t at = static_cast<size_t>(index + 1);
    bool is_unique =
        index < 0 || write_.indexes[static_cast<size_t>(index)].index->unique;
    if (checked_[at] || !is_unique) return;
    checked_[at] = true;
    checks_.push_back({index, clause});
  }

  // In the usual order, without those that have their place already.
  void add_all_checks(int32_t clause) {
    for (size_t i = 0; i <= write_.indexes.size(); ++i) {
      if (i == write_.key_position) add_check(BoundUniqueCheck::kKey, clause);
      if (i < write_.indexes.size()) add_check(static_cast<int32_t>(i), clause);
    }
  }

  Status bind_target(const ast::Upsert& upsert, int32_t clause) {
    if (upsert.target.empty()) {
      add_all_checks(clause);
      return Status();
    }
    binder_.push_scope();
    const BoundSource* source = binder_.add_table(table_, table_.name);
    std::vector<BoundExpr*> terms;
    for (const ast::OrderTerm& term : upsert.target) {
      GW_ASSIGN(BoundExpr * expr, binder_.bind_expr(*term.expr));
      move_to_row(expr, source->id);
      terms.push_back(expr);
    }
    BoundExpr* where = nullptr;
    if (upsert.target_where != nullptr) {
      GW_ASSIGN(where, binder_.bind_expr(*upsert.target_where));
      move_to_row(where, source->id);
    }
    binder_.pop_scope();
    if (is_key(terms)) {
      add_check(BoundUniqueCheck::kKey, clause);
      return Status();
    }
    // Indexes that are unique in the same way share the clause.
    bool found = false;
    for (size_t i = 0; i < write_.indexes.size(); ++i) {
      if (!is_index(write_.indexes[i], terms, where)) continue;
      add_check(static_cast<int32_t>(i), clause);
      found = true;
    }
    return found ? Status() : no_match(clause);
  }

  Status no_match(int32_t clause) const {
    std::string which =
        insert_.upserts.size() == 1 ? "" : ordinal(static_cast<size_t>(clause) + 1) + " ";
    return Status::error(which +
                         "ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint");
  }

  // The expressions of indexes are over the row of the write.
  void move_to_row(BoundExpr* expr, SourceId from) const {
    if (expr->kind == ExprKind::kColumn && expr->column.source == from) {
      expr->column.source = write_.row->id;
    }
    for (BoundExpr* arg : expr->args) move_to_row(arg, from);
  }

  bool is_key(std::span<BoundExpr* const> terms) const {
    if (!table_.without_rowid) {
      return terms.size() == 1 && terms[0]->kind == ExprKind::kColumn &&
             terms[0]->column.column == ColumnRef::kRowid && !terms[0]->collation_is_explicit;
    }
    return has_columns(*table_.primary_index, {}, terms);
  }

  bool is_index(const BoundIndexWrite& index, std::span<BoundExpr* const> terms,
                const BoundExpr* where) const {
    if (!index.index->unique || !has_columns(*index.index, index.expressions, terms)) return false;
    return index.where == nullptr || (where != nullptr && same_tree(index.where, where));
  }

  bool has_columns(const Index& index, std::span<BoundExpr* const> expressions,
                   std::span<BoundExpr* const> terms) const {
    if (terms.size() != index.declared_columns) return false;
    for (uint32_t i = 0; i < index.declared_columns; ++i) {
      auto matches = [&](BoundExpr* term) {
        return is_column(index.columns[i], expressions.empty() ? nullptr : expressions[i], term);
      };
      if (std::none_of(terms.begin(), terms.end(), matches)) return false;
    }
    return true;
  }

  bool is_column(const IndexColumn& column, const BoundExpr* expression,
                 const BoundExpr* term) const {
    if (term->collation_is_explicit && !names_equal(term->collation->name, column.collation->name)) {
      return false;
    }
    // As in SQLite a column that is the rowid matches no column of an index.
    if (column.column != IndexColumn::kExpression) {
      return term->kind == ExprKind::kColumn && term->column.source == write_.row->id &&
             term->column.column == column.column;
    }
    // Which collation is compared above.
    BoundExpr plain = *term, wanted = *expression;
    plain.collation = wanted.collation = nullptr;
    plain.collation_is_explicit = wanted.collation_is_explicit = false;
    return same_tree(&plain, &wanted);
  }

  // The table as the row that could not be inserted has it: values without affinity and collation.
  const Table* excluded_table() const {
    Table* table = context_.arena->make<Table>();
    table->name = table_.name;
    table->database = table_.database;
    table->without_rowid = table_.without_rowid;
    for (const Column& column : table_.columns) {
      table->columns.emplace_back();
      table->columns.back().name = column.name;
      table->columns.back().affinity = Affinity::kNone;
    }
    return table;
  }

  Status bind_clause(const ast::Upsert& upsert, BoundUpsert* clause) {
    binder_.push_scope();
    std::string_view name = insert_.alias.present() ? insert_.alias.text : table_.name;
    clause->row = binder_.add_table(table_, name);
    clause->excluded = binder_.add_table(*excluded_table(), "excluded", true);
    AssignmentBinder assignments(context_, table_);
    for (const ast::Assignment& assignment : upsert.assignments) {
      GW_TRY(assignments.bind(assignment));
    }
    if (upsert.where != nullptr) {
      GW_ASSIGN(clause->where, binder_.bind_expr(*upsert.where));
    }
    binder_.pop_scope();
    clause->assigned = context_.arena->copy_array<int32_t>(assignments.columns());
    clause->values = context_.arena->copy_array<BoundExpr*>(assignments.values());
    for (BoundExpr* value : clause->values) read_anew(value);
    read_anew(clause->where);
    GW_ASSIGN(clause->write, bind_table_write(context_, table_, &clause->assigned));
    GW_TRY(bind_triggers(context_, ast::TriggerEvent::kUpdate, assigned_names(upsert.assignments),
                         ConflictAction::kAbort, clause->write));
    GW_TRY(bind_foreign_keys(context_, clause->write, ast::TriggerEvent::kUpdate,
                             ConflictAction::kAbort));
    return Status();
  }

  const DmlContext& context_;
  Binder& binder_;
  const ast::InsertStatement& insert_;
  BoundInsert* bound_;
  const BoundTableWrite& write_;
  const Table& table_;
  std::vector<BoundUniqueCheck> checks_;
  std::vector<bool> checked_;
};

}  // namespace

Status bind_upserts(const DmlContext& context, const ast::InsertStatement& insert,
                    BoundInsert* bound, Status* clauses) {
  if (insert.upserts.empty()) return Status();
  UpsertBinder binder(context, insert, bound);
  GW_TRY(binder.bind_targets());
  *clauses = binder.bind_clauses();
  return Status();
}

}  // namespace godwit
