// Replicas of sync/replica.h that talk to the server, without a network between them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "capture/op_stream.h"
#include "server/service.h"
#include "sync/replica.h"
#include "tests/unit/sync/sync_fixture.h"

namespace godwit::server {
namespace {

using sync::PushStatus;

class DenseReplicaTest : public testing::Test {
 protected:
  DenseReplicaTest() {
    folder_ = std::filesystem::path(testing::TempDir()) / ("dense_replica_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "server.db").string();
    start();
  }
  ~DenseReplicaTest() override {
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  void start() {
    service_.reset();
    ServiceOptions options;
    options.file = path_;
    service_ = std::make_unique<Service>(options);
    ASSERT_TRUE(service_->prepare().ok());
  }

  HttpResponse post(const std::string& path, std::string body) {
    HttpRequest request;
    request.method = "POST";
    request.path = path;
    request.body = std::move(body);
    HttpResponse response = service_->handle(request);
    if (response.pending) {
      auto pending = std::move(response.pending);
      EXPECT_TRUE(pending->try_answer(true, &response));
    }
    while (response.source) {
      auto more = response.source->next(&response.body);
      EXPECT_TRUE(more.ok());
      if (!more.ok() || !*more) response.source.reset();
    }
    return response;
  }

  // SQL over HTTP.
  void sql(const std::string& text) {
    HttpResponse response = post("/v2/pipeline", R"({"requests":[{"type":"execute","stmt":{"sql":")" + text +
                                                     R"("}},{"type":"close"}]})");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body.find("\"error\""), std::string::npos) << response.body;
  }
  // As another process would.
  void write_behind(const std::string& text) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  std::string rows(const std::string& text) { return sync::TestDatabase(path_).rows(text); }

  static std::string rows_op(const std::string& tables, const std::string& sql) {
    sync::TestDatabase scratch;
    scratch.run(tables);
    std::string ops;
    capture::append_op(capture::OpKind::kRows, scratch.changeset(sql), &ops);
    return ops;
  }

  sync::PushAnswer push(const std::string& client, uint64_t first, uint64_t last, const std::string& ops) {
    sync::PushRequest request;
    request.client = client;
    request.first_seq = first;
    request.last_seq = last;
    request.ops = ops;
    HttpResponse response = post("/godwit/push", encode(request));
    sync::PushAnswer answer;
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_TRUE(sync::decode(response.body, &answer).ok());
    return answer;
  }

  Status drive(Result<std::unique_ptr<sync::Exchange>> exchange) {
    if (!exchange.ok()) return exchange.take_status();
    Status status;
    while (const sync::HttpRequest* request = (*exchange)->request()) {
      HttpResponse response = post(request->url.substr(std::string("http://server").size()), request->body);
      sent_ += request->body.size();
      received_ += response.body.size();
      (*exchange)->begin(response.status);
      status = (*exchange)->add(response.body);
      if (status.ok()) status = (*exchange)->end();
      if (!status.ok()) break;
    }
    return status;
  }
  void expect_push(sync::Replica* replica) {
    Status status = drive(replica->begin_push());
    EXPECT_TRUE(status.ok()) << status.message();
  }
  void expect_pull(sync::Replica* replica) {
    Status status = drive(replica->begin_pull());
    EXPECT_TRUE(status.ok()) << status.message();
  }

  struct Client {
    std::unique_ptr<sync::Replica> replica;
    std::unique_ptr<sync::TestDatabase> app;
    std::vector<sync::Conflict> conflicts;
  };
  std::unique_ptr<Client> client(const std::string& name) {
    auto made = std::make_unique<Client>();
    sync::ReplicaOptions options;
    options.url = "http://server";
    options.client_name = name;
    options.conflict_found = [c = made.get()](const sync::Conflict& conflict) { c->conflicts.push_back(conflict); };
    auto replica = sync::Replica::open((folder_ / (name + ".db")).string(), options);
    EXPECT_TRUE(replica.ok()) << replica.status().message();
    made->replica = *std::move(replica);
    made->app = std::make_unique<sync::TestDatabase>((folder_ / (name + ".db")).string());
    return made;
  }

  std::filesystem::path folder_;
  std::string path_;
  std::unique_ptr<Service> service_;
  uint64_t sent_ = 0, received_ = 0;
};

constexpr const char* kTable = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)";

TEST_F(DenseReplicaTest, ForeignKeysOfTouchedRowsMustHold) {
  sql("CREATE TABLE p(id INTEGER PRIMARY KEY)");
  sql("CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p)");
  sql("INSERT INTO p VALUES (1), (2)");
  sql("INSERT INTO c VALUES (1, 1), (2, 99)");
  const std::string tables = "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id INTEGER PRIMARY KEY, p)";
  sync::PushAnswer answer = push("a", 1, 1, rows_op(tables, "INSERT INTO c VALUES (3, 7)"));
  ASSERT_EQ(answer.status, PushStatus::kRefused);
  EXPECT_EQ(answer.outcomes[0].text, "FOREIGN KEY constraint failed");
  EXPECT_EQ(push("a", 1, 2, rows_op(tables + "; INSERT INTO p VALUES (1)", "DELETE FROM p")).status, PushStatus::kRefused);
  EXPECT_EQ(push("a", 1, 3, rows_op(tables + "; INSERT INTO p VALUES (2)", "DELETE FROM p; INSERT INTO c VALUES (3, 7), (4, 1); INSERT INTO p VALUES (7)")).status,
            PushStatus::kApplied);
}

