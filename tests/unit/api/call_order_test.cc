// Calls in an unusual order, at an unusual time, or with much text, with what SQLite makes of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "sqlite3.h"

namespace {

class CallOrder : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK);
    ASSERT_EQ(run("CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, 10), (2, 20)"),
              SQLITE_OK);
  }
  void TearDown() override { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK); }

  int run(const std::string& sql) { return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr); }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* stmt = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql, -1, &stmt, nullptr), SQLITE_OK);
    return stmt;
  }

  sqlite3* db_ = nullptr;
};

TEST_F(CallOrder, AStepAfterAnErrorRunsTheStatementAgain) {
  sqlite3_stmt* stmt = prepare("INSERT INTO t VALUES(3, 30), (2, 0)");
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_CONSTRAINT);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_CONSTRAINT);
  EXPECT_EQ(sqlite3_reset(stmt), SQLITE_CONSTRAINT);
  EXPECT_EQ(sqlite3_extended_errcode(db_), SQLITE_CONSTRAINT_PRIMARYKEY);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_CONSTRAINT);
  EXPECT_EQ(run("DELETE FROM t WHERE a = 2"), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_DONE);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
}

TEST_F(CallOrder, ParametersAreBoundBeforeTheFirstStepOrAfterAReset) {
  sqlite3_stmt* stmt = prepare("SELECT ?");
  EXPECT_EQ(sqlite3_bind_int(stmt, 1, 1), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_EQ(sqlite3_bind_int(stmt, 1, 2), SQLITE_MISUSE);
  EXPECT_STREQ(sqlite3_errmsg(db_), "bad parameter or other API misuse");
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_DONE);
  EXPECT_EQ(sqlite3_bind_int(stmt, 1, 2), SQLITE_MISUSE);
  EXPECT_EQ(sqlite3_reset(stmt), SQLITE_OK);
  EXPECT_EQ(sqlite3_bind_int(stmt, 1, 2), SQLITE_OK);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
}

TEST_F(CallOrder, NothingIsDroppedWhileAStatementReads) {
  sqlite3_stmt* stmt = prepare("SELECT a FROM t");
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_EQ(run("DROP TABLE t"), SQLITE_LOCKED);
  EXPECT_STREQ(sqlite3_errmsg(db_), "database table is locked");
  EXPECT_EQ(run("ATTACH ':memory:' AS other; DETACH other"), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_DONE);
  EXPECT_EQ(run("DROP TABLE t"), SQLITE_OK);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
}

TEST_F(CallOrder, ScriptsAndStatementsMayBeLong) {
  std::string script;
  for (int i = 100; i < 2100; ++i) {
    script += "INSERT INTO t VALUES(" + std::to_string(i) + ", 'semicolon; in it'); -- ;\n";
  }
  script += "CREATE TRIGGER tr AFTER DELETE ON t BEGIN\n";
  for (int i = 0; i < 2000; ++i) script += "UPDATE t SET b = 0 WHERE a = 2;\n";
  script += "END;";
  EXPECT_EQ(run(script), SQLITE_OK);
  EXPECT_EQ(run(std::string(20000, ' ') + "/*" + std::string(20000, ';') + "*/ DELETE FROM t WHERE a = 1"),
            SQLITE_OK);
  EXPECT_EQ(run("UPDATE t SET b = 1"), SQLITE_OK);
  EXPECT_EQ(sqlite3_changes(db_), 2001);
  EXPECT_EQ(run("DROP TRIGGER tr; DELETE FROM t; " + script), SQLITE_OK);
  EXPECT_EQ(run(script.substr(script.find("CREATE"))), SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(db_), "trigger tr already exists");
  EXPECT_EQ(run(std::string(20000, ' ') + "SELEC 1; SELECT 2"), SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(db_), "near \"SELEC\": syntax error");
  const char* tail = nullptr;
  sqlite3_stmt* stmt = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db_, script.c_str(), -1, &stmt, &tail), SQLITE_OK);
  EXPECT_EQ(tail, script.c_str() + script.find(");") + 2);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
}

TEST(Open, WantsToKnowWhetherToWrite) {
  sqlite3* db = nullptr;
  for (int flags : {0, SQLITE_OPEN_CREATE, SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE}) {
    EXPECT_EQ(sqlite3_open_v2(":memory:", &db, flags, nullptr), SQLITE_MISUSE);
    EXPECT_STREQ(sqlite3_errmsg(db), "bad parameter or other API misuse");
    EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  }
}

