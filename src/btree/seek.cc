// Finding a position by key. A search ends on an equal entry or in the gap of a leaf where the key
// belongs; the seeks with a direction then move on from the gap.
//
// Neighbouring searches are common (sorted look-ups, appends): before descending from the root, a
// search tries the leaf that the cursor is on. For rowids the test costs next to nothing. For keys
// it costs some comparisons, so it is made only while searches do land on the same leaf.
#include <algorithm>
#include <bit>
#include <cstring>

#include "btree/cursor_state.h"

namespace godwit {

namespace {

// The first value of a key, in a form that compares with most stored keys where they lie, without
// parsing cell and record.
class FirstValue {
 public:
  // What compare() gives where it cannot tell: long cells, other types, corruption, and equal values
  // if the key has more of them. Then the whole keys have to be compared.
  static constexpr int kUnknown = 2;

  FirstValue(const KeyInfo& info, std::span<const ValueView> key) {
    if (key.empty()) return;
    const KeyColumn& column = info.columns[0];
    value_ = key[0];
    equal_ = key.size() == 1 ? 0 : kUnknown;
    before_ = column.descending ? 1 : -1;
    if (value_.type != ValueType::kText) {
      type_ = value_.type;
    } else if (info.encoding == TextEncoding::kUtf8 && column.collation->is_binary()) {
      type_ = ValueType::kText;
    }
  }

  int compare(const Node& node, uint32_t index) const {
    const uint32_t offset = node.cell_offset(index);
    if (offset == 0) [[unlikely]] return kUnknown;
    // Of a short cell: payload size, header size and first serial type, each of one byte.
    const uint8_t* p = node.data() + offset + (node.is_leaf() ? 0 : kChildPointerBytes);
    const uint32_t payload = p[0];
    const uint32_t header = p[1];
    const uint32_t type = p[2];
    if (((payload | header | type) & 0x80) != 0 || header < 2) [[unlikely]] return kUnknown;
    const uint8_t* body = p + 1 + header;
    const uint32_t size = serial_type_size(type);
    if (header + size > payload || p + 1 + payload > node.usable_end()) [[unlikely]] return kUnknown;
    switch (type_) {
      case ValueType::kInteger:
        return compare_integer(type, size, body);
      case ValueType::kText:
        return (type & 1) != 0 && type >= 13 ? compare_text(body, size) : kUnknown;
      case ValueType::kReal:
        return type == 7 ? order_of(value_.real, std::bit_cast<double>(load_be64(body)))
                         : kUnknown;
      default:
        return kUnknown;
    }
  }

 private:
  template <typename T>
  int order_of(T wanted, T stored) const {
    return wanted < stored ? before_ : wanted > stored ? -before_ : equal_;
  }

  // 8 bytes may be read: behind a page image is padding.
  int compare_integer(uint32_t type, uint32_t size, const uint8_t* body) const {
    if (type - 1 < 6) [[likely]] {
      return order_of(value_.integer, static_cast<int64_t>(load_be64(body)) >> (64 - 8 * size));
    }
    return type == 8 || type == 9 ? order_of<int64_t>(value_.integer, type - 8) : kUnknown;
  }

  int compare_text(const uint8_t* body, uint32_t size) const {
    const uint32_t shared = std::min(size, value_.size);
    const int order = shared == 0 ? 0 : std::memcmp(value_.bytes, body, shared);
    return order_of(order != 0 ? order : static_cast<int>(value_.size) - static_cast<int>(size), 0);
  }

