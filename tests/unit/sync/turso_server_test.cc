// Against the real server: runs where GODWIT_TURSODB names the program tursodb (tests/suites/sync_client_turso.sh).
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sync/replica.h"
#include "tests/unit/sync/sync_fixture.h"

namespace godwit::sync {
namespace {

class TursoServer {
 public:
  TursoServer() : folder_(std::filesystem::temp_directory_path() / ("godwit-turso-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    port_ = 20000 + static_cast<int>(::getpid() % 20000);
  }
  ~TursoServer() {
    stop();
    std::filesystem::remove_all(folder_);
  }

  bool start() {
    process_ = ::fork();
    if (process_ == 0) {
      const std::string log = file("log"), db = file("server.db"), at = "127.0.0.1:" + std::to_string(port_);
      (void)::freopen("/dev/null", "r", stdin);
      (void)::freopen(log.c_str(), "w", stdout);
      (void)::freopen(log.c_str(), "w", stderr);
      const char* program = std::getenv("GODWIT_TURSODB");
      ::execl(program, program, db.c_str(), "--sync-server", at.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    for (int i = 0; i < 100; ++i) {
      const int fd = connect_to();
      if (fd >= 0) return ::close(fd), true;
      ::usleep(50000);
    }
    return false;
  }
  void stop() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // Returns the status; 0: no answer.
  int send(const HttpRequest& request, std::string* body) {
    const int fd = connect_to();
    if (fd < 0) return 0;
    std::string text = request.method + " " + request.url.substr(url().size()) + " HTTP/1.1\r\nhost: localhost\r\n";
    for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
    text += "content-length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
    for (size_t at = 0; at < text.size();) {
      const ssize_t sent = ::write(fd, text.data() + at, text.size() - at);
      if (sent <= 0) break;
      at += static_cast<size_t>(sent);
    }
    std::string answer;
    char buffer[65536];
    for (;;) {
      const ssize_t got = ::read(fd, buffer, sizeof buffer);
      if (got <= 0) break;
      answer.append(buffer, static_cast<size_t>(got));
    }
    ::close(fd);
    const size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    *body = answer.substr(head + 4);
    return std::atoi(answer.c_str() + 9);
  }

 private:
  int connect_to() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<uint16_t>(port_));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) return fd;
    ::close(fd);
    return -1;
  }

  std::filesystem::path folder_;
  int port_ = 0;
  pid_t process_ = 0;
};

// A replica, and an application's connection to its file.
class TursoClient {
 public:
  TursoClient(TursoServer& server, const std::string& name, ReplicaOptions options = {}) : server_(server) {
    options.url = server.url();
    options.client_name = name;
    auto opened = Replica::open(server.file(name + ".db"), std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    if (opened.ok()) replica = *std::move(opened);
    app = std::make_unique<TestDatabase>(server.file(name + ".db"));
  }
  Status push(bool loses_answer = false) { return run(replica->begin_push(), loses_answer); }
  Status pull() { return run(replica->begin_pull(), false); }

  std::unique_ptr<Replica> replica;
  std::unique_ptr<TestDatabase> app;
  int requests = 0;

 private:
  Status run(Result<std::unique_ptr<Exchange>> begun, bool loses_answer) {
    GW_TRY(begun.status());
    std::unique_ptr<Exchange> exchange = *std::move(begun);
    while (const HttpRequest* request = exchange->request()) {
      std::string body;
      ++requests;
      const int status = server_.send(*request, &body);
      const bool is_batch = request->body.find("BEGIN IMMEDIATE") != std::string::npos;
      if (status == 0 || (loses_answer && is_batch)) return Status(SQLITE_IOERR, "no answer");
      exchange->begin(status);
      for (size_t at = 0; at < body.size(); at += 5000) {
        GW_TRY(exchange->add(std::string_view(body).substr(at, 5000)));
      }
      GW_TRY(exchange->end());
    }
    return Status();
  }

  TursoServer& server_;
};

#define EXPECT_DONE(expr)                                       \
  do {                                                          \
    const Status done_status = (expr);                          \
    EXPECT_TRUE(done_status.ok()) << done_status.message();     \
  } while (false)

class TursoServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("GODWIT_TURSODB") == nullptr) GTEST_SKIP() << "GODWIT_TURSODB names no program";
    ASSERT_TRUE(server_.start());
  }
  TursoServer server_;
};

