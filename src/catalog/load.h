// Loading a database's schema from its sqlite_schema table.
#pragma once

#include <memory>

#include "base/status.h"
#include "btree/btree.h"
#include "catalog/builder.h"
#include "catalog/schema.h"

namespace godwit {

// Reads sqlite_schema (and sqlite_stat1, if there is one) of `btree`, which must be in a read
// transaction. Objects that did not change since `previous` (may be null) are shared with it.
// Errors: kCorrupt with "malformed database schema (...)", kError for an unknown encoding or schema
// format, and what reading gives.
Result<std::shared_ptr<const Schema>> load_schema(Btree* btree, int database,
                                                  const CollationLookup& collations,
                                                  const Schema* previous);

}  // namespace godwit
