// The steps of a statement's life that synchronous and asynchronous calls share.

#pragma once

#include "addon.h"
#include "row_batch.h"

namespace godwit::node {

// Compiles `sql` into the statement; SQLITE_MISUSE with an exception under way if it is not one statement.
// With `first_only` what follows the first is not looked at.
int prepare_program(Statement* statement, const std::string& sql, bool first_only);

// Binds the first `count` parameters from the exchange buffer.
int bind_cells(Statement* statement, uint32_t count);

// Steps until the batch is full, has `limit` rows, or the result ends: SQLITE_ROW or SQLITE_DONE, or an
// error. The statement is reset unless rows may be left. Touches no environment.
int fill_batch(Statement* statement, RowBatch& batch, int limit);

// Leaves in the header what the maker of rows compares with what it was made for: the number of columns
// and how often the program was compiled anew.
void report_shape(Addon* addon, Statement* statement);

// What a finished statement changed, left in the header; sqlite3_changes() itself in kColumns.
void report_changes(Connection* connection, sqlite3_int64 total_before);

}  // namespace godwit::node
