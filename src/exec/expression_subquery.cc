// Subqueries inside expressions.
#include "exec/expression_node.h"
#include "exec/expression_row.h"

namespace godwit {

Result<ExpressionPtr> compile_in_query(const BoundExpr&, const ExpressionCompiler&) {
  return Status::not_implemented("subquery in an expression");
}
Result<ExpressionPtr> compile_exists(const BoundExpr&, const ExpressionCompiler&) {
  return Status::not_implemented("subquery in an expression");
}
Result<ExpressionPtr> compile_scalar_query(const BoundExpr&, const ExpressionCompiler&) {
  return Status::not_implemented("subquery in an expression");
}
Result<std::unique_ptr<RowExpression>> compile_query_row(const BoundExpr&,
                                                         const ExpressionCompiler&) {
  return Status::not_implemented("subquery in an expression");
}

}  // namespace godwit
