// Ways into a virtual table: what its best_index() offers for the constraints of a FROM clause.
#pragma once

#include "base/status.h"
#include "plan/access_path.h"

namespace godwit {

// Adds the paths of source `i`. None at all means that the table cannot be used in this query.
Status find_virtual_paths(FromClause* from, PathSet* set, size_t i);

}  // namespace godwit
