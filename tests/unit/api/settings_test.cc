// Settings, figures and what a connection keeps for its application. Values are SQLite's.
#include <unistd.h>

#include <chrono>
#include <thread>

#include "connection_fixture.h"

namespace {

class Settings : public ConnectionTest {
 protected:
  int config(int number, int value) {
    int in_force = -1;
    EXPECT_EQ(sqlite3_db_config(db_, number, value, &in_force), SQLITE_OK);
    return in_force;
  }
};

TEST_F(Settings, TurnTriggersAndViewsOff) {
  run("CREATE TABLE t(a); CREATE TABLE l(b); CREATE VIEW v AS SELECT a FROM t;"
      "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO l VALUES(new.a); END");
  EXPECT_EQ(config(SQLITE_DBCONFIG_ENABLE_TRIGGER, -1), 1);
  EXPECT_EQ(config(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), 0);
  EXPECT_EQ(run("INSERT INTO t VALUES(1); SELECT count(*) FROM l"), "0");
  EXPECT_EQ(config(SQLITE_DBCONFIG_ENABLE_TRIGGER, 1), 1);
  EXPECT_EQ(run("INSERT INTO t VALUES(1); SELECT count(*) FROM l"), "1");
  EXPECT_EQ(config(SQLITE_DBCONFIG_ENABLE_VIEW, 0), 0);
  EXPECT_EQ(run("SELECT * FROM v"), "error 1: access to view \"v\" prohibited");
  EXPECT_EQ(sqlite3_db_config(db_, 9999, 1, nullptr), SQLITE_ERROR);
}

TEST_F(Settings, ResetTheDatabase) {
  run("CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  EXPECT_EQ(config(SQLITE_DBCONFIG_RESET_DATABASE, 1), 1);
  EXPECT_EQ(run("VACUUM"), "");
  EXPECT_EQ(config(SQLITE_DBCONFIG_RESET_DATABASE, 0), 0);
  EXPECT_EQ(run("SELECT count(*) FROM sqlite_schema"), "0");
}

TEST_F(Settings, KeepTheErrorOfAStatementThatWasResetAlready) {
  run("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)");
  sqlite3_stmt* stmt = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_, "INSERT INTO t VALUES(1)", -1, &stmt, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_CONSTRAINT);
  EXPECT_EQ(sqlite3_reset(stmt), SQLITE_CONSTRAINT);
  EXPECT_EQ(sqlite3_reset(stmt), SQLITE_OK);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
  EXPECT_STREQ(sqlite3_errmsg(db_), "UNIQUE constraint failed: t.a");
}

TEST_F(Settings, KeepDataOfTheApplication) {
  int destroyed = 0;
  auto destroy = [](void* data) { ++*static_cast<int*>(data); };
  EXPECT_EQ(sqlite3_get_clientdata(db_, "x"), nullptr);
  EXPECT_EQ(sqlite3_set_clientdata(db_, "x", &destroyed, destroy), SQLITE_OK);
  EXPECT_EQ(sqlite3_get_clientdata(db_, "x"), &destroyed);
  EXPECT_EQ(sqlite3_set_clientdata(db_, "x", nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(sqlite3_set_errmsg(db_, SQLITE_BUSY, "wait a bit"), SQLITE_OK);
  EXPECT_EQ(sqlite3_errcode(db_), SQLITE_BUSY);
  EXPECT_STREQ(sqlite3_errmsg(db_), "wait a bit");
}

void pass_pointer(sqlite3_context* context, int, sqlite3_value** args) {
  auto* number = static_cast<int*>(sqlite3_value_pointer(args[0], "number"));
  EXPECT_EQ(sqlite3_value_pointer(args[0], "other"), nullptr);
  sqlite3_result_int(context, number == nullptr ? -1 : *number + sqlite3_value_frombind(args[0]));
}

TEST_F(Settings, LeaveFreePagesToBeFreedLater) {
  run("PRAGMA auto_vacuum = full; CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(40000))");
  EXPECT_EQ(run("PRAGMA page_count"), "12");
  static std::string asked;
  auto two = [](void*, const char* database, unsigned pages, unsigned free, unsigned size) {
    asked = std::string(database) + " " + std::to_string(pages) + " " + std::to_string(free) + " " +
            std::to_string(size);
    return 2u;
  };
  EXPECT_EQ(sqlite3_autovacuum_pages(db_, two, nullptr, nullptr), SQLITE_OK);
  run("DELETE FROM t");
  EXPECT_EQ(asked, "main 12 9 4096");
  EXPECT_EQ(run("PRAGMA page_count"), "10");
  EXPECT_EQ(run("PRAGMA freelist_count"), "7");
  EXPECT_EQ(run("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(sqlite3_autovacuum_pages(db_, nullptr, nullptr, nullptr), SQLITE_OK);
  run("INSERT INTO t VALUES(1)");
  EXPECT_EQ(run("PRAGMA page_count"), "3");
}

TEST_F(Settings, PassPointersThroughValues) {
  ASSERT_EQ(sqlite3_create_function(db_, "follow", 1, SQLITE_UTF8, nullptr, pass_pointer, nullptr,
                                    nullptr),
            SQLITE_OK);
  static int number = 41;
  static int destroyed = 0;
  sqlite3_stmt* stmt = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_, "SELECT follow(?1), ?1 IS NULL, follow(NULL)", -1, &stmt, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_bind_pointer(stmt, 1, &number, "number", [](void*) { ++destroyed; }), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(stmt, 0), 42);
  EXPECT_EQ(sqlite3_column_int(stmt, 1), 1);
  EXPECT_EQ(sqlite3_column_int(stmt, 2), -1);
  EXPECT_EQ(sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_RUN, 0), 1);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Settings, AskForCollationsThatAreMissing) {
  auto add = [](void*, sqlite3* db, int, const char* name) {
    sqlite3_create_collation(db, name, SQLITE_UTF8, nullptr,
                             [](void*, int, const void*, int, const void*) { return 0; });
  };
  EXPECT_EQ(run("SELECT 'a' = 'b' COLLATE same"), "error 257: no such collation sequence: same");
  EXPECT_EQ(sqlite3_collation_needed(db_, nullptr, add), SQLITE_OK);
  EXPECT_EQ(run("SELECT 'a' = 'b' COLLATE same"), "1");
}

TEST_F(Settings, ExplainStatementsOnDemand) {
  run("CREATE TABLE t(a)");
  sqlite3_stmt* stmt = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_, "SELECT a FROM t", -1, &stmt, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_stmt_explain(stmt, 2), SQLITE_OK);
  EXPECT_EQ(sqlite3_stmt_isexplain(stmt), 2);
  ASSERT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(stmt, 3)), "SCAN t");
  EXPECT_EQ(sqlite3_reset(stmt), SQLITE_OK);
  EXPECT_EQ(sqlite3_stmt_explain(stmt, 0), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(stmt), SQLITE_DONE);
  EXPECT_EQ(sqlite3_stmt_explain(stmt, 5), SQLITE_ERROR);
  EXPECT_EQ(sqlite3_finalize(stmt), SQLITE_OK);
}

