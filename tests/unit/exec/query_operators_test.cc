// Sorting, grouping, set operations and recursion give C SQLite's rows in its order.
#include "function/registry.h"
#include "query_test.h"

namespace godwit::testing {
namespace {

class QueryOperatorsTest : public QueryTest {
 protected:
  // 2,500 rows of all types, many of them equal.
  void SetUp() override {
    create(
        "CREATE TABLE t(a, b INT, c TEXT);"
        "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM s WHERE i<2499)"
        "INSERT INTO t SELECT CASE i*7919%5 WHEN 0 THEN i*31%11 WHEN 1 THEN i*17%7+0.5"
        " WHEN 2 THEN 'k'||(i*13%9) WHEN 3 THEN NULL ELSE CAST('b'||(i%4) AS BLOB) END,"
        " i*7919%50, CASE WHEN i%2 THEN 'Ab' ELSE 'aB' END||(i*131%3) FROM s;");
    t_ = table("t", {{"a", Affinity::kBlob}, {"b", Affinity::kInteger}, {"c", Affinity::kText}});
    open();
  }
  AccessNode* scan(std::vector<int32_t> columns) { return access(single_row(), 1, t_, columns); }
  // Rows of t with b < bound or b > bound, as columns a, b of source `id`.
  PlanNode* side(SourceId id, CompareOp op, int64_t bound) {
    AccessNode* node = access(single_row(), id, t_, {0, 1});
    node->filter = compare(op, column(id, 1), constant(i(bound)));
    return node;
  }

  BoundAggregate* aggregate(std::string_view name, std::vector<BoundExpr*> args) {
    auto* aggregate = arena_.make<BoundAggregate>();
    aggregate->function = find_builtin_function(name, static_cast<int>(args.size())).aggregate;
    aggregate->args = arena_.copy_array<BoundExpr*>(args);
    aggregate->is_count_star = args.empty();
    aggregate->is_min = name == "min";
    aggregate->is_max = name == "max";
    aggregate->collation = binary_collation();
    return aggregate;
  }
  AggregateNode* group(PlanNode* child, std::vector<BoundExpr*> keys,
                       std::vector<BoundAggregate*> aggregates, std::vector<BoundExpr*> bare) {
    auto* core = arena_.make<BoundCore>();
    core->aggregate_output = 50;
    core->has_group_by = !keys.empty();
    core->group_by = arena_.copy_array<BoundExpr*>(keys);
    std::vector<const Collation*> collations(keys.size(), binary_collation());
    core->group_collations = arena_.copy_array<const Collation*>(collations);
    core->aggregates = arena_.copy_array<BoundAggregate*>(aggregates);
    core->bare_columns = arena_.copy_array<BoundExpr*>(bare);
    auto* node = arena_.make<AggregateNode>();
    node->kind = PlanKind::kAggregate;
    node->child = child;
    node->core = core;
    node->method = keys.empty() ? AggregateMethod::kSingle : AggregateMethod::kHash;
    node->output = arena_.make_array<ColumnRef>(keys.size() + aggregates.size() + bare.size());
    for (size_t c = 0; c < node->output.size(); ++c) node->output[c] = {50, static_cast<int32_t>(c)};
    return node;
  }

