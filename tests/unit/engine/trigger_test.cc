// Triggers, with what SQLite gives.
#include <gtest/gtest.h>
#include <pthread.h>

#include "tests/unit/engine/run_lines.h"

namespace godwit {
namespace {

// Temporary ones first, oldest first; then the newest first. RETURNING stands between them.
TEST(Triggers, FireInTheOrderOfSQLite) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b);",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER a1 AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('a1 ' || "
                "new.a); END;",
                "CREATE TRIGGER b1 BEFORE INSERT ON t BEGIN INSERT INTO log VALUES ('b1 ' || "
                "new.a); END;",
                "CREATE TRIGGER a2 AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('a2 ' || "
                "new.a); END;",
                "CREATE TEMP TRIGGER ta1 AFTER INSERT ON t BEGIN INSERT INTO log VALUES "
                "('ta1'); END;",
                "CREATE TEMP TRIGGER ta2 AFTER INSERT ON t BEGIN INSERT INTO log VALUES "
                "('ta2'); END;",
                "INSERT INTO t(b) VALUES (7) RETURNING a, (SELECT count(*) FROM log);",
                "SELECT * FROM log;"}),
            "1|3\n"
            "b1 -1\n"
            "ta1\n"
            "ta2\n"
            "a2 1\n"
            "a1 1");
}

TEST(Triggers, ChangesBeforeAnUpdateAreKeptWhereTheUpdateDoesNotAssign) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER u1 BEFORE UPDATE OF a, b ON t BEGIN UPDATE t SET c = 'bu' "
                "WHERE a = old.a; END;",
                "CREATE TRIGGER u2 AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (old.c || "
                "new.c); END;",
                "INSERT INTO t VALUES (1, 2, 'c'), (2, 3, 'd');",
                "UPDATE t SET b = 9, a = a + 10 WHERE a = 1 RETURNING *;",
                "UPDATE t SET c = 'x' WHERE a = 2;",
                "SELECT * FROM log;"}),
            "11|9|bu\n"
            "cbu\n"
            "cbu\n"
            "dx");
}

TEST(Triggers, RowsThatATriggerRemovesAreSkipped) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b);",
                "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4);",
                "CREATE TRIGGER u BEFORE UPDATE ON t WHEN old.a = 1 BEGIN DELETE FROM t "
                "WHERE a < 3; END;",
                "UPDATE t SET b = b + 10 RETURNING a;",
                "SELECT changes();",
                "CREATE TRIGGER d AFTER DELETE ON t BEGIN DELETE FROM t WHERE a = old.a + 1; END;",
                "DELETE FROM t RETURNING a;",
                "SELECT changes(), (SELECT count(*) FROM t);"}),
            "3\n"
            "4\n"
            "2\n"
            "3\n"
            "1|0");
}

TEST(Triggers, NewRowidIsMinusOneUntilItIsChosen) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c AS (a * 2));",
                "CREATE TABLE log(m, n);",
                "CREATE TRIGGER b BEFORE INSERT ON t BEGIN INSERT INTO log VALUES (new.a, "
                "new.c); END;",
                "CREATE TRIGGER a AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.rowid, "
                "new.c); END;",
                "INSERT INTO t(b) VALUES (1);",
                "INSERT INTO t VALUES ('17', 1);",
                "INSERT INTO t VALUES ('x', 1);",
                "SELECT * FROM log;"}),
            "error 20: datatype mismatch\n"
            "-1|-2\n"
            "1|2\n"
            "17|34\n"
            "17|34");
}

TEST(Triggers, RaiseIgnoreGivesUpTheRow) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b);",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER b BEFORE INSERT ON t WHEN new.b = 'b' BEGIN SELECT "
                "RAISE(IGNORE); END;",
                "CREATE TRIGGER a AFTER INSERT ON t WHEN new.b = 'a' BEGIN SELECT "
                "RAISE(IGNORE); END;",
                "INSERT INTO t VALUES (1, 'x'), (2, 'b'), (3, 'a'), (4, 'y') RETURNING a;",
                "SELECT changes();",
                "CREATE TABLE s(x);",
                "CREATE TRIGGER s1 AFTER INSERT ON s BEGIN INSERT INTO t VALUES (10, 'b'), "
                "(11, 'c'); END;",
                "INSERT INTO s VALUES (1);",
                "SELECT a FROM t;"}),
            "1\n"
            "3\n"
            "4\n"
            "3\n"
            "1\n"
            "3\n"
            "4\n"
            "11");
}

