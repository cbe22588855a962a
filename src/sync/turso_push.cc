#include "sync/turso_push.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include "api/table_shape.h"
#include "base/bytes.h"
#include "sync/database_access.h"
#include "sync/pending_log.h"
#include "sync/row_applier.h"
#include "sync/row_json.h"

namespace godwit::sync {

using api::Change;
using api::ChangeTable;
using api::Field;
using api::TableShape;

namespace {

constexpr size_t kGuardStep = 2;

bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         sqlite3_strnicmp(text.data(), word.data(), static_cast<int>(word.size())) == 0;
}

std::string_view skip_space(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

// "CREATE TABLE x" with IF NOT EXISTS, "DROP TABLE x" with IF EXISTS.
std::string tolerant_text(std::string_view sql) {
  std::string_view rest = skip_space(sql);
  const bool is_create = begins_with(rest, "CREATE ");
  if (!is_create && !begins_with(rest, "DROP ")) return std::string(sql);
  rest = skip_space(rest.substr(is_create ? 7 : 5));
  for (std::string_view word : {"UNIQUE ", "VIRTUAL "}) {
    if (begins_with(rest, word)) rest = skip_space(rest.substr(word.size()));
  }
  for (std::string_view word : {"TABLE", "INDEX", "VIEW", "TRIGGER"}) {
    if (!begins_with(rest, word)) continue;
    const std::string_view name = skip_space(rest.substr(word.size()));
    if (begins_with(name, "IF ")) break;
    const auto head = static_cast<size_t>(rest.data() - sql.data()) + word.size();
    return std::string(sql.substr(0, head)) + (is_create ? " IF NOT EXISTS " : " IF EXISTS ") + std::string(name);
  }
  return std::string(sql);
}

bool changes_names(std::string_view sql) {
  sql = skip_space(sql);
  return begins_with(sql, "ALTER") || begins_with(sql, "DROP TABLE");
}

double real_of(const Field& field) {
  return std::bit_cast<double>(load_be64(reinterpret_cast<const uint8_t*>(field.data()) + 1));
}

// A value of which JSON has no form goes into the text.
std::string placeholder(const Field& field) {
  if (field[0] == SQLITE_FLOAT && std::isinf(real_of(field))) return real_of(field) < 0 ? "-9e999" : "9e999";
  if (field[0] != SQLITE_TEXT || is_plain_text(content_of(field))) return "?";
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string text = "CAST(X'";
  for (char c : content_of(field)) {
    text += kHex[static_cast<uint8_t>(c) >> 4];
    text += kHex[static_cast<uint8_t>(c) & 15];
  }
  return text + "' AS TEXT)";
}

std::string add_value(const Field& field, TursoStep* step) {
  std::string text = placeholder(field);
  if (text == "?") step->arguments.push_back(field);
  return text;
}

void append_argument(const Field& field, std::string* out) {
  char digits[40];
  switch (field[0]) {
    case SQLITE_INTEGER: {
      const auto integer = static_cast<int64_t>(load_be64(reinterpret_cast<const uint8_t*>(field.data()) + 1));
      *out += R"({"type":"integer","value":")" + std::to_string(integer) + "\"}";
      return;
    }
    case SQLITE_FLOAT: {
      const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, real_of(field)).ptr);
      *out += R"({"type":"float","value":)";
      *out += text;
      if (text.find_first_of(".e") == std::string_view::npos) *out += ".0";
      *out += '}';
      return;
    }
    case SQLITE_TEXT:
      *out += R"({"type":"text","value":)";
      append_json_text(content_of(field), out);
      *out += '}';
      return;
    case SQLITE_BLOB:
      *out += R"({"type":"blob","base64":")";
      append_base64(content_of(field), out);
      while (out->back() == '=') out->pop_back();
      *out += "\"}";
      return;
    default: *out += R"({"type":"null"})";
  }
}

// `condition`: JSON.
void append_step(const TursoStep& step, const std::string& condition, bool wants_rows, std::string* out) {
  if (out->back() == '}') *out += ',';
  *out += "{\"condition\":" + condition + ",\"stmt\":{\"sql\":";
  append_json_text(step.sql, out);
  *out += ",\"sql_id\":null,\"args\":[";
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    if (i > 0) *out += ',';
    append_argument(step.arguments[i], out);
  }
  *out += "],\"named_args\":[],\"want_rows\":";
  *out += wants_rows ? "true" : "false";
  *out += ",\"replication_index\":null}}";
}

