// .import: rows of a CSV or delimited file into a table, which is made from the first row if it
// does not exist. All rows go in as texts, in one transaction; the columns' affinities make
// numbers.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "dot_command.h"
#include "literal.h"

namespace godwit::shell {
namespace {

// Reads fields from a file. A field that starts with a quote goes to the closing quote, with
// doubled quotes inside; any other ends at the next separator. ASCII mode knows no quotes.
class FieldReader {
 public:
  FieldReader(FILE* file, std::string name, char column, char row, bool quotes)
      : file_(file), name_(std::move(name)), column_(column), row_(row), quotes_(quotes) {
    skip_byte_order_mark();
  }

  // Reads the next field; false if the file has ended before it.
  bool next(std::string* field) {
    field->clear();
    int c = getc_unlocked(file_);
    if (c == EOF) {
      separator_ = EOF;
      return false;
    }
    if (quotes_ && c == '"') {
      read_quoted(field);
    } else {
      read_plain(c, field);
    }
    return true;
  }

  // Whether the field that was read last is followed by another one of its row.
  bool more_in_row() const { return separator_ == column_; }
  bool at_end() const { return separator_ == EOF; }
  int line() const { return line_; }
  const std::string& name() const { return name_; }

 private:
  void skip_byte_order_mark() {
    int first = getc_unlocked(file_);
    if (first != 0xef) {
      if (first != EOF) std::ungetc(first, file_);
      return;
    }
    int second = getc_unlocked(file_);
    int third = getc_unlocked(file_);
    if (second == 0xbb && third == 0xbf) return;
    pushed_ = {static_cast<char>(first)};
    if (second != EOF) pushed_ += static_cast<char>(second);
    if (third != EOF) pushed_ += static_cast<char>(third);
  }

  void read_plain(int c, std::string* field) {
    if (!pushed_.empty()) {
      if (c != EOF) std::ungetc(c, file_);
      *field = std::move(pushed_);
      pushed_.clear();
      c = getc_unlocked(file_);
    }
    while (c != EOF && c != column_ && c != row_) {
      *field += static_cast<char>(c);
      c = getc_unlocked(file_);
    }
    separator_ = c;
    if (c == row_) {
      ++line_;
      if (quotes_ && !field->empty() && field->back() == '\r') field->pop_back();
    }
  }

  void read_quoted(std::string* field) {
    int start = line_;
    for (;;) {
      int c = getc_unlocked(file_);
      if (c == row_) ++line_;
      if (c == EOF) {
        std::fprintf(stderr, "%s:%d: unterminated %c-quoted field\n", name_.c_str(), start, '"');
        separator_ = EOF;
        return;
      }
      if (c != '"') {
        *field += static_cast<char>(c);
        continue;
      }
      int after = getc_unlocked(file_);
      if (after == '\r') {
        int next = getc_unlocked(file_);
        if (next == row_) {
          after = next;
        } else if (next != EOF) {
          std::ungetc(next, file_);
        }
      }
      if (after == column_ || after == row_ || after == EOF) {
        if (after == row_) ++line_;
        separator_ = after;
        return;
      }
      *field += '"';
      if (after == '"') continue;
      std::fprintf(stderr, "%s:%d: unescaped %c character\n", name_.c_str(), line_, '"');
      *field += static_cast<char>(after);
    }
  }