TEST(Triggers, RaiseEndsTheStatementAsItSays) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b);",
                "CREATE TRIGGER b AFTER INSERT ON t WHEN new.b = 'A' BEGIN SELECT "
                "RAISE(ABORT, 'a ' || new.a); END;",
                "CREATE TRIGGER f AFTER INSERT ON t WHEN new.b = 'F' BEGIN SELECT "
                "RAISE(FAIL, 'f'); END;",
                "CREATE TRIGGER r AFTER INSERT ON t WHEN new.b = 'R' BEGIN SELECT "
                "RAISE(ROLLBACK, 'r'); END;",
                "BEGIN;",
                "INSERT INTO t VALUES (1, 'x'), (2, 'A'), (3, 'y');",
                "SELECT changes(), (SELECT group_concat(a) FROM t);",
                "INSERT INTO t VALUES (4, 'x'), (5, 'F'), (6, 'y');",
                "SELECT changes(), (SELECT group_concat(a) FROM t);",
                "INSERT INTO t VALUES (7, 'x'), (8, 'R'), (9, 'y');",
                "SELECT changes(), (SELECT group_concat(a) FROM t);",
                "COMMIT;"}),
            "error 1811: a 2\n"
            "0|NULL\n"
            "error 1811: f\n"
            "2|4,5\n"
            "error 1811: r\n"
            "0|NULL\n"
            "error 1: cannot commit - no transaction is active");
}

TEST(Triggers, RecursionIsOffUnlessAskedFor) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE r(n);",
                "CREATE TRIGGER r1 AFTER INSERT ON r WHEN new.n > 0 BEGIN INSERT INTO r "
                "VALUES (new.n - 1); END;",
                "INSERT INTO r VALUES (5);",
                "SELECT group_concat(n) FROM r;",
                "PRAGMA recursive_triggers = 1;",
                "INSERT INTO r VALUES (5);",
                "SELECT group_concat(n) FROM r;",
                "SELECT changes(), total_changes(), last_insert_rowid();"}),
            "5,4\n"
            "5,4,5,4,3,2,1,0\n"
            "1|8|3");
}

TEST(Triggers, RecursionIsLimited) {
  EXPECT_EQ(run_lines({
                "PRAGMA recursive_triggers = 1;",
                "CREATE TABLE r(n);",
                "CREATE TRIGGER r1 AFTER INSERT ON r WHEN new.n > 0 BEGIN INSERT INTO r "
                "VALUES (new.n - 1); END;",
                "INSERT INTO r VALUES (999);",
                "SELECT count(*) FROM r;",
                "INSERT INTO r VALUES (1000);",
                "SELECT count(*) FROM r;"}),
            "1000\n"
            "error 1: too many levels of trigger recursion\n"
            "1000");
}

TEST(Triggers, ReplaceFiresDeleteTriggersIfTheyAreRecursive) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE);",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER d AFTER DELETE ON t BEGIN INSERT INTO log VALUES (old.a); END;",
                "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);",
                "REPLACE INTO t VALUES (1, 2);",
                "SELECT * FROM log;",
                "PRAGMA recursive_triggers = 1;",
                "REPLACE INTO t VALUES (1, 3);",
                "SELECT * FROM log;",
                "SELECT changes();",
                "CREATE TRIGGER back AFTER DELETE ON t BEGIN INSERT INTO t VALUES (old.a, "
                "old.b); END;",
                "REPLACE INTO t VALUES (1, 7);",
                "SELECT * FROM t;",
                "PRAGMA integrity_check;"}),
            "1\n"
            "3\n"
            "1\n"
            "error 1555: UNIQUE constraint failed: t.a\n"
            "1|3\n"
            "ok");
}

