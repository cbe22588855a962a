// fts4aux: the terms of an FTS3 table. CREATE VIRTUAL TABLE v USING fts4aux([database,] table):
// for each term a row of all columns (col: *), then one for each column that has it.
#include <map>
#include <new>

#include "modules/fts3_cursor.h"

namespace godwit::modules {

namespace {

struct TermTable {
  sqlite3_vtab base = {};
  Fts3Table table;  // of which only names are known
};

struct TermRow {
  std::string term;
  int column = -1;  // all
  int64_t rows = 0, count = 0;
};

struct TermCursor {
  sqlite3_vtab_cursor base = {};
  std::vector<TermRow> rows;
  size_t at = 0;
  int64_t language = 0;
};

TermTable* term_table(sqlite3_vtab* vtab) { return reinterpret_cast<TermTable*>(vtab); }
TermCursor* term_cursor(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<TermCursor*>(cursor); }

std::string unquoted_name(const char* text) {
  size_t at = 0;
  std::string word;
  if (text[0] != '\'' && text[0] != '"' && text[0] != '[' && text[0] != '`') return text;
  take_fts3_word(text, &at, &word);
  return word;
}

int connect_terms(sqlite3* db, void*, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  const bool has_database = count == 5 && sqlite3_stricmp(arguments[1], "temp") == 0;
  if (count != 4 && !has_database) {
    *error = sqlite3_mprintf("invalid arguments to fts4aux constructor");
    return SQLITE_ERROR;
  }
  auto made = std::make_unique<TermTable>();
  made->table.config.db = db;
  made->table.config.database = has_database ? unquoted_name(arguments[3]) : arguments[1];
  made->table.config.name = unquoted_name(arguments[count - 1]);
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(term, col, documents, occurrences, languageid HIDDEN)");
  if (code == SQLITE_OK) *out = &made.release()->base;
  return code;
}
int disconnect_terms(sqlite3_vtab* vtab) {
  delete term_table(vtab);
  return SQLITE_OK;
}

// The plan's number: 1 term =, 2 term >=, 4 term <=, 8 languageid =, in the order of their arguments.
int best_term_index(sqlite3_vtab*, sqlite3_index_info* info) {
  int found[4] = {-1, -1, -1, -1};
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0) continue;
    const bool is_equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
    if (constraint.iColumn == 4 && is_equal) found[3] = i;
    if (constraint.iColumn != 0) continue;
    if (is_equal) found[0] = i;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_GE || constraint.op == SQLITE_INDEX_CONSTRAINT_GT) found[1] = i;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_LE || constraint.op == SQLITE_INDEX_CONSTRAINT_LT) found[2] = i;
  }
  if (found[0] >= 0) found[1] = found[2] = -1;
  info->estimatedCost = found[0] >= 0 ? 5 : 20000;
  int argument = 0;
  for (int bit = 0; bit < 4; ++bit) {
    if (found[bit] < 0) continue;
    info->idxNum |= 1 << bit;
    info->aConstraintUsage[found[bit]].argvIndex = ++argument;
    if (bit == 3) info->aConstraintUsage[found[bit]].omit = 1;
    if (bit == 1 || bit == 2) info->estimatedCost /= 2;
  }
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == 0 && info->aOrderBy[0].desc == 0) info->orderByConsumed = 1;
  return SQLITE_OK;
}

int open_terms(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) TermCursor;
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}
int close_terms(sqlite3_vtab_cursor* cursor) {
  delete term_cursor(cursor);
  return SQLITE_OK;
}

bool add_term(const std::string& term, const std::vector<Fts3Row>& rows, TermCursor* cursor) {
  TermRow whole{term, -1, 0, 0};
  std::map<int, TermRow> by_column;
  std::vector<Fts3Place> places;
  for (const Fts3Row& row : rows) {
    places.clear();
    if (!decode_fts3_places(row.list, &places)) return false;
    ++whole.rows;
    whole.count += static_cast<int64_t>(places.size());
    int last = -1;
    for (Fts3Place place : places) {
      TermRow& in_column = by_column[fts3_column(place)];
      ++in_column.count;
      if (fts3_column(place) != last) ++in_column.rows;
      last = fts3_column(place);
    }
  }
  cursor->rows.push_back(std::move(whole));
  for (const auto& [column, row] : by_column) cursor->rows.push_back({term, column, row.rows, row.count});
  return true;
}

