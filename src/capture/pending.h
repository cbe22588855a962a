// Keeps what is done to a replica's file (one with the table godwit_sync_pending) in that table, in the same
// transaction: a row a transaction,
//
//     godwit_sync_pending(seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, ops BLOB)
//
// `time` in seconds since 1970, `ops` an op stream. A transaction of more than kPartBytes has several
// rows. What becomes of them is the matter of sync/replica.h.
#pragma once

#include "base/status.h"
#include "sqlite3.h"

namespace godwit::capture {

// Starts keeping, if the file of `db` is a replica. Every connection of the library calls this when it
// has loaded a schema with that table; it costs nothing where there is none.
Status attach_pending(sqlite3* db);

}  // namespace godwit::capture
