#include "modules/fts5_config.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "modules/statement.h"

namespace godwit::modules {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_bare(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || c == '_' || c == 0x1a || std::isalnum(byte) != 0;
}
void skip_spaces(std::string_view text, size_t* at) {
  while (*at < text.size() && is_space(text[*at])) ++*at;
}

constexpr int kMaxPrefix = 999;
constexpr size_t kMaxPrefixes = 31;

}  // namespace

std::string take_fts5_word(std::string_view text, size_t* at) {
  skip_spaces(text, at);
  std::string word;
  if (*at >= text.size()) return word;
  const char open = text[*at];
  if (open == '"' || open == '\'' || open == '[' || open == '`') {
    const char close = open == '[' ? ']' : open;
    size_t i = *at + 1;
    for (; i < text.size(); ++i) {
      if (text[i] == close) {
        if (close == ']' || i + 1 >= text.size() || text[i + 1] != close) break;
        ++i;
      }
      word.push_back(text[i]);
    }
    if (i >= text.size()) return std::string();
    *at = i + 1;
    return word;
  }
  while (*at < text.size() && is_bare(text[*at])) word.push_back(text[(*at)++]);
  return word;
}

Fts5Config::~Fts5Config() {
  if (tokenizer_ == nullptr) return;
  if (tokenizer_entry_->is_v2) {
    tokenizer_entry_->methods_v2.xDelete(tokenizer_);
  } else {
    tokenizer_entry_->methods.xDelete(tokenizer_);
  }
}

std::string Fts5Config::sql(const char* format) const {
  return formatted(format, database.c_str(), name.c_str());
}

// ---- CREATE VIRTUAL TABLE ------------------------------------------------------------------------

int Fts5Config::parse(int count, const char* const* arguments, std::string* error) {
  database = arguments[1];
  name = arguments[2];
  if (sqlite3_stricmp(name.c_str(), "rank") == 0) {
    *error = "reserved fts5 table name: " + name;
    return SQLITE_ERROR;
  }
  for (int i = 3; i < count; ++i) {
    const std::string_view text = arguments[i];
    size_t at = 0;
    std::string word = take_fts5_word(text, &at);
    if (at == 0) {
      *error = formatted("parse error in \"%s\"", arguments[i]);
      return SQLITE_ERROR;
    }
    size_t equals = at;
    skip_spaces(text, &equals);
    int code;
    if (equals < text.size() && text[equals] == '=') {
      size_t value_at = equals + 1;
      skip_spaces(text, &value_at);
      code = parse_option(word, text.substr(value_at), error);
    } else {
      code = add_column(text, at, std::move(word), error);
    }
    if (code != SQLITE_OK) return code;
  }
  return columns.empty() ? SQLITE_ERROR : SQLITE_OK;
}

int Fts5Config::add_column(std::string_view text, size_t at, std::string column, std::string* error) {
  if (sqlite3_stricmp(column.c_str(), "rank") == 0 || sqlite3_stricmp(column.c_str(), "rowid") == 0) {
    *error = "reserved fts5 column name: " + column;
    return SQLITE_ERROR;
  }
  bool unindexed = false;
  skip_spaces(text, &at);
  if (at < text.size()) {
    const size_t start = at;
    const std::string option = take_fts5_word(text, &at);
    if (sqlite3_stricmp(option.c_str(), "unindexed") != 0) {
      *error = "unrecognized column option: " + (option.empty() ? std::string(text.substr(start)) : option);
      return SQLITE_ERROR;
    }
    unindexed = true;
  }
  columns.push_back(std::move(column));
  is_unindexed.push_back(unindexed);
  return SQLITE_OK;
}

