// .recover: what can be read of a damaged database, as SQL text that makes a new one.
//
//   1. The rows of sqlite_schema, read from the tree of page 1, give the tables. A scratch database in
//      memory makes each of them, empty, to learn its columns.
//   2. For each table its tree is walked from its root; what is no page or points nowhere is left out.
//   3. Pages that nobody reached hold rows of tables that are not known any more, or of trees whose upper
//      pages are damaged: they go to a table of their own, lost_and_found.
//   4. Indexes, views and triggers come last, but for unique indexes: with those, rows that are there
//      twice are left out.
#include <algorithm>
#include <set>

#include "damaged_pages.h"
#include "dot_command.h"
#include "literal.h"
#include "schema_text.h"

namespace godwit::shell {
namespace {

struct SchemaRow {
  std::string type, name, sql;
  uint32_t root = 0;
};

// How the fields of a table's records become columns.
struct TableShape {
  struct Source {
    std::string column;
    size_t field = 0;
    bool is_rowid = false;  // the record holds NULL in its place
  };
  std::vector<Source> columns;
  bool has_rowid = true;
  std::string rowid_name;  // "": a column holds it, or all names are taken
};

bool is_system(const std::string& name) { return name.rfind("sqlite_", 0) == 0; }

std::string literal_of(const Field& field) {
  switch (field.type) {
    case SQLITE_INTEGER: return std::to_string(field.integer);
    case SQLITE_FLOAT: return real_literal(field.real);
    case SQLITE_BLOB: return blob_literal(field.bytes);
    case SQLITE_TEXT:
      // SQL text cannot hold a NUL byte.
      if (field.bytes.find('\0') != std::string::npos) {
        return "CAST(" + blob_literal(field.bytes) + " AS TEXT)";
      }
      return text_literal_one_line(field.bytes);
    default: return "NULL";
  }
}

class Recovery {
 public:
  explicit Recovery(ShellState& state) : state_(state) {}
  ~Recovery() { sqlite3_close(scratch_); }

  bool parse(const DotWords& words) {
    for (size_t i = 1; i < words.size(); ++i) {
      std::string word = words[i].rfind("--", 0) == 0 ? words[i].substr(1) : words[i];
      const bool has_value = i + 1 < words.size();
      if (word == "-ignore-freelist") {
        ignores_freelist_ = true;
      } else if (word == "-freelist-corrupt") {
        ignores_freelist_ = false;
      } else if (word == "-recovery-db" && has_value) {
        ++i;  // the rows are written as they are found: nothing is kept meanwhile
      } else if (word == "-lost-and-found" && has_value) {
        lost_table_ = words[++i];
      } else if (word == "-no-rowids") {
        keeps_rowids_ = false;
      } else {
        std::fprintf(stderr, "unexpected option: %s\n", words[i].c_str());
        print_command_help(stderr, "recover");
        return false;
      }
    }
    return true;
  }

  bool run() {
    if (!pages_.open(state_)) {
      std::fprintf(stderr, "Error: there is no page that could be read\n");
      return false;
    }
    used_.resize(pages_.count() + 1);
    if (sqlite3_open(":memory:", &scratch_) != SQLITE_OK) return false;
    sqlite3_exec(scratch_, "PRAGMA writable_schema = on", nullptr, nullptr, nullptr);
    load_schema();
    print_settings();
    print_tables();
    for (const SchemaRow& row : schema_) {
      // A table whose statement is damaged is left to lost_and_found.
      if (row.type == "index" || is_system(row.name)) mark_tree(row.root);
    }
    print_lost_rows();
    print_counters_and_statistics();
    for (const SchemaRow& row : schema_) {
      const bool is_late = row.type == "view" || row.type == "trigger" ||
                           (row.type == "index" && !is_unique(row));
      if (is_late && !row.sql.empty()) print(dump_text(row.sql) + ";\n");
    }
    print("PRAGMA writable_schema = off;\nCOMMIT;\n");
    return true;
  }

