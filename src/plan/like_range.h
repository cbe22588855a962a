// The range of an index in which all texts (and blobs) that a LIKE or GLOB pattern matches lie.
#pragma once

#include "plan/planner.h"

namespace godwit {

struct LikeRange {
  const BoundExpr* column = nullptr;
  const Collation* collation = nullptr;  // that the index must have
  BoundExpr* lower = nullptr;            // inclusive
  BoundExpr* upper = nullptr;            // exclusive
};

// False: `expr` is no LIKE or GLOB of a column with a constant pattern that begins with characters
// of its own, or values other than text and blobs may match.
bool find_like_range(const BoundExpr& expr, PlanContext& context, LikeRange* range);

}  // namespace godwit
