// Planning of whole queries: compounds, recursion, LIMIT, and the queries nested in expressions.
#include "plan/planner.h"

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

// ORDER BY terms of a compound query, over the columns of `output`. With `all_columns` the columns
// that are not named follow, as SQLite's merge needs them.
std::span<OrderTerm> compound_order(const BoundQuery& query, std::span<const ColumnRef> output,
                                    bool all_columns, PlanContext& context) {
  ArenaVector<OrderTerm> order(context.arena);
  ArenaVector<bool> seen(context.arena);
  seen.resize(query.column_count);
  auto add = [&](OrderTerm term) {
    term.expr = make_column(context.arena, output[term.output_column]);
    seen[term.output_column] = true;
    order.push_back(term);
  };
  for (const OrderTerm& term : query.order_by) add(term);
  if (all_columns) {
    for (uint32_t i = 0; i < query.column_count; ++i) {
      if (seen[i]) continue;
      OrderTerm term;
      term.collation = query.column_collations[i];
      term.output_column = static_cast<int32_t>(i);
      add(term);
    }
  }
  return order.span();
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

// Joins the arms [begin, end) of a compound query from left to right.
Result<PlanNode*> plan_arms(BoundQuery& query, size_t begin, size_t end, PlanContext& context) {
  GW_ASSIGN(PlanNode * left, plan_arm(query, *query.cores[begin], context));
  for (size_t i = begin + 1; i < end; ++i) {
    SetOp operation = query.operators[i - 1];
    GW_ASSIGN(PlanNode * right, plan_arm(query, *query.cores[i], context));
    bool append = operation == SetOp::kUnionAll && left->kind == PlanKind::kUnionAll;
    SetNode* node = append ? static_cast<SetNode*>(left) : context.arena->make<SetNode>();
    ArenaVector<PlanNode*> children(context.arena);
    if (append) {
      children.append(node->children);
    } else {
      bool is_union_all = operation == SetOp::kUnionAll;
      node->kind = is_union_all ? PlanKind::kUnionAll : PlanKind::kSetOperation;
      node->operation = operation;
      node->collations = query.column_collations;
      SourceId id = context.next_source++;
      node->output = context.arena->make_array<ColumnRef>(query.column_count);
      for (uint32_t c = 0; c < query.column_count; ++c) {
        node->output[c] = {id, static_cast<int32_t>(c)};
      }
      if (!is_union_all) node->order = compound_order(query, node->output, true, context);
      children.push_back(left);
    }
    children.push_back(right);
    node->children = children.span();
    node->rows = left->rows + right->rows;
    left = node;
  }
  return left;
}

Result<PlanNode*> plan_recursive(BoundQuery& query, PlanContext& context) {
  RecursiveNode* node = make_node<RecursiveNode>(context, PlanKind::kRecursive);
  node->query = &query;
  GW_ASSIGN(node->initial, plan_arms(query, 0, query.initial_cores, context));
  size_t step_count = query.cores.size() - query.initial_cores;
  node->steps = context.arena->make_array<PlanNode*>(step_count);
  for (size_t i = 0; i < step_count; ++i) {
    GW_ASSIGN(node->steps[i], plan_arm(query, *query.cores[query.initial_cores + i], context));
    node->distinct |= query.operators[query.initial_cores + i - 1] == SetOp::kUnion;
  }
  node->output = query_columns(query, query.column_count, context);
  node->order = compound_order(query, node->output, false, context);
  node->rows = 100;
  return add_limit(node, query, context);
}

Result<PlanNode*> plan_compound(BoundQuery& query, PlanContext& context) {
  GW_ASSIGN(PlanNode * root, plan_arms(query, 0, query.cores.size(), context));
  // Whoever uses the query sees it under its own name.
  root->output = query_columns(query, query.column_count, context);
  if (root->kind == PlanKind::kSetOperation) {
    static_cast<SetNode*>(root)->order = compound_order(query, root->output, true, context);
  } else if (!query.order_by.empty()) {
    root = add_sort(root, compound_order(query, root->output, false, context), query, context);
  }
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

Status plan_expression(BoundExpr* expr, PlanContext& context) {
  if (expr == nullptr || !expr->has_subquery) return Status();
  if (expr->query != nullptr) {
    const int16_t runs = context.runs;
    if (expr->query->correlations.empty()) context.runs = 0;
    Status status = plan_query(expr->query, context).status();
    context.runs = runs;
    GW_TRY(std::move(status));
  }
  for (BoundExpr* arg : expr->args) GW_TRY(plan_expression(arg, context));
  return Status();
}

}  // namespace godwit
