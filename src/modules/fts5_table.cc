#include "modules/fts5_table.h"

#include <algorithm>

namespace godwit::modules {

namespace {

constexpr int kMaxToken = 32768;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

// One entry of an index.
uint64_t entry_hash(std::string_view term, int64_t rowid, Fts5Place place) {
  uint64_t hash = std::hash<std::string_view>()(term);
  return mix(mix(hash, static_cast<uint64_t>(rowid)), static_cast<uint64_t>(place));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

}  // namespace

std::string_view fts5_text(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_value_bytes(value))};
}

int Fts5Table::fail(const std::string& message, int code) {
  sqlite3_free(base.zErrMsg);
  base.zErrMsg = sqlite3_mprintf("%s", message.c_str());
  return code;
}

// ---- The tables ----------------------------------------------------------------------------------

int Fts5Table::create() {
  std::string sql = config.sql("CREATE TABLE %Q.'%q_data'(id INTEGER PRIMARY KEY, block BLOB);");
  sql += config.sql(
      "CREATE TABLE %Q.'%q_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;");
  if (config.content == Fts5Content::kOwn) {
    sql += config.sql("CREATE TABLE %Q.'%q_content'(id INTEGER PRIMARY KEY");
    for (int i = 0; i < config.column_count(); ++i) sql += ", c" + std::to_string(i);
    sql += ");";
  }
  if (config.has_sizes) sql += config.sql("CREATE TABLE %Q.'%q_docsize'(id INTEGER PRIMARY KEY, sz BLOB);");
  sql += config.sql("CREATE TABLE %Q.'%q_config'(k PRIMARY KEY, v) WITHOUT ROWID;");
  sql += config.sql("INSERT INTO %Q.'%q_config' VALUES('version', 4)");
  int code = execute(config.db, sql);
  return code == SQLITE_OK ? index.create() : code;
}

void Fts5Table::finalize() {
  index.finalize();
  for (Statement* stmt : {&lookup_, &insert_content_, &delete_content_, &write_sizes_, &delete_sizes_, &read_sizes_}) {
    stmt->finalize();
  }
}

int Fts5Table::drop() {
  finalize();
  std::string sql;
  for (const char* suffix : {"data", "idx", "config", "docsize", "content"}) {
    sql += formatted("DROP TABLE IF EXISTS %Q.'%q_%s';", config.database.c_str(), config.name.c_str(), suffix);
  }
  return execute(config.db, sql);
}

int Fts5Table::rename(const std::string& name) {
  int code = flush();
  if (code != SQLITE_OK) return code;
  finalize();
  std::string sql;
  for (const char* suffix : {"data", "idx", "config", "docsize", "content"}) {
    if (std::string_view(suffix) == "docsize" && !config.has_sizes) continue;
    if (std::string_view(suffix) == "content" && config.content != Fts5Content::kOwn) continue;
    sql += formatted("ALTER TABLE %Q.'%q_%s' RENAME TO '%q_%s';", config.database.c_str(), config.name.c_str(),
                     suffix, name.c_str(), suffix);
  }
  code = execute(config.db, sql);
  if (code == SQLITE_OK) config.name = name;
  return code;
}

int Fts5Table::refresh_settings() {
  uint32_t cookie = 0;
  int code = index.read_cookie(&cookie);
  if (code != SQLITE_OK || (has_cookie_ && cookie == cookie_)) return code;
  std::string error;
  code = config.load_settings(&error);
  if (code != SQLITE_OK) return fail(error, code);
  cookie_ = cookie;
  has_cookie_ = true;
  return SQLITE_OK;
}