TEST_F(DenseReplicaTest, ReplicasComeToTheSameRows) {
  auto a = client("a"), b = client("b");
  expect_pull(a->replica.get());
  a->app->run(kTable);
  a->app->run("CREATE TABLE list(x)");
  a->app->run("BEGIN; INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3); INSERT INTO list VALUES (1); COMMIT");
  expect_push(a->replica.get());
  expect_pull(b->replica.get());
  EXPECT_EQ(b->app->rows("SELECT * FROM t"), "1,one,1 2,two,2 3,three,3");
  // The same row, different columns; one deleted; rows of a table without a key on both sides.
  a->app->run("UPDATE t SET a = 'ONE' WHERE id = 1; INSERT INTO list VALUES ('a')");
  b->app->run("UPDATE t SET b = 10 WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO list VALUES ('b')");
  expect_push(a->replica.get());
  expect_push(b->replica.get());
  start();
  sql("ALTER TABLE t ADD COLUMN c DEFAULT 5");
  sql("INSERT INTO t VALUES (4, 'four', 4, 4)");
  expect_pull(a->replica.get());
  expect_pull(b->replica.get());
  const std::string expected = "1,ONE,10,5 3,three,3,5 4,four,4,4";
  EXPECT_EQ(rows("SELECT * FROM t"), expected);
  EXPECT_EQ(a->app->rows("SELECT * FROM t"), expected);
  EXPECT_EQ(b->app->rows("SELECT * FROM t"), expected);
  EXPECT_EQ(rows("SELECT x FROM list ORDER BY x"), "1 a b");
  EXPECT_EQ(a->app->rows("SELECT rowid, x FROM list"), rows("SELECT rowid, x FROM list"));
  EXPECT_EQ(b->app->rows("SELECT rowid, x FROM list"), rows("SELECT rowid, x FROM list"));
  // Another process writes: pages, and what is pending stays.
  write_behind("UPDATE t SET a = 'behind' WHERE id = 3; DELETE FROM t WHERE id = 4");
  a->app->run("UPDATE t SET b = 33 WHERE id = 3");
  expect_pull(a->replica.get());
  EXPECT_EQ(a->app->rows("SELECT * FROM t WHERE id >= 3"), "3,behind,33,5");
  expect_push(a->replica.get());
  expect_pull(b->replica.get());
  EXPECT_EQ(b->app->rows("SELECT * FROM t"), rows("SELECT * FROM t"));
  EXPECT_EQ(rows("SELECT * FROM t WHERE id = 3"), "3,behind,33,5");
}

TEST_F(DenseReplicaTest, ARefusedPushStaysPendingUntilItIsDiscarded) {
  sql("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE)");
  auto a = client("a");
  expect_pull(a->replica.get());
  sql("INSERT INTO t VALUES (1, 'x')");
  a->app->run("INSERT INTO t VALUES (2, 'x')");
  EXPECT_FALSE(drive(a->replica->begin_push()).ok());
  EXPECT_EQ(a->replica->pending()->size(), 1u);
  EXPECT_EQ(a->app->rows("SELECT * FROM t"), "2,x");
  EXPECT_EQ(rows("SELECT * FROM t"), "1,x");
  EXPECT_TRUE(a->replica->discard("t", "{\"id\":2}").ok());
  expect_pull(a->replica.get());
  expect_push(a->replica.get());
  EXPECT_EQ(a->app->rows("SELECT * FROM t"), "1,x");
}

TEST_F(DenseReplicaTest, ManySmallPushesCostFewBytes) {
  sql("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c)");
  auto a = client("a"), b = client("b");
  expect_pull(a->replica.get());
  expect_pull(b->replica.get());
  sent_ = received_ = 0;
  for (int i = 0; i < 50; ++i) {
    a->app->run("INSERT INTO t VALUES (" + std::to_string(i) + ", 'some text', 1, 2)");
    expect_push(a->replica.get());
  }
  EXPECT_LT(sent_, 50u * 140);
  EXPECT_LT(received_, 50u * 60);
  received_ = 0;
  expect_pull(a->replica.get());
  EXPECT_LT(received_, 200u);
  expect_pull(b->replica.get());
  EXPECT_LT(received_, 2000u);
  EXPECT_EQ(b->app->rows("SELECT count(*) FROM t"), "50");
}

}  // namespace
}  // namespace godwit::server