  Table* t_ = nullptr;
};

TEST_F(QueryOperatorsTest, SortIsStableOverAllTypes) {
  AccessNode* rows = scan({0, 1, -1});
  expect_same("SELECT a, b, rowid FROM t ORDER BY a, rowid", sort(rows, {order_term(rows, 0)}));
  expect_same("SELECT a, b, rowid FROM t ORDER BY a DESC, b, rowid",
              sort(rows, {order_term(rows, 0, true), order_term(rows, 1)}));
  OrderTerm last = order_term(rows, 0);
  last.nulls_first = false;
  expect_same("SELECT a, b, rowid FROM t ORDER BY a NULLS LAST, rowid", sort(rows, {last}));
  SortNode* nocase = sort(scan({2, -1}), {});
  OrderTerm term = order_term(nocase, 0);
  term.collation = nocase_collation();
  nocase->terms = arena_.copy_array<OrderTerm>(std::vector<OrderTerm>{term});
  expect_same("SELECT c, rowid FROM t ORDER BY c COLLATE NOCASE, rowid", nocase);
}

TEST_F(QueryOperatorsTest, SortKeepsOnlyWhatALimitNeeds) {
  AccessNode* rows = scan({0, 1, -1});
  for (int64_t count : {0, 1, 10, 700}) {
    SortNode* sorted = sort(rows, {order_term(rows, 1), order_term(rows, 0, true)});
    sorted->limit = constant(i(count));
    sorted->offset = constant(i(3));
    expect_same("SELECT a, b, rowid FROM t ORDER BY b, a DESC, rowid LIMIT " +
                    std::to_string(count) + " OFFSET 3",
                limit(sorted, sorted->limit, sorted->offset));
  }
}

TEST_F(QueryOperatorsTest, PresortedTermsAreSortedRunByRun) {
  AccessNode* rows = scan({1, 2, -1});
  PlanNode* by_b = sort(rows, {order_term(rows, 0)});
  SortNode* ties = sort(by_b, {order_term(rows, 0), order_term(rows, 1)});
  ties->presorted_terms = 1;
  expect_same("SELECT b, c, rowid FROM t ORDER BY b, c, rowid", ties);
}

TEST_F(QueryOperatorsTest, LimitTakesIntegersOnly) {
  expect_same("SELECT b FROM t LIMIT 2 OFFSET 2498", limit(scan({1}), constant(i(2)), constant(i(2498))));
  expect_same("SELECT b FROM t LIMIT 2", limit(scan({1}), constant(t("2.0"))));
  expect_same("SELECT b FROM t LIMIT -1 OFFSET 2497", limit(scan({1}), constant(i(-1)), constant(r(2497))));
  for (const ValueView& v : {n(), t("x"), r(2.5), b("2")}) {
    EXPECT_EQ(run(limit(scan({1}), constant(v))), "error: datatype mismatch\n");
  }
}

TEST_F(QueryOperatorsTest, DistinctKeepsTheFirstOfEqualRows) {
  auto* distinct = arena_.make<DistinctNode>();
  distinct->kind = PlanKind::kDistinct;
  distinct->child = scan({0, 2});
  distinct->output = distinct->child->output;
  distinct->columns = 2;
  std::vector<const Collation*> collations{binary_collation(), nocase_collation()};
  distinct->collations = arena_.copy_array<const Collation*>(collations);
  expect_same("SELECT a, c FROM (SELECT a, c, min(rowid) m FROM t GROUP BY a, c COLLATE NOCASE)"
              " ORDER BY m", distinct);
}

TEST_F(QueryOperatorsTest, SetOperationsMergeSortedSides) {
  auto* set = arena_.make<SetNode>();
  set->kind = PlanKind::kSetOperation;
  std::vector<PlanNode*> plain{side(1, CompareOp::kLt, 30), side(2, CompareOp::kGt, 20)};
  std::vector<PlanNode*> children;
  for (PlanNode* node : plain) {
    children.push_back(sort(node, {order_term(node, 0), order_term(node, 1)}));
  }
  set->children = arena_.copy_array<PlanNode*>(children);
  std::vector<const Collation*> collations(2, binary_collation());
  set->collations = arena_.copy_array<const Collation*>(collations);
  set->output = children[0]->output;
  std::vector<OrderTerm> order{order_term(children[0], 0), order_term(children[0], 1)};
  set->order = arena_.copy_array<OrderTerm>(order);
  for (auto [op, word] : {std::pair{SetOp::kUnion, "UNION"}, {SetOp::kIntersect, "INTERSECT"},
                          {SetOp::kExcept, "EXCEPT"}}) {
    set->operation = op;
    expect_same("SELECT a, b FROM t WHERE b < 30 " + std::string(word) +
                    " SELECT a, b FROM t WHERE b > 20 ORDER BY 1, 2", set);
  }
  set->operation = SetOp::kUnionAll;
  set->collations = {};
  expect_same("SELECT a, b FROM t WHERE b < 30 UNION ALL SELECT a, b FROM t WHERE b > 20 ORDER BY 1, 2",
              set);
  set->kind = PlanKind::kUnionAll;
  set->children = arena_.copy_array<PlanNode*>(plain);
  expect_same("SELECT a, b FROM t WHERE b < 30 UNION ALL SELECT a, b FROM t WHERE b > 20", set);
}

TEST_F(QueryOperatorsTest, GroupsComeInKeyOrder) {
  AccessNode* rows = scan({0, 1, 2});
  expect_same("SELECT a, count(*), sum(b), group_concat(b) FROM t GROUP BY a",
              group(rows, {column(1, 0)},
                    {aggregate("count", {}), aggregate("sum", {column(1, 1)}),
                     aggregate("group_concat", {column(1, 1)})}, {}));
  expect_same("SELECT b, c, total(a), avg(b) FROM t GROUP BY b, c",
              group(rows, {column(1, 1), column(1, 2)},
                    {aggregate("total", {column(1, 0)}), aggregate("avg", {column(1, 1)})}, {}));
}

TEST_F(QueryOperatorsTest, BareColumnsFollowMinAndMax) {
  AccessNode* rows = scan({0, 1, -1});
  for (const char* name : {"min", "max"}) {
    expect_same("SELECT b, " + std::string(name) + "(a), rowid FROM t GROUP BY b",
                group(rows, {column(1, 1)}, {aggregate(name, {column(1, 0)})}, {column(1, -1)}));
    expect_same("SELECT " + std::string(name) + "(a), rowid FROM t",
                group(rows, {}, {aggregate(name, {column(1, 0)})}, {column(1, -1)}));
  }
}

TEST_F(QueryOperatorsTest, AnAggregationWithoutRowsHasOneRowUnlessGrouped) {
  PlanNode* nothing = side(1, CompareOp::kLt, -1);
  expect_same("SELECT count(*), sum(b), a FROM t WHERE b < -1",
              group(nothing, {}, {aggregate("count", {}), aggregate("sum", {column(1, 1)})},
                    {column(1, 0)}));
  expect_same("SELECT b, count(*) FROM t WHERE b < -1 GROUP BY b",
              group(nothing, {column(1, 1)}, {aggregate("count", {})}, {}));
  expect_same("SELECT count(*) FROM t", group(scan({}), {}, {aggregate("count", {})}, {}));
}

TEST_F(QueryOperatorsTest, ValuesAndRecursionWork) {
  // WITH RECURSIVE s(i, j) AS (VALUES(1, 0) UNION [ALL] SELECT i+1, (i+1)%bound FROM s WHERE i < 3000)
  auto* values = arena_.make<ValuesNode>();
  values->kind = PlanKind::kValues;
  std::vector<BoundExpr*> row{constant(i(1)), constant(i(0))};
  values->rows_exprs = arena_.make_array<std::span<BoundExpr*>>(1);
  values->rows_exprs[0] = arena_.copy_array<BoundExpr*>(row);
  values->output = arena_.make_array<ColumnRef>(2);
  AccessNode* queue = access(single_row(), 5, nullptr, {0, 1});
  queue->method = AccessMethod::kRecursiveQueue;
  queue->filter = compare(CompareOp::kLt, column(5, 0), constant(i(3000)));
  BoundExpr* next = binary(BinaryOp::kAdd, column(5, 0), constant(i(1)));
  auto* query = arena_.make<BoundQuery>();
  query->column_count = 2;
  query->recursive_source = 5;
  query->column_affinities = arena_.make_array<Affinity>(2);
  auto* recursive = arena_.make<RecursiveNode>();
  recursive->kind = PlanKind::kRecursive;
  recursive->query = query;
  recursive->initial = values;
  std::vector<PlanNode*> steps{
      project(queue, {next, binary(BinaryOp::kRemainder, next, constant(i(7)))})};
  recursive->steps = arena_.copy_array<PlanNode*>(steps);
  recursive->output = steps[0]->output;
  expect_same("WITH RECURSIVE s(i, j) AS (VALUES(1, 0) UNION ALL SELECT i+1, (i+1)%7 FROM s"
              " WHERE i < 3000) SELECT * FROM s", recursive);
  std::vector<OrderTerm> order{order_term(recursive, 1, true)};
  recursive->order = arena_.copy_array<OrderTerm>(order);
  expect_same("WITH RECURSIVE s(i, j) AS (VALUES(1, 0) UNION ALL SELECT i+1, (i+1)%7 FROM s"
              " WHERE i < 3000 ORDER BY 2 DESC LIMIT 50) SELECT * FROM s",
              limit(recursive, constant(i(50))));
}

}  // namespace
}  // namespace godwit::testing
