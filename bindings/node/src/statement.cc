#include "statement.h"

#include <cstdlib>
#include <cstring>

#include "function.h"

namespace godwit::node {

namespace {

// Statement flags, left in kFlags by prepare.
constexpr int kReadonly = 1;
constexpr int kExplain = 2;

// Holds a connection's mutex, so that the calls within a scope find it taken already.
class ConnectionLock {
 public:
  explicit ConnectionLock(sqlite3* db) : mutex_(sqlite3_db_mutex(db)) { sqlite3_mutex_enter(mutex_); }
  ~ConnectionLock() { sqlite3_mutex_leave(mutex_); }
  ConnectionLock(const ConnectionLock&) = delete;
  ConnectionLock& operator=(const ConnectionLock&) = delete;

 private:
  sqlite3_mutex* mutex_;
};

// True if nothing but comments, spaces and semicolons is left.
bool only_blanks(sqlite3* db, const char* sql) {
  while (*sql) {
    sqlite3_stmt* next = nullptr;
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v2(db, sql, -1, &next, &tail);
    sqlite3_finalize(next);
    if (code != SQLITE_OK || next) return false;
    if (tail == sql) break;
    sql = tail;
  }
  return true;
}

// Frees the programs of statements that were not used since the last sweep.
void park_idle(Connection* connection) {
  for (Statement* statement : connection->statements) {
    if (statement->program && !statement->used && !statement->pinned && !statement->open) {
      sqlite3_finalize(statement->program);
      statement->program = nullptr;
      --connection->prepared;
    }
    statement->used = false;
  }
  // A set of statements that is in use as a whole stays prepared.
  if (connection->prepared > connection->park_limit / 2) connection->park_limit *= 2;
}

bool parked(const Statement* statement) {
  if (statement->program) return false;
  statement->connection->addon->header[kStatus] = kParked;
  return true;
}

void describe(const Statement* statement) {
  int32_t* header = statement->connection->addon->header;
  header[kStatus] = 0;
  header[kColumns] = statement->columns;
  header[kParameters] = sqlite3_bind_parameter_count(statement->program);
  header[kFlags] = (sqlite3_stmt_readonly(statement->program) ? kReadonly : 0) |
                   (sqlite3_stmt_isexplain(statement->program) ? kExplain : 0);
}

// prepare(connection, sql, whether more statements may follow): the slot; its generation is left in
// kRowCount.
napi_value prepare(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Connection* connection = call.connection();
  Statement draft;
  draft.connection = connection;
  const int code = prepare_program(&draft, call.text(1), call.number(2) != 0);
  if (code != SQLITE_OK) return fail(connection, code);
  Statement* statement = call.addon->statements.add(std::make_unique<Statement>(draft));
  statement->integers = connection->integers;
  statement->index_in_connection = static_cast<uint32_t>(connection->statements.size());
  connection->statements.push_back(statement);
  describe(statement);
  call.addon->header[kRowCount] = static_cast<int32_t>(statement->generation);
  napi_value slot;
  napi_create_uint32(env, statement->slot, &slot);
  return slot;
}

// prepareAgain(statement, sql): for one that was parked.
napi_value prepare_again(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Statement* statement = call.statement();
  const int code = prepare_program(statement, call.text(1), true);
  if (code != SQLITE_OK) return fail(statement->connection, code);
  describe(statement);
  return nullptr;
}

// finalize(statement, generation): comes from a finalizer, possibly after close().
napi_value finalize(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Statement* statement = call.statement();
  if (!statement || statement->generation != call.number(1)) return nullptr;
  if (statement->connection->async_running) {
    statement->abandoned = true;
  } else {
    finalize_statement(statement);
  }
  return nullptr;
}

napi_value set_statement_integers(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  call.statement()->integers = static_cast<IntegerMode>(call.number(1));
  return nullptr;
}

// pin(statement): its bindings are permanent.
napi_value pin(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  call.statement()->pinned = true;
  return nullptr;
}

napi_value parameters(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  const int count = sqlite3_bind_parameter_count(statement->program);
  napi_value list;
  napi_create_array_with_length(env, static_cast<size_t>(count), &list);
  for (int i = 0; i < count; ++i) {
    const char* name = sqlite3_bind_parameter_name(statement->program, i + 1);
    napi_value value;
    if (name) {
      value = text_value(env, name);
    } else {
      napi_get_null(env, &value);
    }
    napi_set_element(env, list, static_cast<uint32_t>(i), value);
  }
  call.addon->header[kStatus] = 0;
  return list;
}

napi_value text_or_null(napi_env env, const char* text) {
  if (text) return text_value(env, text);
  napi_value value;
  napi_get_null(env, &value);
  return value;
}

// columns(statement, what): 0 names, 1 declared types, 2 origin columns, 3 tables, 4 databases
napi_value columns(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  using Getter = const char* (*)(sqlite3_stmt*, int);
  static constexpr Getter kGetters[] = {sqlite3_column_name, sqlite3_column_decltype,
                                        sqlite3_column_origin_name, sqlite3_column_table_name,
                                        sqlite3_column_database_name};
  const Getter getter = kGetters[call.number(1)];
  const int count = sqlite3_column_count(statement->program);
  napi_value list;
  napi_create_array_with_length(env, static_cast<size_t>(count), &list);
  for (int i = 0; i < count; ++i) {
    napi_set_element(env, list, static_cast<uint32_t>(i),
                     text_or_null(env, getter(statement->program, i)));
  }
  call.addon->header[kStatus] = 0;
  return list;
}

// bindValue(statement, index from 1, value): a value that does not go through the buffer.
napi_value bind_value(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  const int index = static_cast<int>(call.number(1));
  napi_valuetype type;
  napi_typeof(env, call.arguments[2], &type);
  int code;
  if (type == napi_null || type == napi_undefined) {
    code = sqlite3_bind_null(statement->program, index);
  } else if (type == napi_number) {
    double number = 0;
    napi_get_value_double(env, call.arguments[2], &number);
    code = sqlite3_bind_double(statement->program, index, number);
  } else if (type == napi_bigint) {
    int64_t integer = 0;
    bool lossless = false;
    napi_get_value_bigint_int64(env, call.arguments[2], &integer, &lossless);
    code = lossless ? sqlite3_bind_int64(statement->program, index, integer) : SQLITE_TOOBIG;
  } else if (type == napi_string) {
    size_t length = 0;
    napi_get_value_string_utf8(env, call.arguments[2], nullptr, 0, &length);
    auto* text = static_cast<char*>(std::malloc(length + 1));
    if (!text) return fail(call.addon, SQLITE_NOMEM, "out of memory");
    napi_get_value_string_utf8(env, call.arguments[2], text, length + 1, &length);
    code = sqlite3_bind_text64(statement->program, index, text, length, std::free, SQLITE_UTF8);
  } else {
    const Bytes bytes = bytes_of(env, call.arguments[2]);
    code = sqlite3_bind_blob64(statement->program, index, bytes.data, bytes.length,
                               SQLITE_TRANSIENT);
  }
  call.addon->header[kStatus] = -code;
  return nullptr;
}

// bind(statement, count): from the exchange buffer, without running.
napi_value bind(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  call.addon->header[kStatus] = -bind_cells(statement, call.number(1));
  return nullptr;
}

// run(statement, parameters): to the first row or the end. Changes and rowid are left in the header.
napi_value run(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  Connection* connection = statement->connection;
  statement->used = true;
  ConnectionLock lock(connection->db);
  int code = bind_cells(statement, call.number(1));
  if (code != SQLITE_OK) return fail(connection, code);
  const sqlite3_int64 before = sqlite3_total_changes64(connection->db);
  code = sqlite3_step(statement->program);
  if (code == SQLITE_ROW || code == SQLITE_DONE) {
    code = sqlite3_reset(statement->program);
    if (code == SQLITE_OK) {
      report_changes(connection, before);
      return nullptr;
    }
    return fail(connection, code);
  }
  napi_value text = fail(connection, code);
  sqlite3_reset(statement->program);
  return text;
}

napi_value refuse_integer(napi_env env, int64_t value) {
  const std::string message =
      "Value is too large to be represented as a JavaScript number: " + std::to_string(value);
  napi_throw_range_error(env, "ERR_OUT_OF_RANGE", message.c_str());
  return nullptr;
}

// get(statement, parameters): the first row, as a batch.
napi_value get(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  Connection* connection = statement->connection;
  statement->used = true;
  ConnectionLock lock(connection->db);
  int code = bind_cells(statement, call.number(1));
  if (code != SQLITE_OK) return fail(connection, code);
  code = sqlite3_step(statement->program);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    napi_value text = fail(connection, code);
    sqlite3_reset(statement->program);
    return text;
  }
  BatchLease batch(call.addon);
  statement->columns = sqlite3_column_count(statement->program);
  if (code == SQLITE_ROW) {
    batch->add_row(statement->program, statement->columns, statement->integers, true);
  }
  report_shape(call.addon, statement);
  napi_value result = batch->deliver(call.addon);
  code = sqlite3_reset(statement->program);
  if (code != SQLITE_OK) return fail(connection, code);
  if (batch->integer_refused) return refuse_integer(env, batch->refused);
  call.addon->header[kStatus] = 0;
  return result;
}

// fetch(statement, parameters, limit): a batch of at most `limit` rows; kMoreRows if the result may go
// on. With -1 parameters it goes on with what is open.
napi_value fetch(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Statement* statement = call.statement();
  int32_t count = 0;
  napi_get_value_int32(env, call.arguments[1], &count);
  if (parked(statement)) return nullptr;
  Connection* connection = statement->connection;
  statement->used = true;
  if (count >= 0) {
    const int code = bind_cells(statement, static_cast<uint32_t>(count));
    if (code != SQLITE_OK) return fail(connection, code);
  }
  BatchLease batch(call.addon);
  const int code = fill_batch(statement, *batch.operator->(), static_cast<int>(call.number(2)));
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    napi_value text = fail(connection, code);
    sqlite3_reset(statement->program);
    return text;
  }
  if (batch->integer_refused) {
    sqlite3_reset(statement->program);
    statement->open = false;
    return refuse_integer(env, batch->refused);
  }
  report_shape(call.addon, statement);
  call.addon->header[kStatus] = code == SQLITE_ROW ? kMoreRows : 0;
  return batch->deliver(call.addon);
}

