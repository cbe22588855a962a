// Aggregates with ORDER BY and DISTINCT, recursive queries, and EXPLAIN, with the rows that SQLite gives.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

std::string run(std::string_view sql) {
  auto connection = Connection::open(":memory:", {});
  return run_sql(connection->get(), sql);
}

const std::string kEqualNumbers =
    "CREATE TABLE t(k, v, x);"
    "INSERT INTO t VALUES(1,3,'a'),(1,3.0,'b'),(1,3,'c'),(1,3.0,'d'),(1,5.0,'e'),(1,5,'f');";

TEST(Aggregates, OrderByInsideOrdersTheSteps) {
  EXPECT_EQ(run(kEqualNumbers + "SELECT group_concat(x, '' ORDER BY v DESC, x DESC) FROM t"),
            "fedcba");
  EXPECT_EQ(run(kEqualNumbers + "SELECT group_concat(k ORDER BY x) FILTER (WHERE v > 4) FROM t"),
            "1,1");
  // Without arguments the terms are not even looked at.
  EXPECT_EQ(run(kEqualNumbers + "SELECT count(ORDER BY nosuch), row_number(ORDER BY no) OVER ()"
                                " FROM t"),
            "6|1");
}

// Ordered by the argument itself DISTINCT keeps the last of equal values, otherwise the first.
TEST(Aggregates, DistinctKeepsTheValueThatSqliteKeeps) {
  EXPECT_EQ(run(kEqualNumbers + "SELECT group_concat(DISTINCT v ORDER BY v) FROM t"), "3.0,5");
  EXPECT_EQ(run(kEqualNumbers + "SELECT group_concat(DISTINCT v ORDER BY v DESC) FROM t"), "5,3.0");
  EXPECT_EQ(run(kEqualNumbers + "SELECT group_concat(DISTINCT v ORDER BY -v) FROM t"), "5.0,3");
  EXPECT_EQ(run(kEqualNumbers + "SELECT group_concat(DISTINCT v) FROM t"), "3,5.0");
}

// A duplicate that follows the row of the extreme value takes its place for bare columns.
TEST(Aggregates, DistinctExtremesChooseTheBareRowAsSqliteDoes) {
  EXPECT_EQ(run(kEqualNumbers + "SELECT min(DISTINCT v), x, v FROM t"), "3|d|3.0");
  EXPECT_EQ(run(kEqualNumbers + "SELECT max(DISTINCT v), x, v FROM t GROUP BY k"), "5.0|f|5");
  EXPECT_EQ(run(kEqualNumbers + "SELECT min(DISTINCT v), x, v FROM t GROUP BY v"),
            "3|d|3.0\n5.0|f|5");
  EXPECT_EQ(run(kEqualNumbers + "SELECT min(v), x, v FROM t"), "3|a|3");
}

// Groups that tie come in the directions of an ORDER BY of as many terms.
TEST(Aggregates, OrderOfGroupsThatTie) {
  const std::string rows = "CREATE TABLE t(a, b); INSERT INTO t VALUES(1,1),(2,1),(3,1),(2,2);";
  EXPECT_EQ(run(rows + "SELECT a, max(b) > 5 FROM t GROUP BY a ORDER BY 2 DESC"), "3|0\n2|0\n1|0");
  EXPECT_EQ(run(rows + "SELECT a, b, max(b) > 5 FROM t GROUP BY a, b ORDER BY 3 DESC"),
            "1|1|0\n2|1|0\n2|2|0\n3|1|0");
  EXPECT_EQ(run(rows + "SELECT a, b FROM t GROUP BY a, b ORDER BY max(b) > 5, 'x' DESC"),
            "1|1\n2|2\n2|1\n3|1");
  EXPECT_EQ(run(rows + "SELECT a, rank() OVER (ORDER BY max(b) > 5 DESC) FROM t GROUP BY a"),
            "3|1\n2|1\n1|1");
}

