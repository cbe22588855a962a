// ORDER BY and GROUP BY: a term is the number of a result column, an alias, or an expression.
#include "plan/binder_state.h"
#include "plan/depth_guard.h"

namespace godwit {

namespace {

const ast::Expr& without_collate(const ast::Expr& expr) {
  const ast::Expr* inner = &expr;
  while (inner->kind == ast::ExprKind::kCollate) inner = inner->as<ast::CollateExpr>()->operand;
  return *inner;
}

// An integer literal, perhaps with signs before it. Numbers past any column count are not told apart.
bool is_integer(const ast::Expr& expr, int64_t* value) {
  if (const auto* unary = expr.try_as<ast::UnaryExpr>()) {
    bool is_sign = unary->op == ast::UnaryOp::kMinus || unary->op == ast::UnaryOp::kPlus;
    if (!is_sign || !is_integer(*unary->operand, value)) return false;
    if (unary->op == ast::UnaryOp::kMinus) *value = -*value;
    return true;
  }
  const auto* literal = expr.try_as<ast::LiteralExpr>();
  if (literal == nullptr || literal->literal != ast::LiteralKind::kInteger) return false;
  *value = 0;
  for (char c : literal->text) {
    if (c < '0' || c > '9') return false;
    *value = *value * 10 + (c - '0');
    if (*value > INT32_MAX) return false;
  }
  return true;
}

// A result column by the name that AS or a star gave it; -1: none.
int32_t find_alias(const Scope& scope, const ast::Expr& expr) {
  const auto* name = expr.try_as<ast::ColumnExpr>();
  if (name == nullptr || name->table) return -1;
  for (size_t i = 0; i < scope.results.size(); ++i) {
    const ResultItem& item = scope.results[i];
    std::string_view alias = item.ast == nullptr ? item.star_name : item.alias;
    if (alias.data() != nullptr && same_name(alias, name->column.text)) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

int32_t find_result(const Scope& scope, const BoundExpr* expr) {
  for (size_t i = 0; i < scope.results.size(); ++i) {
    if (same_tree(scope.results[i].expr, expr)) return static_cast<int32_t>(i);
  }
  return -1;
}

std::string out_of_range(size_t number, std::string_view clause, size_t columns) {
  return concat(ordinal(number), " ", clause, " BY term out of range - should be between 1 and ",
                std::to_string(columns));
}

}  // namespace

void BinderState::set_direction(const ast::OrderTerm& term, OrderTerm* bound) {
  bound->descending = term.descending;
  bound->nulls_first = term.nulls == ast::NullsOrder::kDefault
                           ? !term.descending
                           : term.nulls == ast::NullsOrder::kFirst;
}

Result<std::span<OrderTerm>> BinderState::bind_simple_order(std::span<ast::OrderTerm> terms,
                                                            Scope* target) {
  target->phase = ScopePhase::kOrderBy;
  if (terms.size() > context.limits.columns) return fail("too many terms in ORDER BY clause");
  std::span<OrderTerm> bound = arena->make_array<OrderTerm>(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    GW_ASSIGN(bound[i], bind_order_term(terms[i], i + 1, target));
  }
  return bound;
}

Result<OrderTerm> BinderState::bind_order_term(const ast::OrderTerm& term, size_t number,
                                               Scope* target) {
  OrderTerm bound;
  set_direction(term, &bound);
  const ast::Expr& inner = without_collate(*term.expr);
  bound.output_column = find_alias(*target, inner);
  int64_t position = 0;
  if (bound.output_column < 0 && is_integer(inner, &position)) {
    if (position < 1 || position > static_cast<int64_t>(target->results.size())) {
      return fail(out_of_range(number, "ORDER", target->results.size()));
    }
    bound.output_column = static_cast<int32_t>(position - 1);
  }
  if (bound.output_column < 0) {
    DepthGuard depth(this, term.expr->height);
    GW_TRY(depth.check());
    GW_ASSIGN(bound.expr, bind_scalar(*term.expr));
    bound.output_column = find_result(*target, bound.expr);
  } else if (&inner != term.expr) {
    const ast::CollateExpr& collate = *term.expr->as<ast::CollateExpr>();
    GW_ASSIGN(bound.collation, usable(find_collation(collate.collation.text)));
  }
  if (bound.output_column >= 0) bound.expr = target->results[bound.output_column].expr;
  if (bound.collation == nullptr) {
    GW_ASSIGN(bound.collation, operand_collation(bound.expr));
  }
  return bound;
}

// Keys are trees of their own, because results are rewritten behind the aggregation.
Status BinderState::bind_group_by(std::span<ast::Expr*> terms, BoundCore* core, Scope* target) {
  target->phase = ScopePhase::kGroupBy;
  if (terms.size() > context.limits.columns) return fail("too many terms in GROUP BY clause");
  core->group_by = arena->make_array<BoundExpr*>(terms.size());
  core->group_collations = arena->make_array<const Collation*>(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    const ast::Expr& inner = without_collate(*terms[i]);
    int64_t position = 0;
    BoundExpr* key = nullptr;
    if (is_integer(inner, &position)) {
      if (position < 1 || position > static_cast<int64_t>(target->results.size())) {
        return fail(out_of_range(i + 1, "GROUP", target->results.size()));
      }
      GW_ASSIGN(key, bind_result_again(target->results[position - 1], target));
      if (&inner != terms[i]) {
        key->collation = find_collation(terms[i]->as<ast::CollateExpr>()->collation.text);
        key->collation_is_explicit = true;
      }
    } else {
      DepthGuard depth(this, terms[i]->height);
      GW_TRY(depth.check());
      GW_ASSIGN(key, bind_scalar(*terms[i]));
    }
    core->group_by[i] = key;
    GW_ASSIGN(core->group_collations[i], operand_collation(key));
  }
  return Status();
}

Result<BoundExpr*> BinderState::bind_result_again(const ResultItem& item, Scope* target) {
  if (item.ast == nullptr) return clone(item.expr);
  target->aliases_visible = false;
  Result<BoundExpr*> bound = bind_scalar(*item.ast);
  target->aliases_visible = true;
  return bound;
}

Status BinderState::bind_compound_order(const ast::Select& select, BoundQuery* query,
                                        std::span<Scope*> scopes) {
  std::span<OrderTerm> terms = arena->make_array<OrderTerm>(select.order_by.size());
  if (terms.size() > context.limits.columns) return fail("too many terms in ORDER BY clause");
  for (size_t i = 0; i < terms.size(); ++i) {
    const ast::OrderTerm& term = select.order_by[i];
    const ast::Expr& inner = without_collate(*term.expr);
    int64_t position = 0;
    if (!is_integer(inner, &position)) {
      position = match_compound_term(inner, scopes) + 1;
      if (position == 0) {
        return fail(concat(ordinal(i + 1),
                           " ORDER BY term does not match any column in the result set"));
      }
    } else if (position < 1 || position > query->column_count) {
      return fail(out_of_range(i + 1, "ORDER", query->column_count));
    }
    size_t column = static_cast<size_t>(position - 1);
    set_direction(term, &terms[i]);
    terms[i].output_column = static_cast<int32_t>(column);
    terms[i].collation = query->column_collations[column];
    if (&inner != term.expr) {
      const ast::CollateExpr& collate = *term.expr->as<ast::CollateExpr>();
      GW_ASSIGN(terms[i].collation, usable(find_collation(collate.collation.text)));
    }
    terms[i].expr = make(ExprKind::kColumn);
    terms[i].expr->column = {query->output, terms[i].output_column};
    terms[i].expr->affinity = query->column_affinities[column];
    terms[i].expr->collation = terms[i].collation;
    terms[i].expr->collation_is_explicit = &inner != term.expr;
  }
  query->order_by = terms;
  return Status();
}

// The first core, from the left, that has the term as an alias or a result; -1: none.
int32_t BinderState::match_compound_term(const ast::Expr& term,
                                         std::span<Scope*> scopes) {
  // A term that does not bind here is not an error yet; whatever it left half done is undone.
  Scope* saved = scope;
  WithFrame* saved_with = with;
  TextOrigin saved_origin = origin;
  uint32_t saved_depth = query_depth;
  size_t saved_views = views_in_progress.size();
  int32_t saved_offset = error_offset;
  int32_t column = -1;
  for (size_t i = 0; i < scopes.size() && column < 0; ++i) {
    column = find_alias(*scopes[i], term);
    if (column >= 0) break;
    scope = scopes[i];
    scope->phase = ScopePhase::kOrderBy;
    scope->allow_aggregates = true;
    Result<BoundExpr*> bound = bind(term);
    if (bound.ok()) column = find_result(*scopes[i], *bound);
    with = saved_with;
    origin = saved_origin;
    query_depth = saved_depth;
    views_in_progress.resize(saved_views);
  }
  scope = saved;
  error_offset = saved_offset;
  return column;
}

}  // namespace godwit
