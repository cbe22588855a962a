// What CREATE VIRTUAL TABLE ... USING fts5(...) says, and the settings in table %_config.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "modules/fts5_global.h"
#include "sqlite3.h"

namespace godwit::modules {

enum class Fts5Detail : uint8_t { kFull, kNone, kColumns };
enum class Fts5Content : uint8_t { kOwn, kNone, kExternal };

// `text` up to its end or a token that is not a bareword or in quotes. Empty: there is none.
std::string take_fts5_word(std::string_view text, size_t* at);

struct Fts5Config {
  static constexpr int kFormat = 4;        // in %_config
  static constexpr int kSecureFormat = 5;  // entries may have been removed in place; read alike

  Fts5Config() = default;
  Fts5Config(const Fts5Config&) = delete;
  ~Fts5Config();

  sqlite3* db = nullptr;
  Fts5Global* global = nullptr;
  std::string database, name;
  std::vector<std::string> columns;
  std::vector<bool> is_unindexed;
  std::vector<int> prefixes;
  Fts5Detail detail = Fts5Detail::kFull;
  Fts5Content content = Fts5Content::kOwn;
  std::string content_table, content_rowid = "rowid";
  bool has_sizes = true;
  std::vector<std::string> tokenizer_words;

  // Settings.
  int page_size = 4050, automerge = 4, usermerge = 4, crisismerge = 16, hash_size = 1024 * 1024;
  std::string rank_function = "bm25";
  std::string rank_arguments;  // SQL

  int column_count() const { return static_cast<int>(columns.size()); }
  // Without an error text: the caller has none, either.
  int parse(int count, const char* const* arguments, std::string* error);
  int open_tokenizer(std::string* error);
  std::string declaration() const;
  int load_settings(std::string* error);
  // False: there is no such setting, or it cannot have this value.
  bool set(std::string_view key, sqlite3_value* value);
  static bool parse_rank(std::string_view text, std::string* function, std::string* arguments);

  // `token`: as in fts5_tokenizer.
  int tokenize(std::string_view text, int flags, void* context,
               int (*token)(void*, int, const char*, int, int, int)) const;
  // SQL with places for the database and the table.
  std::string sql(const char* format) const;

 private:
  int parse_option(const std::string& key, std::string_view value, std::string* error);
  int parse_prefixes(std::string_view text, std::string* error);
  int add_column(std::string_view text, size_t at, std::string name, std::string* error);

  Fts5TokenizerEntry* tokenizer_entry_ = nullptr;
  Fts5Tokenizer* tokenizer_ = nullptr;
  bool has_content_option_ = false;
};

}  // namespace godwit::modules
