// The dense form's two endpoints, with a client that is made of a recorder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "capture/op_stream.h"
#include "capture/recorder.h"
#include "server/dense_pull.h"
#include "server/dense_push.h"
#include "sync/wire.h"

namespace godwit::server {
namespace {

class Ops final : public capture::OpSink {
 public:
  Status take(sqlite3*, std::string_view ops) override {
    ops_ += ops;
    return Status();
  }
  void cut_back(uint64_t) override {}
  Status before_commit(sqlite3*) override { return Status(); }
  void ended(sqlite3*, bool) override {}
  std::string ops_;
};

// What `sql` does to a database with these tables, as an op stream.
std::string ops_of(const std::string& schema, const std::string& sql) {
  Ops sink;
  sqlite3* db = nullptr;
  sqlite3_open(":memory:", &db);
  EXPECT_EQ(sqlite3_exec(db, schema.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE(capture::set_sink(db, &sink).ok());
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
  return sink.ops_;
}

constexpr const char* kSchema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE);";

struct Pulled {
  int status = 0;
  sync::PullBegin begin;
  std::string ops;     // all of them
  std::string pages;
  bool ended = false;
};

class DenseTest : public testing::Test {
 protected:
  DenseTest() {
    folder_ = testing::TempDir() + "dense_test_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/app.db";
    run_elsewhere("PRAGMA journal_mode=WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE)");
    open_server();
  }
  ~DenseTest() override {
    database_.reset();
    std::filesystem::remove_all(folder_);
  }
  void open_server() {
    database_.reset();
    auto opened = Database::open("app", path_, false, {});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    database_ = *std::move(opened);
  }
  // As another process.
  void run_elsewhere(const std::string& sql) {
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  std::string query(const std::string& sql) {
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    std::string out;
    auto add = [](void* out, int columns, char** values, char**) {
      for (int i = 0; i < columns; ++i) {
        *static_cast<std::string*>(out) += std::string(i > 0 ? "|" : "") + (values[i] ? values[i] : "NULL");
      }
      *static_cast<std::string*>(out) += "\n";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), add, &out, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
    return out;
  }
  HttpResponse push_raw(std::string body) {
    HttpRequest request;
    request.method = "POST";
    request.body = std::move(body);
    return handle_dense_push(database_, request, &metrics_);
  }
  sync::PushAnswer push(const std::string& client, uint64_t first, uint64_t last, std::string ops,
                        const std::string& revision = "") {
    sync::PushRequest push;
    push.client = client;
    push.revision = revision;
    push.first_seq = first;
    push.last_seq = last;
    push.ops = std::move(ops);
    HttpResponse response = push_raw(sync::encode(push));
    EXPECT_EQ(response.status, 200) << response.body;
    sync::PushAnswer answer;
    EXPECT_TRUE(sync::decode(response.body, &answer).ok());
    return answer;
  }
  Pulled pull(const std::string& client, const std::string& revision, const std::string& identity = "") {
    sync::PullRequest pull;
    pull.client = client;
    pull.revision = revision;
    pull.database = identity;
    HttpRequest request;
    request.method = "POST";
    request.body = sync::encode(pull);
    HttpResponse response = handle_dense_pull(database_, request, &metrics_);
    Pulled pulled;
    pulled.status = response.status;
    if (response.status != 200) return pulled;
    sync::FrameReader reader;
    reader.add(response.body);
    for (bool more = response.source != nullptr; more;) {
      std::string piece;
      auto next = response.source->next(&piece);
      EXPECT_TRUE(next.ok());
      more = next.ok() && *next;
      reader.add(piece);
    }
    sync::FrameKind kind;
    std::string_view body;
    for (;;) {
      auto next = reader.next(&kind, &body);
      EXPECT_TRUE(next.ok());
      if (!next.ok() || !*next) break;
      if (kind == sync::FrameKind::kBegin) {
        EXPECT_TRUE(sync::decode(body, &pulled.begin).ok());
      }
      if (kind == sync::FrameKind::kOps) pulled.ops += body;
      if (kind == sync::FrameKind::kPages) pulled.pages += body;
    }
    pulled.ended = reader.ended();
    return pulled;
  }

  std::string folder_, path_;
  std::shared_ptr<Database> database_;
  Metrics metrics_;
};

std::vector<std::string> kinds_of(std::string_view ops) {
  std::vector<std::string> kinds;
  capture::OpReader reader(ops);
  capture::Op op;
  while (*reader.next(&op)) {
    kinds.push_back(op.kind == capture::OpKind::kRows     ? "rows"
                    : op.kind == capture::OpKind::kSchema ? "schema"
                    : op.kind == capture::OpKind::kMark   ? "mark " + std::to_string(op.mark)
                                                          : "settled " + std::to_string(op.mark));
  }
  return kinds;
}

using Kinds = std::vector<std::string>;

TEST_F(DenseTest, APushIsAppliedOnce) {
  const std::string ops = ops_of(kSchema, "INSERT INTO t VALUES (1, 'x', NULL)");
  sync::PushAnswer first = push("c", 1, 3, ops);
  EXPECT_EQ(first.status, sync::PushStatus::kApplied);
  EXPECT_EQ(first.acknowledged_seq, 3u);
  EXPECT_EQ(first.database.size(), 16u);
  run_elsewhere("DELETE FROM t");
  EXPECT_EQ(push("c", 1, 3, ops).status, sync::PushStatus::kRepeated);
  EXPECT_EQ(query("SELECT count(*) FROM t"), "0\n");
  // A part of it was applied: the client lies.
  sync::PushRequest overlap;
  overlap.client = "c";
  overlap.first_seq = 3;
  overlap.last_seq = 4;
  EXPECT_EQ(push_raw(sync::encode(overlap)).status, 409);
  EXPECT_EQ(push("d", 1, 1, ops).status, sync::PushStatus::kApplied);
}

TEST_F(DenseTest, OthersGetTheOpsAndTheClientAMark) {
  const std::string start = pull("a", "").begin.revision;
  Pulled whole = pull("a", "");
  EXPECT_EQ(whole.begin.mode, sync::PullMode::kPages);
  EXPECT_EQ(whole.begin.page_count, 4u);
  EXPECT_TRUE(whole.ended);
  EXPECT_EQ(pull("a", start).begin.mode, sync::PullMode::kNothing);

  sync::PushAnswer pushed = push("a", 1, 2, ops_of(kSchema, "INSERT INTO t VALUES (1, 'x', NULL)"), start);
  // Nothing else lies between: the client has this revision.
  EXPECT_EQ(pushed.revision, pull("b", "").begin.revision);
  EXPECT_EQ(pull("a", pushed.revision).begin.mode, sync::PullMode::kNothing);

  Pulled own = pull("a", start), other = pull("b", start);
  EXPECT_EQ(own.begin.mode, sync::PullMode::kOps);
  EXPECT_EQ(own.begin.acknowledged_seq, 2u);
  EXPECT_EQ(kinds_of(own.ops), Kinds({"mark 2"}));
  EXPECT_EQ(other.begin.mode, sync::PullMode::kOps);
  EXPECT_EQ(other.begin.acknowledged_seq, 0u);
  EXPECT_EQ(kinds_of(other.ops), Kinds({"rows"}));
  EXPECT_EQ(other.begin.revision, pushed.revision);
}

TEST_F(DenseTest, WhatSqlSessionsDoIsLoggedInOrder) {
  const std::string start = pull("a", "").begin.revision;
  auto session = *database_->new_session(false);
  SqlError error;
  EXPECT_TRUE(session->run_script("INSERT INTO t VALUES (1, 'x', NULL); CREATE TABLE u(z);"
                                  "BEGIN; INSERT INTO u VALUES (5); INSERT INTO u VALUES (6); COMMIT",
                                  &error));
  push("b", 1, 1, ops_of(kSchema, "INSERT INTO t VALUES (2, 'y', NULL)"));
  Pulled pulled = pull("a", start);
  EXPECT_EQ(pulled.begin.mode, sync::PullMode::kOps);
  EXPECT_EQ(kinds_of(pulled.ops), Kinds({"rows", "schema", "rows", "rows"}));
}

TEST_F(DenseTest, CommitsOfOthersAreAGapThatPagesBridge) {
  const std::string start = pull("a", "").begin.revision;
  push("b", 1, 1, ops_of(kSchema, "INSERT INTO t VALUES (1, 'x', NULL)"));
  run_elsewhere("INSERT INTO t VALUES (7, 'elsewhere', NULL)");
  push("b", 2, 2, ops_of(kSchema, "INSERT INTO t VALUES (2, 'x', NULL)"));
  EXPECT_EQ(pull("a", start).begin.mode, sync::PullMode::kPages);
  EXPECT_EQ(metrics_.row_log_gaps, 1u);
  const std::string later = pull("a", "").begin.revision;
  push("b", 3, 3, ops_of(kSchema, "INSERT INTO t VALUES (3, 'x', NULL)"));
  EXPECT_EQ(pull("a", later).begin.mode, sync::PullMode::kOps);
  EXPECT_EQ(pull("a", "nonsense").begin.mode, sync::PullMode::kPages);
}

TEST_F(DenseTest, TheLogSurvivesARestartAndItsLossIsAGap) {
  const std::string start = pull("a", "").begin.revision;
  push("b", 1, 1, ops_of(kSchema, "INSERT INTO t VALUES (1, 'x', NULL)"));
  open_server();
  EXPECT_EQ(pull("a", start).begin.mode, sync::PullMode::kOps);
  push("b", 2, 2, ops_of(kSchema, "INSERT INTO t VALUES (2, 'x', NULL)"));
  EXPECT_EQ(kinds_of(pull("a", start).ops), Kinds({"rows", "rows"}));
  database_.reset();
  std::filesystem::remove(path_ + "-godwit-log");
  open_server();
  EXPECT_EQ(pull("a", start).begin.mode, sync::PullMode::kPages);
  database_.reset();
  std::filesystem::resize_file(path_ + "-godwit-log", 0);
  FILE* damaged = std::fopen((path_ + "-godwit-log").c_str(), "wb");
  std::fputs("this is not a database at all, but it is long enough to look like one to some readers of it", damaged);
  std::fclose(damaged);
  open_server();
  EXPECT_EQ(pull("a", start).begin.mode, sync::PullMode::kPages);
}

TEST_F(DenseTest, APushThatAConstraintStopsChangesNothing) {
  run_elsewhere("INSERT INTO t VALUES (1, 'theirs', 'taken')");
  sync::PushAnswer answer =
      push("c", 1, 1, ops_of(kSchema, "INSERT INTO t VALUES (5, 'fine', 'free'); INSERT INTO t VALUES (6, 'mine', 'taken')"));
  EXPECT_EQ(answer.status, sync::PushStatus::kRefused);
  EXPECT_EQ(answer.acknowledged_seq, 0u);
  ASSERT_EQ(answer.outcomes.size(), 1u);
  EXPECT_EQ(answer.outcomes[0].kind, sync::OutcomeKind::kRefused);
  EXPECT_EQ(answer.outcomes[0].table, "t");
  EXPECT_EQ(answer.outcomes[0].key, "{\"id\":6}");
  EXPECT_EQ(answer.outcomes[0].text, "UNIQUE constraint failed: t.b");
  EXPECT_EQ(query("SELECT id FROM t"), "1\n");
}

TEST_F(DenseTest, WhatLosesIsKeptAndTheEffectIsTold) {
  run_elsewhere("INSERT INTO t VALUES (1, 'theirs', NULL)");
  const std::string start = pull("c", "").begin.revision;
  sync::PushAnswer answer = push("c", 1, 4, ops_of(kSchema, "INSERT INTO t VALUES (1, 'mine', NULL)"), start);
  EXPECT_EQ(answer.status, sync::PushStatus::kApplied);
  EXPECT_EQ(answer.revision, "");  // it must pull
  ASSERT_EQ(answer.outcomes.size(), 1u);
  EXPECT_EQ(answer.outcomes[0].kind, sync::OutcomeKind::kOverwritten);
  EXPECT_EQ(query("SELECT id, a FROM t"), "1|mine\n");
  EXPECT_EQ(query("SELECT table_name, row_key, json_extract(change, '$.a') FROM godwit_sync_rejected"),
            "t|{\"id\":1}|theirs\n");
  EXPECT_EQ(kinds_of(pull("c", start).ops), Kinds({"rows", "settled 4"}));
}

TEST_F(DenseTest, SchemaStatementsAreTolerantOfWhatIsThere) {
  const std::string ops = ops_of("", "CREATE TABLE u(x PRIMARY KEY, y); CREATE INDEX ui ON u(y);"
                                     "INSERT INTO u VALUES (1, 2); ALTER TABLE u ADD COLUMN z;"
                                     "PRAGMA user_version = 3");
  EXPECT_EQ(push("a", 1, 1, ops).status, sync::PushStatus::kApplied);
  EXPECT_EQ(push("b", 1, 1, ops_of("CREATE TABLE u(x PRIMARY KEY, y)", "ALTER TABLE u ADD COLUMN z")).status,
            sync::PushStatus::kApplied);
  EXPECT_EQ(push("b", 2, 2, ops_of("CREATE TABLE v(x)", "DROP TABLE v")).status, sync::PushStatus::kApplied);
  EXPECT_EQ(push("b", 3, 3, ops_of("", "CREATE TABLE u(other)")).status, sync::PushStatus::kRefused);
  EXPECT_EQ(query("SELECT x, y, z FROM u"), "1|2|NULL\n");
  EXPECT_EQ(query("PRAGMA user_version"), "3\n");
  std::string hostile;
  capture::append_op(capture::OpKind::kSchema, "DELETE FROM u", &hostile);
  EXPECT_EQ(push("b", 3, 3, hostile).status, sync::PushStatus::kRefused);
  hostile.clear();
  capture::append_op(capture::OpKind::kSchema, "CREATE TABLE w(x); DELETE FROM u", &hostile);
  EXPECT_EQ(push("b", 3, 3, hostile).status, sync::PushStatus::kRefused);
  EXPECT_EQ(query("SELECT x, y, z FROM u"), "1|2|NULL\n");
  for (const char* sql : {"DROP TABLE turso_sync_last_change_id", "ALTER TABLE godwit_sync_database RENAME TO x",
                          "CREATE TRIGGER g AFTER INSERT ON turso_sync_last_change_id BEGIN DELETE FROM u; END"}) {
    hostile.clear();
    capture::append_op(capture::OpKind::kSchema, sql, &hostile);
    EXPECT_EQ(push("b", 3, 3, hostile).status, sync::PushStatus::kRefused) << sql;
  }
}

TEST_F(DenseTest, AnotherDatabaseAndNonsenseAreRefused) {
  const std::string identity = pull("a", "").begin.database;
  EXPECT_EQ(pull("a", "", identity).status, 200);
  EXPECT_EQ(pull("a", "", "0123456789abcdef").status, 409);
  sync::PushRequest foreign;
  foreign.client = "a";
  foreign.database = "0123456789abcdef";
  foreign.first_seq = foreign.last_seq = 1;
  EXPECT_EQ(push_raw(sync::encode(foreign)).status, 409);
  EXPECT_EQ(push_raw("").status, 400);
  EXPECT_EQ(push_raw("GP\x01 and what not").status, 400);
  sync::PushRequest damaged;
  damaged.client = "a";
  damaged.first_seq = damaged.last_seq = 1;
  damaged.ops = ops_of(kSchema, "INSERT INTO t VALUES (1, 'x', NULL)");
  damaged.ops.pop_back();
  EXPECT_EQ(push_raw(sync::encode(damaged)).status, 400);
  damaged.ops.clear();
  capture::append_op(capture::OpKind::kRows, "T\x02\x01", &damaged.ops);
  EXPECT_EQ(push_raw(sync::encode(damaged)).status, 400);
}

}  // namespace
}  // namespace godwit::server
