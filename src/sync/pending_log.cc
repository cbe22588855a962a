#include "sync/pending_log.h"

#include <memory>

#include "api/changegroup.h"
#include "sync/database_access.h"

namespace godwit::sync {
namespace {

// Gathers changes of rows until the schema changes.
class Folder {
 public:
  Status add(std::string_view ops) {
    capture::OpReader reader(ops);
    capture::Op op;
    for (;;) {
      GW_ASSIGN(const bool more, reader.next(&op));
      if (!more) return Status();
      if (op.kind == capture::OpKind::kRows) {
        GW_TRY(add_rows(op.body));
      } else if (op.kind == capture::OpKind::kSchema) {
        flush();
        capture::append_op(op.kind, op.body, &out_);
      } else {
        return corrupt("pending changes: an op that is none");
      }
    }
  }
  std::string take() {
    flush();
    return std::move(out_);
  }

 private:
  Status add_rows(std::string_view changeset) {
    api::ChangesetReader reader(changeset);
    int code;
    while ((code = reader.next()) == SQLITE_ROW) {
      api::GroupTable* table = nullptr;
      int found = group_->find(reader.table(), &table);
      if (found == SQLITE_SCHEMA) {  // other columns than before
        flush();
        found = group_->find(reader.table(), &table);
      }
      if (found != SQLITE_OK) return corrupt("pending changes: a table that is none");
      group_->add(table, std::move(reader.change()));
    }
    return code == SQLITE_DONE ? Status() : corrupt("pending changes: a damaged changeset");
  }
  void flush() {
    const std::string changeset = group_->output();
    if (!changeset.empty()) capture::append_op(capture::OpKind::kRows, changeset, &out_);
    group_ = std::make_unique<sqlite3_changegroup>();
  }

  std::unique_ptr<sqlite3_changegroup> group_ = std::make_unique<sqlite3_changegroup>();
  std::string out_;
};

}  // namespace

Result<std::vector<PendingEntry>> load_pending(sqlite3* db, uint64_t after_seq) {
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT seq, time, ops FROM godwit_sync_pending"
                                            " WHERE seq > ? ORDER BY seq"));
  query.bind(1, static_cast<int64_t>(after_seq));
  std::vector<PendingEntry> entries;
  for (;;) {
    GW_ASSIGN(const bool has_row, query.step());
    if (!has_row) return entries;
    entries.push_back({static_cast<uint64_t>(query.integer(0)), query.integer(1), query.text(2)});
  }
}

Status store_pending(sqlite3* db, uint64_t seq, const std::string& ops) {
  if (ops.empty()) {
    GW_ASSIGN(Query query, Query::prepare(db, "DELETE FROM godwit_sync_pending WHERE seq = ?"));
    return query.bind(1, static_cast<int64_t>(seq)).run();
  }
  GW_ASSIGN(Query query, Query::prepare(db, "UPDATE godwit_sync_pending SET ops = ? WHERE seq = ?"));
  return query.bind_blob(1, ops).bind(2, static_cast<int64_t>(seq)).run();
}

Status remove_pending(sqlite3* db, uint64_t up_to_seq) {
  GW_ASSIGN(Query query, Query::prepare(db, "DELETE FROM godwit_sync_pending WHERE seq <= ?"));
  return query.bind(1, static_cast<int64_t>(up_to_seq)).run();
}

Result<std::string> folded(const std::vector<PendingEntry>& entries) {
  Folder folder;
  for (const PendingEntry& entry : entries) GW_TRY(folder.add(entry.ops));
  return folder.take();
}

Result<std::optional<PendingEntry>> fold_pending(sqlite3* db, uint64_t after_seq) {
  GW_ASSIGN(std::vector<PendingEntry> entries, load_pending(db, after_seq));
  if (entries.empty()) return std::optional<PendingEntry>();
  PendingEntry whole = {entries.back().seq, entries.back().time, {}};
  GW_ASSIGN(whole.ops, folded(entries));
  if (entries.size() > 1) {
    GW_ASSIGN(Query query, Query::prepare(db, "DELETE FROM godwit_sync_pending WHERE seq > ? AND seq < ?"));
    query.bind(1, static_cast<int64_t>(after_seq)).bind(2, static_cast<int64_t>(whole.seq));
    GW_TRY(query.run());
  }
  if (whole.ops != entries.back().ops) GW_TRY(store_pending(db, whole.seq, whole.ops));
  if (whole.ops.empty()) return std::optional<PendingEntry>();
  return std::optional<PendingEntry>(std::move(whole));
}

Result<std::vector<PendingOp>> parse_ops(std::string_view ops) {
  std::vector<PendingOp> parsed;
  capture::OpReader reader(ops);
  capture::Op op;
  for (;;) {
    GW_ASSIGN(const bool more, reader.next(&op));
    if (!more) return parsed;
    PendingOp& last = parsed.emplace_back();
    if (op.kind == capture::OpKind::kSchema) {
      last.schema = op.body;
      continue;
    }
    if (op.kind != capture::OpKind::kRows) return corrupt("pending changes: an op that is none");
    api::ChangesetReader changes(op.body);
    int code;
    while ((code = changes.next()) == SQLITE_ROW) {
      last.changes.emplace_back(changes.table(), std::move(changes.change()));
    }
    if (code != SQLITE_DONE) return corrupt("pending changes: a damaged changeset");
  }
}

std::string encode_ops(const std::vector<PendingOp>& ops) {
  std::string out;
  for (const PendingOp& op : ops) {
    if (!op.schema.empty()) {
      capture::append_op(capture::OpKind::kSchema, op.schema, &out);
      continue;
    }
    std::string changeset;
    const api::ChangeTable* last = nullptr;
    for (const auto& [table, change] : op.changes) {
      if (last == nullptr || !(*last == table)) table.append_header(&changeset);
      last = &table;
      change.append(table, &changeset);
    }
    if (!changeset.empty()) capture::append_op(capture::OpKind::kRows, changeset, &out);
  }
  return out;
}

}  // namespace godwit::sync
