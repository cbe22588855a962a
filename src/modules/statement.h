// Prepared statements of modules, which run on their shadow tables.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sqlite3.h"

namespace godwit::modules {

// Text by sqlite3_mprintf()'s rules.
inline std::string formatted(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char* text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  std::string result = text == nullptr ? "" : text;
  sqlite3_free(text);
  return result;
}

// Prepared when it is first used, kept until its owner goes.
class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(stmt_); }

  bool is_prepared() const { return stmt_ != nullptr; }
  int prepare(sqlite3* db, const std::string& sql) {
    if (stmt_ != nullptr) return SQLITE_OK;
    return sqlite3_prepare_v3(db, sql.c_str(), static_cast<int>(sql.size()),
                              SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB, &stmt_, nullptr);
  }
  void finalize() {
    sqlite3_finalize(stmt_);
    stmt_ = nullptr;
  }
  sqlite3_stmt* get() const { return stmt_; }

  void bind(int number, int64_t value) { sqlite3_bind_int64(stmt_, number, value); }
  void bind(int number, sqlite3_value* value) { sqlite3_bind_value(stmt_, number, value); }
  void bind_null(int number) { sqlite3_bind_null(stmt_, number); }
  // The bytes must stay until the statement is reset.
  void bind_blob(int number, std::string_view bytes) {
    sqlite3_bind_blob64(stmt_, number, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                        SQLITE_STATIC);
  }
  void bind_text(int number, std::string_view text) {
    sqlite3_bind_text(stmt_, number, text.data() == nullptr ? "" : text.data(),
                      static_cast<int>(text.size()), SQLITE_STATIC);
  }
  bool next_row() { return sqlite3_step(stmt_) == SQLITE_ROW; }
  // SQLITE_OK, or the error of the steps before.
  int reset() {
    const int code = sqlite3_reset(stmt_);
    sqlite3_clear_bindings(stmt_);
    return code;
  }
  int run() {
    sqlite3_step(stmt_);
    return reset();
  }

  int64_t integer(int column) const { return sqlite3_column_int64(stmt_, column); }
  std::string_view blob(int column) const {
    const void* data = sqlite3_column_blob(stmt_, column);
    return {static_cast<const char*>(data), static_cast<size_t>(sqlite3_column_bytes(stmt_, column))};
  }
  std::string_view text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, column));
    return {data, static_cast<size_t>(sqlite3_column_bytes(stmt_, column))};
  }

 private:
  sqlite3_stmt* stmt_ = nullptr;
};

inline int execute(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
}

// The integer in the first row and column; `missing` where there is none.
inline int query_integer(sqlite3* db, const std::string& sql, int64_t missing, int64_t* value) {
  Statement stmt;
  *value = missing;
  int code = stmt.prepare(db, sql);
  if (code != SQLITE_OK) return code;
  if (stmt.next_row()) *value = stmt.integer(0);
  return stmt.reset();
}

}  // namespace godwit::modules
