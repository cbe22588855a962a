// Statements: preparing, stepping, parameters, columns, and sqlite3_exec().
#include <cstring>
#include <new>

#include "api/config.h"
#include "api/handles.h"
#include "value/cast.h"

using namespace godwit;
using namespace godwit::api;

namespace {

// SQLITE_TRANSIENT, which cannot be a constant expression in C++.
const auto kTransient = reinterpret_cast<sqlite3_destructor_type>(-1);

void link(sqlite3_stmt* stmt) {
  stmt->next = stmt->db->statements;
  if (stmt->next != nullptr) stmt->next->previous = stmt;
  stmt->db->statements = stmt;
}

void unlink(sqlite3_stmt* stmt) {
  if (stmt->previous != nullptr) {
    stmt->previous->next = stmt->next;
  } else {
    stmt->db->statements = stmt->next;
  }
  if (stmt->next != nullptr) stmt->next->previous = stmt->previous;
}

// For the error log of the application.
void log_failure(const Status& status, const std::string& text) {
  log_error(status.code(), text.c_str());
}

int prepare(sqlite3* db, const char* sql, int bytes, sqlite3_stmt** out, const char** tail) {
  if (out == nullptr) return SQLITE_MISUSE;
  *out = nullptr;
  if (db == nullptr || db->connection == nullptr || sql == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    const int64_t longest = db->connection->limits.get(Limit::kSqlLength);
    // A text whose NUL is among the bytes is measured when it is read.
    const bool ends_with_nul = bytes > 0 && sql[bytes - 1] == '\0';
    if (bytes > longest && !ends_with_nul) return report(db, Status(code::kTooBig, "statement too long"));
    const size_t limit = bytes < 0 ? SIZE_MAX : static_cast<size_t>(bytes);
    std::string_view text = db->connection->first_statement(sql, limit);
    if (tail != nullptr) *tail = sql + text.size();
    if (static_cast<int64_t>(text.size()) > longest) return report(db, Status(code::kTooBig));
    size_t consumed = 0;
    auto statement = db->connection->prepare(text, &consumed);
    if (tail != nullptr) *tail = sql + consumed;
    if (!statement.ok()) {
      if (has_log()) {
        log_failure(statement.status(),
                    statement.status().message() + " in \"" + std::string(text) + "\"");
      }
      return report(db, statement.status());
    }
    if (*statement == nullptr) return report(db, Status());
    auto stmt = std::make_unique<sqlite3_stmt>();
    stmt->db = db;
    stmt->statement = *std::move(statement);
    link(stmt.get());
    *out = stmt.release();
    return report(db, Status());
  });
}

void forget_row(sqlite3_stmt* stmt) { ++stmt->row; }

// The column's value in the current row, kept until the next step; null: there is no such column.
sqlite3_value* column_value(sqlite3_stmt* stmt, int index) {
  if (static_cast<size_t>(index) < stmt->columns.size() &&
      stmt->columns[static_cast<size_t>(index)].row == stmt->row) {
    return &stmt->columns[static_cast<size_t>(index)];
  }
  size_t count = static_cast<size_t>(stmt->statement->column_count());
  if (!stmt->statement->has_row() || index < 0 || static_cast<size_t>(index) >= count) {
    report_code(stmt->db, SQLITE_RANGE);
    return nullptr;
  }
  size_t i = static_cast<size_t>(index);
  if (stmt->columns.size() < count) stmt->columns.resize(count);
  stmt->columns[i].set(stmt->statement->column(index));
  stmt->columns[i].row = stmt->row;
  return &stmt->columns[i];
}

// Locks the connection and runs f(value), or gives `missing` where there is no such column.
template <typename T, typename F>
T with_column(sqlite3_stmt* stmt, int index, T missing, F f) {
  if (stmt == nullptr) return missing;
  std::lock_guard lock(stmt->db->mutex);
  try {
    sqlite3_value* value = column_value(stmt, index);
    return value == nullptr ? missing : f(value);
  } catch (const std::bad_alloc&) {
    report_code(stmt->db, SQLITE_NOMEM);
    return missing;
  }
}

int bind(sqlite3_stmt* stmt, int number, const ValueView& value) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(stmt->db->mutex);
  if (value.type < ValueType::kText && stmt->pointers.empty() &&
      stmt->statement->try_bind_number(number, value)) [[likely]] {
    stmt->db->error_code = SQLITE_OK;
    return SQLITE_OK;
  }
  return guarded(stmt->db, [&] {
    Status status = stmt->statement->bind(number, value);
    if (status.ok() && !stmt->pointers.empty()) stmt->pointers.erase(number);
    if (status.code() == SQLITE_MISUSE) log_failure(status, status.message());
    return report(stmt->db, status);
  });
}

