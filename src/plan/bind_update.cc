#include <algorithm>
#include <vector>

#include "plan/bind_table_write.h"

namespace godwit {

namespace {

// The columns of the source query that identify and describe the old row (BoundUpdate::source).
void old_row_columns(const DmlContext& context, BoundSource* source, const Table& table,
                     std::vector<ResultColumn>* results) {
  if (table.has_rowid()) {
    results->push_back({make_column(context, source, table, ColumnRef::kRowid), {}});
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    BoundExpr* expr;
    if (table.columns[i].generated == Generated::kVirtual) {
      expr = context.arena->make<BoundExpr>();  // NULL: computed by the writer
      expr->is_constant = true;
    } else {
      expr = make_column(context, source, table, static_cast<int32_t>(i));
    }
    results->push_back({expr, {}});
  }
}

Status set_index_hint(const DmlContext& context, const Table& table, ast::IndexHint hint,
                      const ast::Name& name, BoundSource* source) {
  source->not_indexed = hint == ast::IndexHint::kNotIndexed;
  if (hint == ast::IndexHint::kIndexedBy) {
    GW_ASSIGN(source->indexed_by, context.binder->find_index(table, name));
  }
  return Status();
}

class UpdateBinder {
 public:
  UpdateBinder(const DmlContext& context, const ast::UpdateStatement& update, const Table& table)
      : context_(context), binder_(*context.binder), update_(update), table_(table) {}

  Result<BoundUpdate*> bind() {
    auto* bound = context_.arena->make<BoundUpdate>();
    bound->conflict = update_.conflict;
    binder_.push_scope();
    std::string_view name = update_.alias.present() ? update_.alias.text : table_.name;
    BoundSource* target = binder_.add_table(table_, name);
    GW_TRY(set_index_hint(context_, table_, update_.index_hint, update_.index, target));
    std::vector<BoundSource*> sources = {target};
    if (!update_.from.empty()) {
      GW_ASSIGN(auto from, binder_.bind_from(update_.from));
      sources.insert(sources.end(), from.begin(), from.end());
    }
    results_.reserve(table_.columns.size() + 1 + update_.assignments.size());
    old_row_columns(context_, target, table_, &results_);
    for (const ast::Assignment& assignment : update_.assignments) GW_TRY(bind_assignment(assignment));
    BoundExpr* where = nullptr;
    if (update_.where != nullptr) {
      GW_ASSIGN(where, binder_.bind_expr(*update_.where));
    }
    binder_.pop_scope();
    bound->source = make_row_query(context_, context_.arena->copy_array<BoundSource*>(sources),
                                   where, context_.arena->copy_array<ResultColumn>(results_));
    bound->assigned = context_.arena->copy_array<int32_t>(assigned_);
    bound->must_buffer = must_buffer(*bound->source);
    GW_ASSIGN(bound->write, bind_table_write(context_, table_, &bound->assigned));
    return bound;
  }

 private:
  Result<int32_t> resolve(const ast::Name& name) {
    int32_t column = table_.find_column(name.text);
    if (column >= 0) {
      if (table_.columns[static_cast<size_t>(column)].generated != Generated::kNo) {
        return Status::error("cannot UPDATE generated column \"" + std::string(name.text) + "\"");
      }
      return column;
    }
    bool rowid_name = names_equal(name.text, "rowid") || names_equal(name.text, "oid") ||
                      names_equal(name.text, "_rowid_");
    if (rowid_name && table_.has_rowid()) {
      return table_.rowid_column >= 0 ? table_.rowid_column : ColumnRef::kRowid;
    }
    return Status::error("no such column: " + std::string(name.text));
  }

  // A column assigned twice: the last one counts.
  void assign(int32_t column, BoundExpr* value) {
    auto it = std::find(assigned_.begin(), assigned_.end(), column);
    size_t first = results_.size() - assigned_.size();
    if (it != assigned_.end()) {
      results_[first + static_cast<size_t>(it - assigned_.begin())].expr = value;
      return;
    }
    assigned_.push_back(column);
    results_.push_back({value, {}});
  }

