// Row values: (a, b), or the row of a subquery, where an expression compares several values at once.
#pragma once

#include "exec/expression_node.h"
#include "exec/vector_affinity.h"

namespace godwit {

class RowExpression {
 public:
  virtual ~RowExpression() = default;
  virtual uint32_t column_count() const = 0;
  // columns[i] becomes the vector of column i; like the result of Expression::evaluate().
  virtual Status evaluate(const Chunk& input, const Selection& selection,
                          const Vector** columns) = 0;
};

// Of kRow, of kScalarQuery, or of any other kind (a row of one column).
Result<std::unique_ptr<RowExpression>> compile_row(const BoundExpr& expr,
                                                   const ExpressionCompiler& compiler);
Result<std::unique_ptr<RowExpression>> compile_columns(std::span<BoundExpr* const> exprs,
                                                       const ExpressionCompiler& compiler);
// In expression_subquery.cc.
Result<std::unique_ptr<RowExpression>> compile_query_row(const BoundExpr& expr,
                                                         const ExpressionCompiler& compiler);

inline bool is_row(const BoundExpr& expr) {
  return expr.kind == ExprKind::kRow ||
         (expr.kind == ExprKind::kScalarQuery && expr.row_columns > 1);
}

// With which affinity and collation column `i` of a comparison of rows is compared.
inline Affinity row_affinity(const BoundExpr& expr, size_t i) {
  return i < expr.affinities.size() ? expr.affinities[i] : expr.compare_affinity;
}
inline const Collation* row_collation(const BoundExpr& expr, size_t i) {
  const Collation* collation =
      i < expr.collations.size() ? expr.collations[i] : expr.compare_collation;
  return collation == nullptr ? binary_collation() : collation;
}

}  // namespace godwit
