#include <algorithm>
#include <vector>

#include "plan/bind_assignments.h"
#include "plan/bind_foreign_key.h"
#include "plan/bind_table_write.h"
#include "plan/bind_trigger.h"

namespace godwit {

namespace {

// The columns of the source query that identify and describe the old row (BoundUpdate::source).
// `needed`: by column; the others are NULL. Empty: all are.
void old_row_columns(const DmlContext& context, BoundSource* source, const Table& table,
                     const std::vector<bool>& needed, std::vector<ResultColumn>* results) {
  if (table.kind == TableKind::kView) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      results->push_back({context.binder->view_column(*source, static_cast<int32_t>(i)), {}});
    }
    return;
  }
  if (table.has_rowid()) {
    results->push_back({make_column(context, source, table, ColumnRef::kRowid), {}});
  } else if (table.kind == TableKind::kVirtual) {
    int32_t key = table.without_rowid ? table.primary_key[0] : ColumnRef::kRowid;
    results->push_back({make_column(context, source, table, key), {}});
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    BoundExpr* expr;
    const bool is_needed = needed.empty() || needed[i];
    if (table.columns[i].generated == Generated::kVirtual || !is_needed) {
      expr = context.arena->make<BoundExpr>();  // NULL: virtual ones are computed by the writer
      expr->is_constant = true;
    } else {
      expr = make_column(context, source, table, static_cast<int32_t>(i));
    }
    results->push_back({expr, {}});
  }
}

// The table, or the view, whose rows are looked for.
// What removing a row takes of it besides its rowid: the columns of its index entries. Empty: all,
// because somebody is shown the row.
std::vector<bool> columns_of_entries(const DmlContext& context, const Table& table,
                                     const ast::DeleteStatement& remove) {
  bool has_keys = context.foreign_keys != nullptr &&
                  (!table.foreign_keys.empty() || is_parent(*context.catalog, table));
  if (table.kind != TableKind::kTable || !table.has_rowid() || table.has_generated || has_keys ||
      !remove.returning.empty() || context.removes_each_row) {
    return {};
  }
  std::vector<bool> needed(table.columns.size(), false);
  for (const Index* index : table.indexes) {
    if (index->where != nullptr) return {};
    for (const IndexColumn& column : index->columns) {
      if (column.column == IndexColumn::kExpression) return {};
      if (column.column >= 0) needed[static_cast<size_t>(column.column)] = true;
    }
  }
  return needed;
}

Result<BoundSource*> add_target(const DmlContext& context, const Table& table,
                                std::string_view name) {
  if (table.kind == TableKind::kView) return context.binder->add_view(table, name);
  return context.binder->add_scanned_table(table, name);
}

Status set_index_hint(const DmlContext& context, const Table& table, ast::IndexHint hint,
                      const ast::Name& name, BoundSource* source) {
  source->not_indexed = hint == ast::IndexHint::kNotIndexed;
  if (hint == ast::IndexHint::kIndexedBy) {
    GW_ASSIGN(source->indexed_by, context.binder->find_index(table, name));
  }
  return Status();
}

// ORDER BY and LIMIT of UPDATE or DELETE: only these rows of the source query are changed, in the order
// of their keys all the same.
struct RowLimits {
  // `results`: what ORDER BY may call by number.
  template <typename Statement>
  Status bind(Binder& binder, const Statement& statement, std::span<const ResultColumn> results) {
    if (statement.limit != nullptr) {
      GW_ASSIGN(limit, binder.bind_limit(*statement.limit));
    }
    if (statement.offset != nullptr) {
      GW_ASSIGN(offset, binder.bind_limit(*statement.offset));
    }
    if (!statement.order_by.empty()) {
      GW_ASSIGN(order_by, binder.bind_order_by(statement.order_by, results));
    }
    return Status();
  }
  void apply(BoundQuery* query) const {
    query->order_by = order_by;
    query->limit = limit;
    query->offset = offset;
  }

