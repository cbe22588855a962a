// Reads an FTS3 table: all rows, one row, or those that match a query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/fts3_query.h"

namespace godwit::modules {

struct Fts3Request {
  std::optional<sqlite3_value*> docid;
  std::optional<std::string> query;
  bool is_empty = false;
  int column = -1;
  int64_t language = 0;
  int64_t least = INT64_MIN, greatest = INT64_MAX;
  bool descends = false;
};

class Fts3Cursor {
 public:
  explicit Fts3Cursor(Fts3Table* table) : table_(table) {}

  sqlite3_vtab_cursor base = {};

  int start(const Fts3Request& request);
  int next();
  bool at_end() const { return at_end_; }
  int64_t docid() const;
  int column(sqlite3_context* context, int index);

  Fts3Table* table() const { return table_; }
  bool is_query() const { return is_query_; }
  const Fts3Query& query() const { return query_; }
  // The text of a column; false: it is NULL.
  int text(int column, std::string_view* text, bool* has);

 private:
  int find_row();
  int step_scan();

  Fts3Table* table_;
  Fts3Query query_;
  std::vector<int64_t> docids_;
  size_t at_ = 0;
  bool is_query_ = false;
  bool at_end_ = true;
  bool has_row_ = false;     // of a query: the row's content was looked up
  bool is_missing_ = false;  // and is not there
  int64_t language_ = 0;
  Statement rows_;
};

int register_fts3_auxiliary(sqlite3* db);
int register_fts3_tokenize(sqlite3* db);
// The function of this name, for sqlite3_module.xFindFunction.
using Fts3Function = void (*)(sqlite3_context*, int, sqlite3_value**);
Fts3Function find_fts3_function(const char* name);

inline constexpr const char* kFts3CursorType = "fts3cursor";

}  // namespace godwit::modules
