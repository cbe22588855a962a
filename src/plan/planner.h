// The planner: from a bound query to a physical plan.
//
// One core is planned as
//
//   sources, WHERE, ON  -->  chain of Access nodes   (split_conditions, access_path, join_order)
//   aggregation         -->  Aggregate, Filter (HAVING)
//   result columns      -->  Project                 (hidden ORDER BY keys after the results)
//   DISTINCT, ORDER BY  -->  Distinct, Sort          (left out where the order is there already)
//   LIMIT               -->  Limit
//
// and a last pass from the root down gives every node its output: only columns that somebody above
// still needs (layout.cc). The planner rewrites the bound trees in place; a BoundQuery is planned
// once.
#pragma once

#include <string>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "plan/plan_node.h"

namespace godwit {

// What the planner asks of higher layers. All have defaults that only make plans worse.
class PlanHooks {
 public:
  virtual ~PlanHooks() = default;
  // Evaluates a deterministic expression without columns, parameters and subqueries. The bytes of
  // *value live in `arena`. False: it cannot be evaluated now, or fails; it stays as it is, and the
  // error occurs when (and only if) a row asks for it.
  virtual bool evaluate_constant(const BoundExpr&, Arena*, ValueView*) { return false; }
  // Binds an expression of an index or its WHERE (or of a generated column) over the columns of
  // `source`. Null: cannot; such an index is not used.
  virtual BoundExpr* bind_table_expression(const Table&, SourceId, const ast::Expr&, Arena*) {
    return nullptr;
  }
  // LIKE is case-sensitive (PRAGMA case_sensitive_like).
  virtual bool case_sensitive_like() const { return false; }
  // like() and glob() of two arguments are the built-in ones, so that the planner knows them.
  virtual bool is_builtin_like(const ScalarFunction&) const { return false; }
  virtual bool is_builtin_glob(const ScalarFunction&) const { return false; }
  // PRAGMA reverse_unordered_selects.
  virtual bool reverse_unordered_selects() const { return false; }
  // PRAGMA automatic_index.
  virtual bool automatic_index() const { return true; }
};

struct PlanContext {
  Arena* arena = nullptr;
  PlanHooks* hooks = nullptr;     // null: the defaults above
  // The next SourceId that is free in the statement: at least one more than the binder's last. The
  // planner takes what it needs from here.
  SourceId next_source = 1u << 20;
  // About how often the query that is being planned will run (for correlated subqueries), as LogEst.
  int16_t runs = 0;
};

// Plans `query` and every query within it (BoundQuery::plan is set for all of them). The plan lives
// in the context's arena and refers to the bound trees.
Result<const QueryPlan*> plan_query(BoundQuery* query, PlanContext& context);

// Plans the queries inside an expression that does not belong to a query (SET x = (SELECT ...),
// RETURNING, a trigger's WHEN).
Status plan_expression(BoundExpr* expr, PlanContext& context);

// The plan as indented text, one node a line. For tests.
std::string dump_plan(const QueryPlan& plan);
// An expression as text: columns as s1.0 (source.column), parameters as ?1. For tests.
std::string dump_expr(const BoundExpr& expr);

// One row of EXPLAIN QUERY PLAN.
struct ExplainRow {
  int64_t id = 0;
  int64_t parent = 0;
  int64_t not_used = 0;
  std::string detail;
};
std::vector<ExplainRow> explain_query_plan(const QueryPlan& plan);

}  // namespace godwit
