// From plan nodes to operators.
#include "exec/operator.h"

#include "exec/access.h"
#include "exec/filter.h"
#include "exec/limit.h"
#include "exec/project.h"
#include "exec/single_row.h"

namespace godwit {

Result<std::unique_ptr<Operator>> make_operator(const PlanNode& plan, ExecContext* context,
                                                OuterRow* outer) {
  std::unique_ptr<Operator> child;
  if (plan.child != nullptr) {
    GW_ASSIGN(child, make_operator(*plan.child, context, outer));
  }
  switch (plan.kind) {
    case PlanKind::kSingleRow:
      return std::unique_ptr<Operator>(std::make_unique<SingleRowOperator>());
    case PlanKind::kAccess:
      return AccessOperator::make(static_cast<const AccessNode&>(plan), std::move(child), context,
                                  outer);
    case PlanKind::kFilter:
      return FilterOperator::make(static_cast<const FilterNode&>(plan), std::move(child), context,
                                  outer);
    case PlanKind::kProject:
      return ProjectOperator::make(static_cast<const ProjectNode&>(plan), std::move(child), context,
                                   outer);
    case PlanKind::kLimit:
      return LimitOperator::make(static_cast<const LimitNode&>(plan), std::move(child), context,
                                 outer);
    case PlanKind::kAggregate:
      return Status::not_implemented("aggregation");
    case PlanKind::kDistinct:
      return Status::not_implemented("DISTINCT");
    case PlanKind::kSort:
      return Status::not_implemented("ORDER BY");
    case PlanKind::kValues:
      return Status::not_implemented("VALUES");
    case PlanKind::kUnionAll:
    case PlanKind::kSetOperation:
      return Status::not_implemented("compound queries");
    case PlanKind::kRecursive:
      return Status::not_implemented("recursive common table expressions");
    case PlanKind::kWindow:
      return Status::not_implemented("window functions");
  }
  return Status(code::kInternal, "a plan node that does not exist");
}

}  // namespace godwit
