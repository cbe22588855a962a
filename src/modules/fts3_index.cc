#include "modules/fts3_index.h"

#include <algorithm>

namespace godwit::modules {

namespace {

constexpr int64_t kLevels = 1024;
constexpr size_t kMaxPending = 4 << 20;

}  // namespace

// ---- What is not written yet -----------------------------------------------------------------------

void Fts3Index::begin_row(int64_t docid, int64_t language, bool is_deletion) {
  docid_ = docid;
  language_ = language;
  is_deletion_ = is_deletion;
}

void Fts3Index::add_pending(int64_t base, std::string_view term, int column, int64_t position) {
  PendingTerm& pending = pending_[base][std::string(term)];
  if (pending.rows.empty()) pending_bytes_ += term.size() + 100;
  // A deletion without places is followed by what replaces the row, if it has the term again.
  if (pending.rows.empty() || pending.rows.back().docid != docid_) {
    pending.rows.push_back({docid_, pending.places.size(), pending.places.size()});
    pending.column = 0;
    pending.position = 0;
    pending_bytes_ += sizeof(PendingRow);
  }
  if (is_deletion_) {
    // Of a row that was added a moment ago nothing stays.
    pending.rows.back().end = pending.rows.back().start;
    pending.places.resize(pending.rows.back().start);
    pending.column = 0;
    pending.position = 0;
    return;
  }
  const size_t before = pending.places.size();
  if (column != pending.column) {
    append_fts3_varint(1, &pending.places);
    append_fts3_varint(static_cast<uint64_t>(column), &pending.places);
    pending.column = column;
    pending.position = 0;
  }
  append_fts3_varint(static_cast<uint64_t>(position - pending.position + 2), &pending.places);
  pending.position = position;
  pending.rows.back().end = pending.places.size();
  pending_bytes_ += pending.places.size() - before;
}

void Fts3Index::add_token(int column, int64_t position, std::string_view text) {
  const int64_t indexes = config_->index_count();
  const int64_t base = language_ * indexes * kLevels;
  add_pending(base, text, column, position);
  for (int64_t i = 1; i < indexes; ++i) {
    const auto size = static_cast<size_t>(config_->prefixes[static_cast<size_t>(i - 1)]);
    if (text.size() >= size) add_pending(base + i * kLevels, text.substr(0, size), column, position);
  }
}

int Fts3Index::end_row() { return pending_bytes_ > kMaxPending ? flush() : SQLITE_OK; }

void Fts3Index::forget() {
  pending_.clear();
  pending_bytes_ = 0;
}

int Fts3Index::flush() {
  int code = SQLITE_OK;
  for (auto& [base, terms] : pending_) {
    if (code == SQLITE_OK) code = flush_terms(base, &terms);
  }
  forget();
  return code;
}

int Fts3Index::flush_terms(int64_t level, PendingTerms* terms) {
  std::vector<std::pair<std::string_view, PendingTerm*>> sorted;
  for (auto& [term, pending] : *terms) sorted.emplace_back(term, &pending);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Fts3Segment segment;
  segment.level = level;
  int64_t block = 0;
  size_t size = 0;
  int code = next_number(level, &segment.number);
  if (code == SQLITE_OK) code = next_block(&block);
  if (code == SQLITE_OK) code = node_size(&size);
  Fts3SegmentWriter writer(this, block, size);
  const bool descends = config_->descends;
  std::string doclist;
  for (size_t i = 0; code == SQLITE_OK && i < sorted.size(); ++i) {
    PendingTerm& term = *sorted[i].second;
    std::stable_sort(term.rows.begin(), term.rows.end(), [&](const PendingRow& a, const PendingRow& b) {
      return descends ? a.docid > b.docid : a.docid < b.docid;
    });
    doclist.clear();
    int64_t last = 0;
    for (size_t row = 0; row < term.rows.size(); ++row) {
      const PendingRow& it = term.rows[row];
      if (row + 1 < term.rows.size() && term.rows[row + 1].docid == it.docid) continue;  // the last counts
      const std::string_view list = std::string_view(term.places).substr(it.start, it.end - it.start);
      append_fts3_row({it.docid, list}, descends, doclist.empty(), last, &doclist);
      last = it.docid;
    }
    code = writer.add(sorted[i].first, doclist);
  }
  bool is_empty = true;
  if (code == SQLITE_OK) code = writer.finish(&segment, &is_empty);
  return code == SQLITE_OK && !is_empty ? insert_segment(segment, writer.leaf_bytes()) : code;
}

// ---- Shadow tables -----------------------------------------------------------------------------------

void Fts3Index::finalize() {
  for (Statement* stmt : {&read_block_, &write_block_, &read_segments_, &insert_segment_, &delete_segment_,
                          &delete_blocks_, &next_number_, &next_block_}) {
    stmt->finalize();
  }
}

int Fts3Index::read_block(int64_t id, std::string* block) {
  int code = read_block_.prepare(config_->db, config_->sql("SELECT block FROM %Q.'%q_segments' WHERE blockid = ?1"));
  if (code != SQLITE_OK) return code;
  read_block_.bind(1, id);
  const bool has = read_block_.next_row();
  if (has) *block = read_block_.blob(0);
  code = read_block_.reset();
  return code == SQLITE_OK && !has ? SQLITE_CORRUPT_VTAB : code;
}

int Fts3Index::write_block(int64_t id, std::string_view block) {
  int code = write_block_.prepare(
      config_->db, config_->sql("REPLACE INTO %Q.'%q_segments'(blockid, block) VALUES(?1, ?2)"));
  if (code != SQLITE_OK) return code;
  ++blocks_written_;
  write_block_.bind(1, id);
  write_block_.bind_blob(2, block);
  return write_block_.run();
}

int Fts3Index::next_block(int64_t* block) {
  int code = next_block_.prepare(
      config_->db, config_->sql("SELECT coalesce((SELECT max(blockid) FROM %Q.'%q_segments') + 1, 1)"));
  if (code != SQLITE_OK) return code;
  if (next_block_.next_row()) *block = next_block_.integer(0);
  return next_block_.reset();
}

int Fts3Index::node_size(size_t* size) {
  if (node_size_ == 0) {
    int64_t page = 0;
    int code = query_integer(config_->db, formatted("PRAGMA %Q.page_size", config_->database.c_str()), 1024, &page);
    if (code != SQLITE_OK) return code;
    node_size_ = static_cast<size_t>(std::max<int64_t>(page, 512)) - 35;
  }
  *size = node_size_;
  return SQLITE_OK;
}

int Fts3Index::insert_segment(const Fts3Segment& segment, int64_t leaf_bytes) {
  int code = insert_segment_.prepare(
      config_->db, config_->sql("REPLACE INTO %Q.'%q_segdir' VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
  if (code != SQLITE_OK) return code;
  const std::string end = std::to_string(segment.last_block) + " " + std::to_string(leaf_bytes);
  insert_segment_.bind(1, segment.level);
  insert_segment_.bind(2, segment.number);
  insert_segment_.bind(3, segment.first_block);
  insert_segment_.bind(4, segment.last_leaf);
  insert_segment_.bind_text(5, end);
  insert_segment_.bind_blob(6, segment.root);
  return insert_segment_.run();
}

int Fts3Index::delete_segment(const Fts3Segment& segment) {
  int code = SQLITE_OK;
  if (segment.first_block != 0) {
    code = delete_blocks_.prepare(config_->db,
                                  config_->sql("DELETE FROM %Q.'%q_segments' WHERE blockid BETWEEN ?1 AND ?2"));
    if (code != SQLITE_OK) return code;
    delete_blocks_.bind(1, segment.first_block);
    delete_blocks_.bind(2, segment.last_block);
    code = delete_blocks_.run();
  }
  if (code == SQLITE_OK) {
    code = delete_segment_.prepare(config_->db,
                                   config_->sql("DELETE FROM %Q.'%q_segdir' WHERE level = ?1 AND idx = ?2"));
  }
  if (code != SQLITE_OK) return code;
  delete_segment_.bind(1, segment.level);
  delete_segment_.bind(2, segment.number);
  return delete_segment_.run();
}

int Fts3Index::read_segments(int64_t first_level, int64_t last_level, std::vector<Fts3Segment>* segments) {
  int code = read_segments_.prepare(
      config_->db, config_->sql("SELECT level, idx, start_block, leaves_end_block, end_block, root FROM %Q.'%q_segdir' "
                                "WHERE level BETWEEN ?1 AND ?2 ORDER BY level, idx DESC"));
  if (code != SQLITE_OK) return code;
  read_segments_.bind(1, first_level);
  read_segments_.bind(2, last_level);
  while (read_segments_.next_row()) {
    Fts3Segment& segment = segments->emplace_back();
    segment.level = read_segments_.integer(0);
    segment.number = read_segments_.integer(1);
    segment.first_block = read_segments_.integer(2);
    segment.last_leaf = read_segments_.integer(3);
    segment.last_block = read_segments_.integer(4);
    segment.root = read_segments_.blob(5);
  }
  return read_segments_.reset();
}

int Fts3Index::clear() {
  forget();
  return execute(config_->db, config_->sql("DELETE FROM %Q.'%q_segments';") + config_->sql("DELETE FROM %Q.'%q_segdir'"));
}

int Fts3Index::languages(std::vector<int64_t>* languages) {
  Statement stmt;
  int code = stmt.prepare(config_->db, config_->sql("SELECT DISTINCT level / (1024 * ?1) FROM %Q.'%q_segdir'"));
  if (code != SQLITE_OK) return code;
  stmt.bind(1, static_cast<int64_t>(config_->index_count()));
  while (stmt.next_row()) languages->push_back(stmt.integer(0));
  return stmt.reset();
}

// ---- Merging -----------------------------------------------------------------------------------------

// The number of a new segment of the level, which is merged if it is full.
int Fts3Index::next_number(int64_t level, int64_t* number) {
  for (int turn = 0; turn < 2; ++turn) {
    int code = next_number_.prepare(
        config_->db, config_->sql("SELECT coalesce(max(idx) + 1, 0), count(*) FROM %Q.'%q_segdir' WHERE level = ?1"));
    if (code != SQLITE_OK) return code;
    next_number_.bind(1, level);
    int64_t count = 0;
    if (next_number_.next_row()) {
      *number = next_number_.integer(0);
      count = next_number_.integer(1);
    }
    code = next_number_.reset();
    if (code != SQLITE_OK || (count < threshold_ && *number < 16)) return code;
    code = merge_level(level);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int Fts3Index::merge_level(int64_t level) {
  if ((level + 1) % kLevels == 0) return SQLITE_CORRUPT_VTAB;
  int64_t number = 0, older = 0;
  int code = next_number(level + 1, &number);
  const int64_t last_level = level / kLevels * kLevels + kLevels - 1;
  if (code == SQLITE_OK) {
    code = query_integer(config_->db,
                         config_->sql("SELECT count(*) FROM %Q.'%q_segdir' WHERE level BETWEEN ") +
                             std::to_string(level + 1) + " AND " + std::to_string(last_level),
                         0, &older);
  }
  std::vector<Fts3Segment> segments;
  if (code == SQLITE_OK) code = read_segments(level, level, &segments);
  // A merge of SQLite's that has not ended does not go on with segments that are gone.
  if (code == SQLITE_OK && config_->has_stat) {
    code = execute(config_->db, config_->sql("DELETE FROM %Q.'%q_stat' WHERE id = 1"));
  }
  return code == SQLITE_OK ? merge_segments(std::move(segments), level + 1, number, older == 0) : code;
}

int Fts3Index::merge_segments(std::vector<Fts3Segment> segments, int64_t level, int64_t number, bool drops_deletions) {
  Fts3Segment made;
  made.level = level;
  made.number = number;
  int64_t block = 0;
  size_t size = 0;
  int code = next_block(&block);
  if (code == SQLITE_OK) code = node_size(&size);
  if (code != SQLITE_OK) return code;
  Fts3SegmentWriter writer(this, block, size);
  std::string doclist;
  code = merge_terms(segments, {}, true, [&](const std::string& term, const std::vector<Fts3Row>& rows) {
    doclist.clear();
    int64_t last = 0;
    for (const Fts3Row& row : rows) {
      if (drops_deletions && row.list.empty()) continue;
      append_fts3_row(row, config_->descends, doclist.empty(), last, &doclist);
      last = row.docid;
    }
    return doclist.empty() ? SQLITE_OK : writer.add(term, doclist);
  });
  bool is_empty = true;
  if (code == SQLITE_OK) code = writer.finish(&made, &is_empty);
  for (const Fts3Segment& segment : segments) {
    if (code == SQLITE_OK) code = delete_segment(segment);
  }
  return code == SQLITE_OK && !is_empty ? insert_segment(made, writer.leaf_bytes()) : code;
}

// `is_whole`: rows without places are given, too. Segments: the newest first.
int Fts3Index::merge_terms(std::vector<Fts3Segment> segments, std::string_view first, bool is_whole,
                           const TakeTerm& take) {
  std::vector<Fts3SegmentReader> readers;
  for (Fts3Segment& segment : segments) readers.emplace_back(this, std::move(segment));
  int code = SQLITE_OK;
  for (Fts3SegmentReader& reader : readers) {
    if (code == SQLITE_OK) code = reader.seek(first);
  }
  const bool descends = config_->descends;
  std::vector<Fts3Row> rows;
  while (code == SQLITE_OK) {
    const std::string* least = nullptr;
    for (const Fts3SegmentReader& reader : readers) {
      if (!reader.at_end() && (least == nullptr || reader.term() < *least)) least = &reader.term();
    }
    if (least == nullptr) break;
    const std::string term = *least;
    rows.clear();
    int sources = 0;
    for (Fts3SegmentReader& reader : readers) {
      if (reader.at_end() || reader.term() != term) continue;
      ++sources;
      if (!read_fts3_doclist(reader.doclist(), descends, &rows)) return SQLITE_CORRUPT_VTAB;
    }
    if (sources > 1) {
      std::stable_sort(rows.begin(), rows.end(), [&](const Fts3Row& a, const Fts3Row& b) {
        return descends ? a.docid > b.docid : a.docid < b.docid;
      });
      // The newest of each row came first.
      rows.erase(std::unique(rows.begin(), rows.end(),
                             [](const Fts3Row& a, const Fts3Row& b) { return a.docid == b.docid; }),
                 rows.end());
    }
    if (!is_whole) std::erase_if(rows, [](const Fts3Row& row) { return row.list.empty(); });
    if (!rows.empty()) code = take(term, rows);
    for (Fts3SegmentReader& reader : readers) {
      if (code == SQLITE_OK && !reader.at_end() && reader.term() == term) code = reader.next();
    }
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int Fts3Index::each_term(int64_t language, int index, std::string_view first, const TakeTerm& take) {
  int code = flush();
  const int64_t base = (language * config_->index_count() + index) * kLevels;
  std::vector<Fts3Segment> segments;
  if (code == SQLITE_OK) code = read_segments(base, base + kLevels - 1, &segments);
  return code == SQLITE_OK ? merge_terms(std::move(segments), first, false, take) : code;
}

int Fts3Index::optimize(bool* merged) {
  *merged = false;
  int code = flush();
  std::vector<int64_t> all;
  if (code == SQLITE_OK) code = languages(&all);
  for (int64_t language : all) {
    for (int64_t i = 0; code == SQLITE_OK && i < config_->index_count(); ++i) {
      const int64_t base = (language * config_->index_count() + i) * kLevels;
      std::vector<Fts3Segment> segments;
      code = read_segments(base, base + kLevels - 1, &segments);
      if (code != SQLITE_OK || segments.size() < 2) continue;
      *merged = true;
      const int64_t level = segments.back().level;
      code = merge_segments(std::move(segments), level, 0, true);
    }
  }
  if (code == SQLITE_OK && *merged && config_->has_stat) {
    code = execute(config_->db, config_->sql("DELETE FROM %Q.'%q_stat' WHERE id = 1"));
  }
  return code;
}

int Fts3Index::merge(int64_t blocks, int64_t least) {
  int code = flush();
  const int64_t start = blocks_written_;
  while (code == SQLITE_OK && blocks_written_ - start < blocks) {
    int64_t level = -1;
    code = query_integer(config_->db,
                         config_->sql("SELECT level FROM %Q.'%q_segdir' GROUP BY level HAVING count(*) >= ") +
                             std::to_string(least) + " ORDER BY level % 1024, count(*) DESC LIMIT 1",
                         -1, &level);
    if (code != SQLITE_OK || level < 0) break;
    code = merge_level(level);
  }
  return code;
}

}  // namespace godwit::modules