std::string Fts5Table::content_query(const char* tail) const {
  std::string columns, from, rowid = "id";
  if (config.content == Fts5Content::kOwn) {
    for (int i = 0; i < config.column_count(); ++i) columns += formatted(", c%d", i);
    from = config.sql("%Q.'%q_content'");
  } else if (config.content == Fts5Content::kExternal) {
    rowid = formatted("\"%w\"", config.content_rowid.c_str());
    if (sqlite3_stricmp(config.content_rowid.c_str(), "rowid") == 0) rowid = "rowid";
    for (const std::string& column : config.columns) columns += formatted(", \"%w\"", column.c_str());
    from = formatted("%Q.%Q", config.database.c_str(), config.content_table.c_str());
  } else {
    for (int i = 0; i < config.column_count(); ++i) columns += ", NULL";
    from = config.sql("%Q.'%q_docsize'");
  }
  return "SELECT " + rowid + columns + " FROM " + from + replaced(tail, "{rowid}", rowid);
}

int Fts5Table::has_row(int64_t rowid, bool* has) {
  *has = false;
  if (config.content == Fts5Content::kExternal || (config.content == Fts5Content::kNone && !config.has_sizes)) {
    return SQLITE_OK;
  }
  int code = lookup_.prepare(config.db, content_query(" WHERE {rowid} = ?1"));
  if (code != SQLITE_OK) return code;
  lookup_.bind(1, rowid);
  *has = lookup_.next_row();
  return lookup_.reset();
}

// ---- Rows ----------------------------------------------------------------------------------------

namespace {

struct RowTokens {
  Fts5Index* index;
  int column;
  int position;
  int code;
};

int take_token(void* context, int flags, const char* token, int size, int, int) {
  auto* row = static_cast<RowTokens*>(context);
  if ((flags & FTS5_TOKEN_COLOCATED) == 0 || row->position < 0) ++row->position;
  size = std::min(size, kMaxToken);
  return row->index->add_token(row->column, row->position, {token, static_cast<size_t>(size)});
}

}  // namespace

int Fts5Table::tokenize_row(int64_t rowid, sqlite3_value** values, bool is_deletion, std::vector<int64_t>* sizes) {
  sizes->assign(config.columns.size(), 0);
  int code = index.begin_row(rowid, is_deletion);
  for (size_t i = 0; code == SQLITE_OK && i < config.columns.size(); ++i) {
    if (config.is_unindexed[i] || sqlite3_value_type(values[i]) == SQLITE_NULL) continue;
    RowTokens row{&index, static_cast<int>(i), -1, SQLITE_OK};
    code = config.tokenize(fts5_text(values[i]), FTS5_TOKENIZE_DOCUMENT, &row, take_token);
    (*sizes)[i] = row.position + 1;
  }
  return code;
}

int Fts5Table::write_sizes(int64_t rowid, const std::vector<int64_t>& sizes) {
  if (!config.has_sizes) return SQLITE_OK;
  int code = write_sizes_.prepare(config.db, config.sql("REPLACE INTO %Q.'%q_docsize'(id, sz) VALUES(?1, ?2)"));
  if (code != SQLITE_OK) return code;
  std::string block;
  for (int64_t size : sizes) append_fts5_varint(static_cast<uint64_t>(size), &block);
  write_sizes_.bind(1, rowid);
  write_sizes_.bind_blob(2, block);
  return write_sizes_.run();
}

int Fts5Table::row_sizes(int64_t rowid, std::vector<int64_t>* sizes, bool* is_found) {
  sizes->assign(config.columns.size(), 0);
  *is_found = false;
  if (!config.has_sizes) return SQLITE_OK;
  int code = read_sizes_.prepare(config.db, config.sql("SELECT sz FROM %Q.'%q_docsize' WHERE id = ?1"));
  if (code != SQLITE_OK) return code;
  read_sizes_.bind(1, rowid);
  if (read_sizes_.next_row()) {
    *is_found = true;
    const std::string_view block = read_sizes_.blob(0);
    Fts5VarintReader reader(block);
    uint64_t value = 0;
    for (int64_t& size : *sizes) {
      if (!reader.next(&value)) *is_found = false;
      size = static_cast<int64_t>(value);
    }
  }
  return read_sizes_.reset();
}

int Fts5Table::totals(const Fts5Totals** totals) {
  *totals = &totals_;
  if (has_totals_) return SQLITE_OK;
  int code = index.read_totals(&totals_);
  has_totals_ = code == SQLITE_OK;
  return code;
}

