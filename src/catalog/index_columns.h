// Key columns of indexes: shared by CREATE INDEX and by the constraints of CREATE TABLE.
#pragma once

#include "base/status.h"
#include "catalog/builder.h"

namespace godwit {

// Resolves one term of a key against `table`. `expressions`: CREATE INDEX allows them.
Status resolve_index_column(const ast::OrderTerm& term, const Table& table,
                            const BuildContext& context, bool expressions, IndexColumn* column);

// Appends what makes each key unique (rowid or primary key), and fills key_info.
void finish_index_columns(Index* index, const Table& table, const BuildContext& context);

}  // namespace godwit
