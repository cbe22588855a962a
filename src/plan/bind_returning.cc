// RETURNING: result columns over the row that a statement writes or removes.
#include "plan/bind_table_write.h"
#include "plan/binder_state.h"

namespace godwit {

namespace {

void run_for_each_row(BoundQuery* query, const Table* table) {
  bool reads_table = table != nullptr && query_reads(*query, *table);
  query->run_each_time = !query->correlations.empty() || reads_table;
  for (BoundCore* core : query->cores) {
    for_each_expr(*core, [&](BoundExpr* expr) { godwit::run_for_each_row(expr, table); });
  }
}

}  // namespace

void run_for_each_row(BoundExpr* expr, const Table* table) {
  if (expr == nullptr) return;
  if (expr->query != nullptr) run_for_each_row(expr->query, table);
  for (BoundExpr* arg : expr->args) run_for_each_row(arg, table);
}

Result<BoundReturning*> bind_returning(const DmlContext& context, const Table& table,
                                       std::span<ast::ResultColumn> columns) {
  if (columns.empty()) return nullptr;
  for (const ast::ResultColumn& column : columns) {
    if (column.kind == ast::ResultColumnKind::kTableStar) {
      return Status::error("RETURNING may not use \"TABLE.*\" wildcards");
    }
  }
  Binder& binder = *context.binder;
  auto* bound = context.arena->make<BoundReturning>();
  binder.push_scope();
  bound->row = binder.add_returning_row(table);
  GW_ASSIGN(bound->columns, binder.bind_results(columns));
  binder.pop_scope();
  for (ResultColumn& column : bound->columns) run_for_each_row(column.expr, &table);
  return bound;
}

}  // namespace godwit
