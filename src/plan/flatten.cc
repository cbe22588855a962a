// Flattening of subqueries in FROM.
#include <algorithm>

#include "plan/clone_query.h"
#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/rewrite.h"
#include "plan/substitute.h"

namespace godwit {
namespace {

// Nothing but sources, WHERE and result columns.
bool is_plain_select(const BoundQuery& query) {
  if (query.cores.size() != 1 || query.is_recursive || query.limit != nullptr ||
      query.offset != nullptr || !query.is_deterministic) {
    return false;
  }
  const BoundCore& core = *query.cores[0];
  return core.kind == BoundCore::Kind::kSelect && !core.is_aggregate && !core.distinct &&
         core.windows.empty() && !core.sources.empty() &&
         std::ranges::none_of(core.sources,
                              [](const BoundSource* s) { return keeps_right(s->join); });
}

bool all_results_are_columns(const BoundCore& core) {
  return std::ranges::all_of(core.results, [&](const ResultColumn& result) {
    return result.expr->kind == ExprKind::kColumn &&
           result.expr->column.source == core.sources[0]->id;
  });
}

bool can_flatten(const BoundQuery& outer_query, const BoundCore& outer, size_t i) {
  const BoundSource& source = *outer.sources[i];
  if (source.kind != BoundSource::Kind::kQuery || source.materialized_hint) return false;
  if (source.query->plan != nullptr || !is_plain_select(*source.query)) return false;
  const BoundCore& inner = *source.query->cores[0];
  if (outer.sources.size() - 1 + inner.sources.size() > kSourcesMax) return false;
  for (const BoundSource* other : outer.sources) {
    if (keeps_right(other->join)) return false;
  }
  if (source.join == JoinType::kLeft) {
    // Computed columns would have to become NULL with the row that is not there.
    if (inner.sources.size() > 1 || !all_results_are_columns(inner)) return false;
    if (outer.is_aggregate || outer.distinct) return false;
    if (inner.sources[0]->kind != BoundSource::Kind::kTable) return false;
  }
  // The subquery's order would be lost in a join, or where the outer query has its own.
  if (!source.query->order_by.empty()) {
    bool keeps_order = outer.sources.size() == 1 && outer_query.cores.size() == 1 &&
                       outer_query.order_by.empty() && !outer.is_aggregate && !outer.distinct;
    bool order_is_useless = outer.sources.size() > 1 || !outer_query.order_by.empty();
    if (!keeps_order && (outer.is_aggregate || !order_is_useless)) return false;
  }
  return true;
}

BoundExpr* and_of(BoundExpr* a, BoundExpr* b, Arena* arena) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  BoundExpr* both[] = {a, b};
  return make_and(arena, both);
}

// Puts the inner sources in the place of source i.
void splice_sources(BoundCore& outer, size_t i, const BoundCore& inner, Arena* arena) {
  size_t count = outer.sources.size() - 1 + inner.sources.size();
  std::span<BoundSource*> sources = arena->make_array<BoundSource*>(count);
  auto next = std::copy_n(outer.sources.begin(), i, sources.begin());
  next = std::ranges::copy(inner.sources, next).out;
  std::copy(outer.sources.begin() + i + 1, outer.sources.end(), next);
  outer.sources = sources;
}

void flatten(BoundQuery& query, BoundCore& outer, size_t i, PlanContext& context) {
  BoundSource& source = *outer.sources[i];
  BoundCore& inner = *source.query->cores[0];
  Arena* arena = context.arena;
  BoundSource& first = *inner.sources[0];
  first.join = source.join;
  splice_sources(outer, i, inner, arena);
  // An ON of the subquery's own first source cannot be; that of the subquery takes its place.
  if (source.join == JoinType::kLeft) {
    first.on = and_of(source.on, inner.where, arena);
  } else {
    outer.where = and_of(outer.where, inner.where, arena);
    outer.where = and_of(outer.where, source.on, arena);
  }
  std::span<BoundExpr*> exprs = arena->make_array<BoundExpr*>(inner.results.size());
  for (size_t c = 0; c < exprs.size(); ++c) exprs[c] = inner.results[c].expr;
  Substitution substitution{source.id, exprs};
  for_each_slot(outer, [&](BoundExpr*& slot) { substitute(slot, substitution, arena); });
  for (OrderTerm& term : query.order_by) substitute(term.expr, substitution, arena);
  for (BoundSource* other : outer.sources) {
    if (other->query != nullptr) substitute(*other->query, substitution, arena);
  }
  if (!source.query->order_by.empty() && query.cores.size() == 1 && query.order_by.empty() &&
      outer.sources.size() == inner.sources.size() && !outer.is_aggregate) {
    query.order_by = source.query->order_by;
    // They are columns of the inner query, not of this one's results.
    for (OrderTerm& term : query.order_by) term.output_column = -1;
  }
}

}  // namespace

void flatten_subqueries(BoundQuery& query, BoundCore& core, PlanContext& context) {
  for (size_t i = 0; i < core.sources.size();) {
    if (!can_flatten(query, core, i)) {
      ++i;
      continue;
    }
    // A common table that is used more than once is copied.
    BoundQuery*& inner = core.sources[i]->query;
    if (inner->reference_count > 1) {
      BoundQuery* copy = clone_query(*inner, context);
      if (copy == nullptr) {
        ++i;
        continue;
      }
      --inner->reference_count;
      inner = copy;
    }
    flatten(query, core, i, context);
  }
}

}  // namespace godwit
