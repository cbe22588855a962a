#include "capture/data_changes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sqlite3.h"

namespace godwit::capture {
namespace {

struct CloseHandle {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

class DataChangesTest : public testing::Test {
 protected:
  DataChangesTest() {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
    db_.reset(db);
  }
  int try_run(const std::string& sql) { return sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr); }
  void run(const std::string& sql) { EXPECT_EQ(try_run(sql), SQLITE_OK) << sql << ": " << sqlite3_errmsg(db_.get()); }
  // Values by '|', rows by a space; NULL is '-'.
  std::string rows(const std::string& sql) {
    std::string out;
    sqlite3_stmt* stmt = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &stmt, nullptr), SQLITE_OK) << sqlite3_errmsg(db_.get());
    while (sqlite3_step(stmt) == SQLITE_ROW) {
      if (!out.empty()) out += ' ';
      for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
        const unsigned char* text = sqlite3_column_text(stmt, i);
        out += std::string(i > 0 ? "|" : "") + (text == nullptr ? "-" : reinterpret_cast<const char*>(text));
      }
    }
    sqlite3_finalize(stmt);
    return out;
  }
  // What was captured since the last call, with the records as JSON; commits left out.
  std::string news() {
    const std::string record = "bin_record_json_object(table_columns_json_array(table_name), ";
    std::string out = rows("SELECT change_type, table_name, id, " + record + "\"before\"), " + record +
                           "\"after\") FROM turso_cdc WHERE change_type < 2 AND change_id > " + std::to_string(seen_) +
                           " ORDER BY change_id");
    seen_ = std::stoll(rows("SELECT ifnull(max(change_id), 0) FROM turso_cdc"));
    return out;
  }

  std::unique_ptr<sqlite3, CloseHandle> db_;
  long long seen_ = 0;
};

TEST_F(DataChangesTest, SaysItsModeTableAndVersion) {
  EXPECT_EQ(rows("PRAGMA capture_data_changes_conn"), "off|-|-");
  run("PRAGMA capture_data_changes_conn('full')");
  EXPECT_EQ(rows("PRAGMA unstable_capture_data_changes_conn"), "full|turso_cdc|v2");
  EXPECT_EQ(rows("SELECT * FROM turso_cdc_version"), "turso_cdc|v2");
  run("PRAGMA unstable_capture_data_changes_conn('id,my table')");
  EXPECT_EQ(rows("PRAGMA capture_data_changes_conn"), "id|my table|v2");
  run("PRAGMA capture_data_changes_conn('off')");
  EXPECT_EQ(rows("PRAGMA capture_data_changes_conn"), "off|-|-");
  EXPECT_EQ(try_run("PRAGMA capture_data_changes_conn('some')"), SQLITE_ERROR);
}

TEST_F(DataChangesTest, MakesTheRowsOfTurso) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)");
  run("PRAGMA capture_data_changes_conn('full')");
  run("BEGIN; INSERT INTO t VALUES(1, 'x', 2); UPDATE t SET a = 'y'; COMMIT; DELETE FROM t");
  EXPECT_EQ(rows("SELECT change_id, change_txn_id, change_type, table_name, id, hex(\"before\"), hex(\"after\"),"
                 " hex(updates) FROM turso_cdc"),
            "1|1|1|t|1||04090F01" "7802| "
            "2|1|0|t|1|04090F017802|04090F017902|070809080" "00F0079 "
            "3|1|2|-|-||| "
            "4|4|-1|t|1|04090F017902|| "
            "5|4|2|-|-|||");
  EXPECT_EQ(rows("SELECT count(*) FROM turso_cdc WHERE abs(change_time - unixepoch()) < 60"), "5");
}