napi_value reset(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Statement* statement = call.statement();
  if (statement && statement->program) sqlite3_reset(statement->program);
  if (statement) statement->open = false;
  return nullptr;
}

// expandedSql(statement)
napi_value expanded_sql(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Statement* statement = call.statement();
  if (parked(statement)) return nullptr;
  call.addon->header[kStatus] = 0;
  char* sql = sqlite3_expanded_sql(statement->program);
  napi_value value = text_or_null(env, sql);
  sqlite3_free(sql);
  return value;
}

}  // namespace

int prepare_program(Statement* statement, const std::string& sql, bool first_only) {
  Connection* connection = statement->connection;
  napi_env env = connection->addon->env;
  if (connection->prepared >= connection->park_limit && !connection->async_running) {
    park_idle(connection);
  }
  sqlite3_stmt* program = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(connection->db, sql.c_str(), static_cast<int>(sql.size() + 1),
                                      SQLITE_PREPARE_PERSISTENT, &program, &tail);
  if (code != SQLITE_OK) return sqlite3_extended_errcode(connection->db);
  const char* refused = nullptr;
  if (!program) {
    refused = "The supplied SQL string contains no statements";
  } else if (!first_only && !only_blanks(connection->db, tail)) {
    refused = "The supplied SQL string contains more than one statement";
  }
  if (refused) {
    sqlite3_finalize(program);
    napi_throw_range_error(env, nullptr, refused);
    return SQLITE_MISUSE;
  }
  statement->program = program;
  statement->columns = sqlite3_column_count(program);
  statement->readonly = sqlite3_stmt_readonly(program) != 0;
  statement->used = true;
  ++connection->prepared;
  return SQLITE_OK;
}

