// The index of an FTS3 table: terms, and where they are. What a transaction adds is kept in memory until
// it is flushed as a segment of level 0; many segments of one level are merged into one of the next.
//
// A language and an index (0: whole terms, others: prefixes of one length) have 1024 levels of their own.
// Of two segments the one of the lower level, or the greater number, is newer: its rows count.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/fts3_config.h"
#include "modules/fts3_segment.h"

namespace godwit::modules {

class Fts3Index final : public Fts3Blocks {
 public:
  explicit Fts3Index(const Fts3Config* config) : config_(config) {}

  // The tokens of a row, in order; a deleted row has its terms without places.
  void begin_row(int64_t docid, int64_t language, bool is_deletion);
  void add_token(int column, int64_t position, std::string_view text);
  int end_row();

  bool has_pending() const { return !pending_.empty(); }
  int flush();
  void forget();
  void finalize();

  // Terms from `first` on, with their rows in order of docids; `take` gives SQLITE_DONE to end.
  using TakeTerm = std::function<int(const std::string& term, const std::vector<Fts3Row>& rows)>;
  int each_term(int64_t language, int index, std::string_view first, const TakeTerm& take);
  // `merged`: there was something to do.
  int optimize(bool* merged);
  // Levels with at least `least` segments, until this many blocks are written.
  int merge(int64_t blocks, int64_t least);
  int clear();
  int languages(std::vector<int64_t>* languages);
  void set_merge_threshold(int64_t count) { threshold_ = count; }

  int read_block(int64_t id, std::string* block) override;
  int write_block(int64_t id, std::string_view block) override;

 private:
  struct PendingRow {
    int64_t docid;
    size_t start, end;
  };
  struct PendingTerm {
    std::vector<PendingRow> rows;
    std::string places;
    int column = 0;
    int64_t position = 0;
  };
  using PendingTerms = std::unordered_map<std::string, PendingTerm>;

  void add_pending(int64_t base, std::string_view term, int column, int64_t position);
  int flush_terms(int64_t level, PendingTerms* terms);
  // Segments of the levels, the newest first.
  int read_segments(int64_t first_level, int64_t last_level, std::vector<Fts3Segment>* segments);
  int merge_terms(std::vector<Fts3Segment> segments, std::string_view first, bool is_whole, const TakeTerm& take);
  int merge_segments(std::vector<Fts3Segment> segments, int64_t level, int64_t number, bool drops_deletions);
  int merge_level(int64_t level);
  int next_number(int64_t level, int64_t* number);
  int next_block(int64_t* block);
  int insert_segment(const Fts3Segment& segment, int64_t leaf_bytes);
  int delete_segment(const Fts3Segment& segment);
  int node_size(size_t* size);

  const Fts3Config* config_;
  std::map<int64_t, PendingTerms> pending_;  // by the first level of language and index
  size_t pending_bytes_ = 0;
  int64_t docid_ = 0, language_ = 0;
  bool is_deletion_ = false;
  int64_t threshold_ = 16;
  size_t node_size_ = 0;
  int64_t blocks_written_ = 0;
  Statement read_block_, write_block_, read_segments_, insert_segment_, delete_segment_, delete_blocks_, next_number_,
      next_block_;
};

}  // namespace godwit::modules