  ValueView value_;
  ValueType type_ = ValueType::kNull;  // kNull: handles nothing
  int before_ = -1;                    // the order when the key sorts first
  int equal_ = kUnknown;               // and when the first values are equal
};

}  // namespace

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

// Moves to the entry with `rowid` if that is one of the next few, after the current one or the gap.
bool CursorState::step_to(Rowid rowid) {
  constexpr uint32_t kStepsMax = 4;
  constexpr uint64_t kDistanceMax = 16;
  Node node = top_node();
  if (!node.is_leaf()) return false;
  uint32_t index = top().index + (state_ == State::kOnEntry ? 1 : 0);
  const uint32_t end = std::min(node.cell_count(), index + kStepsMax);
  for (; index < end; ++index) {
    Rowid found;
    if (!node.rowid_at(index, &found) || found > rowid) return false;
    if (found == rowid) {
      top().index = index;
      return true;
    }
    if (static_cast<uint64_t>(rowid) - static_cast<uint64_t>(found) > kDistanceMax) return false;
  }
  return false;
}

// Whether the place of `rowid` is surely on the leaf that the cursor is on; *bounds are the leaf's.
// After a search they are known from the pages above, so that a search elsewhere need not look at
// this leaf again: its bytes may long have left the processor's cache.
bool CursorState::leaf_covers(Rowid rowid, RowidBounds* bounds) {
  if (!is_on_leaf_page()) return false;
  if (leaf_bounds_page_ == top().page->number()) {
    *bounds = leaf_bounds_;
    return (!bounds->has_low || rowid > bounds->low) &&
           (!bounds->has_high || rowid <= bounds->high) && top_node().is_leaf();
  }
  Node node = top_node();
  if (!node.is_leaf() || !node.check(true)) return false;
  const uint32_t count = node.cell_count();
  Rowid bound;
  if (count == 0 || !node.rowid_at(count - 1, &bound)) return false;
  if (rowid > bound) {
    // What is below the last entry may belong to other leaves as well as to this one.
    bounds->has_low = true;
    bounds->low = bound;
    return is_rightmost_leaf();
  }
  bounds->has_high = true;
  bounds->high = bound;
  if (!node.rowid_at(0, &bound)) return false;
  if (rowid < bound) return is_leftmost_leaf();
  if (bound != INT64_MIN) {
    bounds->has_low = true;
    bounds->low = bound - 1;
  }
  return true;
}

Status CursorState::descend_to_rowid(Rowid rowid, bool* found) {
  *found = false;
  RowidBounds bounds;
  if (leaf_covers(rowid, &bounds)) {
    *found = step_to(rowid);
    if (*found) {
      state_ = State::kGap;
      return {};
    }
  } else {
    bounds = RowidBounds();
    GW_TRY(enter_root());
    if (state_ == State::kEnd) return {};
  }
  for (;;) {
    Node node = top_node();
    if (node.is_leaf()) {
      leaf_bounds_ = bounds;
      leaf_bounds_page_ = top().page->number();
    }
    uint32_t index;
    if (!node.search(rowid, &bounds, &index, found)) return corrupt("cell");
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

// `near` >= 0: the place is likely close to that cell. Then the search goes from there, up or down, in
// steps that double, until it has passed the key.
Status CursorState::search_node(const Node& node, std::span<const ValueView> key, Bias bias,
                                int64_t near, uint32_t* index, bool* found) {
  constexpr uint32_t kPrefetchMin = 8;
  uint32_t low = 0;
  uint32_t high = node.cell_count();
  int64_t step = near >= 0 ? 1 : 0;  // 0: halving
  const FirstValue first(*key_info_, key);
  while (low < high) {
    uint32_t middle;
    if (step == 0) {
      middle = (low + high) / 2;
      // One of these comes next; comparing takes long enough to fetch both. The last few are close
      // to each other.
      if (high - low > kPrefetchMin) {
        node.prefetch_cell((low + middle) / 2);
        node.prefetch_cell((middle + 1 + high) / 2);
      }
    } else {
      // The first probe is at `near` itself.
      int64_t probe = near + step - (step > 0 ? 1 : 0);
      middle = static_cast<uint32_t>(std::clamp<int64_t>(probe, low, high - 1));
    }
    int order = first.compare(node, middle);
    if (order == FirstValue::kUnknown) GW_TRY(compare_cell(key, node, middle, &order));
    if (order == 0 && bias == Bias::kStopAtEqual) {
      *found = true;
      *index = middle;
      return {};
    }
    if (order > 0 || (order == 0 && bias == Bias::kAfterEqual)) {
      low = middle + 1;
      step = step > 0 ? step * 2 : 0;
    } else {
      high = middle;
      step = step == 1 ? -1 : step < 0 ? step * 2 : 0;
    }
  }
  *index = low;
  return {};
}

// Tries the leaf that the cursor is on: *done if the key's place is there, then found.
Status CursorState::search_current_leaf(std::span<const ValueView> key, Bias bias,
                                        Purpose purpose, bool* done, bool* found) {
  *done = false;
  if (!is_near_[static_cast<int>(purpose)] || !is_on_leaf_page()) return {};
  Node node = top_node();
  if (!node.is_leaf() || !node.check(false)) return {};
  const uint32_t count = node.cell_count();
  if (count == 0) return {};
  uint32_t index = 0;
  GW_TRY(search_node(node, key, bias, top().index, &index, found));
  // Before the first and after the last entry the place may be on another leaf.
  *done = *found || ((index > 0 || is_leftmost_leaf()) && (index < count || is_rightmost_leaf()));
  if (*done) top().index = index;
  return {};
}

// Purposes are judged apart: an entry that is inserted often belongs next to the one that was just
// looked for (and removed), wherever that is.
Status CursorState::descend_to_key(std::span<const ValueView> key, Bias bias, Purpose purpose,
                                   bool* found) {
  *found = false;
  bool done;
  GW_TRY(search_current_leaf(key, bias, purpose, &done, found));
  if (done) {
    state_ = State::kGap;
    return {};
  }
  GW_TRY(enter_root());
  if (state_ == State::kEnd) return {};
  for (;;) {
    Node node = top_node();
    GW_TRY(search_node(node, key, bias, -1, &top().index, found));
    on_leaf_ = node.is_leaf();
    if (on_leaf_ || *found) break;
    GW_TRY(enter(node.child(top().index)));
  }
  state_ = State::kGap;
  PageNumber leaf = top().page->number();
  is_near_[static_cast<int>(purpose)] = leaf == last_leaf_;
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
  GW_TRY(descend_to_key(key, Bias::kStopAtEqual, Purpose::kSeek, &found));
  return finish_seek(found, order);
}

Status CursorState::seek_key_lower(std::span<const ValueView> key, bool or_equal) {
  bool found;
  GW_TRY(descend_to_key(key, or_equal ? Bias::kBeforeEqual : Bias::kAfterEqual, Purpose::kSeek,
                        &found));
  return next();
}

Status CursorState::seek_key_upper(std::span<const ValueView> key, bool or_equal) {
  bool found;
  GW_TRY(descend_to_key(key, or_equal ? Bias::kAfterEqual : Bias::kBeforeEqual, Purpose::kSeek,
                        &found));
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