int bind_bytes(sqlite3_stmt* stmt, int number, const void* data, int64_t bytes, bool is_text,
               void (*destroy)(void*)) {
  int code = SQLITE_OK;
  if (data == nullptr) {
    code = bind(stmt, number, ValueView::null());
  } else {
    const char* text = static_cast<const char*>(data);
    if (bytes < 0) bytes = is_text ? static_cast<int64_t>(std::strlen(text)) : 0;
    if (bytes > INT32_MAX) {
      code = stmt == nullptr ? SQLITE_MISUSE : report_code(stmt->db, SQLITE_TOOBIG);
    } else {
      std::string_view view(text, static_cast<size_t>(bytes));
      code = bind(stmt, number, is_text ? ValueView::of_text(view) : ValueView::of_blob(view));
    }
  }
  if (destroy != SQLITE_STATIC && destroy != kTransient) destroy(const_cast<void*>(data));
  return code;
}

// A text of a column's description; empty ones are NULL to C.
const char* info_text(sqlite3_stmt* stmt, int index, std::string ColumnInfo::*member) {
  if (stmt == nullptr || index < 0 || index >= stmt->statement->column_count()) return nullptr;
  const std::string& text = stmt->statement->column_info(index).*member;
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace

int sqlite3_prepare(sqlite3* db, const char* sql, int bytes, sqlite3_stmt** stmt,
                    const char** tail) {
  return prepare(db, sql, bytes, stmt, tail);
}
int sqlite3_prepare_v2(sqlite3* db, const char* sql, int bytes, sqlite3_stmt** stmt,
                       const char** tail) {
  return prepare(db, sql, bytes, stmt, tail);
}
int sqlite3_prepare_v3(sqlite3* db, const char* sql, int bytes, unsigned int, sqlite3_stmt** stmt,
                       const char** tail) {
  return prepare(db, sql, bytes, stmt, tail);
}

int sqlite3_step(sqlite3_stmt* stmt) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(stmt->db->mutex);
  return guarded(stmt->db, [&] {
    forget_row(stmt);
    const bool traced = stmt->db->trace_mask != 0;
    if (traced && !stmt->statement->is_busy()) trace_start(stmt);
    Result<bool> more = stmt->statement->step();
    if (traced) more.ok() && *more ? trace_row(stmt) : trace_end(stmt);
    if (!more.ok()) {
      if (has_log()) {
        log_failure(more.status(), "statement aborts at 0: " + more.status().message() + "; [" +
                                       stmt->statement->sql() + "]");
      }
      return report(stmt->db, more.status());
    }
    int code = *more ? SQLITE_ROW : SQLITE_DONE;
    stmt->db->error_code = code;
    return code;
  });
}

int sqlite3_reset(sqlite3_stmt* stmt) {
  if (stmt == nullptr) return SQLITE_OK;
  std::lock_guard lock(stmt->db->mutex);
  return guarded(stmt->db, [&] {
    forget_row(stmt);
    if (!stmt->statement->has_run()) return SQLITE_OK;  // the error of before stays
    if (stmt->db->trace_mask != 0 && stmt->statement->is_busy()) trace_end(stmt);
    return report(stmt->db, stmt->statement->reset());
  });
}

int sqlite3_finalize(sqlite3_stmt* stmt) {
  if (stmt == nullptr) return SQLITE_OK;
  sqlite3* db = stmt->db;
  int code = SQLITE_OK;
  {
    std::lock_guard lock(db->mutex);
    if (db->trace_mask != 0 && stmt->statement->is_busy()) trace_end(stmt);
    if (stmt->statement->has_run()) {
      code = guarded(db, [&] { return report(db, stmt->statement->reset()); });
    }
    if (code == SQLITE_OK) {
      db->connection->finalize(std::move(stmt->statement));
    } else {
      stmt->statement.reset();
    }
    unlink(stmt);
    delete stmt;
    if (!db->result_pointers.empty() && db->connection->active_statements() == 0) {
      db->result_pointers.clear();
    }
  }
  close_if_zombie(db);
  return code;
}

int sqlite3_clear_bindings(sqlite3_stmt* stmt) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(stmt->db->mutex);
  stmt->statement->clear_bindings();
  stmt->pointers.clear();
  return SQLITE_OK;
}