  FILE* file_;
  std::string name_;
  std::string pushed_;
  int column_;
  int row_;
  bool quotes_;
  int separator_ = 0;
  int line_ = 1;
};

struct ImportRequest {
  std::string file;
  std::string table;
  std::string schema;
  int skip = 0;
  bool csv = false;
  bool ascii = false;
  bool verbose = false;
};

DotResult import_usage(const std::string& message) {
  std::printf("ERROR: %s Usage:\n", message.c_str());
  print_command_help(stdout, "import");
  return DotResult::kError;
}

bool parse_import(const DotWords& words, ImportRequest* request, DotResult* result) {
  *result = DotResult::kError;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string word = words[i].rfind("--", 0) == 0 ? words[i].substr(1) : words[i];
    bool has_next = i + 1 < words.size();
    if (word.empty() || word[0] != '-') {
      if (request->file.empty()) {
        request->file = word;
      } else if (request->table.empty()) {
        request->table = word;
      } else {
        *result = import_usage("extra argument: \"" + word + "\". ");
        return false;
      }
    } else if (word == "-v") {
      request->verbose = true;
    } else if (word == "-schema" && has_next) {
      request->schema = words[++i];
    } else if (word == "-skip" && has_next) {
      request->skip = std::atoi(words[++i].c_str());
    } else if (word == "-ascii") {
      request->ascii = true;
    } else if (word == "-csv") {
      request->csv = true;
    } else {
      *result = import_usage("unknown option: \"" + word + "\". ");
      return false;
    }
  }
  if (request->table.empty()) {
    *result =
        import_usage(request->file.empty() ? "missing FILE argument." : "missing TABLE argument.");
    return false;
  }
  return true;
}

// Names that occur twice get the number of their column, with as many zeros before it as it takes to
// tell all names apart; an empty name is "?". Returns what was renamed, for the user.
std::string make_unique_names(std::vector<std::string>* names) {
  auto key = [](std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return text;
  };
  std::map<std::string, int> uses;
  for (std::string& name : *names) {
    if (name.empty()) name = "?";
    ++uses[key(name)];
  }
  if (uses.size() == names->size()) return "";
  std::vector<std::string> unique;
  std::string zeros;
  for (;; zeros += '0') {
    unique = *names;
    std::set<std::string> keys;
    for (size_t i = 0; i < unique.size(); ++i) {
      if (uses[key(unique[i])] > 1) unique[i] += "_" + zeros + std::to_string(i + 1);
      keys.insert(key(unique[i]));
    }
    if (keys.size() == unique.size()) break;
  }
  std::string renames;
  for (size_t i = 0; i < unique.size(); ++i) {
    if (unique[i] == (*names)[i]) continue;
    renames += (renames.empty() ? "" : ",\n") + quoted_identifier((*names)[i]) + " to " +
               quoted_identifier(unique[i]);
  }
  *names = std::move(unique);
  return renames;
}

std::string create_table_sql(const std::string& table, const std::vector<std::string>& names) {
  constexpr size_t kColumnsOnLine = 4;
  std::string sql = "CREATE TABLE " + table + "(\n";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) sql += i % kColumnsOnLine == 0 ? ",\n " : ", ";
    sql += quoted_identifier(names[i]) + " TEXT";
  }
  return sql + ")";
}

class Import {
 public:
  Import(ShellState& state, FieldReader& reader, const ImportRequest& request)
      : state_(state), reader_(reader), request_(request) {
    if (!request.schema.empty()) table_ = quoted_identifier(request.schema) + ".";
    table_ += quoted_identifier(request.table);
  }

