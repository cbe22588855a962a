#include "plan/core_plan.h"

#include <algorithm>

#include "plan/bound_window.h"
#include "plan/constraint.h"
#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/index_match.h"
#include "plan/layout.h"
#include "plan/rewrite.h"

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

// Plans the queries in FROM.
Status plan_sources(BoundCore& core, PlanContext& context) {
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
  return Status();
}

// Plans the queries in expressions. Those that are correlated run for each of `rows`.
Status plan_expressions(BoundCore& core, std::span<OrderTerm> order_by, LogEst rows,
                        PlanContext& context) {
  const LogEst runs = context.runs;
  context.runs = static_cast<LogEst>(std::min(1000, runs + rows));
  Status status;
  for_each_slot(core, [&](BoundExpr*& slot) {
    if (status.ok()) status = plan_expression(slot, context);
  });
  for (OrderTerm& term : order_by) {
    if (status.ok()) status = plan_expression(term.expr, context);
  }
  context.runs = runs;
  return status;
}

// The rows from which results are computed.
struct CoreRows {
  PlanNode* node = nullptr;
  size_t ordered_terms = 0;  // leading ORDER BY terms that hold already
  LogEst most_rows = 0;      // that some step looks at
  bool are_distinct = false;        // no two rows of results are equal
  bool equal_are_adjacent = false;  // rows with equal results come one after the other
};

LogEst estimate_limit(const BoundQuery& query) {
  bool known = query.limit != nullptr && query.limit->kind == ExprKind::kConstant &&
               query.limit->constant.is_integer() && query.limit->constant.integer >= 0;
  return known ? log_est(static_cast<uint64_t>(query.limit->constant.integer)) : LogEst{200};
}

// min(x) or max(x) alone, which an index on x answers with its first row.
bool is_lone_min_max(const BoundCore& core) {
  if (!core.is_aggregate || core.has_group_by || core.aggregates.size() != 1) return false;
  const BoundAggregate& aggregate = *core.aggregates[0];
  return (aggregate.is_min || aggregate.is_max) && aggregate.args.size() == 1 &&
         aggregate.filter == nullptr;
}

OrderTerm make_order_term(BoundExpr* expr, const Collation* collation, bool descending) {
  OrderTerm term;
  term.expr = expr;
  term.collation = collation;
  term.descending = descending;
  term.nulls_first = !descending;
  return term;
}

// ORDER BY names exactly the group keys, from first to last.
bool orders_by_groups(const BoundCore& core, std::span<const OrderTerm> order_by) {
  if (order_by.size() != core.group_by.size()) return false;
  for (size_t i = 0; i < order_by.size(); ++i) {
    const BoundExpr& e = *order_by[i].expr;
    ColumnRef key{core.aggregate_output, static_cast<int32_t>(i)};
    if (e.kind != ExprKind::kColumn || !(e.column == key)) return false;
    if (!same_collation(order_by[i].collation, core.group_collations[i])) return false;
    if (order_by[i].nulls_first == order_by[i].descending) return false;
  }
  return true;
}

// DISTINCT in an arm of a compound query compares by that arm's own columns.
std::span<const Collation*> distinct_collations(const BoundQuery& query, const BoundCore& core,
                                                PlanContext& context) {
  if (query.cores.size() == 1) return query.column_collations;
  auto collations = context.arena->make_array<const Collation*>(core.results.size());
  for (size_t i = 0; i < collations.size(); ++i) {
    const Collation* own = core.results[i].expr->collation;
    collations[i] = own != nullptr ? own : binary_collation();
  }
  return collations;
}

// Groups are sorted in the directions of ORDER BY if that has as many terms, even if they are others;
// it shows where ORDER BY leaves ties.
bool group_descends(const BoundCore& core, std::span<const OrderTerm> order_by, size_t key) {
  return order_by.size() == core.group_by.size() && order_by[key].descending;
}

bool has_result(const BoundQuery& query, const BoundCore& core, SourceId source, int32_t column,
                const Collation* collation) {
  for (size_t i = 0; i < core.results.size(); ++i) {
    const BoundExpr& e = *core.results[i].expr;
    if (e.kind != ExprKind::kColumn || e.column.source != source) continue;
    const Table& table = *core.sources[0]->table;
    bool is_rowid = has_rowid_column(table, e.column.column);
    if (column == ColumnRef::kRowid ? is_rowid : e.column.column == column) {
      if (is_rowid || query.cores.size() == 1) {
        return is_rowid || same_collation(query.column_collations[i], collation);
      }
      return same_collation(e.collation, collation);
    }
  }
  return false;
}

