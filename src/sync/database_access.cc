#include "sync/database_access.h"

#include <utility>

namespace godwit::sync {

Status status_of(sqlite3* db, int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return Status();
  const int extended = sqlite3_extended_errcode(db);
  const bool is_same = (extended & 0xff) == (code & 0xff);
  return Status(is_same ? extended : code, sqlite3_errmsg(db));
}

Status execute(sqlite3* db, const std::string& sql) {
  return status_of(db, sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr));
}

bool is_synced_table(std::string_view name) {
  for (std::string_view prefix : {"sqlite_", "godwit_sync_", "turso_", "__turso_internal_"}) {
    if (name.size() >= prefix.size() &&
        sqlite3_strnicmp(name.data(), prefix.data(), static_cast<int>(prefix.size())) == 0) {
      return false;
    }
  }
  return true;
}

Query& Query::operator=(Query&& other) noexcept {
  std::swap(stmt_, other.stmt_);
  return *this;
}

Result<Query> Query::prepare(sqlite3* db, const std::string& sql, bool is_persistent) {
  Query query;
  const unsigned flags = is_persistent ? SQLITE_PREPARE_PERSISTENT : 0;
  const int code = sqlite3_prepare_v3(db, sql.c_str(), static_cast<int>(sql.size()), flags,
                                      &query.stmt_, nullptr);
  if (code != SQLITE_OK) return status_of(db, code);
  return query;
}

Query& Query::bind(int number, int64_t value) {
  sqlite3_bind_int64(stmt_, number, value);
  return *this;
}
Query& Query::bind(int number, std::string_view text) {
  sqlite3_bind_text64(stmt_, number, text.data() == nullptr ? "" : text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Query& Query::bind_blob(int number, std::string_view bytes) {
  sqlite3_bind_blob64(stmt_, number, bytes.empty() ? "" : bytes.data(), bytes.size(),
                      SQLITE_TRANSIENT);
  return *this;
}
Query& Query::bind_field(int number, const api::Field& field) {
  (void)api::bind_field(stmt_, number, field);
  return *this;
}

Result<bool> Query::step() {
  const int code = sqlite3_step(stmt_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Status status = status_of(sqlite3_db_handle(stmt_), code);
  sqlite3_reset(stmt_);
  return status;
}

Status Query::run() {
  for (;;) {
    GW_ASSIGN(const bool has_row, step());
    if (!has_row) break;
  }
  reset();
  return Status();
}

void Query::reset() { sqlite3_reset(stmt_); }

std::string Query::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(stmt_, column));
  const auto size = static_cast<size_t>(sqlite3_column_bytes(stmt_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

api::Field Query::field(int column) const {
  return api::encode_field(sqlite3_column_value(stmt_, column));
}

api::Fields Query::fields() const {
  api::Fields row;
  const int count = sqlite3_column_count(stmt_);
  row.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) row.push_back(field(i));
  return row;
}

Result<std::optional<std::string>> text_of(sqlite3* db, const std::string& sql) {
  GW_ASSIGN(Query query, Query::prepare(db, sql));
  GW_ASSIGN(const bool has_row, query.step());
  if (!has_row || query.is_null(0)) return std::optional<std::string>();
  return std::optional<std::string>(query.text(0));
}

Result<int64_t> integer_of(sqlite3* db, const std::string& sql) {
  GW_ASSIGN(Query query, Query::prepare(db, sql));
  GW_ASSIGN(const bool has_row, query.step());
  return has_row ? query.integer(0) : int64_t{0};
}

Result<Savepoint> Savepoint::begin(sqlite3* db) {
  GW_TRY(execute(db, "SAVEPOINT godwit_sync"));
  return Savepoint(db);
}

Savepoint::~Savepoint() {
  if (db_ == nullptr) return;
  (void)execute(db_, "ROLLBACK TO godwit_sync");
  (void)execute(db_, "RELEASE godwit_sync");
}

Status Savepoint::keep() {
  GW_TRY(execute(db_, "RELEASE godwit_sync"));
  db_ = nullptr;
  return Status();
}

Result<WriteTransaction> WriteTransaction::begin(sqlite3* db) {
  GW_TRY(execute(db, "BEGIN IMMEDIATE"));
  return WriteTransaction(db);
}

WriteTransaction::~WriteTransaction() {
  if (db_ != nullptr) (void)execute(db_, "ROLLBACK");
}

Status WriteTransaction::commit() {
  GW_TRY(execute(db_, "COMMIT"));
  db_ = nullptr;
  return Status();
}

}  // namespace godwit::sync
