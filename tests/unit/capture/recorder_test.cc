#include "capture/recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "capture/op_stream.h"
#include "capture/pending.h"

namespace godwit::capture {
namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

Handle open_memory() {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  return Handle(db);
}

int run(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
}

std::string query(sqlite3* db, const std::string& sql) {
  std::string out;
  sqlite3_stmt* stmt = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &stmt, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  while (sqlite3_step(stmt) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
      const unsigned char* text = sqlite3_column_text(stmt, i);
      out += std::string(i > 0 ? "|" : "") + (text == nullptr ? "NULL" : reinterpret_cast<const char*>(text));
    }
    out += "\n";
  }
  sqlite3_finalize(stmt);
  return out;
}

// Keeps what was committed.
class Gathered : public OpSink {
 public:
  Status take(sqlite3*, std::string_view ops) override {
    parts_.emplace_back(ops);
    return refuses ? Status(code::kFull) : Status();
  }
  void cut_back(uint64_t parts) override { parts_.resize(parts); }
  Status before_commit(sqlite3*) override { return Status(); }
  void ended(sqlite3*, bool committed) override {
    if (committed) {
      for (const std::string& part : parts_) ops += part;
    }
    parts_.clear();
  }
  std::string ops;
  bool refuses = false;

 private:
  std::vector<std::string> parts_;
};

// "INSERT t 1,'a' | UPDATE t 1 'a'->'b' | CREATE ..." of a stream.
std::string describe(std::string_view ops) {
  std::string out;
  OpReader reader(ops);
  Op op;
  auto text_of = [](sqlite3_value* value) -> std::string {
    if (value == nullptr) return "-";
    if (sqlite3_value_type(value) == SQLITE_NULL) return "NULL";
    if (sqlite3_value_type(value) == SQLITE_FLOAT) return std::to_string(sqlite3_value_double(value));
    return reinterpret_cast<const char*>(sqlite3_value_text(value));
  };
  while (*reader.next(&op)) {
    if (op.kind == OpKind::kSchema) {
      out += std::string(op.body) + "\n";
      continue;
    }
    sqlite3_changeset_iter* changes = nullptr;
    std::string body(op.body);
    sqlite3changeset_start(&changes, static_cast<int>(body.size()), body.data());
    while (sqlite3changeset_next(changes) == SQLITE_ROW) {
      const char* table = nullptr;
      int columns = 0, kind = 0, indirect = 0;
      sqlite3changeset_op(changes, &table, &columns, &kind, &indirect);
      out += std::string(kind == SQLITE_INSERT ? "+" : kind == SQLITE_DELETE ? "-" : "~") + table;
      for (int i = 0; i < columns; ++i) {
        sqlite3_value *before = nullptr, *after = nullptr;
        if (kind != SQLITE_INSERT) sqlite3changeset_old(changes, i, &before);
        if (kind != SQLITE_DELETE) sqlite3changeset_new(changes, i, &after);
        out += " " + (kind == SQLITE_INSERT   ? text_of(after)
                      : kind == SQLITE_DELETE ? text_of(before)
                                              : text_of(before) + ">" + text_of(after));
      }
      out += indirect != 0 ? " indirect\n" : "\n";
    }
    EXPECT_EQ(sqlite3changeset_finalize(changes), SQLITE_OK);
  }
  return out;
}

class RecorderTest : public testing::Test {
 protected:
  void SetUp() override {
    db_ = open_memory();
    run("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b REAL)");
    ASSERT_TRUE(set_sink(db_.get(), &sink_).ok());
  }
  int run(const std::string& sql) { return capture::run(db_.get(), sql); }
  // What was recorded since the last call.
  std::string recorded() { return describe(std::exchange(sink_.ops, {})); }

  Gathered sink_;  // outlives the connection
  Handle db_;
};

TEST_F(RecorderTest, TellsRowsWithTheColumnsThatChanged) {
  run("INSERT INTO t VALUES (1, 'x', 2), (2, NULL, 0.5)");
  run("UPDATE t SET a = a, b = b + 1 WHERE id = 1");
  run("UPDATE t SET a = a");
  run("DELETE FROM t WHERE id = 2");
  EXPECT_EQ(recorded(),
            "+t 1 x 2.000000\n+t 2 NULL 0.500000\n"
            "~t 1>- ->- 2.000000>3.000000\n"
            "-t 2 NULL 0.500000\n");
}

