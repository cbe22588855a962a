// Where the entries of a whole tree are, by an integer: for runs that look up so many keys that
// reading the tree once is cheaper than one descent a key.
//
//   keys of the tree    3  5  5  5  8          places_     e0 e1 e2 e3 e4
//   key - low_          0  1  2  3  4  5  (6)
//   starts_             0  1  1  4  4  4  5    entries of key k: from starts_[k] to starts_[k + 1]
//
// Keys are rowids, or the first columns of an index if all of those are integers (or NULL, which no
// key equals). They must be dense enough for an array.
//
// Invariants:
//   1. The entries borrow from page images that are held, and are what a cursor would find: any
//      change of the tree takes the pages away from cursor_, and then is_ready() is false for the
//      rest of the run.
//   2. Nothing is read before look-ups are numerous in proportion to the tree, so that a run of a
//      few look-ups reads a few pages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "btree/btree.h"

namespace godwit {

class TreeDirectory {
 public:
  // A payload, all of it on its leaf page.
  struct Place {
    const uint8_t* payload = nullptr;
    uint32_t size = 0;
    // `rowid`: 0 for entries of an index.
    LeafEntry entry(Rowid rowid) const { return {rowid, {payload, size, size}, 0}; }
  };

  // `key_info` null: a table tree. It must outlive the directory.
  void prepare(Btree* btree, PageNumber root, const KeyInfo* key_info, size_t memory_budget_bytes);
  // Forgets everything, for another run.
  void clear();
  // To be called for each look-up. Reads the tree if it is time to.
  Status note_look_up() {
    if (++look_ups_ < next_decision_) [[likely]] return Status();
    return decide();
  }
  bool is_ready() const { return is_ready_ && cursor_->holds_pages(); }
  // The entries with that key, in the order of the tree.
  std::span<const Place> find(int64_t key) const {
    const uint64_t offset = static_cast<uint64_t>(key) - static_cast<uint64_t>(low_);
    if (offset >= range_) return {};
    return {places_.data() + starts_[offset], starts_[offset + 1] - starts_[offset]};
  }

 private:
  // Never to be reached.
  static constexpr uint64_t kNever = UINT64_MAX;
  static constexpr uint64_t kLookUpsMin = 256;
  // Reading an entry on the way costs about a twentieth of a look-up.
  static constexpr uint64_t kEntriesPerLookUp = 16;
  static constexpr uint64_t kHolesMax = 4;  // keys of the range, for each entry

  Status decide();
  // False: the tree is not fit for it, or too large.
  Result<bool> read_tree();
  bool take(std::span<const LeafEntry> entries);
  bool key_of(const LeafEntry& entry, bool* is_null, int64_t* key) const;
  bool make_starts();
  void release();

  Btree* btree_ = nullptr;
  PageNumber root_ = 0;
  const KeyInfo* key_info_ = nullptr;
  size_t budget_ = 0;
  uint64_t look_ups_ = 0;
  uint64_t next_decision_ = kNever;
  bool is_ready_ = false;
  bool knows_size_ = false;
  uint64_t size_ = 0;  // entries, about
  std::unique_ptr<Cursor> cursor_;
  std::vector<Place> places_;
  std::vector<int64_t> keys_;  // of places_; only while the tree is read
  std::vector<PageImageRef> images_;
  int64_t low_ = 0;
  uint64_t range_ = 0;
  std::vector<uint32_t> starts_;
};

}  // namespace godwit
