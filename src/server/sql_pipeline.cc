#include "server/log.h"
#include "server/push.h"
#include "server/sql_http.h"

namespace godwit::server {
namespace {

constexpr size_t kStoredBytesMax = 16 << 20;
constexpr auto kPushTurnTimeout = std::chrono::seconds(15);

class PipelineRunner {
 public:
  PipelineRunner(const SqlContext& context, std::unique_ptr<Stream> stream)
      : context_(context), stream_(std::move(stream)) {}

  // `one_shot`: the client will not come back to a stream that holds nothing.
  std::string run(const std::vector<StreamRequest>& requests, bool one_shot) {
    std::string results;
    JsonWriter list(&results);
    list.begin_array();
    for (const StreamRequest& request : requests) {
      std::string response;
      SqlError error;
      bool ok = stream_ ? run_request(request, &response, &error)
                        : fail(&error, "STREAM_CLOSED", "the stream was closed");
      if (ok && results.size() + response.size() > context_.answer_limit) {
        ok = fail(&error, "ANSWER_TOO_LARGE", "the answer is too large");
      }
      list.begin_object();
      list.key("type").text(ok ? "ok" : "error");
      if (ok) {
        list.key("response").raw(response);
      } else {
        list.key("error");
        write_error(error, &list);
      }
      list.end_object();
    }
    list.end_array();
    note_changes();
    std::string answer;
    JsonWriter json(&answer);
    json.begin_object();
    std::string baton = keep_stream(one_shot);
    baton.empty() ? json.key("baton").null() : json.key("baton").text(baton);
    json.key("base_url").null();
    json.key("results").raw(results);
    json.end_object();
    return answer;
  }

 private:
  static bool fail(SqlError* error, const char* code, std::string message) {
    *error = {code, std::move(message), SQLITE_ERROR};
    return false;
  }

  void note_changes() {
    if (stream_ && stream_->session->take_has_written()) has_written_ = true;
    if (has_written_) context_.database->notify_changed();
  }

  std::string keep_stream(bool one_shot) {
    if (!stream_) return {};
    if (one_shot && stream_->session->is_autocommit() && stream_->stored_sql.empty()) return {};
    std::string baton = StreamTable::new_baton();
    context_.streams->keep(baton, std::move(stream_));
    return baton;
  }

  bool run_request(const StreamRequest& request, std::string* response, SqlError* error) {
    stream_->session->start_clock();
    JsonWriter json(response);
    json.begin_object();
    json.key("type").text(request.type);
    bool ok = true;
    switch (request.kind) {
      case StreamRequest::kExecute: {
        std::string result;
        ok = execute(request.statement, &result, error);
        if (ok) json.key("result").raw(result);
        break;
      }
      case StreamRequest::kBatch: {
        std::string result;
        ok = run_batch(request.batch, &result, error);
        if (ok) json.key("result").raw(result);
        break;
      }
      case StreamRequest::kSequence: {
        const std::string* sql = find_sql(*stream_, request.text, error);
        ok = sql != nullptr && stream_->session->run_script(*sql, error);
        break;
      }
      case StreamRequest::kDescribe: {
        const std::string* sql = find_sql(*stream_, request.text, error);
        std::string result;
        JsonWriter inner(&result);
        ok = sql != nullptr && describe(stream_->session.get(), *sql, &inner, error);
        if (ok) json.key("result").raw(result);
        break;
      }
      case StreamRequest::kStoreSql: ok = store_sql(request.text, error); break;
      case StreamRequest::kCloseSql: close_sql(*request.text.sql_id); break;
      case StreamRequest::kGetAutocommit:
        json.key("is_autocommit").boolean(stream_->session->is_autocommit());
        break;
      case StreamRequest::kClose:
        has_written_ = stream_->session->take_has_written() || has_written_;
        stream_.reset();
        break;
      case StreamRequest::kUnknown:
        ok = fail(error, "UNKNOWN_REQUEST", "unknown type of request: " + request.type);
        break;
    }
    json.end_object();
    return ok;
  }

