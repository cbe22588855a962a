#include <algorithm>

#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/rewrite.h"

namespace godwit {
namespace {

// The value is NULL when all columns of the source are.
bool is_null_with(const BoundExpr& e, SourceId source) {
  auto null_arg = [&](const BoundExpr* arg) { return is_null_with(*arg, source); };
  switch (e.kind) {
    case ExprKind::kColumn:
      return e.column.source == source;
    case ExprKind::kUnary:
    case ExprKind::kCast:
    case ExprKind::kBetween:
      return null_arg(e.args[0]);
    case ExprKind::kBinary:
      return std::ranges::any_of(e.args, null_arg);
    case ExprKind::kCompare:
      if (e.compare == CompareOp::kIs || e.compare == CompareOp::kIsNot) return false;
      return std::ranges::any_of(e.args, null_arg);
    case ExprKind::kInList:
      return e.args.size() > 1 && null_arg(e.args[0]);
    default:
      return false;
  }
}

// The condition cannot be true when all columns of the source are NULL.
bool is_false_with(const BoundExpr& e, SourceId source) {
  auto false_arg = [&](const BoundExpr* arg) { return is_false_with(*arg, source); };
  switch (e.kind) {
    case ExprKind::kAnd:
      return std::ranges::any_of(e.args, false_arg);
    case ExprKind::kOr:
      return std::ranges::all_of(e.args, false_arg);
    case ExprKind::kIsNull:
      return e.negated && is_null_with(*e.args[0], source);
    case ExprKind::kIsTruth:
      return !e.negated && is_null_with(*e.args[0], source);
    case ExprKind::kInQuery:
      return !e.negated && e.args.size() == 1 && is_null_with(*e.args[0], source);
    default:
      return is_null_with(e, source);
  }
}

bool drops_null_rows(const BoundCore& core, size_t i) {
  SourceId id = core.sources[i]->id;
  if (core.where != nullptr && is_false_with(*core.where, id)) return true;
  for (size_t k = i + 1; k < core.sources.size(); ++k) {
    const BoundSource& later = *core.sources[k];
    if (!is_outer(later.join) && later.on != nullptr && is_false_with(*later.on, id)) return true;
  }
  return false;
}

}  // namespace

void simplify_outer_joins(BoundCore& core) {
  auto keeps = [](const BoundSource* source) { return keeps_right(source->join); };
  if (std::ranges::any_of(core.sources, keeps)) return;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 1; i < core.sources.size(); ++i) {
      BoundSource& source = *core.sources[i];
      if (source.join != JoinType::kLeft || !drops_null_rows(core, i)) continue;
      source.join = JoinType::kInner;
      changed = true;
    }
  }
}

}  // namespace godwit
