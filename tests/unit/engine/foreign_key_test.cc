// Foreign keys that are enforced, with the results of SQLite.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

std::string run(std::string_view sql) { return run_past_errors(sql); }

TEST(ForeignKey, ARowWithoutParentIsAnError) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(id INTEGER PRIMARY KEY); "
                "CREATE TABLE c(p REFERENCES p);INSERT INTO c VALUES(NULL); "
                "INSERT INTO c VALUES(1)"),
            "error 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, AParentWithChildrenStays) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a PRIMARY KEY) WITHOUT ROWID; "
                "CREATE TABLE c(p REFERENCES p);INSERT INTO p VALUES(1),(2); "
                "INSERT INTO c VALUES(2); DELETE FROM p WHERE a=1; DELETE FROM p"),
            "error 787: FOREIGN KEY constraint failed");
}

// The child is compared as a value of the parent.
TEST(ForeignKey, KeysAreComparedByAffinityAndCollationOfTheParent) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;"
                "CREATE TABLE p(a TEXT COLLATE NOCASE UNIQUE, b INTEGER UNIQUE);"
                "CREATE TABLE c(a REFERENCES p(a), b TEXT REFERENCES p(b)); "
                "INSERT INTO p VALUES('5',5),('x',6);INSERT INTO c VALUES(5,'05'),('X','6.0'); "
                "SELECT * FROM c; UPDATE p SET a='X' WHERE b=6;UPDATE p SET a='y' WHERE b=6"),
            "5|05\nX|6.0\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, CascadesFollowTheParent) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p REFERENCES p(a) ON UPDATE CASCADE ON DELETE CASCADE);"
                "INSERT INTO p VALUES('k'),('l'); INSERT INTO c VALUES('k'),('k'),('l');"
                "UPDATE p SET a='m' WHERE a='k'; SELECT changes(); SELECT * FROM c; "
                "DELETE FROM p WHERE a='m';SELECT changes(), total_changes(); SELECT * FROM c"),
            "1\nm\nm\nl\n1|11\nl");
}

TEST(ForeignKey, SetNullAndSetDefaultChangeTheChild) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); CREATE TABLE c(x REFERENCES "
                "p(a) ON DELETE SET NULL, y DEFAULT 'd' REFERENCES p(a) ON DELETE SET DEFAULT);"
                "INSERT INTO p VALUES('k'),('d'); INSERT INTO c VALUES('k','k'); "
                "DELETE FROM p WHERE a='k'; SELECT * FROM c;DELETE FROM p"),
            "NULL|d\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, RestrictIsAtOnce) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); CREATE TABLE c(p REFERENCES "
                "p(a) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED);"
                "INSERT INTO p VALUES(1); INSERT INTO c VALUES(1); BEGIN; DELETE FROM p"),
            "error 1811: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, CompositeKeysMatchTheirIndexInAnyOrder) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a, b, UNIQUE(b, a)); "
                "CREATE TABLE c(x, y, FOREIGN KEY(x, y) REFERENCES p(a, b));"
                "INSERT INTO p VALUES(1,2); INSERT INTO c VALUES(1,2),(9,NULL); "
                "SELECT * FROM c; INSERT INTO c VALUES(2,1)"),
            "1|2\n9|NULL\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, DeferredKeysAreCheckedAtCommit) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p REFERENCES p(a) DEFERRABLE INITIALLY DEFERRED);BEGIN; "
                "INSERT INTO c VALUES(1); INSERT INTO p VALUES(1); COMMIT; SELECT * FROM c; "
                "BEGIN; DELETE FROM p; COMMIT"),
            "1\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, SavepointsTakeTheirViolationsBack) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE c(a INTEGER PRIMARY KEY, p REFERENCES c "
                "DEFERRABLE INITIALLY DEFERRED);BEGIN; INSERT INTO c VALUES(1,1); SAVEPOINT s; "
                "INSERT INTO c VALUES(2,9); ROLLBACK TO s; COMMIT;SELECT * FROM c; "
                "SAVEPOINT s; INSERT INTO c VALUES(2,9); RELEASE s"),
            "1|1\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, DeferForeignKeysHoldsForOneTransaction) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p REFERENCES p(a));BEGIN; PRAGMA defer_foreign_keys=1; "
                "INSERT INTO c VALUES(1); INSERT INTO p VALUES(1); COMMIT;"
                "PRAGMA defer_foreign_keys; INSERT INTO c VALUES(2)"),
            "0\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, TablesMayReferToThemselves) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;"
                "CREATE TABLE t(id INTEGER PRIMARY KEY, up REFERENCES t ON DELETE CASCADE);"
                "INSERT INTO t VALUES(1,1),(2,1),(3,2),(5,6),(6,5); DELETE FROM t WHERE id=1; "
                "SELECT * FROM t;DELETE FROM t WHERE id IN (5, 6); "
                "SELECT count(*), total_changes() FROM t; INSERT INTO t VALUES(7,8)"),
            "5|6\n6|5\n0|10\nerror 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, ReplaceRunsActions) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a INTEGER PRIMARY KEY, b UNIQUE); "
                "CREATE TABLE c(p REFERENCES p ON DELETE CASCADE);"
                "INSERT INTO p VALUES(1,'x'),(2,'y'); INSERT INTO c VALUES(1),(2); "
                "REPLACE INTO p VALUES(3,'x');SELECT * FROM c; "
                "UPDATE OR REPLACE p SET b='y' WHERE a=3; SELECT * FROM p; "
                "SELECT count(*) FROM c"),
            "2\n3|y\n0");
}

