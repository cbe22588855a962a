#include "plan/bind_assignments.h"

#include <algorithm>

namespace godwit {

Result<int32_t> AssignmentBinder::resolve(const ast::Name& name) const {
  int32_t column = table_.find_column(name.text);
  if (column >= 0) {
    if (table_.columns[static_cast<size_t>(column)].generated != Generated::kNo) {
      return Status::error("cannot UPDATE generated column \"" + std::string(name.text) + "\"");
    }
    return column;
  }
  bool rowid_name = names_equal(name.text, "rowid") || names_equal(name.text, "oid") ||
                    names_equal(name.text, "_rowid_");
  if (rowid_name && (table_.kind == TableKind::kView || !table_.without_rowid)) {
    return table_.rowid_column >= 0 ? table_.rowid_column : ColumnRef::kRowid;
  }
  return Status::error("no such column: " + std::string(name.text));
}

// A column assigned twice: the last one counts.
void AssignmentBinder::assign(int32_t column, BoundExpr* value) {
  auto it = std::find(columns_.begin(), columns_.end(), column);
  if (it != columns_.end()) {
    values_[static_cast<size_t>(it - columns_.begin())] = value;
    return;
  }
  columns_.push_back(column);
  values_.push_back(value);
}

// False: the authorizer wants a column to stay as it is.
Result<bool> AssignmentBinder::may_assign(const ast::Assignment& assignment) const {
  for (const ast::Name& name : assignment.columns) {
    GW_ASSIGN(int32_t column, resolve(name));
    std::string_view known_as =
        column < 0 ? std::string_view("ROWID")
                   : std::string_view(table_.columns[static_cast<size_t>(column)].name);
    GW_ASSIGN(bool ignored,
              context_.binder->authorize_write(AuthAction::kUpdate, table_, known_as));
    if (ignored) return false;
  }
  return true;
}

Status AssignmentBinder::bind(const ast::Assignment& assignment) {
  if (assignment.is_row) return bind_row(assignment);
  // As in SQLite errors in the value come before those in the column's name.
  GW_ASSIGN(BoundExpr* value, context_.binder->bind_expr(*assignment.expr));
  GW_ASSIGN(int32_t column, resolve(assignment.columns[0]));
  GW_ASSIGN(bool allowed, may_assign(assignment));
  if (!allowed) return Status();
  assign(column, value);
  return Status();
}

Status AssignmentBinder::bind_row(const ast::Assignment& assignment) {
  uint32_t count = static_cast<uint32_t>(assignment.columns.size());
  std::vector<int32_t> columns;
  for (const ast::Name& name : assignment.columns) {
    GW_ASSIGN(int32_t column, resolve(name));
    columns.push_back(column);
  }
  GW_ASSIGN(BoundExpr* row, context_.binder->bind_row(*assignment.expr, count));
  GW_ASSIGN(bool allowed, may_assign(assignment));
  if (!allowed) return Status();
  if (count == 1) {
    assign(columns[0], row);
    return Status();
  }
  if (row->kind == ExprKind::kRow) {
    for (uint32_t i = 0; i < count; ++i) assign(columns[i], row->args[i]);
    return Status();
  }
  // The columns of a subquery: each value is a scalar subquery that takes another column.
  for (uint32_t i = 0; i < count; ++i) {
    BoundExpr* value = row;
    if (i > 0) {
      GW_ASSIGN(value, context_.binder->bind_row(*assignment.expr, count));
    }
    value->row_columns = 1;
    value->column.column = static_cast<int32_t>(i);
    value->affinity = value->query->column_affinities[i];
    assign(columns[i], value);
  }
  return Status();
}

}  // namespace godwit
