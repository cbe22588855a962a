// What the binder refuses, in SQLite's words.
#include "bind_fixture.h"

namespace godwit {
namespace {

class BindError : public BindTest {
 protected:
  BindError() {
    table("CREATE TABLE t(a INT, b TEXT COLLATE NOCASE, c)");
    table("CREATE TABLE u(a INT, d)");
    view("CREATE VIEW w AS SELECT a, b FROM t");
    view("CREATE VIEW narrow(p, q) AS SELECT a FROM t");
    view("CREATE VIEW ring1 AS SELECT * FROM ring2");
    view("CREATE VIEW ring2 AS SELECT * FROM ring1");
    view("CREATE VIEW broken AS SELECT * FROM missing");
  }
};

TEST_F(BindError, NamesTheMissingColumnAsWritten) {
  EXPECT_EQ(error("SELECT x FROM t"), "no such column: x");
  EXPECT_EQ(error_offset_, 7);
  EXPECT_EQ(error("SELECT t.x FROM t"), "no such column: t.x");
  EXPECT_EQ(error("SELECT main.t.x FROM t"), "no such column: main.t.x");
  EXPECT_EQ(error("SELECT t.a FROM t AS z"), "no such column: t.a");
  EXPECT_EQ(error("SELECT `x` FROM t"), "no such column: x");
  EXPECT_EQ(error("SELECT rowid FROM w"), "no such column: rowid");
  EXPECT_EQ(error("SELECT a FROM t LIMIT a"), "no such column: a");
}

TEST_F(BindError, RefusesNamesThatTwoSourcesHave) {
  EXPECT_EQ(error("SELECT a FROM t, u"), "ambiguous column name: a");
  EXPECT_EQ(error("SELECT rowid FROM t, u"), "ambiguous column name: rowid");
  EXPECT_EQ(error("SELECT a FROM t JOIN u USING (a)"), "no error");
}

TEST_F(BindError, NamesTheMissingTable) {
  EXPECT_EQ(error("SELECT * FROM nosuch"), "no such table: nosuch");
  EXPECT_EQ(error("SELECT * FROM main.nosuch"), "no such table: main.nosuch");
  EXPECT_EQ(error("SELECT u.* FROM t"), "no such table: u");
  EXPECT_EQ(error("SELECT * FROM broken"), "no such table: main.missing");
  EXPECT_EQ(error("SELECT *"), "no tables specified");
  EXPECT_EQ(error("SELECT * FROM t(1)"), "'t' is not a function");
}

TEST_F(BindError, ChecksViews) {
  EXPECT_EQ(error("SELECT * FROM narrow"), "expected 2 columns for 'narrow' but got 1");
  EXPECT_EQ(error("SELECT * FROM ring1"), "view ring1 is circularly defined");
}

TEST_F(BindError, ChecksCommonTables) {
  EXPECT_EQ(error("WITH c AS (SELECT * FROM c) SELECT * FROM c"), "circular reference: c");
  EXPECT_EQ(error("WITH c(x, y) AS (SELECT 1) SELECT * FROM c"),
            "table c has 1 values for 2 columns");
  EXPECT_EQ(error("WITH c AS (SELECT 1), C AS (SELECT 2) SELECT 1"),
            "duplicate WITH table name: C");
  EXPECT_EQ(error("WITH c(x) AS (SELECT 1 UNION ALL SELECT 2 FROM c, c) SELECT * FROM c"),
            "multiple references to recursive table: c");
  EXPECT_EQ(error("WITH c(x) AS (SELECT 1 UNION ALL SELECT 2 FROM c WHERE x IN (SELECT x FROM c))"
                  " SELECT * FROM c"),
            "multiple recursive references: c");
  EXPECT_EQ(error("WITH c(x) AS (SELECT 1 UNION ALL SELECT count(*) FROM c) SELECT * FROM c"),
            "recursive aggregate queries not supported");
  EXPECT_EQ(error("WITH c AS (SELECT nosuch) SELECT 1"), "no error");
}

TEST_F(BindError, TellsMisusesOfAggregatesApart) {
  EXPECT_EQ(error("SELECT a FROM t WHERE sum(a) > 1"), "misuse of aggregate function sum()");
  EXPECT_EQ(error("SELECT sum(a) FROM t WHERE sum(a) > 1"), "misuse of aggregate: sum()");
  EXPECT_EQ(error("SELECT a FROM t ORDER BY SUM(a)"), "misuse of aggregate: SUM()");
  EXPECT_EQ(error("SELECT sum(sum(a)) FROM t"), "misuse of aggregate function sum()");
  EXPECT_EQ(error("SELECT a FROM t WHERE (SELECT sum(t.a) FROM u) > 1"),
            "misuse of aggregate: sum()");
  EXPECT_EQ(error("SELECT a FROM t GROUP BY sum(a)"),
            "aggregate functions are not allowed in the GROUP BY clause");
  EXPECT_EQ(error("SELECT a FROM t HAVING count(*) > 1"),
            "HAVING clause on a non-aggregate query");
  EXPECT_EQ(error("SELECT group_concat(DISTINCT a, b) FROM t"),
            "DISTINCT aggregates must have exactly one argument");
}

TEST_F(BindError, ChecksCallsOfFunctions) {
  EXPECT_EQ(error("SELECT nosuch(1)"), "no such function: nosuch");
  EXPECT_EQ(error("SELECT abs(1, 2)"), "wrong number of arguments to function abs()");
  EXPECT_EQ(error("SELECT max() FROM t"), "wrong number of arguments to function max()");
  EXPECT_EQ(error("SELECT abs(1) FILTER (WHERE 1)"), "FILTER may not be used with non-aggregate abs()");
  EXPECT_EQ(error("SELECT abs(1) OVER ()"), "abs() may not be used as a window function");
  EXPECT_EQ(error("SELECT row_number()"), "misuse of window function row_number()");
  EXPECT_EQ(error("SELECT likelihood(1, 2)"),
            "second argument to likelihood() must be a constant between 0.0 and 1.0");
  EXPECT_EQ(error("SELECT a COLLATE zz FROM t"), "no error");
  EXPECT_EQ(error("SELECT a COLLATE zz = 1 FROM t"), "no such collation sequence: zz");
}

TEST_F(BindError, ChecksOrderAndGroupTerms) {
  EXPECT_EQ(error("SELECT a FROM t ORDER BY 2"),
            "1st ORDER BY term out of range - should be between 1 and 1");
  EXPECT_EQ(error("SELECT a FROM t ORDER BY a, -1"),
            "2nd ORDER BY term out of range - should be between 1 and 1");
  EXPECT_EQ(error("SELECT a, b FROM t GROUP BY 3"),
            "1st GROUP BY term out of range - should be between 1 and 2");
  EXPECT_EQ(error("SELECT a FROM t UNION SELECT a FROM u ORDER BY d + 1"),
            "1st ORDER BY term does not match any column in the result set");
}

TEST_F(BindError, ChecksRowValues) {
  EXPECT_EQ(error("SELECT (1, 2)"), "row value misused");
  EXPECT_EQ(error("SELECT (1, 2) = 1"), "row value misused");
  EXPECT_EQ(error("SELECT (SELECT 1, 2)"), "sub-select returns 2 columns - expected 1");
  EXPECT_EQ(error("SELECT (1, 2) IN (SELECT 1)"), "sub-select returns 1 columns - expected 2");
  EXPECT_EQ(error("SELECT (1, 2) IN ((1, 2, 3))"), "IN(...) element has 3 terms - expected 2");
}

TEST_F(BindError, ChecksCompoundsAndJoins) {
  EXPECT_EQ(error("SELECT a FROM t UNION ALL SELECT a, d FROM u"),
            "SELECTs to the left and right of UNION ALL do not have the same number of result columns");
  EXPECT_EQ(error("SELECT * FROM t JOIN u USING (zz)"),
            "cannot join using column zz - column not present in both tables");
  EXPECT_EQ(error("SELECT * FROM t LEFT JOIN u ON w.a = 1 JOIN w"),
            "ON clause references tables to its right");
  EXPECT_EQ(error("SELECT * FROM t JOIN u ON w.a = 1 JOIN w"), "no error");
  EXPECT_EQ(error("SELECT * FROM t INDEXED BY i"), "no such index: i");
}

}  // namespace
}  // namespace godwit
