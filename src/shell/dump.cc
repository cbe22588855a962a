// .dump: the database as SQL text that builds it again. Tables come with their rows first, then
// what depends on them, so that triggers do not fire and indexes are built once.
#include <algorithm>

#include "dot_command.h"
#include "literal.h"
#include "schema_text.h"

namespace godwit::shell {
namespace {

struct SchemaObject {
  std::string name;
  std::string type;
  std::string sql;
};

class Dump {
 public:
  explicit Dump(ShellState& state) : state_(state) {}

  bool parse(const DotWords& words) {
    for (size_t i = 1; i < words.size(); ++i) {
      std::string word = words[i].rfind("--", 0) == 0 ? words[i].substr(1) : words[i];
      if (word == "-data-only") {
        data_only_ = true;
      } else if (word == "-newlines") {
        raw_newlines_ = true;
      } else if (word == "-nosys") {
        no_system_ = true;
      } else if (word == "-preserve-rowids") {
        preserve_rowids_ = true;
      } else if (word[0] == '-') {
        std::fprintf(stderr, "Unknown option \"%s\" on \".dump\"\n", words[i].c_str());
        return false;
      } else {
        patterns_.push_back(words[i]);
      }
    }
    return true;
  }

  void run() {
    if (!data_only_) print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
    // One read transaction, so that the tables fit together.
    sqlite3_exec(state_.db, "SAVEPOINT dump", nullptr, nullptr, nullptr);
    std::vector<SchemaObject> tables;
    std::vector<SchemaObject> others;
    load(&tables, &others);
    // What counts AUTOINCREMENT is written when all inserts that would change it are done.
    std::stable_partition(tables.begin(), tables.end(),
                          [](const SchemaObject& t) { return t.name != "sqlite_sequence"; });
    for (const SchemaObject& table : tables) dump_table(table);
    if (!data_only_) {
      for (const SchemaObject& object : others) print(object.sql + ";\n");
    }
    if (writable_schema_) print("PRAGMA writable_schema=OFF;\n");
    sqlite3_exec(state_.db, "RELEASE dump", nullptr, nullptr, nullptr);
    if (!data_only_) print(failed_ ? "ROLLBACK; -- due to errors\n" : "COMMIT;\n");
  }

 private:
  void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), state_.out); }

  void report_error() {
    failed_ = true;
    print("/**** ERROR: (" + std::to_string(sqlite3_errcode(state_.db)) + ") " +
          sqlite3_errmsg(state_.db) + " *****/\n");
  }

  void load(std::vector<SchemaObject>* tables, std::vector<SchemaObject>* others) {
    auto visit = [&](sqlite3_stmt* stmt) {
      SchemaObject object{column_string(stmt, 0), column_string(stmt, 1), column_string(stmt, 2)};
      if (no_system_ && object.name.rfind("sqlite_", 0) == 0) return;
      (object.type == "table" ? tables : others)->push_back(std::move(object));
    };
    std::string sql = "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL";
    for (size_t i = 0; i < patterns_.size(); ++i) {
      sql += (i == 0 ? " AND (name LIKE " : " OR name LIKE ") + text_literal(patterns_[i]);
    }
    if (!patterns_.empty()) sql += ")";
    if (!query(state_, sql, "", visit)) report_error();
  }

  void dump_table(const SchemaObject& table) {
    bool is_virtual = table.sql.rfind("CREATE VIRTUAL TABLE", 0) == 0;
    if (table.name == "sqlite_sequence") {
      if (!data_only_) print("DELETE FROM sqlite_sequence;\n");
    } else if (table.name.rfind("sqlite_stat", 0) == 0) {
      // This makes the statistics tables.
      if (!data_only_ && !analyzed_) print("ANALYZE sqlite_schema;\n");
      analyzed_ = true;
    } else if (table.name.rfind("sqlite_", 0) == 0) {
      return;
    } else if (is_virtual) {
      if (!data_only_) dump_virtual_table(table);
      return;
    } else if (!data_only_) {
      print(dump_text(table.sql) + ";\n");
    }
    dump_rows(table.name);
  }

  // The content of a virtual table is in its shadow tables, so that it must not be created, only
  // named in the schema.
  void dump_virtual_table(const SchemaObject& table) {
    if (!writable_schema_) print("PRAGMA writable_schema=ON;\n");
    writable_schema_ = true;
    std::string name = text_literal(table.name);
    print("INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table'," + name + "," +
          name + ",0," + text_literal(table.sql) + ");\n");
  }

  // The columns that can be inserted (generated ones cannot) and the name of the rowid if it is to
  // be kept and no column holds it.
  std::vector<std::string> insertable_columns(const std::string& table, std::string* rowid) {
    std::vector<std::string> columns;
    int keys = 0;
    bool integer_key = false;
    query(state_, "PRAGMA table_info(" + quoted_identifier(table) + ")", "",
          [&](sqlite3_stmt* stmt) {
            columns.push_back(column_string(stmt, 1));
            if (sqlite3_column_int(stmt, 5) == 0) return;
            ++keys;
            if (equal_ignoring_case(column_string(stmt, 2), "INTEGER")) integer_key = true;
          });
    rowid->clear();
    if (!preserve_rowids_ || (keys == 1 && integer_key)) return columns;
    for (const char* candidate : {"rowid", "_rowid_", "oid"}) {
      bool taken = std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
        return equal_ignoring_case(column, candidate);
      });
      if (taken) continue;
      // A table without rowids does not know the name.
      bool exists = query(
          state_,
          std::string("SELECT ") + candidate + " FROM " + quoted_identifier(table) + " LIMIT 0", "",
          [](sqlite3_stmt*) {});
      if (exists) *rowid = candidate;
      break;
    }
    return columns;
  }

  static bool equal_ignoring_case(const std::string& a, const std::string& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
      auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
      return lower(x) == lower(y);
    });
  }

  void dump_rows(const std::string& table) {
    std::string rowid;
    std::vector<std::string> columns = insertable_columns(table, &rowid);
    std::string list = rowid;
    for (const std::string& column : columns) {
      list += (list.empty() ? "" : ",") + quoted_identifier(column);
    }
    std::string prefix = "INSERT INTO " + identifier(table);
    if (!rowid.empty()) {
      prefix += "(" + rowid;
      for (const std::string& column : columns) prefix += "," + identifier(column);
      prefix += ")";
    }
    prefix += " VALUES(";
    std::string line;
    auto visit = [&](sqlite3_stmt* stmt) {
      line = prefix;
      for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
        if (i > 0) line += ',';
        line += column_literal(stmt, i, !raw_newlines_);
      }
      line += ");\n";
      print(line);
    };
    std::string select =
        "SELECT " + (list.empty() ? "*" : list) + " FROM " + quoted_identifier(table);
    if (!query(state_, select, "", visit)) report_error();
  }

  ShellState& state_;
  std::vector<std::string> patterns_;
  bool data_only_ = false;
  bool raw_newlines_ = false;
  bool no_system_ = false;
  bool preserve_rowids_ = false;
  bool analyzed_ = false;
  bool writable_schema_ = false;
  bool failed_ = false;
};

}  // namespace

DotResult dot_dump(ShellState& state, const DotWords& words) {
  Dump dump(state);
  if (!dump.parse(words)) return DotResult::kError;
  if (!open_database(state)) return DotResult::kError;
  dump.run();
  return DotResult::kOk;
}

}  // namespace godwit::shell