constexpr char kBatchHead[] = R"({"baton":null,"requests":[{"type":"batch","batch":{"steps":[)";
constexpr char kBatchTail[] = R"(],"replication_index":null}}]})";

std::string if_ok(size_t step) { return R"({"type":"ok","step":)" + std::to_string(step) + "}"; }
std::string if_run(size_t step) {
  return R"({"type":"or","conds":[)" + if_ok(step) + R"(,{"type":"error","step":)" + std::to_string(step) + "}]}";
}

// Statements for changes of rows, with the columns' names as they are at that point of the push.
class StatementMaker {
 public:
  StatementMaker(sqlite3* names, std::vector<TursoStep>* steps) : names_(names), keys_(names, {}), steps_(*steps) {}

  void forget_shapes() { shapes_.clear(); }

  Status add(const ChangeTable& table, const Change& change) {
    auto [entry, is_new] = shapes_.try_emplace(table.name);
    const TableShape& shape = entry->second;
    if (is_new) entry->second = api::shape_of_table(names_, "main", table.name);
    if (!shape.exists() || !shape.takes(table.key)) {
      return Status::error("table " + table.name + " has other columns than its pending changes");
    }
    // What triggers insert here their twins insert on the server.
    if (change.op == SQLITE_INSERT && change.indirect && has_triggers()) return Status();
    TursoStep step;
    step.table = table.name;
    step.key = keys_.key_json(table, change.op == SQLITE_INSERT ? change.new_values : change.old_values);
    const bool is_by_rowid = shape.columns[0] == "_rowid_";
    if (change.op == SQLITE_INSERT) {
      add_insert(table, shape, change, is_by_rowid, &step);
    } else if (change.op == SQLITE_UPDATE) {
      add_update(table, shape, change, is_by_rowid, &step);
    } else {
      step.sql = "DELETE FROM " + double_quoted(table.name) + where(table, shape, change, is_by_rowid, &step);
    }
    steps_.push_back(std::move(step));
    return Status();
  }

 private:
  bool has_triggers() {
    if (!has_triggers_.has_value()) {
      auto count = integer_of(names_, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'");
      has_triggers_ = count.ok() && *count > 0;
    }
    return *has_triggers_;
  }

  static std::string column(const TableShape& shape, size_t i, bool is_by_rowid) {
    return is_by_rowid && i == 0 ? "rowid" : shape.columns[i];
  }

  void add_insert(const ChangeTable& table, const TableShape& shape, const Change& change, bool is_by_rowid,
                  TursoStep* step) {
    std::string columns, values, key, set;
    bool has_null_key = false;
    for (size_t i = 0; i < table.key.size(); ++i) {
      const std::string name = column(shape, i, is_by_rowid);
      const Field& field = change.new_values[i];
      if (is_undefined(field)) continue;
      const std::string comma = columns.empty() ? "" : ", ";
      columns += comma + name;
      if (is_by_rowid && i == 0) {
        // Where the rowid is taken the row gets another one.
        values = "(SELECT CASE WHEN EXISTS(SELECT 1 FROM " + double_quoted(table.name) + " WHERE rowid = ?) THEN NULL ELSE ? END)";
        step->arguments = {field, field};
        continue;
      }
      values += comma + add_value(field, step);
      if (table.key[i] != 0) {
        key += (key.empty() ? "" : ", ") + name;
        has_null_key |= field[0] == SQLITE_NULL;
      } else {
        set += (set.empty() ? "" : ", ") + name + " = excluded." + name;
      }
    }
    step->sql = "INSERT INTO " + double_quoted(table.name) + "(" + columns + ") VALUES(" + values + ")";
    if (is_by_rowid || has_null_key) return;
    step->sql += " ON CONFLICT(" + key + ") DO " + (set.empty() ? "NOTHING" : "UPDATE SET " + set);
  }

  void add_update(const ChangeTable& table, const TableShape& shape, const Change& change, bool is_by_rowid,
                  TursoStep* step) {
    std::string set;
    for (size_t i = 0; i < table.key.size(); ++i) {
      if (is_undefined(change.new_values[i])) continue;
      set += (set.empty() ? "" : ", ") + shape.columns[i] + " = " + add_value(change.new_values[i], step);
    }
    step->sql = "UPDATE " + double_quoted(table.name) + " SET " + set + where(table, shape, change, is_by_rowid, step);
  }

  std::string where(const ChangeTable& table, const TableShape& shape, const Change& change, bool is_by_rowid,
                    TursoStep* step) {
    std::string text;
    for (size_t i = 0; i < table.key.size(); ++i) {
      const Field& field = change.old_values[i];
      if (is_undefined(field) || (table.key[i] == 0 && !is_by_rowid)) continue;
      text += (text.empty() ? " WHERE " : " AND ") + column(shape, i, is_by_rowid);
      if (field[0] == SQLITE_NULL) {
        text += " IS NULL";
      } else {
        text += " = " + add_value(field, step);
      }
    }
    return text;
  }

  sqlite3* names_;
  RowApplier keys_;
  std::vector<TursoStep>& steps_;
  std::map<std::string, TableShape> shapes_;
  std::optional<bool> has_triggers_;
};

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};