// The results hold a key of the only table: its rowid, or all columns of a unique index that cannot
// be NULL.
bool results_are_distinct(const BoundQuery& query, const BoundCore& core) {
  if (core.sources.size() != 1 || core.sources[0]->kind != BoundSource::Kind::kTable) return false;
  const BoundSource& source = *core.sources[0];
  const Table& table = *source.table;
  if (table.kind != TableKind::kTable) return false;
  if (table.has_rowid() && has_result(query, core, source.id, ColumnRef::kRowid, nullptr)) return true;
  auto is_key = [&](const Index* index) {
    if (index == nullptr || !index->unique || index->where != nullptr) return false;
    for (size_t i = 0; i < index->declared_columns; ++i) {
      const IndexColumn& key = index->columns[i];
      if (key.column < 0 || !table.columns[key.column].not_null) return false;
      if (!has_result(query, core, source.id, key.column, key.collation)) return false;
    }
    return true;
  };
  return std::ranges::any_of(table.indexes, is_key);
}

// The order in which a window takes its rows.
std::span<OrderTerm> window_order(const BoundWindow& window, PlanContext& context) {
  ArenaVector<OrderTerm> terms(context.arena);
  for (size_t i = 0; i < window.partition_by.size(); ++i) {
    terms.push_back(make_order_term(window.partition_by[i], window.partition_collations[i], false));
  }
  terms.append(window.order_by);
  return terms.span();
}

OrderRequest request_order(const BoundQuery& query, const BoundCore& core,
                           std::span<const OrderTerm> order_by, PlanContext& context) {
  OrderRequest request;
  request.result_columns = static_cast<uint32_t>(core.results.size());
  if (is_lone_min_max(core)) {
    const BoundAggregate& aggregate = *core.aggregates[0];
    std::span<OrderTerm> term = context.arena->make_array<OrderTerm>(1);
    term[0] = make_order_term(aggregate.args[0], aggregate.collation, aggregate.is_max);
    request.kind = OrderRequest::Kind::kMinMax;
    request.terms = term;
  } else if (core.is_aggregate) {
    if (!core.has_group_by) return request;
    std::span<OrderTerm> terms = context.arena->make_array<OrderTerm>(core.group_by.size());
    for (size_t i = 0; i < terms.size(); ++i) {
      terms[i] = make_order_term(core.group_by[i], core.group_collations[i],
                                 group_descends(core, order_by, i));
    }
    request.orders_groups = orders_by_groups(core, order_by);
    request.kind = OrderRequest::Kind::kGroupBy;
    request.terms = terms;
  } else if (!order_by.empty()) {
    request.kind = OrderRequest::Kind::kOrderBy;
    request.terms = order_by;
    request.has_limit = query.limit != nullptr && core.windows.empty();
    request.limit = estimate_limit(query);
  } else if (core.distinct && core.windows.empty() && !results_are_distinct(query, core)) {
    std::span<OrderTerm> terms = context.arena->make_array<OrderTerm>(core.results.size());
    auto collations = distinct_collations(query, core, context);
    for (size_t i = 0; i < terms.size(); ++i) {
      terms[i] = make_order_term(core.results[i].expr, collations[i], false);
    }
    request.kind = OrderRequest::Kind::kDistinct;
    request.terms = terms;
  }
  return request;
}

// How many ORDER BY terms hold when groups come out by key.
size_t terms_in_key_order(const BoundCore& core, std::span<const OrderTerm> order_by,
                          std::span<const bool> descending) {
  size_t count = 0;
  for (; count < order_by.size() && count < core.group_by.size(); ++count) {
    const OrderTerm& term = order_by[count];
    ColumnRef key{core.aggregate_output, static_cast<int32_t>(count)};
    if (term.expr->kind != ExprKind::kColumn || !(term.expr->column == key)) break;
    if (term.descending != descending[count]) break;
    if (term.nulls_first == term.descending) break;
    if (!same_collation(term.collation, core.group_collations[count])) break;
  }
  return count;
}

