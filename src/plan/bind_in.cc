// IN: over a list, a subquery, a table, and with row values on the left.
#include "plan/binder_state.h"

namespace godwit {

Result<BoundExpr*> BinderState::bind_in(const ast::InExpr& in) {
  if (in.source == ast::InSource::kList && in.list.empty()) {
    // Nothing is in an empty list, not even NULL; the left side does not matter, and is not looked at.
    return make_constant(ValueView::boolean(in.negated));
  }
  GW_ASSIGN(BoundExpr * left, bind(*in.operand));
  const auto* subquery = in.source == ast::InSource::kList && in.list.size() == 1
                             ? in.list[0]->try_as<ast::SubqueryExpr>()
                             : nullptr;
  if (in.source == ast::InSource::kList && subquery == nullptr) {
    return row_size(left) == 1 ? bind_in_list(in, left) : bind_in_rows(in, left);
  }
  GW_TRY(refuse_in_schema(in, "subqueries"));
  BoundQuery* query = nullptr;
  // IN ((SELECT ...)) is IN (SELECT ...): all rows count, not the first one.
  if (in.source == ast::InSource::kSelect || subquery != nullptr) {
    bool reads_outer = false;
    const ast::Select& select = subquery != nullptr ? *subquery->select : *in.select;
    GW_ASSIGN(query, bind_query(select, scope, &reads_outer));
  } else {
    GW_ASSIGN(query, bind_in_table(in));
  }
  return make_in_query(left, query, in.negated);
}

// The left side alone decides on affinity and collation. A list of one constant is a comparison,
// in which a COLLATE on the right counts too.
Result<BoundExpr*> BinderState::bind_in_list(const ast::InExpr& in, BoundExpr* left) {
  std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(in.list.size() + 1);
  args[0] = left;
  for (size_t i = 0; i < in.list.size(); ++i) {
    GW_ASSIGN(args[i + 1], bind_scalar(*in.list[i]));
  }
  if (in.list.size() == 1 && (args[1]->is_constant || args[1]->kind == ExprKind::kParameter)) {
    BoundExpr* value = args[1];
    if (value->affinity != Affinity::kNone) {
      value = make(ExprKind::kUnary, {value});
      value->unary = UnaryOp::kPlus;
    }
    return make_comparison(in.negated ? CompareOp::kNe : CompareOp::kEq, left, value);
  }
  BoundExpr* expr = make_with_args(ExprKind::kInList, args);
  expr->negated = in.negated;
  expr->compare_affinity = as_comparison_affinity(left->affinity);
  GW_ASSIGN(expr->compare_collation, operand_collation(left));
  return expr;
}

// (a, b) IN ((1, 2), (3, 4)) is (a, b) IN (VALUES (1, 2), (3, 4)).
Result<BoundExpr*> BinderState::bind_in_rows(const ast::InExpr& in, BoundExpr* left) {
  uint32_t columns = row_size(left);
  std::span<std::span<BoundExpr*>> rows = arena->make_array<std::span<BoundExpr*>>(in.list.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    GW_ASSIGN(BoundExpr * row, bind(*in.list[i]));
    uint32_t size = row_size(row);
    if (left->kind != ExprKind::kRow) return fail("row value misused");
    if (row->kind != ExprKind::kRow || size != columns) {
      return fail(concat("IN(...) element has ", std::to_string(size), size == 1 ? " term" : " terms",
                         " - expected ", std::to_string(columns)));
    }
    rows[i] = row->args;
  }
  GW_ASSIGN(BoundQuery * query, make_values_query(rows, columns));
  return make_in_query(left, query, in.negated);
}

Result<BoundQuery*> BinderState::bind_in_table(const ast::InExpr& in) {
  ast::FromItem* item = arena->make<ast::FromItem>();
  item->kind = in.is_table_function ? ast::FromKind::kTableFunction : ast::FromKind::kTable;
  item->schema = in.schema;
  item->table = in.table;
  item->arguments = in.list;
  ast::ResultColumn* star = arena->make<ast::ResultColumn>();
  star->kind = ast::ResultColumnKind::kStar;
  ast::SelectCore* core = arena->make<ast::SelectCore>();
  core->columns = {star, 1};
  core->from = {item, 1};
  ast::Select select;
  select.cores = {&core, 1};
  bool reads_outer = false;
  return bind_query(select, scope, &reads_outer);
}

Result<BoundExpr*> BinderState::make_in_query(BoundExpr* left, BoundQuery* query, bool negated) {
  uint32_t columns = row_size(left);
  if (query->column_count != columns) {
    return fail(concat("sub-select returns ", std::to_string(query->column_count),
                       " columns - expected ", std::to_string(columns)));
  }
  BoundExpr* expr = make(ExprKind::kInQuery);
  expr->query = query;
  expr->negated = negated;
  if (left->kind == ExprKind::kRow) {
    expr->args = left->args;
  } else {
    expr->args = arena->make_array<BoundExpr*>(1);
    expr->args[0] = left;
  }
  expr->row_columns = columns;
  finish(expr);
  expr->collations = arena->make_array<const Collation*>(columns);
  expr->affinities = arena->make_array<Affinity>(columns);
  for (uint32_t i = 0; i < columns; ++i) {
    const BoundExpr* member = query->cores.back()->results[i].expr;
    const BoundExpr* part = row_part(left, i);
    expr->affinities[i] = comparison_affinity(member->affinity, part->affinity);
    // Unlike a comparison the column's REAL affinity alone makes reals of integers.
    if (member->affinity == Affinity::kReal && part->affinity == Affinity::kNone) {
      if (expr->args.data() == left->args.data()) {
        expr->args = arena->copy_array<BoundExpr*>(left->args);
      }
      expr->args[i] = make(ExprKind::kUnary, {expr->args[i]});
      expr->args[i]->unary = UnaryOp::kAsReal;
    }
    GW_ASSIGN(expr->collations[i], comparison_collation(part, member));
  }
  expr->compare_affinity = expr->affinities[0];
  expr->compare_collation = expr->collations[0];
  return expr;
}

}  // namespace godwit