TEST_F(DataChangesTest, KeepsOnlyWhatTheModeSays) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, a)");
  const char* kModes[] = {"id", "before", "after", "full"};
  std::string all;
  for (const char* mode : kModes) {
    run(std::string("PRAGMA capture_data_changes_conn('") + mode + ",c_" + mode + "')");
    run("INSERT INTO t VALUES(1, 2); UPDATE t SET a = 3; DELETE FROM t");
    all += rows(std::string("SELECT group_concat((\"before\" IS NOT NULL) || (\"after\" IS NOT NULL) || (updates IS NOT NULL))"
                            " FROM c_") + mode + " WHERE change_type < 2") + "\n";
  }
  EXPECT_EQ(all, "000,000,000\n000,100,100\n010,010,000\n010,111,100\n");
}

TEST_F(DataChangesTest, RowsAreSeenWithinTheTransactionAndCountersAreTheUsers) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, a)");
  run("PRAGMA capture_data_changes_conn('id')");
  run("BEGIN; INSERT INTO t VALUES(70, 1), (71, 1)");
  EXPECT_EQ(rows("SELECT last_insert_rowid(), changes(), total_changes() - 1"), "71|2|2");
  EXPECT_EQ(rows("SELECT group_concat(id) FROM turso_cdc"), "70,71");
  run("COMMIT");
  EXPECT_EQ(rows("SELECT last_insert_rowid(), changes(), total_changes() - 1"), "71|2|2");
}

TEST_F(DataChangesTest, WhatFailsOrIsRolledBackIsNotThere) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE)");
  run("PRAGMA capture_data_changes_conn('full')");
  EXPECT_EQ(try_run("INSERT INTO t VALUES(1, 1), (2, 2), (3, 1)"), SQLITE_CONSTRAINT);
  run("BEGIN; INSERT INTO t VALUES(5, 5); SAVEPOINT s; INSERT INTO t VALUES(6, 6)");
  EXPECT_EQ(try_run("INSERT INTO t VALUES(7, 7), (8, 5)"), SQLITE_CONSTRAINT);
  run("ROLLBACK TO s; INSERT INTO t VALUES(9, 9); COMMIT");
  run("BEGIN; DELETE FROM t; ROLLBACK");
  run("BEGIN; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT");
  EXPECT_EQ(rows("SELECT change_type, id, change_txn_id FROM turso_cdc"), "1|5|1 1|9|1 2|-|1");
  EXPECT_EQ(try_run("INSERT OR FAIL INTO t VALUES(10, 10), (11, 5)"), SQLITE_CONSTRAINT);
  EXPECT_EQ(rows("SELECT change_type, id FROM turso_cdc WHERE change_id > 3"), "1|10 2|-");
}

TEST_F(DataChangesTest, KeysThatChangeReplacesUpsertsTriggersAndCascades) {
  run("PRAGMA foreign_keys = on; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE TABLE k(k TEXT PRIMARY KEY, v);"
      "CREATE TABLE c(p REFERENCES t ON DELETE CASCADE); CREATE TABLE log(x)");
  run("INSERT INTO t VALUES(1, 1, 1), (2, 2, 2); INSERT INTO k VALUES('a', 1); INSERT INTO c VALUES(2)");
  run("PRAGMA capture_data_changes_conn('full')");
  run("UPDATE t SET id = 5 WHERE id = 1");
  EXPECT_EQ(news(), R"(-1|t|1|{"id":1,"a":1,"b":1}|- 1|t|5|-|{"id":5,"a":1,"b":1})");
  run("UPDATE k SET k = 'b'");
  EXPECT_EQ(news(), R"(-1|k|1|{"k":"a","v":1}|- 1|k|1|-|{"k":"b","v":1})");
  run("REPLACE INTO t VALUES(5, 6, 7)");
  EXPECT_EQ(news(), R"(-1|t|5|{"id":5,"a":1,"b":1}|- 1|t|5|-|{"id":5,"a":6,"b":7})");
  run("INSERT INTO t VALUES(5, 0, 0) ON CONFLICT DO UPDATE SET a = 9");
  EXPECT_EQ(news(), R"(0|t|5|{"id":5,"a":6,"b":7}|{"id":5,"a":9,"b":7})");
  EXPECT_EQ(rows("SELECT hex(updates) FROM turso_cdc WHERE change_type = 0"), "07080908000100" "09");
  run("DELETE FROM t WHERE id = 2");
  EXPECT_EQ(news(), R"(-1|t|2|{"id":2,"a":2,"b":2}|- -1|c|1|{"p":2}|-)");
  run("CREATE TRIGGER g AFTER DELETE ON t BEGIN INSERT INTO log VALUES(old.id); END");
  news();
  run("DELETE FROM t");
  EXPECT_EQ(news(), R"(-1|t|5|{"id":5,"a":9,"b":7}|- 1|log|1|-|{"x":5})");
}

