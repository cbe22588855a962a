// Finding a position by key. A search ends on an equal entry or in the gap of a leaf where the key
// belongs; the seeks with a direction then move on from the gap.
//
// Neighbouring searches are common (sorted look-ups, appends): before descending from the root, a
// search tries the leaf that the cursor is on. For rowids the test costs next to nothing. For keys
// it costs up to two comparisons, so it is made only while searches do land on the same leaf.
#include "btree/cursor_state.h"

namespace godwit {

bool CursorState::is_rightmost_leaf() {
  for (int i = 0; i < depth_; ++i) {
    if (stack_[i].index < store_->node(stack_[i].page).cell_count()) return false;
  }
  return true;
}

bool CursorState::is_leftmost_leaf() {
  for (int i = 0; i < depth_; ++i) {
    if (stack_[i].index > 0) return false;
  }
  return true;
}

// Whether the place of `rowid` is surely on the leaf that the cursor is on.
bool CursorState::leaf_covers(Rowid rowid) {
  if (!is_on_leaf_page()) return false;
  Node node = top_node();
  if (!node.is_leaf() || !node.check(true)) return false;
  uint32_t count = node.cell_count();
  Rowid bound;
  if (count == 0 || !node.rowid_at(count - 1, &bound)) return false;
  if (rowid > bound) return is_rightmost_leaf();
  if (!node.rowid_at(0, &bound)) return false;
  return rowid >= bound || is_leftmost_leaf();
}

Status CursorState::descend_to_rowid(Rowid rowid, bool* found) {
  *found = false;
  if (!leaf_covers(rowid)) {
    GW_TRY(enter_root());
    if (state_ == State::kEnd) return {};
  }
  for (;;) {
    Node node = top_node();
    uint32_t index;
    if (!node.search(rowid, &index, found)) return corrupt("cell");
    top().index = index;
    if (node.is_leaf()) break;
    GW_TRY(enter(node.child(index)));
  }
  on_leaf_ = true;
  state_ = State::kGap;
  return {};
}

Status CursorState::compare_cell(std::span<const ValueView> key, const Node& node, uint32_t index,
                                 int* order) {
  Cell cell;
  if (!node.parse(index, &cell)) return corrupt("cell");
  ByteSpan record(node.data() + cell.payload_offset, cell.local_size);
  if (cell.overflow != 0) [[unlikely]] {
    if (!store_->is_possible_payload(cell.payload_size)) return corrupt("payload larger than file");
    compare_scratch_.resize(cell.payload_size);
    std::memcpy(compare_scratch_.data(), record.data(), record.size());
    GW_TRY(store_->read_chain(cell.overflow, 0,
                              MutableByteSpan(compare_scratch_).subspan(cell.local_size)));
    record = compare_scratch_;
  }
  Status status;
  *order = compare_key_record(*key_info_, key, record, &status);
  return status;
}

Status CursorState::search_node(const Node& node, std::span<const ValueView> key, Bias bias,
                                uint32_t* index, bool* found) {
  uint32_t low = 0;
  uint32_t high = node.cell_count();
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int order;
    GW_TRY(compare_cell(key, node, middle, &order));
    if (order == 0 && bias == Bias::kStopAtEqual) {
      *found = true;
      *index = middle;
      return {};
    }
    if (order > 0 || (order == 0 && bias == Bias::kAfterEqual)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  *index = low;
  return {};
}

// Tries the leaf that the cursor is on: *done if the key's place is there, then found.
Status CursorState::search_current_leaf(std::span<const ValueView> key, Bias bias, bool* done,
                                        bool* found) {
  *done = false;
  if (!seeks_are_near_ || !is_on_leaf_page()) return {};
  Node node = top_node();
  if (!node.is_leaf() || !node.check(false)) return {};
  uint32_t count = node.cell_count();
  if (count == 0) return {};
  int order;
  GW_TRY(compare_cell(key, node, count - 1, &order));
  if (order > 0 || (order == 0 && bias == Bias::kAfterEqual)) {
    if (!is_rightmost_leaf()) return {};
    top().index = count;
    *done = true;
    return {};
  }
  GW_TRY(compare_cell(key, node, 0, &order));
  if ((order < 0 || (order == 0 && bias == Bias::kBeforeEqual)) && !is_leftmost_leaf()) return {};
  *done = true;
  return search_node(node, key, bias, &top().index, found);
}

Status CursorState::descend_to_key(std::span<const ValueView> key, Bias bias, bool* found) {
  *found = false;
  bool done;
  GW_TRY(search_current_leaf(key, bias, &done, found));
  if (done) {
    state_ = State::kGap;
    return {};
  }
  GW_TRY(enter_root());
  if (state_ == State::kEnd) return {};
  for (;;) {
    Node node = top_node();
    GW_TRY(search_node(node, key, bias, &top().index, found));
    on_leaf_ = node.is_leaf();
    if (on_leaf_ || *found) break;
    GW_TRY(enter(node.child(top().index)));
  }
  state_ = State::kGap;
  PageNumber leaf = top().page->number();
  seeks_are_near_ = leaf == last_leaf_;
  last_leaf_ = leaf;
  return {};
}

// After a search: moves to the equal entry, or else to a neighbour on the leaf.
Status CursorState::finish_seek(bool found, int* order) {
  *order = -1;
  if (state_ == State::kEnd) return {};
  if (found) {
    *order = 0;
    return arrive();
  }
  uint32_t count = top_node().cell_count();
  if (top().index < count) {
    *order = 1;
    return arrive();
  }
  if (count == 0) {
    state_ = State::kEnd;
    return {};
  }
  top().index = count - 1;
  return arrive();
}

Status CursorState::seek_rowid(Rowid rowid, int* order) {
  bool found;
  GW_TRY(descend_to_rowid(rowid, &found));
  return finish_seek(found, order);
}

Status CursorState::seek_key(std::span<const ValueView> key, int* order) {
  bool found;
  GW_TRY(descend_to_key(key, Bias::kStopAtEqual, &found));
  return finish_seek(found, order);
}

Status CursorState::seek_key_lower(std::span<const ValueView> key, bool or_equal) {
  bool found;
  GW_TRY(descend_to_key(key, or_equal ? Bias::kBeforeEqual : Bias::kAfterEqual, &found));
  return next();
}

Status CursorState::seek_key_upper(std::span<const ValueView> key, bool or_equal) {
  bool found;
  GW_TRY(descend_to_key(key, or_equal ? Bias::kAfterEqual : Bias::kBeforeEqual, &found));
  return previous();
}

Status CursorState::seek_rowid_lower(Rowid rowid, bool or_equal) {
  bool found;
  GW_TRY(descend_to_rowid(rowid, &found));
  if (found && !or_equal) ++top().index;
  return next();
}

Status CursorState::seek_rowid_upper(Rowid rowid, bool or_equal) {
  bool found;
  GW_TRY(descend_to_rowid(rowid, &found));
  if (found && or_equal) ++top().index;
  return previous();
}

}  // namespace godwit
