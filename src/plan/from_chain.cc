// Builds the chain of Access nodes of a FROM clause, each term at the node where it belongs.
#include "plan/access_path.h"
#include "plan/expr_tree.h"
#include "plan/from_clause.h"

namespace godwit {
namespace {

// Takes the terms that can be evaluated when `available` is, among those that `on_source` selects.
BoundExpr* take_terms(FromClause* from, SourceMask available, int on_source) {
  ArenaVector<BoundExpr*> taken(from->arena());
  for (FromTerm& term : from->terms) {
    if (term.consumed || term.on_source != on_source || (term.after & ~available) != 0) continue;
    taken.push_back(term.expr);
    term.consumed = true;
  }
  return make_and(from->arena(), taken.span());
}

PlanNode* start_chain(FromClause* from) {
  PlanNode* chain = from->arena()->make<PlanNode>();
  BoundExpr* condition = take_terms(from, 0, -1);
  if (condition == nullptr) return chain;
  FilterNode* filter = from->arena()->make<FilterNode>();
  filter->kind = PlanKind::kFilter;
  filter->child = chain;
  filter->condition = condition;
  return filter;
}

}  // namespace

Result<PlanNode*> plan_from(FromClause* from) {
  PlanNode* chain = start_chain(from);
  SourceMask available = 0;
  for (size_t i = 0; i < from->size(); ++i) {
    GW_ASSIGN(AccessNode * access, choose_access(from, i, available));
    available |= source_bit(i);
    access->kind = PlanKind::kAccess;
    access->child = chain;
    access->source = &from->source(i);
    access->join = is_outer(access->source->join) ? access->source->join : JoinType::kInner;
    if (is_outer(access->join)) access->on = take_terms(from, available, static_cast<int>(i));
    access->filter = take_terms(from, available, -1);
    access->rows = chain->rows * access->rows;
    chain = access;
  }
  return chain;
}

}  // namespace godwit
