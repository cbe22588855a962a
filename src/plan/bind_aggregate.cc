// Aggregates: to which query one belongs, and the rewriting of all that stands behind the
// aggregation to columns of its output.
//
// An aggregate belongs to the innermost query around it whose sources its arguments read; with no
// columns in them, to the query it stands in. So sum(t.a) in a subquery without t is computed by the
// outer query, and is a correlated column of the subquery.
#include <algorithm>
#include <utility>

#include "plan/binder_state.h"

namespace godwit {

namespace {

bool has_source(const Scope& scope, SourceId id) {
  for (const ScopeSource& item : scope.sources) {
    if (item.source->id == id && !item.qualified_only) return true;
  }
  return false;
}

bool same_aggregate(const BoundAggregate& a, const BoundAggregate& b) {
  return a.function == b.function && a.distinct == b.distinct &&
         a.is_count_star == b.is_count_star && a.collation == b.collation &&
         (a.filter == nullptr) == (b.filter == nullptr) &&
         (a.filter == nullptr || same_tree(a.filter, b.filter)) &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same_tree) &&
         same_terms(a.order_by, b.order_by);
}

// Values that are equal as keys are the same value: a key may stand for the column in any row.
bool is_exact_key(const BoundExpr& key, const Collation& collation) {
  return collation.is_binary() && (is_numeric(key.affinity) || key.affinity == Affinity::kText);
}

// Replaces columns and keys in the trees behind an aggregation, in place.
class AggregateRewriter {
 public:
  AggregateRewriter(BinderState* state, Scope* scope, BoundCore* core)
      : state_(state), scope_(scope), core_(core) {
    for (const BoundAggregate* aggregate : scope->aggregates) {
      chooses_row_ |= aggregate->is_min || aggregate->is_max;
    }
  }

  void rewrite(BoundExpr* expr) {
    if (expr->kind == ExprKind::kColumn) {
      rewrite_column(expr);
      return;
    }
    for (size_t i = 0; i < core_->group_by.size() && expr->is_deterministic; ++i) {
      const BoundExpr& key = *core_->group_by[i];
      if (key.kind == ExprKind::kColumn || expr->is_constant || !same_tree(expr, &key)) continue;
      if (chooses_row_ && !core_->group_collations[i]->is_binary()) continue;
      become_output(expr, i);
      return;
    }
    for (BoundExpr* arg : expr->args) rewrite(arg);
    if (expr->query != nullptr) rewrite_query(expr->query);
  }

  std::span<BoundExpr*> bare_columns() {
    return state_->arena->copy_array<BoundExpr*>(bare_columns_);
  }

 private:
  void rewrite_query(BoundQuery* query) {
    if (!visited_.insert(query).second) return;
    for (BoundCore* core : query->cores) {
      for_each_expr(*core, [&](BoundExpr* expr) { rewrite(expr); });
      for (BoundSource* source : core->sources) {
        if (source->query != nullptr) rewrite_query(source->query);
      }
    }
    for (OrderTerm& term : query->order_by) rewrite(term.expr);
  }

  void rewrite_column(BoundExpr* expr) {
    if (expr->column.source == scope_->aggregate_output) {
      if (expr->column.column > Scope::kFirstAggregate) return;
      size_t aggregate = static_cast<size_t>(Scope::kFirstAggregate - expr->column.column);
      expr->column.column = static_cast<int32_t>(core_->group_by.size() + aggregate);
      return;
    }
    if (!has_source(*scope_, expr->column.source)) return;
    for (size_t i = 0; i < core_->group_by.size(); ++i) {
      const BoundExpr& key = *core_->group_by[i];
      if (key.kind != ExprKind::kColumn || key.column != expr->column) continue;
      if (chooses_row_ && !is_exact_key(key, *core_->group_collations[i])) continue;
      become_output(expr, i);
      return;
    }
    size_t bare = 0;
    while (bare < bare_columns_.size() && bare_columns_[bare]->column != expr->column) ++bare;
    if (bare == bare_columns_.size()) {
      bare_columns_.push_back(state_->arena->make<BoundExpr>(*expr));
    }
    become_output(expr, core_->group_by.size() + scope_->aggregates.size() + bare);
  }

  // Affinity, collation and text stay those of what the column replaces.
  void become_output(BoundExpr* expr, size_t column) {
    expr->kind = ExprKind::kColumn;
    expr->args = {};
    expr->query = nullptr;
    expr->is_constant = false;
    expr->has_subquery = false;
    expr->column = {scope_->aggregate_output, static_cast<int32_t>(column)};
  }

  BinderState* state_;
  Scope* scope_;
  BoundCore* core_;
  bool chooses_row_ = false;
  std::vector<BoundExpr*> bare_columns_;
  std::unordered_set<BoundQuery*> visited_;
};

}  // namespace

