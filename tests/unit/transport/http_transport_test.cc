#include "transport/http_transport.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/unit/sync/fake_server.h"

namespace godwit::transport {
namespace {

using sync::FakeServer;
using sync::HttpRequest;
using sync::TestClient;

// Serves a FakeServer on a port of its own, one connection at a time.
class HttpFake {
 public:
  explicit HttpFake(FakeServer* server) : server_(server) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/db";
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpFake() {
    ::shutdown(listener_, SHUT_RDWR);
    ::close(listener_);
    thread_.join();
  }

  std::string url, token;
  std::atomic<int> connections{0}, requests{0};
  std::atomic<int> busy{0};         // so many requests get 503
  std::atomic<int> silent{0};       // so many get no answer though they are carried out
  std::atomic<bool> closes{false};  // the connection, after each answer, without saying so
  std::string last_head;

 private:
  void serve() {
    for (;;) {
      const int fd = ::accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      ++connections;
      while (answer(fd) && !closes) continue;
      ::close(fd);
    }
  }
  bool answer(int fd) {
    std::string bytes;
    size_t head = std::string::npos, wanted = 0;
    while (head == std::string::npos || bytes.size() < head + wanted) {
      char piece[4096];
      const ssize_t size = ::recv(fd, piece, sizeof piece, 0);
      if (size <= 0) return false;
      bytes.append(piece, static_cast<size_t>(size));
      if (head != std::string::npos || bytes.find("\r\n\r\n") == std::string::npos) continue;
      head = bytes.find("\r\n\r\n") + 4;
      wanted = std::stoul(bytes.substr(bytes.find("content-length: ") + 16));
    }
    ++requests;
    last_head = bytes.substr(0, head);
    HttpRequest request;
    request.url = bytes.substr(5, bytes.find(" HTTP") - 5);
    request.body = bytes.substr(head);
    std::string body;
    int status = 503;
    if (busy > 0) {
      --busy;
    } else if (!token.empty() && bytes.find("authorization: Bearer " + token + "\r\n") == std::string::npos) {
      status = 401;
    } else {
      status = server_->answer(request, &body);
    }
    if (silent > 0) return --silent, false;
    const std::string text = "HTTP/1.1 " + std::to_string(status) + " x\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }

  FakeServer* server_;
  int listener_ = -1;
  std::thread thread_;
};

class HttpTransportTest : public testing::Test {
 protected:
  HttpTransportTest() : fake(&server) {
    server.schema("CREATE TABLE t(id INTEGER PRIMARY KEY, a)");
    options.first_delay_ms = 1;
    client.replica->set_url(fake.url);
  }
  FakeServer server;
  HttpFake fake;
  TestClient client{"http"};
  HttpOptions options;
};

TEST_F(HttpTransportTest, PushesAndPullsOverOneConnection) {
  HttpTransport transport(options);
  ASSERT_TRUE(transport.pull(client.replica.get()).ok());
  client.write("INSERT INTO t VALUES(1, 'x')");
  auto pushed = transport.push(client.replica.get());
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_TRUE(*pushed);
  EXPECT_FALSE(*transport.push(client.replica.get()));
  EXPECT_FALSE(*transport.pull(client.replica.get()));
  server.write("UPDATE t SET a = 'y'");
  EXPECT_TRUE(*transport.pull(client.replica.get()));
  EXPECT_EQ(client.rows("SELECT * FROM t"), "1,y");
  EXPECT_EQ(fake.connections, 1);
  EXPECT_GT(transport.sent_bytes(), 500u);
}

TEST_F(HttpTransportTest, AsksForANewTokenAfterA401) {
  fake.token = "second";
  int asked = 0;
  options.ask_token = [&]() -> Result<std::string> { return std::string(++asked == 1 ? "first" : "second"); };
  HttpTransport transport(options);
  auto pulled = transport.pull(client.replica.get());
  EXPECT_TRUE(pulled.ok()) << pulled.status().message();
  EXPECT_EQ(asked, 2);
  fake.token = "third";
  EXPECT_EQ(transport.pull(client.replica.get()).status().code(), SQLITE_AUTH);
}

TEST_F(HttpTransportTest, TriesAgainAndAppliesAPushOnce) {
  HttpTransport transport(options);
  fake.busy = 2;
  ASSERT_TRUE(transport.pull(client.replica.get()).ok());
  client.write("INSERT INTO t(a) VALUES('x')");
  fake.silent = 2;
  auto pushed = transport.push(client.replica.get());
  ASSERT_TRUE(pushed.ok()) << pushed.status().message();
  EXPECT_EQ(server.db.rows("SELECT * FROM t"), "1,x");
  fake.closes = true;
  EXPECT_TRUE(transport.pull(client.replica.get()).ok());
  EXPECT_TRUE(transport.pull(client.replica.get()).ok());
  fake.busy = 100;
  EXPECT_EQ(transport.pull(client.replica.get()).status().code(), SQLITE_BUSY);
}

TEST_F(HttpTransportTest, SaysWhereItCannotConnect) {
  HttpTransport transport(options);
  client.replica->set_url("http://127.0.0.1:1/db");
  EXPECT_EQ(transport.pull(client.replica.get()).status().message(), "cannot connect to 127.0.0.1:1: Connection refused");
  client.replica->set_url("ftp://x");
  EXPECT_EQ(transport.pull(client.replica.get()).status().code(), SQLITE_ERROR);
}

// What a small push costs on the wire, both ways, as docs/sync-protocol.md promises.
TEST_F(HttpTransportTest, ASmallPushIsSmall) {
  HttpTransport transport(options);
  server.schema("CREATE TABLE r(id INTEGER PRIMARY KEY, name TEXT, body TEXT, n INTEGER)");
  ASSERT_TRUE(transport.pull(client.replica.get()).ok());
  const uint64_t before = transport.sent_bytes() + transport.received_bytes();
  constexpr int kPushes = 50;
  for (int i = 0; i < kPushes; ++i) {
    client.write("INSERT INTO r(name, body, n) VALUES('name-' || " + std::to_string(i) + ", hex(randomblob(90)), " + std::to_string(i) + ")");
    ASSERT_TRUE(transport.push(client.replica.get()).ok());
  }
  EXPECT_LT((transport.sent_bytes() + transport.received_bytes() - before) / kPushes, 584u);
}

}  // namespace
}  // namespace godwit::transport