TEST_F(RecorderTest, AChangeOfTheKeyIsADeleteAndAnInsert) {
  run("INSERT INTO t VALUES (1, 'x', NULL); UPDATE t SET id = 7");
  EXPECT_EQ(recorded(), "+t 1 x NULL\n-t 1 x NULL\n+t 7 x NULL\n");
}

TEST_F(RecorderTest, ReplaceAndDeleteWithoutWhereTellEachRow) {
  run("INSERT INTO t VALUES (1, 'x', NULL), (2, 'y', NULL)");
  run("REPLACE INTO t VALUES (1, 'z', NULL)");
  run("DELETE FROM t");
  EXPECT_EQ(recorded(),
            "+t 1 x NULL\n+t 2 y NULL\n-t 1 x NULL\n+t 1 z NULL\n-t 1 z NULL\n-t 2 y NULL\n");
}

TEST_F(RecorderTest, WhatIsUndoneIsNotTold) {
  run("INSERT INTO t VALUES (1, 'x', NULL)");
  EXPECT_NE(run("INSERT INTO t VALUES (2, 'y', NULL), (1, 'y', NULL)"), SQLITE_OK);
  EXPECT_EQ(recorded(), "+t 1 x NULL\n");
  run("BEGIN; INSERT INTO t VALUES (3, 'a', NULL)");
  EXPECT_NE(run("INSERT INTO t VALUES (4, 'y', NULL), (1, 'y', NULL)"), SQLITE_OK);
  run("SAVEPOINT s; INSERT INTO t VALUES (5, 'b', NULL); SAVEPOINT s2; DELETE FROM t; ROLLBACK TO s;"
      "INSERT INTO t VALUES (6, 'c', NULL); RELEASE s; COMMIT");
  EXPECT_EQ(recorded(), "+t 3 a NULL\n+t 6 c NULL\n");
  run("BEGIN; INSERT INTO t VALUES (8, 'd', NULL); ROLLBACK");
  EXPECT_EQ(recorded(), "");
  // OR FAIL keeps the rows before the one that failed.
  EXPECT_NE(run("INSERT OR FAIL INTO t VALUES (9, 'e', NULL), (1, 'f', NULL)"), SQLITE_OK);
  EXPECT_EQ(recorded(), "+t 9 e NULL\n");
}

TEST_F(RecorderTest, TriggersAndForeignKeyActionsAreTold) {
  run("PRAGMA foreign_keys = 1");
  run("CREATE TABLE log(id INTEGER PRIMARY KEY, what)");
  run("CREATE TABLE child(k TEXT PRIMARY KEY, p REFERENCES t ON DELETE CASCADE) WITHOUT ROWID");
  run("CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES (new.a); END");
  recorded();
  run("INSERT INTO t VALUES (1, 'x', NULL)");
  run("INSERT INTO child VALUES ('c', 1)");
  run("DELETE FROM t");
  EXPECT_EQ(recorded(),
            "+t 1 x NULL\n+log 1 x indirect\n+child c 1\n-t 1 x NULL\n-child c 1 indirect\n");
}

TEST_F(RecorderTest, SchemaStatementsComeInBetween) {
  run("CREATE TABLE IF NOT EXISTS main.u(x TEXT, y GENERATED ALWAYS AS (x || '!') STORED)");
  run("CREATE TABLE IF NOT EXISTS u(z)");
  run("INSERT INTO u(x) VALUES ('p')");
  run("CREATE INDEX i ON u(x)");
  run(" -- a comment\n /* another */ ALTER TABLE u RENAME COLUMN x TO \"x y\" ; ");
  run("ALTER TABLE u RENAME TO \"my \"\"table\"");
  run("CREATE TABLE c AS SELECT id, 1.0 AS r FROM (SELECT 5 AS id)");
  run("PRAGMA user_version = 12");
  run("DROP TABLE \"my \"\"table\"");
  run("CREATE TEMP TABLE hidden(a); INSERT INTO hidden VALUES (1)");
  EXPECT_EQ(recorded(),
            "CREATE TABLE u(x TEXT, y GENERATED ALWAYS AS (x || '!') STORED)\n+u 1 p\n"
            "CREATE INDEX i ON u(x)\n"
            "ALTER TABLE u RENAME COLUMN x TO \"x y\"\n"
            "ALTER TABLE u RENAME TO \"my \"\"table\"\n"
            "CREATE TABLE c(id,r)\n+c 1 5 1.000000\n"
            "PRAGMA user_version = 12\n"
            "DROP TABLE \"my \"\"table\"\n");
}