// A database in memory with the server's tables, in which schema statements are made as they come.
using Scratch = std::unique_ptr<sqlite3, CloseDatabase>;

Result<Scratch> make_scratch(const std::vector<std::string>& tables) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open(":memory:", &db);
  Scratch scratch(db);
  if (code != SQLITE_OK) return Status(code);
  for (const std::string& sql : tables) (void)execute(db, sql);
  return scratch;
}

TursoStep plain_step(std::string sql) {
  TursoStep step;
  step.sql = std::move(sql);
  return step;
}

TursoStep schema_step(const std::string& sql) {
  TursoStep step = plain_step(tolerant_text(sql));
  step.table = "sqlite_schema";
  const std::string_view text = skip_space(sql);
  // A column that is there already is none to fail for, and an old server may not know a pragma.
  step.is_tolerant = begins_with(text, "PRAGMA") ||
                     (begins_with(text, "ALTER") && sqlite3_strlike("% add %", sql.c_str(), 0) == 0);
  return step;
}

}  // namespace

Result<bool> TursoPush::needs_tables(const PushRequest& request) {
  GW_ASSIGN(const std::vector<PendingOp> ops, parse_ops(request.ops));
  for (const PendingOp& op : ops) {
    if (changes_names(op.schema)) return true;
  }
  return false;
}

Result<TursoPush> TursoPush::make(sqlite3* db, const PushRequest& request, const std::vector<std::string>& tables) {
  TursoPush push;
  std::vector<TursoStep>& steps = push.steps_;
  const Field client = api::encode_bytes(SQLITE_TEXT, request.client);
  const Field last = api::encode_integer(static_cast<int64_t>(request.last_seq));
  steps.push_back(plain_step("BEGIN IMMEDIATE"));
  steps.push_back(plain_step("CREATE TABLE IF NOT EXISTS turso_sync_last_change_id"
                             " (client_id TEXT PRIMARY KEY, pull_gen INTEGER, change_id INTEGER)"));
  steps.push_back(plain_step("INSERT INTO turso_sync_last_change_id SELECT client_id, pull_gen, change_id"
                             " FROM turso_sync_last_change_id WHERE client_id = ? AND change_id >= ?"));
  steps.back().arguments = {client, last};

  GW_ASSIGN(const std::vector<PendingOp> ops, parse_ops(request.ops));
  GW_ASSIGN(const bool needs_scratch, needs_tables(request));
  Scratch scratch;
  if (needs_scratch) {
    GW_ASSIGN(scratch, make_scratch(tables));
  }
  StatementMaker maker(needs_scratch ? scratch.get() : db, &steps);
  for (const PendingOp& op : ops) {
    if (!op.schema.empty()) {
      steps.push_back(schema_step(op.schema));
      if (needs_scratch) (void)execute(scratch.get(), op.schema);
      maker.forget_shapes();
    }
    for (const auto& [table, change] : op.changes) GW_TRY(maker.add(table, change));
  }
  steps.push_back(plain_step("INSERT INTO turso_sync_last_change_id(client_id, pull_gen, change_id) VALUES (?, 0, ?)"
                             " ON CONFLICT(client_id) DO UPDATE SET pull_gen = excluded.pull_gen,"
                             " change_id = excluded.change_id"));
  steps.back().arguments = {client, last};
  steps.push_back(plain_step("COMMIT"));

  push.body_ = kBatchHead;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string condition = i == 0 ? "null" : steps[i - 1].is_tolerant ? if_run(i - 1) : if_ok(i - 1);
    append_step(steps[i], condition, false, &push.body_);
  }
  append_step(plain_step("ROLLBACK"),
              R"({"type":"and","conds":[)" + if_ok(0) + R"(,{"type":"not","cond":)" + if_ok(steps.size() - 1) + "}]}",
              false, &push.body_);
  push.body_ += kBatchTail;
  return push;
}

