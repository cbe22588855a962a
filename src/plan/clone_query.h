// Deep copies of bound queries, with sources of their own.
#pragma once

#include "plan/planner.h"

namespace godwit {

// Null if the query cannot be copied (recursion or windows in it). Shared queries inside stay shared.
BoundQuery* clone_query(const BoundQuery& query, PlanContext& context);

}  // namespace godwit
