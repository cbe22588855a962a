// The order of the sources and the path of each: the cheapest chain that can be found in reasonable
// time.
#pragma once

#include "plan/access_path.h"
#include "plan/from_clause.h"

namespace godwit {

struct JoinOrder {
  std::span<const AccessPath*> chain;
  SourceMask reverse = 0;  // sources to walk backwards
  int ordered_terms = 0;   // leading terms of the requested order that hold
  LogEst rows = 0;
  LogEst cost = 0;
};

// Fails with "no query solution" when no chain satisfies all prerequisites.
Result<JoinOrder> choose_join_order(FromClause* from, const PathSet& set);

}  // namespace godwit
