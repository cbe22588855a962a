// Window functions, with the rows that SQLite gives.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class Window : public testing::Test {
 protected:
  void SetUp() override {
    connection_ = *Connection::open(":memory:", {});
    run("CREATE TABLE t(a INTEGER, p TEXT, v);"
        "INSERT INTO t VALUES(1,'x',10),(2,'y',NULL),(3,'x',30),(4,'y',30),(5,'x','text'),(6,'y',2.5);"
        "CREATE TABLE d(k, n); INSERT INTO d VALUES(1,1),(1,2),(2,3),(4,4),(4,5),(NULL,6),('z',7)");
  }
  std::string run(std::string_view sql) { return run_sql(connection_.get(), sql); }
  // The values of one expression over t, in the order of a.
  std::string over_t(const std::string& expression) {
    return run("SELECT group_concat(coalesce(x, '-'), ' ') FROM (SELECT " + expression +
               " AS x FROM t)");
  }
  // The same over d.
  std::string over_d(const std::string& expression) {
    return run("SELECT group_concat(coalesce(x, '-'), ' ') FROM (SELECT " + expression +
               " AS x FROM d)");
  }

  std::unique_ptr<Connection> connection_;
};

TEST_F(Window, PlacesCountFromTheStartOfThePartition) {
  EXPECT_EQ(over_d("row_number() OVER (ORDER BY k)"), "1 2 3 4 5 6 7");
  EXPECT_EQ(over_d("rank() OVER (ORDER BY k)"), "1 2 2 4 5 5 7");
  EXPECT_EQ(over_d("dense_rank() OVER (ORDER BY k)"), "1 2 2 3 4 4 5");
  EXPECT_EQ(over_d("round(percent_rank() OVER (ORDER BY k), 2)"), "0.0 0.17 0.17 0.5 0.67 0.67 1.0");
  EXPECT_EQ(over_d("round(cume_dist() OVER (ORDER BY k), 2)"), "0.14 0.43 0.43 0.57 0.86 0.86 1.0");
  EXPECT_EQ(over_d("ntile(3) OVER (ORDER BY n)"), "1 1 1 2 2 3 3");
  EXPECT_EQ(over_t("row_number() OVER (PARTITION BY p ORDER BY a DESC)"), "1 2 3 1 2 3");
}

TEST_F(Window, LagAndLeadTakeTheirOffsetsByTheArithmeticOfSql) {
  EXPECT_EQ(over_t("lag(a) OVER (ORDER BY a)"), "- 1 2 3 4 5");
  EXPECT_EQ(over_t("lead(a, 2, -a) OVER (ORDER BY a)"), "3 4 5 6 -5 -6");
  EXPECT_EQ(over_t("lag(a, 'abc') OVER (ORDER BY a)"), "1 2 3 4 5 6");
  EXPECT_EQ(over_t("lag(a, 1.5, 0) OVER (ORDER BY a)"), "0 0 0 0 0 0");
  EXPECT_EQ(over_t("lag(a, -1, 0) OVER (ORDER BY a)"), "2 3 4 5 6 0");
  EXPECT_EQ(over_t("lag(a, -2, 0) OVER (ORDER BY a)"), "0 0 0 0 0 0");
  EXPECT_EQ(over_t("lag(a, 1, 'none') OVER (PARTITION BY p ORDER BY a)"), "none 1 3 none 2 4");
}

TEST_F(Window, FramesOfRowsGroupsAndRanges) {
  EXPECT_EQ(over_t("sum(a) OVER (ORDER BY a ROWS 1 PRECEDING)"), "1 3 5 7 9 11");
  EXPECT_EQ(over_t("sum(a) OVER (ORDER BY a ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING)"),
            "18 15 11 6 - -");
  EXPECT_EQ(over_d("group_concat(n, '') OVER (ORDER BY k)"), "6 612 612 6123 612345 612345 6123457");
  EXPECT_EQ(over_d("group_concat(n, '') OVER (ORDER BY k GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)"),
            "6 612 612 123 345 345 457");
  EXPECT_EQ(over_d("group_concat(n, '') OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING)"),
            "6 123 123 12345 45 45 7");
  EXPECT_EQ(over_d("group_concat(n, '') OVER (ORDER BY k DESC NULLS FIRST"
                   " RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING)"),
            "6 7 - - 45 3 3");
  EXPECT_EQ(over_t("count(*) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING)"),
            "0 0 0 0 0 0");
}

