// INSERT ... ON CONFLICT, with the results of SQLite.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

std::string run(std::string_view sql) { return run_past_errors(sql); }

TEST(Upsert, DoUpdateChangesTheRowInTheWay) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT "
                "INTO t(a, b) VALUES('a2','x') ON CONFLICT(a) DO UPDATE SET c = excluded.b || "
                "t.b || excluded.id;SELECT * FROM t; SELECT changes(), last_insert_rowid()"),
            "1|a1|b1|0\n2|a2|b2|xb24\n3|a3|b3|0\n1|3");
}

// The row conflicts three times.
TEST(Upsert, ClausesAreTriedInTheirOwnOrder) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT "
                "INTO t VALUES(1,'a2','b3',9) ON CONFLICT(b) DO UPDATE SET c='B' ON "
                "CONFLICT(a) DO UPDATE SET c='A' ON CONFLICT DO NOTHING;SELECT id, c FROM t"),
            "1|0\n2|0\n3|B");
}

TEST(Upsert, ALastClauseWithoutTargetTakesAllOtherConflicts) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT "
                "INTO t VALUES(1,'a9','b9',9) ON CONFLICT(a) DO NOTHING ON CONFLICT DO UPDATE "
                "SET c='*';SELECT id, c FROM t"),
            "1|*\n2|0\n3|0");
}

TEST(Upsert, ConflictsWithoutClauseAreErrors) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);"
                "INSERT INTO t VALUES(9,'a9','b3',9) ON CONFLICT(a) DO NOTHING"),
            "error 2067: UNIQUE constraint failed: t.b");
}

TEST(Upsert, OtherConflictsAreResolvedByTheStatement) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT OR "
                "REPLACE INTO t VALUES(1,'a9','b3',9) ON CONFLICT(a) DO UPDATE SET c='A';"
                "SELECT * FROM t"),
            "1|a9|b3|9\n2|a2|b2|0");
}

TEST(Upsert, TheUpdateResolvesItsOwnConflictsByAbort) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT OR "
                "IGNORE INTO t VALUES(1,'x','y',9) ON CONFLICT(id) DO UPDATE SET a='a2'"),
            "error 2067: UNIQUE constraint failed: t.a");
}

TEST(Upsert, WhereOfTheUpdateLeavesRowsAlone) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT "
                "INTO t(a,b,c) VALUES('a1','',7),('a2','',-7) ON CONFLICT(a) DO UPDATE SET "
                "c=excluded.c WHERE excluded.c > 0;SELECT id, c FROM t; SELECT changes()"),
            "1|7\n2|0\n3|0\n1");
}

TEST(Upsert, EachRowSeesTheUpdatesBeforeIt) {
  EXPECT_EQ(run("CREATE TABLE n(w PRIMARY KEY, k) WITHOUT ROWID;INSERT INTO n "
                "VALUES('x',1),('y',1),('x',1),('x',1) ON CONFLICT(w) DO UPDATE SET k=(SELECT "
                "max(k) + 1 FROM n m WHERE m.w = excluded.w);SELECT * FROM n"),
            "x|3\ny|1");
}

TEST(Upsert, RowValuesAndSubqueriesOfSeveralColumnsAreAssigned) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT "
                "INTO t(a) VALUES('a1') ON CONFLICT(a) DO UPDATE SET (b,c)=('q',excluded.a);"
                "INSERT INTO t(a) VALUES('a3') ON CONFLICT(a) DO UPDATE SET (c,b)=(SELECT "
                "max(id),'z'||t.a FROM t AS u);SELECT * FROM t"),
            "1|a1|q|a1\n2|a2|b2|0\n3|a3|za3|3");
}

TEST(Upsert, TargetsMatchIndexesByCollationExpressionAndWhere) {
  EXPECT_EQ(run("CREATE TABLE u(a TEXT COLLATE NOCASE UNIQUE, b); "
                "CREATE UNIQUE INDEX e ON u(lower(b)) WHERE a IS NOT NULL;"
                "INSERT INTO u VALUES('k','V');INSERT INTO u VALUES('K',1) ON CONFLICT(a "
                "COLLATE nocase) DO UPDATE SET b='V2';INSERT INTO u VALUES('l','v2') ON "
                "CONFLICT(LOWER(b)) WHERE a IS NOT NULL DO UPDATE SET b='V3';SELECT * FROM u"),
            "k|V3");
}

TEST(Upsert, TargetsThatNothingMakesUniqueAreErrors) {
  EXPECT_EQ(run("CREATE TABLE u(a UNIQUE, b UNIQUE);INSERT INTO u VALUES(1,2) ON CONFLICT(b) "
                "DO NOTHING ON CONFLICT(b, a) DO UPDATE SET b=1"),
            "error 1: 2nd ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint");
}

TEST(Upsert, AnotherCollationIsAnotherTarget) {
  EXPECT_EQ(run("CREATE TABLE u(a TEXT COLLATE NOCASE UNIQUE);"
                "INSERT INTO u VALUES(1) ON CONFLICT(a COLLATE BINARY) DO NOTHING"),
            "error 1: ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint");
}

TEST(Upsert, PartialIndexesNeedTheirWhere) {
  EXPECT_EQ(run("CREATE TABLE u(a, b); CREATE UNIQUE INDEX e ON u(a) WHERE b > 1;"
                "INSERT INTO u VALUES(1,2) ON CONFLICT(a) WHERE b > 2 DO NOTHING"),
            "error 1: ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint");
}

TEST(Upsert, TheRowidCanBeAssigned) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);"
                "INSERT INTO t(id,a) VALUES(3,'n') ON CONFLICT(id) DO UPDATE SET id = 40;"
                "INSERT INTO t(a) VALUES('next'); SELECT id, a FROM t"),
            "1|a1\n2|a2\n40|a3\n41|next");
}

TEST(Upsert, NotNullIsCheckedBeforeTheConflict) {
  EXPECT_EQ(run("CREATE TABLE u(a PRIMARY KEY, b NOT NULL) WITHOUT ROWID; "
                "INSERT INTO u VALUES(1,1);"
                "INSERT INTO u VALUES(1,NULL) ON CONFLICT(a) DO UPDATE SET b=2"),
            "error 1299: NOT NULL constraint failed: u.b");
}

TEST(Upsert, SelectsNeedAWhere) {
  EXPECT_EQ(run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c DEFAULT 0);"
                "INSERT INTO t VALUES(1,'a1','b1',0),(2,'a2','b2',0),(3,'a3','b3',0);INSERT "
                "INTO t SELECT id, a, b, 5 FROM t WHERE true ON CONFLICT(id) DO UPDATE SET c = "
                "excluded.c + t.id;SELECT id, c FROM t"),
            "1|6\n2|7\n3|8");
}

}  // namespace
}  // namespace godwit
