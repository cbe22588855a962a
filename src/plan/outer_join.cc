#include <algorithm>

#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/rewrite.h"

namespace godwit {
namespace {

// Its table may take care of comparisons with it in a way of its own.
bool is_virtual_column(const BoundExpr* e) {
  return e->kind == ExprKind::kColumn && e->table != nullptr && e->table->kind == TableKind::kVirtual;
}

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
      return std::ranges::none_of(e.args, is_virtual_column) && std::ranges::any_of(e.args, null_arg);
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

// No row in which all columns of source i are NULL passes WHERE, or the ON terms of later inner joins
// where these are as good as WHERE.
bool drops_null_rows(const BoundCore& core, size_t i, bool right_joins) {
  SourceId id = core.sources[i]->id;
  if (core.where != nullptr && is_false_with(*core.where, id)) return true;
  if (right_joins) return false;
  for (size_t k = i + 1; k < core.sources.size(); ++k) {
    const BoundSource& later = *core.sources[k];
    if (!is_outer(later.join) && later.on != nullptr && is_false_with(*later.on, id)) return true;
  }
  return false;
}

// The join need not extend left rows with NULLs.
bool drop_left(BoundSource* source) {
  if (source->join != JoinType::kLeft && source->join != JoinType::kFull) return false;
  source->join = source->join == JoinType::kLeft ? JoinType::kInner : JoinType::kRight;
  return true;
}

// The join need not keep right rows that match nothing.
bool drop_right(BoundSource* source) {
  if (!keeps_right(source->join)) return false;
  source->join = source->join == JoinType::kRight ? JoinType::kInner : JoinType::kLeft;
  return true;
}

}  // namespace

void simplify_outer_joins(BoundCore& core) {
  auto is_outer_source = [](const BoundSource* source) { return is_outer(source->join); };
  auto keeps = [](const BoundSource* source) { return keeps_right(source->join); };
  bool changed = std::ranges::any_of(core.sources, is_outer_source);
  while (changed) {
    changed = false;
    bool right_joins = std::ranges::any_of(core.sources, keeps);
    for (size_t i = 0; i < core.sources.size(); ++i) {
      BoundSource& source = *core.sources[i];
      bool candidate = right_joins || source.join == JoinType::kLeft;
      if (!candidate || !drops_null_rows(core, i, right_joins)) continue;
      changed |= drop_left(&source);
      for (BoundSource* later : core.sources.subspan(i + 1)) changed |= drop_right(later);
    }
  }
}

}  // namespace godwit