int Fts5Config::parse_prefixes(std::string_view text, std::string* error) {
  const std::string words(text);
  const char* at = words.c_str();
  for (bool is_first = true;; is_first = false) {
    while (*at == ' ') ++at;
    if (!is_first && *at == ',') {
      ++at;
      while (*at == ' ') ++at;
    } else if (*at == '\0') {
      return SQLITE_OK;
    }
    if (*at < '0' || *at > '9') {
      *error = "malformed prefix=... directive";
      return SQLITE_ERROR;
    }
    if (prefixes.size() >= kMaxPrefixes) {
      *error = formatted("too many prefix indexes (max %d)", static_cast<int>(kMaxPrefixes));
      return SQLITE_ERROR;
    }
    int size = 0;
    while (*at >= '0' && *at <= '9' && size < 1000) size = size * 10 + (*at++ - '0');
    if (size <= 0 || size >= 1000) {
      *error = formatted("prefix length out of range (max %d)", kMaxPrefix);
      return SQLITE_ERROR;
    }
    prefixes.push_back(size);
  }
}

int Fts5Config::parse_option(const std::string& key, std::string_view text, std::string* error) {
  size_t at = 0;
  const bool is_quoted = !text.empty() && std::strchr("\"'[`", text[0]) != nullptr;
  const std::string value = is_quoted ? take_fts5_word(text, &at) : std::string(text);
  const auto is = [&](const char* option) {
    return sqlite3_strnicmp(option, key.c_str(), static_cast<int>(key.size())) == 0;
  };
  const auto fail = [&](const char* message) {
    *error = message;
    return SQLITE_ERROR;
  };
  const auto is_flag = [&] { return value == "0" || value == "1"; };
  if (is("prefix")) return parse_prefixes(value, error);
  if (is("tokenize")) {
    if (!tokenizer_words.empty()) return fail("multiple tokenize=... directives");
    for (size_t place = 0;;) {
      const size_t before = place;
      std::string word = take_fts5_word(value, &place);
      skip_spaces(value, &place);
      if (place == before) break;
      tokenizer_words.push_back(std::move(word));
    }
    return tokenizer_words.empty() ? fail("parse error in tokenize directive") : SQLITE_OK;
  }
  if (is("content")) {
    if (has_content_option_) return fail("multiple content=... directives");
    has_content_option_ = true;
    content = value.empty() ? Fts5Content::kNone : Fts5Content::kExternal;
    content_table = value;
    return SQLITE_OK;
  }
  if (is("content_rowid")) {
    content_rowid = value;
    return SQLITE_OK;
  }
  if (is("columnsize")) {
    if (!is_flag()) return fail("malformed columnsize=... directive");
    has_sizes = value == "1";
    return SQLITE_OK;
  }
  if (is("detail")) {
    if (value.empty()) return fail("malformed detail=... directive");
    for (auto [word, kind] : {std::pair{"none", Fts5Detail::kNone}, std::pair{"full", Fts5Detail::kFull},
                              std::pair{"columns", Fts5Detail::kColumns}}) {
      if (sqlite3_strnicmp(word, value.c_str(), static_cast<int>(value.size())) != 0) continue;
      detail = kind;
      return SQLITE_OK;
    }
    return fail("malformed detail=... directive");
  }
  for (const char* option : {"contentless_delete", "contentless_unindexed", "locale", "tokendata"}) {
    if (sqlite3_stricmp(option, key.c_str()) != 0) continue;
    if (!is_flag()) return fail(formatted("malformed %s=... directive", option).c_str());
    if (value == "0") return SQLITE_OK;
    return fail(formatted("not implemented: fts5 option %s", option).c_str());
  }
  return fail(formatted("unrecognized option: \"%.*s\"", static_cast<int>(key.size()), key.c_str()).c_str());
}

int Fts5Config::open_tokenizer(std::string* error) {
  std::vector<const char*> arguments;
  for (const std::string& word : tokenizer_words) arguments.push_back(word.c_str());
  const char* wanted = arguments.empty() ? "unicode61" : arguments[0];
  tokenizer_entry_ = global->find_tokenizer(wanted);
  if (tokenizer_entry_ == nullptr) {
    *error = std::string("no such tokenizer: ") + wanted;
    return SQLITE_ERROR;
  }
  const char** first = arguments.empty() ? nullptr : arguments.data() + 1;
  const int count = arguments.empty() ? 0 : static_cast<int>(arguments.size()) - 1;
  int code = tokenizer_entry_->is_v2
                 ? tokenizer_entry_->methods_v2.xCreate(tokenizer_entry_->context, first, count, &tokenizer_)
                 : tokenizer_entry_->methods.xCreate(tokenizer_entry_->context, first, count, &tokenizer_);
  if (code == SQLITE_OK) return code;
  tokenizer_ = nullptr;
  if (code != SQLITE_NOMEM) *error = "error in tokenizer constructor";
  return code;
}

