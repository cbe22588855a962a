#include "server/sql_session.h"

#include <algorithm>
#include <cctype>

namespace godwit::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kInstructionsPerCheck = 10000;
constexpr int kValueBytesMax = 256 << 20;

struct CodeName {
  int code;
  std::string_view name;
};

constexpr CodeName kCodeNames[] = {
    {SQLITE_OK, "SQLITE_OK"},
    {SQLITE_ERROR, "SQLITE_ERROR"},
    {SQLITE_INTERNAL, "SQLITE_INTERNAL"},
    {SQLITE_PERM, "SQLITE_PERM"},
    {SQLITE_ABORT, "SQLITE_ABORT"},
    {SQLITE_BUSY, "SQLITE_BUSY"},
    {SQLITE_LOCKED, "SQLITE_LOCKED"},
    {SQLITE_NOMEM, "SQLITE_NOMEM"},
    {SQLITE_READONLY, "SQLITE_READONLY"},
    {SQLITE_INTERRUPT, "SQLITE_INTERRUPT"},
    {SQLITE_IOERR, "SQLITE_IOERR"},
    {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
    {SQLITE_NOTFOUND, "SQLITE_NOTFOUND"},
    {SQLITE_FULL, "SQLITE_FULL"},
    {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
    {SQLITE_PROTOCOL, "SQLITE_PROTOCOL"},
    {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
    {SQLITE_TOOBIG, "SQLITE_TOOBIG"},
    {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
    {SQLITE_MISMATCH, "SQLITE_MISMATCH"},
    {SQLITE_MISUSE, "SQLITE_MISUSE"},
    {SQLITE_NOLFS, "SQLITE_NOLFS"},
    {SQLITE_AUTH, "SQLITE_AUTH"},
    {SQLITE_RANGE, "SQLITE_RANGE"},
    {SQLITE_NOTADB, "SQLITE_NOTADB"},
    {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"},
    {SQLITE_CONSTRAINT_COMMITHOOK, "SQLITE_CONSTRAINT_COMMITHOOK"},
    {SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE"},
    {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {SQLITE_CONSTRAINT_FUNCTION, "SQLITE_CONSTRAINT_FUNCTION"},
    {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"},
    {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"},
    {SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER"},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"},
    {SQLITE_CONSTRAINT_VTAB, "SQLITE_CONSTRAINT_VTAB"},
    {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"},
    {SQLITE_BUSY_TIMEOUT, "SQLITE_BUSY_TIMEOUT"},
    {SQLITE_ABORT_ROLLBACK, "SQLITE_ABORT_ROLLBACK"},
};

std::string_view find_code_name(int code) {
  for (const CodeName& entry : kCodeNames) {
    if (entry.code == code) return entry.name;
  }
  return {};
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string lower_case(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Settings that reach beyond the stream, or that would take its limits away. `has_value`: it is to
// be changed, not asked for.
bool is_pragma_allowed(std::string_view name, bool has_value) {
  if (is_one_of(name, {"temp_store_directory", "data_store_directory", "hard_heap_limit",
                       "soft_heap_limit"})) {
    return false;
  }
  return !has_value ||
         !is_one_of(name, {"journal_mode", "locking_mode", "query_only", "writable_schema",
                           "synchronous", "busy_timeout", "schema_version", "mmap_size",
                           "page_size", "wal_autocheckpoint", "journal_size_limit",
                           "capture_data_changes_conn"});
}

// VACUUM INTO writes a file, and no authorizer is asked.
bool is_file_statement(std::string_view sql) {
  for (;;) {
    size_t word = sql.find_first_not_of(" \t\r\n\f");
    if (word == std::string_view::npos) return false;
    sql.remove_prefix(word);
    bool is_line = sql.substr(0, 2) == "--", is_block = sql.substr(0, 2) == "/*";
    if (!is_line && !is_block) break;
    size_t end = is_line ? sql.find('\n') : sql.find("*/", 2);
    if (end == std::string_view::npos) return false;
    sql.remove_prefix(end + (is_line ? 1 : 2));
  }
  std::string text = lower_case(sql);
  return text.substr(0, 6) == "vacuum" && text.find("into") != std::string::npos;
}

// Tables that belong to sync.
bool is_bookkeeping(const char* name) {
  const std::string lower = lower_case(name ? name : "");
  return lower.starts_with("godwit_sync_") || lower.starts_with("turso_");
}

}  // namespace

std::string_view sqlite_code_name(int code) {
  std::string_view name = find_code_name(code & 0xff);
  return name.empty() ? "SQLITE_UNKNOWN" : name;
}

std::string_view sqlite_extended_code_name(int code) {
  std::string_view name = find_code_name(code);
  return name.empty() ? sqlite_code_name(code) : name;
}

void write_error(const SqlError& error, JsonWriter* json) {
  json->begin_object();
  json->key("message").text(error.message);
  json->key("code").text(error.code);
  std::string_view extended = sqlite_extended_code_name(error.sqlite_code);
  if (extended.size() > error.code.size() && extended.substr(0, error.code.size()) == error.code) {
    json->key("extended_code").text(extended);
  }
  json->end_object();
}

Result<std::unique_ptr<SqlSession>> SqlSession::open(const std::string& path, bool read_only,
                                                     const SessionOptions& options) {
  std::unique_ptr<SqlSession> session(new SqlSession);
  session->read_only_ = read_only;
  session->options_ = options;
  int code = sqlite3_open_v2(path.c_str(), &session->db_,
                             (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                                 SQLITE_OPEN_NOMUTEX,
                             nullptr);
  if (code != SQLITE_OK) {
    return Status(code, session->db_ ? sqlite3_errmsg(session->db_) : "out of memory");
  }
  sqlite3* db = session->db_;
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, static_cast<int>(options.busy_timeout.count()));
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kValueBytesMax);
  sqlite3_set_authorizer(db, authorize, session.get());
  session->start_clock();
  sqlite3_progress_handler(db, kInstructionsPerCheck, check_time, session.get());
  return session;
}

SqlSession::~SqlSession() {
  if (db_ == nullptr) return;
  roll_back();
  sqlite3_close_v2(db_);
}

void SqlSession::start_clock() {
  deadline_ = Clock::now() + options_.query_timeout;
  timed_out_ = false;
}

bool SqlSession::take_has_written() {
  bool result = has_written_;
  has_written_ = false;
  return result;
}

int SqlSession::check_time(void* context) {
  auto* self = static_cast<SqlSession*>(context);
  auto now = Clock::now();
  bool stop = now > self->deadline_ ||
              (self->options_.stop_at != nullptr &&
               now.time_since_epoch().count() > self->options_.stop_at->load());
  if (stop) self->timed_out_ = true;
  return stop;
}

int SqlSession::authorize(void* context, int action, const char* a, const char* b, const char*,
                          const char*) {
  const bool guards = static_cast<SqlSession*>(context)->guards_bookkeeping_;
  switch (action) {
    case SQLITE_DROP_TABLE:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VIEW:
      return guards && is_bookkeeping(a) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_ALTER_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TRIGGER:
      return guards && is_bookkeeping(b) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return SQLITE_DENY;
    case SQLITE_PRAGMA:
      return is_pragma_allowed(lower_case(a ? a : ""), b != nullptr) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return lower_case(b ? b : "") == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_OK;
  }
}

SqlError SqlSession::last_error() const {
  int code = sqlite3_extended_errcode(db_);
  SqlError error{std::string(sqlite_code_name(code)), sqlite3_errmsg(db_), code};
  if (timed_out_ && (code & 0xff) == SQLITE_INTERRUPT) error.message = "the query took too long";
  return error;
}

bool SqlSession::may_run(sqlite3_stmt* statement, SqlError* error) {
  const char* sql = sqlite3_sql(statement);
  if (sql != nullptr && is_file_statement(sql)) {
    *error = {"SQLITE_AUTH", "not authorized", SQLITE_AUTH};
    return false;
  }
  bool writes = !sqlite3_stmt_readonly(statement);
  if (writes && read_only_) {
    *error = {"SQLITE_READONLY", "attempt to write a readonly database", SQLITE_READONLY};
    return false;
  }
  // A COMMIT counts as reading, and ends what was written.
  has_written_ = has_written_ || writes || !is_autocommit();
  return true;
}

bool SqlSession::run_script(std::string_view sql, SqlError* error) {
  const char* next = sql.data();
  const char* end = sql.data() + sql.size();
  while (next < end) {
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    int code = sqlite3_prepare_v2(db_, next, static_cast<int>(end - next), &statement, &tail);
    if (code != SQLITE_OK) {
      *error = last_error();
      return false;
    }
    next = tail;
    if (statement == nullptr) continue;
    bool ok = may_run(statement, error);
    if (ok) {
      do code = sqlite3_step(statement);
      while (code == SQLITE_ROW);
      if (code != SQLITE_DONE) {
        *error = last_error();
        ok = false;
      }
    }
    sqlite3_finalize(statement);
    if (!ok) return false;
  }
  return true;
}

Status SqlSession::record(std::unique_ptr<capture::OpSink> sink) {
  GW_TRY(capture::set_sink(db_, sink.get()));
  sink_ = std::move(sink);
  return Status();
}

void SqlSession::roll_back() {
  if (is_autocommit()) return;
  start_clock();
  sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

bool RunningStatement::start(std::string_view sql, const WireStatement& wire, SqlError* error) {
  const char* tail = nullptr;
  int code = sqlite3_prepare_v2(session_.db_, sql.data(), static_cast<int>(sql.size()),
                                &statement_, &tail);
  if (code != SQLITE_OK) {
    *error = session_.last_error();
    return false;
  }
  if (statement_ == nullptr) {
    *error = {"SQL_NO_STATEMENT", "the SQL text holds no statement", SQLITE_ERROR};
    return false;
  }
  while (tail < sql.data() + sql.size()) {
    sqlite3_stmt* second = nullptr;
    const char* start = tail;
    code = sqlite3_prepare_v2(session_.db_, start, static_cast<int>(sql.data() + sql.size() - start),
                              &second, &tail);
    bool is_rest_empty = code == SQLITE_OK && second == nullptr;
    sqlite3_finalize(second);
    if (!is_rest_empty) {
      *error = {"SQL_MANY_STATEMENTS", "the SQL text holds more than one statement", SQLITE_ERROR};
      return false;
    }
    if (tail == start) break;
  }
  if (!session_.may_run(statement_, error) || !bind(wire, error)) return false;
  total_changes_before_ = sqlite3_total_changes64(session_.db_);
  return true;
}

bool RunningStatement::bind(const WireStatement& wire, SqlError* error) {
  const int parameters = sqlite3_bind_parameter_count(statement_);
  if (wire.arguments.size() > static_cast<size_t>(parameters)) {
    *error = {"ARGS_INVALID",
              "the statement has " + std::to_string(parameters) + " parameters, but " +
                  std::to_string(wire.arguments.size()) + " arguments were given",
              SQLITE_RANGE};
    return false;
  }
  for (size_t i = 0; i < wire.arguments.size(); ++i) {
    if (!bind_value(static_cast<int>(i) + 1, wire.arguments[i], error)) return false;
  }
  for (const auto& [name, value] : wire.named_arguments) {
    // As the user wrote it, with the prefix or without.
    int index = sqlite3_bind_parameter_index(statement_, name.c_str());
    for (const char* prefix : {":", "@", "$"}) {
      if (index != 0) break;
      index = sqlite3_bind_parameter_index(statement_, (prefix + name).c_str());
    }
    if (index == 0) {
      *error = {"ARGS_INVALID", "the statement has no parameter named " + name, SQLITE_RANGE};
      return false;
    }
    if (!bind_value(index, value, error)) return false;
  }
  return true;
}

bool RunningStatement::bind_value(int index, const WireValue& value, SqlError* error) {
  int code = SQLITE_OK;
  switch (value.kind) {
    case WireValue::kNull: code = sqlite3_bind_null(statement_, index); break;
    case WireValue::kInteger: code = sqlite3_bind_int64(statement_, index, value.integer); break;
    case WireValue::kReal: code = sqlite3_bind_double(statement_, index, value.real); break;
    case WireValue::kText:
      code = sqlite3_bind_text64(statement_, index, value.bytes.data(), value.bytes.size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
      break;
    case WireValue::kBlob:
      code = value.bytes.empty() ? sqlite3_bind_zeroblob(statement_, index, 0)
                                 : sqlite3_bind_blob64(statement_, index, value.bytes.data(),
                                                       value.bytes.size(), SQLITE_STATIC);
      break;
    case WireValue::kNoNumber:
      *error = {"ARGS_INVALID", "a float that is not a finite number cannot be sent as JSON",
                SQLITE_MISMATCH};
      return false;
  }
  if (code == SQLITE_OK) return true;
  *error = session_.last_error();
  return false;
}

RunningStatement::Step RunningStatement::step(SqlError* error) {
  int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return Step::kRow;
  if (code == SQLITE_DONE) return Step::kDone;
  *error = session_.last_error();
  return Step::kError;
}

int64_t RunningStatement::affected_rows() const {
  // What statements before have changed is no concern of a query.
  bool has_changed = sqlite3_total_changes64(session_.db_) != total_changes_before_;
  return has_changed ? sqlite3_changes64(session_.db_) : 0;
}

void RunningStatement::write_columns(JsonWriter* json) const {
  json->begin_array();
  for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
    json->begin_object();
    const char* name = sqlite3_column_name(statement_, i);
    name == nullptr ? json->key("name").null() : json->key("name").text(name);
    const char* type = sqlite3_column_decltype(statement_, i);
    type == nullptr ? json->key("decltype").null() : json->key("decltype").text(type);
    json->end_object();
  }
  json->end_array();
}

void RunningStatement::write_row(JsonWriter* json) const {
  json->begin_array();
  for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
    json->begin_object();
    auto bytes = [&](const void* data) {
      auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, i));
      return std::string_view(static_cast<const char*>(data), size);
    };
    switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_INTEGER:
        json->key("type").text("integer");
        json->key("value").integer_as_text(sqlite3_column_int64(statement_, i));
        break;
      case SQLITE_FLOAT:
        json->key("type").text("float");
        json->key("value").real(sqlite3_column_double(statement_, i));
        break;
      case SQLITE_TEXT: {
        json->key("type").text("text");
        const void* data = sqlite3_column_text(statement_, i);
        json->key("value").text(bytes(data));
        break;
      }
      case SQLITE_BLOB: {
        json->key("type").text("blob");
        const void* data = sqlite3_column_blob(statement_, i);
        json->key("base64").base64(bytes(data));
        break;
      }
      default:
        json->key("type").text("null");
    }
    json->end_object();
  }
  json->end_array();
}

bool describe(SqlSession* session, std::string_view sql, JsonWriter* json, SqlError* error) {
  RunningStatement statement(session);
  WireStatement nothing;
  if (!statement.start(sql, nothing, error)) return false;
  json->begin_object();
  json->key("params").begin_array();
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement.handle()); ++i) {
    const char* name = sqlite3_bind_parameter_name(statement.handle(), i);
    json->begin_object();
    name == nullptr ? json->key("name").null() : json->key("name").text(name);
    json->end_object();
  }
  json->end_array();
  json->key("cols");
  statement.write_columns(json);
  json->key("is_explain").boolean(sqlite3_stmt_isexplain(statement.handle()) != 0);
  json->key("is_readonly").boolean(sqlite3_stmt_readonly(statement.handle()) != 0);
  json->end_object();
  return true;
}

}  // namespace godwit::server
