// The ways in which the rows of each source can be found, with what each costs.
//
// A path is tied to what it needs: it can be used only behind the sources in `prerequisites`, whose
// columns its keys read. join_order.h strings paths together, from_chain.cc turns them into nodes.
#pragma once

#include "plan/constraint.h"
#include "plan/from_clause.h"

namespace godwit {

struct AccessPath {
  uint8_t source = 0;
  AccessMethod method = AccessMethod::kTableScan;
  bool covering = false;
  bool one_row = false;   // at most one row for each run
  // Paths with different order classes do not displace each other: the order may be worth more.
  uint8_t order_class = 0;
  const Index* index = nullptr;
  SourceMask prerequisites = 0;
  LogEst setup = 0;  // once
  LogEst run = 0;    // for each run
  LogEst rows = 0;   // found by each run
  std::span<const Constraint*> equal;  // for the leading key columns; kHash: those that are known
  const Constraint* lower = nullptr;
  const Constraint* upper = nullptr;
  // kOr: one path for each arm of the OR in `or_term`.
  std::span<AccessPath*> branches;
  int or_term = -1;
  const VirtualPlan* virtual_plan = nullptr;  // kVirtual: for the keys in `equal`
};

struct PathSet {
  explicit PathSet(Arena* arena) : constraints(arena), paths(arena) {}
  ArenaVector<Constraint> constraints;
  ArenaVector<AccessPath*> paths;
};

// Finds the paths of all sources. Fails with "no query solution" where INDEXED BY cannot be obeyed.
Status find_paths(FromClause* from, PathSet* set);

// An equality that a hash table on its source's column can serve.
bool can_hash(const FromClause& from, const Constraint& constraint);
// Its value changes from one probe to the next, so that it is worth a table.
bool is_hash_key(const FromClause& from, const Constraint& constraint);

// Keeps `path` unless one that is there is as good; drops those that are worse (path_set.cc).
void keep_path(FromClause* from, PathSet* set, const AccessPath& path);

}  // namespace godwit