int Fts5Table::store_content(sqlite3_value* rowid, sqlite3_value** values, bool replaces, int64_t* stored) {
  if (config.content == Fts5Content::kExternal ||
      (config.content == Fts5Content::kNone && sqlite3_value_type(rowid) == SQLITE_INTEGER)) {
    if (sqlite3_value_type(rowid) != SQLITE_INTEGER) return SQLITE_MISMATCH;
    *stored = sqlite3_value_int64(rowid);
    return SQLITE_OK;
  }
  if (config.content == Fts5Content::kNone) {
    if (!config.has_sizes) return SQLITE_MISMATCH;
    int code = execute(config.db, config.sql("INSERT INTO %Q.'%q_docsize'(id, sz) VALUES(NULL, NULL)"));
    *stored = sqlite3_last_insert_rowid(config.db);
    return code;
  }
  Statement& stmt = insert_content_;
  stmt.finalize();
  std::string sql = (replaces ? "REPLACE INTO " : "INSERT INTO ") + config.sql("%Q.'%q_content' VALUES(?1");
  for (int i = 0; i < config.column_count(); ++i) sql += ",?" + std::to_string(i + 2);
  int code = stmt.prepare(config.db, sql + ")");
  if (code != SQLITE_OK) return code;
  stmt.bind(1, rowid);
  for (int i = 0; i < config.column_count(); ++i) stmt.bind(i + 2, values[i]);
  code = stmt.run();
  *stored = sqlite3_last_insert_rowid(config.db);
  return code == SQLITE_CONSTRAINT ? fail("constraint failed", sqlite3_extended_errcode(config.db)) : code;
}

int Fts5Table::insert(int64_t rowid, sqlite3_value** values) {
  const Fts5Totals* before = nullptr;
  std::vector<int64_t> sizes;
  int code = totals(&before);
  if (code == SQLITE_OK) code = tokenize_row(rowid, values, false, &sizes);
  if (code == SQLITE_OK) code = write_sizes(rowid, sizes);
  if (code != SQLITE_OK) return code;
  ++totals_.rows;
  for (size_t i = 0; i < sizes.size(); ++i) totals_.tokens[i] += sizes[i];
  totals_changed_ = true;
  return SQLITE_OK;
}

int Fts5Table::remove(int64_t rowid, sqlite3_value** values) {
  const Fts5Totals* before = nullptr;
  std::vector<int64_t> sizes;
  int code = totals(&before);
  if (code != SQLITE_OK) return code;
  bool is_found = true;
  if (values != nullptr) {
    code = tokenize_row(rowid, values, true, &sizes);
  } else {
    code = lookup_.prepare(config.db, content_query(" WHERE {rowid} = ?1"));
    if (code != SQLITE_OK) return code;
    lookup_.bind(1, rowid);
    is_found = lookup_.next_row();
    if (is_found) {
      std::vector<sqlite3_value*> stored;
      for (int i = 0; i < config.column_count(); ++i) stored.push_back(sqlite3_column_value(lookup_.get(), i + 1));
      code = tokenize_row(rowid, stored.data(), true, &sizes);
    }
    const int reset = lookup_.reset();
    if (code == SQLITE_OK) code = reset;
  }
  if (code != SQLITE_OK || !is_found) return code;
  totals_.rows = std::max<int64_t>(totals_.rows - 1, 0);
  for (size_t i = 0; i < sizes.size(); ++i) totals_.tokens[i] = std::max<int64_t>(totals_.tokens[i] - sizes[i], 0);
  totals_changed_ = true;
  if (config.has_sizes) {
    code = delete_sizes_.prepare(config.db, config.sql("DELETE FROM %Q.'%q_docsize' WHERE id = ?1"));
    if (code != SQLITE_OK) return code;
    delete_sizes_.bind(1, rowid);
    code = delete_sizes_.run();
  }
  if (code != SQLITE_OK || config.content != Fts5Content::kOwn) return code;
  code = delete_content_.prepare(config.db, config.sql("DELETE FROM %Q.'%q_content' WHERE id = ?1"));
  if (code != SQLITE_OK) return code;
  delete_content_.bind(1, rowid);
  return delete_content_.run();
}

