// CursorState: the position of a cursor, and the moves and edits that the public Cursor offers.
//
// A position is a path of pages from the root with an index on each:
//
//   kUnpositioned   nowhere
//   kOnEntry        stack_[depth_] is the page of the entry, its index the cell; cell_ is parsed
//   kGap            stack_[depth_] is a leaf; between cells index - 1 and index of it. So stands a
//                   cursor after a batch was read, and after the current entry was deleted
//   kEnd            moved past the last or before the first entry
//   kSaved          the tree is about to change under the cursor: it holds no page and remembers
//   the
//                   key of an entry, and whether it stood on it, just before, or just after it
//   kFailed         the transaction was rolled back under the cursor
//
// A resting cursor is one whose statement has ended: it keeps its pages in the hope that the next run
// of the statement goes on from there, and instead of being saved or failed it just leaves them.
//
// In an interior page the index is that of the child the path goes through: 0 to cell count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "btree/path.h"
#include "btree/tree_store.h"

namespace godwit {

class Balancer;

class CursorState {
 public:
  CursorState(TreeStore* store, PageNumber root, TreeKind kind, const KeyInfo* key_info,
              bool writable)
      : store_(store),
        root_(root),
        is_table_(kind == TreeKind::kTable),
        is_writable_(writable),
        key_info_(key_info) {}
  ~CursorState() { invalidate(); }
  CursorState(const CursorState&) = delete;
  CursorState& operator=(const CursorState&) = delete;

  // --- cursor_state.cc: moves
  // -----------------------------------------------------------------------
  Status first();
  Status last();
  Status next();
  Status previous();
  bool at_end() const { return state_ == State::kEnd || state_ == State::kUnpositioned; }
  void invalidate();
  bool holds_pages() const { return deepest_ >= 0; }
  // After an error: unpositioned, unless the transaction is gone.
  void abandon() {
    if (state_ != State::kFailed) invalidate();
  }
  void fail(int error_code);
  void set_resting(bool resting) { is_resting_ = resting; }
  bool is_on_largest();
  // Leaves the pages, keeping the key.
  Status save();
  // Ends kSaved: finds the key again. *moved: the entry the cursor was on is gone.
  Status restore(bool* moved);
  // The same for callers: also true if the entry was deleted by this cursor.
  Status restore_entry(bool* moved);
  Result<int64_t> count();
  Result<uint64_t> estimated_count();

  // --- seek.cc
  // --------------------------------------------------------------------------------------
  Status seek_rowid(Rowid rowid, int* order);
  Status seek_key(std::span<const ValueView> key, int* order);
  Status seek_key_lower(std::span<const ValueView> key, bool or_equal);
  Status seek_key_upper(std::span<const ValueView> key, bool or_equal);
  Status seek_rowid_lower(Rowid rowid, bool or_equal);
  Status seek_rowid_upper(Rowid rowid, bool or_equal);

  // --- cursor_read.cc
  // -------------------------------------------------------------------------------
  Rowid rowid() const { return state_ == State::kSaved ? saved_rowid_ : cell_.rowid; }
  Status payload(PayloadView* view);
  Status read_payload(uint32_t offset, MutableByteSpan out);
  Status complete_payload(std::vector<uint8_t>* scratch, ByteSpan* bytes);
  Status read_overflow(const LeafEntry& entry, std::vector<uint8_t>* scratch);
  Status write_payload(uint32_t offset, ByteSpan bytes);
  Result<uint32_t> next_batch(LeafEntry* entries, uint32_t max, PageImageRef* image);
  Result<uint32_t> previous_batch(LeafEntry* entries, uint32_t max, PageImageRef* image);

  // --- cursor_write.cc
  // ------------------------------------------------------------------------------
  Status insert(Rowid rowid, ByteSpan record, bool append);
  Status insert_key(std::span<const ValueView> key, ByteSpan record);
  Status append_key(ByteSpan record);
  Status remove();

 private:
  friend class TreeStore;

  enum class State : uint8_t { kUnpositioned, kOnEntry, kGap, kEnd, kSaved, kFailed };
  // Where a search went relative to equal entries of the tree.
  enum class Bias : uint8_t { kBeforeEqual, kAfterEqual, kStopAtEqual };
  enum class Purpose : uint8_t { kSeek, kInsert };

