// The few things that sync does with a connection beyond SQLite's C API: errors as Status, statements
// that finalize themselves, rows as fields of changesets.
// Threads: as the connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/changeset.h"
#include "base/identifier.h"
#include "base/status.h"
#include "sqlite3.h"

namespace godwit::sync {

// The connection's last error.
Status status_of(sqlite3* db, int code);
Status execute(sqlite3* db, const std::string& sql);
// Not so: tables of SQLite's and of sync's own.
bool is_synced_table(std::string_view name);

class Query {
 public:
  Query() = default;
  Query(Query&& other) noexcept : stmt_(other.stmt_) { other.stmt_ = nullptr; }
  Query& operator=(Query&& other) noexcept;
  ~Query() { sqlite3_finalize(stmt_); }
  static Result<Query> prepare(sqlite3* db, const std::string& sql, bool is_persistent = false);

  Query& bind(int number, int64_t value);
  Query& bind(int number, std::string_view text);
  Query& bind_blob(int number, std::string_view bytes);
  // The field must live until the next reset().
  Query& bind_field(int number, const api::Field& field);
  // True: a row. Errors reset the statement.
  Result<bool> step();
  // Runs it to its end, and resets it.
  Status run();
  void reset();

  int64_t integer(int column) const { return sqlite3_column_int64(stmt_, column); }
  std::string text(int column) const;  // or blob
  bool is_null(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
  api::Field field(int column) const;
  api::Fields fields() const;
  sqlite3_stmt* handle() const { return stmt_; }

 private:
  sqlite3_stmt* stmt_ = nullptr;
};

// The first column of the first row; none: there is no row.
Result<std::optional<std::string>> text_of(sqlite3* db, const std::string& sql);
Result<int64_t> integer_of(sqlite3* db, const std::string& sql);  // 0: no row

// Rolls back what was done since unless told to keep it. Nests.
class Savepoint {
 public:
  static Result<Savepoint> begin(sqlite3* db);
  Savepoint(Savepoint&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  ~Savepoint();
  Status keep();

 private:
  explicit Savepoint(sqlite3* db) : db_(db) {}
  sqlite3* db_;
};

// BEGIN IMMEDIATE; rolls back unless committed.
class WriteTransaction {
 public:
  static Result<WriteTransaction> begin(sqlite3* db);
  WriteTransaction(WriteTransaction&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  ~WriteTransaction();
  Status commit();

 private:
  explicit WriteTransaction(sqlite3* db) : db_(db) {}
  sqlite3* db_;
};

}  // namespace godwit::sync
