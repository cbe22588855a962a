#include "modules/fts5_cursor.h"

#include <algorithm>

namespace godwit::modules {

Fts5Cursor::Fts5Cursor(Fts5Table* table) : table_(table) {
  Fts5Global* global = table->config.global;
  id_ = global->next_cursor++;
  global->cursors[id_] = this;
}

Fts5Cursor::~Fts5Cursor() {
  for (auto& [entry, data] : kept) {
    if (data.destroy != nullptr) data.destroy(data.data);
  }
  table_->config.global->cursors.erase(id_);
}

// ---- Walking -------------------------------------------------------------------------------------

int Fts5Cursor::start(const Fts5Request& request) {
  query_.reset();
  special_.reset();
  rank_ = nullptr;
  rank_values_.finalize();
  has_rank_row_ = false;
  content_.finalize();
  at_end_ = true;
  scans_ = has_content_ = false;
  if (request.is_empty) return SQLITE_OK;
  if (request.matches.empty()) return start_scan(request);

  int code = table_->flush();
  if (code == SQLITE_OK) code = table_->refresh_settings();
  if (code == SQLITE_OK) code = prepare_rank(request.rank);
  if (code != SQLITE_OK) return code;
  auto query = std::make_unique<Fts5Query>(&table_->config);
  for (const Fts5Request::Match& match : request.matches) {
    if (!match.text.empty() && match.text[0] == '*') {
      size_t at = 1, end;
      while (at < match.text.size() && match.text[at] == ' ') ++at;
      for (end = at; end < match.text.size() && match.text[end] != ' ';) ++end;
      const std::string word = match.text.substr(at, end - at);
      if (sqlite3_stricmp(word.c_str(), "reads") != 0 && sqlite3_stricmp(word.c_str(), "id") != 0) {
        return table_->fail("unknown special query: " + word);
      }
      special_ = std::to_string(word[0] == 'i' || word[0] == 'I' ? id_ : 0);
      at_end_ = false;
      return SQLITE_OK;
    }
    std::string error;
    code = query->add(match.text, match.column, &error);
    if (code != SQLITE_OK) return error.empty() ? code : table_->fail(error, code);
  }
  code = query->run(&table_->index);
  if (code != SQLITE_OK) return code;
  query_ = std::move(query);
  rowids_ = query_->rowids();
  std::erase_if(rowids_, [&](int64_t rowid) {
    return rowid < request.least || rowid > request.greatest || (request.rowid.has_value() && rowid != *request.rowid);
  });
  if (request.descends) std::reverse(rowids_.begin(), rowids_.end());
  at_ = 0;
  return enter_row();
}

int Fts5Cursor::start_phrase(std::unique_ptr<Fts5Query> query) {
  int code = query->run(&table_->index);
  if (code != SQLITE_OK) return code;
  query_ = std::move(query);
  rowids_ = query_->rowids();
  at_ = 0;
  return enter_row();
}

int Fts5Cursor::start_scan(const Fts5Request& request) {
  scans_ = true;
  const bool looks_up = request.rowid.has_value();
  const Fts5Config& config = table_->config;
  if (config.content == Fts5Content::kNone && !config.has_sizes) return SQLITE_ERROR;
  int code = prepare_rank(request.rank);
  if (code != SQLITE_OK) return code;
  const char* tail = looks_up           ? " WHERE {rowid} = ?1"
                     : request.descends ? " WHERE {rowid} BETWEEN ?1 AND ?2 ORDER BY {rowid} DESC"
                                        : " WHERE {rowid} BETWEEN ?1 AND ?2 ORDER BY {rowid} ASC";
  // Also a view or a virtual table may hold the content.
  sqlite3_stmt* probe = nullptr;
  const std::string sql = table_->content_query(tail);
  if (config.content == Fts5Content::kExternal) {
    code = sqlite3_prepare_v2(config.db, sql.c_str(), -1, &probe, nullptr);
    sqlite3_finalize(probe);
    if (code != SQLITE_OK) return table_->fail(sqlite3_errmsg(config.db), code);
  }
  code = content_.prepare(config.db, sql);
  if (code != SQLITE_OK) return table_->fail(sqlite3_errmsg(config.db), code);
  content_.bind(1, looks_up ? *request.rowid : request.least);
  if (!looks_up) content_.bind(2, request.greatest);
  return next();
}

int Fts5Cursor::next() {
  if (special_.has_value()) {
    at_end_ = true;
    return SQLITE_OK;
  }
  if (!scans_) {
    ++at_;
    return enter_row();
  }
  has_places_ = has_instances_ = has_sizes_ = false;
  at_end_ = !content_.next_row();
  if (at_end_) {
    int code = content_.reset();
    return code == SQLITE_OK ? code : table_->fail(sqlite3_errmsg(table_->config.db), code);
  }
  rowid_ = content_.integer(0);
  has_content_ = true;
  return SQLITE_OK;
}

int Fts5Cursor::enter_row() {
  has_places_ = has_instances_ = has_sizes_ = has_content_ = false;
  at_end_ = at_ >= rowids_.size();
  if (!at_end_) rowid_ = rowids_[at_];
  return SQLITE_OK;
}

// ---- Columns -------------------------------------------------------------------------------------

int Fts5Cursor::seek_content() {
  if (has_content_) return SQLITE_OK;
  const Fts5Config& config = table_->config;
  int code = content_.prepare(config.db, table_->content_query(" WHERE {rowid} = ?1"));
  if (code != SQLITE_OK) return table_->fail(sqlite3_errmsg(config.db), code);
  content_.reset();
  content_.bind(1, rowid_);
  has_content_ = content_.next_row();
  if (has_content_) return SQLITE_OK;
  code = content_.reset();
  if (code != SQLITE_OK) return table_->fail(sqlite3_errmsg(config.db), code);
  const std::string table = config.content == Fts5Content::kExternal
                                ? formatted("%Q.%Q", config.database.c_str(), config.content_table.c_str())
                                : config.sql("%Q.'%q_content'");
  return table_->fail(formatted("fts5: missing row %lld from content table %s", static_cast<long long>(rowid_), table.c_str()),
                      SQLITE_CORRUPT_VTAB);
}

int Fts5Cursor::column(sqlite3_context* context, int index) {
  const Fts5Config& config = table_->config;
  if (special_.has_value()) {
    if (index == config.column_count()) sqlite3_result_int64(context, std::atoll(special_->c_str()));
    return SQLITE_OK;
  }
  if (index == config.column_count()) {
    sqlite3_result_int64(context, id_);
    return SQLITE_OK;
  }
  if (index > config.column_count()) return query_ == nullptr ? SQLITE_OK : call_rank(context);
  if (config.content == Fts5Content::kNone) return SQLITE_OK;
  int code = seek_content();
  if (code == SQLITE_OK) sqlite3_result_value(context, sqlite3_column_value(content_.get(), index + 1));
  return code;
}

int Fts5Cursor::prepare_rank(std::optional<std::string> text) {
  std::string arguments = table_->config.rank_arguments;
  rank_name_ = table_->config.rank_function;
  if (text.has_value() && !Fts5Config::parse_rank(*text, &rank_name_, &arguments)) {
    return table_->fail("parse error in rank function: " + *text);
  }
  // That there is none of this name matters only to those who read the rank.
  rank_ = table_->config.global->find_function(rank_name_);
  if (arguments.empty()) return SQLITE_OK;
  int code = rank_values_.prepare(table_->config.db, "SELECT " + arguments);
  if (code != SQLITE_OK) return table_->fail(sqlite3_errmsg(table_->config.db), code);
  has_rank_row_ = rank_values_.next_row();
  return SQLITE_OK;
}

int Fts5Cursor::call_rank(sqlite3_context* context) {
  if (rank_ == nullptr) return table_->fail("no such function: " + rank_name_);
  std::vector<sqlite3_value*> values;
  const int count = has_rank_row_ ? sqlite3_column_count(rank_values_.get()) : 0;
  for (int i = 0; i < count; ++i) values.push_back(sqlite3_column_value(rank_values_.get(), i));
  call_fts5_function(rank_, this, context, count, values.data());
  return SQLITE_OK;
}

// ---- For auxiliary functions -----------------------------------------------------------------------

namespace {

// Finds the places of single-term phrases in a text, where the index does not have them.
struct PlaceFinder {
  const Fts5Query* query;
  std::vector<std::vector<Fts5Place>>* places;
  const std::vector<bool>* is_wanted;
  int column;
  int position;
};

int find_place(void* context, int flags, const char* token, int size, int, int) {
  auto* finder = static_cast<PlaceFinder*>(context);
  if ((flags & FTS5_TOKEN_COLOCATED) == 0 || finder->position < 0) ++finder->position;
  const std::string_view text(token, static_cast<size_t>(size));
  for (size_t i = 0; i < finder->query->phrase_count(); ++i) {
    const Fts5Phrase& phrase = finder->query->phrase(i);
    if (!(*finder->is_wanted)[i] || phrase.terms.size() != 1) continue;
    const Fts5Term& term = phrase.terms[0];
    const auto fits = [&](const std::string& wanted) {
      return term.is_prefix ? text.starts_with(wanted) : text == wanted;
    };
    if (!fits(term.text) && !std::any_of(term.synonyms.begin(), term.synonyms.end(), fits)) continue;
    const Fts5Place place = place_of(finder->column, finder->position);
    std::vector<Fts5Place>& found = (*finder->places)[i];
    if (found.empty() || found.back() != place) found.push_back(place);
  }
  return SQLITE_OK;
}

}  // namespace

int Fts5Cursor::find_places() {
  if (has_places_) return SQLITE_OK;
  places_.assign(phrase_count(), {});
  const Fts5Config& config = table_->config;
  const bool is_full = config.detail == Fts5Detail::kFull;
  std::vector<bool> is_wanted(phrase_count());
  std::vector<std::vector<Fts5Place>> columns(phrase_count());
  for (size_t i = 0; i < phrase_count(); ++i) {
    columns[i] = query_->places(i, rowid_);
    if (is_full) places_[i] = columns[i];
    is_wanted[i] = query_->has_part(i, rowid_);
  }
  for (int column = 0; !is_full && column < config.column_count(); ++column) {
    std::string_view content;
    if (config.content == Fts5Content::kNone) break;
    int code = text(column, &content);
    std::vector<bool> here = is_wanted;
    for (size_t i = 0; config.detail == Fts5Detail::kColumns && i < here.size(); ++i) {
      here[i] = std::binary_search(columns[i].begin(), columns[i].end(), place_of(column, 0));
    }
    PlaceFinder finder{query_.get(), &places_, &here, column, -1};
    if (code == SQLITE_OK) code = config.tokenize(content, FTS5_TOKENIZE_AUX, &finder, find_place);
    if (code != SQLITE_OK) return code;
  }
  has_places_ = true;
  return SQLITE_OK;
}

int Fts5Cursor::phrase_places(size_t phrase, const std::vector<Fts5Place>** out) {
  int code = find_places();
  if (code == SQLITE_OK) *out = &places_[phrase];
  return code;
}

int Fts5Cursor::instances(const std::vector<Fts5Instance>** out) {
  *out = &instances_;
  if (has_instances_) return SQLITE_OK;
  int code = find_places();
  if (code != SQLITE_OK) return code;
  instances_.clear();
  for (size_t i = 0; i < places_.size(); ++i) {
    for (Fts5Place place : places_[i]) instances_.push_back({static_cast<int>(i), place});
  }
  std::stable_sort(instances_.begin(), instances_.end(),
                   [](const Fts5Instance& a, const Fts5Instance& b) { return a.place < b.place; });
  has_instances_ = true;
  return SQLITE_OK;
}

int Fts5Cursor::text(int column, std::string_view* text) {
  *text = {};
  if (table_->config.content == Fts5Content::kNone) return SQLITE_OK;
  int code = seek_content();
  if (code == SQLITE_OK) *text = fts5_text(sqlite3_column_value(content_.get(), column + 1));
  return code;
}

namespace {

int count_token(void* context, int flags, const char*, int, int, int) {
  auto* count = static_cast<int64_t*>(context);
  if ((flags & FTS5_TOKEN_COLOCATED) == 0) ++*count;
  return SQLITE_OK;
}

}  // namespace

// `column` < 0: all.
int Fts5Cursor::size(int column, int64_t* tokens) {
  const Fts5Config& config = table_->config;
  *tokens = 0;
  if (!has_sizes_) {
    bool is_found = false;
    int code = table_->row_sizes(rowid_, &sizes_, &is_found);
    if (code != SQLITE_OK) return code;
    if (config.has_sizes && !is_found) return SQLITE_CORRUPT_VTAB;
    for (int i = 0; !config.has_sizes && i < config.column_count(); ++i) {
      const auto at = static_cast<size_t>(i);
      sizes_[at] = config.content == Fts5Content::kNone ? -1 : 0;
      if (sizes_[at] < 0 || config.is_unindexed[at]) continue;
      std::string_view content;
      code = text(i, &content);
      if (code == SQLITE_OK) code = config.tokenize(content, FTS5_TOKENIZE_AUX, &sizes_[at], count_token);
      if (code != SQLITE_OK) return code;
    }
    has_sizes_ = true;
  }
  if (column >= config.column_count()) return SQLITE_RANGE;
  for (int i = 0; i < config.column_count(); ++i) {
    if (column < 0 || i == column) *tokens += sizes_[static_cast<size_t>(i)];
  }
  return SQLITE_OK;
}

}  // namespace godwit::modules
