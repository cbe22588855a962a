// Faults that differential fuzzing found, each with the rows that SQLite gives.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

std::string run(std::string_view sql) {
  auto connection = Connection::open(":memory:", {});
  return run_sql(connection->get(), sql);
}

// The rows of a right side without a match were taken to be in the order of the left side's rowid.
TEST(Regress, OrderByCoversTheUnmatchedRowsOfAFullJoin) {
  EXPECT_EQ(run("CREATE TABLE t(a INTEGER PRIMARY KEY, c, d);"
                "INSERT INTO t VALUES(1,2,3),(2,9,9),(3,3,7);"
                "SELECT x.a, y.a FROM t x FULL JOIN t y ON x.c = y.d ORDER BY 1 LIMIT 2"),
            "NULL|3\n1|NULL");
}

// A row that REPLACE had removed for an earlier row of the statement was updated all the same.
TEST(Regress, UpdateOrReplaceSkipsRowsThatItHasRemoved) {
  EXPECT_EQ(run("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1),(2),(3);"
                "UPDATE OR REPLACE t SET a = 9; SELECT a FROM t; PRAGMA integrity_check"),
            "9\nok");
}

// In a table without rowids another row may stand under the key of the removed one.
TEST(Regress, UpdateOrReplaceFollowsMovedKeysOfTablesWithoutRowid) {
  EXPECT_EQ(run("CREATE TABLE t(a, b INTEGER PRIMARY KEY, d) WITHOUT ROWID; CREATE INDEX i ON t(a);"
                "INSERT INTO t(a, b) VALUES(1, 3),(2, 42),(3, 50);"
                "UPDATE OR REPLACE t SET b = 42, d = 1; SELECT * FROM t; PRAGMA integrity_check"),
            "3|42|1\nok");
}

// A result column that is a group key was described as the table column of the same number.
TEST(Regress, ColumnsOfGroupedQueriesAreDescribedByTheirOwnTable) {
  EXPECT_EQ(run("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 2);"
                "SELECT min(1), count(*), a FROM t GROUP BY a, b"),
            "1|1|1");
}

TEST(Regress, EmptyInListIsATruthWord) {
  EXPECT_EQ(run("SELECT 5 IS (1 NOT IN ()), 0 IS NOT (1 NOT IN ()), NULL IS (1 IN ())"), "1|1|0");
}

// A parenthesized subquery as the only member of a list stands for all its rows.
TEST(Regress, InListOfOneSubqueryIsInThatSubquery) {
  EXPECT_EQ(run("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2);"
                "SELECT 2 IN ((SELECT a FROM t)), 3 NOT IN ((SELECT a FROM t WHERE 0))"),
            "1|1");
}

TEST(Regress, SumOfTextKeepsReals) { EXPECT_EQ(run("SELECT sum('1.0'), sum('1')"), "1.0|1"); }

// EXISTS as a join: of the candidates of a left row some fail the condition, and the row's candidates
// may end with a batch, or begin one. Row n has n % 9 + 1 candidates; every third one passes.
TEST(Regress, ExistsTakesEachRowOnceWhateverItsNumberOfCandidates) {
  EXPECT_EQ(run("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a INT, v INT);"
                "CREATE INDEX ba ON b(a);"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
                "INSERT INTO a SELECT i FROM n;"
                "WITH RECURSIVE k(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM k WHERE j < 8)"
                "INSERT INTO b SELECT id, j FROM a, k WHERE j <= id % 9;"
                "SELECT count(*), sum(id) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.a = a.id "
                "AND b.v % 3 = 2);"
                "SELECT count(*), sum(id) FROM a WHERE id IN (SELECT b.a FROM b WHERE v % 3 = 2);"
                "SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.a = a.id "
                "AND b.v % 3 = 2)"),
            "2333|3500168\n2333|3500168\n667");
}

// The word was taken for a string.
TEST(Regress, CurrentDateIsADefaultThatIsComputed) {
  EXPECT_EQ(run("CREATE TABLE t(a DEFAULT CURRENT_DATE, b DEFAULT \"current_date\", c);"
                "INSERT INTO t(c) VALUES(1); SELECT length(a), b FROM t;"
                "ALTER TABLE t ADD d DEFAULT CURRENT_TIME"),
            "error 1: Cannot add a column with non-constant default");
  EXPECT_EQ(run("CREATE TABLE t(a DEFAULT CURRENT_DATE, b DEFAULT \"current_date\", c);"
                "INSERT INTO t(c) VALUES(1); SELECT length(a), b FROM t"),
            "10|current_date");
}

// Reindexing the index that is the table emptied it.
TEST(Regress, ReindexLeavesThePrimaryKeyOfATableWithoutRowidAlone) {
  EXPECT_EQ(run("CREATE TABLE w(a PRIMARY KEY, b UNIQUE) WITHOUT ROWID; INSERT INTO w VALUES(1, 2);"
                "REINDEX sqlite_autoindex_w_1; REINDEX w; SELECT * FROM w; PRAGMA integrity_check"),
            "1|2\nok");
}

// The pragma changed the file outside of a transaction.
TEST(Regress, AutoVacuumGoesFromFullToIncrementalWithoutVacuum) {
  EXPECT_EQ(run("PRAGMA auto_vacuum = 1; CREATE TABLE t(a); PRAGMA auto_vacuum = 2;"
                "PRAGMA auto_vacuum; PRAGMA integrity_check"),
            "2\nok");
}

}  // namespace
}  // namespace godwit
