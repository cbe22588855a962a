// Statements that a connection keeps for the next prepare of their text.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "engine/statement.h"
#include "os/memory/memory_vfs.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class StatementCache : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.vfs = &vfs_;
    connection_ = *Connection::open("test.db", options_);
    run("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES(1,'x'),(2,'y')");
  }
  std::string run(const char* sql) { return run_sql(connection_.get(), sql); }

  std::unique_ptr<Statement> prepare(const char* sql) {
    size_t tail = 0;
    auto statement = connection_->prepare(sql, &tail);
    EXPECT_TRUE(statement.ok()) << sql;
    EXPECT_EQ(tail, std::string_view(sql).size());
    return *std::move(statement);
  }
  // Prepares and finalizes, as often as it takes for the text to be kept. Where it was kept.
  Statement* keep(const char* sql) {
    connection_->finalize(prepare(sql));
    auto statement = prepare(sql);
    Statement* kept = statement.get();
    connection_->finalize(std::move(statement));
    return kept;
  }

  MemoryVfs vfs_;
  ConnectOptions options_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(StatementCache, GivesTheSameStatementFromTheThirdTimeWithoutItsBindings) {
  const char* sql = "SELECT b FROM t WHERE a = ?";
  Statement* kept = keep(sql);
  auto statement = prepare(sql);
  EXPECT_EQ(statement.get(), kept);
  EXPECT_TRUE(statement->bind(1, ValueView::of(int64_t{2})).ok());
  ASSERT_TRUE(*statement->step());
  EXPECT_EQ(statement->column(0).text(), "y");
  EXPECT_TRUE(statement->reset().ok());
  connection_->finalize(std::move(statement));
  statement = prepare(sql);
  EXPECT_EQ(statement.get(), kept);
  EXPECT_FALSE(*statement->step());  // the parameter is NULL again
}

TEST_F(StatementCache, GivesEachOfTwoUsersAStatementOfTheirOwn) {
  const char* sql = "SELECT b FROM t ORDER BY a";
  keep(sql);
  auto one = prepare(sql), two = prepare(sql);
  EXPECT_NE(one.get(), two.get());
  ASSERT_TRUE(*one->step());
  ASSERT_TRUE(*one->step());
  ASSERT_TRUE(*two->step());
  EXPECT_EQ(one->column(0).text(), "y");
  EXPECT_EQ(two->column(0).text(), "x");
}

TEST_F(StatementCache, ForgetsWhatASchemaOrASettingMayHaveChanged) {
  const char* sql = "SELECT b FROM t";
  keep(sql);
  EXPECT_EQ(run(sql), "x\ny");
  EXPECT_EQ(run("PRAGMA reverse_unordered_selects = ON"), "");
  EXPECT_EQ(run(sql), "y\nx");
  keep(sql);
  EXPECT_EQ(run("DROP TABLE t"), "");
  size_t tail = 0;
  auto gone = connection_->prepare(sql, &tail);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.status().message(), "no such table: t");
}

TEST_F(StatementCache, SeesASchemaThatAnotherConnectionChanged) {
  const char* sql = "SELECT * FROM t WHERE a = 1";
  keep(sql);
  auto other = *Connection::open("test.db", options_);
  EXPECT_EQ(run_sql(other.get(), "DROP TABLE t; CREATE TABLE t(a, b, c); INSERT INTO t VALUES(1,2,3)"),
            "");
  EXPECT_EQ(run(sql), "1|2|3");
}

TEST_F(StatementCache, KeepsNoStatementThatHoldsRows) {
  for (const char* sql : {"SELECT b, count(*) FROM t GROUP BY b", "SELECT a FROM t ORDER BY b",
                          "SELECT a FROM t WHERE a IN (SELECT a FROM t)",
                          "INSERT INTO t(b) SELECT b FROM t WHERE 0"}) {
    keep(sql);
    auto first = prepare(sql);
    EXPECT_FALSE(first->is_reusable()) << sql;
  }
}

TEST_F(StatementCache, LetsADatabaseGoThatStatementsHaveRead) {
  EXPECT_EQ(run("ATTACH 'other.db' AS o; CREATE TABLE o.u(x); INSERT INTO o.u VALUES(5)"), "");
  const char* sql = "SELECT x FROM o.u";
  keep(sql);
  EXPECT_EQ(run(sql), "5");
  EXPECT_EQ(run("DETACH o"), "");
  size_t tail = 0;
  EXPECT_EQ(connection_->prepare(sql, &tail).status().message(), "no such table: o.u");
}

}  // namespace
}  // namespace godwit