TEST(Open, FollowsNoSymbolicLinkIfAskedNotTo) {
  const std::string path = ::testing::TempDir() + "linked.db", link = path + ".link";
  std::remove(path.c_str());
  std::remove(link.c_str());
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  sqlite3* db = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  ASSERT_EQ(sqlite3_open_v2(link.c_str(), &db, kFlags, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, "CREATE TABLE t(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  EXPECT_EQ(sqlite3_open_v2(link.c_str(), &db, kFlags | SQLITE_OPEN_NOFOLLOW, nullptr),
            SQLITE_CANTOPEN);
  EXPECT_EQ(sqlite3_extended_errcode(db), SQLITE_CANTOPEN_SYMLINK);
  EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  std::remove(link.c_str());
  std::remove(path.c_str());
}

TEST(Files, ThatHaveMovedAreNotWritten) {
  const std::string path = ::testing::TempDir() + "moved.db", moved = path + ".moved";
  std::remove(path.c_str());
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, "CREATE TABLE t(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_EQ(std::rename(path.c_str(), moved.c_str()), 0);
  EXPECT_EQ(sqlite3_exec(db, "SELECT * FROM t", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, "INSERT INTO t VALUES(1)", nullptr, nullptr, nullptr),
            SQLITE_READONLY);
  EXPECT_EQ(sqlite3_extended_errcode(db), SQLITE_READONLY_DBMOVED);
  EXPECT_STREQ(sqlite3_errmsg(db), "attempt to write a readonly database");
  ASSERT_EQ(std::rename(moved.c_str(), path.c_str()), 0);
  EXPECT_EQ(sqlite3_exec(db, "INSERT INTO t VALUES(1)", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  std::remove(path.c_str());
}

TEST(Locks, OfAnotherConnectionLeaveTransactionsAlone) {
  const std::string path = ::testing::TempDir() + "locked_while_opened.db";
  std::remove(path.c_str());
  sqlite3 *holder = nullptr, *other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &holder), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(holder, "CREATE TABLE t(a); BEGIN EXCLUSIVE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "BEGIN", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "DELETE FROM t", nullptr, nullptr, nullptr), SQLITE_BUSY);
  EXPECT_EQ(sqlite3_get_autocommit(other), 0);
  EXPECT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(other), "cannot rollback - no transaction is active");
  EXPECT_EQ(sqlite3_close(other), SQLITE_OK);
  EXPECT_EQ(sqlite3_close(holder), SQLITE_OK);
  std::remove(path.c_str());
}

// The limit counts the text, not the NUL after it, which a caller may have counted.
TEST_F(CallOrder, TheLimitOfATextIsThatOfItsCharacters) {
  EXPECT_GT(sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, 40), 40);
  std::string text = "SELECT a FROM t";
  text.resize(40, ' ');
  sqlite3_stmt* stmt = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db_, text.c_str(), 41, &stmt, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
  text += ' ';
  EXPECT_EQ(sqlite3_prepare_v2(db_, text.c_str(), 41, &stmt, nullptr), SQLITE_TOOBIG);
  EXPECT_EQ(sqlite3_prepare_v2(db_, text.c_str(), 42, &stmt, nullptr), SQLITE_TOOBIG);
  EXPECT_EQ(sqlite3_prepare_v2(db_, text.c_str(), -1, &stmt, nullptr), SQLITE_TOOBIG);
}

TEST(SchemaOfOthers, IsReadAnewWhereANameIsNotKnown) {
  const std::string path = testing::TempDir() + "godwit-stale-" + std::to_string(::getpid());
  std::remove(path.c_str());
  sqlite3 *one = nullptr, *other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &one), SQLITE_OK);
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(one, "CREATE TABLE z(x); SELECT * FROM z", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "CREATE TABLE t(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(one, "SELECT a FROM t", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(one, "ALTER TABLE t ADD COLUMN b", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "BEGIN; INSERT INTO t(b) VALUES(1); COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "SELECT c FROM t", nullptr, nullptr, nullptr), SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(other), "no such column: c");
  sqlite3_close(one);
  sqlite3_close(other);
  std::remove(path.c_str());
}

}  // namespace
