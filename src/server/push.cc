#include "server/push.h"

#include <algorithm>
#include <cctype>
#include <ctime>

#include "server/json_writer.h"

namespace godwit::server {
namespace {

constexpr std::string_view kBookkeeping = "turso_sync_last_change_id";

bool contains_no_case(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string_view sql_of(const BatchStep& step) {
  return step.statement.text.sql ? std::string_view(*step.statement.text.sql) : "";
}

bool is_word(std::string_view sql, std::string_view word) {
  while (!sql.empty() && (sql.back() == ' ' || sql.back() == ';')) sql.remove_suffix(1);
  return sql.size() == word.size() && contains_no_case(sql, word);
}

// What the client says about itself with the last change.
struct Progress {
  bool known = false;
  std::string client;
  int64_t pull_generation = 0, change_id = 0;
};

bool is_bookkeeping_row(const BatchStep& step) {
  std::string_view sql = sql_of(step);
  const auto& arguments = step.statement.arguments;
  return sql.size() >= 6 && contains_no_case(sql.substr(0, 6), "insert") &&
         contains_no_case(sql.substr(0, 80), kBookkeeping) && arguments.size() == 3 &&
         arguments[0].kind == WireValue::kText && arguments[1].kind == WireValue::kInteger &&
         arguments[2].kind == WireValue::kInteger;
}

Progress progress_of(const Batch& batch) {
  for (auto step = batch.steps.rbegin(); step != batch.steps.rend(); ++step) {
    if (!is_bookkeeping_row(*step)) continue;
    const auto& arguments = step->statement.arguments;
    return {true, arguments[0].bytes, arguments[1].integer, arguments[2].integer};
  }
  return {};
}

// The machine is at fault, not the row: the same push may work later.
bool is_about_the_machine(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:
    case SQLITE_INTERRUPT:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
    case SQLITE_NOTADB:
    case SQLITE_INTERNAL:
    case SQLITE_MISUSE:
      return true;
    default:
      return false;
  }
}

// The table is as the client wants it already; its sync library expects this error.
bool is_expected(std::string_view sql, const SqlError& error) {
  return contains_no_case(sql.substr(0, 6), "alter") &&
         contains_no_case(error.message, "duplicate column name");
}

std::string change_json(const WireStatement& statement) {
  std::string out;
  JsonWriter json(&out);
  json.begin_object();
  json.key("sql").text(statement.text.sql ? *statement.text.sql : "");
  json.key("args").begin_array();
  for (const WireValue& value : statement.arguments) {
    switch (value.kind) {
      case WireValue::kInteger: json.integer(value.integer); break;
      case WireValue::kReal: json.real(value.real); break;
      case WireValue::kText: json.text(value.bytes); break;
      case WireValue::kBlob:
        json.begin_object();
        json.key("base64").base64(value.bytes);
        json.end_object();
        break;
      default: json.null();
    }
  }
  json.end_array();
  json.end_object();
  return out;
}

class Push {
 public:
  Push(SqlSession* session, const Batch& batch, bool reject_whole)
      : session_(*session),
        batch_(batch),
        reject_whole_(reject_whole),
        progress_(progress_of(batch)) {}

