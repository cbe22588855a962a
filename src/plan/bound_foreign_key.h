// Foreign keys of a table that is written, ready to be enforced, in both directions.
#pragma once

#include <span>

#include "plan/bound.h"

namespace godwit {

struct BoundTableWrite;

// A foreign key with its parent found: which columns, and what makes them unique there.
struct BoundReference {
  const ForeignKey* key = nullptr;
  const Table* child = nullptr;
  // Null: there is no such table. Only where that is no error (DROP TABLE).
  const Table* parent = nullptr;
  const Index* parent_index = nullptr;  // null: the key is the parent's rowid
  // The columns of the key, in the order of parent_index.
  std::span<int32_t> child_columns;
  std::span<int32_t> parent_columns;
  bool is_self() const { return child == parent; }
};

// A reference as the parent's writer sees it: how to find the children of a row, and what becomes of
// them when the row goes or its key changes.
//
// The queries read the parent's row as columns of `parent_row`: (parent_row, i) is column i of the
// key; in `count`, for a table that refers to itself, what identifies the row follows: the rowid, or
// the columns of the primary key.
struct BoundChildren {
  const BoundReference* reference = nullptr;
  SourceId parent_row = 0;
  // One row for each child row, but for the parent row itself. Columns: (1).
  BoundQuery* count = nullptr;
  std::span<ColumnRef> count_columns;  // of parent_row, all
  // kNoAction, or for the event at hand (DELETE or UPDATE of the parent) the action.
  ForeignKeyAction action = ForeignKeyAction::kNoAction;
  // With an action: the keys of the child rows (the rowid, or the columns of the primary key), and,
  // but for kRestrict, the write of the child.
  BoundQuery* keys = nullptr;
  std::span<ColumnRef> keys_columns;
  BoundTableWrite* write = nullptr;
};

// For one event.
struct BoundForeignKeys {
  std::span<const BoundReference*> parents;  // the table is the child
  std::span<BoundChildren> children;         // the table is the parent
};

}  // namespace godwit