  Status bind_assignment(const ast::Assignment& assignment) {
    if (assignment.columns.size() == 1) {
      GW_ASSIGN(int32_t column, resolve(assignment.columns[0]));
      GW_ASSIGN(BoundExpr* value, binder_.bind_expr(*assignment.expr));
      assign(column, value);
      return Status();
    }
    uint32_t count = static_cast<uint32_t>(assignment.columns.size());
    std::vector<int32_t> columns;
    for (const ast::Name& name : assignment.columns) {
      GW_ASSIGN(int32_t column, resolve(name));
      columns.push_back(column);
    }
    GW_ASSIGN(BoundExpr* row, binder_.bind_row(*assignment.expr, count));
    if (row->kind != ExprKind::kRow) return Status::not_implemented("UPDATE ... SET (...) = (SELECT ...)");
    for (uint32_t i = 0; i < count; ++i) assign(columns[i], row->args[i]);
    return Status();
  }

  // Rows can be changed while the table is read only if the scan cannot meet a changed row again,
  // and if nothing else in the statement looks at the table: the order of the scan must not depend
  // on a changed column. Whether an index is used is the planner's choice, so any changed column
  // that is indexed (or is the key) asks for buffering.
  bool must_buffer(const BoundQuery& source) const {
    const BoundCore& core = *source.cores[0];
    if (core.sources.size() > 1 || table_.without_rowid) return true;
    if (expr_reads(core.where, table_)) return true;
    for (const ResultColumn& result : core.results) {
      if (expr_reads(result.expr, table_)) return true;
    }
    for (int32_t column : assigned_) {
      if (column == ColumnRef::kRowid || column == table_.rowid_column) return true;
    }
    return !table_.indexes.empty();
  }

  const DmlContext& context_;
  Binder& binder_;
  const ast::UpdateStatement& update_;
  const Table& table_;
  std::vector<ResultColumn> results_;
  std::vector<int32_t> assigned_;
};

}  // namespace

Result<BoundUpdate*> bind_update(const DmlContext& context, const ast::UpdateStatement& update) {
  Binder& binder = *context.binder;
  if (update.with != nullptr) GW_TRY(binder.push_with(*update.with));
  GW_ASSIGN(const Table* table, find_target(context, update.target));
  if (!update.returning.empty()) return Status::not_implemented("RETURNING");
  if (!update.order_by.empty() || update.limit != nullptr) {
    return Status::not_implemented("UPDATE ... ORDER BY / LIMIT");
  }
  GW_TRY(check_foreign_keys(context, *table, true));
  GW_ASSIGN(BoundUpdate* bound, UpdateBinder(context, update, *table).bind());
  if (update.with != nullptr) binder.pop_with();
  return bound;
}

Result<BoundDelete*> bind_delete(const DmlContext& context, const ast::DeleteStatement& remove) {
  Binder& binder = *context.binder;
  if (remove.with != nullptr) GW_TRY(binder.push_with(*remove.with));
  GW_ASSIGN(const Table* table, find_target(context, remove.target));
  if (!remove.returning.empty()) return Status::not_implemented("RETURNING");
  if (!remove.order_by.empty() || remove.limit != nullptr) {
    return Status::not_implemented("DELETE ... ORDER BY / LIMIT");
  }
  GW_TRY(check_foreign_keys(context, *table, true));
  auto* bound = context.arena->make<BoundDelete>();
  binder.push_scope();
  std::string_view name = remove.alias.present() ? remove.alias.text : table->name;
  BoundSource* target = binder.add_table(*table, name);
  GW_TRY(set_index_hint(context, *table, remove.index_hint, remove.index, target));
  std::vector<ResultColumn> results;
  old_row_columns(context, target, *table, &results);
  BoundExpr* where = nullptr;
  if (remove.where != nullptr) {
    GW_ASSIGN(where, binder.bind_expr(*remove.where));
  }
  binder.pop_scope();
  auto sources = context.arena->make_array<BoundSource*>(1);
  sources[0] = target;
  bound->everything = where == nullptr;
  bound->must_buffer = expr_reads(where, *table) || !table->indexes.empty();
  bound->source = make_row_query(context, sources, where,
                                 context.arena->copy_array<ResultColumn>(results));
  GW_ASSIGN(bound->write, bind_table_write(context, *table, nullptr));
  if (remove.with != nullptr) binder.pop_with();
  return bound;
}

}  // namespace godwit
