// ON CONFLICT clauses of INSERT.
#pragma once

#include "plan/bind_dml.h"

namespace godwit {

// Fills BoundInsert::upserts and unique_checks; bound->write is there already.
Status bind_upserts(const DmlContext& context, const ast::InsertStatement& insert,
                    BoundInsert* bound);

}  // namespace godwit
