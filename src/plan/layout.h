// Gives every node of a plan its output: the columns that the nodes above it need.
//
// Before, nodes that name columns of their own (Project, Values, set operations, recursion) hold
// all of them in `output`, in order, and Distinct, Sort and Limit repeat those of their child.
#pragma once

#include <span>

#include "plan/planner.h"

namespace godwit {

// Lays out `node` so that it produces exactly `columns`, in this order; returns the new root (a
// projection is put on top where the node itself gives them otherwise).
PlanNode* lay_out(PlanNode* node, std::span<const ColumnRef> columns, PlanContext& context);

}  // namespace godwit