// The first value of a sum that leaves the integers is kept in two parts.
TEST(Aggregates, SumsOfLargeIntegersBecomeRealsAsInSqlite) {
  EXPECT_EQ(run("SELECT sum(c) OVER (ORDER BY b ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)"
                " FROM (SELECT 1 b, 9223372036854775807 c UNION ALL SELECT 2, 1 UNION ALL"
                " SELECT 3, 0.1 UNION ALL SELECT 4, -20)"),
            "-18.900000000001455\n-19.900000000001455\n-20.000000000001819\nNULL");
}

TEST(RecursiveQuery, SeveralRecursiveTermsShareOneQueue) {
  EXPECT_EQ(run("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<3"
                " UNION ALL SELECT x*10 FROM c WHERE x<3) SELECT group_concat(x) FROM c"),
            "1,2,10,3,20");
  EXPECT_EQ(run("WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x+1 FROM c WHERE x<3"
                " UNION SELECT b.x*10 FROM c b WHERE b.x<30) SELECT group_concat(x) FROM c"),
            "1,2,10,3,20,100,30,200");
  EXPECT_EQ(run("WITH RECURSIVE c(x,d) AS (SELECT 1,0 UNION ALL SELECT x+1,d+1 FROM c WHERE x<4"
                " UNION ALL SELECT x*10,d+1 FROM c WHERE x<4 ORDER BY 2 DESC, 1 LIMIT 20)"
                " SELECT group_concat(x) FROM c"),
            "1,2,3,4,30,20,10");
}

TEST(RecursiveQuery, ErrorsAreThoseOfSqlite) {
  EXPECT_EQ(run("WITH c(x) AS (SELECT x FROM d), d(x) AS (SELECT x FROM c) SELECT * FROM c"),
            "error 1: circular reference: c");
  EXPECT_EQ(run("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c, c AS d)"
                " SELECT * FROM c"),
            "error 1: multiple references to recursive table: c");
  EXPECT_EQ(run("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT max(x)+1 FROM c)"
                " SELECT * FROM c"),
            "error 1: recursive aggregate queries not supported");
}

TEST(Explain, PlansOfStatementsThatWrite) {
  const std::string tables = "CREATE TABLE t(a, b); CREATE INDEX i ON t(a); CREATE TABLE u(c);";
  auto plan = [&](const std::string& sql) {
    return run(tables + "EXPLAIN QUERY PLAN " + sql);
  };
  EXPECT_EQ(plan("UPDATE t SET b = 1 WHERE a = 2"), "1|0|0|SEARCH t USING INDEX i (a=?)");
  EXPECT_EQ(plan("DELETE FROM t WHERE b = 2"), "1|0|0|SCAN t");
  EXPECT_EQ(plan("INSERT INTO u VALUES(1)"), "");
  EXPECT_EQ(plan("INSERT INTO u VALUES(1),(2)"), "1|0|0|SCAN 2-ROW VALUES CLAUSE");
  EXPECT_EQ(plan("CREATE TABLE v(x)"), "");
  EXPECT_EQ(plan("CREATE TABLE u(x)"), "error 1: table u already exists");
}

TEST(Explain, WindowsAreCoroutines) {
  EXPECT_EQ(run("CREATE TABLE t(a, b); EXPLAIN QUERY PLAN SELECT rank() OVER (ORDER BY a),"
                " row_number() OVER (ORDER BY a) FROM t"),
            "1|0|0|CO-ROUTINE (subquery-2)\n2|1|0|CO-ROUTINE (subquery-3)\n3|2|0|SCAN t\n"
            "4|2|0|USE TEMP B-TREE FOR ORDER BY\n5|1|0|SCAN (subquery-3)\n6|0|0|SCAN (subquery-2)");
}

TEST(Explain, ShowsOperators) {
  EXPECT_EQ(run("CREATE TABLE t(a); EXPLAIN SELECT count(*) FROM t").substr(0, 12), "0|Project|0|");
}

}  // namespace
}  // namespace godwit
