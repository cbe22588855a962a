#include "plan/index_match.h"

#include <algorithm>

#include "plan/expr_tree.h"

namespace godwit {
namespace {

// Rewrites columns of whatever source to columns of `id`.
void set_source(BoundExpr* expr, SourceId id) {
  if (expr->kind == ExprKind::kColumn) expr->column.source = id;
  for (BoundExpr* arg : expr->args) set_source(arg, id);
}

BoundExpr* bind_over(FromClause* from, size_t i, const Index& index, const ast::Expr* expr) {
  if (from->context->hooks == nullptr || expr == nullptr) return nullptr;
  BoundSource& source = from->source(i);
  BoundExpr* bound =
      from->context->hooks->bind_table_expression(*index.table, source.id, *expr, from->arena());
  if (bound != nullptr) set_source(bound, source.id);
  return bound;
}

// A true `term` means that `expr` is not NULL. `inside` an operator: a value of `term` that is not NULL
// does, true or not. As far as SQLite sees it.
bool rejects_null_of(const BoundExpr& term, const BoundExpr& expr, bool inside = false) {
  if (same_expr(term, expr)) return true;
  // Whatever its collation.
  if (term.kind == ExprKind::kColumn) return expr.kind == term.kind && expr.column == term.column;
  auto any_of = [&](size_t count, bool within) {
    return std::ranges::any_of(term.args.first(count), [&](const BoundExpr* arg) {
      return rejects_null_of(*arg, expr, within);
    });
  };
  switch (term.kind) {
    case ExprKind::kCompare:
      if (term.compare == CompareOp::kIs || term.compare == CompareOp::kIsNot) return false;
      return any_of(2, true);
    case ExprKind::kIsNull:
      return !inside && term.negated && same_expr(*term.args[0], expr);
    case ExprKind::kIsTruth:
      return !inside && !term.negated && any_of(1, true);
    case ExprKind::kBetween:
      return any_of(inside || term.negated ? 1 : 3, true);
    case ExprKind::kInList:
      return !term.args.empty() && any_of(1, true);
    case ExprKind::kInQuery:
      return !inside && !term.negated && term.args.size() == 1 && any_of(1, true);
    case ExprKind::kBinary: {
      bool keeps_zero = term.binary == BinaryOp::kMultiply || term.binary == BinaryOp::kRemainder ||
                        term.binary == BinaryOp::kBitAnd || term.binary == BinaryOp::kDivide;
      return any_of(term.args.size(), inside || !keeps_zero);
    }
    case ExprKind::kUnary:
      return any_of(1, inside || term.unary == UnaryOp::kNot || term.unary == UnaryOp::kBitNot);
    default:
      return false;
  }
}

// A true `term` means a true `condition`.
bool implies(const BoundExpr& term, const BoundExpr& condition) {
  if (same_expr(term, condition)) return true;
  if (condition.kind == ExprKind::kOr) {
    return std::ranges::any_of(condition.args,
                               [&](const BoundExpr* arm) { return implies(term, *arm); });
  }
  if (condition.kind == ExprKind::kIsNull && condition.negated) {
    return rejects_null_of(term, *condition.args[0]);
  }
  return false;
}

bool is_implied(const FromClause& from, size_t i, const BoundExpr& condition) {
  if (condition.kind == ExprKind::kAnd) {
    return std::ranges::all_of(condition.args,
                               [&](const BoundExpr* arm) { return is_implied(from, i, *arm); });
  }
  bool outer = is_outer(from.source(i).join);
  return std::ranges::any_of(from.terms, [&](const FromTerm& term) {
    bool applies = outer ? term.on_source == static_cast<int>(i)
                         : term.on_source < 0 && term.barrier == 0;
    return applies && implies(*term.expr, condition);
  });
}

// Columns are thought to be as wide as their declared type suggests: 1 for numbers, about a quarter
// of the length of VARCHAR(n), 5 for text of unknown length.
int column_size(const Column& column) {
  if (column.declared_type.empty() || is_numeric(column.affinity)) return 1;
  const std::string& type = column.declared_type;
  size_t digit = type.find_first_of("0123456789");
  if (digit == std::string::npos) return 5;
  int length = 0;
  for (size_t i = digit; i < type.size() && type[i] >= '0' && type[i] <= '9' && length < 1020; ++i) {
    length = length * 10 + (type[i] - '0');
  }
  return std::min(length / 4 + 1, 255);
}

}  // namespace

// Seeking compares stored values, so the comparison must not convert them: TEXT affinity would turn
// stored numbers into text, NUMERIC affinity stored text into numbers, unless the column's own
// affinity has done so when they were stored.
bool keeps_stored_values(Affinity comparison, Affinity column) {
  if (comparison < Affinity::kText) return true;
  if (comparison == Affinity::kText) return column == Affinity::kText;
  return is_numeric(column);
}

bool has_rowid_column(const Table& table, int32_t column) {
  if (column == ColumnRef::kRowid) return true;
  return table.has_rowid() && column == table.rowid_column;
}

bool serves(FromClause* from, const Constraint& constraint, const Index& index, size_t column) {
  const IndexColumn& key = index.columns[column];
  Affinity affinity = Affinity::kInteger;
  if (key.column == IndexColumn::kExpression) {
    if (constraint.column != IndexColumn::kExpression) return false;
    const BoundExpr* expr = index_expression(from, constraint.source, index, column);
    if (expr == nullptr || !same_expr(*expr, *constraint.left)) return false;
    affinity = expr->affinity;
  } else {
    int32_t table_column = has_rowid_column(*index.table, key.column) ? ColumnRef::kRowid : key.column;
    if (constraint.column != table_column) return false;
    if (table_column == ColumnRef::kRowid) return true;
    affinity = index.table->columns[table_column].affinity;
  }
  if (constraint.op == ConstraintOp::kIsNull) return true;
  return keeps_stored_values(constraint.affinity, affinity) &&
         same_collation(constraint.collation, key.collation);
}

const BoundExpr* index_expression(FromClause* from, size_t i, const Index& index, size_t column) {
  for (const FromClause::IndexExpr& known : from->index_exprs) {
    if (known.index == &index && known.column == column && known.source == i) return known.expr;
  }
  const BoundExpr* expr = bind_over(from, i, index, index.columns[column].expression);
  from->index_exprs.push_back({&index, column, i, expr});
  return expr;
}

bool rows_are_in_index(FromClause* from, size_t i, const Index& index) {
  if (index.where == nullptr) return true;
  const BoundExpr* condition = bind_over(from, i, index, index.where);
  return condition != nullptr && is_implied(*from, i, *condition);
}

bool is_covering(const BoundSource& source, const Index& index) {
  if (&index == source.table->primary_index) return true;
  if (source.rowid_used && !source.table->has_rowid()) return false;
  // Of an index that a constraint made, SQLite does not count the key of a table without rowids.
  bool by_constraint = index.origin != Index::Origin::kCreate && !source.table->has_rowid();
  std::span columns(index.columns);
  if (by_constraint) columns = columns.first(index.declared_columns);
  for (size_t c = 0; c < source.used_columns.size(); ++c) {
    int32_t column = static_cast<int32_t>(c);
    if (!source.used_columns[c] || has_rowid_column(*source.table, column)) continue;
    bool found = std::ranges::any_of(
        columns, [&](const IndexColumn& key) { return key.column == column; });
    if (!found) return false;
  }
  return true;
}

LogEst table_rows(const Table& table) {
  return table.row_estimate != 0 ? log_est(table.row_estimate) : LogEst{200};
}

LogEst index_rows(const Index& index, size_t columns) {
  if (columns < index.stat.size()) return log_est(index.stat[columns]);
  if (columns == 0) {
    LogEst rows = std::max(table_rows(*index.table), LogEst{99});
    return index.where != nullptr ? static_cast<LogEst>(rows - 10) : rows;
  }
  if (columns > index.declared_columns) return 0;
  if (index.unique && columns == index.declared_columns) return 0;
  // Ten rows for one column, a little fewer for each more.
  static constexpr LogEst kGuess[] = {33, 32, 30, 28, 27};
  return columns <= std::size(kGuess) ? kGuess[columns - 1] : LogEst{23};
}

LogEst table_row_size(const Table& table) {
  int size = table.rowid_column < 0 ? 1 : 0;
  for (const Column& column : table.columns) size += column_size(column);
  return log_est(static_cast<uint64_t>(size) * 4);
}

LogEst index_row_size(const Index& index) {
  int size = 0;
  for (const IndexColumn& key : index.columns) {
    size += key.column < 0 ? 1 : column_size(index.table->columns[key.column]);
  }
  return log_est(static_cast<uint64_t>(size) * 4);
}

}  // namespace godwit
