#include "modules/fts3_segment.h"

#include <algorithm>

namespace godwit::modules {

namespace {

constexpr uint64_t kMaxHeight = 64;

size_t shared_bytes(std::string_view a, std::string_view b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

void append_term(std::string_view term, std::string_view before, bool is_first, std::string* node) {
  const size_t shared = is_first ? 0 : shared_bytes(term, before);
  if (!is_first) append_fts3_varint(shared, node);
  append_fts3_varint(term.size() - shared, node);
  node->append(term.substr(shared));
}

// Takes a term that shares bytes with the one in `term`.
bool take_term(Fts3Reader* reader, bool is_first, std::string* term) {
  uint64_t shared = 0, size = 0;
  std::string_view rest;
  if (!is_first && !reader->next(&shared)) return false;
  if (!reader->next(&size) || !reader->take(size, &rest) || shared > term->size() || shared + size == 0) return false;
  term->resize(shared);
  term->append(rest);
  return true;
}

}  // namespace

// ---- Reading -------------------------------------------------------------------------------------

int Fts3SegmentReader::find_leaf(std::string_view term, int64_t* block) {
  std::string node = segment_.root, separator;
  uint64_t last_height = kMaxHeight;
  while (true) {
    Fts3Reader reader(node);
    uint64_t height = 0, child = 0;
    if (!reader.next(&height) || height == 0 || height >= last_height || !reader.next(&child)) return SQLITE_CORRUPT_VTAB;
    last_height = height;
    for (bool is_first = true; !reader.at_end(); is_first = false) {
      if (!take_term(&reader, is_first, &separator)) return SQLITE_CORRUPT_VTAB;
      if (term < separator) break;
      ++child;
    }
    *block = static_cast<int64_t>(child);
    if (height == 1) return SQLITE_OK;
    int code = blocks_->read_block(*block, &node);
    if (code != SQLITE_OK) return code;
  }
}

int Fts3SegmentReader::start_leaf(std::string_view node) {
  leaf_ = node;
  reader_ = Fts3Reader(leaf_);
  uint64_t height = 0;
  is_first_ = true;
  term_.clear();
  return reader_.next(&height) && height == 0 ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

int Fts3SegmentReader::seek(std::string_view term) {
  at_end_ = false;
  int code = SQLITE_OK;
  if (!segment_.root.empty() && segment_.root[0] == '\0') {
    code = start_leaf(segment_.root);
  } else {
    code = find_leaf(term, &block_);
    std::string node;
    if (code == SQLITE_OK && (block_ < segment_.first_block || block_ > segment_.last_leaf)) code = SQLITE_CORRUPT_VTAB;
    if (code == SQLITE_OK) code = blocks_->read_block(block_, &node);
    if (code == SQLITE_OK) code = start_leaf(node);
  }
  if (code == SQLITE_OK) code = next();
  while (code == SQLITE_OK && !at_end_ && term_ < term) code = next();
  return code;
}

int Fts3SegmentReader::next() {
  while (reader_.at_end()) {
    if (block_ == 0 || block_ >= segment_.last_leaf) {
      at_end_ = true;
      return SQLITE_OK;
    }
    std::string node;
    int code = blocks_->read_block(++block_, &node);
    if (code == SQLITE_OK) code = start_leaf(node);
    if (code != SQLITE_OK) return code;
  }
  uint64_t size = 0;
  const bool is_good = take_term(&reader_, is_first_, &term_) && reader_.next(&size) && reader_.take(size, &doclist_);
  is_first_ = false;
  return is_good ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

// ---- Writing -------------------------------------------------------------------------------------

int Fts3SegmentWriter::add(std::string_view term, std::string_view doclist) {
  const auto varint_bytes = [](size_t value) {
    size_t n = 1;
    while (value >>= 7) ++n;
    return n;
  };
  const size_t shared = leaf_.empty() ? 0 : shared_bytes(term, last_term_);
  const size_t needed = varint_bytes(shared) + varint_bytes(term.size() - shared) + term.size() - shared +
                        varint_bytes(doclist.size()) + doclist.size();
  if (!leaf_.empty() && leaf_.size() + needed > node_size_) {
    int code = flush_leaf(term);
    if (code != SQLITE_OK) return code;
  }
  const bool is_first = leaf_.empty();
  if (is_first) leaf_.push_back('\0');
  append_term(term, last_term_, is_first, &leaf_);
  append_fts3_varint(doclist.size(), &leaf_);
  leaf_.append(doclist);
  last_term_ = term;
  return SQLITE_OK;
}

int Fts3SegmentWriter::flush_leaf(std::string_view next_term) {
  int code = blocks_->write_block(next_block_++, leaf_);
  leaf_bytes_ += static_cast<int64_t>(leaf_.size());
  leaf_.clear();
  // Enough of the term to part the leaves.
  if (!next_term.empty()) separators_.emplace_back(next_term.substr(0, shared_bytes(next_term, last_term_) + 1));
  return code;
}

int Fts3SegmentWriter::finish(Fts3Segment* segment, bool* is_empty) {
  *is_empty = leaf_.empty();
  if (*is_empty) return SQLITE_OK;
  if (next_block_ == first_block_) {
    leaf_bytes_ = static_cast<int64_t>(leaf_.size());
    segment->root = std::move(leaf_);
    segment->first_block = segment->last_leaf = segment->last_block = 0;
    return SQLITE_OK;
  }
  int code = flush_leaf({});
  segment->first_block = first_block_;
  segment->last_leaf = next_block_ - 1;
  // Level by level, until one node holds all.
  int64_t child = first_block_;
  for (uint64_t height = 1; code == SQLITE_OK; ++height) {
    std::vector<std::string> above;
    const int64_t first_of_level = next_block_;
    std::string node, before;
    const auto start = [&] {
      node.clear();
      before.clear();
      append_fts3_varint(height, &node);
      append_fts3_varint(static_cast<uint64_t>(child++), &node);
    };
    start();
    for (std::string& separator : separators_) {
      if (!before.empty() && node.size() + separator.size() + 20 > node_size_) {
        code = blocks_->write_block(next_block_++, node);
        if (code != SQLITE_OK) return code;
        start();
        above.push_back(std::move(separator));
        continue;
      }
      append_term(separator, before, before.empty(), &node);
      before = separator;
      ++child;
    }
    if (above.empty()) {
      segment->root = std::move(node);
      break;
    }
    code = blocks_->write_block(next_block_++, node);
    separators_ = std::move(above);
    child = first_of_level;
  }
  segment->last_block = next_block_ - 1;
  return code;
}

}  // namespace godwit::modules
