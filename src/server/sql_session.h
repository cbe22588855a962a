// A connection that serves one stream: opens the database through the C interface, keeps out of SQL
// what a client must not do to a server (other files, journal modes), interrupts what runs too long.
//
// Threads: used by one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "capture/recorder.h"
#include "server/hrana.h"
#include "server/json_writer.h"
#include "sqlite3.h"

namespace godwit::server {

// What went wrong with a statement: SQLite's name of the code (or one of ours), and the text.
struct SqlError {
  std::string code;
  std::string message;
  int sqlite_code = SQLITE_ERROR;  // extended
};

// "SQLITE_CONSTRAINT" for SQLITE_CONSTRAINT_UNIQUE, and so on.
std::string_view sqlite_code_name(int code);
std::string_view sqlite_extended_code_name(int code);
void write_error(const SqlError& error, JsonWriter* json);

struct SessionOptions {
  std::chrono::milliseconds busy_timeout{5000};
  std::chrono::milliseconds query_timeout{30000};
  // When all queries must have ended, because the server does: steady clock, nanoseconds.
  const std::atomic<int64_t>* stop_at = nullptr;
};

class SqlSession {
 public:
  static Result<std::unique_ptr<SqlSession>> open(const std::string& path, bool read_only,
                                                  const SessionOptions& options);
  ~SqlSession();
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;

  // The time of a request starts.
  void start_clock();
  bool is_autocommit() const { return sqlite3_get_autocommit(db_) != 0; }
  bool is_read_only() const { return read_only_; }
  sqlite3* handle() const { return db_; }
  // Whether a statement that may write has run since it was last asked.
  bool take_has_written();
  // Runs all statements of the text, without rows. False: *error.
  bool run_script(std::string_view sql, SqlError* error);
  // Rolls back what is open.
  void roll_back();
  SqlError last_error() const;
  // While it is on, statements may not change the schema of the tables in which sync keeps its books.
  void guard_bookkeeping(bool on) { guards_bookkeeping_ = on; }
  // What it commits is given to the sink from now on.
  Status record(std::unique_ptr<capture::OpSink> sink);

 private:
  friend class RunningStatement;
  SqlSession() = default;
  static int authorize(void* context, int action, const char* a, const char* b, const char* c,
                       const char* d);
  static int check_time(void* context);
  bool may_run(sqlite3_stmt* statement, SqlError* error);

  std::unique_ptr<capture::OpSink> sink_;
  sqlite3* db_ = nullptr;
  bool read_only_ = false;
  bool timed_out_ = false;
  bool has_written_ = false;
  bool guards_bookkeeping_ = false;
  SessionOptions options_;
  std::chrono::steady_clock::time_point deadline_;
};

// One statement from its text to its last row.
class RunningStatement {
 public:
  explicit RunningStatement(SqlSession* session) : session_(*session) {}
  ~RunningStatement() { sqlite3_finalize(statement_); }
  RunningStatement(const RunningStatement&) = delete;
  RunningStatement& operator=(const RunningStatement&) = delete;

  // Compiles the one statement of `sql`, binds the arguments. False: *error.
  bool start(std::string_view sql, const WireStatement& wire, SqlError* error);
  enum class Step { kRow, kDone, kError };
  Step step(SqlError* error);
  sqlite3_stmt* handle() const { return statement_; }

  // After kDone.
  int64_t affected_rows() const;

  // [{"name":..., "decltype":...}, ...]
  void write_columns(JsonWriter* json) const;
  // [value, ...] of the current row.
  void write_row(JsonWriter* json) const;

 private:
  bool bind(const WireStatement& wire, SqlError* error);
  bool bind_value(int index, const WireValue& value, SqlError* error);

  SqlSession& session_;
  sqlite3_stmt* statement_ = nullptr;
  int64_t total_changes_before_ = 0;
};

// {"params":[...],"cols":[...],"is_explain":...,"is_readonly":...}
bool describe(SqlSession* session, std::string_view sql, JsonWriter* json, SqlError* error);

}  // namespace godwit::server
