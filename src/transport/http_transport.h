// Sends what the exchanges of a replica ask for (sync/replica.h): push() and pull() that wait. One
// connection is kept open for the next request; TLS certificates are checked.
//
// What may go well later (no connection, time-outs, 408, 425, 429, 5xx) is tried again, each time later than
// the time before; a push is then repeated as it was, so it is applied once. A 401 asks the token callback
// once more. Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "sync/replica.h"

namespace godwit::transport {

struct HttpOptions {
  std::string token;                            // bearer token; empty: none
  std::function<Result<std::string>()> ask_token;  // instead of `token`: asked at first, and after 401
  uint32_t timeout_ms = 30000;  // without a byte coming or going; a long poll is waited for besides
  uint32_t attempts = 4;
  uint32_t first_delay_ms = 200;  // doubled each time
  std::string ca_file;            // instead of the system's certificates
};

class HttpTransport {
 public:
  explicit HttpTransport(HttpOptions options);
  ~HttpTransport();
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  // Whether something was sent, or rows changed.
  Result<bool> push(sync::Replica* replica);
  Result<bool> pull(sync::Replica* replica);
  // Of requests and answers, headers included.
  uint64_t sent_bytes() const;
  uint64_t received_bytes() const;

 private:
  class Connection;
  using Begin = std::function<Result<std::unique_ptr<sync::Exchange>>()>;

  Result<bool> run(const Begin& begin);
  Status send_all(sync::Exchange* exchange, bool* may_retry);
  Status refresh_token();

  HttpOptions options_;
  std::string token_;
  bool has_token_ = false;
  std::unique_ptr<Connection> connection_;
};

}  // namespace godwit::transport