namespace {

constexpr char kResult[] = "$.results[0].response.result";

// Not an answer to a batch: an error as a whole.
Status check_result(sqlite3* db, const std::string& body) {
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT CASE WHEN json_valid(?1) THEN json_extract(?1, '$.results[0].type') END,"
                                            " CASE WHEN json_valid(?1) THEN json_extract(?1, '$.results[0].error.message') END"));
  query.bind(1, body);
  GW_ASSIGN(const bool has_row, query.step());
  if (!has_row || query.text(0).empty()) return corrupt("the server's answer is none to a batch");
  if (query.text(0) != "ok") return Status::error("the server refused the batch: " + query.text(1));
  return Status();
}

}  // namespace

Status TursoPush::read_answer(sqlite3* db, const std::string& body, PushAnswer* answer, bool* is_repeated) const {
  *is_repeated = false;
  GW_TRY(check_result(db, body));
  GW_ASSIGN(Query errors, Query::prepare(db, "SELECT key, json_extract(value, '$.message') FROM json_each(?1, '" +
                                                 std::string(kResult) + ".step_errors') WHERE type = 'object' ORDER BY key"));
  errors.bind(1, body);
  for (;;) {
    GW_ASSIGN(const bool has_row, errors.step());
    if (!has_row) break;
    const auto number = static_cast<size_t>(errors.integer(0));
    if (number >= steps_.size() || steps_[number].is_tolerant) continue;
    if (number == kGuardStep) {
      *is_repeated = true;
      return Status();
    }
    const TursoStep& step = steps_[number];
    answer->status = PushStatus::kRefused;
    answer->outcomes.push_back({OutcomeKind::kRefused, step.table, step.key, errors.text(1)});
    return Status();
  }
  GW_ASSIGN(Query commit, Query::prepare(db, "SELECT json_type(?1, '" + std::string(kResult) + ".step_results[" +
                                                 std::to_string(steps_.size() - 1) + "]')"));
  commit.bind(1, body);
  GW_ASSIGN(const bool has_row, commit.step());
  if (!has_row || commit.text(0) != "object") return corrupt("the server did not say that it committed");
  answer->status = PushStatus::kApplied;
  return Status();
}

std::string turso_progress_request(const std::string& client) {
  std::string body = kBatchHead;
  TursoStep progress = plain_step("SELECT pull_gen, change_id FROM turso_sync_last_change_id WHERE client_id = ?");
  progress.arguments.push_back(api::encode_bytes(SQLITE_TEXT, client));
  append_step(progress, "null", true, &body);
  append_step(plain_step("SELECT sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"), "null", true, &body);
  return body + kBatchTail;
}

Result<TursoProgress> read_turso_progress(sqlite3* db, const std::string& body) {
  GW_TRY(check_result(db, body));
  const std::string result(kResult);
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT json_extract(?1, '" + result + ".step_errors[0].message'), json_extract(?1, '" +
                                                result + ".step_results[0].rows[0][1].value')"));
  query.bind(1, body);
  GW_ASSIGN(const bool has_row, query.step());
  if (!has_row) return corrupt("the server's answer is none to a batch");
  const std::string error = query.text(0);
  if (!error.empty() && error.find("no such table") == std::string::npos) return Status::error("the server says: " + error);
  TursoProgress progress;
  const int64_t change_id = query.integer(1);
  progress.change_id = change_id < 0 ? 0 : static_cast<uint64_t>(change_id);
  GW_ASSIGN(Query tables, Query::prepare(db, "SELECT json_extract(value, '$[0].value') FROM json_each(?1, '" + result +
                                                 ".step_results[1].rows')"));
  tables.bind(1, body);
  for (;;) {
    GW_ASSIGN(const bool has_table, tables.step());
    if (!has_table) return progress;
    progress.tables.push_back(tables.text(0));
  }
}

}  // namespace godwit::sync
