// A walk over the rows that a full-text query finds, or over all, and what auxiliary functions see of it:
// to them it is the Fts5Context.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/fts5_table.h"

namespace godwit::modules {

struct Fts5Instance {
  int phrase = 0;
  Fts5Place place = 0;
};

// What a query asks of a table.
struct Fts5Request {
  struct Match {
    int column = -1;  // < 0: any
    std::string text;
    bool is_null = false;
  };
  std::vector<Match> matches;
  std::optional<std::string> rank;
  std::optional<int64_t> rowid;
  int64_t least = INT64_MIN, greatest = INT64_MAX;
  bool descends = false;
  bool is_empty = false;
};

class Fts5Cursor {
 public:
  sqlite3_vtab_cursor base = {};

  explicit Fts5Cursor(Fts5Table* table);
  Fts5Cursor(const Fts5Cursor&) = delete;
  ~Fts5Cursor();

  int start(const Fts5Request& request);
  int start_phrase(std::unique_ptr<Fts5Query> query);
  int next();
  bool at_end() const { return at_end_; }
  int64_t rowid() const { return special_.has_value() ? 0 : rowid_; }
  int column(sqlite3_context* context, int index);

  Fts5Table* table() { return table_; }
  int64_t id() const { return id_; }
  const Fts5Query* query() const { return query_.get(); }
  size_t phrase_count() const { return query_ == nullptr ? 0 : query_->phrase_count(); }

  // Of the row.
  int instances(const std::vector<Fts5Instance>** out);
  int phrase_places(size_t phrase, const std::vector<Fts5Place>** out);
  int text(int column, std::string_view* text);
  int size(int column, int64_t* tokens);

  // Of the auxiliary function that runs.
  const Fts5FunctionEntry* running = nullptr;
  struct Kept {
    void* data = nullptr;
    void (*destroy)(void*) = nullptr;
  };
  std::map<const Fts5FunctionEntry*, Kept> kept;

 private:
  int enter_row();
  int seek_content();
  int find_places();
  int start_scan(const Fts5Request& request);
  int call_rank(sqlite3_context* context);
  int prepare_rank(std::optional<std::string> text);

  Fts5Table* table_;
  int64_t id_ = 0;
  std::unique_ptr<Fts5Query> query_;
  std::vector<int64_t> rowids_;
  size_t at_ = 0;
  bool at_end_ = true;
  int64_t rowid_ = 0;
  bool scans_ = false;
  Statement content_;
  bool has_content_ = false;
  std::optional<std::string> special_;  // the only value of a special query
  bool has_places_ = false;
  std::vector<std::vector<Fts5Place>> places_;  // by phrase
  bool has_instances_ = false;
  std::vector<Fts5Instance> instances_;
  bool has_sizes_ = false;
  std::vector<int64_t> sizes_;
  const Fts5FunctionEntry* rank_ = nullptr;
  std::string rank_name_;
  Statement rank_values_;
  bool has_rank_row_ = false;
};

const Fts5ExtensionApi* fts5_extension_api();
void call_fts5_function(const Fts5FunctionEntry* entry, Fts5Cursor* cursor, sqlite3_context* context, int count,
                        sqlite3_value** values);

}  // namespace godwit::modules
