// What a plan keeps in memory from one run to the next.
#pragma once

#include "plan/plan_node.h"

namespace godwit {

// Whether operators of `plan` hold memory in proportion to the rows that they have seen (sorts, hash
// tables, results of subqueries), which they keep for the next run.
bool holds_rows(const PlanNode& plan);

}  // namespace godwit
