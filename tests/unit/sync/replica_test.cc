#include "sync/replica.h"

#include <atomic>
#include <thread>

#include "tests/unit/sync/fake_server.h"

namespace godwit::sync {
namespace {

constexpr char kTables[] =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, n INTEGER DEFAULT 0, u UNIQUE);"
    "CREATE TABLE k(x, y);";

#define EXPECT_OK(expr)                              \
  do {                                               \
    const Status expect_status = (expr);             \
    EXPECT_TRUE(expect_status.ok()) << expect_status.message(); \
  } while (false)

void expect_same(TestClient& client, FakeServer& server) {
  for (const char* sql : {"SELECT * FROM t ORDER BY id", "SELECT rowid, * FROM k ORDER BY rowid"}) {
    EXPECT_EQ(client.rows(sql), server.db.rows(sql)) << sql;
  }
}

TEST(Replica, GetsAllRowsAtFirstAndChangesLater) {
  FakeServer server;
  server.schema(kTables);
  server.write("INSERT INTO t VALUES(1, 'a', x'00ff', 2, 'u'), (2, 1.5, NULL, 3, 'v'); INSERT INTO k VALUES(1, 2), (1, 2)");
  TestClient client("first");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(server.pulls_of_pages, 1);
  expect_same(client, server);
  server.write("UPDATE t SET a = 'b' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO k VALUES(3, 4)");
  server.schema("CREATE TABLE later(x PRIMARY KEY) WITHOUT ROWID");
  server.write("INSERT INTO later VALUES('x')");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(server.pulls_of_pages, 1);
  expect_same(client, server);
  EXPECT_EQ(client.rows("SELECT * FROM later"), "x");
  EXPECT_EQ(client.rows("PRAGMA integrity_check"), "ok");
}

TEST(Replica, PushesAndNeedsNoPullIfNobodyElseWrites) {
  FakeServer server;
  server.schema(kTables);
  TestClient client("push");
  EXPECT_OK(client.pull(server));
  client.write("INSERT INTO t VALUES(1, 'a', 'b', 0, 'u')");
  client.write("UPDATE t SET a = 'c'");
  EXPECT_EQ(client.replica->stats()->pending_changes, 2u);
  EXPECT_OK(client.push(server));
  EXPECT_EQ(client.replica->stats()->pending_changes, 0u);
  EXPECT_EQ(client.rows("SELECT count(*) FROM godwit_sync_pending"), "0");
  EXPECT_EQ(server.db.rows("SELECT * FROM t"), "1,c,b,0,u");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(server.pulls_of_pages, 1);
  expect_same(client, server);
  EXPECT_OK(client.push(server));
  EXPECT_EQ(server.pushes, 1) << "nothing pending, nothing sent";
}

TEST(Replica, PushesWithoutAPullAndMakesTheSchemaThere) {
  FakeServer server;
  TestClient client("nopull");
  client.schema("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, n INTEGER DEFAULT 0, u UNIQUE)");
  client.schema("CREATE TABLE k(x, y)");
  client.write("INSERT INTO t(id, a) VALUES(1, 'x'); INSERT INTO k VALUES(1, 1)");
  EXPECT_OK(client.push(server));
  EXPECT_EQ(server.db.rows("SELECT id, a FROM t"), "1,x");
  client.write("UPDATE t SET a = 'y'");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(client.rows("SELECT id, a FROM t"), "1,y");
  EXPECT_OK(client.push(server));
  EXPECT_OK(client.pull(server));
  expect_same(client, server);
}

// A row of the rule's table: both clients change what the server has; first pushes first.
struct Case {
  const char* name;
  const char* first;
  const char* second;
  const char* t;
  const char* k;
};

class ReplicaRule : public testing::TestWithParam<Case> {};

TEST_P(ReplicaRule, BringsAllToTheSameRows) {
  for (const bool pulls_before_push : {false, true}) {
    FakeServer server;
    server.schema(kTables);
    server.write("INSERT INTO t VALUES(1, 'a', 'b', 5, 'u1'), (2, 'a2', 'b2', 0, 'u2'); INSERT INTO k VALUES('p', 1)");
    ReplicaOptions options;
    options.counters = {"t.n"};
    TestClient first("rule1", options), second("rule2", options);
    EXPECT_OK(first.pull(server));
    EXPECT_OK(second.pull(server));
    first.write(GetParam().first);
    second.write(GetParam().second);
    EXPECT_OK(first.push(server));
    if (pulls_before_push) EXPECT_OK(second.pull(server));
    EXPECT_OK(second.push(server));
    EXPECT_OK(first.pull(server));
    EXPECT_OK(second.pull(server));
    expect_same(first, server);
    expect_same(second, server);
    EXPECT_EQ(server.db.rows("SELECT * FROM t WHERE id <> 2"), GetParam().t) << pulls_before_push;
    EXPECT_EQ(server.db.rows("SELECT x, y FROM k ORDER BY x, y"), GetParam().k) << pulls_before_push;
    EXPECT_EQ(first.replica->stats()->pending_changes + second.replica->stats()->pending_changes, 0u);
    EXPECT_EQ(server.pulls_of_pages, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ReplicaRule,
    testing::Values(
        Case{"Columns", "UPDATE t SET a = 1 WHERE id = 1", "UPDATE t SET b = 2 WHERE id = 1", "1,1,2,5,u1", "p,1"},
        Case{"SameColumn", "UPDATE t SET a = 1 WHERE id = 1", "UPDATE t SET a = 2 WHERE id = 1", "1,2,b,5,u1", "p,1"},
        Case{"DeleteUpdate", "DELETE FROM t WHERE id = 1", "UPDATE t SET a = 2 WHERE id = 1", "", "p,1"},
        Case{"UpdateDelete", "UPDATE t SET a = 2 WHERE id = 1", "DELETE FROM t WHERE id = 1", "", "p,1"},
        Case{"DeleteDelete", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1", "", "p,1"},
        Case{"InsertInsert", "INSERT INTO t VALUES(3, 1, 1, 1, 'x')", "INSERT INTO t VALUES(3, 2, 2, 2, 'y')",
             "1,a,b,5,u1 3,2,2,2,y", "p,1"},
        Case{"NoKeyInserts", "INSERT INTO k VALUES('q', 1)", "INSERT INTO k VALUES('r', 1)", "1,a,b,5,u1", "p,1 q,1 r,1"},
        Case{"NoKeyUpdates", "UPDATE k SET y = 2", "UPDATE k SET y = 3", "1,a,b,5,u1", "p,2"},
        Case{"Counters", "UPDATE t SET n = n + 1 WHERE id = 1", "UPDATE t SET n = n + 10 WHERE id = 1", "1,a,b,16,u1", "p,1"},
        Case{"KeyChange", "UPDATE t SET id = 7 WHERE id = 1", "UPDATE t SET a = 'z' WHERE id = 1", "7,a,b,5,u1", "p,1"},
        Case{"UniqueMoves", "UPDATE t SET u = 'w' WHERE id = 1", "UPDATE t SET u = 'u3' WHERE id = 2; UPDATE t SET b = 0 WHERE id = 1",
             "1,a,0,5,w", "p,1"}),
    [](const auto& info) { return info.param.name; });

TEST(Replica, RevivesARowIfUpdateWins) {
  for (const bool pulls_before_push : {false, true}) {
    FakeServer server;
    server.schema(kTables);
    server.write("INSERT INTO t VALUES(1, 'a', 'b', 5, 'u1')");
    ReplicaOptions options;
    options.update_wins = true;
    TestClient first("revive1", options), second("revive2", options);
    EXPECT_OK(first.pull(server));
    EXPECT_OK(second.pull(server));
    first.write("DELETE FROM t WHERE id = 1");
    second.write("UPDATE t SET a = 'mine' WHERE id = 1");
    EXPECT_OK(first.push(server));
    if (pulls_before_push) EXPECT_OK(second.pull(server));
    EXPECT_OK(second.push(server));
    EXPECT_OK(second.pull(server));
    EXPECT_OK(first.pull(server));
    EXPECT_EQ(server.db.rows("SELECT * FROM t"), "1,mine,b,5,u1");
    expect_same(first, server);
    expect_same(second, server);
  }
}

TEST(Replica, SetsARowAsideThatAUniqueConstraintRefuses) {
  FakeServer server;
  server.schema(kTables);
  TestClient first("unique1"), second("unique2");
  EXPECT_OK(first.pull(server));
  EXPECT_OK(second.pull(server));
  first.write("INSERT INTO t VALUES(1, 'first', 1, 1, 'same')");
  second.write("INSERT INTO t VALUES(2, 'second', 1, 1, 'same'); INSERT INTO t VALUES(3, 'fine', 1, 1, 'other')");
  EXPECT_OK(first.push(server));
  const Status refused = second.push(server);
  EXPECT_EQ(refused.code(), SQLITE_CONSTRAINT);
  EXPECT_EQ(refused.message(),
            "conflict: the server refused the push as a whole, nothing local was lost: UNIQUE constraint failed: t.u "
            "(table t, key {\"id\":2}). Pull, then push again");
  EXPECT_EQ(server.db.rows("SELECT id FROM t"), "1");
  EXPECT_EQ(second.rows("SELECT id FROM t ORDER BY id"), "2 3");
  EXPECT_OK(second.pull(server));
  EXPECT_EQ(second.rows("SELECT id FROM t ORDER BY id"), "1 3");
  EXPECT_EQ(second.rows("SELECT kind, table_name, row_key, local FROM godwit_sync_conflict"),
            "set aside,t,{\"id\":2},{\"id\":2,\"a\":\"second\",\"b\":1,\"n\":1,\"u\":\"same\"}");
  EXPECT_OK(second.push(server));
  EXPECT_OK(first.pull(server));
  expect_same(first, server);
  expect_same(second, server);
}

TEST(Replica, RepeatsAPushWhoseAnswerWasLost) {
  FakeServer server;
  server.schema(kTables);
  TestClient client("lost");
  EXPECT_OK(client.pull(server));
  client.write("INSERT INTO k VALUES('once', 1)");
  EXPECT_FALSE(client.push(server, Mishap::kAnswerLost).ok());
  EXPECT_TRUE((*client.replica->pending())[0].is_sent);
  client.reopen();
  client.write("UPDATE k SET y = 2");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(client.rows("SELECT * FROM k"), "once,2");
  EXPECT_EQ(server.db.rows("SELECT * FROM k"), "once,1");
  EXPECT_OK(client.push(server));
  EXPECT_EQ(server.db.rows("SELECT * FROM k"), "once,2");
  EXPECT_OK(client.pull(server));
  expect_same(client, server);
  EXPECT_EQ(server.pulls_of_pages, 1);
}

TEST(Replica, KeepsLocalSchemaChangesOverWholeRevisions) {
  FakeServer server;
  server.schema(kTables);
  server.write("INSERT INTO t(id, a) VALUES(1, 'x')");
  TestClient client("schema");
  EXPECT_OK(client.pull(server));
  client.schema("ALTER TABLE t ADD COLUMN extra DEFAULT 'e'");
  client.write("UPDATE t SET extra = 'mine'");
  client.schema("CREATE TABLE fresh(x)");
  client.write("INSERT INTO fresh VALUES(1)");
  server.write("UPDATE t SET b = 'theirs'");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(server.pulls_of_pages, 2);
  EXPECT_EQ(client.rows("SELECT id, a, b, extra FROM t"), "1,x,theirs,mine");
  EXPECT_EQ(client.rows("SELECT * FROM fresh"), "1");
  EXPECT_OK(client.push(server));
  EXPECT_OK(client.pull(server));
  expect_same(client, server);
  EXPECT_EQ(server.db.rows("SELECT rowid, x FROM fresh"), "1,1");
}

TEST(Replica, ComesRoundAfterTheServerForgotItsLog) {
  FakeServer server;
  server.schema(kTables);
  server.write("INSERT INTO t(id, a) VALUES(1, 'x'), (2, 'y'); INSERT INTO k VALUES(1, 1)");
  TestClient client("gap");
  EXPECT_OK(client.pull(server));
  client.write("UPDATE t SET b = 'mine' WHERE id = 1; INSERT INTO k VALUES('mine', 2)");
  server.write("UPDATE t SET a = 'theirs' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO k VALUES('theirs', 2)");
  server.schema("CREATE INDEX i ON t(a)");
  server.forget_log();
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(client.rows("SELECT id, a, b FROM t"), "1,theirs,mine");
  EXPECT_EQ(client.rows("SELECT * FROM k ORDER BY x"), "1,1 mine,2 theirs,2");
  EXPECT_EQ(client.rows("SELECT name FROM sqlite_schema WHERE name = 'i'"), "i");
  EXPECT_OK(client.push(server));
  EXPECT_OK(client.pull(server));
  expect_same(client, server);
}

TEST(Replica, RefusesAFileWithDataUnlessItIsAdopted) {
  FakeServer server;
  const std::string path = "/tmp/godwit-sync-adopt-" + std::to_string(::getpid());
  std::remove(path.c_str());
  {
    TestDatabase file(path);
    file.run(std::string(kTables) + "CREATE INDEX i ON t(a); INSERT INTO t(id, a) VALUES(1, 'x'); INSERT INTO k VALUES(1, 2);");
  }
  ReplicaOptions options;
  options.url = "http://fake";
  auto refused = Replica::open(path, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("never synced"), std::string::npos);
  options.adopt = true;
  auto replica = Replica::open(path, options);
  ASSERT_TRUE(replica.ok()) << replica.status().message();
  EXPECT_GT((*replica)->stats()->pending_changes, 0u);
  auto exchange = (*replica)->begin_push();
  ASSERT_TRUE(exchange.ok());
  std::string body;
  (*exchange)->begin(server.answer(*(*exchange)->request(), &body));
  EXPECT_OK((*exchange)->add(body));
  EXPECT_OK((*exchange)->end());
  EXPECT_EQ((*exchange)->request(), nullptr);
  EXPECT_EQ(server.db.rows("SELECT id, a FROM t"), "1,x");
  EXPECT_EQ(server.db.rows("SELECT * FROM k"), "1,2");
  EXPECT_EQ(server.db.rows("SELECT name FROM sqlite_schema WHERE name = 'i'"), "i");
  for (const char* suffix : {"", "-wal", "-shm"}) std::remove((path + suffix).c_str());
}

TEST(Replica, RefusesAnotherDatabaseUnlessItIsAccepted) {
  FakeServer server, other("other-db");
  server.schema(kTables);
  server.write("INSERT INTO t(id, a) VALUES(1, 'x')");
  other.schema(kTables);
  other.write("INSERT INTO t(id, a) VALUES(2, 'other')");
  TestClient client("identity");
  EXPECT_OK(client.pull(server));
  client.write("INSERT INTO t(id, a) VALUES(5, 'pending')");
  const Status refused = client.pull(other);
  EXPECT_NE(refused.message().find("another database"), std::string::npos);
  EXPECT_EQ(client.rows("SELECT id FROM t"), "1 5");
  client.options().accept_other_database = true;
  client.reopen();
  EXPECT_OK(client.pull(other));
  EXPECT_EQ(client.rows("SELECT id FROM t"), "2 5");
  EXPECT_OK(client.push(other));
  EXPECT_EQ(other.db.rows("SELECT id FROM t"), "2 5");
}

TEST(Replica, SaysWhatTheServerSaysAndKeepsThePending) {
  FakeServer server;
  server.schema(kTables);
  TestClient client("status");
  EXPECT_OK(client.pull(server));
  client.write("INSERT INTO t(id) VALUES(1)");
  server.status = 403;
  EXPECT_EQ(client.push(server).message(), "the server answered 403: no \"luck\"");
  EXPECT_FALSE((*client.replica->pending())[0].is_sent);
  server.status = 500;
  EXPECT_FALSE(client.push(server).ok());
  EXPECT_TRUE((*client.replica->pending())[0].is_sent);
  server.status = 200;
  EXPECT_OK(client.push(server));
  EXPECT_EQ(server.db.rows("SELECT id FROM t"), "1");
}

TEST(Replica, DiscardsAPendingChange) {
  FakeServer server;
  server.schema(kTables);
  server.write("INSERT INTO t(id, a) VALUES(1, 'x')");
  TestClient client("discard");
  EXPECT_OK(client.pull(server));
  client.write("UPDATE t SET a = 'y'; INSERT INTO t(id, a) VALUES(2, 'z')");
  client.write("UPDATE t SET b = 'y' WHERE id = 1");
  auto pending = client.replica->pending();
  ASSERT_EQ(pending->size(), 3u);
  EXPECT_EQ((*pending)[0].key, "{\"id\":1}");
  EXPECT_EQ((*pending)[0].kind, 'U');
  EXPECT_OK(client.replica->discard("t", "{\"id\":1}"));
  EXPECT_EQ(client.rows("SELECT id, a, b FROM t"), "1,x,NULL 2,z,NULL");
  EXPECT_EQ(client.replica->discard("t", "{\"id\":1}").code(), SQLITE_NOTFOUND);
  EXPECT_EQ(client.replica->pending()->size(), 1u);
}

TEST(Replica, LetsTheApplicationTransformWhatIsSent) {
  FakeServer server;
  server.schema(kTables);
  ReplicaOptions options;
  options.transform = [](const Mutation& mutation) {
    if (mutation.rowid == 2) return Transformed{Transformed::kSkip, ""};
    if (mutation.rowid == 3) return Transformed{Transformed::kRewrite, "{\"a\":\"rewritten\",\"n\":7}"};
    return Transformed{};
  };
  TestClient client("transform", options);
  EXPECT_OK(client.pull(server));
  client.write("INSERT INTO t(id, a) VALUES(1, 'x'), (2, 'y'), (3, 'z')");
  EXPECT_OK(client.push(server));
  EXPECT_EQ(server.db.rows("SELECT id, a, n FROM t"), "1,x,0 3,rewritten,7");
  expect_same(client, server);
}

TEST(Replica, AsksTheApplicationAboutConflicts) {
  FakeServer server;
  server.schema(kTables);
  server.write("INSERT INTO t(id, a) VALUES(1, 'base')");
  ReplicaOptions options;
  std::string seen;
  options.on_conflict = [&](const Conflict& conflict) -> std::optional<std::string> {
    seen = conflict.base + conflict.mine + conflict.theirs;
    return "{\"a\":\"both\"}";
  };
  TestClient client("ask", options);
  EXPECT_OK(client.pull(server));
  client.write("UPDATE t SET a = 'mine'");
  server.write("UPDATE t SET a = 'theirs'");
  EXPECT_OK(client.pull(server));
  EXPECT_EQ(client.rows("SELECT a FROM t"), "both");
  EXPECT_NE(seen.find("\"a\":\"mine\""), std::string::npos);
  EXPECT_OK(client.push(server));
  EXPECT_EQ(server.db.rows("SELECT a FROM t"), "both");
}

TEST(Replica, ChangesNothingIfAnAnswerIsCutAnywhere) {
  FakeServer server;
  server.schema(kTables);
  server.write("INSERT INTO t(id, a) VALUES(1, 'x')");
  TestClient client("cut");
  EXPECT_FALSE(client.pull(server, Mishap::kAnswerCut).ok());
  EXPECT_EQ(client.rows("SELECT count(*) FROM sqlite_schema WHERE name = 't'"), "0");
  EXPECT_OK(client.pull(server));
  server.write("UPDATE t SET a = 'y'");
  EXPECT_FALSE(client.pull(server, Mishap::kAnswerCut).ok());
  EXPECT_EQ(client.rows("SELECT a FROM t"), "x");
  EXPECT_OK(client.pull(server));
  expect_same(client, server);
  EXPECT_FALSE(client.replica->begin_pull()->get()->changed());
}

TEST(Replica, DoesOneExchangeAtATime) {
  FakeServer server;
  TestClient client("one");
  auto first = client.replica->begin_pull();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(client.replica->begin_push().status().code(), SQLITE_BUSY);
  first->reset();
  EXPECT_TRUE(client.replica->begin_push().ok());
  client.replica->set_url("");
  EXPECT_EQ(client.replica->begin_push().status().message(), "the url is empty: sync is paused");
}

TEST(Replica, LosesAndDoublesNothingThatIsWrittenMeanwhile) {
  FakeServer server;
  server.schema(kTables);
  TestClient client("threads");
  EXPECT_OK(client.pull(server));
  std::atomic<bool> is_over = false;
  int written = 0, failed = 0;
  std::thread writer([&] {
    TestDatabase other(client.path());
    while (!is_over) {
      const std::string sql = "INSERT INTO k VALUES('w', " + std::to_string(written) + "); UPDATE t SET n = n + 1 WHERE id = 1";
      const bool is_done = execute(other.get(), "BEGIN IMMEDIATE;" + sql + "; COMMIT").ok();
      if (!is_done) (void)execute(other.get(), "ROLLBACK");
      (is_done ? written : failed) += 1;
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  for (int i = 0; i < 60; ++i) {
    server.write("INSERT INTO t(id, a) VALUES(" + std::to_string(i + 1) + ", 'theirs'); INSERT INTO k VALUES('s', " + std::to_string(i) + ")");
    EXPECT_OK(client.pull(server));
    if (i % 2 == 0) EXPECT_OK(client.push(server));
    if (i % 10 == 0) EXPECT_OK(client.replica->checkpoint());
  }
  is_over = true;
  writer.join();
  EXPECT_OK(client.pull(server));
  EXPECT_OK(client.push(server));
  EXPECT_OK(client.pull(server));
  EXPECT_GT(written, 0);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(server.db.rows("SELECT count(*), count(DISTINCT y) FROM k WHERE x = 'w'"),
            std::to_string(written) + "," + std::to_string(written));
  EXPECT_EQ(server.db.rows("SELECT count(*) FROM k WHERE x = 's'"), "60");
  expect_same(client, server);
}

}  // namespace
}  // namespace godwit::sync
