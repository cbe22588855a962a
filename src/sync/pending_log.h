// The pending changes of a replica: rows of godwit_sync_pending, and what is done with them before they
// are sent. Between two changes of the schema at most one change of a row is left (folding).
// Threads: as the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/changeset.h"
#include "base/status.h"
#include "capture/op_stream.h"
#include "sqlite3.h"

namespace godwit::sync {

struct PendingEntry {
  uint64_t seq = 0;
  int64_t time = 0;
  std::string ops;
};

// An op, taken to pieces.
struct PendingOp {
  std::string schema;  // the statement; empty: rows
  std::vector<std::pair<api::ChangeTable, api::Change>> changes;
};

// Entries after `after_seq`, oldest first.
Result<std::vector<PendingEntry>> load_pending(sqlite3* db, uint64_t after_seq);
// Empty ops: the entry is gone.
Status store_pending(sqlite3* db, uint64_t seq, const std::string& ops);
Status remove_pending(sqlite3* db, uint64_t up_to_seq);

// What several streams do together.
Result<std::string> folded(const std::vector<PendingEntry>& entries);
// Makes the entries after `after_seq` one, with the seq of the last. None: nothing is left of them.
// In a write transaction.
Result<std::optional<PendingEntry>> fold_pending(sqlite3* db, uint64_t after_seq);

Result<std::vector<PendingOp>> parse_ops(std::string_view ops);
std::string encode_ops(const std::vector<PendingOp>& ops);

}  // namespace godwit::sync
