// Moving between neighbouring entries, and leaving and finding a position when the tree changes.
#include "btree/cursor_state.h"

#include <algorithm>

#include <utility>

#include "base/assert.h"

namespace godwit {

Status CursorState::enter(PageNumber number) {
  if (depth_ + 1 >= kTreeDepthMax) return corrupt("tree too deep: a cycle");
  Level& level = stack_[depth_ + 1];
  // A page that an earlier path went through is still pinned, and saves the look-up.
  if (!level.page || level.page->number() != number) {
    GW_ASSIGN(level.page, store_->pager()->read(number));
  }
  if (!store_->node(level.page).check(is_table_)) return corrupt("not a page of this tree");
  ++depth_;
  if (depth_ > deepest_) deepest_ = depth_;
  level.index = 0;
  return {};
}

Status CursorState::enter_root() {
  if (state_ == State::kFailed) return Status(error_code_);
  if (!is_listed_) store_->add_cursor(this);
  state_ = State::kUnpositioned;
  depth_ = -1;
  if (store_->pager()->page_count() == 0) {
    state_ = State::kEnd;
    return {};
  }
  return enter(root_);
}

void CursorState::leave_pages() {
  leaf_bounds_page_ = 0;
  free_page_ = 0;
  for (int i = 0; i <= deepest_; ++i) stack_[i].page = PageRef();
  depth_ = -1;
  deepest_ = -1;
}

Result<uint64_t> CursorState::estimated_count() {
  GW_TRY(first());
  if (at_end()) return uint64_t{0};
  uint64_t count = 1;
  for (int i = 0; i <= depth_; ++i) {
    count *= std::max(store_->node(stack_[i].page).cell_count(), 1u);
  }
  return count;
}

void CursorState::invalidate() {
  if (!is_listed_) {
    state_ = State::kUnpositioned;  // it can only have failed
    return;
  }
  leave_pages();
  state_ = State::kUnpositioned;
  is_resting_ = false;
  is_near_[0] = is_near_[1] = false;
  store_->remove_cursor(this);
}

void CursorState::fail(int error_code) {
  const bool was_resting = is_resting_;
  invalidate();
  if (was_resting) return;
  state_ = State::kFailed;
  error_code_ = error_code;
}

Status CursorState::descend_to_first() {
  for (;;) {
    Node node = top_node();
    if (node.is_leaf()) break;
    GW_TRY(enter(node.child(top().index)));
  }
  if (depth_ > 0 && top_node().cell_count() == 0) return corrupt("empty leaf");
  return {};
}

Status CursorState::descend_to_last() {
  for (;;) {
    Node node = top_node();
    if (node.is_leaf()) break;
    GW_TRY(enter(node.child(top().index)));
    top().index = top_node().cell_count();
  }
  Level& level = top();
  level.index = top_node().cell_count();
  if (depth_ > 0 && level.index == 0) return corrupt("empty leaf");
  return {};
}

Status CursorState::arrive() {
  Node node = top_node();
  if (top().index >= node.cell_count() || !node.parse(top().index, &cell_)) {
    return corrupt("cell");
  }
  on_leaf_ = node.is_leaf();
  state_ = State::kOnEntry;
  return {};
}

Status CursorState::prepare_to_move() {
  if (state_ == State::kSaved) {
    bool moved;
    return restore(&moved);
  }
  if (state_ == State::kFailed) return Status(error_code_);
  return {};
}

Status CursorState::first() {
  GW_TRY(enter_root());
  if (state_ == State::kEnd) return {};
  GW_TRY(descend_to_first());
  if (top_node().cell_count() == 0) {
    state_ = State::kEnd;
    return {};
  }
  return arrive();
}

// Whether it is on the largest entry, without moving: false also where that is not seen at once.
bool CursorState::is_on_largest() {
  return state_ == State::kOnEntry && on_leaf_ && top().index + 1 == top_node().cell_count() &&
         is_rightmost_leaf();
}

Status CursorState::last() {
  if (is_on_largest()) return {};
  GW_TRY(enter_root());
  if (state_ == State::kEnd) return {};
  top().index = top_node().cell_count();
  GW_TRY(descend_to_last());
  if (top().index == 0) {
    state_ = State::kEnd;
    return {};
  }
  --top().index;
  return arrive();
}

Status CursorState::next() {
  GW_TRY(prepare_to_move());
  if (state_ != State::kOnEntry && state_ != State::kGap) return {};
  Level& level = top();
  if (state_ == State::kOnEntry) ++level.index;
  if (!on_leaf_) {
    GW_TRY(descend_to_first());
    return arrive();
  }
  if (level.index < top_node().cell_count()) return arrive();
  return ascend_to_next();
}

Status CursorState::ascend_to_next() {
  while (depth_ > 0) {
    --depth_;
    if (top().index >= top_node().cell_count()) continue;
    if (is_table_) {
      ++top().index;
      GW_TRY(descend_to_first());
    }
    return arrive();
  }
  state_ = State::kEnd;
  return {};
}

Status CursorState::previous() {
  GW_TRY(prepare_to_move());
  if (state_ != State::kOnEntry && state_ != State::kGap) return {};
  if (!on_leaf_) {
    GW_TRY(descend_to_last());
    --top().index;
    return arrive();
  }
  if (top().index == 0) return ascend_to_previous();
  --top().index;
  return arrive();
}

Status CursorState::ascend_to_previous() {
  while (depth_ > 0) {
    --depth_;
    if (top().index == 0) continue;
    --top().index;
    if (is_table_) {
      GW_TRY(descend_to_last());
      --top().index;
    }
    return arrive();
  }
  state_ = State::kEnd;
  return {};
}

Status CursorState::move_to_gap_before() {
  if (!on_leaf_) GW_TRY(descend_to_last());
  on_leaf_ = true;
  state_ = State::kGap;
  return {};
}

Status CursorState::move_to_gap_after() {
  ++top().index;
  if (!on_leaf_) GW_TRY(descend_to_first());
  on_leaf_ = true;
  state_ = State::kGap;
  return {};
}

// --- Saving and restoring
// ---------------------------------------------------------------------------

Status CursorState::remember_entry(const Cell& cell, int side) {
  saved_side_ = static_cast<int8_t>(side);
  if (is_table_) {
    saved_rowid_ = cell.rowid;
    return {};
  }
  if (!store_->is_possible_payload(cell.payload_size)) return corrupt("payload larger than file");
  saved_key_.resize(cell.payload_size);
  return copy_payload(cell, saved_key_.data());
}

Status CursorState::save() {
  if (state_ == State::kOnEntry) {
    GW_TRY(remember_entry(cell_, 0));
    state_ = State::kSaved;
  } else if (state_ == State::kGap) {
    Node node = top_node();
    uint32_t index = top().index;
    Cell cell;
    if (node.cell_count() == 0) {
      state_ = State::kEnd;
    } else {
      bool after = index > 0;
      if (!node.parse(after ? index - 1 : index, &cell)) return corrupt("cell");
      GW_TRY(remember_entry(cell, after ? 1 : -1));
      state_ = State::kSaved;
    }
  }
  leave_pages();
  return {};
}

Status CursorState::restore(bool* moved) {
  *moved = false;
  if (state_ != State::kSaved) return {};
  bool found = false;
  state_ = State::kUnpositioned;
  if (is_table_) {
    GW_TRY(descend_to_rowid(saved_rowid_, &found));
  } else {
    RecordDecoder decoder(key_info_->encoding);
    GW_TRY(decoder.reset(saved_key_));
    std::vector<ValueView> key(key_info_->columns.size());
    for (uint32_t i = 0; i < key.size(); ++i) {
      bool missing;
      GW_TRY(decoder.column(i, &key[i], &missing));
    }
    GW_TRY(descend_to_key(key, Bias::kStopAtEqual, Purpose::kSeek, &found));
  }
  *moved = !found && saved_side_ == 0;
  if (state_ == State::kEnd || !found) return {};
  if (saved_side_ == 0) return arrive();
  return saved_side_ > 0 ? move_to_gap_after() : move_to_gap_before();
}

Status CursorState::restore_entry(bool* moved) {
  if (state_ == State::kFailed) return Status(error_code_);
  GW_TRY(restore(moved));
  *moved = state_ != State::kOnEntry;
  return {};
}

void TreeStore::add_cursor(CursorState* cursor) {
  cursor->is_listed_ = true;
  cursor->previous_cursor_ = nullptr;
  cursor->next_cursor_ = cursors_;
  if (cursors_ != nullptr) cursors_->previous_cursor_ = cursor;
  cursors_ = cursor;
}

void TreeStore::remove_cursor(CursorState* cursor) {
  cursor->is_listed_ = false;
  if (cursor->next_cursor_ != nullptr) {
    cursor->next_cursor_->previous_cursor_ = cursor->previous_cursor_;
  }
  if (cursor->previous_cursor_ != nullptr) {
    cursor->previous_cursor_->next_cursor_ = cursor->next_cursor_;
  } else {
    cursors_ = cursor->next_cursor_;
  }
}

Status TreeStore::save_cursors(PageNumber root, const CursorState* except) {
  for (CursorState *c = cursors_, *next; c != nullptr; c = next) {
    next = c->next_cursor_;
    if (c == except || (root != 0 && c->root_ != root) || c->deepest_ < 0) continue;
    if (c->is_resting_) {
      c->invalidate();
    } else {
      GW_TRY(c->save());
    }
  }
  return {};
}

void TreeStore::invalidate_cursors() {
  while (cursors_ != nullptr) cursors_->invalidate();
}

void TreeStore::fail_cursors(int error_code) {
  while (cursors_ != nullptr) cursors_->fail(error_code);
}

// --- Counting
// ---------------------------------------------------------------------------------------

Status CursorState::count_subtree(PageNumber number, int depth, uint32_t* pages_left,
                                  int64_t* total) {
  if (depth >= kTreeDepthMax || *pages_left == 0) return corrupt("tree too deep: a cycle");
  --*pages_left;
  GW_ASSIGN(PageRef page, store_->pager()->read(number));
  Node node = store_->node(page);
  if (!node.check(is_table_)) return corrupt("not a page of this tree");
  uint32_t cells = node.cell_count();
  if (node.is_leaf() || !is_table_) *total += cells;
  if (node.is_leaf()) return {};
  for (uint32_t i = 0; i <= cells; ++i) {
    GW_TRY(count_subtree(node.child(i), depth + 1, pages_left, total));
  }
  return {};
}

Result<int64_t> CursorState::count() {
  if (state_ == State::kFailed) return Status(error_code_);
  int64_t total = 0;
  uint32_t pages_left = store_->pager()->page_count();
  if (pages_left == 0) return total;
  GW_TRY(count_subtree(root_, 0, &pages_left, &total));
  return total;
}

}  // namespace godwit
