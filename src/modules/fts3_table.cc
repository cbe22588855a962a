#include "modules/fts3_table.h"

#include <algorithm>
#include <charconv>

namespace godwit::modules {

namespace {

constexpr const char* kFts3Shadows[] = {"content", "segments", "segdir", "docsize", "stat"};
constexpr int64_t kAutomerge = 2;

uint64_t mix_fts3(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

// One entry of an index.
uint64_t fts3_entry_hash(std::string_view term, int64_t language, int64_t index, int64_t docid, Fts3Place place) {
  uint64_t hash = mix_fts3(std::hash<std::string_view>()(term), static_cast<uint64_t>(language));
  hash = mix_fts3(mix_fts3(hash, static_cast<uint64_t>(index)), static_cast<uint64_t>(docid));
  return mix_fts3(hash, place);
}

// A language that is stored or asked for.
int64_t language_of(sqlite3_value* value) { return sqlite3_value_int(value); }

}  // namespace

std::string_view fts3_text(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_value_bytes(value))};
}

int Fts3Table::fail(const std::string& message, int code) {
  sqlite3_free(base.zErrMsg);
  base.zErrMsg = sqlite3_mprintf("%s", message.c_str());
  return code;
}

// ---- The tables ----------------------------------------------------------------------------------

int Fts3Table::create() {
  std::string sql;
  if (config.content == Fts3Content::kOwn) {
    sql += config.sql("CREATE TABLE %Q.'%q_content'(docid INTEGER PRIMARY KEY");
    for (int i = 0; i < config.column_count(); ++i) {
      sql += formatted(", 'c%d%q'", i, config.columns[static_cast<size_t>(i)].c_str());
    }
    sql += config.language_column.empty() ? ");" : ", langid);";
  }
  sql += config.sql("CREATE TABLE %Q.'%q_segments'(blockid INTEGER PRIMARY KEY, block BLOB);");
  sql += config.sql(
      "CREATE TABLE %Q.'%q_segdir'(level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,"
      "end_block INTEGER,root BLOB,PRIMARY KEY(level, idx));");
  if (config.has_sizes) sql += config.sql("CREATE TABLE %Q.'%q_docsize'(docid INTEGER PRIMARY KEY, size BLOB);");
  if (config.has_stat) sql += config.sql("CREATE TABLE %Q.'%q_stat'(id INTEGER PRIMARY KEY, value BLOB);");
  return execute(config.db, sql);
}

int Fts3Table::load() {
  int64_t count = 0;
  int code = SQLITE_OK;
  if (config.version == 3) {
    // A table of FTS3 has it since automerge was set.
    code = query_integer(config.db,
                         formatted("SELECT count(*) FROM %Q.sqlite_master WHERE name = '%q_stat'",
                                   config.database.c_str(), config.name.c_str()),
                         0, &count);
    config.has_stat = count > 0;
  }
  if (code != SQLITE_OK || !config.has_stat) return code;
  int64_t automerge = 0;
  // A table that is only being declared again, by VACUUM say, has no shadow tables yet.
  if (query_integer(config.db, config.sql("SELECT value FROM %Q.'%q_stat' WHERE id = 2"), 0, &automerge) == SQLITE_OK) {
    index.set_merge_threshold(automerge >= 2 && automerge < 16 ? automerge : 16);
  }
  return SQLITE_OK;
}

void Fts3Table::finalize() {
  index.finalize();
  for (Statement* stmt : {&lookup_, &insert_content_, &delete_content_, &write_sizes_, &delete_sizes_, &read_sizes_,
                          &read_totals_, &write_totals_}) {
    stmt->finalize();
  }
}

int Fts3Table::drop() {
  finalize();
  std::string sql;
  for (const char* suffix : kFts3Shadows) {
    if (std::string_view(suffix) == "content" && config.content != Fts3Content::kOwn) continue;
    sql += formatted("DROP TABLE IF EXISTS %Q.'%q_%s';", config.database.c_str(), config.name.c_str(), suffix);
  }
  return execute(config.db, sql);
}