int Fts5Table::flush() {
  // Statements that write the index begin savepoints, which ask for a flush.
  if (is_flushing_) return SQLITE_OK;
  is_flushing_ = true;
  int code = SQLITE_OK;
  const int64_t last_rowid = sqlite3_last_insert_rowid(config.db);
  if (totals_changed_) code = index.write_totals(totals_);
  if (code == SQLITE_OK) totals_changed_ = false;
  has_totals_ = false;
  if (code == SQLITE_OK) code = index.flush();
  sqlite3_set_last_insert_rowid(config.db, last_rowid);
  is_flushing_ = false;
  return code;
}

void Fts5Table::forget() {
  index.forget();
  has_totals_ = totals_changed_ = has_cookie_ = false;
}

// ---- Commands ------------------------------------------------------------------------------------

int Fts5Table::erase_all() {
  int code = index.clear();
  has_totals_ = totals_changed_ = false;
  if (code == SQLITE_OK && config.has_sizes) code = execute(config.db, config.sql("DELETE FROM %Q.'%q_docsize'"));
  return code;
}

int Fts5Table::rebuild() {
  int code = erase_all();
  Statement rows;
  if (code == SQLITE_OK) code = rows.prepare(config.db, content_query(""));
  if (code != SQLITE_OK) return code;
  while (code == SQLITE_OK && rows.next_row()) {
    std::vector<sqlite3_value*> values;
    for (int i = 0; i < config.column_count(); ++i) values.push_back(sqlite3_column_value(rows.get(), i + 1));
    code = insert(rows.integer(0), values.data());
  }
  const int reset = rows.reset();
  return code == SQLITE_OK ? reset : code;
}

int Fts5Table::set(const std::string& key, sqlite3_value* value) {
  if (!config.set(key, value)) return SQLITE_ERROR;
  Statement stmt;
  int code = stmt.prepare(config.db, config.sql("REPLACE INTO %Q.'%q_config' VALUES(?1, ?2)"));
  if (code != SQLITE_OK) return code;
  stmt.bind_text(1, key);
  stmt.bind(2, value);
  code = stmt.run();
  has_cookie_ = false;
  return code == SQLITE_OK ? index.bump_cookie() : code;
}

int Fts5Table::command(const std::string& name, sqlite3_value* rowid, sqlite3_value** values, sqlite3_value* rank) {
  const auto is = [&](const char* word) { return sqlite3_stricmp(word, name.c_str()) == 0; };
  if (is("delete")) {
    if (config.content == Fts5Content::kOwn) return SQLITE_ERROR;
    return sqlite3_value_type(rowid) == SQLITE_INTEGER ? remove(sqlite3_value_int64(rowid), values) : SQLITE_OK;
  }
  if (is("delete-all")) {
    if (config.content == Fts5Content::kOwn) {
      return fail("'delete-all' may only be used with a contentless or external content fts5 table");
    }
    return erase_all();
  }
  if (is("rebuild")) {
    if (config.content == Fts5Content::kNone) {
      return fail("'rebuild' may not be used with a contentless fts5 table");
    }
    return rebuild();
  }
  if (is("optimize")) {
    int code = flush();
    return code == SQLITE_OK ? index.merge_all() : code;
  }
  if (is("merge")) {
    int code = flush();
    if (code != SQLITE_OK) return code;
    return sqlite3_value_int(rank) < 0 ? index.merge_all() : index.merge_some();
  }
  if (is("integrity-check")) return check_content(sqlite3_value_int(rank) != 0);
  if (is("flush")) return flush();
  int code = flush();
  return code == SQLITE_OK ? set(name, rank) : code;
}

// ---- Checking ------------------------------------------------------------------------------------

namespace {

struct HashedRow {
  const Fts5Config* config;
  int64_t rowid;
  int column;
  int position;
  std::vector<uint64_t> hashes;

