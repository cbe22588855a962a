// Splits WHERE and ON into terms joined by AND.
#include "plan/expr_tree.h"
#include "plan/from_clause.h"

namespace godwit {

int FromClause::find(SourceId id) const {
  for (size_t i = 0; i < size(); ++i) {
    if (source(i).id == id) return static_cast<int>(i);
  }
  return -1;
}

SourceMask FromClause::sources_of(const BoundExpr* expr) const {
  if (expr == nullptr) return 0;
  SourceMask mask = 0;
  auto add = [&](const ColumnRef& column) {
    int i = find(column.source);
    if (i >= 0) mask |= source_bit(i);
  };
  for_each_expr(expr, [&](const BoundExpr& e) {
    if (e.kind == ExprKind::kColumn) add(e.column);
    if (e.query != nullptr) {
      for (const ColumnRef& column : e.query->correlations) add(column);
    }
  });
  return mask;
}

bool FromClause::reads_outer(const BoundExpr* expr) const {
  bool found = false;
  for_each_expr(expr, [&](const BoundExpr& e) {
    if (e.kind == ExprKind::kColumn) found |= find(e.column.source) < 0;
    if (e.query != nullptr) {
      for (const ColumnRef& column : e.query->correlations) found |= find(column.source) < 0;
    }
  });
  return found;
}

void add_conditions(FromClause* from, BoundExpr* expr, int on_source, SourceMask barrier) {
  if (expr == nullptr) return;
  if (expr->kind == ExprKind::kAnd) {
    for (BoundExpr* arg : expr->args) add_conditions(from, arg, on_source, barrier);
    return;
  }
  FromTerm term;
  term.expr = expr;
  term.sources = from->sources_of(expr);
  term.barrier = barrier;
  term.after = term.sources | barrier;
  if (on_source >= 0) term.after |= source_bit(on_source);
  if (term.after == 0 && !expr->is_deterministic && from->size() > 0) term.after = 1;
  term.on_source = on_source;
  from->terms.push_back(term);
}

void split_conditions(FromClause* from) {
  // All sources up to the last RIGHT or FULL join that was passed.
  SourceMask barrier = 0;
  for (size_t i = 0; i < from->size(); ++i) {
    BoundSource& source = from->source(i);
    if (is_outer(source.join)) {
      add_conditions(from, source.on, static_cast<int>(i), 0);
    } else {
      add_conditions(from, source.on, -1, barrier);
    }
    if (keeps_right(source.join)) barrier = (source_bit(i) << 1) - 1;
  }
  add_conditions(from, from->core->where, -1, barrier);
}

}  // namespace godwit