TEST_F(RecorderTest, BlobsThatAreWrittenInPlaceAreUpdates) {
  run("INSERT INTO t VALUES (1, 'abcd', NULL)");
  recorded();
  sqlite3_blob* blob = nullptr;
  ASSERT_EQ(sqlite3_blob_open(db_.get(), "main", "t", "a", 1, 1, &blob), SQLITE_OK);
  ASSERT_EQ(sqlite3_blob_write(blob, "XY", 2, 1), SQLITE_OK);
  ASSERT_EQ(sqlite3_blob_close(blob), SQLITE_OK);
  EXPECT_EQ(recorded(), "~t 1>- abcd>aXYd ->-\n");
}

TEST_F(RecorderTest, ASinkThatFailsRefusesTheCommit) {
  sink_.refuses = true;
  EXPECT_EQ(run("INSERT INTO t VALUES (1, 'x', NULL)"), SQLITE_FULL);
  EXPECT_EQ(query(db_.get(), "SELECT count(*) FROM t"), "0\n");
  EXPECT_EQ(run("BEGIN; INSERT INTO t VALUES (1, 'x', NULL)"), SQLITE_OK);
  EXPECT_EQ(run("COMMIT"), SQLITE_FULL);
  sink_.refuses = false;
  (void)run("ROLLBACK");
  EXPECT_EQ(query(db_.get(), "SELECT count(*) FROM t"), "0\n");
  EXPECT_EQ(recorded(), "");
}

TEST_F(RecorderTest, APauseRecordsNothing) {
  {
    Pause pause(db_.get());
    run("INSERT INTO t VALUES (1, 'x', NULL)");
  }
  run("INSERT INTO t VALUES (2, 'x', NULL)");
  EXPECT_EQ(recorded(), "+t 2 x NULL\n");
}

// Runs a stream on another database.
void replay(sqlite3* db, std::string_view ops) {
  OpReader reader(ops);
  Op op;
  while (*reader.next(&op)) {
    std::string body(op.body);
    if (op.kind == OpKind::kSchema) {
      ASSERT_EQ(run(db, body), SQLITE_OK) << body << ": " << sqlite3_errmsg(db);
      continue;
    }
    auto refuse = [](void*, int, sqlite3_changeset_iter*) { return SQLITE_CHANGESET_ABORT; };
    ASSERT_EQ(sqlite3changeset_apply(db, static_cast<int>(body.size()), body.data(), nullptr, refuse,
                                     nullptr),
              SQLITE_OK);
  }
}

