// PRAGMA capture_data_changes_conn('MODE[,TABLE]'): a connection writes what it changes into an ordinary
// table, in the form of Turso's, in the same transaction:
//
//     turso_cdc(change_id INTEGER PRIMARY KEY AUTOINCREMENT, change_time, change_txn_id, change_type,
//               table_name, id, "before", "after", updates)
//     turso_cdc_version(table_name, version)      the table's layout: v2
//
//     change_type   1 INSERT, 0 UPDATE, -1 DELETE, 2 COMMIT (one a transaction, all else NULL)
//     change_txn_id change_id of the transaction's first row
//     id            the rowid; without rowids the key, a record of it if it has several columns
//     before, after records of all columns but generated ones (modes before, after, full)
//     updates       a record (mode full): per column 0 or 1 (was assigned), then per column the value or NULL
//
// A change of the key is a DELETE and an INSERT, a REPLACE too. Statements that change the schema are
// rows of sqlite_schema; ALTER is an UPDATE whose `updates` has its text as sql. Rows are there when the
// statement that made them has ended. What failed or was rolled back is not.
//
// SQL functions: table_columns_json_array(table) names the columns of the records, as JSON;
// bin_record_json_object(names, record) makes an object of them. Threads: as the connection.
#pragma once

#include "sqlite3.h"

namespace godwit::capture {

// Makes the pragma and the functions known to a new connection. Returns a result code.
int register_data_capture(sqlite3* db);

}  // namespace godwit::capture
