// Which index can serve which constraint: columns, indexed expressions, affinity, collation,
// partial indexes, covering; and how large indexes and tables are thought to be.
#pragma once

#include "plan/constraint.h"
#include "plan/from_clause.h"

namespace godwit {

// Column `column` of the index can be sought with the constraint: same column or expression, a
// comparison that leaves stored values as they are, and the index's collation.
bool serves(FromClause* from, const Constraint& constraint, const Index& index, size_t column);

// The expression of an indexed expression, over the columns of source `i`; null if it cannot be had.
const BoundExpr* index_expression(FromClause* from, size_t i, const Index& index, size_t column);

// The query's terms guarantee the WHERE of a partial index (no WHERE: true).
bool rows_are_in_index(FromClause* from, size_t i, const Index& index);

// The index holds every column of source `i` that the statement uses.
bool is_covering(const BoundSource& source, const Index& index);

// A comparison with this affinity does not convert the values of a column of that affinity.
bool keeps_stored_values(Affinity comparison, Affinity column);

bool has_rowid_column(const Table& table, int32_t column);  // the column is the rowid

// Rows in the table, and rows of the index that share their first `columns` key columns.
LogEst table_rows(const Table& table);
LogEst index_rows(const Index& index, size_t columns);
// Relative sizes of a row.
LogEst table_row_size(const Table& table);
LogEst index_row_size(const Index& index);

}  // namespace godwit