  bool run() {
    std::string field;
    for (int i = 0; i < request_.skip; ++i) {
      while (reader_.next(&field) && reader_.more_in_row()) continue;
    }
    if (!find_columns()) return false;
    bool own_transaction = sqlite3_get_autocommit(state_.db) != 0;
    if (own_transaction) sqlite3_exec(state_.db, "BEGIN", nullptr, nullptr, nullptr);
    bool ok = insert_rows();
    if (own_transaction &&
        sqlite3_exec(state_.db, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) {
      std::fprintf(stderr, "Error: %s\n", sqlite3_errmsg(state_.db));
      return false;
    }
    if (request_.verbose) {
      std::printf("Added %d rows with %d errors using %d lines of input\n", rows_, errors_,
                  reader_.line() - 1);
    }
    return ok;
  }

 private:
  // How many columns the table has; makes it if it is not there.
  bool find_columns() {
    std::string select = "SELECT * FROM " + table_;
    sqlite3_stmt* stmt = nullptr;
    int rc = sqlite3_prepare_v2(state_.db, select.c_str(), -1, &stmt, nullptr);
    if (rc != SQLITE_OK) {
      constexpr std::string_view kMissing = "no such table: ";
      std::string message = sqlite3_errmsg(state_.db);
      if (message.compare(0, kMissing.size(), kMissing) != 0) {
        std::fprintf(stderr, "Error: %s\n", message.c_str());
        return false;
      }
      if (!create_table()) return false;
      rc = sqlite3_prepare_v2(state_.db, select.c_str(), -1, &stmt, nullptr);
      if (rc != SQLITE_OK) {
        std::fprintf(stderr, "Error: %s\n", sqlite3_errmsg(state_.db));
        return false;
      }
    }
    columns_ = sqlite3_column_count(stmt);
    sqlite3_finalize(stmt);
    return true;
  }

  bool create_table() {
    std::vector<std::string> names;
    std::string field;
    while (reader_.next(&field)) {
      names.push_back(field);
      if (!reader_.more_in_row()) break;
    }
    if (names.empty()) {
      std::fprintf(stderr, "%s: empty file\n", reader_.name().c_str());
      return false;
    }
    std::string renames = make_unique_names(&names);
    if (!renames.empty()) {
      std::fprintf(state_.interactive ? stdout : stderr,
                   "Columns renamed during .import %s due to duplicates:\n%s\n",
                   reader_.name().c_str(), renames.c_str());
    }
    std::string sql = create_table_sql(table_, names);
    if (request_.verbose) std::printf("%s\n\n", sql.c_str());
    if (sqlite3_exec(state_.db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      std::fprintf(stderr, "%s failed:\n%s\n", sql.c_str(), sqlite3_errmsg(state_.db));
      return false;
    }
    return true;
  }

  bool insert_rows() {
    std::string sql = "INSERT INTO " + table_ + " VALUES(?";
    for (int i = 1; i < columns_; ++i) sql += ",?";
    sql += ")";
    sqlite3_stmt* stmt = nullptr;
    if (sqlite3_prepare_v2(state_.db, sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) {
      std::fprintf(stderr, "Error: %s\n", sqlite3_errmsg(state_.db));
      return false;
    }
    while (!interrupted() && insert_row(stmt)) continue;
    sqlite3_finalize(stmt);
    // As in the sqlite3 shell, failures before the last row leave the exit code alone.
    return !last_row_failed_;
  }

  // Reads and inserts one row; false at the end of the file.
  bool insert_row(sqlite3_stmt* stmt) {
    int start = reader_.line();
    int found = 0;
    std::string field;
    bool read = true;
    while (found < columns_) {
      read = reader_.next(&field);
      if (!read && found == 0) return false;
      if (!read) field.clear();
      ++found;
      sqlite3_bind_text(stmt, found, field.c_str(), static_cast<int>(field.size()),
                        SQLITE_TRANSIENT);
      if (!read || !reader_.more_in_row()) break;
    }
    if (found < columns_) {
      std::fprintf(stderr, "%s:%d: expected %d columns but found %d - filling the rest with NULL\n",
                   reader_.name().c_str(), start, columns_, found);
      for (int i = found + 1; i <= columns_; ++i) sqlite3_bind_null(stmt, i);
    }
    bool ended = reader_.at_end();
    if (read && reader_.more_in_row()) {
      int extra = found;
      do {
        reader_.next(&field);
        ++extra;
      } while (reader_.more_in_row());
      ended = reader_.at_end();
      std::fprintf(stderr, "%s:%d: expected %d columns but found %d - extras ignored\n",
                   reader_.name().c_str(), start, columns_, extra);
    }
    sqlite3_step(stmt);
    last_row_failed_ = sqlite3_reset(stmt) != SQLITE_OK;
    if (!last_row_failed_) {
      ++rows_;
    } else {
      std::fprintf(stderr, "%s:%d: INSERT failed: %s\n", reader_.name().c_str(), start,
                   sqlite3_errmsg(state_.db));
      ++errors_;
    }
    return !ended;
  }

  ShellState& state_;
  FieldReader& reader_;
  const ImportRequest& request_;
  std::string table_;
  int columns_ = 0;
  int rows_ = 0;
  int errors_ = 0;
  bool last_row_failed_ = false;
};

// The separators: those of the options, else those of the output mode.
bool choose_separators(const ShellState& state, const ImportRequest& request, char* column,
                       char* row) {
  if (request.ascii || request.csv) {
    *column = request.ascii ? '\x1f' : ',';
    *row = request.ascii ? '\x1e' : '\n';
    return true;
  }
  std::string rows = state.row_separator == "\r\n" ? "\n" : state.row_separator;
  if (state.column_separator.size() != 1 || rows.size() != 1) {
    const char* which = state.column_separator.size() != 1 ? "column" : "row";
    bool empty =
        state.column_separator.empty() || (state.column_separator.size() == 1 && rows.empty());
    std::fprintf(stderr,
                 empty ? "Error: non-null %s separator required for import\n"
                       : "Error: multi-character %s separators not allowed for import\n",
                 which);
    return false;
  }
  *column = state.column_separator[0];
  *row = rows[0];
  return true;
}

}  // namespace

DotResult dot_import(ShellState& state, const DotWords& words) {
  ImportRequest request;
  DotResult result;
  if (!parse_import(words, &request, &result)) return result;
  char column = 0;
  char row = 0;
  if (!choose_separators(state, request, &column, &row)) return DotResult::kError;
  if (!open_database(state)) return DotResult::kError;
  bool is_pipe = request.file[0] == '|';
  FILE* file =
      is_pipe ? popen(request.file.c_str() + 1, "r") : std::fopen(request.file.c_str(), "rb");
  if (!file) {
    std::fprintf(stderr, "Error: cannot open \"%s\"\n", request.file.c_str());
    return DotResult::kError;
  }
  FieldReader reader(file, is_pipe ? "<pipe>" : request.file, column, row, !request.ascii);
  bool ok = Import(state, reader, request).run();
  if (is_pipe) {
    pclose(file);
  } else {
    std::fclose(file);
  }
  return ok ? DotResult::kOk : DotResult::kError;
}

}  // namespace godwit::shell
