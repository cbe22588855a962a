// Structural equality of bound expressions: what makes two aggregates one, a result column a group
// key, and an ORDER BY term a result column.
#include <algorithm>

#include "plan/binder_state.h"
#include "plan/constraint.h"

namespace godwit {

namespace {

bool same_constant(const ValueView& a, const ValueView& b) {
  if (a.type != b.type) return false;
  switch (a.type) {
    case ValueType::kNull:
      return true;
    case ValueType::kInteger:
      return a.integer == b.integer;
    case ValueType::kReal:
      return a.real == b.real;
    case ValueType::kText:
    case ValueType::kBlob:
      return a.text() == b.text();
  }
  return false;
}

bool same_details(const BoundExpr& a, const BoundExpr& b) {
  return a.unary == b.unary && a.binary == b.binary && a.compare == b.compare &&
         a.negated == b.negated && a.truth == b.truth && a.has_operand == b.has_operand &&
         a.has_else == b.has_else && a.compare_affinity == b.compare_affinity &&
         a.high_affinity == b.high_affinity && a.cast_affinity == b.cast_affinity &&
         a.conflict == b.conflict && a.function == b.function &&
         same_collation(a.compare_collation, b.compare_collation) &&
         same_collation(a.high_collation, b.high_collation);
}

}  // namespace

bool same_tree(const BoundExpr* a, const BoundExpr* b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->query != nullptr || b->query != nullptr) return false;
  if (a->collation_is_explicit != b->collation_is_explicit ||
      !same_collation(a->collation, b->collation)) {
    return false;
  }
  switch (a->kind) {
    case ExprKind::kConstant:
      return same_constant(a->constant, b->constant);
    case ExprKind::kParameter:
      return a->parameter == b->parameter;
    case ExprKind::kColumn:
      return a->column == b->column;
    default:
      break;
  }
  return same_details(*a, *b) && a->args.size() == b->args.size() &&
         std::equal(a->args.begin(), a->args.end(), b->args.begin(), same_tree);
}

bool same_terms(std::span<OrderTerm> a, std::span<OrderTerm> b) {
  auto same = [](const OrderTerm& x, const OrderTerm& y) {
    return same_tree(x.expr, y.expr) && x.collation == y.collation &&
           x.descending == y.descending && x.nulls_first == y.nulls_first;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace godwit
