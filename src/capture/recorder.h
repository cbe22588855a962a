// Tells what the transactions of a connection do to its database "main", as op streams
// (capture/op_stream.h): below triggers and constraints, so that what triggers, foreign key actions and
// REPLACE did is among it, and schema changes in between, in the order in which they happened.
//
// Not recorded: tables whose names begin with "sqlite_", "godwit_sync_" or "turso_", virtual tables
// themselves (their shadow tables are), temporary tables, what the sink itself writes.
//
// Nothing is paid where no sink is set. Threads: as the connection.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "sqlite3.h"

namespace godwit::capture {

// Gets what a transaction did.
class OpSink {
 public:
  virtual ~OpSink() = default;

  // A part of the transaction, in order; parts come just before the commit, before a SAVEPOINT, and
  // when kPartBytes have been gathered. Called while the transaction is open and holds the write lock.
  // The sink may run statements on the connection: they belong to the transaction and are not
  // recorded. An error makes the COMMIT (or the statement) fail.
  virtual Status take(sqlite3* db, std::string_view ops) = 0;
  // ROLLBACK TO has undone what was taken after the `parts`-th part of this transaction. What the sink
  // wrote into the database by then is undone by that itself.
  virtual void cut_back(uint64_t parts) = 0;
  // All parts were taken, the write lock is held, the commit comes next. An error refuses it. Called
  // for every commit that changes the file, also where nothing of it is recorded.
  virtual Status before_commit(sqlite3* db) = 0;
  // The transaction has ended. Only called after one of those above.
  virtual void ended(sqlite3* db, bool committed) = 0;
};

inline constexpr size_t kPartBytes = 1u << 20;

// Starts recording, or with null ends it. Not when the open transaction
// has changed something already (kMisuse). The sink must
// outlive the connection or the next call. One sink a connection.
Status set_sink(sqlite3* db, OpSink* sink);

// While it lives nothing that the connection does is recorded (changes of other replicas are applied).
class Pause {
 public:
  explicit Pause(sqlite3* db);
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  sqlite3* db_;
};

}  // namespace godwit::capture
