// The format of B-tree, overflow, freelist and pointer-map pages.
//
// A database file is pages 1..n of one size. Page 1 starts with the 100-byte file header; its
// B-tree page (the schema table's root) starts at offset 100, but offsets in it still count from
// the page's start. The last `reserved` bytes of each page are nobody's: U = page size - reserved
// is "usable".
//
// B-tree page:
//
//   0 (100 on page 1)   8 or 12                                                        U
//   +--------------+----------------------+------------------+------------------------+
//   | page header  | cell pointer array   |    unallocated   |  cell content area     |
//   |              | 2 bytes a cell,      |       gap        |  cells, freeblocks and |
//   |              | in key order         |                  |  fragments, any order  |
//   +--------------+----------------------+------------------+------------------------+
//                                                            ^ content start
//   page header: offset size
//                  0     1   flags: 2 index interior, 5 table interior, 10 index leaf, 13 table
//                  leaf 1     2   first freeblock, 0: none 3     2   number of cells 5     2
//                  content start; 0 means 65536 7     1   fragmented bytes: holes of 1 to 3 bytes
//                  in the content area, at most 60 8     4   right-most child (interior pages only)
//   freeblock:     0     2   next freeblock (ascending offsets), 0: last
//                  2     2   bytes of this block, these four included
//
//   cells:  table leaf      payload size (varint) | rowid (varint) | local payload | [overflow page
//   4]
//           table interior  left child 4 | rowid (varint): all rowids of the child are <= it
//           index leaf      payload size (varint) | local payload | [overflow page 4]
//           index interior  left child 4 | payload size (varint) | local payload | [overflow page
//           4]
//   A cell takes at least 4 bytes, so that it can become a freeblock.
//   Worked example, a table leaf cell with rowid 7 and the record (5, 'ab', NULL):
//   07 07 04 01 11 00 05 61 62
//
// Overflow page:     next page 4 (0: last) | U - 4 bytes of payload.
// Freelist trunk:    next trunk 4 | number of leaves 4 | leaf page numbers 4 each. A leaf holds
// nothing. Pointer map page (auto-vacuum only): 5 bytes a page, for the U / 5 pages that follow the
// map page:
//                    type 1 | parent page 4. Map pages are 2, 2 + (U/5 + 1), ...
// Source: fileformat2.html, sections 1.3 to 1.8.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "pager/file_header.h"
#include "pager/page_image.h"

namespace godwit {

// --- File header (page 1); the rest is in pager/file_header.h
// --------------------------------------
inline constexpr uint32_t kHeaderLargestRoot = 52;  // non-zero: auto-vacuum
inline constexpr uint32_t kHeaderTextEncoding = 56;
inline constexpr uint32_t kHeaderIncrementalVacuum = 64;

// As PRAGMA max_page_count has it.
inline constexpr uint32_t kPageCountMax = 0xfffffffe;

// --- B-tree pages
// ---------------------------------------------------------------------------------
inline constexpr uint8_t kIndexInteriorPage = 0x02;
inline constexpr uint8_t kTableInteriorPage = 0x05;
inline constexpr uint8_t kIndexLeafPage = 0x0a;
inline constexpr uint8_t kTableLeafPage = 0x0d;
inline constexpr uint8_t kPageLeafBit = 0x08;
inline constexpr uint8_t kPageTableBit = 0x01;

inline constexpr uint32_t kNodeFlags = 0;
inline constexpr uint32_t kNodeFirstFreeblock = 1;
inline constexpr uint32_t kNodeCellCount = 3;
inline constexpr uint32_t kNodeContentStart = 5;
inline constexpr uint32_t kNodeFragmentedBytes = 7;
inline constexpr uint32_t kNodeRightChild = 8;
inline constexpr uint32_t kLeafHeaderBytes = 8;
inline constexpr uint32_t kInteriorHeaderBytes = 12;
inline constexpr uint32_t kCellPointerBytes = 2;
inline constexpr uint32_t kChildPointerBytes = 4;
inline constexpr uint32_t kCellBytesMin = 4;
inline constexpr uint32_t kFragmentedBytesMax = 60;
// The largest cell header: left child, payload size and rowid.
inline constexpr uint32_t kCellHeaderBytesMax = 4 + 9 + 9;
// A tree of the largest file is less than 20 levels high even with the least possible fan-out of
// real trees; a deeper one is a cycle.
inline constexpr int kTreeDepthMax = 20;
// Larger payloads cannot be addressed by the 32-bit sizes in use; no record may be that large.
inline constexpr uint64_t kPayloadBytesMax = 0x7fffffff;

// Sizes that follow from the page size. Payload beyond a limit goes to overflow pages, such that
// an index page holds at least four cells.
struct PageGeometry {
  uint32_t page_size = 0;
  uint32_t usable_size = 0;
  uint32_t table_leaf_max_local = 0;
  uint32_t index_max_local = 0;
  uint32_t min_local = 0;
  uint32_t overflow_capacity = 0;  // payload bytes of an overflow page
  bool zeroes_freed = false;       // PRAGMA secure_delete: of cells that go, nothing stays on the page

