// fts5vocab: the terms of an FTS5 table. CREATE VIRTUAL TABLE v USING fts5vocab([database,] table, kind):
//
//   row       term, doc (rows with it), cnt (times)
//   col       term, col, doc, cnt
//   instance  term, doc (rowid), col, offset
#include <algorithm>
#include <map>
#include <new>

#include "modules/fts5_cursor.h"

namespace godwit::modules {

namespace {

enum class VocabularyKind : uint8_t { kRow, kColumn, kInstance };

struct Vocabulary {
  sqlite3_vtab base = {};
  sqlite3* db = nullptr;
  Fts5Global* global = nullptr;
  std::string database, table;
  VocabularyKind kind = VocabularyKind::kRow;
};

struct VocabularyRow {
  std::string term;
  int column = -1;
  int64_t rows = 0, count = 0;  // instance: rowid, offset
};

struct VocabularyCursor {
  sqlite3_vtab_cursor base = {};
  std::vector<VocabularyRow> rows;
  size_t at = 0;
  std::vector<std::string> columns;
  bool has_columns = true;
  bool has_places = true;
};

Vocabulary* vocabulary_of(sqlite3_vtab* vtab) { return reinterpret_cast<Vocabulary*>(vtab); }
VocabularyCursor* vocabulary_cursor(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<VocabularyCursor*>(cursor); }

int connect_vocabulary(sqlite3* db, void* global, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  const bool has_database = count == 6 && sqlite3_stricmp(arguments[1], "temp") == 0;
  if (count != 5 && !has_database) {
    *error = sqlite3_mprintf("wrong number of vtable arguments");
    return SQLITE_ERROR;
  }
  const auto word = [&](int i) {
    size_t at = 0;
    std::string taken = take_fts5_word(arguments[i], &at);
    return at == 0 ? std::string(arguments[i]) : taken;
  };
  auto made = std::make_unique<Vocabulary>();
  made->db = db;
  made->global = static_cast<Fts5Global*>(global);
  made->database = has_database ? word(3) : arguments[1];
  made->table = word(count - 2);
  const std::string kind = word(count - 1);
  const char* declaration = nullptr;
  if (sqlite3_stricmp(kind.c_str(), "row") == 0) {
    declaration = "CREATE TABlE vocab(term, doc, cnt)";
  } else if (sqlite3_stricmp(kind.c_str(), "col") == 0) {
    made->kind = VocabularyKind::kColumn;
    declaration = "CREATE TABlE vocab(term, col, doc, cnt)";
  } else if (sqlite3_stricmp(kind.c_str(), "instance") == 0) {
    made->kind = VocabularyKind::kInstance;
    declaration = "CREATE TABlE vocab(term, doc, col, offset)";
  } else {
    *error = sqlite3_mprintf("fts5vocab: unknown table type: %Q", kind.c_str());
    return SQLITE_ERROR;
  }
  int code = sqlite3_declare_vtab(db, declaration);
  if (code == SQLITE_OK) *out = &made.release()->base;
  return code;
}

int disconnect_vocabulary(sqlite3_vtab* vtab) {
  delete vocabulary_of(vtab);
  return SQLITE_OK;
}

// The plan's number: 1 term =, 2 term >=, 4 term <=, in the order of their arguments.
int best_vocabulary_index(sqlite3_vtab*, sqlite3_index_info* info) {
  int found[3] = {-1, -1, -1};
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn != 0) continue;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) found[0] = i;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_GE || constraint.op == SQLITE_INDEX_CONSTRAINT_GT) found[1] = i;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_LE || constraint.op == SQLITE_INDEX_CONSTRAINT_LT) found[2] = i;
  }
  if (found[0] >= 0) found[1] = found[2] = -1;
  info->estimatedCost = found[0] >= 0 ? 100 : 1000000;
  for (int bit = 0, argument = 0; bit < 3; ++bit) {
    if (found[bit] < 0) continue;
    info->idxNum |= 1 << bit;
    info->aConstraintUsage[found[bit]].argvIndex = ++argument;
    if (bit > 0) info->estimatedCost /= 2;
  }
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == 0 && info->aOrderBy[0].desc == 0) info->orderByConsumed = 1;
  return SQLITE_OK;
}

int open_vocabulary(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) VocabularyCursor;
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}
int close_vocabulary(sqlite3_vtab_cursor* cursor) {
  delete vocabulary_cursor(cursor);
  return SQLITE_OK;
}

// The table, by a special query that tells its cursor.
int find_table(Vocabulary* vocabulary, const Fts5Global* global, sqlite3_stmt** stmt, Fts5Table** table) {
  const std::string sql = formatted("SELECT t.%Q FROM %Q.%Q AS t WHERE t.%Q MATCH '*id'", vocabulary->table.c_str(),
                                    vocabulary->database.c_str(), vocabulary->table.c_str(), vocabulary->table.c_str());
  *stmt = nullptr;
  *table = nullptr;
  if (sqlite3_prepare_v2(vocabulary->db, sql.c_str(), -1, stmt, nullptr) == SQLITE_OK &&
      sqlite3_step(*stmt) == SQLITE_ROW) {
    auto found = global->cursors.find(sqlite3_column_int64(*stmt, 0));
    if (found != global->cursors.end()) *table = found->second->table();
  }
  if (*table != nullptr) return SQLITE_OK;
  sqlite3_finalize(*stmt);
  vocabulary->base.zErrMsg =
      sqlite3_mprintf("no such fts5 table: %s.%s", vocabulary->database.c_str(), vocabulary->table.c_str());
  return SQLITE_ERROR;
}