TEST_F(TursoServerTest, RowsGoToTheServerAndToOthers) {
  TursoClient a(server_, "a"), b(server_, "b");
  a.app->run("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX i ON t(a);"
             "CREATE TABLE \"k 1\"(\"x y\" TEXT, n INT, v, PRIMARY KEY(\"x y\", n)); CREATE TABLE r(x, y)");
  a.app->run("INSERT INTO t VALUES(1, 'a', 1.5), (2, x'00ff41', -0.0), (3, 9e999, NULL), (4, -9e999, 9007199254740993);"
             "INSERT INTO \"k 1\" VALUES('q\"', 1, 2.0); INSERT INTO r VALUES(1, 2), (1, 2), (NULL, 'ü\n')");
  EXPECT_DONE(a.push());
  EXPECT_EQ(a.requests, 3) << "asked for the other wire, then progress and batch";
  EXPECT_DONE(b.pull());
  for (const char* sql : {"SELECT id, quote(a), quote(b), typeof(b) FROM t", "SELECT * FROM \"k 1\"", "SELECT rowid, * FROM r",
                          "SELECT type, name FROM sqlite_schema WHERE name IN ('t', 'i', 'k 1', 'r') ORDER BY name"}) {
    EXPECT_EQ(a.app->rows(sql), b.app->rows(sql)) << sql;
  }
  EXPECT_EQ(b.app->rows("SELECT count(*) FROM t"), "4");
  b.app->run("UPDATE t SET a = 'B' WHERE id = 1; DELETE FROM t WHERE id = 2; UPDATE r SET y = 5 WHERE x IS NULL");
  a.app->run("UPDATE t SET b = 'A' WHERE id = 1");
  EXPECT_DONE(b.push());
  EXPECT_DONE(a.push());
  EXPECT_DONE(a.pull());
  EXPECT_DONE(b.pull());
  EXPECT_EQ(a.app->rows("SELECT * FROM t WHERE id < 3"), "1,B,A");
  EXPECT_EQ(b.app->rows("SELECT * FROM t WHERE id < 3"), "1,B,A");
  EXPECT_EQ(a.app->rows("SELECT rowid, * FROM r"), "1,1,2 2,1,2 3,NULL,5");
  EXPECT_EQ(a.app->rows("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(a.replica->stats()->pending_changes, 0u);
}

TEST_F(TursoServerTest, KeysAndNamesThatChangeArriveAsWhatTheyAre) {
  TursoClient a(server_, "a"), b(server_, "b");
  a.app->run("CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE k(k TEXT PRIMARY KEY, v); CREATE TABLE gone(x)");
  a.app->run("INSERT INTO t VALUES(1, 1), (2, 2); INSERT INTO k VALUES('a', 1)");
  EXPECT_DONE(a.push());
  EXPECT_DONE(a.pull());
  a.app->run("UPDATE t SET id = 9 WHERE id = 1; UPDATE k SET k = 'b'; UPDATE t SET a = 7 WHERE id = 2;"
             "ALTER TABLE t RENAME COLUMN a TO \"b c\"; UPDATE t SET \"b c\" = 8 WHERE id = 2; ALTER TABLE k RENAME TO \"k k\";"
             "INSERT INTO \"k k\" VALUES('c', 3); ALTER TABLE t ADD COLUMN d DEFAULT 4; INSERT INTO t VALUES(10, 10, 10);"
             "DROP TABLE gone; PRAGMA user_version = 77");
  EXPECT_DONE(a.push());
  EXPECT_DONE(b.pull());
  EXPECT_EQ(b.app->rows("SELECT * FROM t"), "2,8,4 9,1,4 10,10,10");
  EXPECT_EQ(b.app->rows("SELECT * FROM \"k k\" ORDER BY 1"), "b,1 c,3");
  EXPECT_EQ(b.app->rows("SELECT count(*) FROM sqlite_schema WHERE name = 'gone'"), "0");
  EXPECT_EQ(b.app->rows("PRAGMA user_version"), "77");
  EXPECT_DONE(a.pull());
  EXPECT_EQ(a.app->rows("SELECT * FROM t"), "2,8,4 9,1,4 10,10,10");
}

TEST_F(TursoServerTest, WhatTheServerRefusesIsRefusedAsAWhole) {
  TursoClient a(server_, "a"), b(server_, "b");
  a.app->run("CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES(1, 'x')");
  EXPECT_DONE(a.push());
  EXPECT_DONE(b.pull());
  b.app->run("INSERT INTO t VALUES(2, 'y')");
  EXPECT_DONE(b.push());
  a.app->run("INSERT INTO t VALUES(3, 'z'); INSERT INTO t VALUES(4, 'y')");
  const Status refused = a.push();
  EXPECT_EQ(refused.primary(), SQLITE_CONSTRAINT) << refused.message();
  EXPECT_NE(std::string(refused.message()).find("UNIQUE constraint failed"), std::string::npos) << refused.message();
  EXPECT_DONE(b.pull());
  EXPECT_EQ(b.app->rows("SELECT * FROM t"), "1,x 2,y") << "nothing of the push is there";
  EXPECT_DONE(a.pull());
  EXPECT_EQ(a.app->rows("SELECT * FROM t"), "1,x 2,y 3,z") << "what clashes is set aside";
  EXPECT_DONE(a.push());
  EXPECT_DONE(b.pull());
  EXPECT_EQ(b.app->rows("SELECT * FROM t"), "1,x 2,y 3,z");
}

TEST_F(TursoServerTest, AnAnswerThatIsLostAppliesNothingTwice) {
  TursoClient a(server_, "a"), b(server_, "b");
  a.app->run("CREATE TABLE r(x); INSERT INTO r VALUES(1)");
  EXPECT_DONE(a.pull());
  EXPECT_EQ(a.push(true).primary(), SQLITE_IOERR);
  a.app->run("INSERT INTO r VALUES(2)");
  EXPECT_DONE(a.push());
  EXPECT_EQ(a.push(true).primary(), SQLITE_OK) << "nothing is pending";
  EXPECT_DONE(a.pull());
  EXPECT_DONE(b.pull());
  EXPECT_EQ(a.app->rows("SELECT * FROM r"), "1 2");
  EXPECT_EQ(b.app->rows("SELECT * FROM r"), "1 2");
}

TEST_F(TursoServerTest, TriggersWriteOnce) {
  TursoClient a(server_, "a"), b(server_, "b");
  a.app->run("CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE log(x);"
             "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.id); END");
  EXPECT_DONE(a.push());
  EXPECT_DONE(a.pull());
  a.app->run("INSERT INTO t VALUES(1, 1), (2, 2)");
  EXPECT_DONE(a.push());
  EXPECT_DONE(a.pull());
  EXPECT_DONE(b.pull());
  EXPECT_EQ(a.app->rows("SELECT x FROM log"), "1 2");
  EXPECT_EQ(b.app->rows("SELECT x FROM log"), "1 2");
}

TEST_F(TursoServerTest, ABaseFileThatIsDamagedOrGoneIsMadeAnew) {
  TursoClient a(server_, "a"), b(server_, "b");
  a.app->run("CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES(1, 1)");
  EXPECT_DONE(a.push());
  EXPECT_DONE(b.pull());
  std::filesystem::remove(server_.file("b.db-godwit-base"));
  a.app->run("INSERT INTO t VALUES(2, 2)");
  EXPECT_DONE(a.push());
  EXPECT_DONE(b.pull());
  EXPECT_EQ(b.app->rows("SELECT * FROM t"), "1,1 2,2");
}

TEST_F(TursoServerTest, AServerThatLostItsRowsTakesNoneAway) {
  TursoClient a(server_, "a");
  a.app->run("CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES(1, 1)");
  EXPECT_DONE(a.push());
  EXPECT_DONE(a.pull());
  server_.stop();
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(server_.file("server.db") + suffix);
  ASSERT_TRUE(server_.start());
  EXPECT_FALSE(a.pull().ok());
  EXPECT_EQ(a.app->rows("SELECT * FROM t"), "1,1");
}

}  // namespace
}  // namespace godwit::sync
