// What a CREATE VIRTUAL TABLE statement says of an FTS3 or FTS4 table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "modules/fts3_tokenizers.h"
#include "modules/statement.h"

namespace godwit::modules {

enum class Fts3Content : uint8_t { kOwn, kExternal, kNone };

class Fts3Config {
 public:
  sqlite3* db = nullptr;
  std::string database, name;
  int version = 3;  // of the module: 3 or 4
  std::vector<std::string> columns;
  std::vector<bool> is_indexed;
  std::vector<int> prefixes;  // lengths, in bytes, of the indexes beside the main one
  bool descends = false;
  bool has_sizes = false;
  bool has_stat = false;
  Fts3Content content = Fts3Content::kOwn;
  std::string content_table, language_column, compress, uncompress;
  std::shared_ptr<const Fts3Tokenizer> tokenizer;

  int parse(int count, const char* const* arguments, std::string* error);
  std::string declaration() const;
  int column_count() const { return static_cast<int>(columns.size()); }
  int index_count() const { return static_cast<int>(prefixes.size()) + 1; }
  // With the database for %Q and the name for %q.
  std::string sql(const char* format) const { return formatted(format, database.c_str(), name.c_str()); }

 private:
  int set(std::string_view key, const std::string& value, std::vector<std::string>* unindexed, std::string* error);
  int read_content_columns(std::string* error);
};

// The next word of a directive, or what is quoted; false at the end.
bool take_fts3_word(std::string_view text, size_t* at, std::string* word);

}  // namespace godwit::modules