TEST_F(Window, ExcludeLeavesOutTheRowItsPeersOrBoth) {
  const std::string frame = " OVER (ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND"
                            " UNBOUNDED FOLLOWING EXCLUDE ";
  EXPECT_EQ(over_d("group_concat(n, '')" + frame + "CURRENT ROW)"),
            "123457 623457 613457 612457 612357 612347 612345");
  EXPECT_EQ(over_d("group_concat(n, '')" + frame + "GROUP)"),
            "123457 63457 63457 612457 61237 61237 612345");
  EXPECT_EQ(over_d("group_concat(n, '')" + frame + "TIES)"),
            "6123457 613457 623457 6123457 612347 612357 6123457");
  EXPECT_EQ(over_d("first_value(n)" + frame + "CURRENT ROW)"), "1 6 6 6 6 6 6");
  EXPECT_EQ(over_d("nth_value(n, 2)" + frame + "GROUP)"), "2 3 3 1 1 1 1");
  EXPECT_EQ(over_d("last_value(n)" + frame + "TIES)"), "7 7 7 7 7 7 7");
}

TEST_F(Window, AggregatesMoveWithTheFrame) {
  EXPECT_EQ(over_t("max(v) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"),
            "10 10 30 30 text text");
  EXPECT_EQ(over_t("min(v) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)"),
            "10 30 30 30 2.5 2.5");
  EXPECT_EQ(over_t("avg(v) FILTER (WHERE p = 'x') OVER (ORDER BY a ROWS 2 PRECEDING)"),
            "10.0 10.0 20.0 30.0 15.0 0.0");
  EXPECT_EQ(over_t("group_concat(a, p) OVER (ORDER BY a ROWS 1 PRECEDING)"),
            "1 1y2 2x3 3y4 4x5 5y6");
  // Of equal values the first one counts where rows are only added, the last one where they go.
  EXPECT_EQ(run("SELECT max(x) OVER (ORDER BY i), max(x) OVER (ORDER BY i ROWS 5 PRECEDING)"
                " FROM (SELECT 1 i, 1 x UNION ALL SELECT 2, 1.0)"),
            "1|1\n1|1.0");
}

// EXCLUDE NO OTHERS changes no frame, but how sums are computed.
TEST_F(Window, SumsOfRealsAreComputedOnTheWayThatSqliteTakes) {
  const std::string rows = " FROM (SELECT 1 i, 2.5 x UNION ALL SELECT 2, 4 UNION ALL SELECT 3, 5)";
  EXPECT_EQ(run("SELECT sum(x) OVER (ORDER BY i ROWS 0 PRECEDING)" + rows), "2.5\n4.0\n5.0");
  EXPECT_EQ(run("SELECT sum(x) OVER (ORDER BY i ROWS 0 PRECEDING EXCLUDE NO OTHERS)" + rows),
            "2.5\n4\n5");
}

TEST_F(Window, RowsComeInTheOrderOfTheFirstWindow) {
  EXPECT_EQ(run("SELECT a, sum(a) OVER (PARTITION BY p ORDER BY a DESC), rank() OVER (ORDER BY a)"
                " FROM t"),
            "5|5|5\n3|8|3\n1|9|1\n6|6|6\n4|10|4\n2|12|2");
  EXPECT_EQ(run("SELECT a FROM t ORDER BY sum(a) OVER (PARTITION BY p), a DESC LIMIT 3"), "5\n3\n1");
}

