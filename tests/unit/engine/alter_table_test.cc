// ALTER TABLE: texts after it, rows after it, and what it refuses. Expected values are SQLite's.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class AlterTable : public ::testing::Test {
 protected:
  AlterTable() : connection_(*Connection::open(":memory:", {})) {}
  std::string run(std::string_view sql) { return run_sql(connection_.get(), sql); }
  std::string text_of(const std::string& name) {
    return run("SELECT sql FROM sqlite_schema WHERE name = '" + name + "'");
  }

  std::unique_ptr<Connection> connection_;
};

TEST_F(AlterTable, RenamingATableRewritesEveryTextThatNamesIt) {
  run("CREATE TABLE t(a, b, PRIMARY KEY(a)); CREATE INDEX i ON t(b) WHERE a > 0;"
      "CREATE VIEW v AS SELECT t.a, t.b, main.t.b, x.a FROM t JOIN t x WHERE t.a IN (SELECT a FROM t);"
      "CREATE VIEW w AS WITH t AS (SELECT 1 AS a) SELECT a FROM t;"
      "CREATE TABLE c(x REFERENCES t(a), FOREIGN KEY(x) REFERENCES t);"
      "CREATE TRIGGER r AFTER UPDATE OF a ON t BEGIN UPDATE t SET a = new.a WHERE t.b = 1; END;");
  EXPECT_EQ(run("ALTER TABLE t RENAME TO u"), "");
  EXPECT_EQ(text_of("u"), "CREATE TABLE \"u\"(a, b, PRIMARY KEY(a))");
  EXPECT_EQ(text_of("i"), "CREATE INDEX i ON \"u\"(b) WHERE a > 0");
  EXPECT_EQ(text_of("v"),
            "CREATE VIEW v AS SELECT \"u\".a, \"u\".b, main.\"u\".b, x.a FROM \"u\" JOIN \"u\" x "
            "WHERE \"u\".a IN (SELECT a FROM \"u\")");
  EXPECT_EQ(text_of("w"), "CREATE VIEW w AS WITH t AS (SELECT 1 AS a) SELECT a FROM t");
  EXPECT_EQ(text_of("c"),
            "CREATE TABLE c(x REFERENCES \"u\"(a), FOREIGN KEY(x) REFERENCES \"u\")");
  EXPECT_EQ(text_of("r"),
            "CREATE TRIGGER r AFTER UPDATE OF a ON \"u\" BEGIN UPDATE \"u\" SET a = new.a "
            "WHERE \"u\".b = 1; END");
  EXPECT_EQ(run("SELECT name FROM sqlite_schema WHERE tbl_name = 'u' AND type = 'index'"),
            "sqlite_autoindex_u_1\ni");
}

TEST_F(AlterTable, RenamingAColumnKeepsTheQuotesAndMakesStringsOfStrings) {
  run("CREATE TABLE t(a, [b], c CHECK(c <> \"x\")); CREATE TABLE u(b);"
      "CREATE VIEW v AS SELECT[b]FROM t WHERE\"b\"IN(SELECT b FROM u)AND`b`=t.b ORDER BY b;");
  EXPECT_EQ(run("ALTER TABLE t RENAME b TO \"n n\""), "");
  EXPECT_EQ(text_of("t"), "CREATE TABLE t(a, \"n n\", c CHECK(c <> 'x'))");
  EXPECT_EQ(text_of("v"),
            "CREATE VIEW v AS SELECT\"n n\"FROM t WHERE\"n n\"IN(SELECT b FROM u)AND\"n n\"="
            "t.\"n n\" ORDER BY \"n n\"");
  EXPECT_EQ(run("ALTER TABLE t RENAME a TO z"), "");
  EXPECT_EQ(text_of("t"), "CREATE TABLE t(z, \"n n\", c CHECK(c <> 'x'))");
}

TEST_F(AlterTable, ARenameThatBreaksAViewIsUndone) {
  run("CREATE TABLE t(a, b); CREATE TABLE u(a); CREATE VIEW v AS SELECT * FROM t JOIN u USING(a);");
  std::string error =
      "error 1: error in view v after rename: cannot join using column a - column not present in "
      "both tables";
  EXPECT_EQ(run("ALTER TABLE t RENAME a TO z"), error);
  EXPECT_EQ(text_of("t"), "CREATE TABLE t(a, b)");
  EXPECT_EQ(run("BEGIN; INSERT INTO t VALUES(1, 2); ALTER TABLE t RENAME a TO z"), error);
  EXPECT_EQ(run("SELECT a FROM t; ROLLBACK"), "1");
  EXPECT_EQ(run("ALTER TABLE t RENAME a TO b"),
            "error 1: error in table t after rename: duplicate column name: b");
  EXPECT_EQ(run("CREATE VIEW bad AS SELECT * FROM nosuch; ALTER TABLE u RENAME TO w"),
            "error 1: error in view bad: no such table: main.nosuch");
}

