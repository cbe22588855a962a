// VACUUM, REINDEX and ANALYZE, and commits across files. Expected values are SQLite's.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class Maintenance : public ::testing::Test {
 protected:
  Maintenance() {
    char name[] = "/tmp/godwit-XXXXXX";
    folder_ = mkdtemp(name);
    open();
  }
  ~Maintenance() override {
    connection_.reset();
    std::filesystem::remove_all(folder_);
  }
  void open() {
    connection_.reset();
    connection_ = *Connection::open(folder_ + "/a.db", {});
  }
  std::string run(std::string_view sql) { return run_sql(connection_.get(), sql); }

  std::string folder_;
  std::unique_ptr<Connection> connection_;
};

constexpr const char* kContent =
    "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE); CREATE TABLE n(x);"
    "CREATE TABLE w(a, b, PRIMARY KEY(b)) WITHOUT ROWID; CREATE INDEX i ON t(b);"
    "CREATE VIEW v AS SELECT a FROM t; PRAGMA user_version = 7; PRAGMA application_id = 99;"
    "INSERT INTO t(b) VALUES(1),(2),(3); INSERT INTO n VALUES(1),(2),(3); DELETE FROM n WHERE x = 2;"
    "INSERT INTO w VALUES(1, 2),(3, 4);";

TEST_F(Maintenance, VacuumKeepsContentAndNumbersTreesAnew) {
  run(kContent);
  EXPECT_EQ(run("VACUUM; SELECT type, name, rootpage FROM sqlite_schema"),
            "table|t|2\nindex|sqlite_autoindex_t_1|3\ntable|sqlite_sequence|4\ntable|n|5\ntable|w|6\n"
            "index|i|7\nview|v|0");
  EXPECT_EQ(run("SELECT rowid, x FROM n; SELECT * FROM w; SELECT * FROM sqlite_sequence;"
                "PRAGMA user_version; PRAGMA application_id; PRAGMA integrity_check"),
            "1|1\n2|3\n1|2\n3|4\nt|3\n7\n99\nok");
}

TEST_F(Maintenance, VacuumChangesPageSizeAndAutoVacuum) {
  run(kContent);
  EXPECT_EQ(run("PRAGMA page_size = 1024; VACUUM; PRAGMA page_size; PRAGMA integrity_check"),
            "1024\nok");
  EXPECT_EQ(run("PRAGMA auto_vacuum = 2; VACUUM; PRAGMA auto_vacuum; PRAGMA integrity_check"),
            "2\nok");
  open();
  EXPECT_EQ(run("PRAGMA page_size; PRAGMA auto_vacuum; SELECT x FROM n; PRAGMA integrity_check"),
            "1024\n2\n1\n3\nok");
  EXPECT_EQ(run("PRAGMA page_size = 65536; VACUUM; PRAGMA page_size; PRAGMA integrity_check;"
                "SELECT b FROM t"),
            "65536\nok\n1\n2\n3");
}

TEST_F(Maintenance, OtherConnectionsSeeTheVacuumedFile) {
  run(kContent);
  auto other = *Connection::open(folder_ + "/a.db", {});
  EXPECT_EQ(run_sql(other.get(), "SELECT count(*) FROM t"), "3");
  run("PRAGMA page_size = 8192; VACUUM;");
  EXPECT_EQ(run_sql(other.get(), "SELECT count(*) FROM t; PRAGMA page_size; PRAGMA integrity_check"),
            "3\n8192\nok");
  EXPECT_EQ(run_sql(other.get(), "INSERT INTO n VALUES(9); PRAGMA integrity_check"), "ok");
  EXPECT_EQ(run("SELECT x FROM n"), "1\n3\n9");
}

TEST_F(Maintenance, VacuumIntoWritesANewFileOnly) {
  run(kContent);
  std::string into = "VACUUM INTO '" + folder_ + "/b.db'";
  EXPECT_EQ(run(into), "");
  EXPECT_EQ(run(into), "error 1: output file already exists");
  EXPECT_EQ(run("ATTACH '" + folder_ + "/b.db' AS b; SELECT rowid, x FROM b.n;"
                "PRAGMA b.integrity_check"),
            "1|1\n3|3\nok");
  EXPECT_EQ(run("BEGIN; VACUUM"), "error 1: cannot VACUUM from within a transaction");
  EXPECT_EQ(run("ROLLBACK; VACUUM nosuch"), "error 1: unknown database nosuch");
}

TEST_F(Maintenance, AnalyzeCountsEqualPrefixes) {
  run("CREATE TABLE t(a, b, c); CREATE INDEX i1 ON t(a); CREATE INDEX i2 ON t(b COLLATE nocase, c);"
      "CREATE INDEX i3 ON t(c) WHERE c > 2; CREATE TABLE n(q); CREATE TABLE e(q UNIQUE);"
      "CREATE TABLE w(x, y, z, PRIMARY KEY(y, x)) WITHOUT ROWID; CREATE INDEX wi ON w(z);"
      "INSERT INTO t VALUES(1,'a',1),(1,'A',2),(2,'b',3),(2,'B',3),(3,NULL,4),(NULL,NULL,5),"
      "(NULL,'x',5); INSERT INTO w VALUES(1,1,1),(2,1,1),(1,2,2); INSERT INTO n VALUES(1),(2),(3);");
  EXPECT_EQ(run("ANALYZE; SELECT * FROM sqlite_stat1 ORDER BY tbl, idx"),
            "n|NULL|3\nt|i1|7 2\nt|i2|7 2 2\nt|i3|5 2\nw|w|3 2 1\nw|wi|3 2");
  EXPECT_EQ(run("DELETE FROM t WHERE a = 3; ANALYZE i1;"
                "SELECT stat FROM sqlite_stat1 WHERE tbl = 't' ORDER BY idx"),
            "6 2\n7 2 2\n5 2");
  EXPECT_EQ(run("ANALYZE nosuch"), "error 1: no such table: nosuch");
}

TEST_F(Maintenance, ReindexFindsWhatItIsToldOf) {
  run("CREATE TABLE t(a UNIQUE, b COLLATE nocase); CREATE INDEX i ON t(b);"
      "INSERT INTO t VALUES(1,'a'),(2,'B');");
  EXPECT_EQ(run("REINDEX; REINDEX t; REINDEX main.i; REINDEX nocase; PRAGMA integrity_check"), "ok");
  EXPECT_EQ(run("REINDEX nosuch"),
            "error 1: unable to identify the object to be reindexed");
}

TEST_F(Maintenance, ACommitAcrossFilesLeavesNoJournals) {
  run("CREATE TABLE t(a); ATTACH '" + folder_ + "/b.db' AS b; CREATE TABLE b.u(a);");
  EXPECT_EQ(run("BEGIN; INSERT INTO t VALUES(1); INSERT INTO u VALUES(2); COMMIT;"
                "SELECT * FROM t, u; PRAGMA integrity_check"),
            "1|2\nok");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 2);
}

}  // namespace
}  // namespace godwit
