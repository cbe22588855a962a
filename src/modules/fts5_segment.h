// Segments of an FTS5 index: sorted terms with their rows, on leaf pages in table %_data (id: segment << 37
// | page, from 1). Table %_idx has a row for each leaf that begins a term: a prefix of it, and page * 2.
//
//   leaf   2 bytes: where the first rowid is that continues a term of the page before; 0: there is none
//          2 bytes: where the content ends
//          content: terms, each followed by its rows
//          varints: where the first term is; from each to the next one
//   term   first of a page: varint size, bytes; others: varint bytes shared with the one before, size, bytes
//   row    varint rowid, from the one before but for the first of a term and of a page;
//          varint: size of the position list * 2, + 1 for a deletion; the list (may go on on the next
//          page). detail=none: instead, a byte 0 for a deletion, another one if the term is in the row
#pragma once

#include <string>
#include <vector>

#include "modules/fts5_config.h"
#include "modules/fts5_postings.h"
#include "modules/statement.h"

namespace godwit::modules {

struct Fts5Segment {
  int id = 0;
  int first_page = 0, last_page = 0;
};

// Tables %_data and %_idx.
class Fts5Pages {
 public:
  explicit Fts5Pages(const Fts5Config* config) : config_(config) {}

  static int64_t page_id(int segment, int page) {
    return static_cast<int64_t>(segment) << 37 | static_cast<int64_t>(page);
  }
  // *is_found may be null: then a missing block is damage.
  int read(int64_t id, std::string* block, bool* is_found = nullptr);
  int write(int64_t id, std::string_view block);
  int remove_segment(int segment);
  int remove_all();
  int add_term(int segment, std::string_view term, int page);
  // The last page whose first term is not after `term`; 0: none.
  int find_page(int segment, std::string_view term, int* page);
  void finalize();

 private:
  const Fts5Config* config_;
  Statement read_, write_, remove_, remove_terms_, add_term_, find_page_;
};

class Fts5SegmentReader {
 public:
  Fts5SegmentReader(Fts5Pages* pages, const Fts5Segment& segment, Fts5Detail detail)
      : pages_(pages), segment_(segment), detail_(detail) {}

  // To the first term that is not before `term`.
  int seek(std::string_view term);
  int next();
  bool at_end() const { return at_end_; }
  const std::string& term() const { return term_; }
  int read_rows(Fts5Postings* rows);

 private:
  int load(int page);
  int enter_next_page_with_term();
  int read_term();
  int read_rows_of(std::string_view page_bytes, size_t start, size_t end, size_t first_rowid, Fts5Postings* rows);

  Fts5Pages* pages_;
  Fts5Segment segment_;
  Fts5Detail detail_;
  int page_number_ = 0;
  std::string page_;
  size_t content_end_ = 0;
  std::vector<size_t> term_offsets_;
  size_t index_ = 0;       // of the term on the page
  size_t rows_start_ = 0;  // after the term
  std::string term_;
  bool at_end_ = true;
  // While rows are read:
  bool is_first_row_ = true;
  int64_t rowid_ = 0;
  size_t list_left_ = 0;
};

class Fts5SegmentWriter {
 public:
  Fts5SegmentWriter(Fts5Pages* pages, int segment, int page_size, Fts5Detail detail)
      : pages_(pages), segment_(segment), page_size_(static_cast<size_t>(page_size)), detail_(detail) {
    start_page();
  }

  int add_term(std::string_view term);
  int add_row(const Fts5Posting& row, std::string_view list);
  // *last_page: 0 if there was nothing.
  int finish(int* last_page);

 private:
  void start_page();
  int flush();
  size_t used() const { return content_.size() + footer_.size(); }

  Fts5Pages* pages_;
  int segment_;
  size_t page_size_;
  Fts5Detail detail_;
  int page_ = 1;
  std::string content_, footer_;
  std::string last_term_;
  size_t last_term_offset_ = 0;
  size_t first_rowid_ = 0;
  bool has_term_ = false;           // on this page
  bool needs_first_rowid_ = true;   // no row and no term on this page yet
  bool is_first_row_ = true;        // of the term
  int64_t rowid_ = 0;
};

}  // namespace godwit::modules