  static PageGeometry of(uint32_t page_size, uint32_t usable_size) {
    PageGeometry g;
    g.page_size = page_size;
    g.usable_size = usable_size;
    g.table_leaf_max_local = usable_size - 35;
    g.index_max_local = (usable_size - 12) * 64 / 255 - 23;
    g.min_local = (usable_size - 12) * 32 / 255 - 23;
    g.overflow_capacity = usable_size - 4;
    return g;
  }

  uint32_t max_local(bool is_table) const {
    return is_table ? table_leaf_max_local : index_max_local;
  }
  // Bytes of a payload that stay on the B-tree page: all, or as many as make the last overflow page
  // full, if that is not more than the limit.
  uint32_t local_size(uint32_t payload_size, uint32_t max_local) const {
    if (payload_size <= max_local) return payload_size;
    uint32_t filling = min_local + (payload_size - min_local) % overflow_capacity;
    return filling <= max_local ? filling : min_local;
  }
  PageNumber lock_page() const { return lock_page_number(page_size); }
  uint32_t cell_count_max() const { return (usable_size - kLeafHeaderBytes) / 6; }
};

// --- Freelist
// -------------------------------------------------------------------------------------
inline constexpr uint32_t kTrunkNext = 0;
inline constexpr uint32_t kTrunkLeafCount = 4;
inline constexpr uint32_t kTrunkLeaves = 8;
inline constexpr uint32_t trunk_capacity(const PageGeometry& g) {
  return g.usable_size / 4 - 2;
}
// Readers older than 3.6.0 refuse the last six slots, so writers leave them empty.
inline constexpr uint32_t trunk_fill_limit(const PageGeometry& g) {
  return g.usable_size / 4 - 8;
}

// --- Pointer map
// ---------------------------------------------------------------------------------- On disk: never
// renumber.
enum class PointerMapType : uint8_t {
  kRoot = 1,          // parent 0
  kFree = 2,          // parent 0
  kOverflowHead = 3,  // parent: the B-tree page with the cell
  kOverflowNext = 4,  // parent: the overflow page before
  kNode = 5,          // parent: the B-tree page above
};
inline constexpr uint32_t kPointerMapEntryBytes = 5;

// The pointer map page that describes `page`; `page` itself if it is one; 0 for page 1.
inline PageNumber pointer_map_page(const PageGeometry& g, PageNumber page) {
  if (page < 2) return 0;
  uint32_t stride = g.usable_size / kPointerMapEntryBytes + 1;
  PageNumber map = (page - 2) / stride * stride + 2;
  return map == g.lock_page() ? map + 1 : map;
}
inline bool is_pointer_map_page(const PageGeometry& g, PageNumber page) {
  return pointer_map_page(g, page) == page;
}

}  // namespace godwit
