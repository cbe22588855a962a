#include "exec/plan_memory.h"

#include "exec/plan_columns.h"

namespace godwit {

namespace {

// Rows of VALUES that are few.
constexpr size_t kFewRows = 64;

bool holds_rows_itself(const PlanNode& plan) {
  switch (plan.kind) {
    case PlanKind::kSingleRow:
    case PlanKind::kFilter:
    case PlanKind::kProject:
    case PlanKind::kLimit:
    case PlanKind::kUnionAll:
      return false;
    case PlanKind::kValues:
      return static_cast<const ValuesNode&>(plan).rows_exprs.size() > kFewRows;
    case PlanKind::kAccess: {
      const auto& access = static_cast<const AccessNode&>(plan);
      return access.input != nullptr || !access.branches.empty() ||
             access.join == JoinType::kRight || access.join == JoinType::kFull;
    }
    case PlanKind::kAggregate: {
      const auto& aggregate = static_cast<const AggregateNode&>(plan);
      if (aggregate.method == AggregateMethod::kHash) return true;
      for (const BoundAggregate* call : aggregate.core->aggregates) {
        if (call->distinct || !call->order_by.empty()) return true;
      }
      return false;
    }
    default:
      return true;
  }
}

bool has_query(const BoundExpr& expr) {
  if (expr.query != nullptr) return true;
  for (const BoundExpr* arg : expr.args) {
    if (has_query(*arg)) return true;
  }
  return false;
}

bool nodes_hold_rows(const PlanNode& plan) {
  if (holds_rows_itself(plan)) return true;
  if (plan.kind == PlanKind::kUnionAll) {
    for (const PlanNode* child : static_cast<const SetNode&>(plan).children) {
      if (nodes_hold_rows(*child)) return true;
    }
  }
  return plan.child != nullptr && nodes_hold_rows(*plan.child);
}

}  // namespace

bool holds_rows(const PlanNode& plan) {
  if (nodes_hold_rows(plan)) return true;
  bool queries = false;
  for_each_plan_expr(plan, [&](const BoundExpr& expr) { queries = queries || has_query(expr); });
  return queries;
}

}  // namespace godwit