  void add(char kind, std::string_view text) {
    const std::string term = std::string(1, kind).append(text);
    const Fts5Place place = config->detail == Fts5Detail::kFull      ? place_of(column, position)
                            : config->detail == Fts5Detail::kColumns ? place_of(column, 0)
                                                                     : 0;
    hashes.push_back(entry_hash(term, rowid, place));
  }
};

int hash_token(void* context, int flags, const char* token, int size, int, int) {
  auto* row = static_cast<HashedRow*>(context);
  if ((flags & FTS5_TOKEN_COLOCATED) == 0 || row->position < 0) ++row->position;
  const std::string_view text(token, static_cast<size_t>(std::min(size, kMaxToken)));
  row->add(Fts5Index::kMainIndex, text);
  for (size_t i = 0; i < row->config->prefixes.size(); ++i) {
    const std::string_view prefix = fts5_prefix(text, row->config->prefixes[i]);
    if (!prefix.empty()) row->add(static_cast<char>(Fts5Index::kMainIndex + 1 + i), prefix);
  }
  return SQLITE_OK;
}

}  // namespace

int Fts5Table::hash_content(uint64_t* sum, int64_t* count) {
  Statement rows;
  int code = rows.prepare(config.db, content_query(""));
  if (code != SQLITE_OK) return code;
  while (code == SQLITE_OK && rows.next_row()) {
    ++*count;
    HashedRow row{&config, rows.integer(0), 0, -1, {}};
    std::vector<int64_t> sizes(config.columns.size()), stored;
    for (size_t i = 0; code == SQLITE_OK && i < config.columns.size(); ++i) {
      sqlite3_value* value = sqlite3_column_value(rows.get(), static_cast<int>(i) + 1);
      if (config.is_unindexed[i] || sqlite3_value_type(value) == SQLITE_NULL) continue;
      row.column = static_cast<int>(i);
      row.position = -1;
      code = config.tokenize(fts5_text(value), FTS5_TOKENIZE_DOCUMENT, &row, hash_token);
      sizes[i] = row.position + 1;
    }
    std::sort(row.hashes.begin(), row.hashes.end());
    row.hashes.erase(std::unique(row.hashes.begin(), row.hashes.end()), row.hashes.end());
    for (uint64_t hash : row.hashes) *sum += hash;
    if (code != SQLITE_OK || !config.has_sizes) continue;
    bool is_found = false;
    code = row_sizes(row.rowid, &stored, &is_found);
    if (code == SQLITE_OK && (!is_found || stored != sizes)) code = SQLITE_CORRUPT_VTAB;
  }
  const int reset = rows.reset();
  return code == SQLITE_OK ? reset : code;
}

int Fts5Table::hash_index(uint64_t* sum) {
  std::vector<Fts5Place> places;
  return index.each_term({}, {}, [&](const std::string& term, const Fts5Postings& rows) {
    for (const Fts5Posting& row : rows.rows) {
      places.clear();
      decode_places(rows.list(row), config.detail == Fts5Detail::kColumns, &places);
      if (config.detail == Fts5Detail::kNone) places.push_back(0);
      for (Fts5Place place : places) *sum += entry_hash(term, row.rowid, place);
    }
    return SQLITE_OK;
  });
}

// SQLITE_CORRUPT_VTAB: the index is not that of the content.
int Fts5Table::check_content(bool checks_external) {
  int code = flush();
  uint64_t content = 0, indexed = 0;
  int64_t rows = 0;
  if (code == SQLITE_OK) code = hash_index(&indexed);
  const bool checks = config.content == Fts5Content::kOwn ||
                      (config.content == Fts5Content::kExternal && checks_external);
  if (code != SQLITE_OK || !checks) return code;
  code = hash_content(&content, &rows);
  const Fts5Totals* known = nullptr;
  if (code == SQLITE_OK) code = totals(&known);
  if (code != SQLITE_OK) return code;
  return content == indexed && rows == known->rows ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

}  // namespace godwit::modules
