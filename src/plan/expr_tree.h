// Helpers over bound expression trees: walks, column sets, structural equality, small builders.
#pragma once

#include <cstdint>

#include "plan/arena_vector.h"
#include "plan/bound.h"
#include "plan/bound_window.h"

namespace godwit {

// Calls visit(const BoundExpr&) for `expr` and all below it in the same query, parents first.
// Expressions inside of subqueries are not visited (see BoundQuery::correlations).
template <typename Visit>
void for_each_expr(const BoundExpr* expr, Visit&& visit) {
  if (expr == nullptr) return;
  visit(*expr);
  for (const BoundExpr* arg : expr->args) for_each_expr(arg, visit);
}

// Calls visit(BoundExpr*&) for every expression slot of a window.
template <typename Window, typename Visit>
void for_each_slot_of_window(Window& window, Visit&& visit) {
  for (auto* call : window.calls) {
    for (auto& arg : call->args) visit(arg);
    visit(call->filter);
  }
  for (auto& key : window.partition_by) visit(key);
  for (auto& term : window.order_by) visit(term.expr);
  visit(window.start_offset);
  visit(window.end_offset);
}

// The same for a core: ON terms of sources, WHERE, grouping, aggregates,
// HAVING, windows, results, VALUES rows that are not constant. Slots may be null.
template <typename Visit>
void for_each_slot(BoundCore& core, Visit&& visit) {
  for (BoundSource* source : core.sources) visit(source->on);
  visit(core.where);
  for (BoundExpr*& key : core.group_by) visit(key);
  for (BoundAggregate* aggregate : core.aggregates) {
    for (BoundExpr*& arg : aggregate->args) visit(arg);
    visit(aggregate->filter);
    for (OrderTerm& term : aggregate->order_by) visit(term.expr);
  }
  for (BoundExpr*& bare : core.bare_columns) visit(bare);
  visit(core.having);
  for (BoundWindow* window : core.windows) for_each_slot_of_window(*window, visit);
  for (ResultColumn& result : core.results) visit(result.expr);
  if (core.values_are_constant) return;
  for (std::span<BoundExpr*>& row : core.values) {
    for (BoundExpr*& value : row) visit(value);
  }
}

// All columns that `expr` reads, those that its subqueries read from outside included.
// Duplicates are kept.
void collect_columns(const BoundExpr* expr, ArenaVector<ColumnRef>* columns);

// Same result for the same row: same shape, columns, constants, collations. Parameters of the same
// number are equal; subqueries only if they are the same object.
bool same_expr(const BoundExpr& a, const BoundExpr& b);

// Pure and cheap to know: no impure function, no subquery.
bool is_simple(const BoundExpr& expr);

BoundExpr* make_column(Arena* arena, ColumnRef column);
BoundExpr* make_constant(Arena* arena, const ValueView& value);
// The conjunction of `terms`; null when there are none.
BoundExpr* make_and(Arena* arena, std::span<BoundExpr* const> terms);

// The comparison that `a op b` becomes when its sides are exchanged.
CompareOp mirrored(CompareOp op);

}  // namespace godwit