TEST_F(AlterTable, AddedColumnsStandBehindTheLastColumn) {
  run("CREATE TABLE t(a, b /* k */ , CHECK(a > 0)); INSERT INTO t VALUES(1, 2);");
  EXPECT_EQ(run("ALTER TABLE t ADD COLUMN c INT NOT NULL DEFAULT 3 /* tail */ ;"
                "ALTER TABLE t ADD d AS (c * 2); SELECT * FROM t"),
            "1|2|3|6");
  EXPECT_EQ(text_of("t"),
            "CREATE TABLE t(a, b /* k */ , c INT NOT NULL DEFAULT 3 /* tail */, d AS (c * 2), "
            "CHECK(a > 0))");
  EXPECT_EQ(run("ALTER TABLE t ADD e NOT NULL"),
            "error 1: Cannot add a NOT NULL column with default value NULL");
  EXPECT_EQ(run("ALTER TABLE t ADD e CHECK(e IS NOT NULL)"), "error 1: CHECK constraint failed");
  EXPECT_EQ(run("ALTER TABLE t ADD e DEFAULT (1 + 2)"),
            "error 1: Cannot add a column with non-constant default");
  EXPECT_EQ(run("ALTER TABLE t ADD e AS (nosuch)"),
            "error 1: error in table t after add column: no such column: nosuch");
  EXPECT_EQ(run("ALTER TABLE t ADD A"), "error 1: duplicate column name: A");
}

TEST_F(AlterTable, DroppedColumnsTakeTheirValuesAlong) {
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c DEFAULT 7, u UNIQUE); INSERT INTO t VALUES(1,2,3,4);"
      "ALTER TABLE t ADD d DEFAULT 'dd'; INSERT INTO t VALUES(2,5,6,7,8);");
  EXPECT_EQ(run("ALTER TABLE t DROP COLUMN c; SELECT * FROM t; PRAGMA integrity_check"),
            "1|2|4|dd\n2|5|7|8\nok");
  EXPECT_EQ(text_of("t"), "CREATE TABLE t(a INTEGER PRIMARY KEY, b, u UNIQUE, d DEFAULT 'dd')");
  EXPECT_EQ(run("ALTER TABLE t DROP COLUMN d; SELECT * FROM t"), "1|2|4\n2|5|7");
  EXPECT_EQ(run("ALTER TABLE t DROP a"), "error 1: cannot drop PRIMARY KEY column: \"a\"");
  EXPECT_EQ(run("ALTER TABLE t DROP u"), "error 1: cannot drop UNIQUE column: \"u\"");
  EXPECT_EQ(run("CREATE INDEX i ON t(b); ALTER TABLE t DROP b"),
            "error 1: error in index i after drop column: no such column: b");
  run("CREATE TABLE w(a, b, c, d, PRIMARY KEY(c, a)) WITHOUT ROWID;"
      "INSERT INTO w VALUES(1,2,3,4),(5,6,7,8);");
  EXPECT_EQ(run("ALTER TABLE w DROP b; SELECT * FROM w; PRAGMA integrity_check"),
            "1|3|4\n5|7|8\nok");
}

TEST_F(AlterTable, ConstraintsComeAndGoInTheText) {
  run("CREATE TABLE t(a, b TEXT NOT NULL, c CONSTRAINT cc NOT NULL ON CONFLICT IGNORE DEFAULT 5,"
      " CONSTRAINT k CHECK(a > 0) /* 1 */ , UNIQUE(a)); INSERT INTO t VALUES(1, 'x', 3);");
  EXPECT_EQ(run("ALTER TABLE t ALTER a SET NOT NULL; ALTER TABLE t ALTER COLUMN b DROP NOT NULL;"
                "ALTER TABLE t DROP CONSTRAINT cc; ALTER TABLE t DROP CONSTRAINT K;"
                "ALTER TABLE t ADD CONSTRAINT n CHECK(c > 0) -- why\n"),
            "");
  EXPECT_EQ(text_of("t"),
            "CREATE TABLE t(a NOT NULL, b TEXT, c DEFAULT 5, UNIQUE(a), CONSTRAINT n CHECK(c > 0))");
  EXPECT_EQ(run("ALTER TABLE t ADD CHECK(c > 100)"), "error 19: constraint failed");
  EXPECT_EQ(run("INSERT INTO t(b, c) VALUES('y', NULL); "),
            "error 1299: NOT NULL constraint failed: t.a");
  EXPECT_EQ(run("ALTER TABLE t DROP CONSTRAINT zz"), "error 1: no such constraint: zz");
}

TEST_F(AlterTable, TemporaryTriggersAndViewsFollow) {
  run("CREATE TABLE t(a); CREATE TEMP VIEW v AS SELECT a FROM t;"
      "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT new.a; END;"
      "ALTER TABLE t RENAME a TO b; ALTER TABLE t RENAME TO u;");
  EXPECT_EQ(run("SELECT tbl_name, sql FROM sqlite_temp_schema"),
            "v|CREATE VIEW v AS SELECT b FROM \"u\"\n"
            "u|CREATE TRIGGER r AFTER INSERT ON \"u\" BEGIN SELECT new.b; END");
}

}  // namespace
}  // namespace godwit
