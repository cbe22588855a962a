// A pull, applied: facts of the server are made rows here, pending changes that meet them are undone first
// and made again by the rule at the end (docs/decisions/0011-sync-by-rows.md, "Pull, on the client").
//
//     load()   apply() ...                      finish()
//              facts, marks, settled marks      pending changes again, rewritten
//     load()   begin_whole(), rows are reset    finish()
//
// Of a row that no fact touches nothing is read or written. needs_whole(): facts do not do here; roll
// back, and ask for the whole revision.
//
// The owner has a write transaction open, with RulesOff and capture::Pause. Threads: as the connection.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "sqlite3.h"
#include "sync/pending_log.h"
#include "sync/replica.h"
#include "sync/row_applier.h"

namespace godwit::sync {

RowPolicy policy_of(const ReplicaOptions& options);

class Rebaser {
 public:
  Rebaser(sqlite3* db, const ReplicaOptions& options);

  // Reads what is pending; what was not sent yet (after `sent_seq`) becomes one entry.
  Status load(uint64_t sent_seq);
  // Facts: a whole number of ops.
  Status apply(std::string_view ops);
  // Before the tables become those of a whole revision, in which entries up to `acknowledged_seq` are.
  Status begin_whole(uint64_t acknowledged_seq);
  Status finish();

  // Entries up to `seq` are left that no mark was about.
  bool has_unmarked(uint64_t seq) const;
  bool needs_whole() const { return needs_whole_; }
  bool changed() const { return changed_; }
  void set_changed() { changed_ = true; }
  // Those in godwit_sync_conflict, and those that are only told of.
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  struct Entry {
    uint64_t seq = 0;
    std::vector<PendingOp> ops;
    bool is_consumed = false;
  };
  // A row with pending changes, oldest first.
  struct Row {
    const api::ChangeTable* table = nullptr;
    std::vector<api::Change*> chain;
    bool is_undone = false;
  };
  using Changes = std::vector<std::pair<api::ChangeTable, api::Change>>;

  Row* find(const api::ChangeTable& table, const api::Change& change);
  api::Fields unwound(Row* row, api::Fields local);
  Status undo(Row* row);
  Status undo_all(const std::string& table);
  Status install_rows(std::string_view changeset);
  Status install(const api::ChangeTable& table, const api::Change& change);
  Status run_schema(const std::string& statement);
  Status consume(uint64_t seq, bool is_exact);
  Status consume(Entry* entry, bool is_exact);
  Status remake(PendingOp* op, bool* is_touched);
  Status remake_schema(PendingOp* op);
  Status remade(const RowOutcome& outcome, Changes* changes);
  Status ask(const RowOutcome& outcome, const Conflict& conflict, Changes* changes, bool* is_decided);
  Conflict conflict_of(const RowOutcome& outcome);

  sqlite3* db_;
  const ReplicaOptions& options_;
  RowApplier applier_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, Row> rows_;  // by table and key
  Changes deferred_;
  std::vector<Conflict> conflicts_;
  bool changes_schema_ = false;  // pending changes ALTER or DROP: rows can not be undone one by one
  bool is_whole_ = false, needs_whole_ = false, changed_ = false;
};

}  // namespace godwit::sync
