// Storing and deleting entries.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "btree/balance.h"
#include "btree/cursor_state.h"

namespace godwit {

Status CursorState::prepare_to_write() {
  GW_ASSERT(is_writable_);
  if (state_ == State::kFailed) return Status(error_code_);
  // A function that the statement calls may have ended the transaction.
  if (!store_->pager()->is_writing()) return Status(code::kAbortRollback);
  edit_ = store_->next_edit();
  return store_->save_cursors(root_, this);
}

// Finds the place of `rowid`. An append to the rightmost leaf compares with the last rowid alone.
Status CursorState::position_for_insert(Rowid rowid, bool append, bool* found) {
  *found = false;
  if (append && is_on_largest() && rowid > cell_.rowid) {
    ++top().index;
    return {};
  }
  if (append && !is_on_leaf_page()) GW_TRY(last());
  if (append && is_on_leaf_page()) {
    Node node = top_node();
    uint32_t count = node.is_leaf() ? node.cell_count() : 0;
    Rowid largest;
    if (count > 0 && node.rowid_at(count - 1, &largest) && rowid > largest && is_rightmost_leaf()) {
      top().index = count;
      return {};
    }
  }
  return descend_to_rowid(rowid, found);
}

Status CursorState::insert(Rowid rowid, ByteSpan record, bool append) {
  GW_TRY(prepare_to_write());
  bool found;
  GW_TRY(position_for_insert(rowid, append, &found));
  if (state_ == State::kEnd && depth_ < 0) return corrupt("insert into a database without pages");
  return insert_here(rowid, record, found);
}

Status CursorState::insert_key(std::span<const ValueView> key, ByteSpan record) {
  GW_TRY(prepare_to_write());
  bool found;
  GW_TRY(descend_to_key(key, Bias::kStopAtEqual, Purpose::kInsert, &found));
  if (state_ == State::kEnd) return corrupt("insert into a database without pages");
  return insert_here(0, record, found);
}

// The record belongs behind all others.
Status CursorState::append_key(ByteSpan record) {
  GW_TRY(prepare_to_write());
  GW_TRY(last());
  if (state_ == State::kOnEntry) {
    ++top().index;
  } else if (depth_ < 0) {
    return corrupt("insert into a database without pages");
  }
  return insert_here(0, record, false);
}

// Writes a new payload over one of the same size.
Status CursorState::overwrite(const Cell& cell, ByteSpan record) {
  if (cell.local_size != 0) {
    std::memcpy(top().page.data() + cell.payload_offset, record.data(), cell.local_size);
  }
  if (cell.overflow != 0) {
    GW_TRY(store_->overwrite_chain(cell.overflow, 0, record.subspan(cell.local_size)));
  }
  cell_ = cell;
  on_leaf_ = top_node().is_leaf();
  state_ = State::kOnEntry;
  return {};
}

// Stores the entry at top().index; `replace`: over the entry that is there.
Status CursorState::insert_here(Rowid rowid, ByteSpan record, bool replace) {
  Level& level = top();
  GW_TRY(store_->pager()->write(level.page));
  Node node = top_node();
  if (level.index > node.cell_count()) return corrupt("cell index");
  PageNumber left_child = 0;
  if (replace) {
    Cell old;
    if (!node.parse(level.index, &old)) return corrupt("cell");
    if (old.payload_size == record.size()) return overwrite(old, record);
    left_child = old.left_child;
    GW_TRY(store_->free_cell_chain(old));
    GW_TRY(top_node().remove(level.index, old.size));
    node = top_node();
  }
  const bool leaf = node.is_leaf();
  const uint32_t payload_size = static_cast<uint32_t>(record.size());
  const uint32_t max_local = store_->geometry().max_local(is_table_);
  if (payload_size <= max_local) [[likely]] {
    uint8_t header[kCellHeaderBytesMax];
    uint32_t header_size = write_cell_header(header, left_child, !leaf, payload_size, rowid);
    uint32_t content_size = header_size + payload_size;
    uint32_t size = std::max(content_size, kCellBytesMin);
    uint32_t offset = 0;
    GW_TRY(node.make_room(level.index, size, &offset));
    if (offset != 0) [[likely]] {
      uint8_t* out = node.data() + offset;
      std::memcpy(out, header, header_size);
      if (payload_size != 0) std::memcpy(out + header_size, record.data(), payload_size);
      cell_.rowid = rowid;
      cell_.offset = offset;
      cell_.size = size;
      cell_.content_size = content_size;
      cell_.left_child = left_child;
      cell_.payload_offset = offset + header_size;
      cell_.payload_size = cell_.local_size = payload_size;
      cell_.overflow = 0;
      on_leaf_ = leaf;
      state_ = State::kOnEntry;
      return {};
    }
  }
  return insert_slowly(rowid, record, left_child);
}

uint32_t CursorState::write_cell_header(uint8_t* out, PageNumber left_child, bool interior,
                                        uint32_t payload_size, Rowid rowid) {
  uint8_t* p = out;
  if (interior) {
    store_be32(p, left_child);
    p += kChildPointerBytes;
  }
  p += write_varint(p, payload_size);
  if (is_table_) p += write_varint(p, static_cast<uint64_t>(rowid));
  return static_cast<uint32_t>(p - out);
}

// The rest of insert_here(): the payload needs overflow pages, or the page is full.
Status CursorState::insert_slowly(Rowid rowid, ByteSpan record, PageNumber left_child) {
  if (record.size() > kPayloadBytesMax) return Status(code::kTooBig);
  const PageGeometry& geometry = store_->geometry();
  const uint32_t payload_size = static_cast<uint32_t>(record.size());
  const uint32_t local = geometry.local_size(payload_size, geometry.max_local(is_table_));
  std::vector<uint8_t> cell(kCellHeaderBytesMax + local + kChildPointerBytes);
  const bool interior = !top_node().is_leaf();
  uint32_t size = write_cell_header(cell.data(), left_child, interior, payload_size, rowid);
  if (local != 0) std::memcpy(cell.data() + size, record.data(), local);
  size += local;
  if (local < payload_size) {
    PageNumber first;
    GW_TRY(store_->write_chain(record.subspan(local), top().page->number(), &first));
    store_be32(cell.data() + size, first);
    size += kChildPointerBytes;
  }
  cell.resize(size);

  Balancer balancer(store_, stack_, &depth_);
  uint32_t cells_before = top_node().cell_count();
  GW_TRY(balancer.insert(depth_, top().index, cell));
  if (top_node().cell_count() > cells_before) return arrive();
  int level = depth_;
  bool path_kept;
  GW_TRY(balancer.run(level, &path_kept));
  leaf_bounds_page_ = 0;
  if (path_kept) {
    deepest_ = std::max(deepest_, depth_);
    last_leaf_ = top().page->number();
    return arrive();
  }
  leave_pages_after_balance();
  saved_rowid_ = rowid;
  saved_key_.clear();
  if (!is_table_) saved_key_.assign(record.begin(), record.end());
  saved_side_ = 0;
  state_ = State::kSaved;
  return {};
}

// Balancing may have made the path longer than this cursor knew.
void CursorState::leave_pages_after_balance() {
  deepest_ = kTreeDepthMax - 1;
  leave_pages();
}

Status CursorState::remove() {
  GW_TRY(prepare_to_write());
  bool moved;
  GW_TRY(restore(&moved));
  if (state_ != State::kOnEntry) return {};
  if (!on_leaf_) return remove_from_interior();

  GW_TRY(store_->pager()->write(top().page));
  if (top().index >= top_node().cell_count()) return corrupt("cell");
  const Cell cell = cell_;
  uint32_t free = 0;
  if (depth_ > 0) GW_TRY(free_bytes_after_remove(&free));
  const bool underfull = free * 3 > store_->geometry().usable_size * 2;
  if (underfull) GW_TRY(remember_entry(cell, 1));
  GW_TRY(store_->free_cell_chain(cell));
  GW_TRY(top_node().remove(top().index, cell.size));
  state_ = State::kGap;
  return underfull ? balance_after_remove(nullptr, depth_) : Status();
}

// Counting them walks all the gaps between the cells of the page: for a run of removals once.
Status CursorState::free_bytes_after_remove(uint32_t* free) {
  const PageNumber page = top().page->number();
  if (free_page_ == page && free_edit_ + 1 == edit_) {
    *free = free_bytes_;
  } else {
    GW_TRY(top_node().free_bytes(free));
  }
  *free += cell_.size + kCellPointerBytes;
  free_page_ = page;
  free_bytes_ = *free;
  free_edit_ = edit_;
  return {};
}

// Ends as a gap after the key that remember_entry() holds.
Status CursorState::balance_after_remove(Balancer* balancer, int highest_changed) {
  Balancer own(store_, stack_, &depth_);
  if (balancer == nullptr) balancer = &own;
  bool path_kept;
  GW_TRY(balancer->run(highest_changed, &path_kept));
  leave_pages_after_balance();
  state_ = State::kSaved;
  return {};
}

// An index entry on an interior page separates two children: its predecessor, the last entry of the
// left one, takes its place.
Status CursorState::remove_from_interior() {
  const int interior = depth_;
  Level& level = top();
  GW_TRY(store_->pager()->write(level.page));
  Cell cell;
  if (level.index >= top_node().cell_count() || !top_node().parse(level.index, &cell)) {
    return corrupt("cell");
  }
  GW_TRY(remember_entry(cell, 1));
  GW_TRY(store_->free_cell_chain(cell));

  GW_TRY(descend_to_last());
  GW_TRY(store_->pager()->write(top().page));
  Node leaf = top_node();
  const uint32_t last = leaf.cell_count() - 1;
  Cell predecessor;
  if (!leaf.parse(last, &predecessor)) return corrupt("cell");
  std::vector<uint8_t> replacement(kChildPointerBytes + predecessor.content_size);
  store_be32(replacement.data(), cell.left_child);
  std::memcpy(replacement.data() + kChildPointerBytes, leaf.data() + predecessor.offset,
              predecessor.content_size);
  GW_TRY(leaf.remove(last, predecessor.size));
  if (store_->has_pointer_map()) {
    GW_TRY(store_->set_overflow_pointer(predecessor, level.page->number()));
  }
  GW_TRY(store_->node(level.page).remove(level.index, cell.size));
  Balancer balancer(store_, stack_, &depth_);
  GW_TRY(balancer.insert(interior, level.index, replacement));
  return balance_after_remove(&balancer, interior);
}

}  // namespace godwit
