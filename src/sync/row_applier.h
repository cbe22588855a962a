// Makes changes of rows in a database by the rule of docs/decisions/0011-sync-by-rows.md: on a server what
// clients push, on a client what is pending after a pull. One rule, one function, so both come to the
// same row. `mine` is the change, `theirs` the row as it is.
//
// Changes that a constraint stops are kept until finish(): others may make room for them (rows that
// swap a UNIQUE value, too). What is stopped then is refused.
//
// The owner has a write transaction open, triggers and foreign keys switched off (RulesOff), and calls
// forget() after the schema has changed. Writes go to "main". Threads: as the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/changeset.h"
#include "base/status.h"
#include "sqlite3.h"
#include "sync/database_access.h"

namespace godwit::sync {

struct RowPolicy {
  bool update_wins = false;        // over DELETE
  std::set<std::string> counters;  // "table.column" in lower case: differences are added
};

enum class RowResult : uint8_t {
  kApplied,      // as it says
  kUnchanged,    // the row was like that already
  kOverwritten,  // made, though theirs had changed too
  kDropped,      // not made: theirs stands
  kMoved,        // made under another rowid
  kRefused,      // by a constraint, or there is no such table
};

struct RowOutcome {
  RowResult result = RowResult::kApplied;
  const api::ChangeTable* table = nullptr;
  const api::Change* mine = nullptr;
  std::vector<std::string> columns;      // names; only if the result is told of
  api::Fields theirs;                    // the row as it was; empty: there was none
  std::optional<api::Change> effect;     // what was done, from the row as it was; none: nothing
  int64_t rowid = 0;                     // of kMoved: the new one
  std::string key;                       // JSON; only if the result is told of
  Status error;                          // of kRefused
  // Whether the other side would do the same by making the change without looking.
  bool is_exact() const { return result <= RowResult::kUnchanged; }
  // kOverwritten and what follows it: somebody should know.
  bool is_told() const { return result >= RowResult::kOverwritten; }
  std::string row_json(const api::Fields& row) const;
};

using RowTold = std::function<Status(const RowOutcome&)>;

// Switches triggers and foreign keys of a connection off while it lives. Not in a transaction.
class RulesOff {
 public:
  explicit RulesOff(sqlite3* db);
  ~RulesOff();
  RulesOff(const RulesOff&) = delete;
  RulesOff& operator=(const RulesOff&) = delete;

 private:
  sqlite3* db_;
  int had_triggers_ = 0, had_foreign_keys_ = 0;
};

class RowApplier {
 public:
  RowApplier(sqlite3* db, RowPolicy policy);
  ~RowApplier();

  // Makes a change, or keeps it for finish(); `told` hears of every change when it is decided.
  // Errors are those of the database (kBusy, kFull, kCorrupt ...), never a constraint.
  Status apply(const api::ChangeTable& table, api::Change mine, const RowTold& told);
  Status finish(const RowTold& told);
  // All changes of a changeset, and finish(). kCorrupt: it is damaged.
  Status apply_changeset(std::string_view changeset, const RowTold& told);

  // For changes that are facts (the server's, on a client): makes the row what it became, whatever it is.
  enum class Installed : uint8_t {
    kDone,
    kMissing,    // nothing to change there, or the table is another: the database is not as it should be
    kStopped,    // a constraint stands in the way; nothing was done
  };
  Result<Installed> install(const api::ChangeTable& table, const api::Change& change);

  // The row that a change is about, all columns; empty: none, or no such table.
  Result<api::Fields> row_of(const api::ChangeTable& table, const api::Change& change);
  // Whether the table is there and takes changes of these columns.
  bool takes(const api::ChangeTable& table);
  std::string key_json(const api::ChangeTable& table, const api::Fields& values);
  std::string row_json(const api::ChangeTable& table, const api::Fields& values);
  const std::vector<std::string>& column_names(const api::ChangeTable& table);
  // Columns and statements are read anew. Ends with every change of the schema.
  void forget();

 private:
  struct Table;
  struct Decision;
  struct Stopped;

  Table* find(const std::string& name);
  Result<Query*> statement(Table* table, const std::string& sql);
  std::string where_key(const Table& table, const api::Fields& values) const;
  Status bind_key(const Table& table, const api::Fields& values, int number, Query* query) const;
  Result<api::Fields> read_row(Table* table, const api::Fields& values);

  Result<int> insert_row(Table* table, const api::Fields& values);
  Result<int> update_row(Table* table, const api::Fields& key, const api::Fields& values);
  Result<int> delete_row(Table* table, const api::Fields& key);
  Result<int> run_for_code(Query* query);

  void decide(Table* table, const api::Change& mine, const api::Fields& theirs, Decision* decision);
  void decide_insert(Table* table, const api::Change& mine, const api::Fields& theirs, Decision* decision);
  void decide_update(Table* table, const api::Change& mine, const api::Fields& theirs, Decision* decision);
  void decide_delete(Table* table, const api::Change& mine, const api::Fields& theirs, Decision* decision);
  api::Field summed(const Table& table, size_t column, const api::Change& mine, const api::Field& theirs) const;
  Result<int> carry_out(Table* table, const Decision& decision, int64_t* rowid);
  Result<bool> try_change(Table* table, const api::ChangeTable& header, const api::Change& mine,
                          Status* stopped_by, const RowTold& told);
  Status tell(Table* table, const api::ChangeTable& header, const api::Change& mine,
              RowOutcome outcome, const RowTold& told);
  Status swap_stopped(const RowTold& told);

  sqlite3* db_;
  RowPolicy policy_;
  std::map<std::string, std::unique_ptr<Table>, std::less<>> tables_;  // by name in lower case
  std::vector<Stopped> stopped_;
};

}  // namespace godwit::sync
