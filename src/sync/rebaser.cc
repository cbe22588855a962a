#include "sync/rebaser.h"

#include <algorithm>

#include "sync/replica_state.h"
#include "sync/row_json.h"
#include "sync/schema_op.h"

namespace godwit::sync {

using api::Change;
using api::ChangeTable;
using api::Field;
using api::Fields;
using api::is_undefined;

namespace {

std::string lower_name(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

bool begins_with_word(const std::string& sql, const char* word, size_t size) {
  const size_t at = sql.find_first_not_of(" \t\r\n");
  return at != std::string::npos && sqlite3_strnicmp(sql.c_str() + at, word, static_cast<int>(size)) == 0;
}

}  // namespace

RowPolicy policy_of(const ReplicaOptions& options) {
  RowPolicy policy;
  policy.update_wins = options.update_wins;
  for (const std::string& counter : options.counters) policy.counters.insert(lower_name(counter));
  return policy;
}

Rebaser::Rebaser(sqlite3* db, const ReplicaOptions& options)
    : db_(db), options_(options), applier_(db, policy_of(options)) {}

Status Rebaser::load(uint64_t sent_seq) {
  GW_TRY(fold_pending(db_, sent_seq));
  GW_ASSIGN(std::vector<PendingEntry> stored, load_pending(db_, 0));
  entries_.reserve(stored.size());
  for (PendingEntry& raw : stored) {
    Entry& entry = entries_.emplace_back();
    entry.seq = raw.seq;
    GW_ASSIGN(entry.ops, parse_ops(raw.ops));
    raw.ops.clear();
    for (PendingOp& op : entry.ops) {
      changes_schema_ |= begins_with_word(op.schema, "ALTER", 5) || begins_with_word(op.schema, "DROP", 4);
      for (auto& [table, change] : op.changes) {
        Row& row = rows_[lower_name(table.name) + '\0' + change.key(table)];
        row.table = &table;
        row.chain.push_back(&change);
      }
    }
  }
  return Status();
}

Rebaser::Row* Rebaser::find(const ChangeTable& table, const Change& change) {
  if (rows_.empty()) return nullptr;
  auto found = rows_.find(lower_name(table.name) + '\0' + change.key(table));
  return found == rows_.end() ? nullptr : &found->second;
}

// ---- Undoing -------------------------------------------------------------------------------------

// The row as it was before its pending changes. Their old records become whole on the way: an UPDATE that
// meets a DELETE may have to make the row anew.
Fields Rebaser::unwound(Row* row, Fields local) {
  const std::vector<std::string>& columns = applier_.column_names(*row->table);
  const bool has_rowid_key = !columns.empty() && columns[0] == "_rowid_";
  for (auto at = row->chain.rbegin(); at != row->chain.rend(); ++at) {
    Change* change = *at;
    if (change->op == SQLITE_INSERT) {
      local.clear();
    } else if (change->op == SQLITE_DELETE) {
      local = change->old_values;
    } else if (!local.empty()) {
      for (size_t i = 0; i < local.size() && i < change->old_values.size(); ++i) {
        if (!is_undefined(change->old_values[i])) local[i] = change->old_values[i];
      }
      if (!has_rowid_key) change->old_values = local;
    }
  }
  return local;
}

Status Rebaser::undo(Row* row) {
  if (row->is_undone || row->chain.empty()) return Status();
  if (changes_schema_) {
    needs_whole_ = true;
    return Status();
  }
  GW_ASSIGN(Fields local, applier_.row_of(*row->table, *row->chain.back()));
  const bool is_there = !local.empty();
  Fields base = unwound(row, std::move(local));
  Change change;
  if (base.empty()) {
    row->is_undone = true;
    if (!is_there) return Status();
    const Change& any = *row->chain.back();
    change = {SQLITE_DELETE, false, any.op == SQLITE_INSERT ? any.new_values : any.old_values, {}};
  } else {
    change = {SQLITE_INSERT, false, {}, std::move(base)};
  }
  GW_ASSIGN(const RowApplier::Installed installed, applier_.install(*row->table, change));
  if (installed == RowApplier::Installed::kStopped) return undo_all(row->table->name);
  if (installed == RowApplier::Installed::kMissing) needs_whole_ = true;
  row->is_undone = true;
  return Status();
}

// Rows that stand in each other's way: all pending ones of the table are taken out before those of the
// base are put in.
Status Rebaser::undo_all(const std::string& table) {
  if (changes_schema_) {
    needs_whole_ = true;
    return Status();
  }
  const std::string name = lower_name(table);
  std::vector<std::pair<Row*, Change>> bases;
  for (auto& [key, row] : rows_) {
    if (row.is_undone || row.chain.empty() || lower_name(row.table->name) != name) continue;
    const Change& any = *row.chain.back();
    GW_ASSIGN(Fields local, applier_.row_of(*row.table, any));
    const bool is_there = !local.empty();
    Fields base = unwound(&row, std::move(local));
    if (is_there) {
      const Change removal{SQLITE_DELETE, false, any.op == SQLITE_INSERT ? any.new_values : any.old_values, {}};
      GW_TRY(applier_.install(*row.table, removal));
    }
    if (!base.empty()) bases.emplace_back(&row, Change{SQLITE_INSERT, false, {}, std::move(base)});
    row.is_undone = true;
  }
  for (const auto& [row, change] : bases) {
    GW_ASSIGN(const RowApplier::Installed installed, applier_.install(*row->table, change));
    if (installed != RowApplier::Installed::kDone) needs_whole_ = true;
  }
  return Status();
}

// ---- Facts ---------------------------------------------------------------------------------------

Status Rebaser::install(const ChangeTable& table, const Change& change) {
  if (Row* row = find(table, change)) GW_TRY(undo(row));
  if (needs_whole_) return Status();
  GW_ASSIGN(RowApplier::Installed installed, applier_.install(table, change));
  if (installed == RowApplier::Installed::kStopped) {
    GW_TRY(undo_all(table.name));
    GW_ASSIGN(installed, applier_.install(table, change));
    if (installed == RowApplier::Installed::kStopped) {
      deferred_.emplace_back(table, change);
      return Status();
    }
  }
  needs_whole_ |= installed == RowApplier::Installed::kMissing;
  changed_ = true;
  return Status();
}

Status Rebaser::install_rows(std::string_view changeset) {
  api::ChangesetReader reader(changeset);
  int code;
  while (!needs_whole_ && (code = reader.next()) == SQLITE_ROW) {
    if (reader.table().is_patchset) return corrupt("sync: a patchset");
    if (is_synced_table(reader.table().name)) GW_TRY(install(reader.table(), reader.change()));
  }
  if (needs_whole_) return Status();
  if (code != SQLITE_DONE) return corrupt("sync: a damaged changeset");
  // Facts that waited for others of the same changeset.
  for (size_t before = 0; !deferred_.empty() && deferred_.size() != before && !needs_whole_;) {
    before = deferred_.size();
    Changes again;
    again.swap(deferred_);
    for (auto& [table, change] : again) GW_TRY(install(table, change));
  }
  needs_whole_ |= !deferred_.empty();
  return Status();
}

Status Rebaser::run_schema(const std::string& statement) {
  // A pending row may not outlive the shape that it has now.
  if (!begins_with_word(statement, "CREATE", 6) && !begins_with_word(statement, "PRAGMA", 6)) {
    for (auto& [key, row] : rows_) {
      GW_TRY(undo(&row));
      if (needs_whole_) return Status();
    }
  }
  GW_ASSIGN(const SchemaResult result, run_schema_op(db_, statement));
  applier_.forget();
  needs_whole_ |= result.is_refused();
  changed_ |= result.changed;
  return Status();
}

Status Rebaser::apply(std::string_view ops) {
  capture::OpReader reader(ops);
  capture::Op op;
  while (!needs_whole_) {
    GW_ASSIGN(const bool more, reader.next(&op));
    if (!more) break;
    switch (op.kind) {
      case capture::OpKind::kRows: GW_TRY(install_rows(op.body)); break;
      case capture::OpKind::kSchema: GW_TRY(run_schema(std::string(op.body))); break;
      case capture::OpKind::kMark: GW_TRY(consume(op.mark, true)); break;
      case capture::OpKind::kSettled: GW_TRY(consume(op.mark, false)); break;
    }
  }
  return Status();
}

// ---- Marks ---------------------------------------------------------------------------------------

Status Rebaser::consume(uint64_t seq, bool is_exact) {
  for (Entry& entry : entries_) {
    if (entry.seq > seq) break;
    if (!entry.is_consumed) GW_TRY(consume(&entry, is_exact));
  }
  return Status();
}

Status Rebaser::consume(Entry* entry, bool is_exact) {
  const RowTold ignore = [](const RowOutcome&) { return Status(); };
  for (PendingOp& op : entry->ops) {
    for (auto& [table, change] : op.changes) {
      Row* row = find(table, change);
      if (row == nullptr || row->chain.empty()) continue;
      if (is_exact && row->is_undone) {
        GW_TRY(applier_.apply(table, change, ignore));
      } else if (!is_exact && !is_whole_) {
        GW_TRY(undo(row));
        changed_ = true;
      }
      row->chain.erase(row->chain.begin());
    }
    GW_TRY(applier_.finish(ignore));
  }
  entry->is_consumed = true;
  std::erase_if(rows_, [](const auto& item) { return item.second.chain.empty(); });
  return Status();
}

bool Rebaser::has_unmarked(uint64_t seq) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.seq <= seq && !entry.is_consumed; });
}

