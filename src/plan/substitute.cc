#include "plan/substitute.h"

#include <algorithm>

#include "plan/expr_tree.h"

namespace godwit {
namespace {

bool reads_source(const BoundQuery& query, SourceId source) {
  return std::ranges::any_of(query.correlations,
                             [&](const ColumnRef& column) { return column.source == source; });
}

void substitute_correlations(BoundQuery& query, const Substitution& substitution, Arena* arena) {
  ArenaVector<ColumnRef> columns(arena);
  for (const ColumnRef& column : query.correlations) {
    if (column.source == substitution.source) {
      collect_columns(substitution.exprs[column.column], &columns);
    } else {
      columns.push_back(column);
    }
  }
  ArenaVector<ColumnRef> unique(arena);
  for (const ColumnRef& column : columns) {
    if (std::ranges::find(unique, column) == unique.end()) unique.push_back(column);
  }
  query.correlations = unique.span();
}

}  // namespace

void substitute(BoundExpr*& slot, const Substitution& substitution, Arena* arena) {
  if (slot == nullptr) return;
  if (slot->kind == ExprKind::kColumn) {
    if (slot->column.source == substitution.source) {
      slot = substitution.exprs[slot->column.column];
    }
    return;
  }
  if (slot->query != nullptr) substitute(*slot->query, substitution, arena);
  for (BoundExpr*& arg : slot->args) {
    substitute(arg, substitution, arena);
    slot->has_subquery |= arg->has_subquery;
    slot->is_deterministic &= arg->is_deterministic;
  }
}

void substitute(BoundQuery& query, const Substitution& substitution, Arena* arena) {
  if (!reads_source(query, substitution.source)) return;
  auto replace = [&](BoundExpr*& slot) { substitute(slot, substitution, arena); };
  for (BoundCore* core : query.cores) {
    for_each_slot(*core, replace);
    for (BoundSource* source : core->sources) {
      if (source->query != nullptr) substitute(*source->query, substitution, arena);
    }
  }
  for (OrderTerm& term : query.order_by) replace(term.expr);
  replace(query.limit);
  replace(query.offset);
  substitute_correlations(query, substitution, arena);
}

BoundExpr* substituted_copy(const BoundExpr& expr, const Substitution& substitution, Arena* arena) {
  if (expr.query != nullptr) return nullptr;
  if (expr.kind == ExprKind::kColumn && expr.column.source == substitution.source) {
    return substitution.exprs[expr.column.column];
  }
  BoundExpr* copy = arena->make<BoundExpr>(expr);
  copy->args = arena->make_array<BoundExpr*>(expr.args.size());
  for (size_t i = 0; i < expr.args.size(); ++i) {
    copy->args[i] = substituted_copy(*expr.args[i], substitution, arena);
    if (copy->args[i] == nullptr) return nullptr;
    copy->has_subquery |= copy->args[i]->has_subquery;
    copy->is_deterministic &= copy->args[i]->is_deterministic;
  }
  return copy;
}

}  // namespace godwit