int Fts3Table::rename(const std::string& name) {
  int code = flush();
  if (code != SQLITE_OK) return code;
  finalize();
  std::string sql;
  for (const char* suffix : kFts3Shadows) {
    const std::string_view it(suffix);
    if ((it == "content" && config.content != Fts3Content::kOwn) || (it == "docsize" && !config.has_sizes) ||
        (it == "stat" && !config.has_stat)) {
      continue;
    }
    sql += formatted("ALTER TABLE %Q.'%q_%s' RENAME TO '%q_%s';", config.database.c_str(), config.name.c_str(), suffix,
                     name.c_str(), suffix);
  }
  code = execute(config.db, sql);
  if (code == SQLITE_OK) config.name = name;
  return code;
}

std::string Fts3Table::content_query() const {
  std::string columns;
  if (config.content == Fts3Content::kOwn) {
    columns = "docid";
    for (int i = 0; i < config.column_count(); ++i) {
      std::string column = formatted("x.'c%d%q'", i, config.columns[static_cast<size_t>(i)].c_str());
      if (!config.uncompress.empty()) column = formatted("%w(%s)", config.uncompress.c_str(), column.c_str());
      columns += ", " + column;
    }
    columns += config.language_column.empty() ? ", 0" : ", x.langid";
    return "SELECT " + columns + " FROM " + config.sql("%Q.'%q_content' AS x");
  }
  columns = "rowid";
  for (const std::string& column : config.columns) columns += formatted(", x.'%q'", column.c_str());
  columns += config.language_column.empty() ? ", 0" : formatted(", x.'%q'", config.language_column.c_str());
  return "SELECT " + columns + " FROM " + formatted("%Q.'%q' AS x", config.database.c_str(), config.content_table.c_str());
}

// ---- Sizes ---------------------------------------------------------------------------------------

int Fts3Table::read_totals(Fts3Totals* totals) {
  *totals = {};
  totals->tokens.assign(config.columns.size(), 0);
  if (!config.has_stat) return SQLITE_OK;
  int code = read_totals_.prepare(config.db, config.sql("SELECT value FROM %Q.'%q_stat' WHERE id = 0"));
  if (code != SQLITE_OK) return code;
  if (read_totals_.next_row()) {
    Fts3Reader reader(read_totals_.blob(0));
    uint64_t value = 0;
    if (reader.next(&value)) totals->rows = static_cast<int64_t>(value);
    for (int64_t& tokens : totals->tokens) tokens = reader.next(&value) ? static_cast<int64_t>(value) : 0;
    if (reader.next(&value)) totals->bytes = static_cast<int64_t>(value);
  }
  return read_totals_.reset();
}

int Fts3Table::write_totals(const Fts3Totals& totals) {
  int code = write_totals_.prepare(config.db, config.sql("REPLACE INTO %Q.'%q_stat'(id, value) VALUES(0, ?1)"));
  if (code != SQLITE_OK) return code;
  std::string value;
  append_fts3_varint(static_cast<uint64_t>(totals.rows), &value);
  for (int64_t tokens : totals.tokens) append_fts3_varint(static_cast<uint64_t>(tokens), &value);
  append_fts3_varint(static_cast<uint64_t>(totals.bytes), &value);
  write_totals_.bind_blob(1, value);
  return write_totals_.run();
}