TEST(ForeignKey, UpsertsAreUpdates) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a INTEGER PRIMARY KEY); "
                "CREATE TABLE c(id PRIMARY KEY, p REFERENCES p);INSERT INTO p VALUES(1); "
                "INSERT INTO c VALUES('k',1);"
                "INSERT INTO c VALUES('k',NULL) ON CONFLICT(id) DO UPDATE SET p=2"),
            "error 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, AFailedStatementLeavesNoViolation) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p UNIQUE REFERENCES p(a) DEFERRABLE INITIALLY DEFERRED);BEGIN; "
                "INSERT OR IGNORE INTO c VALUES(1),(1); DELETE FROM c; COMMIT; "
                "SELECT count(*) FROM c"),
            "0");
}

TEST(ForeignKey, MismatchesAreErrorsWhenPrepared) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a, b UNIQUE COLLATE NOCASE); "
                "CREATE TABLE c(x REFERENCES p(a)); INSERT INTO c VALUES(NULL)"),
            "error 1: foreign key mismatch - \"c\" referencing \"p\"");
}

TEST(ForeignKey, MissingParentsAreErrorsWhenPrepared) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE c(x REFERENCES p(a)); DELETE FROM c"),
            "error 1: no such table: main.p");
}

TEST(ForeignKey, DropTableDeletesTheRowsFirst) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p REFERENCES p(a) ON DELETE SET NULL);INSERT INTO p VALUES(1); "
                "INSERT INTO c VALUES(1); DROP TABLE p; SELECT * FROM c"),
            "NULL");
}

TEST(ForeignKey, DropTableFailsIfChildrenAreLeft) {
  EXPECT_EQ(run("PRAGMA foreign_keys=ON;CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p REFERENCES p(a));INSERT INTO p VALUES(1); "
                "INSERT INTO c VALUES(1); DROP TABLE p"),
            "error 787: FOREIGN KEY constraint failed");
}

TEST(ForeignKey, CheckListsRowsWithoutParent) {
  EXPECT_EQ(run("CREATE TABLE p(a UNIQUE); "
                "CREATE TABLE c(p REFERENCES p(a), q REFERENCES missing); "
                "CREATE TABLE d(k PRIMARY KEY, p REFERENCES p(a)) WITHOUT ROWID;"
                "INSERT INTO p VALUES(1); INSERT INTO c VALUES(1,NULL),(2,3),(NULL,4); "
                "INSERT INTO d VALUES('k',7);PRAGMA foreign_key_check(c); "
                "PRAGMA foreign_key_check(d)"),
            "c|2|missing|0\nc|2|p|1\nc|3|missing|0\nd|NULL|p|0");
}

}  // namespace
}  // namespace godwit
