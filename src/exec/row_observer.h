// Is told of each row that a statement writes or removes, below triggers and constraints
// (sqlite3_preupdate_hook(), sqlite3_update_hook()).
#pragma once

#include <cstdint>
#include <span>

#include "btree/btree.h"
#include "catalog/schema.h"
#include "value/value.h"

namespace godwit {

enum class RowChangeKind : uint8_t { kInsert, kUpdate, kDelete };

// One row. Values are by column; the column that stands for the rowid is NULL in them.
struct RowChange {
  RowChangeKind kind = RowChangeKind::kInsert;
  const Table* table = nullptr;
  Rowid old_rowid = 0;  // 0: the table has no rowids
  Rowid new_rowid = 0;
  std::span<const ValueView> old_values;  // empty: INSERT
  std::span<const ValueView> new_values;  // empty: DELETE
  uint32_t depth = 0;  // of triggers and foreign key actions; 0: of the user's own statement
  int32_t blob_column = -1;  // incremental I/O is about to write into this column
  std::span<const int32_t> assigned = {};  // UPDATE: the columns that the statement assigns
};

class RowObserver {
 public:
  virtual ~RowObserver() = default;
  // Before the change. Also for rows that REPLACE removes.
  virtual void before_change(const RowChange& change) = 0;
  // After it; not for rows that REPLACE removes.
  virtual void after_change(const RowChange& change) = 0;
  // Whether before_change() has anything to do: then all rows are removed one by one.
  virtual bool wants_each_row() const = 0;
};

}  // namespace godwit
