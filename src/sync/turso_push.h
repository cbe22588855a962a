// A push to a server of Turso's: pending changes as a batch of statements, in one transaction.
//
//     BEGIN IMMEDIATE
//     CREATE TABLE IF NOT EXISTS turso_sync_last_change_id ...     if the step before was ok, as all that follow
//     a statement that fails if the server has these changes already
//     the changes: upserts by key, updates of the columns that changed, deletes; schema statements
//     the client's row in turso_sync_last_change_id: pull_gen 0, change_id = the last seq
//     COMMIT
//     ROLLBACK                                                     if it is open and did not come to its end
//
// Rows of tables without a key go by their rowid, and only where the old values fit. Threads: none of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/changeset.h"
#include "base/status.h"
#include "sqlite3.h"
#include "sync/wire.h"

namespace godwit::sync {

inline constexpr std::string_view kTursoDatabase = "turso";  // its servers name no identity

// What a step of the batch is for; errors are told with it.
struct TursoStep {
  std::string sql;
  api::Fields arguments;
  bool is_tolerant = false;  // what is there already may be there
  std::string table, key;
};

class TursoPush {
 public:
  // Whether the names of columns depend on what the server has: then make() needs its tables.
  static Result<bool> needs_tables(const PushRequest& request);
  // `tables`: the server's statements CREATE TABLE.
  static Result<TursoPush> make(sqlite3* db, const PushRequest& request, const std::vector<std::string>& tables);

  const std::string& body() const { return body_; }
  // *is_repeated: the server has them already. kCorrupt: no such answer.
  Status read_answer(sqlite3* db, const std::string& body, PushAnswer* answer, bool* is_repeated) const;

 private:
  std::vector<TursoStep> steps_;
  std::string body_;
};

// Asks how far the server is, and for its tables.
std::string turso_progress_request(const std::string& client);
struct TursoProgress {
  uint64_t change_id = 0;  // 0: nothing yet
  std::vector<std::string> tables;
};
Result<TursoProgress> read_turso_progress(sqlite3* db, const std::string& body);

}  // namespace godwit::sync
