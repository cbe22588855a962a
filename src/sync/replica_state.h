// What a replica keeps about itself in its own file, in the same transactions as the data:
//
//     godwit_sync_state(name TEXT PRIMARY KEY, value)
//     godwit_sync_pending(seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, ops BLOB)   pending_log.h
//     godwit_sync_conflict(id INTEGER PRIMARY KEY, time, table_name, row_key, kind, local, server, error)
//
//     pending seq:   1 ... acknowledged_seq   the server has them, the rows here do not have its answer yet
//                      ... sent_seq           sent, no answer came: are sent again as they are
//                      ...                    not sent
//
// Threads: as the connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "sqlite3.h"
#include "sync/replica.h"

namespace godwit::sync {

struct ReplicaState {
  std::string client;    // id: client name, '-', random
  std::string database;  // identity of the server's; empty: not known yet
  std::string revision;  // that the rows are; empty: never pulled
  std::string wire;      // "godwit", "turso", or empty: not known yet
  uint64_t acknowledged_seq = 0, sent_seq = 0;
  int64_t last_push_time = 0, last_pull_time = 0;
};

// Whether the file of `db` has been made a replica.
Result<bool> has_replica_state(sqlite3* db);
Status make_replica_tables(sqlite3* db, const std::string& client_name);
Result<ReplicaState> load_state(sqlite3* db);
Status store_state(sqlite3* db, const ReplicaState& state);  // what differs from the file

// Values of other parts, by name. Empty: there is none.
Result<std::string> state_value(sqlite3* db, std::string_view name);
Status set_state_value(sqlite3* db, std::string_view name, std::string_view value);

Status keep_conflict(sqlite3* db, const Conflict& conflict);
int64_t seconds_now();

}  // namespace godwit::sync
