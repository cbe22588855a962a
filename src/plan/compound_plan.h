// The arms of a compound query, joined by their set operators.
//
// UNION, INTERSECT and EXCEPT, and UNION ALL under an ORDER BY, merge two sides that are sorted the same
// way; a side may be such a merge itself. Without an order, UNION ALL gives one arm after the other.
// So the rows come in SQLite's order, and an arm is not run when those before it settle the result.
#pragma once

#include "plan/planner.h"

namespace godwit {

// The first `count` arms of the query, in the order of `order` (by output_column) if it is not empty.
// With `limited` only as many rows matter as the query's LIMIT says.
Result<PlanNode*> plan_arms(BoundQuery& query, size_t count, std::span<const OrderTerm> order,
                            bool limited, PlanContext& context);

}  // namespace godwit
