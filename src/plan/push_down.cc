// Moves conditions to where fewer rows have been made: WHERE terms into subqueries of FROM that
// cannot be flattened, HAVING terms over group keys into WHERE.
#include <algorithm>

#include "plan/binder_state.h"
#include "plan/constraint.h"
#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/rewrite.h"
#include "plan/substitute.h"

namespace godwit {
namespace {

void split_and(BoundExpr* expr, ArenaVector<BoundExpr*>* terms) {
  if (expr == nullptr) return;
  if (expr->kind != ExprKind::kAnd) {
    terms->push_back(expr);
    return;
  }
  for (BoundExpr* arg : expr->args) split_and(arg, terms);
}

bool reads_only(const BoundExpr& expr, SourceId source) {
  bool any = false, others = false;
  for_each_expr(&expr, [&](const BoundExpr& e) {
    if (e.kind == ExprKind::kColumn) (e.column.source == source ? any : others) = true;
  });
  return any && !others;
}

bool accepts_conditions(const BoundSource& source) {
  if (source.kind != BoundSource::Kind::kQuery || source.materialized_hint) return false;
  const BoundQuery& query = *source.query;
  if (query.plan != nullptr || query.reference_count > 1 || query.is_recursive ||
      query.limit != nullptr || query.offset != nullptr || !query.is_deterministic) {
    return false;
  }
  bool drops_duplicates = false;
  for (SetOp op : query.operators) drops_duplicates |= op != SetOp::kUnionAll;
  for (const BoundCore* core : query.cores) {
    if (core->kind != BoundCore::Kind::kSelect || !core->windows.empty()) return false;
    drops_duplicates |= core->distinct;
  }
  // Of rows that are equal but not the same, the first stays: that must be the same one.
  if (!drops_duplicates) return true;
  return std::ranges::all_of(query.column_collations,
                             [](const Collation* c) { return same_collation(c, nullptr); });
}

// In each arm of a compound query the term compares that arm's own expressions, so their affinities
// count, as they do in SQLite. (The term stays where it was too.)
void derive_affinities(BoundExpr* expr) {
  for (BoundExpr* arg : expr->args) derive_affinities(arg);
  switch (expr->kind) {
    case ExprKind::kCompare:
      expr->compare_affinity = comparison_affinity(expr->args[0]->affinity, expr->args[1]->affinity);
      break;
    case ExprKind::kBetween:
      expr->compare_affinity = comparison_affinity(expr->args[0]->affinity, expr->args[1]->affinity);
      expr->high_affinity = comparison_affinity(expr->args[0]->affinity, expr->args[2]->affinity);
      break;
    case ExprKind::kInList:
      expr->compare_affinity = as_comparison_affinity(expr->args[0]->affinity);
      break;
    default:
      break;
  }
}

bool push_into(const BoundExpr& term, const BoundSource& source, PlanContext& context) {
  BoundQuery& query = *source.query;
  ArenaVector<BoundExpr*> copies(context.arena);
  for (BoundCore* core : query.cores) {
    std::span<BoundExpr*> exprs = context.arena->make_array<BoundExpr*>(core->results.size());
    for (size_t i = 0; i < exprs.size(); ++i) exprs[i] = core->results[i].expr;
    BoundExpr* copy = substituted_copy(term, {source.id, exprs}, context.arena);
    if (copy == nullptr) return false;
    if (query.cores.size() > 1) derive_affinities(copy);
    copies.push_back(copy);
  }
  for (size_t i = 0; i < query.cores.size(); ++i) {
    BoundCore& core = *query.cores[i];
    BoundExpr*& condition = core.is_aggregate ? core.having : core.where;
    BoundExpr* both[] = {condition, copies[i]};
    condition = condition == nullptr ? copies[i] : make_and(context.arena, both);
  }
  return true;
}

}  // namespace

namespace {

// Pushes the terms of *condition into the sources that `may_take` allows; what need not be evaluated
// again is taken out.
template <typename MayTake>
void push_terms(BoundExpr** condition, const BoundCore& core, MayTake&& may_take,
                PlanContext& context) {
  ArenaVector<BoundExpr*> terms(context.arena), kept(context.arena);
  split_and(*condition, &terms);
  for (BoundExpr* term : terms) {
    bool done = false;
    for (const BoundSource* source : core.sources) {
      if (!may_take(*source) || !is_simple(*term) || !accepts_conditions(*source)) continue;
      if (!reads_only(*term, source->id)) continue;
      done = push_into(*term, *source, context) && source->query->cores.size() == 1;
      break;
    }
    if (!done) kept.push_back(term);
  }
  if (kept.size() < terms.size()) *condition = make_and(context.arena, kept.span());
}

}  // namespace

void push_down_conditions(BoundCore& core, PlanContext& context) {
  auto is_open = [](const BoundSource* source) { return accepts_conditions(*source); };
  if (std::ranges::none_of(core.sources, is_open)) return;
  for (const BoundSource* source : core.sources) {
    if (keeps_right(source->join)) return;
  }
  auto is_inner = [](const BoundSource& source) { return !is_outer(source.join); };
  push_terms(&core.where, core, is_inner, context);
  for (BoundSource* joined : core.sources) {
    if (joined->on == nullptr) continue;
    if (is_inner(*joined)) {
      push_terms(&joined->on, core, is_inner, context);
    } else {
      auto is_joined = [&](const BoundSource& source) { return &source == joined; };
      push_terms(&joined->on, core, is_joined, context);
    }
  }
}

void having_to_where(BoundCore& core, PlanContext& context) {
  if (core.having == nullptr || !core.has_group_by) return;
  ArenaVector<BoundExpr*> terms(context.arena), kept(context.arena), moved(context.arena);
  split_and(core.having, &terms);
  std::span<BoundExpr*> keys = core.group_by;
  auto is_exact_key = [&](const ColumnRef& column) {
    size_t i = static_cast<size_t>(column.column);
    return i < keys.size() && same_collation(core.group_collations[i], nullptr);
  };
  for (BoundExpr* term : terms) {
    bool movable = is_simple(*term) && reads_only(*term, core.aggregate_output);
    for_each_expr(term, [&](const BoundExpr& e) {
      if (e.kind == ExprKind::kColumn && !is_exact_key(e.column)) movable = false;
    });
    BoundExpr* copy = movable ? substituted_copy(*term, {core.aggregate_output, keys}, context.arena)
                              : nullptr;
    if (copy == nullptr) {
      kept.push_back(term);
    } else {
      moved.push_back(copy);
    }
  }
  if (moved.empty()) return;
  core.having = make_and(context.arena, kept.span());
  if (core.where != nullptr) moved.push_back(core.where);
  core.where = make_and(context.arena, moved.span());
}

void rewrite_core(BoundQuery& query, BoundCore& core, PlanContext& context) {
  flatten_subqueries(query, core, context);
  for_each_slot(core, [&](BoundExpr*& slot) { fold_constants(slot, context); });
  for (OrderTerm& term : query.order_by) fold_constants(term.expr, context);
  simplify_outer_joins(core);
  // In this order: SQLite does not push HAVING terms into subqueries, where other affinities count.
  push_down_conditions(core, context);
  having_to_where(core, context);
  exists_to_joins(core, context);
}

}  // namespace godwit
