#include "plan/rewrite.h"

namespace godwit {

void fold_constants(BoundExpr*& expr, PlanContext& context) {
  if (expr == nullptr || expr->args.empty() || context.hooks == nullptr) return;
  bool is_value = expr->kind != ExprKind::kRow && expr->kind != ExprKind::kRaise;
  if (expr->is_constant && expr->is_deterministic && !expr->has_subquery && is_value) {
    ValueView value;
    if (!context.hooks->evaluate_constant(*expr, context.arena, &value)) return;
    BoundExpr* folded = context.arena->make<BoundExpr>();
    folded->kind = ExprKind::kConstant;
    folded->constant = value;
    folded->is_constant = true;
    // As an operand it stays what it was.
    folded->affinity = expr->affinity;
    folded->collation = expr->collation;
    folded->collation_is_explicit = expr->collation_is_explicit;
    folded->text = expr->text;
    expr = folded;
    return;
  }
  for (BoundExpr*& arg : expr->args) fold_constants(arg, context);
}

}  // namespace godwit