  std::span<OrderTerm> order_by;
  BoundExpr* limit = nullptr;
  BoundExpr* offset = nullptr;
};

class UpdateBinder {
 public:
  UpdateBinder(const DmlContext& context, const ast::UpdateStatement& update, const Table& table)
      : context_(context), binder_(*context.binder), update_(update), table_(table) {}

  Result<BoundUpdate*> bind() {
    auto* bound = context_.arena->make<BoundUpdate>();
    bound->conflict = effective_conflict(context_, update_.conflict);
    std::vector<std::string_view> names = assigned_names(update_.assignments);
    bound->by_key = table_.kind == TableKind::kTable &&
                    (context_.triggers->exist(table_, ast::TriggerEvent::kUpdate, names) ||
                     foreign_keys_act(context_, table_, ast::TriggerEvent::kUpdate));
    binder_.push_scope();
    std::string_view name = update_.alias.present() ? update_.alias.text : table_.name;
    GW_ASSIGN(BoundSource * target, add_target(context_, table_, name));
    GW_TRY(set_index_hint(context_, table_, update_.index_hint, update_.index, target));
    std::vector<BoundSource*> sources = {target};
    AssignmentBinder assignments(context_, table_);
    if (!update_.from.empty()) {
      // Only with FROM errors in the names come before those in the values.
      for (const ast::Assignment& assignment : update_.assignments) {
        GW_TRY(assignments.check_names(assignment));
      }
      GW_ASSIGN(auto from, binder_.bind_from(update_.from));
      sources.insert(sources.end(), from.begin(), from.end());
    }
    for (const ast::Assignment& assignment : update_.assignments) {
      GW_TRY(assignments.bind(assignment));
    }
    assigned_ = assignments.columns();
    const bool is_table = table_.kind == TableKind::kTable;
    bound->by_key |= is_table && update_.limit != nullptr;
    if (is_table && update_.from.empty()) {
      for (const BoundExpr* value : assignments.values()) bound->by_key |= sees_changes(value);
    }
    results_.reserve(table_.columns.size() + 1 + assigned_.size());
    const std::vector<bool> used(target->used_columns.begin(), target->used_columns.end());
    if (bound->by_key) {
      key_columns(context_, target, table_, &results_);
    } else {
      old_row_columns(context_, target, table_, {}, &results_);
    }
    if (table_.kind == TableKind::kVirtual) {
      std::copy(used.begin(), used.end(), target->used_columns.begin());
    }
    RowLimits limits;
    GW_TRY(limits.bind(binder_, update_, results_));
    if (bound->by_key && update_.from.empty()) {
      // The new values are computed when the row's turn comes, not by the source query.
      for (BoundExpr* value : assignments.values()) run_for_each_row(value, nullptr);
      bound->row = target;
      bound->values = context_.arena->copy_array<BoundExpr*>(assignments.values());
    } else {
      for (BoundExpr* value : assignments.values()) results_.push_back({value, {}});
    }
    BoundExpr* where = nullptr;
    if (update_.where != nullptr) {
      GW_ASSIGN(where, binder_.bind_expr(*update_.where));
    }
    binder_.pop_scope();
    if (table_.kind == TableKind::kVirtual) mark_unchanged(target);
    bound->source = make_row_query(context_, context_.arena->copy_array<BoundSource*>(sources),
                                   where, context_.arena->copy_array<ResultColumn>(results_));
    limits.apply(bound->source);
    bound->assigned = context_.arena->copy_array<int32_t>(assigned_);
    bound->must_buffer = must_buffer(*bound->source);
    GW_ASSIGN(bound->write, bind_table_write(context_, table_, &bound->assigned));
    // What is wrong with foreign keys is reported before what is wrong in triggers.
    Status triggers =
        bind_triggers(context_, ast::TriggerEvent::kUpdate, names, bound->conflict, bound->write);
    GW_TRY(bind_foreign_keys(context_, bound->write, ast::TriggerEvent::kUpdate, bound->conflict));
    GW_TRY(std::move(triggers));
    GW_ASSIGN(bound->returning, bind_returning(context_, table_, update_.returning));
    bound->must_buffer |=
        bound->by_key || bound->returning != nullptr || bound->write->has_side_effects();
    bound->order = order(*bound, where);
    return bound;
  }