void add_rows(const Vocabulary& vocabulary, VocabularyCursor* cursor, const Fts5Config& config, const std::string& term,
              const Fts5Postings& rows) {
  const std::string text = term.substr(1);
  const bool columns_alone = config.detail == Fts5Detail::kColumns;
  std::vector<Fts5Place> places;
  VocabularyRow whole{text, -1, 0, 0};
  std::map<int, VocabularyRow> by_column;
  for (const Fts5Posting& row : rows.rows) {
    places.clear();
    decode_places(rows.list(row), columns_alone, &places);
    ++whole.rows;
    whole.count += static_cast<int64_t>(places.size());
    if (vocabulary.kind == VocabularyKind::kInstance) {
      for (Fts5Place place : places) cursor->rows.push_back({text, column_of(place), row.rowid, token_of(place)});
      if (config.detail == Fts5Detail::kNone) cursor->rows.push_back({text, -1, row.rowid, -1});
      continue;
    }
    int last = -1;
    for (Fts5Place place : places) {
      VocabularyRow& in_column = by_column[column_of(place)];
      ++in_column.count;
      if (column_of(place) != last) ++in_column.rows;
      last = column_of(place);
    }
    if (places.empty()) ++by_column[-1].rows;
  }
  if (vocabulary.kind == VocabularyKind::kRow) cursor->rows.push_back(std::move(whole));
  if (vocabulary.kind != VocabularyKind::kColumn) return;
  for (auto& [column, row] : by_column) cursor->rows.push_back({text, column, row.rows, row.count});
}

int filter_vocabulary_of(Vocabulary* vocabulary, VocabularyCursor* cursor, Fts5Global* global, int plan,
                         sqlite3_value** values) {
  Fts5Table* table = nullptr;
  sqlite3_stmt* holder = nullptr;
  int code = find_table(vocabulary, global, &holder, &table);
  if (code != SQLITE_OK) return code;
  const Fts5Config& config = table->config;
  cursor->columns = config.columns;
  cursor->has_places = config.detail == Fts5Detail::kFull;
  cursor->has_columns = config.detail != Fts5Detail::kNone;
  std::string first(1, Fts5Index::kMainIndex), last;
  bool has_last = false;
  int argument = 0;
  if ((plan & 3) != 0) first += fts5_text(values[argument++]);
  if ((plan & 5) != 0) {
    last = (plan & 1) != 0 ? first : std::string(1, Fts5Index::kMainIndex).append(fts5_text(values[argument]));
    has_last = true;
  }
  code = table->flush();
  const std::string prefix(1, Fts5Index::kMainIndex);
  if (code == SQLITE_OK) {
    code = table->index.each_term(first, prefix, [&](const std::string& term, const Fts5Postings& rows) {
      if (has_last && term > last) return SQLITE_DONE;
      add_rows(*vocabulary, cursor, config, term, rows);
      return SQLITE_OK;
    });
  }
  sqlite3_finalize(holder);
  return code;
}

int next_vocabulary(sqlite3_vtab_cursor* cursor) {
  ++vocabulary_cursor(cursor)->at;
  return SQLITE_OK;
}
int vocabulary_at_end(sqlite3_vtab_cursor* base) {
  const VocabularyCursor* cursor = vocabulary_cursor(base);
  return cursor->at >= cursor->rows.size() ? 1 : 0;
}
int vocabulary_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(vocabulary_cursor(cursor)->at) + 1;
  return SQLITE_OK;
}

int vocabulary_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const VocabularyCursor* cursor = vocabulary_cursor(base);
  const VocabularyRow& row = cursor->rows[cursor->at];
  const VocabularyKind kind = vocabulary_of(base->pVtab)->kind;
  if (index == 0) {
    sqlite3_result_text(context, row.term.data(), static_cast<int>(row.term.size()), SQLITE_TRANSIENT);
    return SQLITE_OK;
  }
  const bool is_column = index == (kind == VocabularyKind::kInstance ? 2 : 1) && kind != VocabularyKind::kRow;
  const bool is_count = index == (kind == VocabularyKind::kRow ? 2 : 3);
  if (is_column) {
    if (row.column < 0 || static_cast<size_t>(row.column) >= cursor->columns.size()) return SQLITE_OK;
    const std::string& name = cursor->columns[static_cast<size_t>(row.column)];
    sqlite3_result_text(context, name.data(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
  } else if (!is_count) {
    sqlite3_result_int64(context, row.rows);
  } else if (cursor->has_places) {
    sqlite3_result_int64(context, row.count);
  }
  return SQLITE_OK;
}

int filter_vocabulary(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** values) {
  Vocabulary* vocabulary = vocabulary_of(base->pVtab);
  VocabularyCursor* cursor = vocabulary_cursor(base);
  cursor->rows.clear();
  cursor->at = 0;
  return filter_vocabulary_of(vocabulary, cursor, vocabulary->global, plan, values);
}

const sqlite3_module kVocabularyModule = {
    2, connect_vocabulary, connect_vocabulary, best_vocabulary_index, disconnect_vocabulary, disconnect_vocabulary,
    open_vocabulary, close_vocabulary, filter_vocabulary, next_vocabulary, vocabulary_at_end, vocabulary_column,
    vocabulary_rowid, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
    nullptr, nullptr,
};

}  // namespace

int register_fts5_vocabulary(sqlite3* db, Fts5Global* global) {
  return sqlite3_create_module(db, "fts5vocab", &kVocabularyModule, global);
}

}  // namespace godwit::modules
