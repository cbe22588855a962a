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

Status check_generated(Binder* binder, const Table& table) {
  for (const Column& column : table.columns) {
    if (column.generated_as == nullptr) continue;
    GW_TRY(binder->bind_expr(*column.generated_as, ExprUse::kGenerated));
  }
  // Loops of STORED columns are found when a row is written.
  binder->push_scope();
  GW_ASSIGN(const BoundSource* rows, binder->add_scanned_table(table, table.name));
  Status status = binder->use_all_columns(*rows);
  binder->pop_scope();
  return status;
}

}  // namespace

Status check_table_expressions(const CompileInput& input, const Table& table) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  binder.enter_schema_text(table.database, table.sql);
  for (const Column& column : table.columns) GW_TRY(check_default(&binder, column));
  binder.push_scope();
  binder.add_table(table, table.name);
  binder.allow_missing_collations(true);  // they are asked for when a row is checked
  for (const CheckConstraint& check : table.checks) {
    GW_TRY(binder.bind_expr(*check.expression, ExprUse::kCheck));
  }
  binder.allow_missing_collations(false);
  if (table.has_generated) GW_TRY(check_generated(&binder, table));
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