// `written_order`: ORDER BY, terms that do not matter included.
CoreRows add_aggregation(BoundCore& core, const FromPlan& from, std::span<const OrderTerm> order_by,
                         std::span<const OrderTerm> written_order, const OrderRequest& request,
                         PlanContext& context) {
  CoreRows rows;
  AggregateNode* node = add_node<AggregateNode>(context, PlanKind::kAggregate, from.root);
  node->core = &core;
  bool ordered = request.terms.size() > 0 &&
                 from.ordered_terms == static_cast<int>(request.terms.size());
  if (!core.has_group_by) {
    node->method = AggregateMethod::kSingle;
    node->first_row_only = request.kind == OrderRequest::Kind::kMinMax && ordered;
    node->rows = 1;
    rows.ordered_terms = order_by.size();
  } else if (ordered) {
    node->method = AggregateMethod::kSorted;
    if (from.exact_order && orders_by_groups(core, order_by)) rows.ordered_terms = order_by.size();
  } else {
    node->method = AggregateMethod::kHash;
    node->descending = context.arena->make_array<bool>(core.group_by.size());
    for (size_t i = 0; i < core.group_by.size(); ++i) {
      node->descending[i] = group_descends(core, written_order, i);
    }
    rows.ordered_terms = terms_in_key_order(core, order_by, node->descending);
  }
  if (core.has_group_by) node->rows = from.root->rows / 10 + 1;
  rows.node = node;
  if (core.having == nullptr) return rows;
  FilterNode* filter = add_node<FilterNode>(context, PlanKind::kFilter, node);
  filter->condition = core.having;
  rows.node = filter;
  return rows;
}

bool same_order(const OrderTerm& a, const OrderTerm& b) {
  return a.descending == b.descending && a.nulls_first == b.nulls_first &&
         same_collation(a.collation, b.collation) && same_expr(*a.expr, *b.expr);
}

// How many leading terms of `terms` hold for rows that are in `order`.
size_t leading_terms(std::span<const OrderTerm> terms, std::span<const OrderTerm> order) {
  size_t count = 0;
  while (count < terms.size() && count < order.size() && same_order(terms[count], order[count])) {
    ++count;
  }
  return count;
}

// Windows are computed from the last to the first, each over rows sorted its way, so the rows come
// out in the first one's order. Those of one partition and order are computed together.
// `ordered_terms`: of the last one's order, that hold already. *order: the order of the result.
PlanNode* add_windows(BoundCore& core, PlanNode* node, size_t ordered_terms,
                      std::span<const OrderTerm>* order, PlanContext& context) {
  *order = window_order(*core.windows.back(), context).first(ordered_terms);
  for (size_t i = core.windows.size(); i > 0;) {
    BoundWindow& window = *core.windows[i - 1];
    std::span<OrderTerm> terms = window_order(window, context);
    size_t sorted = leading_terms(terms, *order);
    if (sorted < terms.size()) {
      SortNode* sort = add_node<SortNode>(context, PlanKind::kSort, node);
      sort->terms = terms;
      sort->presorted_terms = static_cast<uint32_t>(sorted);
      node = sort;
      *order = terms;
    }
    ArenaVector<BoundWindow*> windows(context.arena);
    for (; i > 0; --i) {
      BoundWindow* next = core.windows[i - 1];
      std::span<OrderTerm> its_terms = window_order(*next, context);
      if (next->partition_by.size() != window.partition_by.size()) break;
      if (its_terms.size() != terms.size()) break;
      if (leading_terms(its_terms, terms) < terms.size()) break;
      windows.push_back(next);
    }
    WindowNode* window_node = add_node<WindowNode>(context, PlanKind::kWindow, node);
    window_node->windows = windows.span();
    node = window_node;
  }
  return node;
}

