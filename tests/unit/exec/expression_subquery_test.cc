// Subqueries in expressions: when they run, and what NULL does to IN.
#include "expression_builder.h"
#include "plan/plan_node.h"

namespace godwit::testing {
namespace {

int calls = 0;
void count_calls(FunctionContext&, std::span<const ValueView> args, ValueView* result) {
  ++calls;
  *result = args[0];
}

class SubqueryTest : public ExpressionTest {
 protected:
  void SetUp() override {
    calls = 0;
    counted_.call = count_calls;
    counted_.flags = function_flag::kDeterministic;
    context_.execution = 1;
  }

  // The argument; counts how often it is asked for.
  BoundExpr* counted(BoundExpr* arg) {
    BoundExpr* expr = make(ExprKind::kFunction, {arg});
    expr->function = &counted_;
    expr->is_constant = false;
    return expr;
  }

  // SELECT results [WHERE condition], reading `outer` columns of the row.
  BoundQuery* query(std::vector<BoundExpr*> results, BoundExpr* condition,
                    std::vector<ColumnRef> outer) {
    PlanNode* root = arena_.make<PlanNode>();
    if (condition != nullptr) {
      FilterNode* filter = arena_.make<FilterNode>();
      filter->kind = PlanKind::kFilter;
      filter->condition = condition;
      filter->child = root;
      root = filter;
    }
    ProjectNode* project = arena_.make<ProjectNode>();
    project->kind = PlanKind::kProject;
    project->child = root;
    project->exprs = arena_.copy_array<BoundExpr*>(results);
    project->output = arena_.make_array<ColumnRef>(results.size());
    for (size_t c = 0; c < results.size(); ++c) {
      project->output[c] = {50, static_cast<int32_t>(c)};
    }
    QueryPlan* plan = arena_.make<QueryPlan>();
    plan->root = project;
    plan->correlations = arena_.copy_array<ColumnRef>(outer);
    BoundQuery* bound = arena_.make<BoundQuery>();
    bound->plan = plan;
    bound->correlations = plan->correlations;
    return bound;
  }
  BoundExpr* subquery(ExprKind kind, BoundQuery* bound, std::vector<BoundExpr*> args = {}) {
    BoundExpr* expr = make(kind, args);
    expr->query = bound;
    expr->has_subquery = true;
    expr->is_constant = false;
    return expr;
  }

  ScalarFunction counted_;
};

TEST_F(SubqueryTest, AnUncorrelatedOneRunsOncePerExecution) {
  set_rows({{i(1)}, {i(2)}, {i(3)}});
  auto scalar =
      compile(subquery(ExprKind::kScalarQuery, query({counted(constant(t("x")))}, nullptr, {})));
  EXPECT_EQ(values(scalar.get()), "'x' 'x' 'x'");
  EXPECT_EQ(values(scalar.get()), "'x' 'x' 'x'");
  EXPECT_EQ(calls, 1);
  ++context_.execution;
  EXPECT_EQ(values(scalar.get()), "'x' 'x' 'x'");
  EXPECT_EQ(calls, 2);
}

TEST_F(SubqueryTest, ACorrelatedOneRunsWhenItsValuesChange) {
  set_rows({{t("a")}, {t("a")}, {t("b")}, {n()}});
  auto scalar = compile(subquery(
      ExprKind::kScalarQuery,
      query({binary(BinaryOp::kConcat, counted(column(0)), constant(t("!")))}, nullptr,
            {{kSource, 0}})));
  EXPECT_EQ(values(scalar.get()), "'a!' 'a!' 'b!' NULL");
  EXPECT_EQ(calls, 3);
}

TEST_F(SubqueryTest, NoRowGivesNullAndExistsSaysSo) {
  set_rows({{i(1)}, {i(2)}, {i(3)}});
  BoundExpr* above = compare(CompareOp::kGt, column(0), constant(i(1)));
  BoundQuery* some = query({constant(i(7))}, above, {{kSource, 0}});
  EXPECT_EQ(values(subquery(ExprKind::kScalarQuery, some)), "NULL 7 7");
  BoundExpr* exists = subquery(ExprKind::kExists, some);
  EXPECT_EQ(values(exists), "0 1 1");
  exists->negated = true;
  EXPECT_EQ(filtered(exists), (std::vector<uint16_t>{0}));
}

TEST_F(SubqueryTest, InQueryKnowsNullAndEmptiness) {
  set_rows({{i(1)}, {i(2)}, {n()}});
  auto in = [&](BoundQuery* members) {
    BoundExpr* expr = subquery(ExprKind::kInQuery, members, {column(0)});
    expr->row_columns = 1;
    return values(expr);
  };
  EXPECT_EQ(in(query({constant(r(2.0))}, nullptr, {})), "0 1 NULL");
  EXPECT_EQ(in(query({constant(n())}, nullptr, {})), "NULL NULL NULL");
  EXPECT_EQ(in(query({constant(i(1))}, constant(i(0)), {})), "0 0 0");
  // Correlated: x IN (SELECT x WHERE x > 1).
  BoundExpr* above = compare(CompareOp::kGt, column(0), constant(i(1)));
  EXPECT_EQ(in(query({column(0)}, above, {{kSource, 0}})), "0 1 0");
}

TEST_F(SubqueryTest, RowValuesOfSubqueriesCompare) {
  set_rows({{i(1), i(2)}, {i(1), n()}, {i(3), n()}});
  BoundExpr* both = make(ExprKind::kRow, {column(0), column(1)});
  BoundExpr* pair =
      subquery(ExprKind::kScalarQuery, query({constant(i(1)), constant(i(2))}, nullptr, {}));
  pair->row_columns = 2;
  EXPECT_EQ(values(compare(CompareOp::kEq, both, pair)), "1 NULL 0");
  BoundExpr* in = subquery(ExprKind::kInQuery, pair->query, {column(0), column(1)});
  in->row_columns = 2;
  EXPECT_EQ(values(in), "1 NULL 0");
}

}  // namespace
}  // namespace godwit::testing
