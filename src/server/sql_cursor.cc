#include "server/sql_http.h"

namespace godwit::server {
namespace {

constexpr size_t kCursorPiece = 64 << 10;

// The lines of a cursor's answer, made while the statements run:
//
//     {"baton":...,"base_url":null}
//     {"type":"step_begin","step":0,"cols":[...]}
//     {"type":"row","row":[...]} ...
//     {"type":"step_end",...}  or  {"type":"step_error",...}
class CursorSource final : public BodySource {
 public:
  CursorSource(const SqlContext& context, std::unique_ptr<Stream> stream, Batch batch)
      : context_(context),
        stream_(std::move(stream)),
        batch_(std::move(batch)),
        baton_(StreamTable::new_baton()) {
    stream_->session->start_clock();
  }
  ~CursorSource() override {
    statement_.reset();
    // The client went away in the middle: what it was doing is rolled back.
    if (stream_) finish();
  }

  Result<bool> next(std::string* out) override {
    const size_t start = out->size();
    if (!has_begun_) write_baton(out);
    has_begun_ = true;
    while (out->size() - start < kCursorPiece) {
      if (!statement_ && !begin_step(out)) {
        finish();
        context_.streams->keep(baton_, std::move(stream_));
        return false;
      }
      if (statement_) advance(out);
    }
    return true;
  }

 private:
  void finish() {
    if (stream_->session->take_has_written()) context_.database->notify_changed();
  }

  void write_baton(std::string* out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("baton").text(baton_);
    json.key("base_url").null();
    json.end_object();
    *out += '\n';
  }

  // Starts the next step whose condition holds. False: there is none left.
  bool begin_step(std::string* out) {
    if (outcomes_.size() == batch_.steps.size()) return false;
    const BatchStep& step = batch_.steps[outcomes_.size()];
    if (step.condition && !holds(*step.condition, outcomes_, stream_->session->is_autocommit())) {
      outcomes_.push_back(StepOutcome::kSkipped);
      return true;
    }
    ++context_.metrics->statements;
    SqlError error;
    const std::string* sql = find_sql(*stream_, step.statement.text, &error);
    if (sql != nullptr) {
      statement_ = std::make_unique<RunningStatement>(stream_->session.get());
      if (!statement_->start(*sql, step.statement, &error)) statement_.reset();
    }
    if (!statement_) {
      end_with_error(error, out);
      return true;
    }
    JsonWriter json(out);
    json.begin_object();
    json.key("type").text("step_begin");
    json.key("step").integer(static_cast<int64_t>(outcomes_.size()));
    json.key("cols");
    statement_->write_columns(&json);
    json.end_object();
    *out += '\n';
    return true;
  }

  void advance(std::string* out) {
    SqlError error;
    switch (statement_->step(&error)) {
      case RunningStatement::Step::kRow:
        if (batch_.steps[outcomes_.size()].statement.want_rows) write_row(out);
        return;
      case RunningStatement::Step::kDone: {
        JsonWriter json(out);
        json.begin_object();
        json.key("type").text("step_end");
        json.key("affected_row_count").integer(statement_->affected_rows());
        json.key("last_insert_rowid")
            .integer_as_text(sqlite3_last_insert_rowid(stream_->session->handle()));
        json.end_object();
        *out += '\n';
        statement_.reset();
        outcomes_.push_back(StepOutcome::kOk);
        return;
      }
      case RunningStatement::Step::kError:
        statement_.reset();
        end_with_error(error, out);
    }
  }

  void write_row(std::string* out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("type").text("row");
    json.key("row");
    statement_->write_row(&json);
    json.end_object();
    *out += '\n';
  }

  void end_with_error(const SqlError& error, std::string* out) {
    ++context_.metrics->statement_errors;
    JsonWriter json(out);
    json.begin_object();
    json.key("type").text("step_error");
    json.key("step").integer(static_cast<int64_t>(outcomes_.size()));
    json.key("error");
    write_error(error, &json);
    json.end_object();
    *out += '\n';
    outcomes_.push_back(StepOutcome::kError);
  }

  const SqlContext context_;
  std::unique_ptr<Stream> stream_;
  const Batch batch_;
  const std::string baton_;
  bool has_begun_ = false;
  std::vector<StepOutcome> outcomes_;
  std::unique_ptr<RunningStatement> statement_;
};

}  // namespace

HttpResponse handle_cursor(const SqlContext& context, const HttpRequest& request) {
  auto parsed = parse_cursor_request(request.body);
  if (!parsed.ok()) return error_response(400, parsed.status().message(), "BAD_REQUEST");
  HttpResponse response;
  auto stream = take_stream(context, parsed->baton, &response);
  if (!stream) return response;
  response.content_type = "text/plain";
  response.source = std::make_unique<CursorSource>(context, std::move(stream), std::move(parsed->batch));
  return response;
}

}  // namespace godwit::server
