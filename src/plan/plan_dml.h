// Planning of INSERT, UPDATE and DELETE: their source queries, and the queries in their expressions.
#pragma once

#include "plan/bound_dml.h"
#include "plan/planner.h"

namespace godwit {

Status plan_insert(BoundInsert* insert, PlanContext& context);
Status plan_update(BoundUpdate* update, PlanContext& context);
Status plan_delete(BoundDelete* remove, PlanContext& context);

}  // namespace godwit
