// EXISTS as a join.
#include <algorithm>

#include "plan/from_clause.h"
#include "plan/rewrite.h"

namespace godwit {
namespace {

// EXISTS (SELECT ... FROM one table WHERE ...) that reads columns of the core around it. (One that
// reads none is evaluated once, which is better still.)
bool can_join(const BoundExpr& term) {
  if (term.kind != ExprKind::kExists || term.negated) return false;
  const BoundQuery& query = *term.query;
  if (query.plan != nullptr || query.cores.size() != 1 || query.is_recursive ||
      query.limit != nullptr || query.offset != nullptr || !query.is_deterministic ||
      query.correlations.empty()) {
    return false;
  }
  const BoundCore& core = *query.cores[0];
  if (core.kind != BoundCore::Kind::kSelect || core.is_aggregate || !core.windows.empty() ||
      core.sources.size() != 1 || core.where == nullptr) {
    return false;
  }
  const BoundSource& source = *core.sources[0];
  return source.kind == BoundSource::Kind::kTable && source.table->kind != TableKind::kVirtual;
}

bool reads_source_of(const BoundCore& core, const BoundQuery& query) {
  return std::ranges::any_of(query.correlations, [&](const ColumnRef& column) {
    return std::ranges::any_of(core.sources,
                               [&](const BoundSource* s) { return s->id == column.source; });
  });
}

void append_source(BoundCore& core, BoundSource* source, Arena* arena) {
  std::span<BoundSource*> sources = arena->make_array<BoundSource*>(core.sources.size() + 1);
  std::ranges::copy(core.sources, sources.begin());
  sources.back() = source;
  core.sources = sources;
}

}  // namespace

void exists_to_joins(BoundCore& core, PlanContext& context) {
  if (core.where == nullptr || core.sources.empty()) return;
  if (std::ranges::any_of(core.sources, [](const BoundSource* s) { return keeps_right(s->join); })) {
    return;
  }
  std::span<BoundExpr*> terms(&core.where, 1);
  if (core.where->kind == ExprKind::kAnd) terms = core.where->args;
  for (BoundExpr*& term : terms) {
    if (!can_join(*term) || core.sources.size() == kSourcesMax) continue;
    if (!reads_source_of(core, *term->query)) continue;
    BoundCore& inner = *term->query->cores[0];
    BoundSource* source = inner.sources[0];
    // As with CROSS JOIN, it stays behind all others: their rows, in their order, are the result.
    source->join = JoinType::kCross;
    source->only_exists = true;
    append_source(core, source, context.arena);
    term = inner.where;
  }
}

}  // namespace godwit