int bind_cells(Statement* statement, uint32_t count) {
  const Addon* addon = statement->connection->addon;
  sqlite3_stmt* program = statement->program;
  for (uint32_t i = 0; i < count; ++i) {
    const double cell = addon->cells[i];
    const int index = static_cast<int>(i) + 1;
    int code = SQLITE_OK;
    switch (static_cast<Tag>(addon->tags[i])) {
      case Tag::kNumber:
        code = sqlite3_bind_double(program, index, cell);
        break;
      case Tag::kInt32: {
        int32_t value;
        std::memcpy(&value, &cell, sizeof(value));
        code = sqlite3_bind_int(program, index, value);
        break;
      }
      case Tag::kNull:
        code = sqlite3_bind_null(program, index);
        break;
      case Tag::kText: {
        int32_t place[2];
        std::memcpy(place, &cell, sizeof(place));
        code = sqlite3_bind_text(program, index, addon->chars + place[0], place[1],
                                 SQLITE_TRANSIENT);
        break;
      }
      case Tag::kBigInt: {
        int64_t value;
        std::memcpy(&value, &cell, sizeof(value));
        code = sqlite3_bind_int64(program, index, value);
        break;
      }
      case Tag::kExtra:
        break;
    }
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int fill_batch(Statement* statement, RowBatch& batch, int limit) {
  sqlite3_stmt* program = statement->program;
  ConnectionLock lock(statement->connection->db);
  for (;;) {
    const int code = sqlite3_step(program);
    if (code == SQLITE_ROW) {
      if (batch.rows == 0) {
        statement->open = true;
        statement->columns = sqlite3_column_count(program);
      }
      batch.add_row(program, statement->columns, statement->integers, false);
      if (batch.rows >= limit || batch.full(statement->columns)) return SQLITE_ROW;
      continue;
    }
    statement->open = false;
    if (code != SQLITE_DONE) return code;
    const int reset = sqlite3_reset(program);
    return reset == SQLITE_OK ? SQLITE_DONE : reset;
  }
}

void report_shape(Addon* addon, Statement* statement) {
  addon->header[kColumns] = statement->columns;
  addon->header[kFlags] =
      sqlite3_stmt_status(statement->program, SQLITE_STMTSTATUS_REPREPARE, 0);
}

void report_changes(Connection* connection, sqlite3_int64 total_before) {
  Addon* addon = connection->addon;
  sqlite3* db = connection->db;
  const sqlite3_int64 changes =
      sqlite3_total_changes64(db) == total_before ? 0 : sqlite3_changes64(db);
  const int64_t rowid = sqlite3_last_insert_rowid(db);
  addon->header[kStatus] = 0;
  addon->header[kChanges] = static_cast<int32_t>(changes);
  addon->header[kColumns] = sqlite3_changes(db);
  std::memcpy(addon->header + kRowid, &rowid, sizeof(rowid));
  addon->set_real(kRowidReal, static_cast<double>(rowid));
  addon->set_real(kChangesReal, static_cast<double>(changes));
}

const MethodEntry kStatementMethods[] = {
    {"prepare", prepare},
    {"prepareAgain", prepare_again},
    {"finalize", finalize},
    {"setStatementIntegers", set_statement_integers},
    {"pin", pin},
    {"parameters", parameters},
    {"columns", columns},
    {"bindValue", bind_value},
    {"bind", bind},
    {"run", run},
    {"get", get},
    {"fetch", fetch},
    {"reset", reset},
    {"expandedSql", expanded_sql},
    {nullptr, nullptr}};

}  // namespace godwit::node
