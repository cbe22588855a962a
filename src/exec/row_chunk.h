// One row of a table as expressions see it: a chunk of its columns, then the rowid.
#pragma once

#include <span>
#include <vector>

#include "btree/btree.h"
#include "catalog/schema.h"
#include "exec/expression.h"
#include "plan/bound.h"
#include "vector/vector.h"

namespace godwit {

class RowChunk {
 public:
  // The row stands for the columns of source `id`.
  void init(const Table& table, SourceId id);
  Layout layout() const { return Layout{columns_}; }
  // Values are borrowed until the next call.
  void show(std::span<const ValueView> values, Rowid rowid);
  const Chunk& chunk() const { return chunk_; }
  // The value of an expression that was compiled for layout(); valid until it is evaluated again.
  Status evaluate(Expression* expression, ValueView* value) const;

 private:
  int32_t rowid_column_ = -1;
  std::vector<ColumnRef> columns_;
  std::vector<Vector> vectors_;
  Chunk chunk_;
};

}  // namespace godwit
