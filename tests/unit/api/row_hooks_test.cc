// Hooks that see the rows a statement changes, and those of commits. Values are SQLite's.
#include <unistd.h>

#include "connection_fixture.h"

namespace {

class RowHooks : public ConnectionTest {
 protected:
  static void add(void* self, const std::string& text) {
    auto* test = static_cast<RowHooks*>(self);
    test->seen_ += (test->seen_.empty() ? "" : "; ") + text;
  }
  static void updated(void* self, int op, const char* database, const char* table,
                      sqlite3_int64 rowid) {
    add(self, std::to_string(op) + " " + database + "." + table + " " + std::to_string(rowid));
  }
  static std::string values(sqlite3* db, int (*get)(sqlite3*, int, sqlite3_value**)) {
    std::string out = "(";
    for (int i = 0; i < sqlite3_preupdate_count(db); ++i) {
      sqlite3_value* value = nullptr;
      if (get(db, i, &value) != SQLITE_OK) return "none";
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      out += std::string(i > 0 ? "," : "") + (text == nullptr ? "NULL" : text);
    }
    return out + ")";
  }
  static void changing(void* self, sqlite3* db, int op, const char*, const char* table,
                       sqlite3_int64 before, sqlite3_int64 after) {
    add(self, std::to_string(op) + " " + table + " " + std::to_string(before) + " " +
                  std::to_string(after) + " " + values(db, sqlite3_preupdate_old) + " " +
                  values(db, sqlite3_preupdate_new) + " depth " +
                  std::to_string(sqlite3_preupdate_depth(db)) + " blob " +
                  std::to_string(sqlite3_preupdate_blobwrite(db)));
  }
  std::string seen(const std::string& sql) {
    seen_.clear();
    EXPECT_EQ(run(sql).substr(0, 5), "");
    return seen_;
  }

  std::string seen_;
};

TEST_F(RowHooks, TellOfRowsThatWereChanged) {
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE); CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;"
      "CREATE TABLE g(m); CREATE TRIGGER tr AFTER INSERT ON g BEGIN DELETE FROM t WHERE a = 9; END");
  EXPECT_EQ(sqlite3_update_hook(db_, updated, this), nullptr);
  EXPECT_EQ(seen("INSERT INTO t VALUES(1, 2), (9, 9)"), "18 main.t 1; 18 main.t 9");
  EXPECT_EQ(seen("UPDATE t SET a = 5 WHERE a = 1"), "23 main.t 5");
  EXPECT_EQ(seen("INSERT OR REPLACE INTO t VALUES(7, 2)"), "18 main.t 7");
  EXPECT_EQ(seen("INSERT INTO g VALUES(1)"), "18 main.g 1; 9 main.t 9");
  EXPECT_EQ(seen("INSERT INTO w VALUES(1)"), "");
  EXPECT_EQ(seen("DELETE FROM t WHERE a = 7"), "9 main.t 7");
  EXPECT_EQ(seen("DELETE FROM g"), "");
  EXPECT_EQ(sqlite3_update_hook(db_, nullptr, nullptr), this);
  EXPECT_EQ(seen("INSERT INTO t VALUES(1, 2)"), "");
}

TEST_F(RowHooks, ShowRowsBeforeTheChange) {
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b REAL, c); CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;"
      "CREATE TABLE n(x, y UNIQUE); CREATE TABLE p(id INTEGER PRIMARY KEY);"
      "CREATE TABLE ch(id INTEGER PRIMARY KEY, pid REFERENCES p ON DELETE CASCADE);"
      "PRAGMA foreign_keys = on; INSERT INTO p VALUES(1); INSERT INTO ch VALUES(10, 1)");
  sqlite3_preupdate_hook(db_, changing, this);
  EXPECT_EQ(seen("INSERT INTO t VALUES(5, 6, 'x')"), "18 t 5 5 none (5,6,x) depth 0 blob -1");
  EXPECT_EQ(seen("UPDATE t SET a = 7, c = 'y'"),
            "23 t 5 7 (5,6.0,x) (7,6.0,y) depth 0 blob -1");
  EXPECT_EQ(seen("DELETE FROM t"), "9 t 7 7 (7,6.0,y) none depth 0 blob -1");
  EXPECT_EQ(seen("INSERT INTO n VALUES(1, 1)"), "18 n 1 1 none (1,1) depth 0 blob -1");
  EXPECT_EQ(seen("INSERT OR REPLACE INTO n VALUES(9, 1)"),
            "9 n 1 1 (1,1) none depth 0 blob -1; 18 n 2 2 none (9,1) depth 0 blob -1");
  EXPECT_EQ(seen("DELETE FROM p"),
            "9 p 1 1 (1) none depth 0 blob -1; 9 ch 10 10 (10,1) none depth 1 blob -1");
  sqlite3_value* value = nullptr;
  EXPECT_EQ(sqlite3_preupdate_old(db_, 0, &value), SQLITE_MISUSE);
  EXPECT_EQ(sqlite3_preupdate_count(db_), 0);
}

TEST_F(RowHooks, ShowRowsThatIncrementalWritesChange) {
  run("CREATE TABLE b(a INTEGER PRIMARY KEY, x, y); INSERT INTO b VALUES(1, 'q', 'abcd')");
  sqlite3_preupdate_hook(db_, changing, this);
  sqlite3_blob* blob = nullptr;
  ASSERT_EQ(sqlite3_blob_open(db_, "main", "b", "y", 1, 1, &blob), SQLITE_OK);
  EXPECT_EQ(sqlite3_blob_write(blob, "zz", 2, 0), SQLITE_OK);
  EXPECT_EQ(sqlite3_blob_close(blob), SQLITE_OK);
  EXPECT_EQ(seen_, "9 b 1 1 (1,q,abcd) none depth 0 blob 2");
}

TEST(WalHook, IsCalledAfterCommitsAndMayCheckpoint) {
  std::string path = ::testing::TempDir() + "wal_hook_" + std::to_string(getpid()) + ".db";
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(run_sql(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a)"), "wal");
  std::string seen;
  auto hook = [](void* context, sqlite3* handle, const char* database, int frames) {
    int log = 0, done = 0;
    EXPECT_EQ(sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, &log, &done),
              SQLITE_OK);
    *static_cast<std::string*>(context) += std::string(database) + " " + std::to_string(frames) +
                                           " " + std::to_string(log) + " " + std::to_string(done);
    return SQLITE_OK;
  };
  EXPECT_EQ(sqlite3_wal_hook(db, hook, &seen), nullptr);
  EXPECT_EQ(run_sql(db, "BEGIN; INSERT INTO t VALUES(1); COMMIT"), "");
  EXPECT_EQ(seen, "main 3 3 3");
  EXPECT_EQ(run_sql(db, "PRAGMA wal_autocheckpoint"), "0");
  EXPECT_EQ(sqlite3_wal_autocheckpoint(db, 100), SQLITE_OK);
  EXPECT_EQ(run_sql(db, "PRAGMA wal_autocheckpoint"), "100");
  EXPECT_EQ(sqlite3_wal_checkpoint_v2(db, "nosuch", 0, nullptr, nullptr), SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(db), "unknown database: nosuch");
  EXPECT_EQ(sqlite3_wal_checkpoint_v2(db, nullptr, 7, nullptr, nullptr), SQLITE_MISUSE);
  EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  unlink(path.c_str());
}

}  // namespace
