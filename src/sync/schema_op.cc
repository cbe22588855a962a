#include "sync/schema_op.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "sync/database_access.h"

namespace godwit::sync {
namespace {

using Finalized = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

bool starts_with_word(std::string_view sql, std::string_view word) {
  if (sql.size() <= word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (std::toupper(static_cast<unsigned char>(sql[i])) != word[i]) return false;
  }
  return std::isspace(static_cast<unsigned char>(sql[word.size()])) != 0;
}

bool is_allowed(std::string_view sql) {
  for (std::string_view word : {"CREATE", "DROP", "ALTER"}) {
    if (starts_with_word(sql, word)) return true;
  }
  return sql.starts_with("PRAGMA user_version = ") || sql.starts_with("PRAGMA application_id = ");
}

bool is_about_sql(int code) {
  return (code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_CONSTRAINT ||
         (code & 0xff) == SQLITE_TOOBIG || (code & 0xff) == SQLITE_AUTH || (code & 0xff) == SQLITE_RANGE;
}

// Something has the text that the statement would store.
bool exists_alike(sqlite3* db, std::string_view sql) {
  auto query = Query::prepare(db, "SELECT 1 FROM main.sqlite_schema WHERE sql = ?");
  if (!query.ok()) return false;
  query->bind(1, sql);
  auto found = query->step();
  return found.ok() && *found;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_as_wanted(sqlite3* db, std::string_view sql, const std::string& message) {
  if (starts_with_word(sql, "CREATE")) return contains(message, "already exists") && exists_alike(db, sql);
  if (starts_with_word(sql, "DROP")) return contains(message, "no such");
  return starts_with_word(sql, "ALTER") && contains(message, "duplicate column name");
}

}  // namespace

Result<SchemaResult> run_schema_op(sqlite3* db, std::string_view sql) {
  if (!is_allowed(sql)) return SchemaResult{false, "not a schema statement"};
  const char* tail = nullptr;
  sqlite3_stmt* raw = nullptr;
  int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &raw, &tail);
  Finalized stmt(raw, sqlite3_finalize);
  if (code == SQLITE_OK) {
    std::string_view rest = sql.substr(static_cast<size_t>(tail - sql.data()));
    const bool is_alone = std::ranges::all_of(rest, [](char c) {
      return c == ';' || std::isspace(static_cast<unsigned char>(c)) != 0;
    });
    if (!is_alone) return SchemaResult{false, "more than one statement"};
    do code = sqlite3_step(stmt.get());
    while (code == SQLITE_ROW);
    if (code == SQLITE_DONE) return SchemaResult{true, ""};
    code = sqlite3_extended_errcode(db);
  }
  const std::string message = sqlite3_errmsg(db);
  stmt.reset();
  if (!is_about_sql(code)) return Status(code, message);
  return SchemaResult{false, is_as_wanted(db, sql, message) ? "" : message};
}

}  // namespace godwit::sync