int Fts3Table::change_totals(const RowSizes& added, const RowSizes& removed, int64_t rows) {
  if (config.version == 3) return SQLITE_OK;
  Fts3Totals totals;
  int code = read_totals(&totals);
  if (code != SQLITE_OK) return code;
  const auto changed = [](int64_t value, int64_t plus, int64_t minus) { return std::max<int64_t>(value + plus - minus, 0); };
  totals.rows = changed(totals.rows, rows, 0);
  for (size_t i = 0; i < totals.tokens.size(); ++i) {
    totals.tokens[i] = changed(totals.tokens[i], i < added.tokens.size() ? added.tokens[i] : 0,
                               i < removed.tokens.size() ? removed.tokens[i] : 0);
  }
  totals.bytes = changed(totals.bytes, added.bytes, removed.bytes);
  return write_totals(totals);
}

int Fts3Table::write_sizes(int64_t docid, const RowSizes& sizes) {
  if (!config.has_sizes) return SQLITE_OK;
  int code = write_sizes_.prepare(config.db, config.sql("REPLACE INTO %Q.'%q_docsize'(docid, size) VALUES(?1, ?2)"));
  if (code != SQLITE_OK) return code;
  std::string value;
  for (int64_t tokens : sizes.tokens) append_fts3_varint(static_cast<uint64_t>(tokens), &value);
  write_sizes_.bind(1, docid);
  write_sizes_.bind_blob(2, value);
  return write_sizes_.run();
}

int Fts3Table::read_sizes(int64_t docid, std::vector<int64_t>* sizes) {
  sizes->assign(config.columns.size(), 0);
  int code = read_sizes_.prepare(config.db, config.sql("SELECT size FROM %Q.'%q_docsize' WHERE docid = ?1"));
  if (code != SQLITE_OK) return code;
  read_sizes_.bind(1, docid);
  bool is_good = read_sizes_.next_row();
  if (is_good) {
    Fts3Reader reader(read_sizes_.blob(0));
    uint64_t value = 0;
    for (int64_t& size : *sizes) {
      is_good = is_good && reader.next(&value);
      size = static_cast<int64_t>(value);
    }
  }
  code = read_sizes_.reset();
  return code == SQLITE_OK && !is_good ? SQLITE_CORRUPT_VTAB : code;
}

// ---- Rows ----------------------------------------------------------------------------------------

void Fts3Table::index_row(int64_t docid, int64_t language, sqlite3_value** values, bool is_deletion, RowSizes* sizes) {
  sizes->tokens.resize(config.columns.size());
  index.begin_row(docid, language, is_deletion);
  for (size_t i = 0; i < config.columns.size(); ++i) {
    if (!config.is_indexed[i]) continue;
    const std::string_view text = fts3_text(values[i]);
    int64_t tokens = 0;
    config.tokenizer->tokenize(text, [&](const Fts3Token& token) {
      index.add_token(static_cast<int>(i), token.position, token.text);
      tokens = token.position + 1;
      return true;
    });
    sizes->tokens[i] += tokens;
    sizes->bytes += static_cast<int64_t>(text.size());
  }
}

int Fts3Table::insert_content(sqlite3_value** values, sqlite3_int64* docid) {
  const int columns = config.column_count();
  sqlite3_value* rowid = values[1];
  sqlite3_value* given = values[3 + columns];
  if (sqlite3_value_type(given) != SQLITE_NULL) {
    // An alias of the rowid: one of the two.
    if (sqlite3_value_type(values[0]) == SQLITE_NULL && sqlite3_value_type(values[1]) != SQLITE_NULL) return SQLITE_ERROR;
    rowid = given;
  }
  if (config.content != Fts3Content::kOwn) {
    if (sqlite3_value_type(rowid) != SQLITE_INTEGER) return SQLITE_CONSTRAINT;
    *docid = sqlite3_value_int64(rowid);
    return SQLITE_OK;
  }
  if (!insert_content_.is_prepared()) {
    std::string sql = config.sql("INSERT INTO %Q.'%q_content' VALUES(?1");
    for (int i = 0; i < columns; ++i) {
      std::string value = "?" + std::to_string(i + 2);
      if (!config.compress.empty()) value = formatted("%w(%s)", config.compress.c_str(), value.c_str());
      sql += ", " + value;
    }
    if (!config.language_column.empty()) sql += ", ?" + std::to_string(columns + 2);
    int code = insert_content_.prepare(config.db, sql + ")");
    if (code != SQLITE_OK) return code;
  }
  insert_content_.bind(1, rowid);
  for (int i = 0; i < columns; ++i) insert_content_.bind(i + 2, values[2 + i]);
  if (!config.language_column.empty()) insert_content_.bind(columns + 2, language_of(values[4 + columns]));
  int code = insert_content_.run();
  *docid = sqlite3_last_insert_rowid(config.db);
  return code;
}

