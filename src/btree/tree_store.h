// TreeStore: what all trees of a database share: geometry, header fields, page allocation, the
// pointer map, overflow chains, and the list of open cursors.
//
// One per Btree, used by one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "btree/btree.h"
#include "btree/node.h"
#include "btree/page_format.h"
#include "pager/pager.h"

namespace godwit {

class CursorState;

// Which free page allocate_page() may hand out.
enum class AllocateMode : uint8_t {
  kNear,    // any, preferably close to the wanted one
  kExact,   // the wanted one if it is free or beyond the end, else any
  kAtMost,  // one that is not larger than the wanted one, else any
};

class TreeStore {
 public:
  explicit TreeStore(Pager* pager) : pager_(pager) {}

  Pager* pager() const { return pager_; }
  const PageGeometry& geometry() const { return geometry_; }
  Node node(const PageRef& page) const { return Node(geometry_, page); }
  bool has_pointer_map() const { return auto_vacuum_ != AutoVacuum::kNone; }
  AutoVacuum auto_vacuum() const { return auto_vacuum_; }
  TextEncoding encoding() const { return encoding_; }

  // --- header.cc
  // ---------------------------------------------------------------------------------- Takes
  // geometry and modes from page 1 of the current snapshot, after checking it.
  Status load_header();
  // After the pages changed without a new snapshot (rollback). An error shows at the next use.
  void reload_header() {
    header_loaded_ = false;
    (void)load_header().ok();
  }
  Status initialize_database();
  Result<uint32_t> header_field(uint32_t offset);
  Status set_header_field(uint32_t offset, uint32_t value);
  Status store_page_count();
  // Settings for a database that has no pages yet.
  void set_encoding(TextEncoding encoding) { encoding_ = encoding; }
  void set_auto_vacuum(AutoVacuum mode) { auto_vacuum_ = mode; }
  SecureDelete secure_delete() const { return secure_delete_; }
  void set_secure_delete(SecureDelete mode) {
    secure_delete_ = mode;
    geometry_.zeroes_freed = mode != SecureDelete::kOff;
  }
  uint32_t max_page_count() const { return max_page_count_; }
  void set_max_page_count(uint32_t count) { max_page_count_ = count; }
  void set_vacuum_limit(Btree::VacuumLimit limit) { vacuum_limit_ = std::move(limit); }

  // --- freelist.cc
  // -------------------------------------------------------------------------------- A zero-filled
  // writable page that nobody uses.
  Result<PageRef> allocate_page(PageNumber wanted, AllocateMode mode);
  Status free_page(PageNumber number);
  // Whether a page can be used for anything but the pointer map and locks.
  bool is_ordinary_page(PageNumber number) const {
    return number != geometry_.lock_page() &&
           !(has_pointer_map() && is_pointer_map_page(geometry_, number));
  }

  // --- pointer_map.cc
  // ----------------------------------------------------------------------------- Both do nothing /
  // may not be called in a database without a pointer map.
  Status set_pointer(PageNumber page, PointerMapType type, PageNumber parent);
  Status pointer(PageNumber page, PointerMapType* type, PageNumber* parent);
  // Points the children and overflow chains of all cells of a B-tree page at it.
  Status set_child_pointers(const PageRef& page);
  // The same for one cell's overflow chain.
  Status set_overflow_pointer(const Cell& cell, PageNumber page);

  // --- overflow.cc
  // -------------------------------------------------------------------------------- Reads bytes
  // [offset, offset + out.size()) of the part of a payload that is in the chain.
  Status read_chain(PageNumber first, uint32_t offset, MutableByteSpan out);
  Status overwrite_chain(PageNumber first, uint32_t offset, ByteSpan bytes);
  // Stores bytes in new pages; *first is the chain's head. `near` is the page of the cell.
  Status write_chain(ByteSpan bytes, PageNumber near, PageNumber* first);
  // Frees the chain of a payload with `bytes` bytes in it.
  Status free_chain(PageNumber first, uint32_t bytes);
  Status free_cell_chain(const Cell& cell) {
    if (cell.overflow == 0) return {};
    return free_chain(cell.overflow, cell.payload_size - cell.local_size);
  }
  // Hostile sizes: no payload can be larger than the file.
  bool is_possible_payload(uint32_t size) const {
    return size <= static_cast<uint64_t>(pager_->page_count()) * geometry_.page_size;
  }

  // --- trees.cc
  // -----------------------------------------------------------------------------------
  Result<PageNumber> create_tree(TreeKind kind);
  Status drop_tree(PageNumber root, PageNumber* moved_from);
  Status clear_tree(PageNumber root, int64_t* entries);

  // --- vacuum.cc
  // ---------------------------------------------------------------------------------- Moves the
  // content of `from` to the writable page `to`, and all that points at it.
  Status relocate_page(PageNumber from, PointerMapType type, PageNumber parent, const PageRef& to);
  Status auto_vacuum_commit();
  Status incremental_vacuum(int pages);

  // --- Cursors (cursor_state.cc)
  // -------------------------------------------------------------------- The list holds the cursors
  // that were moved in this transaction: those may have pages.
  void add_cursor(CursorState* cursor);
  void remove_cursor(CursorState* cursor);
  // Before a change to the tree at `root` (0: to any tree), lets all cursors on it but `except`
  // remember their position by key.
  Status save_cursors(PageNumber root, const CursorState* except);
  void invalidate_cursors();
  void fail_cursors(int error_code);
  // Counts the changes that cursors make: who remembers something of a page sees by it that others
  // may have changed the page since.
  uint64_t next_edit() { return ++edits_; }

 private:
  Result<PageRef> extend_file();
  Status clear_subtree(PageNumber number, int depth, bool is_table, uint32_t* pages_left,
                       int64_t* entries);
  Result<PageRef> make_room_for_root();
  PageNumber count_without_free_pages(uint32_t free_count) const;
  Status replace_reference(PageNumber parent, PointerMapType type, PageNumber from, PageNumber to);
  Status vacuum_step(PageNumber last, PageNumber final_count, bool committing);
  Status take_leaf(const PageRef& trunk, uint32_t slot, PageNumber* leaf);
  Status take_trunk(const PageRef& trunk, const PageRef& link_page, uint32_t link_offset);
  Status take_free_page(PageNumber wanted, AllocateMode mode, bool search, uint32_t free_count,
                        PageNumber* number);

  Pager* pager_;
  PageGeometry geometry_;
  AutoVacuum auto_vacuum_ = AutoVacuum::kNone;
  SecureDelete secure_delete_ = SecureDelete::kOff;
  TextEncoding encoding_ = TextEncoding::kUtf8;
  uint64_t header_version_ = 0;
  bool header_loaded_ = false;
  uint32_t max_page_count_ = kPageCountMax;
  Btree::VacuumLimit vacuum_limit_;  // null: full auto-vacuum frees all it can
  uint64_t edits_ = 0;
  CursorState* cursors_ = nullptr;
};

struct Btree::Impl : TreeStore {
  using TreeStore::TreeStore;
};

}  // namespace godwit
