// Planning of one SELECT core, and what planner.cc and core_plan.cc share.
#pragma once

#include "plan/planner.h"

namespace godwit {

// (query.output, 0 .. count - 1)
std::span<ColumnRef> query_columns(const BoundQuery& query, uint32_t count, PlanContext& context);

// Plans a query without giving its nodes their outputs: the user does that with lay_out(), knowing
// which columns it needs.
Status plan_tree(BoundQuery* query, PlanContext& context);

// A query of one core, ORDER BY included, LIMIT not. Its columns are (query.output, i).
Result<PlanNode*> plan_single(BoundQuery& query, PlanContext& context);

// A core as an arm of a compound query, its rows in the order of `order_by` (by output_column); with
// `limited` only those that the query's LIMIT can reach. Its columns are (core.output, i).
Result<PlanNode*> plan_arm(BoundQuery& query, BoundCore& core, std::span<const OrderTerm> order_by,
                           bool limited, PlanContext& context);

}  // namespace godwit
