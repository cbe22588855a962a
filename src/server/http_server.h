// The network side of the server: listens, speaks HTTP/1.1 (keep-alive, pipelining, chunked bodies,
// TLS), and hands requests to an HttpHandler.
//
// Connections are coroutines on a few network threads; they never block. A request is handled, and
// each piece of a streamed answer made, on a pool of worker threads, which may block. A connection
// has one request at work at a time, so a client that pipelines gets its answers in order, and a slow
// reader holds nothing but its own connection and one piece of its answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "server/http.h"

namespace godwit::server {

struct HttpOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 8080;  // 0: any; HttpServer::port() tells
  std::string tls_certificate, tls_key;  // PEM files; both or none
  int network_threads = 2;
  int workers = 32;
  size_t header_limit = 32 << 10;
  size_t body_limit = 64 << 20;           // as sent, and unpacked
  size_t all_bodies_limit = 512u << 20;   // of all requests that are being received
  int64_t connection_limit = 4096;
  std::chrono::seconds idle_timeout{60};    // between requests
  std::chrono::seconds header_timeout{15};  // from the first byte to the end of the header
  std::chrono::seconds stall_timeout{20};   // without any progress while receiving or sending
  std::chrono::seconds body_timeout{600};   // for a whole body
  std::chrono::seconds shutdown_timeout{10};
};

class HttpServer {
 public:
  // Binds the address. `handler` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> start(const HttpOptions& options,
                                                   HttpHandler* handler);
  virtual ~HttpServer() = default;
  virtual uint16_t port() const = 0;
  // Serves until SIGTERM, SIGINT or stop(); then takes no new connections, finishes what is at work,
  // and returns.
  virtual void run() = 0;
  virtual void stop() = 0;
};

}  // namespace godwit::server