Status Rebaser::begin_whole(uint64_t acknowledged_seq) {
  is_whole_ = true;
  for (auto& [key, row] : rows_) {
    if (!options_.update_wins || changes_schema_ || row.chain.empty()) continue;
    GW_ASSIGN(Fields local, applier_.row_of(*row.table, *row.chain.back()));
    (void)unwound(&row, std::move(local));
  }
  GW_TRY(consume(acknowledged_seq, false));
  for (auto& [key, row] : rows_) row.is_undone = true;
  applier_.forget();
  return Status();
}

// ---- Pending changes, made again -----------------------------------------------------------------

Status Rebaser::finish() {
  applier_.forget();
  for (Entry& entry : entries_) {
    if (entry.is_consumed) {
      GW_TRY(store_pending(db_, entry.seq, {}));
      continue;
    }
    bool is_touched = false;
    for (PendingOp& op : entry.ops) GW_TRY(remake(&op, &is_touched));
    if (is_touched) GW_TRY(store_pending(db_, entry.seq, encode_ops(entry.ops)));
  }
  for (const Conflict& conflict : conflicts_) {
    const bool has_lost = conflict.kind != Conflict::kOverwritten || !conflict.error.empty();
    if (has_lost) GW_TRY(keep_conflict(db_, conflict));
  }
  return Status();
}

