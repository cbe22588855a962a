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
#include "plan/log_est.h"
#include "plan/plan_node.h"
#include "plan/planner.h"

namespace godwit {

using SourceMask = uint64_t;  // bit i: core.sources[i]
constexpr size_t kSourcesMax = 64;

struct FromTerm {
  BoundExpr* expr = nullptr;
  SourceMask sources = 0;  // that it reads
  SourceMask barrier = 0;  // up to the last RIGHT or FULL join that must be done before
  SourceMask after = 0;    // all that must be available, `sources` included
  int on_source = -1;      // ON term of the outer join with this source; -1: inner
  uint8_t parts_used = 0;  // of a term with several parts: those that an access path takes care of
  bool consumed = false;   // an access path, or a node before, takes care of it
};

// The order in which rows of the FROM clause would be welcome. Terms are over its sources.
struct OrderRequest {
  enum class Kind : uint8_t {
    kNone,
    kOrderBy,   // exactly this order
    kGroupBy,   // equal keys together: terms in any order, any directions
    kDistinct,  // likewise
    kMinMax,    // one term; the first row decides
  };
  Kind kind = Kind::kNone;
  std::span<const OrderTerm> terms;
  bool has_limit = false;  // few rows will be asked for
  LogEst limit = 0;        // about so many, when known
  uint32_t result_columns = 0;
  bool orders_groups = false;  // kGroupBy: the terms are those of ORDER BY too, in its directions
};

struct FromClause {
  FromClause(PlanContext* plan_context, BoundCore* bound_core)
      : context(plan_context),
        core(bound_core),
        terms(plan_context->arena),
        index_exprs(plan_context->arena),
        fixed_before(plan_context->arena) {}

  Arena* arena() const { return context->arena; }
  size_t size() const { return core->sources.size(); }
  BoundSource& source(size_t i) const { return *core->sources[i]; }
  int find(SourceId id) const;  // index of the source; -1: not of this core
  // The sources that `expr` reads, by its subqueries too.
  SourceMask sources_of(const BoundExpr* expr) const;
  // It reads columns of enclosing queries.
  bool reads_outer(const BoundExpr* expr) const;

  PlanContext* context;
  BoundCore* core;
  ArenaVector<FromTerm> terms;
  // Expressions of indexes, bound when first asked for (index_match.h).
  struct IndexExpr {
    const Index* index;
    size_t column;
    size_t source;
    const BoundExpr* expr;
  };
  ArenaVector<IndexExpr> index_exprs;
  bool has_expression_index = false;  // some source has an index on an expression
  OrderRequest order;                 // the order that is wanted
  // LIMIT and OFFSET, if they are about the rows of this clause as they come: a virtual table may take
  // them over (OFFSET: *offset becomes null). Null: none.
  BoundExpr* limit = nullptr;
  BoundExpr** offset = nullptr;
  // Sources that must stand before source i whatever the conditions say.
  ArenaVector<SourceMask> fixed_before;
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

// Adds the terms of one more condition.
void add_conditions(FromClause* from, BoundExpr* condition, int on_source, SourceMask barrier);

struct FromPlan {
  PlanNode* root = nullptr;
  int ordered_terms = 0;      // leading terms of the requested order that hold
  LogEst most_rows = 0;       // that some node of the chain looks at
  bool exact_order = false;   // kGroupBy: the terms hold in their order and directions too
};

// Makes the chain of Access nodes (from_chain.cc). Subqueries in FROM must be planned already.
Result<FromPlan> plan_from(FromClause* from);

}  // namespace godwit
