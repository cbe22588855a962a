#include "plan/core_plan.h"

#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/layout.h"

namespace godwit {
namespace {

template <typename Node>
Node* add_node(PlanContext& context, PlanKind kind, PlanNode* child) {
  Node* node = context.arena->make<Node>();
  node->kind = kind;
  node->child = child;
  if (child != nullptr) {
    node->output = child->output;
    node->rows = child->rows;
  }
  return node;
}

// Plans the queries in FROM and in the expressions of `core`.
Status plan_nested(BoundCore& core, std::span<OrderTerm> order_by, PlanContext& context) {
  for (BoundSource* source : core.sources) {
    if (source->kind != BoundSource::Kind::kQuery) continue;
    BoundQuery* query = source->query;
    if (query->reference_count > 1) {
      GW_TRY(plan_query(query, context));
    } else {
      query->output = source->id;
      GW_TRY(plan_tree(query, context));
    }
  }
  Status status;
  for_each_slot(core, [&](BoundExpr*& slot) {
    if (status.ok()) status = plan_expression(slot, context);
  });
  GW_TRY(std::move(status));
  for (OrderTerm& term : order_by) GW_TRY(plan_expression(term.expr, context));
  return Status();
}

// FROM, WHERE, GROUP BY and HAVING: the rows from which results are computed.
Result<PlanNode*> plan_rows(BoundCore& core, PlanContext& context) {
  if (core.sources.size() > kSourcesMax) return Status::error("at most 64 tables in a join");
  if (!core.windows.empty()) return Status::not_implemented("window functions");
  FromClause from(&context, &core);
  split_conditions(&from);
  GW_ASSIGN(PlanNode * node, plan_from(&from));
  if (!core.is_aggregate) return node;
  AggregateNode* aggregate = add_node<AggregateNode>(context, PlanKind::kAggregate, node);
  aggregate->core = &core;
  aggregate->method = core.has_group_by ? AggregateMethod::kHash : AggregateMethod::kSingle;
  aggregate->rows = core.has_group_by ? node->rows / 10 + 1 : 1;
  if (core.having == nullptr) return aggregate;
  FilterNode* filter = add_node<FilterNode>(context, PlanKind::kFilter, aggregate);
  filter->condition = core.having;
  return filter;
}

PlanNode* plan_values(BoundCore& core, SourceId output, PlanContext& context) {
  ValuesNode* node = add_node<ValuesNode>(context, PlanKind::kValues, nullptr);
  node->rows_exprs = core.values;
  node->rows = static_cast<double>(core.values.size());
  size_t width = core.values.empty() ? 0 : core.values[0].size();
  node->output = context.arena->make_array<ColumnRef>(width);
  for (size_t i = 0; i < width; ++i) node->output[i] = {output, static_cast<int32_t>(i)};
  return node;
}

// Result columns, then `hidden` ones, as (output, i).
ProjectNode* add_project(BoundCore& core, std::span<BoundExpr* const> hidden, SourceId output,
                         PlanNode* child, PlanContext& context) {
  ProjectNode* project = add_node<ProjectNode>(context, PlanKind::kProject, child);
  size_t width = core.results.size() + hidden.size();
  project->exprs = context.arena->make_array<BoundExpr*>(width);
  project->output = context.arena->make_array<ColumnRef>(width);
  for (size_t i = 0; i < width; ++i) {
    bool is_result = i < core.results.size();
    project->exprs[i] = is_result ? core.results[i].expr : hidden[i - core.results.size()];
    project->output[i] = {output, static_cast<int32_t>(i)};
  }
  return project;
}

PlanNode* add_distinct(const BoundQuery& query, PlanNode* child, PlanContext& context) {
  DistinctNode* node = add_node<DistinctNode>(context, PlanKind::kDistinct, child);
  node->columns = query.column_count;
  node->collations = query.column_collations;
  return node;
}

// The column of the projection that holds a sort key: a result column if one is the same
// expression, else a hidden one.
int32_t find_or_add_key(const BoundCore& core, const OrderTerm& term,
                        ArenaVector<BoundExpr*>* hidden) {
  if (term.output_column >= 0) return term.output_column;
  for (size_t i = 0; i < core.results.size(); ++i) {
    if (same_expr(*core.results[i].expr, *term.expr)) return static_cast<int32_t>(i);
  }
  hidden->push_back(term.expr);
  return static_cast<int32_t>(core.results.size() + hidden->size() - 1);
}

// The terms that matter, each over its column of the projection.
std::span<OrderTerm> sort_terms(const BoundQuery& query, const BoundCore& core,
                                ArenaVector<BoundExpr*>* hidden, PlanContext& context) {
  ArenaVector<OrderTerm> terms(context.arena);
  bool one_row = core.is_aggregate && !core.has_group_by;
  for (const OrderTerm& order : query.order_by) {
    if (one_row || order.expr->is_constant) continue;
    OrderTerm term = order;
    term.output_column = find_or_add_key(core, order, hidden);
    term.expr = make_column(context.arena, {query.output, term.output_column});
    terms.push_back(term);
  }
  return terms.span();
}

}  // namespace

Result<PlanNode*> plan_arm(BoundQuery& query, BoundCore& core, PlanContext& context) {
  GW_TRY(plan_nested(core, {}, context));
  if (core.kind == BoundCore::Kind::kValues) return plan_values(core, core.output, context);
  GW_ASSIGN(PlanNode * rows, plan_rows(core, context));
  PlanNode* node = add_project(core, {}, core.output, rows, context);
  if (core.distinct) node = add_distinct(query, node, context);
  return node;
}

Result<PlanNode*> plan_single(BoundQuery& query, PlanContext& context) {
  BoundCore& core = *query.cores[0];
  GW_TRY(plan_nested(core, query.order_by, context));
  ArenaVector<BoundExpr*> hidden(context.arena);
  std::span<OrderTerm> terms = sort_terms(query, core, &hidden, context);
  PlanNode* node = nullptr;
  if (core.kind == BoundCore::Kind::kValues) {
    node = plan_values(core, query.output, context);
  } else {
    GW_ASSIGN(PlanNode * rows, plan_rows(core, context));
    node = add_project(core, hidden.span(), query.output, rows, context);
  }
  if (core.distinct) node = add_distinct(query, node, context);
  if (!terms.empty()) {
    SortNode* sort = add_node<SortNode>(context, PlanKind::kSort, node);
    sort->terms = terms;
    sort->limit = query.limit;
    sort->offset = query.offset;
    node = sort;
  }
  return node;
}

}  // namespace godwit
