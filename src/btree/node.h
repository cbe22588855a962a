// Node: a checked view of one B-tree page, and the edits of a single page.
//
// The bytes come from a file and are hostile. check() looks at the header once, when a page is
// entered; every accessor that follows an offset checks that it stays on the page, so that no view
// given out reaches beyond it, whatever the bytes are and even if they changed since check().
#pragma once

#include <cstdint>

#include "base/status.h"
#include "btree/btree.h"
#include "btree/page_format.h"

namespace godwit {

// A parsed cell. Offsets count from the start of the page.
struct Cell {
  Rowid rowid = 0;  // table pages
  uint32_t offset = 0;
  uint32_t size = 0;          // bytes the cell takes on the page: at least kCellBytesMin
  uint32_t content_size = 0;  // the same without padding
  PageNumber left_child = 0;  // interior pages
  uint32_t payload_offset = 0;
  uint32_t payload_size = 0;  // of the whole payload
  uint32_t local_size = 0;
  PageNumber overflow = 0;  // first overflow page, 0: none
};

// Reads a varint without branching on its length. Requires that 8 bytes at `p` may be read; page
// images have them even at their end (kImagePadding). Returns the bytes used, 0 if it runs past
// `end`.
inline int read_varint_padded(const uint8_t* p, const uint8_t* end, uint64_t* value) {
  static_assert(kImagePadding >= 8);
  uint64_t x = load_be64(p);
  const uint64_t stops = ~x & 0x8080808080808080;
  if (stops == 0) [[unlikely]]
    return read_varint(p, end, value);
  const int length = __builtin_clzll(stops) / 8 + 1;
  if (length > end - p) [[unlikely]]
    return 0;
  x = (x >> (64 - 8 * length)) & 0x7f7f7f7f7f7f7f7f;
  // Closes the gaps between the 7-bit groups: pairs, then fours, then eights.
  x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
  x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
  *value = (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
  return length;
}

// What is known of the rowids around a search: those on a page are above `low` and at most `high`.
struct RowidBounds {
  bool has_low = false;
  bool has_high = false;
  Rowid low = 0;
  Rowid high = 0;
};

class Node {
 public:
  Node(const PageGeometry& geometry, PageNumber number, uint8_t* data)
      : geometry_(&geometry), data_(data), header_(number == 1 ? kFileHeaderSize : 0) {}
  Node(const PageGeometry& geometry, const PageRef& page)
      : Node(geometry, page->number(), page->data()) {}

  // True if this can be a page of a tree of that kind.
  bool check(bool is_table) const {
    uint8_t leaf = is_table ? kTableLeafPage : kIndexLeafPage;
    uint8_t interior = is_table ? kTableInteriorPage : kIndexInteriorPage;
    return (flags() == leaf || flags() == interior) &&
           cell_count() <= geometry_->cell_count_max() && array_end() <= geometry_->usable_size;
  }

  uint8_t* data() const { return data_; }
  const uint8_t* usable_end() const { return data_ + geometry_->usable_size; }
  uint32_t header() const { return header_; }
  uint8_t flags() const { return data_[header_ + kNodeFlags]; }
  bool is_leaf() const { return (flags() & kPageLeafBit) != 0; }
  bool is_table() const { return (flags() & kPageTableBit) != 0; }
  uint32_t cell_count() const { return load_be16(data_ + header_ + kNodeCellCount); }
  uint32_t header_size() const { return is_leaf() ? kLeafHeaderBytes : kInteriorHeaderBytes; }
  uint32_t array_start() const { return header_ + header_size(); }
  uint32_t array_end() const { return array_start() + kCellPointerBytes * cell_count(); }
  uint32_t content_start() const {
    uint32_t start = load_be16(data_ + header_ + kNodeContentStart);
    return start == 0 ? 65536 : start;
  }
  PageNumber right_child() const { return load_be32(data_ + header_ + kNodeRightChild); }
  void set_right_child(PageNumber child) { store_be32(data_ + header_ + kNodeRightChild, child); }

  // Offset of cell `index` (less than cell_count()), or 0 if it cannot be a cell's.
  uint32_t cell_offset(uint32_t index) const {
    uint32_t slot = array_start() + kCellPointerBytes * index;
    if (slot + kCellPointerBytes > geometry_->usable_size) [[unlikely]]
      return 0;
    uint32_t offset = load_be16(data_ + slot);
    if (offset < slot + kCellPointerBytes || offset > geometry_->usable_size - kCellBytesMin)
        [[unlikely]]
      return 0;
    return offset;
  }
  // Child `index` of an interior page; `index` may be cell_count(): the right child. 0: corrupt.
  PageNumber child(uint32_t index) const {
    if (index >= cell_count()) return right_child();
    uint32_t offset = cell_offset(index);
    return offset == 0 ? 0 : load_be32(data_ + offset);
  }
  void set_child(uint32_t index, PageNumber child);  // the same range

  // False: corrupt. The bytes must be followed by kImagePadding more that may be read.
  bool parse(uint32_t index, Cell* cell) const {
    uint32_t offset = cell_offset(index);
    return offset != 0 && parse_at(offset, cell);
  }
  bool parse_at(uint32_t offset, Cell* cell) const;
  // The rowid of cell `index` of a table page. False: corrupt.
  bool rowid_at(uint32_t index, Rowid* rowid) const {
    uint32_t offset = cell_offset(index);
    if (offset == 0) [[unlikely]]
      return false;
    const uint8_t* p = data_ + offset;
    const uint8_t* end = data_ + geometry_->usable_size;
    uint64_t value;
    if (is_leaf()) {
      if (*p < 0x80) {
        ++p;
      } else if (int n = read_varint(p, end, &value)) {
        p += n;
      } else {
        return false;
      }
    } else {
      p += kChildPointerBytes;
    }
    if (read_varint_padded(p, end, &value) == 0) [[unlikely]]
      return false;
    *rowid = static_cast<Rowid>(value);
    return true;
  }
  // Parses up to `count` cells of a leaf, from `index` up (`step` 1) or down (-1), all of them
  // existing. Returns how many were good before the first bad one.
  uint32_t parse_leaf(uint32_t index, int step, uint32_t count, LeafEntry* entries) const;
  // Table pages: *index is the first cell with a rowid of at least `rowid` (cell_count(): none);
  // *found (leaves only): it is equal. `bounds` hold for this page before, and for the child at
  // *index after.
  // False: corrupt.
  bool search(Rowid rowid, RowidBounds* bounds, uint32_t* index, bool* found) const;
  // Brings a cell that may be looked at soon into the cache. `index` is at most cell_count().
  void prefetch_cell(uint32_t index) const {
    __builtin_prefetch(data_ + load_be16(data_ + array_start() + kCellPointerBytes * index));
  }

  // --- Edits: the page must be writable ---------------------------------------------------------
  // Makes this an empty page.
  void initialize(uint8_t flags);
  // Bytes that new cells and their pointers can take, once defragmented. Errors: kCorrupt.
  Status free_bytes(uint32_t* bytes) const;
  // Makes room for a cell of `size` bytes (at least kCellBytesMin) at `index`: *offset is where its
  // bytes belong, or 0 if the page is too full. Errors: kCorrupt.
  Status make_room(uint32_t index, uint32_t size, uint32_t* offset);
  // The same, and copies the cell. *fits: it had room.
  Status insert(uint32_t index, ByteSpan cell, bool* fits);
  Status remove(uint32_t index, uint32_t size);
  // Replaces all cells by those given, packed at the end of the page; they must not lie on this
  // page. The right child is kept. False: they do not fit.
  bool rebuild(uint8_t flags, const ByteSpan* cells, uint32_t count);

 private:
  Status allocate(uint32_t size, uint32_t* offset);
  Status allocate_from_freeblock(uint32_t size, uint32_t* offset);
  Status release(uint32_t offset, uint32_t size);
  Status defragment();
  void set_cell_count(uint32_t count) { store_be16(data_ + header_ + kNodeCellCount, count); }
  void set_content_start(uint32_t start) {
    store_be16(data_ + header_ + kNodeContentStart, start & 0xffff);
  }
  uint32_t first_freeblock() const { return load_be16(data_ + header_ + kNodeFirstFreeblock); }

  const PageGeometry* geometry_;
  uint8_t* data_;
  uint32_t header_;
};

inline bool Node::parse_at(uint32_t offset, Cell* cell) const {
  const uint8_t* start = data_ + offset;
  const uint8_t* end = data_ + geometry_->usable_size;
  const uint8_t* p = start;
  const bool leaf = is_leaf();
  const bool table = is_table();
  cell->offset = offset;
  cell->overflow = 0;
  cell->left_child = 0;
  if (!leaf) {
    cell->left_child = load_be32(p);
    p += kChildPointerBytes;
  }
  uint64_t value = 0;
  if (leaf || !table) {
    int n = read_varint(p, end, &value);
    if (n == 0 || value > kPayloadBytesMax) [[unlikely]]
      return false;
    p += n;
  }
  const uint32_t payload_size = static_cast<uint32_t>(value);
  if (table) {
    int n = read_varint_padded(p, end, &value);
    if (n == 0) [[unlikely]]
      return false;
    p += n;
    cell->rowid = static_cast<Rowid>(value);
  }
  const uint32_t max_local = geometry_->max_local(table);
  uint32_t local = payload_size;
  uint32_t tail = 0;
  if (payload_size > max_local) [[unlikely]] {
    local = geometry_->local_size(payload_size, max_local);
    tail = kChildPointerBytes;
  }
  if (static_cast<uint32_t>(end - p) < local + tail) [[unlikely]]
    return false;
  if (tail != 0) cell->overflow = load_be32(p + local);
  cell->payload_offset = static_cast<uint32_t>(p - data_);
  cell->payload_size = payload_size;
  cell->local_size = local;
  cell->content_size = static_cast<uint32_t>(p - start) + local + tail;
  cell->size = cell->content_size < kCellBytesMin ? kCellBytesMin : cell->content_size;
  return true;
}

}  // namespace godwit
