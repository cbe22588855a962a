#include "modules/fts3_config.h"

#include <algorithm>

namespace godwit::modules {

namespace {

bool is_word_character(char c) {
  return (c & 0x80) != 0 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The content of a quoted string, from its first quote on.
std::string unquoted(std::string_view text, size_t* at) {
  const char open = text[(*at)++];
  const char close = open == '[' ? ']' : open;
  std::string result;
  while (*at < text.size()) {
    const char c = text[(*at)++];
    if (c == close) {
      if (close == ']' || *at >= text.size() || text[*at] != close) break;
      ++*at;
    }
    result.push_back(c);
  }
  return result;
}

bool is_quote(char c) { return c == '\'' || c == '"' || c == '[' || c == '`'; }

bool equals(std::string_view a, const char* b) {
  return a.size() == std::string_view(b).size() && sqlite3_strnicmp(a.data(), b, static_cast<int>(a.size())) == 0;
}

// Lengths of prefixes: 2,4,...
bool parse_prefixes(const std::string& text, std::vector<int>* prefixes) {
  size_t at = 0;
  while (true) {
    int64_t value = 0;
    const size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && value < 10000000) {
      value = value * 10 + (text[at++] - '0');
    }
    if (at == start || value > 10000000) return false;
    if (value > 0) prefixes->push_back(static_cast<int>(value));
    if (at >= text.size()) return true;
    if (text[at++] != ',') return false;
  }
}

}  // namespace

bool take_fts3_word(std::string_view text, size_t* at, std::string* word) {
  while (*at < text.size() && !is_quote(text[*at]) && !is_word_character(text[*at])) ++*at;
  if (*at >= text.size()) return false;
  if (is_quote(text[*at])) {
    *word = unquoted(text, at);
    return true;
  }
  const size_t start = *at;
  while (*at < text.size() && is_word_character(text[*at])) ++*at;
  *word = std::string(text.substr(start, *at - start));
  return true;
}

int Fts3Config::set(std::string_view key, const std::string& value, std::vector<std::string>* unindexed,
                    std::string* error) {
  if (equals(key, "matchinfo")) {
    has_sizes = false;
    if (!equals(value, "fts3")) *error = "unrecognized matchinfo: " + value;
  } else if (equals(key, "prefix")) {
    prefixes.clear();
    if (!parse_prefixes(value, &prefixes)) *error = "error parsing prefix parameter: " + value;
  } else if (equals(key, "compress")) {
    compress = value;
  } else if (equals(key, "uncompress")) {
    uncompress = value;
  } else if (equals(key, "order")) {
    descends = equals(value, "desc");
    if (!descends && !equals(value, "asc")) *error = "unrecognized order: " + value;
  } else if (equals(key, "content")) {
    content = value.empty() ? Fts3Content::kNone : Fts3Content::kExternal;
    content_table = value;
  } else if (equals(key, "languageid")) {
    language_column = value;
  } else if (equals(key, "notindexed")) {
    unindexed->push_back(value);
  } else {
    *error = "unrecognized parameter: " + std::string(key);
  }
  return error->empty() ? SQLITE_OK : SQLITE_ERROR;
}

// Without columns of its own, the table has those of its content.
int Fts3Config::read_content_columns(std::string* error) {
  Statement stmt;
  int code = stmt.prepare(db, formatted("SELECT * FROM %Q.%Q", database.c_str(), content_table.c_str()));
  if (code != SQLITE_OK) {
    *error = sqlite3_errmsg(db);
    return code;
  }
  for (int i = 0; i < sqlite3_column_count(stmt.get()); ++i) columns.push_back(sqlite3_column_name(stmt.get(), i));
  for (size_t i = 0; !language_column.empty() && i < columns.size(); ++i) {
    if (sqlite3_stricmp(columns[i].c_str(), language_column.c_str()) != 0) continue;
    columns.erase(columns.begin() + static_cast<long>(i));
    break;
  }
  return SQLITE_OK;
}

int Fts3Config::parse(int count, const char* const* arguments, std::string* error) {
  version = sqlite3_stricmp(arguments[0], "fts4") == 0 ? 4 : 3;
  has_stat = has_sizes = version == 4;
  database = arguments[1];
  name = arguments[2];
  std::vector<std::string> unindexed;
  int code = SQLITE_OK;
  for (int i = 3; code == SQLITE_OK && i < count; ++i) {
    const std::string_view text(arguments[i]);
    size_t key = 0;
    while (key < text.size() && is_word_character(text[key])) ++key;
    const bool is_option = key > 0 && key < text.size() && text[key] == '=';
    if (tokenizer == nullptr && text.size() > 8 && equals(text.substr(0, 8), "tokenize") && !is_word_character(text[8])) {
      code = open_fts3_tokenizer(text.substr(9), &tokenizer, error);
    } else if (version == 4 && is_option) {
      std::string value(text.substr(key + 1));
      size_t at = 0;
      if (!value.empty() && is_quote(value[0])) value = unquoted(std::string(value), &at);
      code = set(text.substr(0, key), value, &unindexed, error);
      if (error->starts_with("unrecognized parameter")) *error = "unrecognized parameter: " + std::string(text);
    } else {
      size_t at = 0;
      std::string column;
      take_fts3_word(text, &at, &column);
      columns.push_back(column);
    }
  }
  if (code != SQLITE_OK) return code;
  if (content != Fts3Content::kOwn) compress = uncompress = {};
  if (content == Fts3Content::kExternal && columns.empty()) code = read_content_columns(error);
  if (code == SQLITE_OK && compress.empty() != uncompress.empty()) {
    *error = formatted("missing %s parameter in fts4 constructor", compress.empty() ? "compress" : "uncompress");
    code = SQLITE_ERROR;
  }
  if (columns.empty()) columns.push_back("content");
  is_indexed.assign(columns.size(), true);
  for (const std::string& column : unindexed) {
    size_t i = 0;
    while (i < columns.size() && sqlite3_stricmp(columns[i].c_str(), column.c_str()) != 0) ++i;
    if (i == columns.size() && code == SQLITE_OK) {
      *error = "no such column: " + column;
      code = SQLITE_ERROR;
    }
    if (i < columns.size()) is_indexed[i] = false;
  }
  if (code == SQLITE_OK && tokenizer == nullptr) code = open_fts3_tokenizer("simple", &tokenizer, error);
  return code;
}

std::string Fts3Config::declaration() const {
  std::string sql = "CREATE TABLE x(";
  for (const std::string& column : columns) sql += formatted("%Q, ", column.c_str());
  const char* language = language_column.empty() ? "__langid" : language_column.c_str();
  return sql + formatted("%Q HIDDEN, docid HIDDEN, %Q HIDDEN)", name.c_str(), language);
}

}  // namespace godwit::modules
