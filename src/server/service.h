// What the server does with a request: finds the database by the path, checks the token, calls the
// endpoint.
//
//   one database:  /v2/pipeline  /v3/pipeline  /v3/cursor  /pull-updates
//   a folder:      the same behind /NAME; and GET /v1/databases, POST /v1/databases/NAME
//   both:          /health  /metrics
#pragma once

#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "server/database.h"
#include "server/http.h"
#include "server/metrics.h"
#include "server/streams.h"
#include "server/token.h"

namespace godwit::server {

struct ServiceOptions {
  std::string file, folder;  // one of them
  bool create_on_demand = false;   // databases of the folder
  bool reject_whole_pushes = false;
  Database::Options database;
  size_t stream_limit = 1024;
  std::chrono::milliseconds stream_idle_timeout{10000};
  std::vector<TokenKey> keys;  // none: everybody may do everything
};

class Service final : public HttpHandler {
 public:
  explicit Service(ServiceOptions options);
  ~Service() override;

  // Opens the one database. Errors: it cannot be, or another server has it.
  Status prepare();

  HttpResponse handle(HttpRequest& request) override;
  bool is_urgent(const HttpRequest& request) override;
  void add_common_headers(HttpResponse* response) override;
  void exchange_ended(const Exchange& exchange) override;
  void connections_changed(int64_t open) override;
  void stopping(std::chrono::milliseconds grace) override;
  // After the last request.
  void close();

 private:
  // What a request may do, and on which database.
  struct Target {
    std::string database;  // "" for one that serves a single file
    std::string endpoint;  // "v2/pipeline"
  };
  Target target_of(std::string_view path) const;
  // False: *refusal is the answer.
  bool authenticate(const HttpRequest& request, TokenClaims* claims, HttpResponse* refusal);
  HttpResponse handle_database(const HttpRequest& request, const Target& target,
                               const TokenClaims& claims);
  HttpResponse handle_admin(const HttpRequest& request, std::string_view rest);
  HttpResponse metrics_response();
  void look_after();

  ServiceOptions options_;
  std::atomic<int64_t> stop_at_{std::numeric_limits<int64_t>::max()};
  std::atomic<bool> is_stopping_{false};
  Metrics metrics_;
  DatabaseSet databases_;
  StreamTable streams_;

  std::mutex watch_mutex_;
  std::condition_variable watch_wake_;
  bool watch_ends_ = false;
  std::thread watch_;
};

}  // namespace godwit::server