TEST(Filenames, CarryTheParametersOfTheUri) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open_v2("file:/tmp/no_such.db?mode=memory&x=yes&n=0x10", &db,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nullptr),
            SQLITE_OK);
  const char* name = sqlite3_db_filename(db, "main");
  EXPECT_STREQ(sqlite3_uri_parameter(name, "mode"), "memory");
  EXPECT_EQ(sqlite3_uri_parameter(name, "y"), nullptr);
  EXPECT_EQ(sqlite3_uri_boolean(name, "x", 0), 1);
  EXPECT_EQ(sqlite3_uri_boolean(name, "y", 1), 1);
  EXPECT_EQ(sqlite3_uri_int64(name, "n", 5), 16);
  EXPECT_STREQ(sqlite3_uri_key(name, 1), "x");
  EXPECT_EQ(sqlite3_uri_key(name, 3), nullptr);
  EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  const char* texts[] = {"a", "1", "b", "2"};
  sqlite3_filename made = sqlite3_create_filename("d", "d-j", "d-w", 2, texts);
  EXPECT_STREQ(made, "d");
  EXPECT_STREQ(sqlite3_uri_parameter(made, "b"), "2");
  EXPECT_STREQ(sqlite3_filename_journal(made), "d-j");
  EXPECT_STREQ(sqlite3_filename_wal(made), "d-w");
  EXPECT_EQ(sqlite3_filename_database(sqlite3_filename_wal(made)), made);
  sqlite3_free_filename(made);
}

// A statement that is the first of its transaction waits for the lock of another writer.
TEST(Busy, WaitsBeforeTheFirstWriteOfATransaction) {
  std::string path = ::testing::TempDir() + "busy_" + std::to_string(getpid()) + ".db";
  for (const char* mode : {"delete", "wal"}) {
    sqlite3 *one = nullptr, *two = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &one), SQLITE_OK);
    ASSERT_EQ(sqlite3_open(path.c_str(), &two), SQLITE_OK);
    run_sql(one, std::string("PRAGMA journal_mode = ") + mode + "; CREATE TABLE IF NOT EXISTS t(a)");
    sqlite3_busy_timeout(two, 20000);
    for (const char* sql : {"INSERT INTO t VALUES(2)", "BEGIN; INSERT INTO t VALUES(3); COMMIT",
                            "BEGIN IMMEDIATE; COMMIT"}) {
      ASSERT_EQ(run_sql(one, "BEGIN IMMEDIATE; INSERT INTO t VALUES(1)"), "");
      std::thread later([one] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        run_sql(one, "COMMIT");
      });
      EXPECT_EQ(run_sql(two, sql), "") << mode << " " << sql;
      later.join();
    }
    // A transaction that cannot start to write keeps no lock that would stop the other.
    sqlite3_busy_timeout(two, 0);
    ASSERT_EQ(run_sql(one, "BEGIN; INSERT INTO t VALUES(1)"), "");
    EXPECT_EQ(run_sql(two, "BEGIN; INSERT INTO t VALUES(1)"), "error 5: database is locked");
    EXPECT_EQ(run_sql(one, "COMMIT"), "");
    EXPECT_EQ(run_sql(two, "ROLLBACK"), "");
    EXPECT_EQ(sqlite3_close(one), SQLITE_OK);
    EXPECT_EQ(sqlite3_close(two), SQLITE_OK);
    unlink(path.c_str());
  }
}

}  // namespace