Scope* BinderState::aggregate_owner(const BoundAggregate& aggregate) {
  std::vector<SourceId> read;
  auto collect = [&](BoundExpr* column) { read.push_back(column->column.source); };
  for (BoundExpr* arg : aggregate.args) walk_columns(arg, collect);
  if (aggregate.filter != nullptr) walk_columns(aggregate.filter, collect);
  for (const OrderTerm& term : aggregate.order_by) walk_columns(term.expr, collect);
  for (Scope* at = scope; at != nullptr; at = at->parent) {
    for (SourceId id : read) {
      if (has_source(*at, id)) return at;
    }
  }
  return scope;
}

Result<BoundExpr*> BinderState::bind_aggregate(const ast::FunctionExpr& call,
                                               const FunctionLookup& match) {
  BoundAggregate* aggregate = arena->make<BoundAggregate>();
  aggregate->function = match.aggregate;
  GW_TRY(bind_aggregate_parts(call, aggregate));
  Scope* owner = aggregate_owner(*aggregate);
  if (owner->phase == ScopePhase::kGroupBy) {
    return fail("aggregate functions are not allowed in the GROUP BY clause");
  }
  bool has_place = owner->phase == ScopePhase::kResults || owner->phase == ScopePhase::kHaving ||
                   (owner->phase == ScopePhase::kOrderBy && owner->is_aggregate);
  if (!has_place) return fail_at(call.range, concat("misuse of aggregate: ", call.name.text, "()"));
  for (Scope* inner = scope; inner != owner; inner = inner->parent) inner->reads_outer = true;
  size_t index = 0;
  while (index < owner->aggregates.size() &&
         !same_aggregate(*owner->aggregates[index], *aggregate)) {
    ++index;
  }
  if (index == owner->aggregates.size()) owner->aggregates.push_back(aggregate);
  saw_aggregate = true;
  BoundExpr* expr = make(ExprKind::kColumn);
  expr->column = {owner->aggregate_output, Scope::kFirstAggregate - static_cast<int32_t>(index)};
  for (const BoundExpr* arg : aggregate->args) {
    if (!arg->collation_is_explicit) continue;
    expr->collation = arg->collation;
    expr->collation_is_explicit = true;
    break;
  }
  return expr;
}

Status BinderState::bind_aggregate_parts(const ast::FunctionExpr& call,
                                         BoundAggregate* aggregate) {
  Scope* const home = scope;
  bool saved_aggregates = std::exchange(home->allow_aggregates, false);
  bool saved_windows = std::exchange(home->allow_windows, false);
  aggregate->args = arena->make_array<BoundExpr*>(call.arguments.size());
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    GW_ASSIGN(aggregate->args[i], bind_scalar(*call.arguments[i]));
  }
  if (aggregate->function->has(function_flag::kReadsSubtype)) drop_subtypes(aggregate->args);
  if (call.filter != nullptr) {
    GW_ASSIGN(aggregate->filter, bind_scalar(*call.filter));
  }
  // Without arguments an order means nothing: it is not even looked at.
  size_t terms = call.arguments.empty() ? 0 : call.order_by.size();
  aggregate->order_by = arena->make_array<OrderTerm>(terms);
  for (size_t i = 0; i < terms; ++i) {
    OrderTerm& term = aggregate->order_by[i];
    GW_ASSIGN(term.expr, bind_scalar(*call.order_by[i].expr));
    GW_ASSIGN(term.collation, operand_collation(term.expr));
    set_direction(call.order_by[i], &term);
  }
  home->allow_aggregates = saved_aggregates;
  home->allow_windows = saved_windows;
  aggregate->distinct = call.distinct;
  if (call.distinct && aggregate->args.size() != 1) {
    return fail("DISTINCT aggregates must have exactly one argument");
  }
  std::string_view name = call.name.text;
  aggregate->is_count_star = aggregate->args.empty() && same_name(name, "count");
  aggregate->is_min = aggregate->args.size() == 1 && same_name(name, "min");
  aggregate->is_max = aggregate->args.size() == 1 && same_name(name, "max");
  aggregate->collation = binary();
  if (!aggregate->args.empty() && aggregate->args[0]->collation != nullptr) {
    aggregate->collation = aggregate->args[0]->collation;
  }
  if (aggregate->distinct || aggregate->is_min || aggregate->is_max) {
    GW_TRY(usable(aggregate->collation));
  }
  return Status();
}

void BinderState::finish_aggregation(Scope* target, BoundCore* core,
                                     std::span<OrderTerm> order_by) {
  core->is_aggregate = true;
  core->aggregate_output = target->aggregate_output;
  core->aggregates = arena->copy_array<BoundAggregate*>(target->aggregates);
  AggregateRewriter rewriter(this, target, core);
  for (ResultColumn& result : core->results) rewriter.rewrite(result.expr);
  if (core->having != nullptr) rewriter.rewrite(core->having);
  for (OrderTerm& term : order_by) rewriter.rewrite(term.expr);
  for (BoundWindow* window : core->windows) {
    for_each_expr(*window, [&](BoundExpr* expr) { rewriter.rewrite(expr); });
  }
  core->bare_columns = rewriter.bare_columns();
}

}  // namespace godwit
