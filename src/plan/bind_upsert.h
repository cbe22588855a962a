// ON CONFLICT clauses of INSERT.
#pragma once

#include "plan/bind_dml.h"

namespace godwit {

// Fills BoundInsert::upserts and unique_checks; bound->write is there already. `clauses`: what is wrong
// in a DO UPDATE, which is reported unless something is wrong with the foreign keys.
Status bind_upserts(const DmlContext& context, const ast::InsertStatement& insert,
                    BoundInsert* bound, Status* clauses);

}  // namespace godwit
