// The index of an FTS5 table. Changes wait in memory, by term, and become a new segment at commit, or
// when they are many; when a level has enough segments they are merged into one of the next level.
//
//   %_data  id 1: number of rows, tokens of each column     id 10: the structure, which segments there are
//
//   level 0   [segment] [segment] [segment]   newest last
//   level 1   [segment] ...                   older than all of level 0
//
// Of what segments say about a term in a row, the newest counts.
//
// Terms begin with a byte: '0', or '1' + i for those of the i-th prefix index.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/fts5_segment.h"

namespace godwit::modules {

struct Fts5Level {
  int merging = 0;  // its first segments are being merged into the last one of the next level
  std::vector<Fts5Segment> segments;
};

struct Fts5Structure {
  uint32_t cookie = 0;  // changes with the settings
  uint64_t written_pages = 0;
  std::vector<Fts5Level> levels;

  bool decode(std::string_view block);
  std::string encode() const;
  size_t segment_count() const;
};

struct Fts5Totals {
  int64_t rows = 0;
  std::vector<int64_t> tokens;  // by column
};

class Fts5Index {
 public:
  static constexpr char kMainIndex = '0';

  explicit Fts5Index(Fts5Config* config) : config_(config), pages_(config) {}

  int create();
  // Tokens of a row; places must not go backwards within a term.
  int begin_row(int64_t rowid, bool is_deletion);
  int add_token(int column, int token, std::string_view text);
  int flush();
  // Changes of this transaction are gone.
  void forget();

  // Calls back with each term from `first` on that begins with `prefix`, in order; deletions are left out
  // unless `with_deletions`. The callback stops it by SQLITE_DONE.
  using TermFunction = std::function<int(const std::string& term, const Fts5Postings& rows)>;
  int each_term(std::string_view first, std::string_view prefix, const TermFunction& visit);
  // Rows of one term, or of all that begin with it.
  int find(std::string_view text, bool is_prefix, Fts5Postings* rows);

  int merge_all();
  int merge_some();
  int clear();
  int read_totals(Fts5Totals* totals);
  int write_totals(const Fts5Totals& totals);
  int read_cookie(uint32_t* cookie);
  int bump_cookie();
  int check();
  void finalize() { pages_.finalize(); }

 private:
  struct PendingRow {
    Fts5Posting row;
    std::string list;
    int column = 0, position = 0;
  };
  using Pending = std::unordered_map<std::string, std::vector<PendingRow>>;

  int load(Fts5Structure* structure);
  int save(const Fts5Structure& structure);
  int add_to(std::string term, int column, int token);
  int merge_level(Fts5Structure* structure, size_t level);
  int merge_segments(Fts5Structure* structure, const std::vector<Fts5Segment>& newest_first,
                     bool drops_deletions, Fts5Segment* merged);
  int new_segment_id(const Fts5Structure& structure) const;
  int merge_when_due(Fts5Structure* structure);
  int visit_segments(const std::vector<Fts5Segment>& newest_first, std::string_view first,
                     std::string_view prefix, bool with_deletions, const TermFunction& visit);

  Fts5Config* config_;
  Fts5Pages pages_;
  Pending pending_;
  size_t pending_bytes_ = 0;
  int64_t rowid_ = 0;
  bool is_deletion_ = false;
};

// The first `characters` of a text; empty: it has less.
std::string_view fts5_prefix(std::string_view text, int characters);

}  // namespace godwit::modules