 private:
  // Whether the value depends on the rows that the statement has changed before: a subquery that
  // reads the row and the table is run when the row's turn has come.
  bool sees_changes(const BoundExpr* value) const {
    if (value->query != nullptr && !value->query->correlations.empty() &&
        query_reads(*value->query, table_)) {
      return true;
    }
    return std::any_of(value->args.begin(), value->args.end(),
                       [&](const BoundExpr* arg) { return sees_changes(arg); });
  }

  RowOrder order(const BoundUpdate& bound, const BoundExpr* where) const {
    bool one_by_one = update_.from.empty() && update_.limit == nullptr && bound.returning == nullptr &&
                      !bound.write->has_side_effects() &&
                      (where == nullptr || !where->has_subquery) && !changes_key() &&
                      !may_replace(*bound.write, bound.conflict);
    return one_by_one || table_.kind != TableKind::kTable ? RowOrder::kSearch : RowOrder::kKey;
  }

  bool changes_key() const {
    auto is_assigned = [&](int32_t column) {
      return std::find(assigned_.begin(), assigned_.end(), column) != assigned_.end();
    };
    if (!table_.without_rowid) {
      return is_assigned(ColumnRef::kRowid) || is_assigned(table_.rowid_column);
    }
    return std::any_of(table_.primary_key.begin(), table_.primary_key.end(), is_assigned);
  }

  // The columns that nothing reads but the row that is written back; then all are read.
  void mark_unchanged(BoundSource* target) const {
    target->unchanged_columns = context_.arena->make_array<bool>(table_.columns.size());
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      bool is_assigned = std::ranges::find(assigned_, static_cast<int32_t>(i)) != assigned_.end();
      target->unchanged_columns[i] = !is_assigned && !target->used_columns[i];
      target->used_columns[i] = true;
    }
    if (table_.without_rowid) {
      target->unchanged_columns[static_cast<size_t>(table_.primary_key[0])] = false;
    }
  }

  // Rows can be changed while the table is read only if the scan cannot meet a changed row again,
  // and if nothing else in the statement looks at the table: the order of the scan must not depend
  // on a changed column. Whether an index is used is the planner's choice, so any changed column
  // that is indexed (or is the key) asks for buffering.
  bool must_buffer(const BoundQuery& source) const {
    const BoundCore& core = *source.cores[0];
    if (core.sources.size() > 1 || table_.without_rowid) return true;
    if (table_.kind == TableKind::kVirtual) return true;
    if (expr_reads(core.where, table_)) return true;
    for (const ResultColumn& result : core.results) {
      if (expr_reads(result.expr, table_)) return true;
    }
    return changes_key() || !table_.indexes.empty();
  }

  const DmlContext& context_;
  Binder& binder_;
  const ast::UpdateStatement& update_;
  const Table& table_;
  std::vector<ResultColumn> results_;
  std::vector<int32_t> assigned_;
};

Status check_returning(const Table& table, const char* statement, bool has_returning) {
  if (!has_returning || table.kind != TableKind::kVirtual) return Status();
  return Status::error(std::string(statement) + " RETURNING is not available on virtual tables");
}

}  // namespace

Result<BoundUpdate*> bind_update(const DmlContext& context, const ast::UpdateStatement& update) {
  Binder& binder = *context.binder;
  if (update.with != nullptr) GW_TRY(binder.push_with(*update.with));
  GW_ASSIGN(const Table* table, find_target(context, update.target, ast::TriggerEvent::kUpdate,
                                            !update.returning.empty(),
                                            assigned_names(update.assignments)));
  GW_TRY(check_returning(*table, "UPDATE", !update.returning.empty()));
  if (update.limit != nullptr && !update.from.empty()) {
    return Status::not_implemented("UPDATE ... FROM ... LIMIT");
  }
  GW_ASSIGN(BoundUpdate* bound, UpdateBinder(context, update, *table).bind());
  if (update.with != nullptr) binder.pop_with();
  return bound;
}

