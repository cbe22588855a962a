#include "modules/fts5_segment.h"

#include <algorithm>

namespace godwit::modules {

namespace {

constexpr size_t kLeafHeader = 4;

size_t load_short(std::string_view bytes, size_t at) {
  return static_cast<size_t>(static_cast<uint8_t>(bytes[at])) << 8 | static_cast<uint8_t>(bytes[at + 1]);
}

size_t common_prefix(std::string_view a, std::string_view b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

// ---- Pages ---------------------------------------------------------------------------------------

int Fts5Pages::read(int64_t id, std::string* block, bool* is_found) {
  int code = read_.prepare(config_->db, config_->sql("SELECT block FROM \"%w\".\"%w_data\" WHERE id = ?1"));
  if (code != SQLITE_OK) return code;
  read_.bind(1, id);
  const bool has_row = read_.next_row();
  if (has_row) *block = read_.blob(0);
  code = read_.reset();
  if (is_found != nullptr) *is_found = has_row;
  return code == SQLITE_OK && !has_row && is_found == nullptr ? SQLITE_CORRUPT_VTAB : code;
}

int Fts5Pages::write(int64_t id, std::string_view block) {
  int code = write_.prepare(config_->db,
                            config_->sql("REPLACE INTO \"%w\".\"%w_data\"(id, block) VALUES(?1, ?2)"));
  if (code != SQLITE_OK) return code;
  write_.bind(1, id);
  write_.bind_blob(2, block);
  return write_.run();
}

int Fts5Pages::remove_segment(int segment) {
  int code = remove_.prepare(config_->db,
                             config_->sql("DELETE FROM \"%w\".\"%w_data\" WHERE id >= ?1 AND id < ?2"));
  if (code == SQLITE_OK) {
    code = remove_terms_.prepare(config_->db, config_->sql("DELETE FROM \"%w\".\"%w_idx\" WHERE segid = ?1"));
  }
  if (code != SQLITE_OK) return code;
  remove_.bind(1, page_id(segment, 0));
  remove_.bind(2, page_id(segment + 1, 0));
  code = remove_.run();
  remove_terms_.bind(1, static_cast<int64_t>(segment));
  return code == SQLITE_OK ? remove_terms_.run() : code;
}

int Fts5Pages::remove_all() {
  int code = execute(config_->db, config_->sql("DELETE FROM \"%w\".\"%w_data\""));
  return code == SQLITE_OK ? execute(config_->db, config_->sql("DELETE FROM \"%w\".\"%w_idx\"")) : code;
}

int Fts5Pages::add_term(int segment, std::string_view term, int page) {
  int code = add_term_.prepare(
      config_->db, config_->sql("INSERT INTO \"%w\".\"%w_idx\"(segid, term, pgno) VALUES(?1, ?2, ?3)"));
  if (code != SQLITE_OK) return code;
  add_term_.bind(1, static_cast<int64_t>(segment));
  add_term_.bind_blob(2, term);
  add_term_.bind(3, static_cast<int64_t>(page) * 2);
  return add_term_.run();
}

int Fts5Pages::find_page(int segment, std::string_view term, int* page) {
  *page = 0;
  int code = find_page_.prepare(config_->db,
                                config_->sql("SELECT pgno FROM \"%w\".\"%w_idx\" WHERE segid = ?1 AND "
                                             "term <= ?2 ORDER BY term DESC LIMIT 1"));
  if (code != SQLITE_OK) return code;
  find_page_.bind(1, static_cast<int64_t>(segment));
  find_page_.bind_blob(2, term);
  if (find_page_.next_row()) *page = static_cast<int>(find_page_.integer(0) / 2);
  return find_page_.reset();
}

void Fts5Pages::finalize() {
  for (Statement* stmt : {&read_, &write_, &remove_, &remove_terms_, &add_term_, &find_page_}) stmt->finalize();
}

// ---- Reading -------------------------------------------------------------------------------------

int Fts5SegmentReader::load(int page) {
  int code = pages_->read(Fts5Pages::page_id(segment_.id, page), &page_);
  if (code != SQLITE_OK) return code;
  if (page_.size() < kLeafHeader) return SQLITE_CORRUPT_VTAB;
  content_end_ = load_short(page_, 2);
  if (content_end_ < kLeafHeader || content_end_ > page_.size()) return SQLITE_CORRUPT_VTAB;
  page_number_ = page;
  term_offsets_.clear();
  Fts5VarintReader footer(page_, content_end_);
  uint64_t step, offset = 0;
  while (footer.next(&step)) {
    if (step > content_end_) return SQLITE_CORRUPT_VTAB;
    offset += step;
    if (offset < kLeafHeader || offset >= content_end_) return SQLITE_CORRUPT_VTAB;
    term_offsets_.push_back(offset);
  }
  index_ = 0;
  return SQLITE_OK;
}

int Fts5SegmentReader::read_term() {
  Fts5VarintReader reader(std::string_view(page_).substr(0, content_end_), term_offsets_[index_]);
  uint64_t shared = 0, size = 0;
  if ((index_ > 0 && !reader.next(&shared)) || !reader.next(&size)) return SQLITE_CORRUPT_VTAB;
  if (shared > term_.size() || size > content_end_ - reader.at()) return SQLITE_CORRUPT_VTAB;
  term_.resize(shared);
  term_.append(page_, reader.at(), size);
  rows_start_ = reader.at() + size;
  at_end_ = false;
  return SQLITE_OK;
}

int Fts5SegmentReader::enter_next_page_with_term() {
  for (;;) {
    if (page_number_ >= segment_.last_page) {
      at_end_ = true;
      return SQLITE_OK;
    }
    int code = load(page_number_ + 1);
    if (code != SQLITE_OK) return code;
    if (!term_offsets_.empty()) return read_term();
  }
}

int Fts5SegmentReader::next() {
  if (++index_ < term_offsets_.size()) return read_term();
  return enter_next_page_with_term();
}

int Fts5SegmentReader::seek(std::string_view term) {
  at_end_ = true;
  if (segment_.first_page <= 0) return SQLITE_OK;
  int page = 0;
  int code = pages_->find_page(segment_.id, term, &page);
  if (code != SQLITE_OK) return code;
  page = std::max(page, segment_.first_page);
  if (page > segment_.last_page) return SQLITE_CORRUPT_VTAB;
  code = load(page);
  if (code != SQLITE_OK) return code;
  term_.clear();
  code = term_offsets_.empty() ? enter_next_page_with_term() : read_term();
  while (code == SQLITE_OK && !at_end_ && std::string_view(term_) < term) code = next();
  return code;
}

// `first_rowid`: where the first rowid of a page after the first one is.
int Fts5SegmentReader::read_rows_of(std::string_view bytes, size_t start, size_t end, size_t first_rowid,
                                    Fts5Postings* rows) {
  size_t at = start;
  if (list_left_ > 0) {
    const size_t taken = std::min(list_left_, end - at);
    rows->bytes.append(bytes.substr(at, taken));
    list_left_ -= taken;
    at += taken;
  }
  const std::string_view content = bytes.substr(0, end);
  while (at < end) {
    Fts5VarintReader reader(content, at);
    uint64_t step, size = 0;
    if (!reader.next(&step)) return SQLITE_CORRUPT_VTAB;
    const bool is_absolute = is_first_row_ || at == first_rowid;
    rowid_ = is_absolute ? static_cast<int64_t>(step)
                         : static_cast<int64_t>(static_cast<uint64_t>(rowid_) + step);
    is_first_row_ = false;
    Fts5Posting row;
    row.rowid = rowid_;
    row.offset = rows->bytes.size();
    if (detail_ == Fts5Detail::kNone) {
      at = reader.at();
      row.has_content = true;
      if (at < end && bytes[at] == 0) {
        row.is_deletion = true;
        row.has_content = ++at < end && bytes[at] == 0;
        if (row.has_content) ++at;
      }
      rows->rows.push_back(row);
      continue;
    }
    if (!reader.next(&size)) return SQLITE_CORRUPT_VTAB;
    at = reader.at();
    row.is_deletion = size % 2 != 0;
    size /= 2;
    row.has_content = size > 0;
    row.size = size;
    const size_t taken = std::min<size_t>(size, end - at);
    rows->bytes.append(bytes.substr(at, taken));
    list_left_ = size - taken;
    at += taken;
    rows->rows.push_back(row);
  }
  return SQLITE_OK;
}

// The rows of the term at hand; the reader stays where it is.
int Fts5SegmentReader::read_rows(Fts5Postings* rows) {
  rows->rows.clear();
  rows->bytes.clear();
  is_first_row_ = true;
  list_left_ = 0;
  const bool is_last_on_page = index_ + 1 >= term_offsets_.size();
  int code = read_rows_of(page_, rows_start_, is_last_on_page ? content_end_ : term_offsets_[index_ + 1],
                          0, rows);
  if (code != SQLITE_OK || !is_last_on_page) return code;
  for (int page = page_number_ + 1; page <= segment_.last_page; ++page) {
    Fts5SegmentReader after(pages_, segment_, detail_);
    code = after.load(page);
    if (code != SQLITE_OK) return code;
    const size_t end = after.term_offsets_.empty() ? after.content_end_ : after.term_offsets_[0];
    if (end > kLeafHeader) {
      code = read_rows_of(after.page_, kLeafHeader, end, load_short(after.page_, 0), rows);
    }
    if (code != SQLITE_OK || !after.term_offsets_.empty()) break;
  }
  if (code == SQLITE_OK && list_left_ > 0) return SQLITE_CORRUPT_VTAB;
  for (size_t i = 1; code == SQLITE_OK && i < rows->rows.size(); ++i) {
    if (rows->rows[i].rowid <= rows->rows[i - 1].rowid) return SQLITE_CORRUPT_VTAB;
  }
  return code;
}

// ---- Writing -------------------------------------------------------------------------------------

void Fts5SegmentWriter::start_page() {
  content_.assign(kLeafHeader, '\0');
  footer_.clear();
  first_rowid_ = 0;
  has_term_ = false;
  needs_first_rowid_ = true;
}

int Fts5SegmentWriter::flush() {
  content_[0] = static_cast<char>(first_rowid_ >> 8);
  content_[1] = static_cast<char>(first_rowid_);
  content_[2] = static_cast<char>(content_.size() >> 8);
  content_[3] = static_cast<char>(content_.size());
  int code = pages_->write(Fts5Pages::page_id(segment_, page_), content_ + footer_);
  ++page_;
  start_page();
  return code;
}

int Fts5SegmentWriter::add_term(std::string_view term) {
  int code = SQLITE_OK;
  if (used() > kLeafHeader && used() + term.size() + 2 >= page_size_) code = flush();
  if (code != SQLITE_OK) return code;
  const size_t offset = content_.size();
  append_fts5_varint(has_term_ ? offset - last_term_offset_ : offset, &footer_);
  const size_t shared = common_prefix(last_term_, term);
  if (has_term_) {
    append_fts5_varint(shared, &content_);
    append_fts5_varint(term.size() - shared, &content_);
    content_ += term.substr(shared);
  } else {
    // As much of the term as sets it apart from the page before.
    const size_t size = page_ == 1 ? 0 : std::min(shared + 1, term.size());
    code = pages_->add_term(segment_, term.substr(0, size), page_);
    append_fts5_varint(term.size(), &content_);
    content_ += term;
  }
  last_term_ = term;
  last_term_offset_ = offset;
  has_term_ = true;
  needs_first_rowid_ = false;
  is_first_row_ = true;
  return code;
}

int Fts5SegmentWriter::add_row(const Fts5Posting& row, std::string_view list) {
  if (used() >= page_size_) {
    int code = flush();
    if (code != SQLITE_OK) return code;
  }
  const bool is_absolute = is_first_row_ || needs_first_rowid_;
  if (needs_first_rowid_) first_rowid_ = content_.size();
  append_fts5_varint(is_absolute ? static_cast<uint64_t>(row.rowid)
                                 : static_cast<uint64_t>(row.rowid) - static_cast<uint64_t>(rowid_),
                     &content_);
  rowid_ = row.rowid;
  is_first_row_ = false;
  needs_first_rowid_ = false;
  if (detail_ == Fts5Detail::kNone) {
    if (row.is_deletion) content_.append(row.has_content ? 2 : 1, '\0');
    return SQLITE_OK;
  }
  append_fts5_varint(list.size() * 2 + (row.is_deletion ? 1 : 0), &content_);
  while (used() + list.size() >= page_size_) {
    // Whole varints go onto this page until it is full.
    size_t taken = 0;
    const size_t room = page_size_ > used() ? page_size_ - used() : 0;
    while (taken < room && taken < list.size()) {
      while (taken < list.size() && (list[taken] & 0x80) != 0) ++taken;
      if (taken < list.size()) ++taken;
    }
    content_ += list.substr(0, taken);
    list.remove_prefix(taken);
    if (list.empty() && used() < page_size_) break;
    int code = flush();
    if (code != SQLITE_OK) return code;
    if (list.empty()) break;
  }
  content_ += list;
  return SQLITE_OK;
}

int Fts5SegmentWriter::finish(int* last_page) {
  int code = SQLITE_OK;
  if (content_.size() > kLeafHeader) code = flush();
  *last_page = page_ - 1;
  return code;
}

}  // namespace godwit::modules