 private:
  void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), state_.out); }

  static bool is_unique(const SchemaRow& row) {
    return sqlite3_strlike("create unique%", row.sql.c_str(), 0) == 0;
  }

  // Calls visit for each page of the tree that nobody has come to yet.
  template <typename Visit>
  void walk(uint32_t root, Visit visit) {
    std::vector<uint32_t> open{root};
    while (!open.empty()) {
      const uint32_t number = open.back();
      open.pop_back();
      if (number == 0 || number > pages_.count() || used_[number]) continue;
      if (pages_.kind(number) == DamagedPages::kNone) continue;
      used_[number] = true;
      std::vector<uint32_t> children = pages_.children(number);
      open.insert(open.end(), children.rbegin(), children.rend());
      visit(number);
    }
  }

  void mark_tree(uint32_t root) {
    walk(root, [&](uint32_t number) { rows_of(number, [](const Row&) {}); });
  }

  template <typename Visit>
  void rows_of(uint32_t number, Visit visit) {
    std::vector<uint32_t> overflow;
    pages_.rows(number, &overflow, visit);
    for (uint32_t page : overflow) used_[page] = true;
  }

  void load_schema() {
    walk(1, [&](uint32_t number) {
      rows_of(number, [&](const Row& row) {
        if (!row.has_rowid || row.fields.size() < 5 || row.fields[0].type != SQLITE_TEXT) return;
        SchemaRow object{row.fields[0].bytes, row.fields[1].bytes, row.fields[4].bytes, 0};
        if (row.fields[3].type == SQLITE_INTEGER && row.fields[3].integer > 1 &&
            row.fields[3].integer <= pages_.count()) {
          object.root = static_cast<uint32_t>(row.fields[3].integer);
        }
        schema_.push_back(std::move(object));
      });
    });
    used_[1] = true;
  }

  void print_settings() {
    static constexpr const char* kEncodings[] = {"UTF-8", "UTF-16le", "UTF-16be"};
    const uint32_t vacuum = pages_.header_field(52) == 0 ? 0 : pages_.header_field(64) != 0 ? 2 : 1;
    print(".dbconfig defensive off\nBEGIN;\nPRAGMA writable_schema = on;\n");
    print("PRAGMA encoding = '" + std::string(kEncodings[pages_.encoding() - 1]) + "';\n");
    auto setting = [&](const char* name, uint32_t value) {
      print("PRAGMA " + std::string(name) + " = '" + std::to_string(static_cast<int32_t>(value)) + "';\n");
    };
    setting("page_size", pages_.page_size());
    setting("auto_vacuum", vacuum);
    setting("user_version", pages_.header_field(60));
    setting("application_id", pages_.header_field(68));
  }

  void print_tables() {
    std::vector<std::pair<const SchemaRow*, TableShape>> tables;
    for (const SchemaRow& row : schema_) {
      if (row.type != "table") continue;
      if (row.root == 0) {
        if (sqlite3_strlike("create virtual%", row.sql.c_str(), 0) == 0) print_virtual_table(row);
        continue;
      }
      if (is_system(row.name)) continue;
      TableShape shape;
      if (!learn_shape(row, &shape)) continue;
      print(dump_text(row.sql) + ";\n");
      tables.emplace_back(&row, std::move(shape));
    }
    for (const SchemaRow& row : schema_) {
      if (row.type == "index" && is_unique(row)) print(dump_text(row.sql) + ";\n");
    }
    for (const auto& [row, shape] : tables) print_rows(*row, shape);
  }

  void print_virtual_table(const SchemaRow& row) {
    const std::string name = text_literal(row.name);
    print("INSERT INTO sqlite_schema VALUES('table', " + name + ", " + name + ", 0, " +
          text_literal_one_line(row.sql) + ");\n");
  }

  // False: the statement in the schema is damaged, and nobody knows what the rows mean.
  bool learn_shape(const SchemaRow& row, TableShape* shape) {
    if (sqlite3_exec(scratch_, row.sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return false;
    const std::string name = text_literal(row.name);
    std::vector<std::string> names;
    std::vector<int> hidden;
    int keys = 0, integer_key = -1;
    scratch_query("SELECT name, hidden, pk, upper(type) FROM pragma_table_xinfo(" + name + ")",
                  [&](sqlite3_stmt* stmt) {
                    if (sqlite3_column_int(stmt, 2) != 0) {
                      ++keys;
                      const bool is_integer = column_string(stmt, 3) == "INTEGER";
                      integer_key = is_integer ? static_cast<int>(names.size()) : -1;
                    }
                    names.push_back(column_string(stmt, 0));
                    hidden.push_back(sqlite3_column_int(stmt, 1));
                  });
    if (names.empty()) return false;
    std::vector<int> order;
    scratch_query("SELECT wr FROM pragma_table_list(" + name + ") WHERE schema = 'main'",
                  [&](sqlite3_stmt* stmt) { shape->has_rowid = sqlite3_column_int(stmt, 0) == 0; });
    if (shape->has_rowid) {
      for (size_t i = 0; i < names.size(); ++i) order.push_back(static_cast<int>(i));
    } else {
      scratch_query("SELECT x.cid FROM pragma_index_list(" + name + ") AS i, "
                    "pragma_index_xinfo(i.name) AS x WHERE i.origin = 'pk' ORDER BY x.seqno",
                    [&](sqlite3_stmt* stmt) { order.push_back(sqlite3_column_int(stmt, 0)); });
    }
    // A single INTEGER PRIMARY KEY is the rowid, but for "INTEGER PRIMARY KEY DESC" and the like, which
    // have an index.
    bool has_key_index = false;
    scratch_query("SELECT 1 FROM pragma_index_list(" + name + ") WHERE origin = 'pk'",
                  [&](sqlite3_stmt*) { has_key_index = true; });
    const bool is_alias = shape->has_rowid && keys == 1 && integer_key >= 0 && !has_key_index;
    size_t field = 0;
    for (int column : order) {
      if (column < 0 || hidden[static_cast<size_t>(column)] == 2) continue;  // VIRTUAL: not stored
      if (hidden[static_cast<size_t>(column)] == 0) {
        shape->columns.push_back({names[static_cast<size_t>(column)], field, is_alias && column == integer_key});
      }
      ++field;
    }
    if (shape->has_rowid && !is_alias && keeps_rowids_) shape->rowid_name = free_rowid_name(names);
    return true;
  }

  static std::string free_rowid_name(const std::vector<std::string>& columns) {
    for (const char* name : {"_rowid_", "rowid", "oid"}) {
      bool taken = std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
        return sqlite3_stricmp(column.c_str(), name) == 0;
      });
      if (!taken) return name;
    }
    return "";
  }

  template <typename Visit>
  void scratch_query(const std::string& sql, Visit visit) {
    sqlite3_stmt* stmt = nullptr;
    if (sqlite3_prepare_v2(scratch_, sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) return;
    while (sqlite3_step(stmt) == SQLITE_ROW) visit(stmt);
    sqlite3_finalize(stmt);
  }

  void print_rows(const SchemaRow& table, const TableShape& shape) {
    walk(table.root, [&](uint32_t number) {
      const DamagedPages::Kind kind = pages_.kind(number);
      const bool is_table_page = kind == DamagedPages::kTableLeaf || kind == DamagedPages::kTableInterior;
      if (is_table_page != shape.has_rowid) {
        used_[number] = false;  // a page of something else
        return;
      }
      rows_of(number, [&](const Row& row) { print_row(table.name, shape, row); });
    });
  }

  void print_row(const std::string& table, const TableShape& shape, const Row& row) {
    std::string names, values;
    auto add = [&](const std::string& name, const std::string& value) {
      names += (names.empty() ? "" : ", ") + name;
      values += (values.empty() ? "" : ", ") + value;
    };
    if (!shape.rowid_name.empty()) add(shape.rowid_name, std::to_string(row.rowid));
    for (const TableShape::Source& source : shape.columns) {
      if (source.is_rowid) {
        add(quoted_identifier(source.column), std::to_string(row.rowid));
      } else if (source.field < row.fields.size()) {
        add(quoted_identifier(source.column), literal_of(row.fields[source.field]));
      }
    }
    if (names.empty()) return;
    print("INSERT OR IGNORE INTO " + quoted_identifier(table) + "(" + names + ") VALUES(" + values + ");\n");
  }

  // Rows of pages that belong to no tree of the schema.
  void print_lost_rows() {
    if (ignores_freelist_) {
      for (uint32_t page : pages_.freelist()) {
        if (page <= pages_.count()) used_[page] = true;
      }
    }
    std::vector<uint32_t> lost;
    std::map<uint32_t, uint32_t> parents;
    std::set<uint32_t> overflow;
    size_t most_fields = 0;
    for (uint32_t number = 2; number <= pages_.count(); ++number) {
      if (used_[number] || pages_.kind(number) == DamagedPages::kNone) continue;
      lost.push_back(number);
      for (uint32_t child : pages_.children(number)) {
        if (!used_[child]) parents.emplace(child, number);
      }
    }
    for (uint32_t number : lost) {
      std::vector<uint32_t> chain;
      pages_.rows(number, &chain, [&](const Row& row) {
        most_fields = std::max(most_fields, row.fields.size());
      });
      overflow.insert(chain.begin(), chain.end());
    }
    if (most_fields == 0) return;
    const std::string table = free_table_name();
    std::string columns;
    for (size_t i = 0; i < most_fields; ++i) columns += ", c" + std::to_string(i);
    print("CREATE TABLE " + table + "(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER" +
          columns + ");\n");
    for (uint32_t number : lost) {
      if (overflow.count(number) != 0) continue;
      uint32_t root = number;
      for (uint32_t steps = 0; parents.count(root) != 0 && steps < pages_.count(); ++steps) {
        root = parents[root];
      }
      rows_of(number, [&](const Row& row) { print_lost_row(table, root, number, row, most_fields); });
    }
  }

  void print_lost_row(const std::string& table, uint32_t root, uint32_t page, const Row& row,
                      size_t fields) {
    std::string values = std::to_string(root) + ", " + std::to_string(page) + ", " +
                         std::to_string(row.fields.size()) + ", " +
                         (row.has_rowid ? std::to_string(row.rowid) : "NULL");
    for (size_t i = 0; i < fields; ++i) {
      values += ", " + (i < row.fields.size() ? literal_of(row.fields[i]) : "NULL");
    }
    print("INSERT INTO " + table + " VALUES(" + values + ");\n");
  }

  std::string free_table_name() {
    auto is_taken = [&](const std::string& name) {
      return std::any_of(schema_.begin(), schema_.end(), [&](const SchemaRow& row) {
        return sqlite3_stricmp(row.name.c_str(), name.c_str()) == 0;
      });
    };
    std::string name = lost_table_;
    for (int i = 0; is_taken(name); ++i) name = lost_table_ + "_" + std::to_string(i);
    return quoted_identifier(name);
  }

  // They are made by statements of their own, and must not count what was inserted above.
  void print_counters_and_statistics() {
    bool analyzed = false;
    for (const SchemaRow& row : schema_) {
      if (row.type != "table" || !is_system(row.name) || row.root == 0) continue;
      TableShape shape;
      std::vector<std::string> columns;
      if (row.name == "sqlite_sequence") {
        columns = {"name", "seq"};
        print("DELETE FROM sqlite_sequence;\n");
      } else if (row.name == "sqlite_stat1") {
        columns = {"tbl", "idx", "stat"};
      } else if (row.name == "sqlite_stat4") {
        columns = {"tbl", "idx", "neq", "nlt", "ndlt", "sample"};
      } else {
        continue;
      }
      if (row.name != "sqlite_sequence" && !analyzed) print("ANALYZE sqlite_schema;\n");
      analyzed = analyzed || row.name != "sqlite_sequence";
      for (size_t i = 0; i < columns.size(); ++i) shape.columns.push_back({columns[i], i, false});
      unmark_tree(row.root);
      print_rows(row, shape);
    }
  }

  void unmark_tree(uint32_t root) {
    std::vector<uint32_t> open{root};
    while (!open.empty()) {
      const uint32_t number = open.back();
      open.pop_back();
      if (number == 0 || number > pages_.count() || !used_[number]) continue;
      used_[number] = false;
      for (uint32_t child : pages_.children(number)) open.push_back(child);
    }
  }

  ShellState& state_;
  DamagedPages pages_;
  sqlite3* scratch_ = nullptr;
  std::vector<SchemaRow> schema_;
  std::vector<bool> used_;
  bool ignores_freelist_ = false;
  bool keeps_rowids_ = true;
  std::string lost_table_ = "lost_and_found";
};

}  // namespace

DotResult dot_recover(ShellState& state, const DotWords& words) {
  Recovery recovery(state);
  if (!recovery.parse(words)) return DotResult::kError;
  if (!open_database(state)) return DotResult::kError;
  return recovery.run() ? DotResult::kOk : DotResult::kError;
}

}  // namespace godwit::shell
