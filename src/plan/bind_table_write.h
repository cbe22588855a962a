// What the binders of INSERT, UPDATE and DELETE share.
#pragma once

#include <vector>

#include "plan/bind_dml.h"

namespace godwit {

// The table that a statement changes, or why it cannot be changed. A view with INSTEAD OF triggers:
// its description as a table (TableKind::kView). `names`: UPDATE's SET list.
Result<const Table*> find_target(const DmlContext& context, const ast::TableName& name,
                                 ast::TriggerEvent event, bool has_returning,
                                 std::span<const std::string_view> names = {});

// `assigned` (UPDATE): columns that change; null: all (INSERT), so that only what depends on them is
// checked and maintained.
Result<BoundTableWrite*> bind_table_write(const DmlContext& context, const Table& table,
                                          const std::span<int32_t>* assigned);
// UPDATE: whether the column, or the rowid, may get another value; generated ones by what they use.
bool changes_column(const BoundTableWrite& write, int32_t column);

// Adds the triggers that `event` fires to `write`, and those of the rows that REPLACE removes.
Status bind_triggers(const DmlContext& context, ast::TriggerEvent event,
                     std::span<const std::string_view> names, ConflictAction conflict,
                     BoundTableWrite* write);

// Whether REPLACE may remove other rows than the one that is written.
bool may_replace(const BoundTableWrite& write, ConflictAction statement_action);

// Subqueries in `expr` that read its row, or `table` (unless null), are run for each row anew: the
// statement changes what they read.
void run_for_each_row(BoundExpr* expr, const Table* table);

// The RETURNING clause of a statement that writes `table`; null if there is none.
Result<BoundReturning*> bind_returning(const DmlContext& context, const Table& table,
                                       std::span<ast::ResultColumn> columns);

// Adds the foreign keys that are to be enforced to `write`. `conflict`: of the statement.
Status bind_foreign_keys(const DmlContext& context, BoundTableWrite* write,
                         ast::TriggerEvent event, ConflictAction conflict);

// The key of a row: the rowid, or the columns of the primary key (BoundUpdate::by_key). All columns
// count as used, so that the rows come in the order of the table, not of an index that happens to
// hold the key.
void key_columns(const DmlContext& context, BoundSource* source, const Table& table,
                 std::vector<ResultColumn>* results);

// Generated columns in an order in which each comes after those that it uses. `generated`: one per
// column, null where not generated; over the columns of source `row`. Errors: a loop.
Status order_generated_columns(const Table& table, SourceId row,
                               std::span<BoundExpr* const> generated,
                               std::vector<int32_t>* order);

// Whether `query`, or a query inside it, reads `table`.
bool query_reads(const BoundQuery& query, const Table& table);
bool expr_reads(const BoundExpr* expr, const Table& table);

// A query over the scope's sources: SELECT results FROM sources WHERE where ORDER BY ... LIMIT ...
BoundQuery* make_row_query(const DmlContext& context, std::span<BoundSource*> sources,
                           BoundExpr* where, std::span<ResultColumn> results);

// A column of `source` as an expression, marked as used.
BoundExpr* make_column(const DmlContext& context, BoundSource* source, const Table& table,
                       int32_t column);

}  // namespace godwit