int Fts3Table::has_other_rows(int64_t docid, bool* has) {
  int64_t found = 0;
  const std::string sql = config.sql("SELECT EXISTS(SELECT 1 FROM %Q.'%q_content' WHERE docid <> ");
  int code = query_integer(config.db, sql + std::to_string(docid) + ")", 0, &found);
  *has = found != 0;
  return code;
}

int Fts3Table::erase_all(bool with_content) {
  int code = index.clear();
  std::string sql;
  if (with_content) sql += config.sql("DELETE FROM %Q.'%q_content';");
  if (config.has_sizes) sql += config.sql("DELETE FROM %Q.'%q_docsize';");
  if (config.version == 4) sql += config.sql("DELETE FROM %Q.'%q_stat' WHERE id <> 2;");
  return code == SQLITE_OK ? execute(config.db, sql) : code;
}

// `rows`: changed by the number of rows that are gone.
int Fts3Table::remove(int64_t docid, RowSizes* removed, int64_t* rows) {
  int code = lookup_.prepare(config.db, content_query() + " WHERE " + rowid_name() + " = ?1");
  if (code != SQLITE_OK) return code;
  lookup_.bind(1, docid);
  const bool is_found = lookup_.next_row();
  if (is_found) {
    std::vector<sqlite3_value*> values;
    for (int i = 0; i < config.column_count(); ++i) values.push_back(sqlite3_column_value(lookup_.get(), i + 1));
    index_row(docid, lookup_.integer(config.column_count() + 1), values.data(), true, removed);
  }
  code = lookup_.reset();
  if (code != SQLITE_OK) return code;
  if (is_found) --*rows;
  if (config.content == Fts3Content::kOwn) {
    bool has_others = true;
    if (is_found) code = has_other_rows(docid, &has_others);
    if (code != SQLITE_OK) return code;
    if (!has_others) {
      *removed = {};
      *rows = 0;
      return erase_all(true);
    }
    code = delete_content_.prepare(config.db, config.sql("DELETE FROM %Q.'%q_content' WHERE docid = ?1"));
    if (code != SQLITE_OK) return code;
    delete_content_.bind(1, docid);
    code = delete_content_.run();
  }
  if (code != SQLITE_OK || !config.has_sizes) return code;
  code = delete_sizes_.prepare(config.db, config.sql("DELETE FROM %Q.'%q_docsize' WHERE docid = ?1"));
  if (code != SQLITE_OK) return code;
  delete_sizes_.bind(1, docid);
  return delete_sizes_.run();
}

