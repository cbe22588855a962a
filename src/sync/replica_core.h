// What a replica does with its file, whatever the wire: takes what is to be pushed, takes in what was
// answered. The exchanges of each wire (godwit_exchange.h, turso_*.h) are made of these steps; each step
// is one transaction, and after a kill between two of them the next exchange goes on.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sqlite3.h"
#include "sync/replica.h"
#include "sync/replica_state.h"
#include "sync/wire.h"

namespace godwit::sync {

// What a pull brought.
struct PullResult {
  std::string database, revision;
  uint64_t acknowledged_seq = 0;  // of this client, at that revision
};

enum class Applied : uint8_t {
  kNothing,      // the rows are as before; positions may have moved
  kChanged,
  kNeedsWhole,   // nothing was done: ask for the whole revision
  kElsewhere,    // nothing was done: another process has pulled meanwhile; ask again
};

class ReplicaCore {
 public:
  ReplicaCore(sqlite3* db, std::string path, ReplicaOptions options);
  ~ReplicaCore();

  sqlite3* db() const { return db_; }
  const std::string& path() const { return path_; }
  ReplicaOptions& options() { return options_; }
  Result<ReplicaState> state();
  Status set_state(std::string_view name, std::string_view value);

  // ---- push

  // The next thing to send, marked as sent: what was sent before without an answer, as it was; else all
  // that is pending, folded and transformed. None: nothing is pending. The request is whole but for what
  // the wire of Turso has no use of.
  Result<std::optional<PushRequest>> next_push();
  // Something was sent and never answered.
  Result<bool> has_unanswered();
  // The server's answer. Refused: kConstraint with a text that names what; all stays pending.
  Status push_answered(const PushRequest& request, const PushAnswer& answer);
  // It is certain that the server has nothing of it (a status of 4xx).
  Status push_rejected();

  // ---- pull

  // `revision`: which was asked with. Ops: whole ones, of capture/op_stream.h.
  Result<Applied> apply_ops(const std::string& revision, const PullResult& result, std::string_view ops);
  // A file with all pages of a database.
  Result<Applied> apply_whole(const std::string& revision, const PullResult& result, const std::string& file);
  // The answer was: nothing new.
  Status pulled_nothing();
  // kError: the server has another database than the rows here are of, and that is not accepted.
  // *is_other: it has, and all is to be asked for.
  Status check_database(const std::string& database, bool* is_other);

  // ---- both

  void count_sent(uint64_t bytes) { sent_bytes_ += bytes; }
  void count_received(uint64_t bytes) { received_bytes_ += bytes; }
  uint64_t sent_bytes() const { return sent_bytes_; }
  uint64_t received_bytes() const { return received_bytes_; }
  // Keeps the WAL short, if readers let it.
  void shorten_wal();
  uint64_t wal_bytes() const;

  // ---- the pending changes

  Result<std::vector<PendingChange>> pending();
  Status discard(std::string_view table, std::string_view key);
  // All rows as pending changes, as if they had been written now. In a write transaction.
  Status adopt();

 private:
  Result<Applied> apply_pull(const std::string& revision, const PullResult& result, const std::string* file,
                             std::string_view ops);
  Status prepare_ops(std::string* ops);
  void tell(const std::vector<Conflict>& conflicts);

  sqlite3* db_;
  std::string path_;
  ReplicaOptions options_;
  uint64_t sent_bytes_ = 0, received_bytes_ = 0;
};

}  // namespace godwit::sync
