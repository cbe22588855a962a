// One SELECT core: its parts are bound in SQLite's order (FROM, results, HAVING, WHERE and ON,
// ORDER BY, GROUP BY), which decides which of several errors is reported, and what an alias or an
// aggregate in each part means.
#include "plan/binder_state.h"
#include "plan/depth_guard.h"

namespace godwit {

Status BinderState::bind_core(const ast::SelectCore& ast, std::span<ast::OrderTerm> order_by,
                              BoundQuery* query, BoundCore* core, Scope* target) {
  Scope* saved = scope;
  scope = target;
  core->output = new_source_id();
  target->aggregate_output = new_source_id();
  // A VALUES clause of one row is a SELECT without FROM, in which an aggregate sees one row.
  if (ast.is_values) {
    GW_TRY(bind_values_core(ast, core, target));
  } else {
    GW_TRY(bind_select_core(ast, order_by, query, core, target));
  }
  // Queries inside have lower numbers, as EXPLAIN QUERY PLAN shows them.
  core->number = next_core_number++;
  scope = saved;
  return Status();
}

Status BinderState::bind_select_core(const ast::SelectCore& ast,
                                     std::span<ast::OrderTerm> order_by, BoundQuery* query,
                                     BoundCore* core, Scope* target) {
  GW_TRY(name_windows(ast.windows, target));
  GW_TRY(bind_from(ast.from, target));
  core->sources = arena->make_array<BoundSource*>(target->sources.size());
  for (size_t i = 0; i < core->sources.size(); ++i) core->sources[i] = target->sources[i].source;
  core->distinct = ast.distinct == ast::Distinctness::kDistinct;
  GW_TRY(expand_results(ast.columns, target));
  GW_TRY(bind_result_items(target));
  target->is_aggregate = !target->aggregates.empty() || !ast.group_by.empty();
  target->allow_aggregates = target->is_aggregate;
  target->allow_windows = false;
  target->aliases_visible = true;
  if (ast.having != nullptr) {
    if (!target->is_aggregate) return fail("HAVING clause on a non-aggregate query");
    GW_ASSIGN(core->having, bind_condition(*ast.having, ScopePhase::kHaving));
  }
  target->phase = ScopePhase::kWhere;
  std::vector<BoundExpr*> where_terms;
  if (ast.where != nullptr) {
    GW_ASSIGN(BoundExpr * where, bind_condition(*ast.where, ScopePhase::kWhere));
    where_terms.push_back(where);
  }
  GW_TRY(bind_join_conditions(target, 0, &where_terms));
  core->where = conjunction(where_terms);
  target->allow_aggregates = true;
  target->allow_windows = true;
  GW_ASSIGN(query->order_by, bind_simple_order(order_by, target));
  target->allow_aggregates = target->is_aggregate;
  target->allow_windows = false;
  GW_TRY(bind_group_by(ast.group_by, core, target));
  core->is_aggregate = target->is_aggregate;
  core->has_group_by = !ast.group_by.empty();
  core->results = finish_results(*target);
  finish_windows(*target, core);
  if (core->is_aggregate) {
    // ORDER BY terms of a compound are compared with the results as they were written.
    for (ResultItem& item : target->results) item.expr = clone(item.expr);
    finish_aggregation(target, core, query->order_by);
  }
  return Status();
}

Result<BoundExpr*> BinderState::bind_condition(const ast::Expr& expr, ScopePhase phase) {
  scope->phase = phase;
  DepthGuard depth(this, expr.height);
  GW_TRY(depth.check());
  return bind_scalar(expr);
}

Status BinderState::bind_values_core(const ast::SelectCore& ast, BoundCore* core, Scope* target) {
  size_t rows = ast.value_rows();
  uint32_t columns = ast.value_columns;
  // In VALUES of several rows an aggregate is known for one, but has no place.
  target->phase = rows == 1 ? ScopePhase::kResults : ScopePhase::kWhere;
  target->allow_aggregates = &ast != plain_values;
  target->allow_windows = rows == 1 && &ast != plain_values;
  core->values = arena->make_array<std::span<BoundExpr*>>(rows);
  core->values_are_constant = true;
  for (size_t row = 0; row < rows; ++row) {
    core->values[row] = arena->make_array<BoundExpr*>(columns);
    for (uint32_t i = 0; i < columns; ++i) {
      const ast::Expr& value = *ast.values[row * columns + i];
      DepthGuard depth(this, value.height);
      GW_TRY(depth.check());
      GW_ASSIGN(core->values[row][i], bind_scalar(value));
      core->values_are_constant &= core->values[row][i]->kind == ExprKind::kConstant;
    }
  }
  core->kind = BoundCore::Kind::kValues;
  core->results = arena->make_array<ResultColumn>(columns);
  for (uint32_t i = 0; i < columns; ++i) {
    core->results[i].expr = core->values[0][i];
    core->results[i].name = arena->copy(concat("column", std::to_string(i + 1)));
  }
  finish_windows(*target, core);
  if (target->aggregates.empty() && core->windows.empty()) return Status();
  core->kind = BoundCore::Kind::kSelect;
  core->values = {};
  if (!target->aggregates.empty()) finish_aggregation(target, core, {});
  return Status();
}

Result<BoundQuery*> BinderState::make_values_query(std::span<std::span<BoundExpr*>> rows,
                                                   uint32_t columns) {
  BoundCore* core = arena->make<BoundCore>();
  core->kind = BoundCore::Kind::kValues;
  core->number = next_core_number++;
  core->output = new_source_id();
  core->values = rows;
  core->results = arena->make_array<ResultColumn>(columns);
  for (uint32_t i = 0; i < columns; ++i) core->results[i].expr = rows[0][i];
  BoundQuery* query = arena->make<BoundQuery>();
  query->cores = arena->make_array<BoundCore*>(1);
  query->cores[0] = core;
  GW_TRY(describe_columns(query));
  return query;
}

}  // namespace godwit
