// A replica: a SQLite file whose rows are those of a database on a server, and that is written locally
// at any time. push() sends what was written since, pull() fetches what others wrote. What is kept,
// and by which rule changes meet, is in docs/decisions/0011-sync-by-rows.md.
//
//               begin_push()                                        begin_pull()
//   synced  ------------------>  Exchange: requests to be sent  <-----------------  synced
//              by whoever owns the network; answers given back
//
// Nothing here opens a socket: an Exchange says which request to send and is fed the answer piece by
// piece. A transport for C++ is in sync/http_transport.h; the Node package has its own; the simulation
// loses, repeats and cuts them.
//
// A replica has a connection of its own. The application uses any connection of Godwit to the file: a
// file with the table godwit_sync_pending is recorded by every one (capture/pending.h).
//
// Threads: one at a time; the application's connections are independent of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sqlite3.h"
#include "sync/wire.h"

namespace godwit::sync {

enum class Wire : uint8_t {
  kDetect,  // asks once; the answer is remembered in the file
  kGodwit,  // the dense form, sync/wire.h
  kTurso,   // /v2/pipeline and /pull-updates
};

// A change that both sides made, or that the other side refused.
struct Conflict {
  enum Kind : uint8_t { kOverwritten, kDropped, kMoved, kRefused, kSetAside };
  Kind kind = kOverwritten;
  std::string table;
  std::string key;     // JSON object
  std::string mine, theirs, base;  // rows as JSON objects; empty: there is none, or not known
  std::string error;   // of kRefused and kSetAside
};

struct PendingChange {
  uint64_t seq = 0;
  std::string table;
  std::string key;   // JSON object; of schema changes the statement
  char kind = 'I';   // 'I', 'U', 'D', 'S' (schema)
  bool is_sent = false;  // and not answered yet
};

// What may be done to a pending change before it is sent, and when it is rebased.
struct Mutation {
  std::string table;
  char kind = 'I';
  int64_t rowid = 0;
  std::string before, after, updates;  // JSON objects; empty: none
};
struct Transformed {
  enum Action : uint8_t { kKeep, kSkip, kRewrite } action = kKeep;
  std::string row;  // kRewrite: the new values of columns, a JSON object
};

struct ReplicaOptions {
  std::string url;  // empty: not known yet, push and pull fail
  std::string client_name = "godwit";
  Wire wire = Wire::kDetect;
  // A file with tables that was never synced: true makes its rows pending changes; false refuses it.
  bool adopt = false;
  // The server has another database than at the last sync: true starts over from it, keeping what
  // is pending.
  bool accept_other_database = false;
  bool update_wins = false;  // over DELETE
  std::vector<std::string> counters;  // "table.column": increments of both sides add up
  uint32_t long_poll_ms = 0;
  std::function<Transformed(const Mutation&)> transform;
  // Decides on a row that both sides changed: the new row as JSON, or nothing for the rule.
  std::function<std::optional<std::string>(const Conflict&)> on_conflict;
  std::function<void(const Conflict&)> conflict_found;
  // Bytes of the answer so far, and in all (0: unknown).
  std::function<void(uint64_t, uint64_t)> progress;
};

struct ReplicaStats {
  uint64_t pending_changes = 0;  // rows of godwit_sync_pending
  int64_t last_push_time = 0, last_pull_time = 0;  // seconds since 1970; 0: never
  std::string revision;
  uint64_t sent_bytes = 0, received_bytes = 0;  // bodies, since the replica was opened
  uint64_t wal_bytes = 0;
};

struct HttpRequest {
  std::string method, url;
  std::vector<std::pair<std::string, std::string>> headers;  // without authorization
  std::string body;
};

// One push or pull under way. Dropping it gives up: nothing local has changed by then but what is
// resumed next time.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // The request to send; null: done.
  virtual const HttpRequest* request() const = 0;
  // The answer, in this order; headers are not needed. After end() or fail(), ask for request() again.
  // A status to be refused gives its error at end(), with the server's text.
  virtual void begin(int status) = 0;
  virtual Status add(std::string_view bytes) = 0;
  virtual Status end() = 0;
  // After the last end(): whether anything was sent, or rows changed.
  virtual bool changed() const = 0;
};

class Replica {
 public:
  // Makes the file and its tables if need be. Errors: kCantOpen ...; kError with a text: the file has data
  // and was never synced, or belongs to another kind of replica.
  static Result<std::unique_ptr<Replica>> open(const std::string& path, ReplicaOptions options);
  virtual ~Replica() = default;

  // kBusy: an exchange is under way. kError: no url.
  virtual Result<std::unique_ptr<Exchange>> begin_push() = 0;
  virtual Result<std::unique_ptr<Exchange>> begin_pull() = 0;

  virtual Result<std::vector<PendingChange>> pending() = 0;
  // Undoes the pending changes of a row (key as in PendingChange), as if they had never been made.
  virtual Status discard(std::string_view table, std::string_view key) = 0;
  virtual Result<ReplicaStats> stats() = 0;
  // Copies the WAL into the file and cuts it.
  virtual Status checkpoint() = 0;
  virtual void set_url(std::string url) = 0;
  virtual sqlite3* handle() = 0;
};

}  // namespace godwit::sync
