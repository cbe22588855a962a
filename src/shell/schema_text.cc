#include "schema_text.h"

#include <cctype>
#include <cstring>
#include <string_view>

#include "literal.h"

namespace godwit::shell {
namespace {

constexpr std::string_view kCreate[] = {"CREATE TABLE ",   "CREATE VIEW ",
                                        "CREATE INDEX ",   "CREATE UNIQUE INDEX ",
                                        "CREATE TRIGGER ", "CREATE VIRTUAL TABLE "};

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string with_database(const std::string& sql, const std::string& database) {
  for (std::string_view create : kCreate) {
    if (starts_with(sql, create)) {
      return std::string(create) + identifier(database) + "." + sql.substr(create.size());
    }
  }
  return sql;
}

// "/* name(column,...) */", or "" if the object cannot be prepared.
std::string column_comment(ShellState& state, const std::string& database,
                           const std::string& name) {
  std::string sql = "SELECT * FROM " + quoted_identifier(database) + "." + quoted_identifier(name);
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(state.db, sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) return "";
  std::string comment = "\n/* ";
  if (database != "main") comment += identifier(database) + ".";
  comment += identifier(name) + "(";
  for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
    if (i > 0) comment += ",";
    const char* column = sqlite3_column_name(stmt, i);
    comment += identifier(column ? column : "");
  }
  sqlite3_finalize(stmt);
  return comment + ") */";
}

// Text of a statement with runs of white space outside quotes made one space.
std::string squeezed(std::string_view sql) {
  std::string result;
  char quote = 0;
  for (char c : sql) {
    bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (quote) {
      if (c == quote) quote = 0;
    } else if (space) {
      if (result.empty() || result.back() == ' ' || result.back() == '(') continue;
      c = ' ';
    } else {
      if (c == '"' || c == '\'' || c == '`') quote = c;
      if (c == '[') quote = ']';
      if ((c == '(' || c == ')') && !result.empty() && result.back() == ' ') result.pop_back();
    }
    result += c;
  }
  return result;
}

}  // namespace

std::string dump_text(const std::string& sql) {
  constexpr std::string_view kTable = "CREATE TABLE ";
  if (starts_with(sql, kTable) && sql.size() > kTable.size() &&
      std::strchr("\"'`[", sql[kTable.size()])) {
    return "CREATE TABLE IF NOT EXISTS " + sql.substr(kTable.size());
  }
  return sql;
}

std::string schema_text(ShellState& state, const std::string& database, const std::string& type,
                        const std::string& name, const std::string& sql) {
  std::string text = database == "main" ? dump_text(sql) : with_database(sql, database);
  if (type == "view" || starts_with(sql, "CREATE VIRTUAL")) {
    text += column_comment(state, database, name);
  }
  return text;
}

std::string indented_schema(const std::string& sql) {
  constexpr size_t kLineWidth = 79;
  if (starts_with(sql, "CREATE VIEW") || starts_with(sql, "CREATE TRIG") ||
      sql.find("--") != std::string::npos || sql.find("/*") != std::string::npos) {
    return sql;
  }
  std::string text = squeezed(sql);
  if (text.size() < kLineWidth) return text;
  std::string result;
  char quote = 0;
  int depth = 0;
  bool skip_space = false;
  for (char c : text) {
    if (skip_space && c == ' ') continue;
    skip_space = false;
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'' || c == '`' || c == '[') {
      quote = c == '[' ? ']' : c;
    } else if (c == '(') {
      skip_space = ++depth == 1;
    } else if (c == ')') {
      if (--depth == 0) result += "\n";
    } else if (c == ',') {
      skip_space = depth == 1;
    }
    result += c;
    if (skip_space) result += "\n  ";
  }
  return result;
}

}  // namespace godwit::shell