TEST_F(DataChangesTest, SchemaChangesAreRowsOfTheSchemaRenamesAmongThem) {
  run("PRAGMA capture_data_changes_conn('full')");
  run("CREATE TABLE t(a)");
  EXPECT_EQ(rows("SELECT change_type, table_name, json_extract(bin_record_json_object(table_columns_json_array("
                 "'sqlite_schema'), \"after\"), '$.sql') FROM turso_cdc WHERE change_id = 1"),
            "1|sqlite_schema|CREATE TABLE t(a)");
  const std::string altered = "SELECT change_type, json_extract(bin_record_json_object('[\"0\",\"1\",\"2\",\"3\",\"f\",\"5\",\"6\","
                              "\"7\",\"8\",\"sql\"]', updates), '$.f', '$.sql'), json_extract(bin_record_json_object("
                              "table_columns_json_array('sqlite_schema'), \"after\"), '$.sql') FROM turso_cdc"
                              " WHERE table_name = 'sqlite_schema' ORDER BY change_id DESC LIMIT 1";
  run("ALTER TABLE t RENAME COLUMN a TO b");
  EXPECT_EQ(rows(altered), R"(0|[1,"ALTER TABLE t RENAME COLUMN a TO b"]|CREATE TABLE t(b))");
  run("ALTER TABLE t RENAME TO \"u v\"");
  EXPECT_EQ(rows(altered), R"(0|[1,"ALTER TABLE t RENAME TO \"u v\""]|CREATE TABLE "u v"(b))");
  run("ALTER TABLE \"u v\" ADD COLUMN c DEFAULT 1");
  EXPECT_EQ(rows(altered), R"(0|[1,"ALTER TABLE \"u v\" ADD COLUMN c DEFAULT 1"]|CREATE TABLE "u v"(b, c DEFAULT 1))");
  run("CREATE TABLE s AS SELECT 1 AS x");
  run("DROP TABLE \"u v\"");
  EXPECT_EQ(rows("SELECT change_type, table_name, id FROM turso_cdc WHERE change_type < 2 AND change_id > 8"),
            "1|sqlite_schema|6 1|s|1 -1|sqlite_schema|5");
}

TEST_F(DataChangesTest, ValuesStayAsTheyAre) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, r REAL, v, g AS (v || 1))");
  run("PRAGMA capture_data_changes_conn('full')");
  run("INSERT INTO t VALUES(-3, 2, 9e999), (-2, 0.5, x'00ff'), (-1, 0.1, 'a\"\n')");
  EXPECT_EQ(news(), "1|t|-3|-|{\"id\":-3,\"r\":2.0,\"v\":9e999} 1|t|-2|-|{\"id\":-2,\"r\":0.5,\"v\":\"00FF\"} "
                    "1|t|-1|-|{\"id\":-1,\"r\":0.1,\"v\":\"a\\\"\\u000a\"}");
  run("CREATE TABLE w(a, b, c, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO w VALUES(1, 'x', 2); UPDATE w SET c = 3");
  EXPECT_EQ(rows("SELECT change_type, hex(id) FROM turso_cdc WHERE table_name = 'w'"), "1|03090F78 0|03090F78");
}

}  // namespace
}  // namespace godwit::capture