TEST_F(Window, WindowsStandOverGroupsAndInSubqueries) {
  EXPECT_EQ(run("SELECT p, sum(a), sum(sum(a)) OVER (ORDER BY p) FROM t GROUP BY p"),
            "x|9|9\ny|12|21");
  EXPECT_EQ(run("SELECT a, (SELECT max(n) OVER (ORDER BY n) FROM d WHERE k = t.a) FROM t LIMIT 2"),
            "1|1\n2|3");
  EXPECT_EQ(run("WITH c AS (SELECT a, row_number() OVER (PARTITION BY p ORDER BY a DESC) r FROM t)"
                " SELECT a FROM c WHERE r = 1"),
            "5\n6");
  EXPECT_EQ(run("CREATE VIEW w AS SELECT DISTINCT count(*) OVER (PARTITION BY p) n FROM t;"
                "SELECT * FROM w"),
            "3");
}

TEST_F(Window, NamedWindowsExtendThoseBeforeThem) {
  EXPECT_EQ(run("SELECT sum(a) OVER (w ROWS 1 PRECEDING) FROM t WINDOW w AS (ORDER BY a) LIMIT 3"),
            "1\n3\n5");
  EXPECT_EQ(run("SELECT sum(a) OVER w FROM t WINDOW w AS (nosuch) LIMIT 1"), "21");
  EXPECT_EQ(run("SELECT sum(a) OVER () FROM t WINDOW x AS (), w AS (nosuch)"),
            "error 1: no such window: nosuch");
  EXPECT_EQ(run("SELECT sum(a) OVER (w PARTITION BY p) FROM t WINDOW w AS (ORDER BY a)"),
            "error 1: cannot override PARTITION clause of window: w");
  EXPECT_EQ(run("SELECT 1 FROM t WINDOW w AS (ROWS 1 PRECEDING), x AS (w)"),
            "error 1: cannot override frame specification of window: w");
}

TEST_F(Window, ErrorsAreThoseOfSqlite) {
  auto error = [&](const std::string& expression) { return run("SELECT " + expression + " FROM t"); };
  EXPECT_EQ(error("sum(a) OVER (ROWS -1 PRECEDING)"),
            "error 1: frame starting offset must be a non-negative integer");
  EXPECT_EQ(error("sum(a) OVER (ROWS BETWEEN 1 PRECEDING AND abs(1) FOLLOWING)"),
            "error 1: frame ending offset must be a non-negative integer");
  EXPECT_EQ(error("sum(a) OVER (ORDER BY a RANGE 'x' PRECEDING)"),
            "error 1: frame starting offset must be a non-negative number");
  EXPECT_EQ(error("sum(a) OVER (RANGE 1 PRECEDING)"),
            "error 1: RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression");
  EXPECT_EQ(error("sum(a) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)"),
            "error 1: unsupported frame specification");
  EXPECT_EQ(error("ntile(0) OVER ()"), "error 1: argument of ntile must be a positive integer");
  EXPECT_EQ(error("nth_value(a, 1.5) OVER ()"),
            "error 1: second argument to nth_value must be a positive integer");
  EXPECT_EQ(error("row_number()"), "error 1: misuse of window function row_number()");
  EXPECT_EQ(error("sum(sum(a) OVER ()) OVER ()"), "error 1: misuse of window function sum()");
  EXPECT_EQ(error("abs(a) OVER ()"), "error 1: abs() may not be used as a window function");
  EXPECT_EQ(error("sum(DISTINCT a) OVER ()"),
            "error 1: DISTINCT is not supported for window functions");
}

// More rows than a block of the store, in one partition and in many.
TEST_F(Window, PartitionsMayBeLargeOrMany) {
  const std::string rows = "WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 2999)"
                           " SELECT sum(x), max(x), min(x), count(*) FROM (SELECT ";
  EXPECT_EQ(run(rows + "sum(i) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) x FROM c)"),
            "17985004|11990|1|3000");
  EXPECT_EQ(run(rows + "row_number() OVER (PARTITION BY i / 3 ORDER BY i DESC) x FROM c)"),
            "6000|3|1|3000");
  EXPECT_EQ(run(rows + "lead(i, 7, 0) OVER (PARTITION BY i % 2 ORDER BY i) x FROM c)"),
            "4498409|2999|0|3000");
  EXPECT_EQ(run(rows + "max(i) OVER (ORDER BY i / 400 GROUPS BETWEEN 1 PRECEDING AND 1 PRECEDING) x"
                       " FROM c)"),
            "3917400|2799|399|3000");
}

}  // namespace
}  // namespace godwit
