// An FTS5 table: its index, and what it knows of each row.
//
//   t_content(id, c0, c1, ...)  the texts; with content= they are elsewhere, or nowhere
//   t_docsize(id, sz)           varints: tokens of each column
//   t_data, t_idx               the index (fts5_segment.h)
//   t_config(k, v)              settings
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "modules/fts5_query.h"

namespace godwit::modules {

class Fts5Table {
 public:
  sqlite3_vtab base = {};
  Fts5Config config;
  Fts5Index index{&config};

  ~Fts5Table() = default;
  int fail(const std::string& message, int code = SQLITE_ERROR);
  int create();
  // Again, if another connection changed them.
  int refresh_settings();
  int drop();
  int rename(const std::string& name);

  int insert(int64_t rowid, sqlite3_value** values);  // one per column
  // The row as it is stored, or, if that is nowhere, as `values` say.
  int remove(int64_t rowid, sqlite3_value** values);
  int store_content(sqlite3_value* rowid, sqlite3_value** values, bool replaces, int64_t* stored);
  int command(const std::string& name, sqlite3_value* rowid, sqlite3_value** values, sqlite3_value* rank);

  int flush();
  void forget();
  // Statements of the module's own begin savepoints, too: they are none of the application's.
  bool is_writing() const { return is_flushing_ || changes_ > 0; }
  void begin_change() { ++changes_; }
  void end_change() { --changes_; }
  int totals(const Fts5Totals** totals);
  int row_sizes(int64_t rowid, std::vector<int64_t>* sizes, bool* is_found);
  // SELECT rowid, columns of all rows, ... `tail`: WHERE and ORDER BY, with {rowid} for the rowid.
  std::string content_query(const char* tail) const;
  int has_row(int64_t rowid, bool* has);
  int check_content(bool checks_external);

 private:
  int tokenize_row(int64_t rowid, sqlite3_value** values, bool is_deletion, std::vector<int64_t>* sizes);
  int write_sizes(int64_t rowid, const std::vector<int64_t>& sizes);
  int rebuild();
  int erase_all();
  int set(const std::string& key, sqlite3_value* value);
  int hash_content(uint64_t* sum, int64_t* rows);
  int hash_index(uint64_t* sum);
  void finalize();

  bool is_flushing_ = false;
  int changes_ = 0;
  bool has_totals_ = false;
  bool totals_changed_ = false;
  Fts5Totals totals_;
  uint32_t cookie_ = 0;
  bool has_cookie_ = false;
  Statement lookup_, insert_content_, delete_content_, write_sizes_, delete_sizes_, read_sizes_;
};

std::string_view fts5_text(sqlite3_value* value);

}  // namespace godwit::modules