Status Rebaser::remake(PendingOp* op, bool* is_touched) {
  if (!op->schema.empty()) {
    if (!is_whole_) return Status();
    *is_touched = true;
    return remake_schema(op);
  }
  Changes remade_changes;
  const RowTold told = [&](const RowOutcome& outcome) { return remade(outcome, &remade_changes); };
  for (auto& [table, change] : op->changes) {
    Row* row = find(table, change);
    if (row == nullptr || !row->is_undone) {
      remade_changes.emplace_back(table, change);
      continue;
    }
    *is_touched = true;
    GW_TRY(applier_.apply(table, change, told));
  }
  GW_TRY(applier_.finish(told));
  op->changes = std::move(remade_changes);
  return Status();
}

Status Rebaser::remake_schema(PendingOp* op) {
  GW_ASSIGN(const SchemaResult result, run_schema_op(db_, op->schema));
  applier_.forget();
  if (result.changed) return Status();
  if (result.is_refused()) {
    Conflict conflict;
    conflict.kind = Conflict::kSetAside;
    conflict.key = conflict.mine = op->schema;
    conflict.error = result.error;
    conflicts_.push_back(std::move(conflict));
  }
  op->schema.clear();
  return Status();
}

Conflict Rebaser::conflict_of(const RowOutcome& outcome) {
  static constexpr Conflict::Kind kKinds[] = {Conflict::kOverwritten, Conflict::kOverwritten,
                                              Conflict::kOverwritten, Conflict::kDropped,
                                              Conflict::kMoved, Conflict::kSetAside};
  const Change& mine = *outcome.mine;
  Fields wanted = mine.new_values;
  for (size_t i = 0; i < wanted.size() && i < mine.old_values.size(); ++i) {
    if (is_undefined(wanted[i])) wanted[i] = mine.old_values[i];
  }
  Conflict conflict;
  conflict.kind = kKinds[static_cast<size_t>(outcome.result)];
  conflict.table = outcome.table->name;
  conflict.key = outcome.key;
  conflict.mine = applier_.row_json(*outcome.table, wanted);
  conflict.theirs = applier_.row_json(*outcome.table, outcome.theirs);
  conflict.base = applier_.row_json(*outcome.table, mine.old_values);
  if (!outcome.error.ok()) conflict.error = outcome.error.message();
  // A row of theirs that is gone as a whole is kept, too.
  if (outcome.result == RowResult::kOverwritten && mine.op != SQLITE_UPDATE) {
    conflict.error = mine.op == SQLITE_INSERT ? "both inserted this key" : "changed by the server, deleted here";
  }
  return conflict;
}

