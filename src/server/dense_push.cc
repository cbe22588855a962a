#include "server/dense_push.h"

#include <algorithm>
#include <ctime>
#include <mutex>

#include "capture/op_stream.h"
#include "server/dense.h"
#include "server/foreign_key_check.h"
#include "server/log.h"
#include "sync/database_access.h"
#include "sync/row_applier.h"
#include "sync/schema_op.h"
#include "sync/wire.h"

namespace godwit::server {
namespace {

using sync::Outcome;
using sync::OutcomeKind;
using sync::PushAnswer;
using sync::PushRequest;
using sync::PushStatus;
using sync::RowOutcome;
using sync::RowResult;

constexpr size_t kOutcomesMax = 10000;

OutcomeKind kind_of(RowResult result) {
  switch (result) {
    case RowResult::kDropped: return OutcomeKind::kDropped;
    case RowResult::kMoved: return OutcomeKind::kMoved;
    case RowResult::kRefused: return OutcomeKind::kRefused;
    default: return OutcomeKind::kOverwritten;
  }
}

class DensePush {
 public:
  DensePush(Database* database, SqlSession* session, RowLog::Sink* sink, const PushRequest& request)
      : database_(*database),
        session_(*session),
        db_(session->handle()),
        sink_(*sink),
        request_(request),
        foreign_keys_(session->handle()) {}

  // An error of the database; else answer() or refusal() is to be sent.
  Status run();
  const PushAnswer& answer() const { return answer_; }
  HttpResponse* refusal() { return refusal_.status == 200 ? nullptr : &refusal_; }
  uint64_t changes() const { return changes_; }

 private:
  Status apply_ops(sync::RowApplier* applier);
  Status check_foreign_keys(sync::RowApplier* applier);
  Status told(const RowOutcome& outcome);
  Status keep_loser(const RowOutcome& outcome);
  Status write_progress();
  void refuse(int status, std::string_view message, std::string_view code) {
    refusal_ = error_response(status, message, code);
  }

