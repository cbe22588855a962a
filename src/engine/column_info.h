// What sqlite3_column_name(), _decltype() and the origin functions say about result columns.
#pragma once

#include <span>

#include "engine/statement.h"
#include "plan/bound.h"

namespace godwit {

// Column `i` of a query that is not a VALUES clause, `core` being its first core.
ColumnInfo describe_column(Connection* connection, const BoundCore& core, size_t i);
// A column of RETURNING over `row`.
ColumnInfo describe_column(Connection* connection, const BoundSource& row,
                           const ResultColumn& column);

}  // namespace godwit
