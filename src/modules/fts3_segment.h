// Segments of an FTS3 index: trees of terms and their doclists, which never change once they are written.
// The root is in t_segdir, other nodes in t_segments.
//
//   leaf      0, size, term, size, doclist, then for each further term: bytes shared with the term
//             before, size, rest, size, doclist
//   interior  height, block of the first child, size, term, then: bytes shared, size, rest, ...
//             Each term parts two children, whose blocks follow each other; it is not above the first
//             term of the right one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "modules/fts3_doclist.h"
#include "modules/statement.h"

namespace godwit::modules {

// The blocks of t_segments.
class Fts3Blocks {
 public:
  virtual ~Fts3Blocks() = default;
  virtual int read_block(int64_t id, std::string* block) = 0;
  virtual int write_block(int64_t id, std::string_view block) = 0;
};

// A row of t_segdir.
struct Fts3Segment {
  int64_t level = 0, number = 0;
  int64_t first_block = 0, last_leaf = 0, last_block = 0;  // 0: the root is all
  std::string root;
};

class Fts3SegmentReader {
 public:
  Fts3SegmentReader(Fts3Blocks* blocks, Fts3Segment segment) : blocks_(blocks), segment_(std::move(segment)) {}
  // At the first term that is not less.
  int seek(std::string_view term);
  int next();
  bool at_end() const { return at_end_; }
  const std::string& term() const { return term_; }
  std::string_view doclist() const { return doclist_; }

 private:
  int start_leaf(std::string_view node);
  int find_leaf(std::string_view term, int64_t* block);

  Fts3Blocks* blocks_;
  Fts3Segment segment_;
  std::string leaf_;
  Fts3Reader reader_{{}};
  int64_t block_ = 0;
  bool is_first_ = true;
  bool at_end_ = false;
  std::string term_;
  std::string_view doclist_;
};

class Fts3SegmentWriter {
 public:
  // Leaves are written from this block on.
  Fts3SegmentWriter(Fts3Blocks* blocks, int64_t first_block, size_t node_size)
      : blocks_(blocks), next_block_(first_block), first_block_(first_block), node_size_(node_size) {}
  int add(std::string_view term, std::string_view doclist);
  // The segment's blocks and root. `is_empty`: nothing was added.
  int finish(Fts3Segment* segment, bool* is_empty);
  int64_t leaf_bytes() const { return leaf_bytes_; }

 private:
  int flush_leaf(std::string_view next_term);

  Fts3Blocks* blocks_;
  int64_t next_block_, first_block_;
  size_t node_size_;
  std::string leaf_, last_term_;
  std::vector<std::string> separators_;  // between the leaves that are written
  int64_t leaf_bytes_ = 0;
};

}  // namespace godwit::modules
