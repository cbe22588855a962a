// RETURNING, with what SQLite gives.
#include <gtest/gtest.h>

#include "tests/unit/engine/run_lines.h"

namespace godwit {
namespace {

TEST(Returning, RowsAreGivenWhenAllIsDone) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL DEFAULT 5, d AS (b || "
                "'!'));",
                "INSERT INTO t(b) VALUES ('x'), ('y') RETURNING *;",
                "INSERT INTO t(b) VALUES ('z') RETURNING rowid, a + 1, b AS q, typeof(c), d, "
                "last_insert_rowid();",
                "UPDATE t SET b = b || 'u', a = a + 100 WHERE a < 3 RETURNING a, b, d;",
                "DELETE FROM t WHERE a > 100 RETURNING *, rowid;",
                "SELECT changes(), total_changes();",
                "INSERT INTO t DEFAULT VALUES RETURNING *;"}),
            "1|x|5.0|x!\n"
            "2|y|5.0|y!\n"
            "3|4|z|real|z!|3\n"
            "101|xu|xu!\n"
            "102|yu|yu!\n"
            "101|xu|5.0|xu!|101\n"
            "102|yu|5.0|yu!|102\n"
            "2|7\n"
            "4|NULL|5.0|NULL");
}

TEST(Returning, NamesAreThoseOfTheTableAlone) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b);",
                "INSERT INTO t AS u VALUES (1, 2) RETURNING u.b;",
                "INSERT INTO t AS u VALUES (1, 2) RETURNING t.b;",
                "INSERT INTO t VALUES (2, 2) RETURNING new.b;",
                "INSERT INTO t VALUES (2, 2) RETURNING main.t.b;",
                "INSERT INTO t VALUES (2, 2) RETURNING t.*;",
                "INSERT INTO t VALUES (2, 2) RETURNING sum(a);",
                "INSERT INTO t VALUES (2, 2) RETURNING (a, b);",
                "UPDATE t SET b = z.q FROM (SELECT 7 AS q) AS z RETURNING a, b;",
                "UPDATE t SET b = z.q FROM (SELECT 7 AS q) AS z RETURNING q;"}),
            "error 1: no such column: u.b\n"
            "2\n"
            "error 1: no such column: new.b\n"
            "error 1: no such column: main.t.b\n"
            "error 1: RETURNING may not use \"TABLE.*\" wildcards\n"
            "error 1: misuse of aggregate function sum()\n"
            "error 1: row value misused\n"
            "1|7\n"
            "error 1: no such column: q");
}

TEST(Returning, SkippedAndReplacedRowsGiveNothing) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE);",
                "INSERT INTO t VALUES (1, 1);",
                "INSERT OR IGNORE INTO t VALUES (1, 'x'), (2, 1), (3, 3) RETURNING a, b;",
                "INSERT OR REPLACE INTO t VALUES (1, 3), (4, 4) RETURNING a, b;",
                "INSERT INTO t VALUES (1, 9) ON CONFLICT DO NOTHING RETURNING a;",
                "INSERT INTO t VALUES (1, 9), (7, 7) ON CONFLICT (a) DO UPDATE SET b = "
                "excluded.b RETURNING a, b;",
                "SELECT changes(), total_changes();"}),
            "3|3\n"
            "1|3\n"
            "4|4\n"
            "1|9\n"
            "7|7\n"
            "2|6");
}

// Only a subquery that reads the changed table or the row is run for each row.
TEST(Returning, SubqueriesSeeTheTableAsItIsAfterEachRow) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a, b);",
                "CREATE TABLE log(m);",
                "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES "
                "(new.a); END;",
                "INSERT INTO t VALUES (1, 2), (3, 4) RETURNING a, (SELECT count(*) FROM t);",
                "INSERT INTO t VALUES (1, 2), (3, 4) RETURNING a, (SELECT count(*) FROM log);",
                "DELETE FROM t RETURNING (SELECT count(*) FROM t);"}),
            "1|1\n"
            "3|2\n"
            "1|3\n"
            "3|3\n"
            "3\n"
            "2\n"
            "1\n"
            "0");
}

TEST(Returning, AResultThatFailsUndoesTheStatement) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a, b);",
                "INSERT INTO t VALUES (1, 2), (3, -9223372036854775808) RETURNING abs(b);",
                "SELECT count(*) FROM t;",
                "BEGIN;",
                "INSERT INTO t VALUES (1, 2);",
                "INSERT INTO t VALUES (1, -9223372036854775808) RETURNING abs(b);",
                "COMMIT;",
                "SELECT count(*) FROM t;"}),
            "error 1: integer overflow\n"
            "0\n"
            "error 1: integer overflow\n"
            "1");
}

TEST(Returning, TablesWithoutRowid) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;",
                "INSERT INTO w VALUES ('a', 1), ('b', 2) RETURNING *;",
                "UPDATE w SET k = k || 'x' RETURNING k, v;",
                "DELETE FROM w RETURNING v, k;",
                "INSERT INTO w VALUES ('a', 1) RETURNING rowid;"}),
            "a|1\n"
            "b|2\n"
            "ax|1\n"
            "bx|2\n"
            "1|ax\n"
            "2|bx\n"
            "error 1: no such column: rowid");
}

}  // namespace
}  // namespace godwit