TEST(Triggers, TheOrClauseOfTheStatementRulesInside) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE u(a INTEGER PRIMARY KEY, b UNIQUE);",
                "CREATE TABLE s(x);",
                "CREATE TRIGGER s1 AFTER INSERT ON s BEGIN INSERT OR ABORT INTO u VALUES "
                "(new.x, 5); END;",
                "INSERT INTO u VALUES (1, 5);",
                "INSERT INTO s VALUES (2);",
                "INSERT OR IGNORE INTO s VALUES (2);",
                "SELECT * FROM u;",
                "INSERT OR REPLACE INTO s VALUES (3);",
                "SELECT * FROM u;",
                "SELECT * FROM s;"}),
            "error 2067: UNIQUE constraint failed: u.b\n"
            "1|5\n"
            "3|5\n"
            "2\n"
            "3");
}

TEST(Triggers, CountersBelongToTheProgram) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE e(i INTEGER PRIMARY KEY, v);",
                "CREATE TABLE f(i INTEGER PRIMARY KEY, a, b);",
                "CREATE TRIGGER e0 AFTER INSERT ON e BEGIN INSERT INTO f VALUES (100, "
                "changes(), 0); END;",
                "DROP TRIGGER e0;",
                "CREATE TRIGGER e1 AFTER INSERT ON e BEGIN INSERT INTO f SELECT 100 + new.i, "
                "changes(), last_insert_rowid(); UPDATE f SET b = b; INSERT INTO f SELECT "
                "200 + new.i, changes(), last_insert_rowid(); END;",
                "INSERT INTO e(v) VALUES ('a'), ('b');",
                "SELECT * FROM f;",
                "SELECT changes(), total_changes(), last_insert_rowid();"}),
            "101|0|1\n"
            "102|0|2\n"
            "201|1|101\n"
            "202|3|102\n"
            "2|10|2");
}

TEST(Triggers, InsteadOfTriggersMakeViewsWritable) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);",
                "INSERT INTO t VALUES (1, 'x', 3), (2, 'y', 4);",
                "CREATE VIEW v AS SELECT a AS p, b, c + 0 AS r FROM t;",
                "DELETE FROM v;",
                "CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.p, "
                "new.b, new.r); END;",
                "CREATE TRIGGER vu INSTEAD OF UPDATE ON v BEGIN UPDATE t SET b = new.b WHERE "
                "a = old.p; END;",
                "CREATE TRIGGER vd INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE a = "
                "old.p; END;",
                "INSERT INTO v VALUES ('5', 6, '7') RETURNING *, typeof(p), typeof(b), typeof(r);",
                "INSERT INTO v(b) VALUES ('n') RETURNING *;",
                "UPDATE v SET b = 5, r = '9' WHERE p = 1 RETURNING *, typeof(b), typeof(r);",
                "DELETE FROM v WHERE r = 4 RETURNING p;",
                "SELECT changes();",
                "SELECT * FROM t;",
                "INSERT INTO v VALUES (1);",
                "INSERT INTO v(z) VALUES (1);",
                "UPDATE v SET z = 1;",
                "INSERT INTO v VALUES (1, 2, 3) ON CONFLICT DO NOTHING;",
                "INSERT INTO v VALUES (1, 2, 3) RETURNING rowid;"}),
            "error 1: cannot modify v because it is a view\n"
            "5|6|7|text|integer|text\n"
            "NULL|n|NULL\n"
            "1|5|9|text|text\n"
            "2\n"
            "0\n"
            "1|5|3\n"
            "5|6|7\n"
            "6|n|NULL\n"
            "error 1: table v has 3 columns but 1 values were supplied\n"
            "error 1: table v has no column named z\n"
            "error 1: no such column: z\n"
            "error 1: cannot UPSERT a view\n"
            "error 1: no such column: rowid");
}

