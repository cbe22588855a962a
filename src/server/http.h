// HTTP as the rest of the server sees it: a request that has arrived whole, an answer that is either
// there, or is made piece by piece while it is sent, or is not known yet. No type of the network
// library appears here, so that only http_server.cc pays for including it.
//
// Threads: HttpHandler::handle() is called from many threads at once. A BodySource and a PendingAnswer
// are used by one thread at a time, not always the same one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace godwit::server {

struct HttpRequest {
  std::string method;
  std::string path;   // without the query
  std::string query;  // without the question mark
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;   // without content encoding
  std::string peer;   // address of the client
  // The first value of the header; empty: there is none.
  std::string_view header(std::string_view name) const;
};

// The rest of an answer, asked for as fast as the client takes it.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // Appends the next piece (some ten or hundred kilobytes) to *out. False: that was all. An error
  // cuts the connection, so that the client sees an answer that is not whole.
  virtual Result<bool> next(std::string* out) = 0;
};

struct HttpResponse;

// An answer that waits for something: asked again at each wake-up, and at its deadline.
class PendingAnswer {
 public:
  virtual ~PendingAnswer() = default;
  virtual std::chrono::steady_clock::time_point deadline() const = 0;
  // Called once; `wake` may be called from any thread until the PendingAnswer dies.
  virtual void on_change(std::function<void()> wake) = 0;
  // True: *response is the answer. `at_deadline`: there must be one now.
  virtual bool try_answer(bool at_deadline, HttpResponse* response) = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<BodySource> source;      // sent after `body`, chunked
  std::unique_ptr<PendingAnswer> pending;  // instead of all else
  bool compressible = true;
  bool close = false;  // the connection ends after it
  bool is_terse = false;  // only the headers that HTTP cannot do without
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // May block. Never throws anything but std::bad_alloc.
  virtual HttpResponse handle(HttpRequest& request) = 0;
  // Whether the request goes on with something that others may be waiting for (a transaction that is
  // open): such requests have threads of their own, or they could wait for ever behind those others.
  virtual bool is_urgent(const HttpRequest& request) = 0;
  // For answers that the network layer gives by itself: adds the headers that all answers have.
  virtual void add_common_headers(HttpResponse* response) = 0;
  // After an answer was sent (or could not be), for figures and logs.
  struct Exchange {
    std::string_view method, path, peer;
    int status = 0;
    uint64_t bytes_in = 0, bytes_out = 0;
    std::chrono::nanoseconds duration{0};
  };
  virtual void exchange_ended(const Exchange& exchange) = 0;
  virtual void connections_changed(int64_t open) = 0;
  // The server ends: what runs longer than `grace` from now on is to be interrupted.
  virtual void stopping(std::chrono::milliseconds grace) = 0;
};

// A short answer {"message":..., "code":...}, the form of all errors outside of statements.
HttpResponse error_response(int status, std::string_view message, std::string_view code);

}  // namespace godwit::server
