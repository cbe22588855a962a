// Backup, serialization and deserialization, with the codes that SQLite gives.
#include <cstring>
#include <vector>

#include "connection_fixture.h"

namespace {

class Copies : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    ASSERT_EQ(sqlite3_open(":memory:", &other_), SQLITE_OK);
    ASSERT_EQ(run("CREATE TABLE t(a, b);"
                  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50)"
                  " INSERT INTO t SELECT x, hex(zeroblob(500)) FROM c"),
              "");
  }
  void TearDown() override {
    EXPECT_EQ(sqlite3_close(other_), SQLITE_OK);
    ConnectionTest::TearDown();
  }
  std::string run_other(const std::string& sql) { return run_sql(other_, sql); }

  sqlite3* other_ = nullptr;
};

TEST_F(Copies, GoStepByStepWhileTheSourceChanges) {
  sqlite3_backup* backup = sqlite3_backup_init(other_, "main", db_, "main");
  ASSERT_NE(backup, nullptr);
  EXPECT_EQ(sqlite3_backup_pagecount(backup), 0);
  EXPECT_EQ(sqlite3_backup_step(backup, 0), SQLITE_OK);
  EXPECT_EQ(sqlite3_backup_remaining(backup), 15);
  EXPECT_EQ(sqlite3_backup_step(backup, 5), SQLITE_OK);
  EXPECT_EQ(sqlite3_backup_remaining(backup), 10);
  run("INSERT INTO t VALUES(1000, 'x')");
  EXPECT_EQ(sqlite3_backup_step(backup, 5), SQLITE_OK);
  EXPECT_EQ(sqlite3_backup_remaining(backup), 10);
  EXPECT_EQ(sqlite3_close(db_), SQLITE_BUSY);
  EXPECT_STREQ(sqlite3_errmsg(db_),
               "unable to close due to unfinalized statements or unfinished backups");
  run("BEGIN; INSERT INTO t VALUES(1001, 'x')");
  EXPECT_EQ(sqlite3_backup_step(backup, 5), SQLITE_LOCKED);
  run("COMMIT");
  EXPECT_EQ(sqlite3_backup_step(backup, -1), SQLITE_DONE);
  EXPECT_EQ(sqlite3_backup_step(backup, 1), SQLITE_DONE);
  EXPECT_EQ(sqlite3_backup_finish(backup), SQLITE_OK);
  EXPECT_EQ(run_other("SELECT count(*), max(a) FROM t"), "52|1001");
  EXPECT_EQ(run_other("PRAGMA integrity_check"), "ok");
}

TEST_F(Copies, RefuseWhatCannotBeCopied) {
  EXPECT_EQ(sqlite3_backup_init(db_, "main", db_, "main"), nullptr);
  EXPECT_STREQ(sqlite3_errmsg(db_), "source and destination must be distinct");
  EXPECT_EQ(sqlite3_backup_init(other_, "nosuch", db_, "main"), nullptr);
  EXPECT_STREQ(sqlite3_errmsg(other_), "unknown database nosuch");
  run_other("CREATE TABLE q(a); BEGIN; INSERT INTO q VALUES(1)");
  EXPECT_EQ(sqlite3_backup_init(other_, "main", db_, "main"), nullptr);
  EXPECT_STREQ(sqlite3_errmsg(other_), "destination database is in use");
  run_other("ROLLBACK");
  ASSERT_EQ(sqlite3_close(other_), SQLITE_OK);
  ASSERT_EQ(sqlite3_open(":memory:", &other_), SQLITE_OK);
  run_other("PRAGMA page_size = 1024; CREATE TABLE q(a)");
  sqlite3_backup* backup = sqlite3_backup_init(other_, "main", db_, "main");
  EXPECT_EQ(sqlite3_backup_step(backup, -1), SQLITE_READONLY);
  EXPECT_EQ(sqlite3_backup_finish(backup), SQLITE_READONLY);
  EXPECT_STREQ(sqlite3_errmsg(other_), "attempt to write a readonly database");
}

class Images : public Copies {
 protected:
  std::vector<unsigned char> image(sqlite3* db) {
    sqlite3_int64 size = 0;
    unsigned char* data = sqlite3_serialize(db, "main", &size, 0);
    std::vector<unsigned char> bytes(data, data + size);
    sqlite3_free(data);
    return bytes;
  }
  int load(const std::vector<unsigned char>& bytes, unsigned flags) {
    auto* data = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    std::memcpy(data, bytes.data(), bytes.size());
    auto size = static_cast<sqlite3_int64>(bytes.size());
    return sqlite3_deserialize(other_, "main", data, size, size,
                               flags | SQLITE_DESERIALIZE_FREEONCLOSE);
  }
};

TEST_F(Images, BecomeDatabasesAgain) {
  ASSERT_EQ(load(image(db_), SQLITE_DESERIALIZE_RESIZEABLE), SQLITE_OK);
  EXPECT_EQ(run_other("SELECT count(*) FROM t"), "50");
  EXPECT_EQ(run_other("PRAGMA journal_mode"), "memory");
  EXPECT_EQ(run_other("PRAGMA journal_mode = wal"), "memory");
  EXPECT_EQ(run_other("INSERT INTO t SELECT a, b FROM t"), "");
  EXPECT_EQ(run_other("SELECT count(*) FROM t"), "100");
  EXPECT_EQ(run_other("PRAGMA integrity_check"), "ok");
  sqlite3_int64 size = 0;
  unsigned char* data = sqlite3_serialize(other_, "main", &size, SQLITE_SERIALIZE_NOCOPY);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(std::memcmp(data, "SQLite format 3", 16), 0);
  EXPECT_GT(size, 15 * 4096);
}

TEST_F(Images, KeepTheLimitsThatTheyAreGiven) {
  ASSERT_EQ(load(image(db_), 0), SQLITE_OK);
  EXPECT_EQ(run_other("INSERT INTO t SELECT a, b FROM t"), "error 13: database or disk is full");
  EXPECT_EQ(run_other("SELECT count(*) FROM t"), "50");
  ASSERT_EQ(load(image(db_), SQLITE_DESERIALIZE_READONLY), SQLITE_OK);
  EXPECT_EQ(run_other("DELETE FROM t"), "error 8: attempt to write a readonly database");
  run_other("BEGIN; SELECT * FROM t");
  EXPECT_EQ(load(image(db_), 0), SQLITE_BUSY);
  run_other("ROLLBACK");
  ASSERT_EQ(load(std::vector<unsigned char>(700, 'x'), 0), SQLITE_OK);
  EXPECT_EQ(run_other("SELECT * FROM t"), "error 26: file is not a database");
}

TEST_F(Images, OfAnEmptyDatabaseHaveOnePage) {
  EXPECT_EQ(image(other_).size(), 4096u);
  sqlite3_int64 size = 0;
  EXPECT_EQ(sqlite3_serialize(db_, "main", &size, SQLITE_SERIALIZE_NOCOPY), nullptr);
  EXPECT_EQ(sqlite3_serialize(db_, "nosuch", &size, 0), nullptr);
  EXPECT_EQ(size, -1);
}

}  // namespace
