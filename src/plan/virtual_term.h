// What the conditions of a FROM clause say about the columns of a virtual table: more than
// constraint.h knows, as modules may take any of SQLITE_INDEX_CONSTRAINT_*. In SQLite's order: the
// terms as they stand, then what is made of them, of the last one first, then LIMIT and OFFSET.
#pragma once

#include "function/virtual_table.h"
#include "plan/access_path.h"

namespace godwit {

struct VirtualTerm {
  const Constraint* constraint = nullptr;  // makes the key that filter() gets
  VirtualOp op = VirtualOp::kEq;
  bool is_limit() const { return op == VirtualOp::kLimit || op == VirtualOp::kOffset; }
};

// The terms for source `i`.
ArenaVector<VirtualTerm> find_virtual_terms(FromClause* from, const PathSet& set, size_t i);

}  // namespace godwit