  Database& database_;
  SqlSession& session_;
  sqlite3* db_;
  RowLog::Sink& sink_;
  const PushRequest& request_;
  ForeignKeyCheck foreign_keys_;
  PushAnswer answer_;
  HttpResponse refusal_;
  bool is_exact_ = true;
  bool is_refused_ = false;
  uint64_t changes_ = 0;
};

Status DensePush::run() {
  sync::RulesOff rules(db_);
  GW_ASSIGN(auto transaction, sync::WriteTransaction::begin(db_));
  GW_ASSIGN(answer_.database, ensure_identity(db_));
  if (!request_.database.empty() && request_.database != answer_.database) {
    refuse(409, "this is another database than the one that the replica was made from",
           "OTHER_DATABASE");
    return Status();
  }
  GW_ASSIGN(answer_.acknowledged_seq, read_acknowledged(db_, request_.client));
  if (request_.last_seq <= answer_.acknowledged_seq) {
    answer_.status = PushStatus::kRepeated;
    return Status();
  }
  if (request_.first_seq <= answer_.acknowledged_seq || request_.first_seq > request_.last_seq) {
    refuse(409, "a part of this push was applied before", "PUSH_OVERLAP");
    return Status();
  }
  sync::RowPolicy policy;
  policy.update_wins = request_.update_wins;
  policy.counters.insert(request_.counters.begin(), request_.counters.end());
  sync::RowApplier applier(db_, std::move(policy));
  GW_TRY(foreign_keys_.load());
  GW_TRY(apply_ops(&applier));
  if (refusal()) return Status();
  if (!is_refused_) GW_TRY(check_foreign_keys(&applier));
  if (is_refused_) {
    answer_.status = PushStatus::kRefused;
    std::erase_if(answer_.outcomes, [](const Outcome& o) { return o.kind != OutcomeKind::kRefused; });
    return Status();
  }
  GW_TRY(write_progress());
  sink_.set_origin({request_.client, request_.first_seq, request_.last_seq, is_exact_});
  GW_TRY(transaction.commit());
  answer_.acknowledged_seq = request_.last_seq;
  // A client that had the revision before has this one now, without being told of its own changes.
  auto step = sink_.last_step();
  if (is_exact_ && step && step->is_logged &&
      database_.history().find(request_.revision) == step->before) {
    answer_.revision = database_.history().name_of(step->after);
  }
  return Status();
}

Status DensePush::apply_ops(sync::RowApplier* applier) {
  capture::OpReader reader(request_.ops);
  capture::Op op;
  for (;;) {
    GW_ASSIGN(bool more, reader.next(&op));
    if (!more || is_refused_) return Status();
    if (op.kind == capture::OpKind::kRows) {
      GW_TRY(applier->apply_changeset(op.body, [this](const RowOutcome& o) { return told(o); }));
      continue;
    }
    if (op.kind != capture::OpKind::kSchema) {
      refuse(400, "a push has no marks", "BAD_REQUEST");
      return Status();
    }
    ++changes_;
    session_.guard_bookkeeping(true);
    Result<sync::SchemaResult> run = sync::run_schema_op(db_, op.body);
    session_.guard_bookkeeping(false);
    GW_ASSIGN(sync::SchemaResult result, std::move(run));
    if (result.is_refused()) {
      is_refused_ = true;
      answer_.outcomes.push_back({OutcomeKind::kRefused, "", std::string(op.body), result.error});
    }
    applier->forget();
    GW_TRY(foreign_keys_.load());
  }
}

Status DensePush::check_foreign_keys(sync::RowApplier* applier) {
  return foreign_keys_.check(applier, [this](const std::string& table, const std::string& key, const std::string& error) {
    is_refused_ = true;
    if (answer_.outcomes.size() < kOutcomesMax) answer_.outcomes.push_back({OutcomeKind::kRefused, table, key, error});
  });
}

Status DensePush::told(const RowOutcome& outcome) {
  ++changes_;
  is_exact_ &= outcome.is_exact();
  if (outcome.effect && foreign_keys_.has_keys()) foreign_keys_.touched(*outcome.table, *outcome.effect);
  if (!outcome.is_told()) return Status();
  is_refused_ |= outcome.result == RowResult::kRefused;
  if (answer_.outcomes.size() < kOutcomesMax) {
    Outcome told{kind_of(outcome.result), outcome.table->name, outcome.key, ""};
    if (outcome.result == RowResult::kRefused) told.text = outcome.error.message();
    if (outcome.result == RowResult::kMoved) told.text = std::to_string(outcome.rowid);
    if (outcome.result == RowResult::kOverwritten) told.text = outcome.row_json(outcome.theirs);
    answer_.outcomes.push_back(std::move(told));
  }
  return outcome.result == RowResult::kRefused ? Status() : keep_loser(outcome);
}

// What a push has replaced, or could not do, is kept: no row goes without a trace.
Status DensePush::keep_loser(const RowOutcome& outcome) {
  const bool is_replaced = outcome.result == RowResult::kOverwritten;
  if (outcome.result == RowResult::kMoved) return Status();
  GW_TRY(sync::execute(
      db_, "CREATE TABLE IF NOT EXISTS main.godwit_sync_rejected (id INTEGER PRIMARY KEY, "
           "client_id TEXT, table_name TEXT, row_key TEXT, change TEXT, error TEXT, time INTEGER)"));
  GW_ASSIGN(sync::Query insert,
            sync::Query::prepare(db_, "INSERT INTO main.godwit_sync_rejected(client_id, table_name, row_key, "
                                "change, error, time) VALUES (?, ?, ?, ?, ?, ?)"));
  const api::Fields& row = is_replaced                        ? outcome.theirs
                           : outcome.mine->new_values.empty() ? outcome.mine->old_values
                                                              : outcome.mine->new_values;
  const std::string json = outcome.row_json(row);
  insert.bind(1, std::string_view(request_.client)).bind(2, std::string_view(outcome.table->name));
  insert.bind(3, std::string_view(outcome.key)).bind(4, std::string_view(json));
  insert.bind(5, std::string_view(is_replaced ? "replaced by a later push" : "the row was changed otherwise"));
  insert.bind(6, static_cast<int64_t>(std::time(nullptr)));
  return insert.run();
}

Status DensePush::write_progress() {
  GW_TRY(sync::execute(db_, "CREATE TABLE IF NOT EXISTS main.turso_sync_last_change_id "
                            "(client_id TEXT PRIMARY KEY, pull_gen INTEGER, change_id INTEGER)"));
  GW_ASSIGN(sync::Query upsert,
            sync::Query::prepare(db_, "INSERT INTO main.turso_sync_last_change_id(client_id, pull_gen, "
                                "change_id) VALUES (?, 0, ?) ON CONFLICT(client_id) DO UPDATE SET "
                                "pull_gen = 0, change_id = excluded.change_id"));
  upsert.bind(1, std::string_view(request_.client)).bind(2, static_cast<int64_t>(request_.last_seq));
  return upsert.run();
}

// What is damaged is said to be the client's fault, not the database's.
bool is_sound(std::string_view ops) {
  capture::OpReader reader(ops);
  capture::Op op;
  for (;;) {
    auto more = reader.next(&op);
    if (!more.ok()) return false;
    if (!*more) return true;
    if (op.kind != capture::OpKind::kRows) continue;
    api::ChangesetReader changes(op.body);
    int code;
    do code = changes.next();
    while (code == SQLITE_ROW);
    if (code != SQLITE_DONE) return false;
  }
}

void count(const PushAnswer& answer, uint64_t changes, const std::string& name,
           const std::string& client, Metrics* metrics) {
  switch (answer.status) {
    case PushStatus::kApplied: ++metrics->pushes_applied; break;
    case PushStatus::kRepeated: ++metrics->pushes_repeated; break;
    case PushStatus::kRefused: ++metrics->pushes_failed; break;
  }
  if (answer.status == PushStatus::kApplied) metrics->pushed_changes += changes;
  for (const Outcome& outcome : answer.outcomes) {
    if (outcome.kind == OutcomeKind::kMoved) continue;
    if (outcome.kind != OutcomeKind::kRefused) ++metrics->rejected_rows;
    LogLine(LogLevel::kWarning, outcome.kind == OutcomeKind::kRefused ? "push refused" : "conflict")
        .add("database", name).add("client", client).add("table", outcome.table)
        .add("key", outcome.key);
  }
}

}  // namespace

HttpResponse handle_dense_push(const std::shared_ptr<Database>& database, const HttpRequest& request,
                               Metrics* metrics) {
  PushRequest push;
  Status decoded = sync::decode(request.body, &push);
  if (!decoded.ok() || push.client.empty() || !is_sound(push.ops)) {
    return error_response(400, "this is no push request", "BAD_REQUEST");
  }
  std::unique_lock turn(database->push_turn(), kPushTurnTimeout);
  if (!turn.owns_lock()) return error_response(503, "database is locked", "SQLITE_BUSY");
  auto session = database->push_session();
  if (!session.ok()) return failure_response(session.status());
  (*session)->start_clock();
  DensePush work(database.get(), *session, &database->push_sink(), push);
  Status status = work.run();
  (*session)->roll_back();
  turn.unlock();
  if (!status.ok()) {
    ++metrics->pushes_failed;
    return failure_response(status);
  }
  if (HttpResponse* refusal = work.refusal()) return std::move(*refusal);
  count(work.answer(), work.changes(), database->name(), push.client, metrics);
  if (work.answer().status == PushStatus::kApplied) database->notify_changed();
  return dense_response(sync::encode(work.answer()));
}

}  // namespace godwit::server