TEST(Triggers, UpsertFiresThoseOfInsertAndUpdate) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE k(a INTEGER PRIMARY KEY, b, n DEFAULT 0);",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER k1 BEFORE INSERT ON k BEGIN INSERT INTO log VALUES ('bi ' || "
                "new.a); END;",
                "CREATE TRIGGER k2 AFTER INSERT ON k BEGIN INSERT INTO log VALUES ('ai ' || "
                "new.a); END;",
                "CREATE TRIGGER k3 BEFORE UPDATE ON k BEGIN INSERT INTO log VALUES ('bu ' || "
                "new.n); END;",
                "CREATE TRIGGER k4 AFTER UPDATE OF n ON k BEGIN INSERT INTO log VALUES ('au "
                "' || old.n); END;",
                "INSERT INTO k(a) VALUES (1), (1), (2) ON CONFLICT (a) DO UPDATE SET n = n + "
                "1 RETURNING a, n;",
                "SELECT * FROM log;",
                "SELECT changes(), total_changes(), last_insert_rowid();"}),
            "1|0\n"
            "1|1\n"
            "2|0\n"
            "bi 1\n"
            "ai 1\n"
            "bi 1\n"
            "bu 1\n"
            "au 0\n"
            "bi 2\n"
            "ai 2\n"
            "3|10|2");
}

TEST(Triggers, WhatCannotBeMadeIsSaid) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a);",
                "CREATE VIEW v AS SELECT 1 AS q;",
                "CREATE TRIGGER x AFTER INSERT ON nosuch BEGIN SELECT 1; END;",
                "CREATE TRIGGER x AFTER INSERT ON v BEGIN SELECT 1; END;",
                "CREATE TRIGGER x INSTEAD OF INSERT ON t BEGIN SELECT 1; END;",
                "CREATE TRIGGER x AFTER INSERT ON sqlite_master BEGIN SELECT 1; END;",
                "CREATE TRIGGER sqlite_x AFTER INSERT ON t BEGIN SELECT 1; END;",
                "CREATE TRIGGER x AFTER INSERT ON temp.t BEGIN SELECT 1; END;",
                "CREATE TEMP TRIGGER main.x AFTER INSERT ON t BEGIN SELECT 1; END;",
                "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT * FROM nosuch; END;",
                "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END;",
                "CREATE TRIGGER IF NOT EXISTS x AFTER INSERT ON t BEGIN SELECT 1; END;",
                "INSERT INTO t VALUES (1);",
                "DROP TRIGGER x;",
                "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT old.a; END;",
                "INSERT INTO t VALUES (1);",
                "DROP TRIGGER y;",
                "DROP TRIGGER IF EXISTS y;",
                "SELECT RAISE(IGNORE);"}),
            "error 1: no such table: main.nosuch\n"
            "error 1: cannot create AFTER trigger on view: v\n"
            "error 1: cannot create INSTEAD OF trigger on table: t\n"
            "error 1: cannot create trigger on system table\n"
            "error 1: object name reserved for internal use: sqlite_x\n"
            "error 1: trigger x cannot reference objects in database temp\n"
            "error 1: temporary trigger may not have qualified name\n"
            "error 1: trigger x already exists\n"
            "error 1: no such table: main.nosuch\n"
            "error 1: no such column: old.a\n"
            "error 1: no such trigger: y\n"
            "error 1: RAISE() may only be used within a trigger-program");
}

// Except the rowid; they have their collations.
TEST(Triggers, ColumnsOfTheRowHaveNoAffinity) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(i INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, r REAL, b INT);",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log SELECT (new.i = "
                "'1') || (new.a = 5) || (new.r = '5') || (new.b IN ('5')) || (new.a = 'X'); END;",
                "INSERT INTO t VALUES (1, 5, 5, 5), (2, 'x', 5, 5) RETURNING i = '1', a = 5, "
                "r = '5', b IN ('5'), a = 'X';",
                "SELECT * FROM log;"}),
            "1|1|1|1|0\n"
            "0|0|1|1|1\n"
            "10000\n"
            "00001");
}

