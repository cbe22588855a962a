#include "plan/expr_tree.h"

namespace godwit {

void collect_columns(const BoundExpr* expr, ArenaVector<ColumnRef>* columns) {
  if (expr == nullptr) return;
  if (expr->kind == ExprKind::kColumn) {
    columns->push_back(expr->column);
    return;
  }
  if (expr->query != nullptr) columns->append(expr->query->correlations);
  for (const BoundExpr* arg : expr->args) collect_columns(arg, columns);
}

namespace {

bool same_value(const ValueView& a, const ValueView& b) {
  if (a.type != b.type) return false;
  switch (a.type) {
    case ValueType::kNull: return true;
    case ValueType::kInteger: return a.integer == b.integer;
    case ValueType::kReal: return std::memcmp(&a.real, &b.real, sizeof a.real) == 0;
    case ValueType::kText:
    case ValueType::kBlob:
      return a.zero_filled == b.zero_filled && a.size == b.size &&
             (a.zero_filled || a.text() == b.text());
  }
  return false;
}

template <typename T>
bool same_span(std::span<T> a, std::span<T> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

bool same_expr(const BoundExpr& a, const BoundExpr& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.affinity != b.affinity || a.collation != b.collation ||
      a.unary != b.unary || a.binary != b.binary || a.compare != b.compare ||
      a.negated != b.negated || a.truth != b.truth || a.has_operand != b.has_operand ||
      a.has_else != b.has_else || a.compare_affinity != b.compare_affinity ||
      a.compare_collation != b.compare_collation || a.high_affinity != b.high_affinity ||
      a.high_collation != b.high_collation || a.cast_affinity != b.cast_affinity ||
      a.parameter != b.parameter || !(a.column == b.column) || a.function != b.function ||
      a.query != b.query || a.args.size() != b.args.size() || !a.is_deterministic ||
      !b.is_deterministic || a.conflict != b.conflict) {
    return false;
  }
  if (a.kind == ExprKind::kConstant && !same_value(a.constant, b.constant)) return false;
  if (!same_span(a.collations, b.collations) || !same_span(a.affinities, b.affinities)) return false;
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (!same_expr(*a.args[i], *b.args[i])) return false;
  }
  return true;
}

bool is_simple(const BoundExpr& expr) { return expr.is_deterministic && !expr.has_subquery; }

BoundExpr* make_column(Arena* arena, ColumnRef column) {
  BoundExpr* expr = arena->make<BoundExpr>();
  expr->kind = ExprKind::kColumn;
  expr->column = column;
  return expr;
}

BoundExpr* make_constant(Arena* arena, const ValueView& value) {
  BoundExpr* expr = arena->make<BoundExpr>();
  expr->kind = ExprKind::kConstant;
  expr->is_constant = true;
  expr->constant = value;
  return expr;
}

BoundExpr* make_and(Arena* arena, std::span<BoundExpr* const> terms) {
  if (terms.empty()) return nullptr;
  if (terms.size() == 1) return terms[0];
  BoundExpr* expr = arena->make<BoundExpr>();
  expr->kind = ExprKind::kAnd;
  expr->is_constant = true;
  expr->args = arena->copy_array<BoundExpr*>(terms);
  for (const BoundExpr* term : terms) {
    expr->is_constant &= term->is_constant;
    expr->is_deterministic &= term->is_deterministic;
    expr->has_subquery |= term->has_subquery;
  }
  return expr;
}

CompareOp mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::kLt: return CompareOp::kGt;
    case CompareOp::kLe: return CompareOp::kGe;
    case CompareOp::kGt: return CompareOp::kLt;
    case CompareOp::kGe: return CompareOp::kLe;
    default: return op;
  }
}

}  // namespace godwit
