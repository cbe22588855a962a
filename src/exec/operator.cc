// From plan nodes to operators.
#include "exec/operator.h"

#include <vector>

#include "exec/access.h"
#include "exec/aggregate.h"
#include "exec/count_scan.h"
#include "exec/distinct.h"
#include "exec/filter.h"
#include "exec/limit.h"
#include "exec/project.h"
#include "exec/recursive.h"
#include "exec/set_operation.h"
#include "exec/single_row.h"
#include "exec/sort.h"
#include "exec/subquery_scan.h"
#include "exec/union_all.h"
#include "exec/values.h"
#include "exec/window.h"

namespace godwit {

namespace {

Result<std::unique_ptr<Operator>> make_union_all(const SetNode& node, ExecContext* context,
                                                 OuterRow* outer) {
  std::vector<std::unique_ptr<Operator>> children;
  for (const PlanNode* child : node.children) {
    GW_ASSIGN(auto op, make_operator(*child, context, outer));
    children.push_back(std::move(op));
  }
  return std::unique_ptr<Operator>(std::make_unique<UnionAllOperator>(std::move(children)));
}

}  // namespace

Result<std::unique_ptr<Operator>> make_operator(const PlanNode& plan, ExecContext* context,
                                                OuterRow* outer) {
  std::unique_ptr<Operator> child;
  if (plan.child != nullptr) {
    GW_ASSIGN(child, make_operator(*plan.child, context, outer));
  }
  switch (plan.kind) {
    case PlanKind::kSingleRow:
      return std::unique_ptr<Operator>(std::make_unique<SingleRowOperator>());
    case PlanKind::kAccess: {
      const auto& access = static_cast<const AccessNode&>(plan);
      if (SubqueryScanOperator::is_possible(access)) {
        return SubqueryScanOperator::make(access, context, outer);
      }
      return AccessOperator::make(access, std::move(child), context, outer);
    }
    case PlanKind::kFilter:
      if (static_cast<const FilterNode&>(plan).is_gate) {
        return GateOperator::make(*static_cast<const FilterNode&>(plan).condition, std::move(child),
                                  context, outer);
      }
      return FilterOperator::make(*static_cast<const FilterNode&>(plan).condition,
                                  plan.child->output, std::move(child), context, outer);
    case PlanKind::kProject:
      return ProjectOperator::make(static_cast<const ProjectNode&>(plan), std::move(child), context,
                                   outer);
    case PlanKind::kLimit:
      return LimitOperator::make(static_cast<const LimitNode&>(plan), std::move(child), context,
                                 outer);
    case PlanKind::kAggregate:
      if (CountScanOperator::is_possible(static_cast<const AggregateNode&>(plan))) {
        return CountScanOperator::make(static_cast<const AggregateNode&>(plan), context);
      }
      return AggregateOperator::make(static_cast<const AggregateNode&>(plan), std::move(child),
                                     context, outer);
    case PlanKind::kDistinct:
      return std::unique_ptr<Operator>(std::make_unique<DistinctOperator>(
          static_cast<const DistinctNode&>(plan), std::move(child), context));
    case PlanKind::kSort:
      return SortOperator::make(static_cast<const SortNode&>(plan), std::move(child), context,
                                outer);
    case PlanKind::kValues:
      return ValuesOperator::make(static_cast<const ValuesNode&>(plan), context, outer);
    case PlanKind::kUnionAll:
      return make_union_all(static_cast<const SetNode&>(plan), context, outer);
    case PlanKind::kSetOperation:
      return SetOperator::make(static_cast<const SetNode&>(plan), context, outer);
    case PlanKind::kRecursive:
      return RecursiveOperator::make(static_cast<const RecursiveNode&>(plan), context, outer);
    case PlanKind::kWindow:
      return WindowOperator::make(static_cast<const WindowNode&>(plan), std::move(child), context,
                                  outer);
  }
  return Status(code::kInternal, "a plan node that does not exist");
}

}  // namespace godwit
