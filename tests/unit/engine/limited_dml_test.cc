// UPDATE and DELETE with ORDER BY and LIMIT. Expected values are those of an SQLite built with
// SQLITE_ENABLE_UPDATE_DELETE_LIMIT.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class LimitedDml : public ::testing::Test {
 protected:
  LimitedDml() : connection_(*Connection::open(":memory:", {})) {
    run("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX ta ON t(a);"
        "INSERT INTO t VALUES(1,5,'x'),(2,4,'x'),(3,3,'y'),(4,2,'y'),(5,1,'z');");
  }
  std::string run(std::string_view sql) { return run_sql(connection_.get(), sql); }

  std::unique_ptr<Connection> connection_;
};

TEST_F(LimitedDml, OrderAndOffsetChooseTheRowsThatComeInTheOrderOfTheirKeys) {
  run("DELETE FROM t ORDER BY a LIMIT 1");
  EXPECT_EQ(run("SELECT id FROM t ORDER BY id"), "1\n2\n3\n4");
  EXPECT_EQ(run("DELETE FROM t WHERE b <> 'z' RETURNING id ORDER BY a DESC LIMIT 2 OFFSET 1"),
            "2\n3");
  EXPECT_EQ(run("UPDATE t SET b = b || id RETURNING id, b ORDER BY a LIMIT 2"), "1|x1\n4|y4");
  EXPECT_EQ(run("DELETE FROM t LIMIT 0"), "");
  EXPECT_EQ(run("DELETE FROM t LIMIT -1 OFFSET 1; SELECT id FROM t"), "1");
}

TEST_F(LimitedDml, NumbersInOrderByAreColumnsOfTheKey) {
  run("UPDATE t SET b = 'w' ORDER BY 1 DESC LIMIT 1");
  EXPECT_EQ(run("SELECT id FROM t WHERE b = 'w'"), "5");
  EXPECT_EQ(run("UPDATE t SET b = 'w' ORDER BY 2 LIMIT 1"),
            "error 1: 1st ORDER BY term out of range - should be between 1 and 1");
  run("CREATE TABLE w(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
      "INSERT INTO w VALUES(1,2,3),(2,2,1),(3,1,2);");
  EXPECT_EQ(run("UPDATE w SET c = c + 10 RETURNING * ORDER BY c LIMIT 2"), "3|1|12\n2|2|11");
  EXPECT_EQ(run("DELETE FROM w RETURNING * ORDER BY 2 DESC, 1 LIMIT 2"), "3|1|12\n2|2|11");
}

TEST_F(LimitedDml, ALimitIsNeededAndMustBeANumber) {
  EXPECT_EQ(run("UPDATE t SET b = 'w' ORDER BY a"), "error 1: ORDER BY without LIMIT on UPDATE");
  EXPECT_EQ(run("DELETE FROM t ORDER BY a"), "error 1: ORDER BY without LIMIT on DELETE");
  EXPECT_EQ(run("DELETE FROM t LIMIT 'x'"), "error 20: datatype mismatch");
  EXPECT_EQ(run("CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t LIMIT 1; END"),
            "error 1: near \"LIMIT\": syntax error");
}

TEST_F(LimitedDml, ViewsAreLimitedToo) {
  run("CREATE VIEW v AS SELECT id, a FROM t; CREATE TABLE log(x, y);"
      "CREATE TRIGGER vd INSTEAD OF DELETE ON v BEGIN INSERT INTO log VALUES('d', old.id); END;"
      "CREATE TRIGGER vu INSTEAD OF UPDATE ON v BEGIN INSERT INTO log VALUES('u', old.id); END;");
  run("DELETE FROM v ORDER BY id DESC LIMIT 2; UPDATE v SET a = 5 ORDER BY a LIMIT 1;");
  EXPECT_EQ(run("SELECT * FROM log"), "d|5\nd|4\nu|5");
}

}  // namespace
}  // namespace godwit
