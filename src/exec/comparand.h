// One operand of a comparison: an expression and the affinity that is applied to its values.
#pragma once

#include "exec/expression_node.h"
#include "exec/vector_affinity.h"

namespace godwit {

class Comparand {
 public:
  Comparand() = default;
  // `fixed`: the value never changes, so it is converted once.
  Comparand(ExpressionPtr expr, Affinity affinity, bool fixed)
      : expr_(std::move(expr)),
        affinity_(std::make_unique<ComparisonAffinity>(affinity)),
        fixed_(fixed) {}

  static Result<Comparand> compile(const BoundExpr& expr, Affinity affinity,
                                   const ExpressionCompiler& compiler) {
    GW_ASSIGN(ExpressionPtr node, compiler.compile(expr));
    return Comparand(std::move(node), affinity, expr.is_constant);
  }

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) {
    if (known_ != nullptr) {
      *result = known_;
      return Status();
    }
    GW_TRY(expr_->evaluate(input, selection, result));
    *result = affinity_->convert(*result, selection, input.rows);
    if (fixed_ && selection.count > 0) known_ = *result;
    return Status();
  }

 private:
  ExpressionPtr expr_;
  std::unique_ptr<ComparisonAffinity> affinity_;
  bool fixed_ = false;
  const Vector* known_ = nullptr;
};

}  // namespace godwit