Status Rebaser::remade(const RowOutcome& outcome, Changes* changes) {
  if (outcome.effect.has_value()) {
    ChangeTable table = *outcome.table;
    const Change& effect = *outcome.effect;
    table.key.resize(std::max(effect.old_values.size(), effect.new_values.size()), 0);
    changes->emplace_back(std::move(table), effect);
  }
  if (!outcome.is_told() || outcome.result == RowResult::kMoved) return Status();
  Conflict conflict = conflict_of(outcome);
  bool is_decided = false;
  if (outcome.result != RowResult::kRefused) GW_TRY(ask(outcome, conflict, changes, &is_decided));
  if (!is_decided) conflicts_.push_back(std::move(conflict));
  return Status();
}

// The application may have a row of its own in mind.
Status Rebaser::ask(const RowOutcome& outcome, const Conflict& conflict, Changes* changes, bool* is_decided) {
  if (!options_.on_conflict) return Status();
  const std::optional<std::string> answer = options_.on_conflict(conflict);
  if (!answer.has_value()) return Status();
  GW_ASSIGN(auto values, parse_row_json(*answer));
  GW_ASSIGN(Fields row, applier_.row_of(*outcome.table, *outcome.mine));
  const std::vector<std::string>& columns = applier_.column_names(*outcome.table);
  ChangeTable table = *outcome.table;
  table.key.resize(columns.size(), 0);
  const Fields none(columns.size(), api::undefined_field());
  Change change{row.empty() ? SQLITE_INSERT : SQLITE_UPDATE, false, row.empty() ? Fields() : none, none};
  const Fields& given = outcome.mine->op == SQLITE_INSERT ? outcome.mine->new_values : outcome.mine->old_values;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (table.key[i] != 0) (row.empty() ? change.new_values : change.old_values)[i] = given[i];
    if (table.key[i] != 0) continue;
    for (const auto& [name, field] : values) {
      if (lower_name(name) != lower_name(columns[i]) || (!row.empty() && row[i] == field)) continue;
      change.new_values[i] = field;
      if (!row.empty()) change.old_values[i] = row[i];
    }
    if (row.empty() && is_undefined(change.new_values[i])) change.new_values[i] = Field(1, SQLITE_NULL);
  }
  GW_ASSIGN(const RowApplier::Installed installed, applier_.install(table, change));
  *is_decided = installed != RowApplier::Installed::kStopped;
  if (*is_decided) changes->emplace_back(std::move(table), std::move(change));
  return Status();
}

}  // namespace godwit::sync