  bool store_sql(const SqlText& text, SqlError* error) {
    close_sql(*text.sql_id);
    if (stream_->stored_bytes + text.sql->size() > kStoredBytesMax) {
      return fail(error, "SQL_STORE_TOO_LARGE", "the stream stores too much SQL");
    }
    stream_->stored_bytes += text.sql->size();
    stream_->stored_sql[*text.sql_id] = *text.sql;
    return true;
  }

  void close_sql(int64_t id) {
    auto found = stream_->stored_sql.find(id);
    if (found == stream_->stored_sql.end()) return;
    stream_->stored_bytes -= found->second.size();
    stream_->stored_sql.erase(found);
  }

  // Appends {"cols":..., "rows":..., ...}.
  bool execute(const WireStatement& wire, std::string* out, SqlError* error) {
    ++context_.metrics->statements;
    const std::string* sql = find_sql(*stream_, wire.text, error);
    bool ok = sql != nullptr && execute_text(*sql, wire, out, error);
    if (!ok) ++context_.metrics->statement_errors;
    return ok;
  }

  bool execute_text(const std::string& sql, const WireStatement& wire, std::string* out,
                    SqlError* error) {
    RunningStatement statement(stream_->session.get());
    if (!statement.start(sql, wire, error)) return false;
    JsonWriter json(out);
    json.begin_object();
    json.key("cols");
    statement.write_columns(&json);
    json.key("rows").begin_array();
    uint64_t rows = 0;
    for (;;) {
      RunningStatement::Step step = statement.step(error);
      if (step == RunningStatement::Step::kError) return false;
      if (step == RunningStatement::Step::kDone) break;
      ++rows;
      if (!wire.want_rows) continue;
      statement.write_row(&json);
      if (out->size() > context_.answer_limit) {
        return fail(error, "ANSWER_TOO_LARGE", "the answer is too large; use a cursor");
      }
    }
    json.end_array();
    sqlite3* db = stream_->session->handle();
    int64_t affected = statement.affected_rows();
    json.key("affected_row_count").integer(affected);
    json.key("last_insert_rowid").integer_as_text(sqlite3_last_insert_rowid(db));
    json.key("replication_index").null();
    json.key("rows_read").integer(static_cast<int64_t>(rows));
    json.key("rows_written").integer(affected);
    json.key("query_duration_ms").real(0);
    json.end_object();
    return true;
  }

  bool run_batch(const Batch& batch, std::string* out, SqlError* error) {
    if (is_push(batch)) return run_push(batch, out, error);
    std::string results, errors;
    JsonWriter result_list(&results), error_list(&errors);
    result_list.begin_array();
    error_list.begin_array();
    std::vector<StepOutcome> outcomes;
    for (const BatchStep& step : batch.steps) {
      std::string result;
      SqlError step_error;
      StepOutcome outcome = StepOutcome::kSkipped;
      if (!step.condition || holds(*step.condition, outcomes, stream_->session->is_autocommit())) {
        bool ok = execute(step.statement, &result, &step_error);
        outcome = ok ? StepOutcome::kOk : StepOutcome::kError;
      }
      outcomes.push_back(outcome);
      outcome == StepOutcome::kOk ? result_list.raw(result) : result_list.null();
      if (outcome == StepOutcome::kError) write_error(step_error, &error_list);
      else error_list.null();
      if (results.size() > context_.answer_limit) {
        return fail(error, "ANSWER_TOO_LARGE", "the answer is too large; use a cursor");
      }
    }
    result_list.end_array();
    error_list.end_array();
    write_batch_result(results, errors, out);
    return true;
  }

  static void write_batch_result(std::string_view results, std::string_view errors,
                                 std::string* out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("step_results").raw(results);
    json.key("step_errors").raw(errors);
    json.key("replication_index").null();
    json.end_object();
  }