Result<BoundDelete*> bind_delete(const DmlContext& context, const ast::DeleteStatement& remove) {
  Binder& binder = *context.binder;
  if (remove.with != nullptr) GW_TRY(binder.push_with(*remove.with));
  GW_ASSIGN(const Table* table,
            find_target(context, remove.target, ast::TriggerEvent::kDelete,
                        !remove.returning.empty()));
  GW_TRY(check_returning(*table, "DELETE", !remove.returning.empty()));
  GW_ASSIGN(bool row_by_row, binder.authorize_write(AuthAction::kDelete, *table));
  auto* bound = context.arena->make<BoundDelete>();
  binder.push_scope();
  std::string_view name = remove.alias.present() ? remove.alias.text : table->name;
  GW_ASSIGN(BoundSource * target, add_target(context, *table, name));
  GW_TRY(set_index_hint(context, *table, remove.index_hint, remove.index, target));
  bound->by_key = table->kind == TableKind::kTable &&
                  (remove.limit != nullptr ||
                   context.triggers->exist(*table, ast::TriggerEvent::kDelete, {}) ||
                   foreign_keys_act(context, *table, ast::TriggerEvent::kDelete));
  std::vector<ResultColumn> results;
  if (bound->by_key) {
    key_columns(context, target, *table, &results);
  } else {
    old_row_columns(context, target, *table, columns_of_entries(context, *table, remove),
                    &results);
    // How the rows are found does not depend on what is read of them.
    std::fill(target->used_columns.begin(), target->used_columns.end(), true);
    if (table->kind == TableKind::kVirtual) {
      // Nothing but the key is handed on.
      results.resize(1);
      std::fill(target->used_columns.begin(), target->used_columns.end(), false);
      if (table->without_rowid) {
        target->used_columns[static_cast<size_t>(table->primary_key[0])] = true;
      }
    }
  }
  RowLimits limits;
  GW_TRY(limits.bind(binder, remove, results));
  BoundExpr* where = nullptr;
  if (remove.where != nullptr) {
    GW_ASSIGN(where, binder.bind_expr(*remove.where));
  }
  binder.pop_scope();
  auto sources = context.arena->make_array<BoundSource*>(1);
  sources[0] = target;
  bound->everything = where == nullptr && remove.limit == nullptr && !row_by_row &&
                      !context.removes_each_row;
  bound->order = RowOrder::kSearch;  // nobody sees it
  bound->must_buffer = bound->by_key || expr_reads(where, *table) || !table->indexes.empty();
  bound->source = make_row_query(context, sources, where,
                                 context.arena->copy_array<ResultColumn>(results));
  limits.apply(bound->source);
  GW_ASSIGN(bound->write, bind_table_write(context, *table, nullptr));
  bound->write->sequence_root = 0;
  Status triggers = bind_triggers(context, ast::TriggerEvent::kDelete, {},
                                  ConflictAction::kDefault, bound->write);
  GW_TRY(bind_foreign_keys(context, bound->write, ast::TriggerEvent::kDelete,
                           ConflictAction::kDefault));
  GW_TRY(std::move(triggers));
  GW_ASSIGN(bound->returning, bind_returning(context, *table, remove.returning));
  if (bound->returning != nullptr || bound->write->has_side_effects()) {
    bound->everything = false;
    bound->must_buffer = true;
    bound->order = RowOrder::kKey;
  }
  if (table->kind == TableKind::kVirtual) {
    bound->everything = false;
    bound->must_buffer = true;
  }
  if (remove.with != nullptr) binder.pop_with();
  return bound;
}

}  // namespace godwit
