// Which columns a plan reads, wherever they come from.
#pragma once

#include "exec/expr_columns.h"
#include "plan/bound_window.h"
#include "plan/plan_node.h"

namespace godwit {

// Calls visit(const BoundExpr&) for the expressions of `plan` and of all nodes below it.
template <typename Visit>
void for_each_plan_expr(const PlanNode& plan, const Visit& visit) {
  auto maybe = [&visit](const BoundExpr* expr) {
    if (expr != nullptr) visit(*expr);
  };
  auto all = [&maybe](std::span<BoundExpr* const> exprs) {
    for (const BoundExpr* expr : exprs) maybe(expr);
  };
  if (plan.child != nullptr) for_each_plan_expr(*plan.child, visit);
  switch (plan.kind) {
    case PlanKind::kSingleRow:
    case PlanKind::kDistinct:
      break;
    case PlanKind::kAccess: {
      const auto& node = static_cast<const AccessNode&>(plan);
      for (const SeekKey& key : node.equal) maybe(key.expr);
      for (const BoundExpr* expr : {node.lower, node.upper, node.on, node.filter}) maybe(expr);
      all(node.hash_keys);
      for (const AccessNode* branch : node.branches) for_each_plan_expr(*branch, visit);
      if (node.input != nullptr) for_each_plan_expr(*node.input, visit);
      break;
    }
    case PlanKind::kFilter:
      maybe(static_cast<const FilterNode&>(plan).condition);
      break;
    case PlanKind::kProject:
      all(static_cast<const ProjectNode&>(plan).exprs);
      break;
    case PlanKind::kAggregate: {
      const BoundCore& core = *static_cast<const AggregateNode&>(plan).core;
      all(core.group_by);
      all(core.bare_columns);
      for (const BoundAggregate* aggregate : core.aggregates) {
        all(aggregate->args);
        maybe(aggregate->filter);
        for (const OrderTerm& term : aggregate->order_by) maybe(term.expr);
      }
      break;
    }
    case PlanKind::kSort: {
      const auto& node = static_cast<const SortNode&>(plan);
      for (const OrderTerm& term : node.terms) maybe(term.expr);
      maybe(node.limit);
      maybe(node.offset);
      break;
    }
    case PlanKind::kLimit:
      maybe(static_cast<const LimitNode&>(plan).limit);
      maybe(static_cast<const LimitNode&>(plan).offset);
      break;
    case PlanKind::kValues:
      for (const auto& row : static_cast<const ValuesNode&>(plan).rows_exprs) all(row);
      break;
    case PlanKind::kUnionAll:
    case PlanKind::kSetOperation:
      for (const PlanNode* child : static_cast<const SetNode&>(plan).children) {
        for_each_plan_expr(*child, visit);
      }
      break;
    case PlanKind::kRecursive: {
      const auto& node = static_cast<const RecursiveNode&>(plan);
      for_each_plan_expr(*node.initial, visit);
      for (const PlanNode* step : node.steps) for_each_plan_expr(*step, visit);
      break;
    }
    case PlanKind::kWindow:
      for (const BoundWindow* window : static_cast<const WindowNode&>(plan).windows) {
        for (const BoundWindowCall* call : window->calls) {
          all(call->args);
          maybe(call->filter);
        }
        all(window->partition_by);
        for (const OrderTerm& term : window->order_by) maybe(term.expr);
        maybe(window->start_offset);
        maybe(window->end_offset);
      }
      break;
  }
}

// Whether some expression in `plan` reads one of `columns`.
inline bool reads_any(const PlanNode& plan, std::span<const ColumnRef> columns) {
  bool found = false;
  for_each_plan_expr(plan, [&](const BoundExpr& expr) {
    for_each_column(expr, [&](const ColumnRef& column) {
      for (const ColumnRef& wanted : columns) found = found || column == wanted;
    });
  });
  return found;
}

}  // namespace godwit