// How many indexes and whether rows descend is not in the shadow tables, but in the declaration.
int read_declaration(Fts3Config* config) {
  Statement stmt;
  int code = stmt.prepare(config->db, formatted("SELECT sql FROM %Q.sqlite_master WHERE lower(name) = lower(%Q)",
                                                config->database.c_str(), config->name.c_str()));
  if (code != SQLITE_OK) return code;
  std::string sql;
  if (stmt.next_row()) sql = stmt.text(0);
  code = stmt.reset();
  config->prefixes.clear();
  config->descends = false;
  const size_t open = sql.find('(');
  if (code != SQLITE_OK || open == std::string::npos) return code;
  std::vector<std::string> arguments{"fts4", config->database, config->name};
  std::string argument;
  int depth = 0;
  char quote = 0;
  for (size_t i = open + 1; i < sql.size(); ++i) {
    const char c = sql[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (depth == 0 && (c == ',' || c == ')')) {
      const size_t start = argument.find_first_not_of(" \t\r\n");
      arguments.push_back(start == std::string::npos ? "" : argument.substr(start));
      argument.clear();
      if (c == ')') break;
      continue;
    } else if (c == ')') {
      --depth;
    }
    argument.push_back(c);
  }
  std::vector<const char*> pointers;
  for (const std::string& it : arguments) pointers.push_back(it.c_str());
  Fts3Config declared;
  declared.db = config->db;
  std::string error;
  if (declared.parse(static_cast<int>(pointers.size()), pointers.data(), &error) == SQLITE_OK) {
    config->prefixes = declared.prefixes;
    config->descends = declared.descends;
  }
  return SQLITE_OK;
}

int filter_terms(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** values) {
  TermTable* terms = term_table(base->pVtab);
  TermCursor* cursor = term_cursor(base);
  cursor->rows.clear();
  cursor->at = 0;
  cursor->language = 0;
  std::string first, last;
  int argument = 0;
  if ((plan & 3) != 0) first = fts3_text(values[argument++]);
  const bool has_last = (plan & 5) != 0;
  if (has_last) last = (plan & 1) != 0 ? first : std::string(fts3_text(values[argument++]));
  if ((plan & 8) != 0) cursor->language = std::max(sqlite3_value_int(values[argument]), 0);
  int code = read_declaration(&terms->table.config);
  if (code != SQLITE_OK) return code;
  bool is_good = true;
  code = terms->table.index.each_term(cursor->language, 0, first, [&](const std::string& term, const std::vector<Fts3Row>& rows) {
    if (has_last && term > last) return SQLITE_DONE;
    is_good = is_good && add_term(term, rows, cursor);
    return SQLITE_OK;
  });
  return code == SQLITE_OK && !is_good ? SQLITE_CORRUPT_VTAB : code;
}

int next_term(sqlite3_vtab_cursor* cursor) {
  ++term_cursor(cursor)->at;
  return SQLITE_OK;
}
int terms_at_end(sqlite3_vtab_cursor* cursor) { return term_cursor(cursor)->at >= term_cursor(cursor)->rows.size() ? 1 : 0; }
int term_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(term_cursor(cursor)->at) + 1;
  return SQLITE_OK;
}

int term_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const TermCursor* cursor = term_cursor(base);
  const TermRow& row = cursor->rows[cursor->at];
  if (index == 0) {
    sqlite3_result_text(context, row.term.data(), static_cast<int>(row.term.size()), SQLITE_TRANSIENT);
  } else if (index == 1 && row.column < 0) {
    sqlite3_result_text(context, "*", 1, SQLITE_STATIC);
  } else {
    sqlite3_result_int64(context, index == 1   ? row.column
                                  : index == 2 ? row.rows
                                  : index == 3 ? row.count
                                               : cursor->language);
  }
  return SQLITE_OK;
}

const sqlite3_module kTermModule = {
    2, connect_terms, connect_terms, best_term_index, disconnect_terms, disconnect_terms, open_terms, close_terms,
    filter_terms, next_term, terms_at_end, term_column, term_rowid, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace

int register_fts3_auxiliary(sqlite3* db) { return sqlite3_create_module(db, "fts4aux", &kTermModule, nullptr); }

}  // namespace godwit::modules
