#include "sync/replica_core.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "api/table_shape.h"
#include "capture/recorder.h"
#include "sync/database_access.h"
#include "sync/pending_log.h"
#include "sync/rebaser.h"
#include "sync/row_applier.h"
#include "sync/transformer.h"
#include "sync/whole_revision.h"

namespace godwit::sync {

using api::Change;
using api::ChangeTable;

namespace {

constexpr uint64_t kWalBytesUsual = 4u << 20;
constexpr uint64_t kWalBytesMax = 16u << 20;
constexpr size_t kAdoptedEntryBytes = 4u << 20;

uint64_t last_sent(const ReplicaState& state) { return std::max(state.sent_seq, state.acknowledged_seq); }

// What surrounds every change that is not the application's: it is not recorded, and no trigger runs.
class Quietly {
 public:
  explicit Quietly(sqlite3* db) : rules_(db), pause_(db) {}

 private:
  RulesOff rules_;
  capture::Pause pause_;
};

Conflict conflict_of(const Outcome& outcome) {
  static constexpr Conflict::Kind kKinds[] = {Conflict::kOverwritten, Conflict::kOverwritten, Conflict::kDropped,
                                              Conflict::kMoved, Conflict::kRefused};
  Conflict conflict;
  conflict.kind = kKinds[static_cast<size_t>(outcome.kind)];
  conflict.table = outcome.table;
  conflict.key = outcome.key;
  (outcome.kind == OutcomeKind::kOverwritten ? conflict.theirs : conflict.error) = outcome.text;
  return conflict;
}

std::string refusal_text(const PushAnswer& answer) {
  constexpr size_t kNamed = 3;
  std::string text = "conflict: the server refused the push as a whole, nothing local was lost";
  for (size_t i = 0; i < answer.outcomes.size() && i < kNamed; ++i) {
    const Outcome& outcome = answer.outcomes[i];
    text += (i == 0 ? ": " : "; ") + outcome.text + " (table " + outcome.table + ", key " + outcome.key + ")";
  }
  if (answer.outcomes.size() > kNamed) text += "; and " + std::to_string(answer.outcomes.size() - kNamed) + " more";
  return text + ". Pull, then push again";
}

}  // namespace

ReplicaCore::ReplicaCore(sqlite3* db, std::string path, ReplicaOptions options)
    : db_(db), path_(std::move(path)), options_(std::move(options)) {}

ReplicaCore::~ReplicaCore() { sqlite3_close_v2(db_); }

Result<ReplicaState> ReplicaCore::state() { return load_state(db_); }

Status ReplicaCore::set_state(std::string_view name, std::string_view value) {
  return set_state_value(db_, name, value);
}

// ---- Push ----------------------------------------------------------------------------------------

Result<bool> ReplicaCore::has_unanswered() {
  GW_ASSIGN(const ReplicaState state, load_state(db_));
  return state.sent_seq > state.acknowledged_seq;
}

Result<std::optional<PushRequest>> ReplicaCore::next_push() {
  GW_ASSIGN(ReplicaState state, load_state(db_));
  const std::string has_news = "SELECT EXISTS(SELECT 1 FROM godwit_sync_pending WHERE seq > ";
  GW_ASSIGN(const int64_t is_any, integer_of(db_, has_news + std::to_string(state.acknowledged_seq) + ")"));
  if (is_any == 0) return std::optional<PushRequest>();

  const Quietly quietly(db_);
  GW_ASSIGN(WriteTransaction transaction, WriteTransaction::begin(db_));
  GW_ASSIGN(state, load_state(db_));
  GW_ASSIGN(const std::vector<PendingEntry> entries, load_pending(db_, state.acknowledged_seq));
  std::optional<PendingEntry> next;
  if (!entries.empty() && entries[0].seq <= state.sent_seq) {
    next = entries[0];
  } else {
    GW_ASSIGN(next, fold_pending(db_, state.acknowledged_seq));
    if (next.has_value()) GW_TRY(prepare_ops(&next->ops));
    if (next.has_value()) GW_TRY(store_pending(db_, next->seq, next->ops));
    if (next.has_value() && next->ops.empty()) next.reset();
    state.sent_seq = next.has_value() ? next->seq : state.acknowledged_seq;
    GW_TRY(store_state(db_, state));
  }
  GW_TRY(transaction.commit());
  if (!next.has_value()) return std::optional<PushRequest>();
  PushRequest request;
  request.update_wins = options_.update_wins;
  request.client = state.client;
  request.database = state.database;
  request.revision = state.revision;
  request.first_seq = state.acknowledged_seq + 1;
  request.last_seq = next->seq;
  const RowPolicy policy = policy_of(options_);
  request.counters.assign(policy.counters.begin(), policy.counters.end());
  request.ops = std::move(next->ops);
  return std::optional<PushRequest>(std::move(request));
}

Status ReplicaCore::prepare_ops(std::string* ops) {
  if (!options_.transform && !options_.update_wins) return Status();
  GW_ASSIGN(std::vector<PendingOp> parsed, parse_ops(*ops));
  Transformer transformer(db_, options_);
  for (PendingOp& op : parsed) GW_TRY(transformer.prepare(&op.changes));
  *ops = encode_ops(parsed);
  return Status();
}

Status ReplicaCore::push_answered(const PushRequest& request, const PushAnswer& answer) {
  std::vector<Conflict> conflicts;
  {
    const Quietly quietly(db_);
    GW_ASSIGN(WriteTransaction transaction, WriteTransaction::begin(db_));
    GW_ASSIGN(ReplicaState state, load_state(db_));
    const bool is_refused = answer.status == PushStatus::kRefused;
    if (is_refused) {
      if (state.sent_seq == request.last_seq) state.sent_seq = state.acknowledged_seq;
    } else {
      state.acknowledged_seq = std::max(state.acknowledged_seq, request.last_seq);
      state.sent_seq = last_sent(state);
      state.last_push_time = seconds_now();
      if (state.database.empty()) state.database = answer.database;
      if (!answer.revision.empty() && answer.outcomes.empty() && state.revision == request.revision) {
        state.revision = answer.revision;
        GW_TRY(remove_pending(db_, request.last_seq));
      }
    }
    GW_TRY(store_state(db_, state));
    for (const Outcome& outcome : answer.outcomes) {
      conflicts.push_back(conflict_of(outcome));
      if (outcome.kind == OutcomeKind::kDropped) GW_TRY(keep_conflict(db_, conflicts.back()));
    }
    GW_TRY(transaction.commit());
  }
  tell(conflicts);
  if (answer.status == PushStatus::kRefused) return Status(SQLITE_CONSTRAINT, refusal_text(answer));
  return Status();
}

Status ReplicaCore::push_rejected() {
  const Quietly quietly(db_);
  GW_ASSIGN(WriteTransaction transaction, WriteTransaction::begin(db_));
  GW_ASSIGN(ReplicaState state, load_state(db_));
  state.sent_seq = state.acknowledged_seq;
  GW_TRY(store_state(db_, state));
  return transaction.commit();
}

void ReplicaCore::tell(const std::vector<Conflict>& conflicts) {
  if (!options_.conflict_found) return;
  for (const Conflict& conflict : conflicts) options_.conflict_found(conflict);
}

// ---- Pull ----------------------------------------------------------------------------------------

Status ReplicaCore::check_database(const std::string& database, bool* is_other) {
  GW_ASSIGN(const ReplicaState state, load_state(db_));
  *is_other = !state.database.empty() && state.database != database;
  if (!*is_other || options_.accept_other_database) return Status();
  return Status::error("the server has another database than the one that this replica was made of (" + database +
                       ", not " + state.database + "); nothing was changed");
}

Status ReplicaCore::pulled_nothing() {
  return set_state_value(db_, "last_pull_time", std::to_string(seconds_now()));
}

Result<Applied> ReplicaCore::apply_ops(const std::string& revision, const PullResult& result, std::string_view ops) {
  return apply_pull(revision, result, nullptr, ops);
}

Result<Applied> ReplicaCore::apply_whole(const std::string& revision, const PullResult& result, const std::string& file) {
  return apply_pull(revision, result, &file, {});
}

Result<Applied> ReplicaCore::apply_pull(const std::string& revision, const PullResult& result,
                                        const std::string* file, std::string_view ops) {
  std::vector<Conflict> conflicts;
  bool changed = false;
  {
    const Quietly quietly(db_);
    std::optional<AttachedRevision> attached;
    if (file != nullptr) {
      GW_ASSIGN(AttachedRevision revision_file, AttachedRevision::attach(db_, *file));
      attached.emplace(std::move(revision_file));
    }
    GW_ASSIGN(WriteTransaction transaction, WriteTransaction::begin(db_));
    GW_ASSIGN(ReplicaState state, load_state(db_));
    if (state.revision != revision) return Applied::kElsewhere;
    const bool is_other = !state.database.empty() && state.database != result.database;
    if (is_other && file == nullptr) return Applied::kNeedsWhole;
    Rebaser rebaser(db_, options_);
    GW_TRY(rebaser.load(last_sent(state)));
    if (file != nullptr) {
      GW_TRY(rebaser.begin_whole(result.acknowledged_seq));
      bool differed = false;
      GW_TRY(reset_to_revision(db_, &differed));
      if (differed) rebaser.set_changed();
    } else {
      GW_TRY(rebaser.apply(ops));
      if (rebaser.has_unmarked(result.acknowledged_seq)) return Applied::kNeedsWhole;
    }
    if (rebaser.needs_whole()) return Applied::kNeedsWhole;
    GW_TRY(rebaser.finish());
    state.sent_seq = last_sent(state);
    // What the server has lost is pending again.
    state.acknowledged_seq = file != nullptr ? result.acknowledged_seq
                                             : std::max(state.acknowledged_seq, result.acknowledged_seq);
    state.sent_seq = last_sent(state);
    state.database = result.database;
    state.revision = result.revision;
    state.last_pull_time = seconds_now();
    GW_TRY(store_state(db_, state));
    GW_TRY(transaction.commit());
    conflicts = rebaser.conflicts();
    changed = rebaser.changed();
  }
  tell(conflicts);
  shorten_wal();
  return changed ? Applied::kChanged : Applied::kNothing;
}

// ---- The file ------------------------------------------------------------------------------------

uint64_t ReplicaCore::wal_bytes() const {
  struct stat info = {};
  return ::stat((path_ + "-wal").c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

void ReplicaCore::shorten_wal() {
  const uint64_t bytes = wal_bytes();
  if (bytes < kWalBytesUsual) return;
  const int mode = bytes < kWalBytesMax ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  (void)sqlite3_wal_checkpoint_v2(db_, "main", mode, nullptr, nullptr);
}

// ---- Pending changes -----------------------------------------------------------------------------

Result<std::vector<PendingChange>> ReplicaCore::pending() {
  GW_ASSIGN(const ReplicaState state, load_state(db_));
  GW_ASSIGN(const std::vector<PendingEntry> entries, load_pending(db_, state.acknowledged_seq));
  RowApplier names(db_, {});
  std::vector<PendingChange> list;
  for (const PendingEntry& entry : entries) {
    GW_ASSIGN(const std::vector<PendingOp> ops, parse_ops(entry.ops));
    for (const PendingOp& op : ops) {
      const bool is_sent = entry.seq <= state.sent_seq;
      if (!op.schema.empty()) list.push_back({entry.seq, "", op.schema, 'S', is_sent});
      for (const auto& [table, change] : op.changes) {
        const bool is_insert = change.op == SQLITE_INSERT;
        const char kind = is_insert ? 'I' : change.op == SQLITE_UPDATE ? 'U' : 'D';
        list.push_back({entry.seq, table.name,
                        names.key_json(table, is_insert ? change.new_values : change.old_values), kind, is_sent});
      }
    }
  }
  return list;
}

Status ReplicaCore::discard(std::string_view table, std::string_view key) {
  const Quietly quietly(db_);
  GW_ASSIGN(WriteTransaction transaction, WriteTransaction::begin(db_));
  GW_ASSIGN(const ReplicaState state, load_state(db_));
  GW_ASSIGN(std::optional<PendingEntry> entry, fold_pending(db_, last_sent(state)));
  if (!entry.has_value()) return Status(SQLITE_NOTFOUND, "nothing is pending that was not sent");
  GW_ASSIGN(std::vector<PendingOp> ops, parse_ops(entry->ops));
  RowApplier applier(db_, {});
  bool is_found = false;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    for (size_t i = op->changes.size(); i-- > 0;) {
      const auto& [header, change] = op->changes[i];
      const bool is_insert = change.op == SQLITE_INSERT;
      if (header.name != table || applier.key_json(header, is_insert ? change.new_values : change.old_values) != key) {
        continue;
      }
      GW_TRY(undo_change(&applier, header, change));
      op->changes.erase(op->changes.begin() + static_cast<ptrdiff_t>(i));
      is_found = true;
    }
  }
  if (!is_found) return Status(SQLITE_NOTFOUND, "no such pending change: " + std::string(table) + " " + std::string(key));
  GW_TRY(store_pending(db_, entry->seq, encode_ops(ops)));
  return transaction.commit();
}

namespace {

Status keep_entry(sqlite3* db, std::string* ops) {
  if (ops->empty()) return Status();
  GW_ASSIGN(Query query, Query::prepare(db, "INSERT INTO godwit_sync_pending(time, ops) VALUES(?, ?)"));
  GW_TRY(query.bind(1, seconds_now()).bind_blob(2, *ops).run());
  ops->clear();
  return Status();
}

Status adopt_rows(sqlite3* db, const std::string& name) {
  const api::TableShape shape = api::shape_of_table(db, "main", name);
  if (!shape.exists()) return Status();
  const ChangeTable header{name, false, shape.key};
  std::string columns;
  for (const std::string& column : shape.columns) columns += (columns.empty() ? "" : ", ") + column;
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT " + columns + " FROM main." + double_quoted(name)));
  std::string changeset, ops;
  for (;;) {
    GW_ASSIGN(const bool has_row, query.step());
    if (has_row) {
      if (changeset.empty()) header.append_header(&changeset);
      Change{SQLITE_INSERT, false, {}, query.fields()}.append(header, &changeset);
    }
    if (changeset.size() > kAdoptedEntryBytes || (!has_row && !changeset.empty())) {
      capture::append_op(capture::OpKind::kRows, changeset, &ops);
      changeset.clear();
      GW_TRY(keep_entry(db, &ops));
    }
    if (!has_row) return Status();
  }
}

}  // namespace

Status ReplicaCore::adopt() {
  std::vector<std::string> tables;
  std::string ops, later;
  GW_ASSIGN(Query query, Query::prepare(db_, "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"));
  for (;;) {
    GW_ASSIGN(const bool has_row, query.step());
    if (!has_row) break;
    const std::string type = query.text(0), name = query.text(1), sql = query.text(3);
    if (!is_synced_table(name) || !is_synced_table(query.text(2))) continue;
    const bool is_virtual = sqlite3_strnicmp(sql.c_str(), "CREATE VIRTUAL", 14) == 0;
    if (type == "table" && !is_virtual) tables.push_back(name);
    capture::append_op(capture::OpKind::kSchema, sql, type == "table" ? &ops : &later);
  }
  GW_TRY(keep_entry(db_, &ops));
  for (const std::string& table : tables) GW_TRY(adopt_rows(db_, table));
  return keep_entry(db_, &later);
}

}  // namespace godwit::sync