  // Sync clients look at the errors alone, so those are all they get.
  bool run_push(const Batch& batch, std::string* out, SqlError* error) {
    std::unique_lock turn(context_.database->push_turn(), kPushTurnTimeout);
    if (!turn.owns_lock()) {
      *error = {"SQLITE_BUSY", "database is locked", SQLITE_BUSY};
      return false;
    }
    PushResult push = apply_push(stream_->session.get(), batch, context_.reject_whole_pushes);
    turn.unlock();
    count_push(push);
    std::string errors;
    JsonWriter list(&errors);
    list.begin_array();
    for (const SqlError& step : push.errors) {
      if (step.code.empty()) list.null();
      else write_error(step, &list);
    }
    list.end_array();
    write_batch_result("[]", errors, out);
    return true;
  }

  void count_push(const PushResult& push) {
    Metrics& metrics = *context_.metrics;
    const std::string& name = context_.database->name();
    switch (push.outcome) {
      case PushResult::kApplied: ++metrics.pushes_applied; break;
      case PushResult::kRepeated: ++metrics.pushes_repeated; break;
      case PushResult::kFailed: ++metrics.pushes_failed; break;
    }
    metrics.pushed_changes += static_cast<uint64_t>(push.changes);
    metrics.rejected_rows += push.rejected.size();
    for (const PushResult::Rejected& row : push.rejected) {
      LogLine(LogLevel::kWarning, "change set aside").add("database", name).add("client", row.client)
          .add("table", row.table).add("key", row.key).add("error", row.error);
    }
    if (push.outcome == PushResult::kFailed && !push.errors.empty()) {
      LogLine(LogLevel::kWarning, "push failed").add("database", name)
          .add("error", push.errors.back().message);
    }
  }

  const SqlContext& context_;
  std::unique_ptr<Stream> stream_;  // null: closed
  bool has_written_ = false;
};

}  // namespace

std::unique_ptr<Stream> take_stream(const SqlContext& context,
                                    const std::optional<std::string>& baton,
                                    HttpResponse* refusal) {
  if (baton) {
    auto stream = context.streams->take(*baton, context.database.get());
    if (stream && context.read_only && !stream->session->is_read_only()) stream.reset();
    if (!stream) {
      *refusal = error_response(400, "the stream is closed: its baton is used, unknown or too old",
                                "STREAM_EXPIRED");
    }
    return stream;
  }
  if (context.streams->is_full()) {
    *refusal = error_response(503, "too many streams are open", "STREAM_LIMIT");
    return nullptr;
  }
  auto session = context.database->new_session(context.read_only);
  if (!session.ok()) {
    *refusal = error_response(500, session.status().message(), sqlite_code_name(session.status().code()));
    return nullptr;
  }
  auto stream = std::make_unique<Stream>();
  stream->database = context.database;
  stream->session = *std::move(session);
  return stream;
}

const std::string* find_sql(const Stream& stream, const SqlText& text, SqlError* error) {
  if (text.sql) return &*text.sql;
  if (text.sql_id) {
    auto found = stream.stored_sql.find(*text.sql_id);
    if (found != stream.stored_sql.end()) return &found->second;
    *error = {"SQL_NOT_STORED", "no SQL is stored under this sql_id", SQLITE_ERROR};
    return nullptr;
  }
  *error = {"NO_SQL", "neither sql nor sql_id was given", SQLITE_ERROR};
  return nullptr;
}

HttpResponse handle_pipeline(const SqlContext& context, const HttpRequest& request) {
  auto pipeline = parse_pipeline(request.body);
  if (!pipeline.ok()) return error_response(400, pipeline.status().message(), "BAD_REQUEST");
  HttpResponse response;
  auto stream = take_stream(context, pipeline->baton, &response);
  if (!stream) return response;
  // Turso's sync client writes the empty baton out, sends single batches, and keeps no stream.
  bool one_shot = pipeline->has_null_baton && pipeline->requests.size() == 1 &&
                  pipeline->requests[0].kind == StreamRequest::kBatch;
  PipelineRunner runner(context, std::move(stream));
  response.content_type = "application/json";
  response.body = runner.run(pipeline->requests, one_shot);
  return response;
}

}  // namespace godwit::server
