#include "modules/fts5_index.h"

#include <algorithm>
#include <utility>

namespace godwit::modules {

namespace {

constexpr int64_t kTotalsId = 1;
constexpr int64_t kStructureId = 10;
constexpr int kMaxSegments = 2000;
constexpr std::string_view kVersion2Mark("\xff\x00\x00\x01", 4);

}  // namespace

std::string_view fts5_prefix(std::string_view text, int characters) {
  size_t at = 0;
  for (int i = 0; i < characters; ++i) {
    if (at >= text.size()) return std::string_view();
    ++at;
    while (at < text.size() && (text[at] & 0xc0) == 0x80) ++at;
  }
  return text.substr(0, at);
}

// ---- The structure -------------------------------------------------------------------------------

bool Fts5Structure::decode(std::string_view block) {
  if (block.size() < 4) return false;
  cookie = 0;
  for (int i = 0; i < 4; ++i) cookie = cookie << 8 | static_cast<uint8_t>(block[static_cast<size_t>(i)]);
  // Tables with contentless_delete have another form.
  if (block.substr(4, 4) == kVersion2Mark) return false;
  Fts5VarintReader reader(block, 4);
  uint64_t level_count = 0, segment_count = 0;
  if (!reader.next(&level_count) || !reader.next(&segment_count) || !reader.next(&written_pages)) return false;
  if (level_count > kMaxSegments || segment_count > kMaxSegments) return false;
  levels.assign(level_count, Fts5Level());
  for (Fts5Level& level : levels) {
    uint64_t merging = 0, count = 0;
    if (!reader.next(&merging) || !reader.next(&count) || count > kMaxSegments || merging > count) return false;
    level.merging = static_cast<int>(merging);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t id = 0, first = 0, last = 0;
      if (!reader.next(&id) || !reader.next(&first) || !reader.next(&last)) return false;
      if (id == 0 || id > 0xffff || last > 0x7fffffff || first > last) return false;
      level.segments.push_back({static_cast<int>(id), static_cast<int>(first), static_cast<int>(last)});
    }
  }
  return true;
}

size_t Fts5Structure::segment_count() const {
  size_t count = 0;
  for (const Fts5Level& level : levels) count += level.segments.size();
  return count;
}

std::string Fts5Structure::encode() const {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(cookie >> shift));
  append_fts5_varint(levels.size(), &out);
  append_fts5_varint(segment_count(), &out);
  append_fts5_varint(written_pages, &out);
  for (const Fts5Level& level : levels) {
    append_fts5_varint(static_cast<uint64_t>(level.merging), &out);
    append_fts5_varint(level.segments.size(), &out);
    for (const Fts5Segment& segment : level.segments) {
      append_fts5_varint(static_cast<uint64_t>(segment.id), &out);
      append_fts5_varint(static_cast<uint64_t>(segment.first_page), &out);
      append_fts5_varint(static_cast<uint64_t>(segment.last_page), &out);
    }
  }
  return out;
}

