// Which columns an expression reads, those that its subqueries take from outside included.
#pragma once

#include "plan/bound.h"

namespace godwit {

template <typename Visit>
void for_each_column(const BoundExpr& expr, const Visit& visit) {
  if (expr.kind == ExprKind::kColumn) visit(expr.column);
  for (const BoundExpr* arg : expr.args) {
    if (arg != nullptr) for_each_column(*arg, visit);
  }
  if (expr.query != nullptr) {
    for (const ColumnRef& column : expr.query->correlations) visit(column);
  }
}

}  // namespace godwit