int Fts3Table::change_row(int count, sqlite3_value** values, sqlite3_int64* rowid) {
  const int columns = config.column_count();
  RowSizes added, removed;
  int64_t rows = 0;
  int code = SQLITE_OK;
  if (count > 1 && sqlite3_value_int64(values[4 + columns]) < 0) return SQLITE_CONSTRAINT;
  bool is_inserted = false;
  sqlite3_int64 docid = 0;
  if (count > 1 && config.content == Fts3Content::kOwn) {
    sqlite3_value* wanted = values[3 + columns];
    if (sqlite3_value_type(wanted) == SQLITE_NULL) wanted = values[1];
    const bool moves = sqlite3_value_type(wanted) != SQLITE_NULL &&
                       (sqlite3_value_type(values[0]) == SQLITE_NULL ||
                        sqlite3_value_int64(values[0]) != sqlite3_value_int64(wanted));
    if (moves && sqlite3_vtab_on_conflict(config.db) == SQLITE_REPLACE) {
      code = remove(sqlite3_value_int64(wanted), &removed, &rows);
    } else if (moves) {
      // A row that cannot be stored leaves all as it was.
      code = insert_content(values, &docid);
      is_inserted = true;
    }
  }
  if (code == SQLITE_OK && sqlite3_value_type(values[0]) != SQLITE_NULL) {
    if (config.content == Fts3Content::kNone) {
      code = lookup_.prepare(config.db, content_query() + " WHERE rowid = ?1");
      return code == SQLITE_OK ? SQLITE_ERROR : code;
    }
    code = remove(sqlite3_value_int64(values[0]), &removed, &rows);
  }
  if (code == SQLITE_OK && count > 1) {
    if (!is_inserted) code = insert_content(values, &docid);
    if (code == SQLITE_OK) {
      index_row(docid, config.language_column.empty() ? 0 : language_of(values[4 + columns]), values + 2, false, &added);
      code = write_sizes(docid, added);
      ++rows;
      *rowid = docid;
    }
  }
  if (code == SQLITE_OK) code = index.end_row();
  return code == SQLITE_OK ? change_totals(added, removed, rows) : code;
}

int Fts3Table::change(int count, sqlite3_value** values, sqlite3_int64* rowid) {
  ++changes_;
  int code = SQLITE_OK;
  const int own = 2 + config.column_count();
  if (count > 1 && sqlite3_value_type(values[0]) == SQLITE_NULL && sqlite3_value_type(values[own]) != SQLITE_NULL) {
    code = command(std::string(fts3_text(values[own])));
  } else {
    code = change_row(count, values, rowid);
  }
  --changes_;
  return code;
}

int Fts3Table::flush() {
  // Statements that write the index begin savepoints, which ask for a flush.
  if (is_flushing_ || !index.has_pending()) return SQLITE_OK;
  is_flushing_ = true;
  ++changes_;
  const int64_t last_rowid = sqlite3_last_insert_rowid(config.db);
  int code = index.flush();
  sqlite3_set_last_insert_rowid(config.db, last_rowid);
  --changes_;
  is_flushing_ = false;
  return code;
}

void Fts3Table::forget() { index.forget(); }

// ---- Commands ------------------------------------------------------------------------------------

int Fts3Table::optimize(bool* merged) {
  ++changes_;
  int code = index.optimize(merged);
  --changes_;
  return code;
}

int Fts3Table::rebuild() {
  Statement stmt;
  int code = stmt.prepare(config.db, content_query());
  if (code == SQLITE_OK) code = erase_all(false);
  Fts3Totals totals;
  totals.tokens.assign(config.columns.size(), 0);
  while (code == SQLITE_OK && stmt.next_row()) {
    std::vector<sqlite3_value*> values;
    for (int i = 0; i < config.column_count(); ++i) values.push_back(sqlite3_column_value(stmt.get(), i + 1));
    RowSizes sizes;
    index_row(stmt.integer(0), stmt.integer(config.column_count() + 1), values.data(), false, &sizes);
    code = write_sizes(stmt.integer(0), sizes);
    if (code == SQLITE_OK) code = index.end_row();
    ++totals.rows;
    for (size_t i = 0; i < sizes.tokens.size(); ++i) totals.tokens[i] += sizes.tokens[i];
    totals.bytes += sizes.bytes;
  }
  const int reset = stmt.reset();
  if (code == SQLITE_OK) code = reset;
  return code == SQLITE_OK && config.version == 4 ? write_totals(totals) : code;
}