// FROM, WHERE, GROUP BY, HAVING and windows.
Result<CoreRows> plan_rows(BoundQuery& query, BoundCore& core,
                           std::span<const OrderTerm> order_by, PlanContext& context) {
  if (core.sources.size() > kSourcesMax) return Status::error("at most 64 tables in a join");
  FromClause from(&context, &core);
  split_conditions(&from);
  // What stands above the sources wants their rows, or the groups, in this order.
  std::span<const OrderTerm> wanted = order_by;
  if (!core.windows.empty()) wanted = window_order(*core.windows.back(), context);
  OrderRequest request = request_order(query, core, wanted, context);
  from.order = request;
  if (query.cores.size() == 1 && !core.is_aggregate && !core.distinct && core.windows.empty()) {
    from.limit = query.limit;
    from.offset = &query.offset;
  }
  GW_ASSIGN(FromPlan plan, plan_from(&from));
  CoreRows rows;
  if (core.is_aggregate) {
    std::span<const OrderTerm> written = wanted;
    if (core.windows.empty() && query.cores.size() == 1) written = query.order_by;
    rows = add_aggregation(core, plan, wanted, written, request, context);
  } else {
    rows.node = plan.root;
  }
  rows.most_rows = plan.most_rows;
  if (!core.windows.empty()) {
    bool by_sources = !core.is_aggregate && request.kind == OrderRequest::Kind::kOrderBy;
    size_t ordered = by_sources ? static_cast<size_t>(plan.ordered_terms) : rows.ordered_terms;
    std::span<const OrderTerm> order;
    rows.node = add_windows(core, rows.node, std::min(ordered, wanted.size()), &order, context);
    bool in_order = leading_terms(order_by, order) == order_by.size();
    rows.ordered_terms = in_order ? order_by.size() : 0;
    return rows;
  }
  if (core.is_aggregate) return rows;
  if (core.distinct) rows.are_distinct = results_are_distinct(query, core);
  if (request.kind == OrderRequest::Kind::kDistinct) {
    rows.equal_are_adjacent = plan.ordered_terms == static_cast<int>(request.terms.size());
  }
  if (request.kind == OrderRequest::Kind::kOrderBy) {
    rows.ordered_terms = static_cast<size_t>(plan.ordered_terms);
  }
  return rows;
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

PlanNode* add_distinct(const BoundQuery& query, const BoundCore& core, const CoreRows& rows,
                       PlanNode* child, PlanContext& context) {
  if (rows.are_distinct) return child;
  DistinctNode* node = add_node<DistinctNode>(context, PlanKind::kDistinct, child);
  node->adjacent = rows.equal_are_adjacent;
  node->columns = query.column_count;
  node->collations = distinct_collations(query, core, context);
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

// The terms that matter: constants do not, and nothing does when there is one row.
std::span<OrderTerm> relevant_terms(const BoundCore& core, std::span<const OrderTerm> order_by,
                                    PlanContext& context) {
  if (core.is_aggregate && !core.has_group_by) return {};
  ArenaVector<OrderTerm> terms(context.arena);
  for (const OrderTerm& term : order_by) {
    if (!term.expr->is_constant) terms.push_back(term);
  }
  return terms.span();
}

// FROM to DISTINCT and ORDER BY, as columns (output, i).
Result<PlanNode*> plan_core(BoundQuery& query, BoundCore& core, SourceId output,
                            std::span<const OrderTerm> order_by, bool limited,
                            PlanContext& context) {
  rewrite_core(query, core, context);
  GW_TRY(plan_sources(core, context));
  std::span<OrderTerm> terms = relevant_terms(core, order_by, context);
  PlanNode* node = nullptr;
  CoreRows rows;
  ArenaVector<BoundExpr*> hidden(context.arena);
  if (core.kind == BoundCore::Kind::kValues) {
    GW_TRY(plan_expressions(core, terms, 0, context));
    node = plan_values(core, output, context);
  } else {
    GW_ASSIGN(rows, plan_rows(query, core, terms, context));
    GW_TRY(plan_expressions(core, terms, rows.most_rows, context));
    if (rows.ordered_terms == terms.size()) terms = {};
    for (OrderTerm& term : terms) term.output_column = find_or_add_key(core, term, &hidden);
    node = add_project(core, hidden.span(), output, rows.node, context);
  }
  if (core.distinct) node = add_distinct(query, core, rows, node, context);
  if (terms.empty()) return node;
  for (OrderTerm& term : terms) term.expr = make_column(context.arena, {output, term.output_column});
  SortNode* sort = add_node<SortNode>(context, PlanKind::kSort, node);
  sort->terms = terms;
  sort->presorted_terms = static_cast<uint32_t>(rows.ordered_terms);
  if (limited) {
    sort->limit = query.limit;
    sort->offset = query.offset;
  }
  return sort;
}

}  // namespace

Result<PlanNode*> plan_arm(BoundQuery& query, BoundCore& core, std::span<const OrderTerm> order_by,
                           bool limited, PlanContext& context) {
  std::span<OrderTerm> terms = context.arena->copy_array<OrderTerm>(order_by);
  for (OrderTerm& term : terms) {
    bool is_values = core.kind == BoundCore::Kind::kValues;
    term.expr = is_values ? make_column(context.arena, {core.output, term.output_column})
                          : core.results[term.output_column].expr;
  }
  return plan_core(query, core, core.output, terms, limited, context);
}

Result<PlanNode*> plan_single(BoundQuery& query, PlanContext& context) {
  return plan_core(query, *query.cores[0], query.output, query.order_by, true, context);
}

}  // namespace godwit