const char* sqlite3_sql(sqlite3_stmt* stmt) {
  return stmt == nullptr ? nullptr : stmt->statement->sql().c_str();
}
sqlite3* sqlite3_db_handle(sqlite3_stmt* stmt) { return stmt == nullptr ? nullptr : stmt->db; }
int sqlite3_stmt_readonly(sqlite3_stmt* stmt) {
  return stmt == nullptr || stmt->statement->is_read_only() ? 1 : 0;
}
int sqlite3_stmt_isexplain(sqlite3_stmt* stmt) {
  return stmt == nullptr ? 0 : static_cast<int>(stmt->statement->explain());
}
int sqlite3_stmt_busy(sqlite3_stmt* stmt) {
  return stmt != nullptr && stmt->statement->is_busy() ? 1 : 0;
}

// ---- Parameters -----------------------------------------------------------------------------------

int sqlite3_bind_blob(sqlite3_stmt* stmt, int number, const void* data, int bytes,
                      void (*destroy)(void*)) {
  if (bytes < 0) return SQLITE_MISUSE;
  return bind_bytes(stmt, number, data, bytes, false, destroy);
}
int sqlite3_bind_blob64(sqlite3_stmt* stmt, int number, const void* data, sqlite3_uint64 bytes,
                        void (*destroy)(void*)) {
  return bind_bytes(stmt, number, data, static_cast<int64_t>(bytes), false, destroy);
}
int sqlite3_bind_double(sqlite3_stmt* stmt, int number, double value) {
  // NaN is no SQL value: it is stored as NULL.
  return bind(stmt, number, value != value ? ValueView::null() : ValueView::of(value));
}
int sqlite3_bind_int(sqlite3_stmt* stmt, int number, int value) {
  return bind(stmt, number, ValueView::of(static_cast<int64_t>(value)));
}
int sqlite3_bind_int64(sqlite3_stmt* stmt, int number, sqlite3_int64 value) {
  return bind(stmt, number, ValueView::of(static_cast<int64_t>(value)));
}
int sqlite3_bind_null(sqlite3_stmt* stmt, int number) {
  return bind(stmt, number, ValueView::null());
}
int sqlite3_bind_text(sqlite3_stmt* stmt, int number, const char* text, int bytes,
                      void (*destroy)(void*)) {
  return bind_bytes(stmt, number, text, bytes, true, destroy);
}
int sqlite3_bind_text64(sqlite3_stmt* stmt, int number, const char* text, sqlite3_uint64 bytes,
                        void (*destroy)(void*), unsigned char encoding) {
  if (encoding != SQLITE_UTF8) return SQLITE_MISUSE;
  return bind_bytes(stmt, number, text, static_cast<int64_t>(bytes), true, destroy);
}
int sqlite3_bind_value(sqlite3_stmt* stmt, int number, const sqlite3_value* value) {
  return bind(stmt, number, value == nullptr ? ValueView::null() : value->view);
}
int sqlite3_bind_zeroblob(sqlite3_stmt* stmt, int number, int bytes) {
  return sqlite3_bind_zeroblob64(stmt, number, bytes < 0 ? 0 : static_cast<sqlite3_uint64>(bytes));
}
int sqlite3_bind_zeroblob64(sqlite3_stmt* stmt, int number, sqlite3_uint64 bytes) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  if (bytes > static_cast<sqlite3_uint64>(stmt->db->connection->length_limit())) {
    return report_code(stmt->db, SQLITE_TOOBIG);
  }
  ValueView value = ValueView::of_blob(std::string_view());
  value.size = static_cast<uint32_t>(bytes);
  value.zero_filled = bytes > 0;
  return bind(stmt, number, value);
}
int sqlite3_bind_parameter_count(sqlite3_stmt* stmt) {
  return stmt == nullptr ? 0 : stmt->statement->parameter_count();
}
const char* sqlite3_bind_parameter_name(sqlite3_stmt* stmt, int number) {
  if (stmt == nullptr) return nullptr;
  std::string_view name = stmt->statement->parameter_name(number);
  return name.empty() ? nullptr : name.data();
}
int sqlite3_bind_parameter_index(sqlite3_stmt* stmt, const char* name) {
  return stmt == nullptr || name == nullptr ? 0 : stmt->statement->parameter_index(name);
}

// ---- Columns --------------------------------------------------------------------------------------