int Fts5Index::load(Fts5Structure* structure) {
  std::string block;
  bool is_found = false;
  int code = pages_.read(kStructureId, &block, &is_found);
  if (code != SQLITE_OK) return code;
  return is_found && structure->decode(block) ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

int Fts5Index::save(const Fts5Structure& structure) { return pages_.write(kStructureId, structure.encode()); }

int Fts5Index::create() {
  int code = write_totals({0, std::vector<int64_t>(0)});
  return code == SQLITE_OK ? save(Fts5Structure()) : code;
}

int Fts5Index::clear() {
  forget();
  Fts5Structure before;
  const bool had_structure = load(&before) == SQLITE_OK;
  int code = pages_.remove_all();
  Fts5Structure empty;
  empty.cookie = had_structure ? before.cookie : 0;
  if (code == SQLITE_OK) code = save(empty);
  return code == SQLITE_OK ? write_totals({0, std::vector<int64_t>(config_->columns.size())}) : code;
}

int Fts5Index::read_cookie(uint32_t* cookie) {
  Fts5Structure structure;
  int code = load(&structure);
  *cookie = structure.cookie;
  return code;
}

int Fts5Index::bump_cookie() {
  Fts5Structure structure;
  int code = flush();
  if (code == SQLITE_OK) code = load(&structure);
  if (code != SQLITE_OK) return code;
  ++structure.cookie;
  return save(structure);
}

int Fts5Index::read_totals(Fts5Totals* totals) {
  std::string block;
  bool is_found = false;
  int code = pages_.read(kTotalsId, &block, &is_found);
  *totals = {0, std::vector<int64_t>(config_->columns.size())};
  if (code != SQLITE_OK || !is_found) return code;
  Fts5VarintReader reader(block);
  uint64_t value = 0;
  if (reader.next(&value)) totals->rows = static_cast<int64_t>(value);
  for (int64_t& tokens : totals->tokens) {
    if (!reader.next(&value)) break;
    tokens = static_cast<int64_t>(value);
  }
  return SQLITE_OK;
}

int Fts5Index::write_totals(const Fts5Totals& totals) {
  std::string block;
  if (!totals.tokens.empty()) {
    append_fts5_varint(static_cast<uint64_t>(totals.rows), &block);
    for (int64_t tokens : totals.tokens) append_fts5_varint(static_cast<uint64_t>(tokens), &block);
  }
  return pages_.write(kTotalsId, block);
}

// ---- Changes -------------------------------------------------------------------------------------

int Fts5Index::begin_row(int64_t rowid, bool is_deletion) {
  rowid_ = rowid;
  is_deletion_ = is_deletion;
  return pending_bytes_ > static_cast<size_t>(config_->hash_size) ? flush() : SQLITE_OK;
}

int Fts5Index::add_to(std::string term, int column, int token) {
  constexpr size_t kRowBytes = 64;
  pending_bytes_ += 8;
  auto [at, is_new] = pending_.try_emplace(std::move(term));
  if (is_new) pending_bytes_ += at->first.size() + kRowBytes;
  std::vector<PendingRow>& rows = at->second;
  auto found = rows.end();
  if (!rows.empty() && rows.back().row.rowid == rowid_) {
    found = rows.end() - 1;
  } else {
    found = rows.empty() || rows.back().row.rowid < rowid_
                ? rows.end()
                : std::lower_bound(rows.begin(), rows.end(), rowid_, [](const PendingRow& row, int64_t rowid) {
                    return row.row.rowid < rowid;
                  });
    if (found == rows.end() || found->row.rowid != rowid_) {
      PendingRow fresh;
      fresh.row.rowid = rowid_;
      found = rows.insert(found, std::move(fresh));
      pending_bytes_ += kRowBytes;
    }
  }
  PendingRow& row = *found;
  if (is_deletion_) {
    row.row.is_deletion = true;
    row.row.has_content = false;
    row.list.clear();
    row.column = row.position = 0;
    return SQLITE_OK;
  }
  const bool is_first = !row.row.has_content;
  row.row.has_content = true;
  if (config_->detail == Fts5Detail::kNone) return SQLITE_OK;
  if (config_->detail == Fts5Detail::kColumns) {
    if (!is_first && row.position == column) return SQLITE_OK;
    append_fts5_varint(static_cast<uint64_t>(column - row.position) + 2, &row.list);
    row.position = column;
    return SQLITE_OK;
  }
  if (!is_first && row.column == column && row.position == token) return SQLITE_OK;
  if (column != row.column) {
    row.list.push_back(1);
    append_fts5_varint(static_cast<uint64_t>(column), &row.list);
    row.column = column;
    row.position = 0;
  }
  append_fts5_varint(static_cast<uint64_t>(token - row.position) + 2, &row.list);
  row.position = token;
  return SQLITE_OK;
}

int Fts5Index::add_token(int column, int token, std::string_view text) {
  int code = add_to(std::string(1, kMainIndex).append(text), column, token);
  for (size_t i = 0; code == SQLITE_OK && i < config_->prefixes.size(); ++i) {
    const std::string_view prefix = fts5_prefix(text, config_->prefixes[i]);
    if (prefix.empty()) continue;
    code = add_to(std::string(1, static_cast<char>(kMainIndex + 1 + i)).append(prefix), column, token);
  }
  return code;
}

void Fts5Index::forget() {
  pending_.clear();
  pending_bytes_ = 0;
}

int Fts5Index::new_segment_id(const Fts5Structure& structure) const {
  std::vector<bool> is_used(kMaxSegments + 1);
  for (const Fts5Level& level : structure.levels) {
    for (const Fts5Segment& segment : level.segments) {
      if (segment.id <= kMaxSegments) is_used[static_cast<size_t>(segment.id)] = true;
    }
  }
  for (int id = 1; id <= kMaxSegments; ++id) {
    if (!is_used[static_cast<size_t>(id)]) return id;
  }
  return 0;
}

int Fts5Index::flush() {
  if (pending_.empty()) return SQLITE_OK;
  Fts5Structure structure;
  int code = load(&structure);
  if (code != SQLITE_OK) return code;
  Fts5Segment segment{new_segment_id(structure), 1, 0};
  if (segment.id == 0) return SQLITE_FULL;
  // Statements of the writer may ask for a flush themselves.
  const Pending pending = std::exchange(pending_, {});
  pending_bytes_ = 0;
  std::vector<const Pending::value_type*> terms;
  terms.reserve(pending.size());
  for (const auto& entry : pending) terms.push_back(&entry);
  std::sort(terms.begin(), terms.end(), [](auto* a, auto* b) { return a->first < b->first; });
  Fts5SegmentWriter writer(&pages_, segment.id, config_->page_size, config_->detail);
  for (const auto* entry : terms) {
    code = writer.add_term(entry->first);
    for (const PendingRow& row : entry->second) {
      if (code == SQLITE_OK) code = writer.add_row(row.row, row.list);
    }
    if (code != SQLITE_OK) return code;
  }
  code = writer.finish(&segment.last_page);
  if (code != SQLITE_OK) return code;
  structure.written_pages += static_cast<uint64_t>(segment.last_page);
  if (structure.levels.empty()) structure.levels.emplace_back();
  structure.levels[0].segments.push_back(segment);
  code = merge_when_due(&structure);
  return code == SQLITE_OK ? save(structure) : code;
}

// ---- Merging -------------------------------------------------------------------------------------

int Fts5Index::merge_when_due(Fts5Structure* structure) {
  const int least = config_->automerge > 0 ? std::min(config_->automerge, config_->crisismerge)
                                           : config_->crisismerge;
  for (size_t level = 0; level < structure->levels.size(); ++level) {
    if (static_cast<int>(structure->levels[level].segments.size()) <= least) continue;
    int code = merge_level(structure, level);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// All segments of a level become one of the next.
int Fts5Index::merge_level(Fts5Structure* structure, size_t level) {
  if (level + 1 >= structure->levels.size()) structure->levels.resize(level + 2);
  Fts5Level& from = structure->levels[level];
  Fts5Level& to = structure->levels[level + 1];
  std::vector<Fts5Segment> inputs(from.segments.rbegin(), from.segments.rend());
  if (from.merging > 0 && !to.segments.empty()) {
    // What an unfinished merge has written already.
    inputs.push_back(to.segments.back());
    to.segments.pop_back();
    if (to.merging > static_cast<int>(to.segments.size())) to.merging = static_cast<int>(to.segments.size());
  }
  bool is_oldest = to.segments.empty();
  for (size_t i = level + 2; i < structure->levels.size(); ++i) is_oldest &= structure->levels[i].segments.empty();
  Fts5Segment merged;
  int code = merge_segments(structure, inputs, is_oldest, &merged);
  if (code != SQLITE_OK) return code;
  from.segments.clear();
  from.merging = 0;
  if (merged.last_page > 0) to.segments.push_back(merged);
  return SQLITE_OK;
}

int Fts5Index::merge_segments(Fts5Structure* structure, const std::vector<Fts5Segment>& newest_first,
                              bool drops_deletions, Fts5Segment* merged) {
  *merged = Fts5Segment{new_segment_id(*structure), 1, 0};
  for (const Fts5Segment& input : newest_first) {
    if (input.id == merged->id) merged->id = 0;
  }
  if (merged->id == 0) {
    // The structure may not name all inputs any more.
    Fts5Structure named = *structure;
    if (named.levels.empty()) named.levels.emplace_back();
    named.levels[0].segments.insert(named.levels[0].segments.end(), newest_first.begin(), newest_first.end());
    merged->id = new_segment_id(named);
  }
  if (merged->id == 0) return SQLITE_FULL;
  Fts5SegmentWriter writer(&pages_, merged->id, config_->page_size, config_->detail);
  int code = visit_segments(newest_first, {}, {}, true, [&](const std::string& term, const Fts5Postings& rows) {
    bool has_term = false;
    for (const Fts5Posting& row : rows.rows) {
      if (drops_deletions && !row.has_content) continue;
      Fts5Posting kept = row;
      if (drops_deletions) kept.is_deletion = false;
      int written = has_term ? SQLITE_OK : writer.add_term(term);
      has_term = true;
      if (written == SQLITE_OK) written = writer.add_row(kept, rows.list(row));
      if (written != SQLITE_OK) return written;
    }
    return SQLITE_OK;
  });
  if (code == SQLITE_OK) code = writer.finish(&merged->last_page);
  for (const Fts5Segment& input : newest_first) {
    if (code == SQLITE_OK) code = pages_.remove_segment(input.id);
  }
  structure->written_pages += static_cast<uint64_t>(merged->last_page);
  return code;
}

int Fts5Index::merge_all() {
  Fts5Structure structure;
  int code = flush();
  if (code == SQLITE_OK) code = load(&structure);
  if (code != SQLITE_OK || structure.segment_count() < 2) return code;
  std::vector<Fts5Segment> newest_first;
  for (const Fts5Level& level : structure.levels) {
    newest_first.insert(newest_first.end(), level.segments.rbegin(), level.segments.rend());
  }
  const size_t levels = std::max<size_t>(structure.levels.size(), 2);
  Fts5Segment merged;
  code = merge_segments(&structure, newest_first, true, &merged);
  if (code != SQLITE_OK) return code;
  structure.levels.assign(levels, Fts5Level());
  if (merged.last_page > 0) structure.levels.back().segments.push_back(merged);
  return save(structure);
}

// The levels that have enough segments for it.
int Fts5Index::merge_some() {
  Fts5Structure structure;
  int code = flush();
  if (code == SQLITE_OK) code = load(&structure);
  bool has_merged = false;
  for (size_t level = 0; code == SQLITE_OK && level < structure.levels.size(); ++level) {
    if (static_cast<int>(structure.levels[level].segments.size()) < config_->usermerge) continue;
    code = merge_level(&structure, level);
    has_merged = true;
  }
  return code == SQLITE_OK && has_merged ? save(structure) : code;
}

// ---- Reading -------------------------------------------------------------------------------------

namespace {

// What is said of each row by the first list that names it.
void merge_newest(std::vector<Fts5Postings>* newest_first, bool with_deletions, Fts5Postings* merged) {
  merged->rows.clear();
  merged->bytes.clear();
  if (newest_first->size() == 1 && with_deletions) {
    *merged = std::move(newest_first->front());
    return;
  }
  std::vector<size_t> next(newest_first->size());
  for (;;) {
    const Fts5Posting* first = nullptr;
    size_t source = 0;
    for (size_t i = 0; i < newest_first->size(); ++i) {
      const Fts5Postings& list = (*newest_first)[i];
      if (next[i] >= list.rows.size()) continue;
      const Fts5Posting& row = list.rows[next[i]];
      if (first != nullptr && row.rowid >= first->rowid) continue;
      first = &row;
      source = i;
    }
    if (first == nullptr) return;
    if (with_deletions || first->has_content) merged->add(*first, (*newest_first)[source].list(*first));
    const int64_t rowid = first->rowid;
    for (size_t i = 0; i < newest_first->size(); ++i) {
      const Fts5Postings& list = (*newest_first)[i];
      if (next[i] < list.rows.size() && list.rows[next[i]].rowid == rowid) ++next[i];
    }
  }
}

}  // namespace

int Fts5Index::visit_segments(const std::vector<Fts5Segment>& newest_first, std::string_view first,
                              std::string_view prefix, bool with_deletions, const TermFunction& visit) {
  std::vector<std::unique_ptr<Fts5SegmentReader>> readers;
  for (const Fts5Segment& segment : newest_first) {
    readers.push_back(std::make_unique<Fts5SegmentReader>(&pages_, segment, config_->detail));
    int code = readers.back()->seek(first);
    if (code != SQLITE_OK) return code;
  }
  for (;;) {
    const Fts5SegmentReader* least = nullptr;
    for (const auto& reader : readers) {
      if (!reader->at_end() && (least == nullptr || reader->term() < least->term())) least = reader.get();
    }
    if (least == nullptr || !std::string_view(least->term()).starts_with(prefix)) return SQLITE_OK;
    const std::string term = least->term();
    std::vector<Fts5Postings> lists;
    for (const auto& reader : readers) {
      if (reader->at_end() || reader->term() != term) continue;
      lists.emplace_back();
      int code = reader->read_rows(&lists.back());
      if (code == SQLITE_OK) code = reader->next();
      if (code != SQLITE_OK) return code;
    }
    Fts5Postings merged;
    merge_newest(&lists, with_deletions, &merged);
    if (merged.rows.empty()) continue;
    int code = visit(term, merged);
    if (code != SQLITE_OK) return code == SQLITE_DONE ? SQLITE_OK : code;
  }
}

int Fts5Index::each_term(std::string_view first, std::string_view prefix, const TermFunction& visit) {
  Fts5Structure structure;
  int code = flush();
  if (code == SQLITE_OK) code = load(&structure);
  if (code != SQLITE_OK) return code;
  std::vector<Fts5Segment> newest_first;
  for (const Fts5Level& level : structure.levels) {
    newest_first.insert(newest_first.end(), level.segments.rbegin(), level.segments.rend());
  }
  return visit_segments(newest_first, first, prefix, false, visit);
}

namespace {

// A position list of places.
std::string encode_places(const std::vector<Fts5Place>& places, bool has_columns_alone) {
  std::string list;
  int column = 0, position = 0;
  for (Fts5Place place : places) {
    const int value = has_columns_alone ? column_of(place) : token_of(place);
    if (!has_columns_alone && column_of(place) != column) {
      column = column_of(place);
      list.push_back(1);
      append_fts5_varint(static_cast<uint64_t>(column), &list);
      position = 0;
    }
    append_fts5_varint(static_cast<uint64_t>(value - position) + 2, &list);
    position = value;
  }
  return list;
}

}  // namespace

int Fts5Index::find(std::string_view text, bool is_prefix, Fts5Postings* rows) {
  rows->rows.clear();
  rows->bytes.clear();
  std::string term(1, kMainIndex);
  if (is_prefix) {
    // An index of prefixes of this length has them ready.
    for (size_t i = 0; i < config_->prefixes.size(); ++i) {
      if (fts5_prefix(text, config_->prefixes[i]) != text) continue;
      term[0] = static_cast<char>(kMainIndex + 1 + i);
      is_prefix = false;
      break;
    }
  }
  term += text;
  if (!is_prefix) {
    return each_term(term, term, [&](const std::string& found, const Fts5Postings& list) {
      if (found == term) *rows = list;
      return SQLITE_DONE;
    });
  }
  const bool columns_alone = config_->detail == Fts5Detail::kColumns;
  std::map<int64_t, std::vector<Fts5Place>> places_of_row;
  int code = each_term(term, term, [&](const std::string&, const Fts5Postings& list) {
    for (const Fts5Posting& row : list.rows) {
      decode_places(list.list(row), columns_alone, &places_of_row[row.rowid]);
    }
    return SQLITE_OK;
  });
  for (auto& [rowid, places] : places_of_row) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    Fts5Posting row;
    row.rowid = rowid;
    row.has_content = true;
    rows->add(row, encode_places(places, columns_alone));
  }
  return code;
}

// Whether all segments can be read.
int Fts5Index::check() {
  return each_term({}, {}, [](const std::string& term, const Fts5Postings&) {
    return term.empty() ? SQLITE_CORRUPT_VTAB : SQLITE_OK;
  });
}

}  // namespace godwit::modules
