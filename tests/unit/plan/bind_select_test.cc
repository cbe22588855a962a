// What queries mean: names of results, columns, comparisons, aggregation, used columns.
#include "bind_fixture.h"
#include "plan/bound_window.h"

namespace godwit {
namespace {

class BindSelect : public BindTest {
 protected:
  BindSelect() {
    table("CREATE TABLE t(a INT, b TEXT COLLATE NOCASE, c)");
    table("CREATE TABLE u(a INT, d)");
    table("CREATE TABLE k(id INTEGER PRIMARY KEY, v)");
    view("CREATE VIEW w AS SELECT a, b AS bb, c || 'x' AS cx FROM t");
  }
};

TEST_F(BindSelect, NamesResultsByAliasColumnOrText) {
  EXPECT_EQ(names("SELECT a AS x, A, t.a, (a), +a, a  +  1 FROM t"), "x|a|a|a|+a|a  +  1");
  EXPECT_EQ(names("SELECT rowid, ID, 'x', \"y\" FROM k"), "id|id|'x'|\"y\"");
  EXPECT_EQ(names("SELECT * FROM (SELECT 1 AS a, 2 AS a, 3)"), "a|a:1|3");
  EXPECT_EQ(names("VALUES (1, 2)"), "column1|column2");
}

TEST_F(BindSelect, StarsSkipMergedColumns) {
  EXPECT_EQ(names("SELECT * FROM t JOIN u USING (a)"), "a|b|c|d");
  EXPECT_EQ(names("SELECT * FROM t NATURAL JOIN u"), "a|b|c|d");
  EXPECT_EQ(names("SELECT u.* FROM t JOIN u USING (a)"), "a|d");
}

TEST_F(BindSelect, ComparesWithTheAffinityAndCollationOfColumns) {
  const BoundExpr* compare = core("SELECT a = '1', b = 'x', 'x' = b, c = b, a = b FROM t").results[0].expr;
  EXPECT_EQ(compare->compare_affinity, Affinity::kNumeric);
  auto results = query_->cores[0]->results;
  EXPECT_EQ(results[1].expr->compare_affinity, Affinity::kText);
  EXPECT_EQ(results[1].expr->compare_collation, nocase_collation());
  EXPECT_EQ(results[2].expr->compare_collation, nocase_collation());
  EXPECT_EQ(results[3].expr->compare_affinity, Affinity::kBlob);
  EXPECT_EQ(results[3].expr->compare_collation, binary_collation());  // the left column's
  EXPECT_EQ(results[4].expr->compare_affinity, Affinity::kNumeric);
}

TEST_F(BindSelect, CollateCountsThroughTheWholeTree) {
  auto results = core("SELECT b || '' = 'X', ('x' COLLATE NOCASE) || '' = 'X', b = 'x' COLLATE RTRIM,"
                      " unlikely(b) = 'X' FROM t").results;
  EXPECT_EQ(results[0].expr->compare_collation, binary_collation());
  EXPECT_EQ(results[1].expr->compare_collation, nocase_collation());
  EXPECT_EQ(results[2].expr->compare_collation, rtrim_collation());
  EXPECT_EQ(results[3].expr->compare_collation, binary_collation());
}

TEST_F(BindSelect, RowsCompareColumnByColumn) {
  EXPECT_EQ(where("SELECT 1 FROM t WHERE (a, b) = (1, 2)"), "((s3.0 = 1) AND (s3.1 = 2))");
  EXPECT_EQ(where("SELECT 1 FROM t WHERE (a, b) < (1, 2)"),
            "((s3.0 <= 1) AND ((s3.0 < 1) OR (s3.1 < 2)))");
}

TEST_F(BindSelect, RowidAndItsAliasAreOneColumn) {
  EXPECT_EQ(where("SELECT v FROM k WHERE id = 1 AND oid = 2"),
            "((s3.rowid = 1) AND (s3.rowid = 2))");
  EXPECT_EQ(used(*query_->cores[0]->sources[0]), "v rowid ");
}

TEST_F(BindSelect, AliasesComeAfterColumns) {
  EXPECT_EQ(where("SELECT -a AS c FROM t WHERE c < 1"), "(s3.2 < 1)");
  EXPECT_EQ(where("SELECT -a AS x FROM t WHERE x < 1"), "(-s3.0 < 1)");
  core("SELECT -a AS b FROM t ORDER BY b");
  EXPECT_EQ(query_->order_by[0].output_column, 0);
}

TEST_F(BindSelect, NumbersAtTheEdge) {
  EXPECT_EQ(result("SELECT -9223372036854775808"), "-9223372036854775808");
  EXPECT_TRUE(core("SELECT 9223372036854775808").results[0].expr->constant.is_real());
  EXPECT_EQ(result("SELECT 0xffffffffffffffff"), "-1");
}

TEST_F(BindSelect, WhatStandsBehindAnAggregationReadsItsOutput) {
  const BoundCore& core = this->core(
      "SELECT a, sum(c) + count(*), c, sum(c) FROM t GROUP BY a HAVING max(c) > 1 ORDER BY sum(c)");
  ASSERT_TRUE(core.is_aggregate);
  EXPECT_EQ(core.aggregates.size(), 3u);
  ASSERT_EQ(core.bare_columns.size(), 1u);
  EXPECT_EQ(dump(core.bare_columns[0]), "s3.2");
  EXPECT_EQ(dump(core.results[0].expr), "s2.0");
  EXPECT_EQ(dump(core.results[1].expr), "(s2.1+s2.2)");
  EXPECT_EQ(dump(core.results[2].expr), "s2.4");
  EXPECT_EQ(dump(core.having), "(s2.3 > 1)");
  EXPECT_EQ(query_->order_by[0].output_column, 3);
}

TEST_F(BindSelect, AggregatesBelongToTheQueryWhoseColumnsTheyRead) {
  const BoundCore& outer = core("SELECT (SELECT sum(t.a) FROM u) FROM t");
  EXPECT_TRUE(outer.is_aggregate);
  const BoundQuery* inner = outer.results[0].expr->query;
  EXPECT_FALSE(inner->cores[0]->is_aggregate);
  ASSERT_EQ(inner->correlations.size(), 1u);
  EXPECT_EQ(inner->correlations[0].source, outer.aggregate_output);
  const BoundCore& plain = core("SELECT (SELECT sum(t.a + u.a) FROM u) FROM t");
  EXPECT_FALSE(plain.is_aggregate);
  EXPECT_TRUE(plain.results[0].expr->query->cores[0]->is_aggregate);
}

TEST_F(BindSelect, OnlyUsedColumnsOfViewsCount) {
  const BoundCore& core = this->core("SELECT a FROM w WHERE bb = 'x'");
  EXPECT_EQ(used(*core.sources[0]), "a bb ");
  EXPECT_EQ(used(*core.sources[0]->query->cores[0]->sources[0]), "a b ");
}

TEST_F(BindSelect, SubqueriesNameTheOuterColumnsTheyRead) {
  const BoundCore& core = this->core("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)");
  ASSERT_EQ(core.where->query->correlations.size(), 1u);
  EXPECT_EQ(core.where->query->correlations[0], (ColumnRef{core.sources[0]->id, 0}));
}

TEST_F(BindSelect, ReferencesToACommonTableShareItsQuery) {
  const BoundCore& core = this->core("WITH c AS (SELECT * FROM t) SELECT 1 FROM c AS x, c AS y");
  EXPECT_EQ(core.sources[0]->query, core.sources[1]->query);
  EXPECT_EQ(core.sources[0]->query->reference_count, 2u);
}

TEST_F(BindSelect, RecursiveTermsReadTheQueue) {
  const BoundCore& core = this->core(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9) SELECT n FROM c");
  const BoundQuery& query = *core.sources[0]->query;
  EXPECT_TRUE(query.is_recursive);
  EXPECT_EQ(query.initial_cores, 1u);
  ASSERT_EQ(query.cores[1]->sources.size(), 1u);
  EXPECT_EQ(query.cores[1]->sources[0]->kind, BoundSource::Kind::kRecursive);
  EXPECT_EQ(query.recursive_source, query.cores[1]->sources[0]->id);
}

TEST_F(BindSelect, InnerOnTermsThatLookRightAreWhereTerms) {
  const BoundCore& core = this->core("SELECT 1 FROM t JOIN u ON k.id = 5 AND t.a = u.a JOIN k");
  EXPECT_EQ(dump(core.sources[1]->on), "(s3.0 = s4.0)");
  EXPECT_EQ(dump(core.where), "(s5.rowid = 5)");
}

TEST_F(BindSelect, ColumnsOfCompoundsTakeTheFirstCollation) {
  core("SELECT 'x' UNION SELECT b FROM t");
  EXPECT_EQ(query_->column_collations[0], nocase_collation());
  core("SELECT b COLLATE BINARY FROM t UNION SELECT b FROM t ORDER BY 1 COLLATE RTRIM");
  EXPECT_EQ(query_->column_collations[0], binary_collation());
  EXPECT_EQ(query_->order_by[0].collation, rtrim_collation());
}

// row_number() has a frame of its own, and so a window.
TEST_F(BindSelect, CallsOverTheSameWindowShareIt) {
  const BoundCore& core = this->core(
      "SELECT sum(a) OVER w, avg(b) OVER (ORDER BY b), row_number() OVER w FROM t"
      " WINDOW w AS (ORDER BY b)");
  ASSERT_EQ(core.windows.size(), 2u);
  EXPECT_EQ(core.windows[0]->calls.size(), 2u);
  EXPECT_EQ(core.results[1].expr->column, (ColumnRef{core.windows[0]->output, 1}));
}

}  // namespace
}  // namespace godwit
