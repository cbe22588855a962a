#include "engine/body_ddl.h"
#include "plan/bind_table_write.h"

namespace godwit {

namespace {

Status check_default(Binder* binder, const Column& column) {
  if (column.default_value == nullptr) return Status();
  auto bound = binder->bind_expr(*column.default_value, ExprUse::kDefault);
  if (bound.ok()) return Status();
  return Status::error("default value of column [" + column.name + "] is not constant");
}

Status check_generated(Binder* binder, const Table& table, SourceId row) {
  std::vector<BoundExpr*> generated(table.columns.size());
  for (size_t i = 0; i < generated.size(); ++i) {
    if (table.columns[i].generated_as == nullptr) continue;
    GW_ASSIGN(generated[i],
              binder->bind_expr(*table.columns[i].generated_as, ExprUse::kGenerated));
  }
  std::vector<int32_t> order;
  return order_generated_columns(table, row, generated, &order);
}

}  // namespace

Status check_table_expressions(const CompileInput& input, const Table& table) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  binder.enter_schema_text(table.database, table.sql);
  for (const Column& column : table.columns) GW_TRY(check_default(&binder, column));
  binder.push_scope();
  const BoundSource* row = binder.add_table(table, table.name);
  for (const CheckConstraint& check : table.checks) {
    GW_TRY(binder.bind_expr(*check.expression, ExprUse::kCheck));
  }
  if (table.has_generated) GW_TRY(check_generated(&binder, table, row->id));
  binder.pop_scope();
  binder.leave_schema_text();
  return Status();
}

Status check_index_expressions(const CompileInput& input, const Table& table, const Index& index) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  binder.enter_schema_text(table.database, index.sql);
  binder.push_scope();
  binder.add_table(table, table.name);
  for (const IndexColumn& column : index.columns) {
    if (column.column != IndexColumn::kExpression) continue;
    GW_TRY(binder.bind_expr(*column.expression, ExprUse::kIndex));
  }
  if (index.where != nullptr) GW_TRY(binder.bind_expr(*index.where, ExprUse::kPartialIndex));
  binder.pop_scope();
  binder.leave_schema_text();
  return Status();
}

}  // namespace godwit