TEST(Triggers, GoWithTheirTable) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a);",
                "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END;",
                "CREATE TEMP TRIGGER y AFTER INSERT ON t BEGIN SELECT 1; END;",
                "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_temp_master;",
                "DROP TABLE t;",
                "SELECT count(*) FROM sqlite_master;",
                "SELECT count(*) FROM sqlite_temp_master;"}),
            "trigger|y|t|0|CREATE TRIGGER y AFTER INSERT ON t BEGIN SELECT 1; END\n"
            "0\n"
            "0");
}

TEST(Triggers, TablesWithoutRowid) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE w(k TEXT, j INT, v, PRIMARY KEY (j, k)) WITHOUT ROWID;",
                "CREATE TABLE log(m);",
                "CREATE TRIGGER w1 BEFORE UPDATE ON w BEGIN UPDATE w SET v = 'bu' WHERE j = "
                "3; END;",
                "CREATE TRIGGER w2 AFTER UPDATE ON w BEGIN INSERT INTO log VALUES (old.k || "
                "new.k || new.v); END;",
                "CREATE TRIGGER w3 AFTER DELETE ON w BEGIN DELETE FROM w WHERE k = old.v; END;",
                "INSERT INTO w VALUES ('a', 1, 'b'), ('b', 2, 'x'), ('c', 3, 'y');",
                "UPDATE w SET k = k || '!' WHERE j < 3 RETURNING *;",
                "SELECT * FROM log;",
                "UPDATE w SET v = 'b!' WHERE j = 1;",
                "DELETE FROM w WHERE j < 3;",
                "SELECT changes();",
                "SELECT * FROM w;",
                "PRAGMA integrity_check;"}),
            "a!|1|b\n"
            "b!|2|x\n"
            "ccbu\n"
            "aa!b\n"
            "ccbu\n"
            "bb!x\n"
            "1\n"
            "c|3|bu\n"
            "ok");
}

// Runs `sql` on a thread with a stack of 512 KB.
std::string run_on_small_stack(std::initializer_list<const char*> lines) {
  struct Work {
    std::initializer_list<const char*> lines;
    std::string result;
  } work{lines, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{512} << 10);
  pthread_t thread;
  auto run = [](void* argument) -> void* {
    auto* own = static_cast<Work*>(argument);
    own->result = run_lines(own->lines);
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return work.result;
}

TEST(Triggers, DeepRecursionOnASmallStackIsAnError) {
  EXPECT_EQ(run_on_small_stack(
                {"PRAGMA recursive_triggers = 1;",
                 "CREATE TABLE t(a);",
                 "CREATE TRIGGER i AFTER INSERT ON t WHEN new.a < 2000 BEGIN INSERT INTO t "
                 "VALUES (new.a + 1); END;",
                 "INSERT INTO t VALUES (1980);",
                 "INSERT INTO t VALUES (1);",
                 "SELECT count(*) FROM t;"}),
            "error 1: too many levels of trigger recursion\n"
            "21");
  EXPECT_EQ(run_on_small_stack(
                {"PRAGMA foreign_keys = 1;",
                 "CREATE TABLE t(a INTEGER PRIMARY KEY, p REFERENCES t ON DELETE CASCADE);",
                 "INSERT INTO t WITH RECURSIVE r(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM r "
                 "WHERE x < 2000) SELECT x, nullif(x - 1, -1) FROM r;",
                 "DELETE FROM t WHERE a = 0;",
                 "DELETE FROM t WHERE a = 1990;",
                 "SELECT count(*) FROM t;"}),
            "error 1: too many levels of trigger recursion\n"
            "1990");
}

TEST(Triggers, AutoincrementGoesOnFromWhatTriggersInserted) {
  EXPECT_EQ(run_lines({
                "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b);",
                "CREATE TRIGGER i AFTER INSERT ON t WHEN new.b = 'x' BEGIN INSERT INTO t "
                "VALUES (NULL, 'y'); END;",
                "INSERT INTO t(b) VALUES ('x'), ('x'), ('z') RETURNING a;",
                "DELETE FROM t;",
                "INSERT INTO t(b) VALUES ('z') RETURNING a;",
                "SELECT * FROM sqlite_sequence;"}),
            "1\n"
            "3\n"
            "5\n"
            "6\n"
            "t|6");
}

}  // namespace
}  // namespace godwit
