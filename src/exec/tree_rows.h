// A batch of entries of a table or index tree, and their columns as vectors.
//
// Entries are collected first (they are a few words each, the page images are held), columns are
// decoded when the batch is complete: those that filters need for all rows, the others for the rows
// that passed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "btree/btree.h"
#include "exec/column_builder.h"
#include "exec/expression.h"
#include "exec/row_decoder.h"
#include "exec/row_source.h"
#include "value/value.h"
#include "vector/vector.h"

namespace godwit {

class TreeRows {
 public:
  // The columns spec.node->columns of records of the table (index null), or of the index.
  static Result<std::unique_ptr<TreeRows>> make(const RowSourceSpec& spec, const Index* index,
                                                TextEncoding encoding);

  void begin(uint32_t rows);
  // Forgets the batch and lets go of its pages.
  void clear();

  uint32_t size() const { return count_; }
  // Room for the next entries, up to the number of rows given to begin().
  LeafEntry* next_entries() { return entries_.data() + count_; }
  // Takes over the first `count` of them, views into `image` (null: what someone else holds).
  void commit(uint32_t count, PageImageRef image);
  // Takes over an entry that someone else holds.
  void append(const LeafEntry& entry) { entries_[count_++] = entry; }
  void append_null();
  LeafEntry& entry(uint32_t row) { return entries_[row]; }
  bool is_null(uint32_t row) const { return entries_[row].overflow == RowDecoder::kNullEntry; }
  // Drops rows from the end.
  void truncate(uint32_t count) { count_ = count; }

  // `cursor`: of the tree that the records are from.
  Status load(bool early, const Selection& rows, Cursor* cursor);
  const Vector* column(size_t index) const { return &builders_[index].vector(); }
  // Lives as long as the batch.
  Arena& arena() { return arena_; }

 private:
  // A VIRTUAL generated column: not in the record, computed from columns that are.
  struct VirtualColumn {
    std::unique_ptr<Expression> expression;
    Affinity affinity = Affinity::kNone;
    size_t target = 0;  // of builders_
  };
  // What is loaded together.
  struct Stage {
    std::vector<DecodeColumn> stored;  // ascending by position
    std::vector<VirtualColumn> computed;  // each after those that it reads
  };

  explicit TreeRows(TextEncoding encoding) : decoder_(encoding) {}
  Status add_columns(const RowSourceSpec& spec, const Index* index);
  Status add_column(const RowSourceSpec& spec, const Index* index, size_t column);
  Status add_virtual_columns(const RowSourceSpec& spec, const Index* index);
  Status add_virtual(const RowSourceSpec& spec, const Index* index, size_t i,
                     std::vector<bool>* added);
  Status compute(VirtualColumn& column, const Selection& rows);

  RowDecoder decoder_;
  // node->columns, then columns that virtual ones are computed from.
  std::vector<ColumnRef> columns_;
  std::vector<bool> is_early_;
  std::vector<ColumnBuilder> builders_;
  std::vector<Value> defaults_;  // what DecodeColumn::missing borrows from
  Stage early_, late_;
  Chunk computed_from_;
  uint32_t rows_ = 0;
  uint32_t count_ = 0;
  std::vector<LeafEntry> entries_;
  std::vector<PageImageRef> images_;
  Arena arena_;
};

}  // namespace godwit
