// A push of Turso's sync client: a batch of the shape
//
//     BEGIN IMMEDIATE
//     CREATE TABLE IF NOT EXISTS turso_sync_last_change_id (...)
//     changes ...
//     INSERT INTO turso_sync_last_change_id ... (client, pull generation, change id)
//     COMMIT
//
// It is applied in one transaction and at most once. A row that the database refuses is set aside in
// the table godwit_sync_rejected, in the same transaction, and the client is told of it; with
// `reject_whole` nothing of the push is applied instead. Triggers do not run: the client captured
// what its own copies of them did, and sends that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/hrana.h"
#include "server/sql_session.h"

namespace godwit::server {

bool is_push(const Batch& batch);

struct PushResult {
  enum Outcome : uint8_t { kApplied, kRepeated, kFailed };
  Outcome outcome = kFailed;
  // By step; empty code: no error. Shorter than the batch: no errors from there on.
  std::vector<SqlError> errors;
  struct Rejected {
    std::string client, table, key, change, error;
  };
  std::vector<Rejected> rejected;
  int64_t changes = 0;
};

PushResult apply_push(SqlSession* session, const Batch& batch, bool reject_whole);

// The table and the key (a JSON object) that a pushed statement is about; empty where unknown.
struct PushedChange {
  std::string kind;  // INSERT, UPDATE, DELETE, or the first word of anything else
  std::string table, key;
};
PushedChange describe_change(const WireStatement& statement);

}  // namespace godwit::server
