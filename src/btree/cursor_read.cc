// Payloads of entries, one at a time and in batches.
#include <algorithm>
#include <cstring>

#include "btree/cursor_state.h"

namespace godwit {

// Copies a cell's whole payload. The cell must be on the top page.
Status CursorState::copy_payload(const Cell& cell, uint8_t* out) {
  if (cell.local_size != 0)
    std::memcpy(out, top().page.data() + cell.payload_offset, cell.local_size);
  if (cell.overflow == 0) return {};
  return store_->read_chain(
      cell.overflow, 0,
      MutableByteSpan(out + cell.local_size, cell.payload_size - cell.local_size));
}

Status CursorState::payload(PayloadView* view) {
  *view = PayloadView();
  if (state_ != State::kOnEntry) {
    bool moved;
    if (state_ == State::kFailed) return Status(error_code_);
    GW_TRY(restore(&moved));
    if (state_ != State::kOnEntry) return {};
  }
  view->local = top().page.data() + cell_.payload_offset;
  view->local_size = cell_.local_size;
  view->size = cell_.payload_size;
  return {};
}

Status CursorState::read_payload(uint32_t offset, MutableByteSpan out) {
  PayloadView view;
  GW_TRY(payload(&view));
  if (offset > view.size || out.size() > view.size - offset) return corrupt("payload range");
  if (offset < view.local_size) {
    size_t n = std::min<size_t>(view.local_size - offset, out.size());
    std::memcpy(out.data(), view.local + offset, n);
    out = out.subspan(n);
    offset += static_cast<uint32_t>(n);
  }
  if (out.empty()) return {};
  return store_->read_chain(cell_.overflow, offset - view.local_size, out);
}

Status CursorState::complete_payload(std::vector<uint8_t>* scratch, ByteSpan* bytes) {
  PayloadView view;
  GW_TRY(payload(&view));
  if (view.is_complete()) {
    *bytes = ByteSpan(view.local, view.size);
    return {};
  }
  if (!store_->is_possible_payload(view.size)) return corrupt("payload larger than file");
  scratch->resize(view.size);
  GW_TRY(copy_payload(cell_, scratch->data()));
  *bytes = *scratch;
  return {};
}

Status CursorState::read_overflow(const LeafEntry& entry, std::vector<uint8_t>* scratch) {
  const PayloadView& view = entry.payload;
  if (!store_->is_possible_payload(view.size)) return corrupt("payload larger than file");
  scratch->resize(view.size);
  if (view.local_size != 0) std::memcpy(scratch->data(), view.local, view.local_size);
  if (view.is_complete()) return {};
  return store_->read_chain(entry.overflow, 0, MutableByteSpan(*scratch).subspan(view.local_size));
}

Status CursorState::write_payload(uint32_t offset, ByteSpan bytes) {
  PayloadView view;
  GW_TRY(payload(&view));
  if (offset > view.size || bytes.size() > view.size - offset) return corrupt("payload range");
  if (offset < view.local_size) {
    GW_TRY(store_->pager()->write(top().page));
    size_t n = std::min<size_t>(view.local_size - offset, bytes.size());
    std::memcpy(top().page.data() + cell_.payload_offset + offset, bytes.data(), n);
    bytes = bytes.subspan(n);
    offset += static_cast<uint32_t>(n);
  }
  if (bytes.empty()) return {};
  return store_->overwrite_chain(cell_.overflow, offset - view.local_size, bytes);
}

void CursorState::fill_entry(const Cell& cell, const uint8_t* data, LeafEntry* entry) {
  entry->rowid = cell.rowid;
  entry->payload.local = data + cell.payload_offset;
  entry->payload.local_size = cell.local_size;
  entry->payload.size = cell.payload_size;
  entry->overflow = cell.overflow;
}

void CursorState::hold_image(PageImageRef* image) {
  PageImage* current = top().page->image();
  if (image->get() != current) *image = PageImageRef(current);
}

Result<uint32_t> CursorState::next_batch(LeafEntry* entries, uint32_t max, PageImageRef* image) {
  if (state_ != State::kOnEntry) {
    GW_TRY(prepare_to_move());
    if (state_ == State::kGap) GW_TRY(next());
    if (state_ != State::kOnEntry) return 0u;
  }
  hold_image(image);
  if (!on_leaf_) {
    fill_entry(cell_, top().page.data(), entries);
    GW_TRY(move_to_gap_after());
    return 1u;
  }
  Level& level = top();
  if (max == 1) {  // a look-up: the seek has parsed the cell
    fill_entry(cell_, top().page.data(), entries);
    ++level.index;
    state_ = State::kGap;
    return 1u;
  }
  Node node = top_node();
  uint32_t available = node.cell_count() - std::min(node.cell_count(), level.index);
  uint32_t count = std::min(max, available);
  // What precedes a bad cell is still good; the next call reports it.
  uint32_t good = node.parse_leaf(level.index, 1, count, entries);
  if (good == 0 && count > 0) return corrupt("cell");
  count = good;
  level.index += count;
  state_ = State::kGap;
  return count;
}

Result<uint32_t> CursorState::previous_batch(LeafEntry* entries, uint32_t max,
                                             PageImageRef* image) {
  if (state_ != State::kOnEntry) {
    GW_TRY(prepare_to_move());
    if (state_ == State::kGap) GW_TRY(previous());
    if (state_ != State::kOnEntry) return 0u;
  }
  hold_image(image);
  if (!on_leaf_) {
    fill_entry(cell_, top().page.data(), entries);
    GW_TRY(move_to_gap_before());
    return 1u;
  }
  Level& level = top();
  Node node = top_node();
  if (level.index >= node.cell_count()) return corrupt("cell");
  uint32_t count = std::min(max, level.index + 1);
  uint32_t good = node.parse_leaf(level.index, -1, count, entries);
  if (good == 0) return corrupt("cell");
  count = good;
  level.index -= count - 1;
  state_ = State::kGap;
  return count;
}

}  // namespace godwit
