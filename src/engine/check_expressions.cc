#include "engine/body_ddl.h"

namespace godwit {

namespace {

Status check_default(Binder* binder, const Column& column) {
  if (column.default_value == nullptr) return Status();
  auto bound = binder->bind_expr(*column.default_value, ExprUse::kDefault);
  if (bound.ok()) return Status();
  return Status::error("default value of column [" + column.name + "] is not constant");
}

}  // namespace

Status check_table_expressions(const CompileInput& input, const Table& table) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  binder.enter_schema_text(table.database, table.sql);
  for (const Column& column : table.columns) GW_TRY(check_default(&binder, column));
  binder.push_scope();
  binder.add_table(table, table.name);
  for (const CheckConstraint& check : table.checks) {
    GW_TRY(binder.bind_expr(*check.expression, ExprUse::kCheck));
  }
  for (const Column& column : table.columns) {
    if (column.generated_as == nullptr) continue;
    GW_TRY(binder.bind_expr(*column.generated_as, ExprUse::kGenerated));
  }
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
