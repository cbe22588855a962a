// Rewrites of bound trees before a core is planned, one a file. Each leaves a tree that gives the
// same rows in the same order.
#pragma once

#include "plan/planner.h"

namespace godwit {

// All of the below, in the order in which they help each other.
void rewrite_core(BoundQuery& query, BoundCore& core, PlanContext& context);

// Evaluates subtrees without columns and parameters, where that cannot fail (fold_constants.cc).
void fold_constants(BoundExpr*& expr, PlanContext& context);

// Merges simple subqueries of FROM into the core: SELECT x FROM (SELECT a AS x FROM t WHERE b)
// becomes SELECT a FROM t WHERE b (flatten.cc).
void flatten_subqueries(BoundQuery& query, BoundCore& core, PlanContext& context);

// LEFT JOIN becomes JOIN, FULL JOIN becomes LEFT or RIGHT, ... where WHERE would drop all rows with
// NULLs that the join adds (outer_join.cc).
void simplify_outer_joins(BoundCore& core);

// Moves WHERE terms over one subquery of FROM into it (push_down.cc).
void push_down_conditions(BoundCore& core, PlanContext& context);

// EXISTS over one table becomes a join that stops at the first match (exists_join.cc).
void exists_to_joins(BoundCore& core, PlanContext& context);

// Moves HAVING terms over group keys into WHERE (push_down.cc).
void having_to_where(BoundCore& core, PlanContext& context);

}  // namespace godwit