int Fts3Table::command(const std::string& text) {
  const auto is = [&](const char* name) { return sqlite3_stricmp(text.c_str(), name) == 0; };
  const auto starts = [&](const char* name) {
    return sqlite3_strnicmp(text.c_str(), name, static_cast<int>(std::string_view(name).size())) == 0;
  };
  const auto number = [&](size_t at) {
    int64_t value = 0;
    std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), value);
    return value;
  };
  if (is("optimize")) {
    bool merged = false;
    return index.optimize(&merged);
  }
  if (is("rebuild")) return rebuild();
  if (is("integrity-check")) {
    bool is_good = true;
    int code = check(&is_good);
    return code == SQLITE_OK && !is_good ? SQLITE_CORRUPT_VTAB : code;
  }
  if (starts("merge=")) {
    const size_t comma = text.find(',');
    const int64_t least = comma == std::string::npos ? 8 : number(comma + 1);
    if (least < 2) return SQLITE_ERROR;
    return index.merge(number(6), least);
  }
  if (starts("automerge=")) {
    int64_t count = number(10);
    if (count == 1 || count > 16) count = 8;
    int code = SQLITE_OK;
    if (!config.has_stat) {
      code = execute(config.db, config.sql("CREATE TABLE IF NOT EXISTS %Q.'%q_stat'(id INTEGER PRIMARY KEY, value BLOB)"));
      config.has_stat = code == SQLITE_OK;
    }
    if (code != SQLITE_OK) return code;
    index.set_merge_threshold(count >= 2 && count < 16 ? count : 16);
    return execute(config.db, config.sql("REPLACE INTO %Q.'%q_stat' VALUES(") + std::to_string(kAutomerge) + ", " +
                                  std::to_string(count) + ")");
  }
  return SQLITE_ERROR;
}

int Fts3Table::check(bool* is_good) {
  ++changes_;
  int code = index.flush();
  --changes_;
  std::vector<int64_t> languages;
  if (code == SQLITE_OK) code = index.languages(&languages);
  uint64_t indexed = 0, stored = 0;
  bool is_readable = true;
  std::vector<Fts3Place> places;
  for (int64_t language : languages) {
    for (int i = 0; code == SQLITE_OK && i < config.index_count(); ++i) {
      code = index.each_term(language, i, {}, [&](const std::string& term, const std::vector<Fts3Row>& rows) {
        for (const Fts3Row& row : rows) {
          places.clear();
          is_readable = is_readable && decode_fts3_places(row.list, &places);
          for (Fts3Place place : places) indexed ^= fts3_entry_hash(term, language, i, row.docid, place);
        }
        return SQLITE_OK;
      });
    }
  }
  if ((code & 0xff) == SQLITE_CORRUPT) {
    *is_good = false;
    return SQLITE_OK;
  }
  Statement stmt;
  if (code == SQLITE_OK) code = stmt.prepare(config.db, content_query());
  if (code != SQLITE_OK) return code;
  while (stmt.next_row()) {
    const int64_t docid = stmt.integer(0);
    const int64_t language = stmt.integer(config.column_count() + 1);
    for (size_t column = 0; column < config.columns.size(); ++column) {
      if (!config.is_indexed[column]) continue;
      const std::string_view text = fts3_text(sqlite3_column_value(stmt.get(), static_cast<int>(column) + 1));
      config.tokenizer->tokenize(text, [&](const Fts3Token& token) {
        const Fts3Place place = fts3_place(static_cast<int>(column), token.position);
        stored ^= fts3_entry_hash(token.text, language, 0, docid, place);
        for (size_t i = 0; i < config.prefixes.size(); ++i) {
          const auto size = static_cast<size_t>(config.prefixes[i]);
          if (token.text.size() < size) continue;
          stored ^= fts3_entry_hash(token.text.substr(0, size), language, static_cast<int64_t>(i) + 1, docid, place);
        }
        return true;
      });
    }
  }
  code = stmt.reset();
  *is_good = is_readable && indexed == stored;
  return code;
}

}  // namespace godwit::modules
