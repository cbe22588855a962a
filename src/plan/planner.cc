// Planning of whole queries: compounds, recursion, LIMIT, and the queries nested in expressions.
#include "plan/planner.h"

#include <algorithm>

#include "plan/compound_plan.h"
#include "plan/core_plan.h"
#include "plan/expr_tree.h"
#include "plan/layout.h"

namespace godwit {
namespace {

template <typename Node>
Node* make_node(PlanContext& context, PlanKind kind) {
  Node* node = context.arena->make<Node>();
  node->kind = kind;
  return node;
}

// ORDER BY terms of a query over the columns of `output`.
std::span<OrderTerm> order_over(const BoundQuery& query, std::span<const ColumnRef> output,
                                PlanContext& context) {
  std::span<OrderTerm> order = context.arena->copy_array<OrderTerm>(query.order_by);
  for (OrderTerm& term : order) term.expr = make_column(context.arena, output[term.output_column]);
  return order;
}

PlanNode* add_sort(PlanNode* child, std::span<OrderTerm> terms, const BoundQuery& query,
                   PlanContext& context) {
  SortNode* sort = make_node<SortNode>(context, PlanKind::kSort);
  sort->child = child;
  sort->output = child->output;
  sort->terms = terms;
  sort->limit = query.limit;
  sort->offset = query.offset;
  sort->rows = child->rows;
  return sort;
}

PlanNode* add_limit(PlanNode* child, const BoundQuery& query, PlanContext& context) {
  if (query.limit == nullptr && query.offset == nullptr) return child;
  LimitNode* node = make_node<LimitNode>(context, PlanKind::kLimit);
  node->child = child;
  node->output = child->output;
  node->limit = query.limit;
  node->offset = query.offset;
  node->rows = child->rows;
  return node;
}

Result<PlanNode*> plan_recursive(BoundQuery& query, PlanContext& context) {
  RecursiveNode* node = make_node<RecursiveNode>(context, PlanKind::kRecursive);
  node->query = &query;
  GW_ASSIGN(node->initial, plan_arms(query, query.initial_cores, {}, false, context));
  size_t step_count = query.cores.size() - query.initial_cores;
  node->steps = context.arena->make_array<PlanNode*>(step_count);
  for (size_t i = 0; i < step_count; ++i) {
    GW_ASSIGN(node->steps[i], 
              plan_arm(query, *query.cores[query.initial_cores + i], {}, false, context));
    node->distinct |= query.operators[query.initial_cores + i - 1] == SetOp::kUnion;
  }
  node->output = query_columns(query, query.column_count, context);
  node->order = order_over(query, node->output, context);
  node->rows = 100;
  return add_limit(node, query, context);
}

Result<PlanNode*> plan_compound(BoundQuery& query, PlanContext& context) {
  bool drops_rows = std::ranges::any_of(query.operators, [](SetOp op) { return op != SetOp::kUnionAll; });
  bool names_collation = std::ranges::any_of(
      query.order_by, [](const OrderTerm& term) { return term.expr->collation_is_explicit; });
  // Which rows are equal must not depend on a COLLATE in ORDER BY.
  bool sorts_last = drops_rows && names_collation;
  std::span<const OrderTerm> order = query.order_by;
  if (sorts_last) order = {};
  GW_ASSIGN(PlanNode * root, plan_arms(query, query.cores.size(), order, true, context));
  // Whoever uses the query sees it under its own name.
  root->output = query_columns(query, query.column_count, context);
  if (sorts_last) root = add_sort(root, order_over(query, root->output, context), query, context);
  return add_limit(root, query, context);
}

}  // namespace

std::span<ColumnRef> query_columns(const BoundQuery& query, uint32_t count, PlanContext& context) {
  std::span<ColumnRef> columns = context.arena->make_array<ColumnRef>(count);
  for (uint32_t i = 0; i < count; ++i) columns[i] = {query.output, static_cast<int32_t>(i)};
  return columns;
}

Status plan_tree(BoundQuery* query, PlanContext& context) {
  if (query->plan != nullptr) return Status();
  GW_TRY(plan_expression(query->limit, context));
  GW_TRY(plan_expression(query->offset, context));
  PlanNode* root = nullptr;
  if (query->is_recursive) {
    GW_ASSIGN(root, plan_recursive(*query, context));
  } else if (query->cores.size() > 1) {
    GW_ASSIGN(root, plan_compound(*query, context));
  } else {
    GW_ASSIGN(root, plan_single(*query, context));
    root = add_limit(root, *query, context);
  }
  QueryPlan* plan = context.arena->make<QueryPlan>();
  plan->root = root;
  plan->query = query;
  plan->correlations = query->correlations;
  query->plan = plan;
  return Status();
}

Result<const QueryPlan*> plan_query(BoundQuery* query, PlanContext& context) {
  if (query->plan != nullptr) return query->plan;
  GW_TRY(plan_tree(query, context));
  QueryPlan* plan = const_cast<QueryPlan*>(query->plan);
  std::span<ColumnRef> columns = query_columns(*query, query->column_count, context);
  plan->root = lay_out(plan->root, columns, context);
  plan->root->is_laid_out = true;
  return plan;
}

namespace {

// Only whether there is a row counts, so that nothing that is only a result is computed.
Status plan_exists(BoundQuery* query, PlanContext& context) {
  if (query->plan != nullptr) return Status();
  if (std::ranges::all_of(query->operators, [](SetOp op) { return op == SetOp::kUnionAll; })) {
    query->order_by = {};
  }
  bool is_cut = query->limit != nullptr || query->offset != nullptr;
  if (query->cores.size() == 1 && !is_cut) query->cores[0]->distinct = false;
  GW_TRY(plan_tree(query, context));
  QueryPlan* plan = const_cast<QueryPlan*>(query->plan);
  plan->root = lay_out(plan->root, {}, context);
  plan->root->is_laid_out = true;
  return Status();
}

}  // namespace

Status plan_expression(BoundExpr* expr, PlanContext& context) {
  if (expr == nullptr || !expr->has_subquery) return Status();
  if (expr->query != nullptr) {
    const int16_t runs = context.runs;
    if (expr->query->correlations.empty()) context.runs = 0;
    bool is_exists = expr->kind == ExprKind::kExists;
    Status status = is_exists ? plan_exists(expr->query, context)
                              : plan_query(expr->query, context).status();
    context.runs = runs;
    GW_TRY(std::move(status));
  }
  for (BoundExpr* arg : expr->args) GW_TRY(plan_expression(arg, context));
  return Status();
}

}  // namespace godwit