int sqlite3_column_count(sqlite3_stmt* stmt) {
  return stmt == nullptr ? 0 : stmt->statement->column_count();
}
int sqlite3_data_count(sqlite3_stmt* stmt) {
  return stmt != nullptr && stmt->statement->has_row() ? stmt->statement->column_count() : 0;
}
const char* sqlite3_column_name(sqlite3_stmt* stmt, int index) {
  if (stmt == nullptr || index < 0 || index >= stmt->statement->column_count()) return nullptr;
  return stmt->statement->column_info(index).name.c_str();
}
const char* sqlite3_column_decltype(sqlite3_stmt* stmt, int index) {
  return info_text(stmt, index, &ColumnInfo::declared_type);
}
const char* sqlite3_column_database_name(sqlite3_stmt* stmt, int index) {
  return info_text(stmt, index, &ColumnInfo::database);
}
const char* sqlite3_column_table_name(sqlite3_stmt* stmt, int index) {
  return info_text(stmt, index, &ColumnInfo::table);
}
const char* sqlite3_column_origin_name(sqlite3_stmt* stmt, int index) {
  return info_text(stmt, index, &ColumnInfo::column);
}
const void* sqlite3_column_blob(sqlite3_stmt* stmt, int index) {
  return with_column<const void*>(stmt, index, nullptr, [](sqlite3_value* v) { return blob_of(v); });
}
double sqlite3_column_double(sqlite3_stmt* stmt, int index) {
  return with_column(stmt, index, 0.0, [](sqlite3_value* v) { return value_to_real(v->view); });
}
int sqlite3_column_int(sqlite3_stmt* stmt, int index) {
  return static_cast<int>(sqlite3_column_int64(stmt, index));
}
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt* stmt, int index) {
  return with_column<sqlite3_int64>(stmt, index, 0,
                                    [](sqlite3_value* v) { return value_to_integer(v->view); });
}
const unsigned char* sqlite3_column_text(sqlite3_stmt* stmt, int index) {
  return with_column<const unsigned char*>(stmt, index, nullptr,
                                           [](sqlite3_value* v) { return text_of(v); });
}
sqlite3_value* sqlite3_column_value(sqlite3_stmt* stmt, int index) {
  return with_column<sqlite3_value*>(stmt, index, nullptr, [](sqlite3_value* v) { return v; });
}
int sqlite3_column_bytes(sqlite3_stmt* stmt, int index) {
  return with_column(stmt, index, 0, [](sqlite3_value* v) { return bytes_of(v); });
}
int sqlite3_column_type(sqlite3_stmt* stmt, int index) {
  return with_column(stmt, index, SQLITE_NULL, [](sqlite3_value* v) { return type_of(v->view); });
}

// ---- sqlite3_exec -----------------------------------------------------------------------------------

namespace {

using ExecCallback = int (*)(void*, int, char**, char**);

// Steps one statement to its end, calling back for each row.
int run_statement(sqlite3* db, sqlite3_stmt* stmt, ExecCallback callback, void* context) {
  std::vector<char*> names, texts;
  int columns = sqlite3_column_count(stmt);
  for (int i = 0; i < columns; ++i) names.push_back(const_cast<char*>(sqlite3_column_name(stmt, i)));
  for (;;) {
    int code = sqlite3_step(stmt);
    if (code != SQLITE_ROW) return code == SQLITE_DONE ? SQLITE_OK : code;
    if (callback == nullptr) continue;
    texts.clear();
    for (int i = 0; i < columns; ++i) {
      texts.push_back(
          reinterpret_cast<char*>(const_cast<unsigned char*>(sqlite3_column_text(stmt, i))));
    }
    if (callback(context, columns, texts.data(), names.data()) != 0) {
      return report(db, Status(code::kAbort));
    }
  }
}

char* copy_message(const char* message) {
  size_t bytes = std::strlen(message) + 1;
  char* copy = static_cast<char*>(sqlite3_malloc64(bytes));
  if (copy != nullptr) std::memcpy(copy, message, bytes);
  return copy;
}

}  // namespace

int sqlite3_exec(sqlite3* db, const char* sql, ExecCallback callback, void* context,
                 char** error) {
  if (error != nullptr) *error = nullptr;
  if (db == nullptr || db->connection == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  int code = report(db, Status());
  const char* rest = sql == nullptr ? "" : sql;
  while (code == SQLITE_OK && *rest != '\0') {
    sqlite3_stmt* stmt = nullptr;
    code = sqlite3_prepare_v2(db, rest, -1, &stmt, &rest);
    if (code != SQLITE_OK || stmt == nullptr) continue;
    code = run_statement(db, stmt, callback, context);
    int error_code = db->error_code;
    std::string message = db->error_message;
    sqlite3_finalize(stmt);
    if (code != SQLITE_OK) {
      db->error_code = error_code;
      db->error_message = std::move(message);
    }
  }
  if (code != SQLITE_OK && error != nullptr) *error = copy_message(sqlite3_errmsg(db));
  return code;
}
