// Transactions, savepoints and statement atomicity, on databases in memory files that two connections
// share.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "engine/statement.h"
#include "os/memory/memory_vfs.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class Transaction : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.vfs = &vfs_;
    one_ = open();
    two_ = open();
    EXPECT_EQ(run_sql(one_.get(), "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE)"), "");
  }
  std::unique_ptr<Connection> open() { return *Connection::open("test.db", options_); }

  MemoryVfs vfs_;
  ConnectOptions options_;
  std::unique_ptr<Connection> one_, two_;
};

TEST_F(Transaction, IsInvisibleToOthersUntilItCommits) {
  EXPECT_EQ(run_sql(one_.get(), "BEGIN; INSERT INTO t VALUES(1, 'x')"), "");
  EXPECT_EQ(run_sql(two_.get(), "SELECT count(*) FROM t"), "0");
  EXPECT_EQ(run_sql(one_.get(), "COMMIT"), "");
  EXPECT_EQ(run_sql(two_.get(), "SELECT count(*) FROM t"), "1");
}

TEST_F(Transaction, ASecondWriterIsBusy) {
  EXPECT_EQ(run_sql(one_.get(), "BEGIN IMMEDIATE"), "");
  EXPECT_EQ(run_sql(two_.get(), "INSERT INTO t VALUES(1, 'x')"), "error 5: database is locked");
  EXPECT_EQ(run_sql(one_.get(), "ROLLBACK"), "");
  EXPECT_EQ(run_sql(two_.get(), "INSERT INTO t VALUES(1, 'x')"), "");
}

TEST_F(Transaction, SavepointsNestAndRollBack) {
  EXPECT_EQ(run_sql(one_.get(),
                    "BEGIN; INSERT INTO t VALUES(1,'a'); SAVEPOINT s; INSERT INTO t VALUES(2,'b');"
                    "SAVEPOINT r; INSERT INTO t VALUES(3,'c'); ROLLBACK TO s;"
                    "INSERT INTO t VALUES(4,'d'); RELEASE s; COMMIT; SELECT group_concat(a) FROM t"),
            "1,4");
}

TEST_F(Transaction, ReleasingTheOutermostSavepointCommits) {
  EXPECT_EQ(run_sql(one_.get(), "SAVEPOINT s; INSERT INTO t VALUES(1,'a'); RELEASE s"), "");
  EXPECT_TRUE(one_->autocommit());
  EXPECT_EQ(run_sql(two_.get(), "SELECT a FROM t"), "1");
}

TEST_F(Transaction, AFailedStatementLeavesNothingOfItself) {
  EXPECT_EQ(run_sql(one_.get(), "BEGIN; INSERT INTO t VALUES(1,'a')"), "");
  EXPECT_EQ(run_sql(one_.get(), "INSERT INTO t VALUES(2,'b'),(3,'a')"),
            "error 2067: UNIQUE constraint failed: t.b");
  EXPECT_EQ(run_sql(one_.get(), "SELECT group_concat(a) FROM t; COMMIT"), "1");
  EXPECT_EQ(run_sql(one_.get(), "INSERT OR FAIL INTO t VALUES(2,'b'),(3,'a'),(4,'d')"),
            "error 2067: UNIQUE constraint failed: t.b");
  EXPECT_EQ(run_sql(one_.get(), "SELECT group_concat(a) FROM t"), "1,2");
  EXPECT_EQ(run_sql(one_.get(), "BEGIN; INSERT INTO t VALUES(9,'z')"), "");
  EXPECT_EQ(run_sql(one_.get(), "INSERT OR ROLLBACK INTO t VALUES(10,'a')"),
            "error 2067: UNIQUE constraint failed: t.b");
  EXPECT_TRUE(one_->autocommit());
  EXPECT_EQ(run_sql(one_.get(), "SELECT group_concat(a) FROM t"), "1,2");
}

TEST_F(Transaction, DdlRollsBackWithItsSchema) {
  EXPECT_EQ(run_sql(one_.get(), "BEGIN; CREATE TABLE u(x); INSERT INTO u VALUES(7); ROLLBACK"), "");
  EXPECT_EQ(run_sql(one_.get(), "SELECT * FROM u"), "error 1: no such table: u");
  EXPECT_EQ(run_sql(one_.get(), "CREATE TABLE u(y); SELECT sql FROM sqlite_schema WHERE name = 'u'"),
            "CREATE TABLE u(y)");
}

TEST_F(Transaction, ReadersEndWhereRollbackToTakesBackASchemaChange) {
  EXPECT_EQ(run_sql(one_.get(), "INSERT INTO t VALUES(1,'a'),(2,'b'),(3,'c')"), "");
  for (const char* change : {"INSERT INTO t VALUES(9, 'z')", "CREATE TABLE u(x)"}) {
    EXPECT_EQ(run_sql(one_.get(), "BEGIN; SAVEPOINT s"), "");
    EXPECT_EQ(run_sql(one_.get(), change), "");
    auto reader = one_->prepare("SELECT a FROM t", nullptr);
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE(*(*reader)->step());
    EXPECT_EQ(run_sql(one_.get(), "ROLLBACK TO s"), "");
    auto more = (*reader)->step();
    if (std::string_view(change).starts_with("INSERT")) {
      EXPECT_TRUE(more.ok());
    } else {
      EXPECT_EQ(more.status().code(), code::kAbortRollback);
    }
    EXPECT_TRUE(*(*reader)->step());
    (void)(*reader)->reset();
    EXPECT_EQ(run_sql(one_.get(), "ROLLBACK"), "");
  }
}

TEST_F(Transaction, StatementsFollowSchemaChangesOfOthers) {
  auto statement = one_->prepare("SELECT * FROM t", nullptr);
  ASSERT_TRUE(statement.ok());
  EXPECT_EQ((*statement)->column_count(), 2);
  EXPECT_EQ(run_sql(two_.get(), "DROP TABLE t; CREATE TABLE t(x, y, z); INSERT INTO t VALUES(1,2,3)"),
            "");
  Result<bool> row = (*statement)->step();
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_TRUE(*row);
  EXPECT_EQ((*statement)->column_count(), 3);
  EXPECT_EQ((*statement)->column(2).integer, 3);
}

// The temp database does not exist before its first use, but its schema table can be read.
TEST_F(Transaction, TheTempSchemaCanBeReadBeforeThereIsAnyTempTable) {
  EXPECT_EQ(run_sql(one_.get(), "SELECT count(*) FROM sqlite_temp_schema"), "0");
  EXPECT_EQ(run_sql(one_.get(), "CREATE TEMP TABLE x(a); INSERT INTO x VALUES(1);"
                                "SELECT name FROM sqlite_temp_schema; SELECT a FROM x"),
            "x\n1");
}

}  // namespace
}  // namespace godwit