int Fts5Config::tokenize(std::string_view text, int flags, void* context,
                         int (*token)(void*, int, const char*, int, int, int)) const {
  if (text.empty()) return SQLITE_OK;
  const int size = static_cast<int>(text.size());
  if (tokenizer_entry_->is_v2) {
    return tokenizer_entry_->methods_v2.xTokenize(tokenizer_, context, flags, text.data(), size, nullptr,
                                                  0, token);
  }
  return tokenizer_entry_->methods.xTokenize(tokenizer_, context, flags, text.data(), size, token);
}

std::string Fts5Config::declaration() const {
  std::string text = "CREATE TABLE x(";
  for (const std::string& column : columns) text += formatted("%Q,", column.c_str());
  return text + formatted("%Q HIDDEN, rank HIDDEN)", name.c_str());
}

// ---- %_config ------------------------------------------------------------------------------------

bool Fts5Config::parse_rank(std::string_view text, std::string* function, std::string* arguments) {
  size_t at = 0;
  while (at < text.size() && is_space(text[at])) ++at;
  const size_t start = at;
  while (at < text.size() && is_bare(text[at])) ++at;
  *function = text.substr(start, at - start);
  while (at < text.size() && is_space(text[at])) ++at;
  if (function->empty() || at >= text.size() || text[at] != '(') return false;
  const size_t open = ++at;
  // Literals alone, separated by commas.
  bool in_quotes = false;
  for (; at < text.size() && (in_quotes || text[at] != ')'); ++at) in_quotes ^= text[at] == '\'';
  if (at >= text.size()) return false;
  *arguments = text.substr(open, at - open);
  return true;
}

bool Fts5Config::set(std::string_view key, sqlite3_value* value) {
  const bool is_number = sqlite3_value_numeric_type(value) == SQLITE_INTEGER;
  const int number = sqlite3_value_int(value);
  const auto is = [&](const char* name_) { return sqlite3_stricmp(name_, std::string(key).c_str()) == 0; };
  if (is("rank")) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    std::string function, arguments;
    if (text == nullptr || !parse_rank(text, &function, &arguments)) return false;
    rank_function = function;
    rank_arguments = arguments;
    return true;
  }
  if (!is_number) return false;
  if (is("pgsz")) {
    if (number < 32 || number > 64 * 1024) return false;
    page_size = number;
  } else if (is("hashsize")) {
    if (number <= 0) return false;
    hash_size = number;
  } else if (is("automerge")) {
    if (number < 0 || number > 64) return false;
    automerge = number == 1 ? 4 : number;
  } else if (is("usermerge")) {
    if (number < 2 || number > 16) return false;
    usermerge = number;
  } else if (is("crisismerge")) {
    if (number < 0) return false;
    crisismerge = number <= 1 ? 16 : std::min(number, 2000);
  } else {
    return false;
  }
  return true;
}

int Fts5Config::load_settings(std::string* error) {
  page_size = 4050;
  automerge = usermerge = 4;
  crisismerge = 16;
  hash_size = 1024 * 1024;
  rank_function = "bm25";
  rank_arguments.clear();
  Statement rows;
  int version = 0;
  int code = rows.prepare(db, sql("SELECT k, v FROM \"%w\".\"%w_config\""));
  if (code != SQLITE_OK) {
    *error = sqlite3_errmsg(db);
    return code;
  }
  while (rows.next_row()) {
    const std::string key(rows.text(0));
    sqlite3_value* value = sqlite3_column_value(rows.get(), 1);
    if (key == "version") {
      version = sqlite3_value_int(value);
    } else {
      (void)set(key, value);
    }
  }
  code = rows.reset();
  if (code == SQLITE_OK && version != kFormat && version != kSecureFormat) {
    *error = formatted("invalid fts5 file format (found %d, expected %d or %d) - run 'rebuild'", version,
                       kFormat, kSecureFormat);
    return SQLITE_ERROR;
  }
  return code;
}

}  // namespace godwit::modules
