// Rows found through an index: seeks on leading columns, ranges on the next one, whole scans.
//
// An index whose records hold all columns that are needed gives them itself (covering; the primary
// index of a WITHOUT ROWID table always does). Otherwise each entry leads to a look-up in the table.
//
// Bounds are kept in the physical order of the index, so that a descending index column and a scan
// that walks backwards are the same code:
//
//   ascending column    NULL ... lower ===== upper ...          (first ... last entry)
//   descending column        ... upper ===== lower ... NULL
#pragma once

#include <memory>
#include <vector>

#include "exec/access_table.h"
#include "exec/expression.h"
#include "exec/seek_keys.h"
#include "exec/table_lookup.h"
#include "exec/tree_directory.h"
#include "value/record.h"

namespace godwit {

// A walk over the entries of an index that match the keys of a left row, in index order.
class IndexWalk {
 public:
  Status prepare(const RowSourceSpec& spec);
  // `cursor`: on the index. `arena` holds payloads that had to be completed; the caller resets it
  // when it is done with the entries.
  void open(Cursor* cursor, Arena* arena);
  // The same for another run of the same execution.
  void reopen();
  void close() { directory_.clear(); }
  Status begin_left(const Chunk& left);
  Status seek(uint32_t left_row);
  // Up to `max` more entries, all from one page, held by *image (null: held here). 0: the end.
  Result<uint32_t> next(LeafEntry* entries, uint32_t max, PageImageRef* image);
  // Makes the payload of `entry` complete.
  Status complete(LeafEntry* entry);

 private:
  struct Bound {
    bool present = false;
    bool inclusive = true;
    ValueView value;
  };

  Status evaluate_range(uint32_t left_row);
  bool next_walk();
  bool walk_directory();
  uint32_t give_found(LeafEntry* entries, uint32_t max);
  void set_bound_types(ValueType type);
  Status position();
  Result<uint32_t> drop_beyond_end(LeafEntry* entries, uint32_t count);
  Result<bool> is_within(LeafEntry* entry);
  void make_key(const Bound& bound, std::vector<ValueView>* key) const;

  const AccessNode* node_ = nullptr;
  const Index* index_ = nullptr;
  Cursor* cursor_ = nullptr;
  SeekKeys keys_;
  std::unique_ptr<Expression> lower_expression_, upper_expression_;
  const Vector* lowers_ = nullptr;
  const Vector* uppers_ = nullptr;
  bool unique_ = false;  // a key has one entry at most
  Arena arena_;          // bounds that affinity had to make, for one left chunk
  // In the order in which the walk goes.
  Bound begin_, end_;
  std::vector<ValueView> begin_key_, end_key_;
  bool empty_ = false;     // the range of this left row
  bool walking_ = false;
  // is_like_range: the range is walked twice, as texts and as blobs.
  bool upwards_ = true;           // from the smallest value to the largest
  bool second_walk_due_ = false;
  uint32_t step_ = 1;      // entries to ask for next
  // One key for the first column, and nothing else: then the directory may know the entries.
  bool may_use_directory_ = false;
  TreeDirectory directory_;
  std::span<const TreeDirectory::Place> found_;  // entries of the directory yet to be given
  Arena* overflow_ = nullptr;  // completed payloads
  std::vector<uint8_t> scratch_;
};

class IndexSource final : public TreeSource {
 public:
  static Result<std::unique_ptr<TreeSource>> make(const RowSourceSpec& spec,
                                                  TreeRows* rows = nullptr);
  Status open() override;
  void close() override;
  Status reopen() override;
  Status begin_left(const Chunk& left) override { return walk_.begin_left(left); }
  Status seek(uint32_t left_row) override { return walk_.seek(left_row); }
  Status fetch(uint32_t max, uint32_t* fetched) override;

 private:
  using TreeSource::TreeSource;
  bool is_covering() const { return index_ == spec_.node->index; }
  Status find_row(const PayloadView& payload);

  IndexWalk walk_;
  std::unique_ptr<Cursor> index_cursor_;  // not covering
  TableLookup lookup_;
  TreeDirectory directory_;  // of the table, not covering
  std::vector<LeafEntry> index_entries_;
};

}  // namespace godwit
