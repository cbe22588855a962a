// How the rows of one source are found, given the sources that are available before it.
#pragma once

#include "plan/from_clause.h"

namespace godwit {

// Chooses the cheapest access to source `i` when `available` sources come before it. Marks the
// terms that it takes care of as consumed. The caller links the node into the chain.
Result<AccessNode*> choose_access(FromClause* from, size_t i, SourceMask available);

}  // namespace godwit
