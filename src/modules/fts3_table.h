// An FTS3 or FTS4 table: its index, and what it knows of each row.
//
//   t_content(docid, c0name, ..., [langid])   the texts; with content= they are elsewhere, or nowhere
//   t_docsize(docid, size)                    varints: tokens of each column (FTS4)
//   t_stat(id, value)                         0: varints: rows, tokens of each column, bytes of all (FTS4)
//                                             1: a merge that has not ended; 2: the setting automerge
//   t_segments, t_segdir                      the index (fts3_segment.h)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "modules/fts3_index.h"

namespace godwit::modules {

struct Fts3Totals {
  int64_t rows = 0;
  std::vector<int64_t> tokens;
  int64_t bytes = 0;
};

class Fts3Table {
 public:
  sqlite3_vtab base = {};
  Fts3Config config;
  Fts3Index index{&config};
  bool uses_standard_syntax = false;

  int fail(const std::string& message, int code = SQLITE_ERROR);
  int create();
  // What is stored beside the declaration.
  int load();
  int drop();
  int rename(const std::string& name);

  // values: old rowid, new rowid, columns, the table's own column, docid, language.
  int change(int count, sqlite3_value** values, sqlite3_int64* rowid);
  int flush();
  void forget();
  // Statements of the module's own begin savepoints, too: they are none of the application's.
  bool is_writing() const { return changes_ > 0; }

  int read_totals(Fts3Totals* totals);
  int read_sizes(int64_t docid, std::vector<int64_t>* sizes);
  // SELECT docid, columns, language of all rows.
  std::string content_query() const;
  std::string rowid_name() const { return config.content == Fts3Content::kOwn ? "docid" : "rowid"; }
  int check(bool* is_good);
  int optimize(bool* merged);

 private:
  struct RowSizes {
    std::vector<int64_t> tokens;
    int64_t bytes = 0;
  };
  int change_row(int count, sqlite3_value** values, sqlite3_int64* rowid);
  int command(const std::string& text);
  int rebuild();
  void index_row(int64_t docid, int64_t language, sqlite3_value** values, bool is_deletion, RowSizes* sizes);
  int insert_content(sqlite3_value** values, sqlite3_int64* docid);
  int remove(int64_t docid, RowSizes* removed, int64_t* rows);
  int has_other_rows(int64_t docid, bool* has);
  int erase_all(bool with_content);
  int write_sizes(int64_t docid, const RowSizes& sizes);
  int change_totals(const RowSizes& added, const RowSizes& removed, int64_t rows);
  int write_totals(const Fts3Totals& totals);
  void finalize();

  int changes_ = 0;
  bool is_flushing_ = false;
  Statement lookup_, insert_content_, delete_content_, write_sizes_, delete_sizes_, read_sizes_, read_totals_,
      write_totals_;
};

std::string_view fts3_text(sqlite3_value* value);

}  // namespace godwit::modules