TEST(RecorderProperty, AReplayOfTheStreamGivesTheSameRows) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    Gathered sink;
    Handle from = open_memory(), to = open_memory();
    // What triggers did is in the stream.
    sqlite3_db_config(to.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    ASSERT_TRUE(set_sink(from.get(), &sink).ok());
    run(from.get(), "CREATE TABLE a(id INTEGER PRIMARY KEY, v, u UNIQUE)");
    run(from.get(), "CREATE TABLE b(k TEXT, n INT, v, PRIMARY KEY(k, n)) WITHOUT ROWID");
    run(from.get(), "CREATE TABLE c(k TEXT PRIMARY KEY NOT NULL, v REAL)");
    run(from.get(), "CREATE TRIGGER g AFTER DELETE ON a BEGIN INSERT OR IGNORE INTO c VALUES "
                    "('t' || old.id, old.v); END");
    for (int i = 0; i < 150; ++i) {
      const std::string n = std::to_string(pick(20)), m = std::to_string(pick(9));
      const char* or_what[] = {"", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ROLLBACK "};
      const std::string way = or_what[pick(5)];
      switch (pick(12)) {
        case 0: run(from.get(), "BEGIN"); break;
        case 1: run(from.get(), pick(4) == 0 ? "ROLLBACK" : "COMMIT"); break;
        case 2: run(from.get(), "SAVEPOINT s" + std::to_string(pick(2))); break;
        case 3: run(from.get(), "ROLLBACK TO s" + std::to_string(pick(2))); break;
        case 4: run(from.get(), "RELEASE s" + std::to_string(pick(2))); break;
        case 5:
        case 6: run(from.get(), "INSERT " + way + "INTO a VALUES (" + n + ", 'v" + m + "', " + m + "), (" +
                                    std::to_string(pick(20)) + ", 1.5, " + n + ")"); break;
        case 7: run(from.get(), "UPDATE " + way + "a SET id = id + " + m + ", v = v || 'x' WHERE id > " + n); break;
        case 8: run(from.get(), "DELETE FROM a WHERE id % 7 = " + m); break;
        case 9: run(from.get(), "INSERT " + way + "INTO b VALUES ('k" + m + "', " + n + ", x'0102')"); break;
        case 10: run(from.get(), "UPDATE " + way + "b SET n = n + 1, v = " + n + " WHERE k = 'k" + m + "'"); break;
        default: run(from.get(), "INSERT INTO c VALUES ('" + n + "', " + m + ") ON CONFLICT DO UPDATE SET v = v + 1");
      }
    }
    run(from.get(), "COMMIT");
    ASSERT_NO_FATAL_FAILURE(replay(to.get(), sink.ops)) << seed;
    for (const char* sql : {"SELECT * FROM a ORDER BY 1", "SELECT k, n, hex(v) FROM b ORDER BY 1, 2",
                            "SELECT * FROM c ORDER BY 1"}) {
      EXPECT_EQ(query(from.get(), sql), query(to.get(), sql)) << seed;
    }
  }
}

TEST(PendingTest, AnyConnectionToAReplicaKeepsWhatItDoes) {
  Handle db = open_memory();
  run(db.get(), "CREATE TABLE t(id INTEGER PRIMARY KEY, a);"
                "CREATE TABLE godwit_sync_pending(seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, ops BLOB)");
  ASSERT_TRUE(attach_pending(db.get()).ok());
  run(db.get(), "INSERT INTO t VALUES (7, 'x')");
  EXPECT_EQ(sqlite3_last_insert_rowid(db.get()), 7);
  EXPECT_EQ(sqlite3_changes(db.get()), 1);
  run(db.get(), "BEGIN; INSERT INTO t VALUES (8, 'y'); SAVEPOINT s; DELETE FROM t; ROLLBACK TO s;"
                "INSERT INTO t VALUES (9, 'z'); COMMIT");
  run(db.get(), "BEGIN; DELETE FROM t; ROLLBACK");
  EXPECT_EQ(query(db.get(), "SELECT seq, time > 1600000000, length(ops) > 10 FROM godwit_sync_pending"),
            "1|1|1\n2|1|1\n3|1|1\n");
}

// The file becomes known as a replica only inside the transaction, before its first change.
TEST(PendingTest, TheFirstTransactionOfAConnectionIsKept) {
  const std::string path = testing::TempDir() + "godwit-pending-" + std::to_string(::getpid());
  std::remove(path.c_str());
  auto open = [&] {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    return Handle(db);
  };
  run(open().get(), "CREATE TABLE t(id INTEGER PRIMARY KEY, a);"
                    "CREATE TABLE godwit_sync_pending(seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, ops BLOB)");
  run(open().get(), "BEGIN; INSERT INTO t VALUES (1, 'x'); COMMIT");
  run(open().get(), "BEGIN IMMEDIATE; INSERT INTO t VALUES (2, 'x'); COMMIT");
  run(open().get(), "SAVEPOINT s; INSERT INTO t VALUES (3, 'x'); ROLLBACK TO s; INSERT INTO t VALUES (4, 'x'); RELEASE s");
  EXPECT_EQ(query(open().get(), "SELECT seq, length(ops) > 10 FROM godwit_sync_pending"), "1|1\n2|1\n3|1\n");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace godwit::capture