  PushResult apply() {
    // Where the statements of a transaction are that never began does not matter.
    session_.roll_back();
    sqlite3_db_config(session_.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    bool goes_on = run(0) && !is_repeated();
    const size_t last = batch_.steps.size() - 1;
    for (size_t i = 1; goes_on && i < last; ++i) goes_on = run_change(i);
    if (goes_on) goes_on = write_rejected() && run(last);
    if (goes_on) result_.outcome = PushResult::kApplied;
    if (result_.outcome != PushResult::kApplied) session_.roll_back();
    if (result_.outcome == PushResult::kFailed) {
      result_.rejected.clear();
      result_.changes = 0;
    }
    sqlite3_db_config(session_.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, nullptr);
    return std::move(result_);
  }

 private:
  void fail(size_t step, SqlError error) {
    result_.errors.resize(step + 1);
    result_.errors[step] = std::move(error);
  }

  // Runs the statement of the step to its end. False: *error.
  bool execute(std::string_view sql, const WireStatement& wire, SqlError* error) {
    RunningStatement statement(&session_);
    if (!statement.start(sql, wire, error)) return false;
    RunningStatement::Step step;
    do step = statement.step(error);
    while (step == RunningStatement::Step::kRow);
    if (step == RunningStatement::Step::kDone) affected_ = statement.affected_rows();
    return step == RunningStatement::Step::kDone;
  }

  bool run(size_t step) {
    SqlError error;
    if (execute(sql_of(batch_.steps[step]), batch_.steps[step].statement, &error)) return true;
    fail(step, std::move(error));
    return false;
  }

  // An answer that was lost makes clients, or what is between, send the same again.
  bool is_repeated() {
    if (!progress_.known) return false;
    WireStatement query;
    WireValue client;
    client.kind = WireValue::kText;
    client.bytes = progress_.client;
    query.arguments.push_back(std::move(client));
    RunningStatement statement(&session_);
    SqlError error;
    if (!statement.start("SELECT pull_gen, change_id FROM main.turso_sync_last_change_id "
                         "WHERE client_id = ?", query, &error) ||
        statement.step(&error) != RunningStatement::Step::kRow) {
      return false;
    }
    int64_t generation = sqlite3_column_int64(statement.handle(), 0);
    int64_t change_id = sqlite3_column_int64(statement.handle(), 1);
    if (generation == progress_.pull_generation && change_id >= progress_.change_id) {
      result_.outcome = PushResult::kRepeated;
      return true;
    }
    if (generation > progress_.pull_generation) {
      fail(1, {"SYNC_STALE_PUSH", "the server has later changes of this client", SQLITE_ERROR});
      return true;
    }
    return false;
  }

  bool run_change(size_t index) {
    const BatchStep& step = batch_.steps[index];
    std::string_view sql = sql_of(step);
    SqlError error;
    bool ok = execute(sql, step.statement, &error) || run_unquoted_drop(sql);
    if (ok) {
      note_change(step, sql);
      return true;
    }
    bool rolled_back = session_.is_autocommit();
    if (is_expected(sql, error) && !rolled_back) {
      fail(index, std::move(error));
      return true;
    }
    bool ends = rolled_back || reject_whole_ || is_about_the_machine(error.sqlite_code) ||
                is_bookkeeping_row(step);
    if (!ends) {
      set_aside(step, error.message);
      error.message += " (the change was set aside in godwit_sync_rejected)";
    }
    fail(index, std::move(error));
    return !ends;
  }

  // Clients write DROP TABLE without quotes, whatever the name.
  bool run_unquoted_drop(std::string_view sql) {
    for (std::string_view kind : {"DROP TABLE ", "DROP INDEX ", "DROP VIEW ", "DROP TRIGGER "}) {
      if (sql.size() <= kind.size() || !contains_no_case(sql.substr(0, kind.size()), kind)) continue;
      std::string_view name = sql.substr(kind.size());
      if (name[0] == '"' || session_.is_autocommit()) return false;
      std::string quoted(kind);
      quoted += '"';
      for (char c : name) quoted.append(c == '"' ? 2 : 1, c);
      quoted += '"';
      SqlError second;
      WireStatement nothing;
      return execute(quoted, nothing, &second);
    }
    return false;
  }

  void note_change(const BatchStep& step, std::string_view sql) {
    if (is_bookkeeping_row(step) || contains_no_case(sql.substr(0, 90), kBookkeeping)) return;
    ++result_.changes;
    // The row is gone, or has another key by now. The client believes in its change; so say it.
    bool is_update = sql.size() > 6 && contains_no_case(sql.substr(0, 6), "update");
    if (is_update && affected_ == 0) set_aside(step, "no row has this key");
  }

  void set_aside(const BatchStep& step, std::string error) {
    PushedChange change = describe_change(step.statement);
    result_.rejected.push_back({progress_.client, std::move(change.table), std::move(change.key),
                                change_json(step.statement), std::move(error)});
  }

  bool write_rejected() {
    if (result_.rejected.empty()) return true;
    SqlError error;
    bool ok = session_.run_script(
        "CREATE TABLE IF NOT EXISTS main.godwit_sync_rejected (id INTEGER PRIMARY KEY, "
        "client_id TEXT, table_name TEXT, row_key TEXT, change TEXT, error TEXT, time INTEGER)",
        &error);
    for (const PushResult::Rejected& row : result_.rejected) {
      if (!ok) break;
      WireStatement insert;
      for (const std::string* text : {&row.client, &row.table, &row.key, &row.change, &row.error}) {
        WireValue value;
        value.kind = text->empty() ? WireValue::kNull : WireValue::kText;
        value.bytes = *text;
        insert.arguments.push_back(std::move(value));
      }
      WireValue now;
      now.kind = WireValue::kInteger;
      now.integer = std::time(nullptr);
      insert.arguments.push_back(now);
      ok = execute("INSERT INTO main.godwit_sync_rejected(client_id, table_name, row_key, change, "
                   "error, time) VALUES (?, ?, ?, ?, ?, ?)", insert, &error);
    }
    if (!ok) fail(batch_.steps.size() - 1, std::move(error));
    return ok;
  }

  SqlSession& session_;
  const Batch& batch_;
  const bool reject_whole_;
  const Progress progress_;
  int64_t affected_ = 0;  // by the last statement
  PushResult result_;
};

}  // namespace

bool is_push(const Batch& batch) {
  if (batch.steps.size() < 3) return false;
  const BatchStep& first = batch.steps.front();
  return !first.condition && is_word(sql_of(first), "BEGIN IMMEDIATE") &&
         is_word(sql_of(batch.steps.back()), "COMMIT") &&
         contains_no_case(sql_of(batch.steps[1]).substr(0, 27), "create table if not exists ") &&
         contains_no_case(sql_of(batch.steps[1]).substr(0, 90), kBookkeeping);
}

PushResult apply_push(SqlSession* session, const Batch& batch, bool reject_whole) {
  return Push(session, batch, reject_whole).apply();
}

}  // namespace godwit::server