  Level& top() { return stack_[depth_]; }
  Node top_node() { return store_->node(top().page); }

  // cursor_state.cc
  Status enter(PageNumber number);  // pushes a page
  Status enter_root();              // depth_ 0; kEnd for a database without pages
  void leave_pages();
  Status descend_to_first();  // from the child at top().index
  Status descend_to_last();   // ... and leaves top().index one past the last entry
  Status ascend_to_next();
  Status ascend_to_previous();
  Status remember_entry(const Cell& cell, int side);
  Status count_subtree(PageNumber number, int depth, uint32_t* pages_left, int64_t* total);
  Status arrive();           // the entry at top(): parses it
  Status prepare_to_move();  // ends kSaved; kFailed is an error
  Status move_to_gap_before();
  Status move_to_gap_after();

  // seek.cc
  Status descend_to_rowid(Rowid rowid, bool* found);
  Status descend_to_key(std::span<const ValueView> key, Bias bias, Purpose purpose, bool* found);
  Status search_node(const Node& node, std::span<const ValueView> key, Bias bias, int64_t near,
                     uint32_t* index, bool* found);
  Status compare_cell(std::span<const ValueView> key, const Node& node, uint32_t index, int* order);
  bool is_on_leaf_page() const {
    return (state_ == State::kOnEntry || state_ == State::kGap) && on_leaf_;
  }
  bool step_to(Rowid rowid);
  bool leaf_covers(Rowid rowid, RowidBounds* bounds);
  Status search_current_leaf(std::span<const ValueView> key, Bias bias, Purpose purpose, bool* done,
                             bool* found);
  bool is_rightmost_leaf();
  bool is_leftmost_leaf();
  Status finish_seek(bool found, int* order);

  // cursor_read.cc
  Status copy_payload(const Cell& cell, uint8_t* out);
  static void fill_entry(const Cell& cell, const uint8_t* data, LeafEntry* entry);
  void hold_image(PageImageRef* image);

  // cursor_write.cc
  Status prepare_to_write();
  Status position_for_insert(Rowid rowid, bool append, bool* found);
  Status insert_here(Rowid rowid, ByteSpan record, bool replace);
  Status insert_slowly(Rowid rowid, ByteSpan record, PageNumber left_child);
  Status overwrite(const Cell& cell, ByteSpan record);
  uint32_t write_cell_header(uint8_t* out, PageNumber left_child, bool interior,
                             uint32_t payload_size, Rowid rowid);
  Status free_bytes_after_remove(uint32_t* free);
  Status remove_from_interior();
  Status balance_after_remove(Balancer* balancer, int highest_changed);
  void leave_pages_after_balance();

  TreeStore* store_;
  CursorState* previous_cursor_ = nullptr;
  CursorState* next_cursor_ = nullptr;
  PageNumber root_;
  bool is_table_;
  bool is_writable_;
  bool is_listed_ = false;  // in the store's list: since the first move, until invalidate()
  State state_ = State::kUnpositioned;
  bool is_resting_ = false;
  bool on_leaf_ = false;         // kOnEntry, kGap: the top page is a leaf
  // By purpose: the last search by key for it ended on the leaf of the search before (of any purpose).
  bool is_near_[2] = {false, false};
  int8_t saved_side_ = 0;        // kSaved: -1 before the remembered key, 0 on it, 1 after it
  int depth_ = -1;
  int deepest_ = -1;  // the last level that pins a page; pages below depth_ are a cache
  int error_code_ = 0;
  const KeyInfo* key_info_;
  Cell cell_;
  PageNumber last_leaf_ = 0;
  // Of the leaf where the last search for a rowid ended. Holds until pages are left or balanced.
  PageNumber leaf_bounds_page_ = 0;
  RowidBounds leaf_bounds_;
  // Bytes free on the leaf that this cursor changed last, by the number of that change. Holds until
  // pages are left.
  PageNumber free_page_ = 0;
  uint32_t free_bytes_ = 0;
  uint64_t free_edit_ = 0;
  uint64_t edit_ = 0;  // number of the change at hand
  Rowid saved_rowid_ = 0;
  std::vector<uint8_t> saved_key_;
  std::vector<uint8_t> compare_scratch_;
  Level stack_[kTreeDepthMax];
};

struct Cursor::Impl : CursorState {
  using CursorState::CursorState;
};

}  // namespace godwit
