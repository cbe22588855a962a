// Dot commands that show what is in the database: .tables, .indexes, .schema, .databases. They use
// plain SELECTs on the schema tables, so that they work on any database that opens.
#include <algorithm>
#include <cctype>

#include "display_width.h"
#include "dot_command.h"
#include "literal.h"
#include "schema_text.h"

namespace godwit::shell {
namespace {

DotResult database_error(ShellState& state) {
  std::fprintf(stderr, "Error: %s\n", sqlite3_errmsg(state.db));
  return DotResult::kError;
}

// Names in columns, read downwards, on lines of 80 characters.
void print_names(FILE* out, std::vector<std::string> names) {
  constexpr size_t kLineWidth = 80;
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  size_t widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, static_cast<size_t>(display_width(name)));
  }
  size_t columns = std::max<size_t>(1, kLineWidth / (widest + 2));
  size_t rows = (names.size() + columns - 1) / columns;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row; i < names.size(); i += rows) {
      size_t width = static_cast<size_t>(display_width(names[i]));
      std::fprintf(out, "%s%s%s", i < rows ? "" : "  ", names[i].c_str(),
                   std::string(widest - width, ' ').c_str());
    }
    std::fputs("\n", out);
  }
}

// Names of schema objects of all databases; those of attached ones with the database before them.
bool collect_names(ShellState& state, const std::string& condition, const std::string& pattern,
                   std::vector<std::string>* names) {
  for (const std::string& database : database_names(state)) {
    std::string sql =
        "SELECT name FROM " + quoted_identifier(database) + ".sqlite_schema WHERE " + condition;
    bool ok = query(state, sql, pattern, [&](sqlite3_stmt* stmt) {
      std::string name = column_string(stmt, 0);
      names->push_back(database == "main" ? name : database + "." + name);
    });
    if (!ok && database != "temp") return false;
  }
  return true;
}

bool has_glob_characters(const std::string& pattern) {
  return pattern.find_first_of("*?[") != std::string::npos;
}

constexpr char kSchemaTable[] =
    "CREATE TABLE %s (\n  type text,\n  name text,\n  tbl_name text,\n  rootpage integer,\n"
    "  sql text\n);\n";

}  // namespace

std::vector<std::string> database_names(ShellState& state) {
  std::vector<std::string> names;
  for (int i = 0; const char* name = sqlite3_db_name(state.db, i); ++i) names.emplace_back(name);
  return names;
}

DotResult dot_tables(ShellState& state, const DotWords& words) {
  if (!open_database(state)) return DotResult::kError;
  std::vector<std::string> names;
  std::string condition = "type IN ('table','view') AND name NOT LIKE 'sqlite_%'";
  if (words.size() > 1) condition += " AND name LIKE ?1";
  if (!collect_names(state, condition, words.size() > 1 ? words[1] : "", &names)) {
    return database_error(state);
  }
  print_names(state.out, std::move(names));
  return DotResult::kOk;
}

DotResult dot_indexes(ShellState& state, const DotWords& words) {
  if (words.size() > 2) return usage_error(".indexes ?LIKE-PATTERN?");
  if (!open_database(state)) return DotResult::kError;
  std::vector<std::string> names;
  std::string condition = "type='index'";
  if (words.size() > 1) condition += " AND tbl_name LIKE ?1";
  if (!collect_names(state, condition, words.size() > 1 ? words[1] : "", &names)) {
    return database_error(state);
  }
  print_names(state.out, std::move(names));
  return DotResult::kOk;
}

DotResult dot_databases(ShellState& state, const DotWords&) {
  if (!open_database(state)) return DotResult::kError;
  for (const std::string& name : database_names(state)) {
    const char* file = sqlite3_db_filename(state.db, name.c_str());
    if (name == "temp") {
      // The temporary database is there once something is in it.
      bool used = false;
      query(state, "SELECT 1 FROM temp.sqlite_schema LIMIT 1", "",
            [&](sqlite3_stmt*) { used = true; });
      if (!used) continue;
    }
    std::string shown = file && *file ? file : "\"\"";
    std::fprintf(state.out, "%s: %s %s\n", name.c_str(), shown.c_str(),
                 sqlite3_db_readonly(state.db, name.c_str()) == 1 ? "r/o" : "r/w");
  }
  return DotResult::kOk;
}

DotResult dot_schema(ShellState& state, const DotWords& words) {
  std::string pattern;
  bool indent = false;
  bool no_system = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--indent" || words[i] == "-indent") {
      indent = true;
    } else if (words[i] == "--nosys" || words[i] == "-nosys") {
      no_system = true;
    } else if (words[i][0] == '-') {
      std::fprintf(stderr, "Unknown option: \"%s\"\n", words[i].c_str());
      return DotResult::kError;
    } else if (pattern.empty()) {
      pattern = words[i];
    } else {
      return usage_error(".schema ?--indent? ?--nosys? ?LIKE-PATTERN?");
    }
  }
  if (!open_database(state)) return DotResult::kError;
  for (const char* name :
       {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}) {
    if (pattern == name) std::fprintf(state.out, kSchemaTable, name);
  }
  // A pattern with a dot is one for "database.table".
  std::string wanted_database;
  size_t dot = pattern.find('.');
  if (dot != std::string::npos) {
    wanted_database = pattern.substr(0, dot);
    pattern = pattern.substr(dot + 1);
  }
  for (const std::string& database : database_names(state)) {
    if (!wanted_database.empty() && wanted_database != database) continue;
    std::string sql = "SELECT type, name, sql FROM " + quoted_identifier(database) +
                      ".sqlite_schema WHERE sql IS NOT NULL";
    if (no_system) sql += " AND name NOT LIKE 'sqlite_%'";
    if (!pattern.empty()) {
      sql += has_glob_characters(pattern) ? " AND tbl_name GLOB ?1" : " AND tbl_name LIKE ?1";
    }
    bool ok = query(state, sql, pattern, [&](sqlite3_stmt* stmt) {
      std::string text = schema_text(state, database, column_string(stmt, 0),
                                     column_string(stmt, 1), column_string(stmt, 2));
      if (indent) text = indented_schema(text);
      std::fprintf(state.out, "%s;\n", text.c_str());
    });
    if (!ok && database != "temp") return database_error(state);
  }
  return DotResult::kOk;
}

}  // namespace godwit::shell
