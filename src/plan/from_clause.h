// The FROM and WHERE of one core while it is planned: its sources, and all conditions as a list of
// terms that know which sources they need and when they may be evaluated.
//
// Where a term is evaluated (correctness, not cost):
//   - A WHERE term, or an ON term of an inner join, is evaluated at the first Access node where all
//     its sources are available, but not before a RIGHT or FULL join that follows one of them is
//     done (for ON terms: one that stands before their join): such a join adds rows with NULLs,
//     which the term must see.
//   - An ON term of an outer join decides whether rows of its source match; it stays there.
//   - A term without sources is evaluated before the first source, once; unless it is impure, then
//     for each row of the first source, as SQLite does.
#pragma once

#include <cstdint>

#include "plan/arena_vector.h"
#include "plan/bound.h"
#include "plan/plan_node.h"
#include "plan/planner.h"

namespace godwit {

using SourceMask = uint64_t;  // bit i: core.sources[i]
constexpr size_t kSourcesMax = 64;

struct FromTerm {
  BoundExpr* expr = nullptr;
  SourceMask sources = 0;  // that it reads
  SourceMask after = 0;    // that must be available, `sources` included
  int on_source = -1;      // ON term of the outer join with this source; -1: inner
  bool consumed = false;   // an access path takes care of it
};

struct FromClause {
  FromClause(PlanContext* plan_context, BoundCore* bound_core)
      : context(plan_context), core(bound_core), terms(plan_context->arena) {}

  Arena* arena() const { return context->arena; }
  size_t size() const { return core->sources.size(); }
  BoundSource& source(size_t i) const { return *core->sources[i]; }
  int find(SourceId id) const;  // index of the source; -1: not of this core
  // The sources that `expr` reads, by its subqueries too.
  SourceMask sources_of(const BoundExpr* expr) const;

  PlanContext* context;
  BoundCore* core;
  ArenaVector<FromTerm> terms;
};

inline bool is_outer(JoinType join) {
  return join == JoinType::kLeft || join == JoinType::kRight || join == JoinType::kFull;
}
// The join keeps rows of its right side that match nothing.
inline bool keeps_right(JoinType join) {
  return join == JoinType::kRight || join == JoinType::kFull;
}
inline SourceMask source_bit(size_t i) { return SourceMask{1} << i; }

// Fills from->terms (split_conditions.cc).
void split_conditions(FromClause* from);

// Makes the chain of Access nodes (from_chain.cc). Subqueries in FROM must be planned already.
Result<PlanNode*> plan_from(FromClause* from);

}  // namespace godwit
