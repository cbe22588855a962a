#include "server/service.h"

#include <algorithm>
#include <ctime>

#include "server/json_writer.h"
#include "server/log.h"
#include "server/dense_pull.h"
#include "server/dense_push.h"
#include "server/pull.h"
#include "server/sql_http.h"

namespace godwit::server {
namespace {

constexpr auto kWatchInterval = std::chrono::milliseconds(250);
constexpr int kWatchesPerClosing = 40;

HttpResponse refused() {
  HttpResponse response = error_response(401, "a valid token is needed", "UNAUTHORIZED");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

HttpResponse forbidden() { return error_response(403, "the token does not allow this", "FORBIDDEN"); }

HttpResponse not_found() {
  HttpResponse response;
  response.status = 404;
  response.content_type = "text/plain";
  response.body = "Not Found";
  return response;
}

HttpResponse text_response(std::string type, std::string body) {
  HttpResponse response;
  response.content_type = std::move(type);
  response.body = std::move(body);
  return response;
}

Endpoint endpoint_of(std::string_view path) {
  auto ends = [&](std::string_view end) {
    return path.size() >= end.size() && path.substr(path.size() - end.size()) == end;
  };
  if (ends("/pipeline")) return Endpoint::kPipeline;
  if (ends("/cursor")) return Endpoint::kCursor;
  if (ends("/pull-updates")) return Endpoint::kPull;
  if (path.substr(0, 4) == "/v1/") return Endpoint::kAdmin;
  return Endpoint::kOther;
}

bool is_reserved(std::string_view name) {
  return name == "v1" || name == "v2" || name == "v3" || name == "health" || name == "metrics" ||
         name == "pull-updates";
}

Database::Options with_stop(Database::Options options, const std::atomic<int64_t>* stop_at) {
  options.session.stop_at = stop_at;
  return options;
}

}  // namespace

Service::Service(ServiceOptions options)
    : options_(std::move(options)),
      databases_(options_.file, options_.folder, with_stop(options_.database, &stop_at_)),
      streams_(options_.stream_limit, options_.stream_idle_timeout) {}

Service::~Service() { close(); }

Status Service::prepare() {
  if (databases_.is_single()) GW_TRY(databases_.get("", true));
  watch_ = std::thread([this] { look_after(); });
  return Status();
}

void Service::close() {
  {
    std::lock_guard guard(watch_mutex_);
    watch_ends_ = true;
  }
  watch_wake_.notify_all();
  if (watch_.joinable()) watch_.join();
  streams_.close_all();
  databases_.close_all();
}

void Service::look_after() {
  std::unique_lock lock(watch_mutex_);
  for (int round = 1; !watch_ends_; ++round) {
    watch_wake_.wait_for(lock, kWatchInterval);
    lock.unlock();
    metrics_.idle_streams_closed += streams_.close_idle();
    // Commits of other processes make old content disappear, too.
    for (const auto& database : databases_.open_databases()) {
      if (database->history().pin_count() > 0) database->history().keep_pins();
    }
    if (round % kWatchesPerClosing == 0) databases_.close_unused();
    lock.lock();
  }
}

bool Service::is_urgent(const HttpRequest& request) {
  // A stream that goes on may hold a transaction that all others wait for.
  return std::string_view(request.body).substr(0, 256).find("\"baton\":\"") != std::string_view::npos;
}

void Service::add_common_headers(HttpResponse* response) {
  if (response->is_terse) return;
  response->headers.emplace_back("Access-Control-Allow-Origin", "*");
  response->headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
  response->headers.emplace_back("Access-Control-Allow-Headers", "*, Authorization");
  response->headers.emplace_back("Access-Control-Expose-Headers", "*");
  response->headers.emplace_back("Server", "godwit");
}

void Service::exchange_ended(const Exchange& exchange) {
  metrics_.count(endpoint_of(exchange.path), exchange.status, exchange.duration);
  metrics_.bytes_in += exchange.bytes_in;
  metrics_.bytes_out += exchange.bytes_out;
  LogLevel level = exchange.status >= 500   ? LogLevel::kError
                   : exchange.status >= 400 ? LogLevel::kInfo
                                            : LogLevel::kDebug;
  if (!is_logged(level)) return;
  LogLine(level, "request").add("method", exchange.method).add("path", exchange.path)
      .add("peer", exchange.peer).add("status", static_cast<int64_t>(exchange.status))
      .add("bytes_in", static_cast<int64_t>(exchange.bytes_in))
      .add("bytes_out", static_cast<int64_t>(exchange.bytes_out))
      .add("ms", std::chrono::duration<double, std::milli>(exchange.duration).count());
}

void Service::connections_changed(int64_t open) { metrics_.connections = open; }

void Service::stopping(std::chrono::milliseconds grace) {
  is_stopping_ = true;
  auto stop_at = std::chrono::steady_clock::now() + grace;
  stop_at_ = stop_at.time_since_epoch().count();
  LogLine(LogLevel::kInfo, "stopping");
}

Service::Target Service::target_of(std::string_view path) const {
  std::vector<std::string> parts;
  while (!path.empty()) {
    size_t slash = path.find('/');
    if (slash > 0) parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  Target target;
  size_t first = 0;
  if (!databases_.is_single() && !parts.empty() && !is_reserved(parts[0])) {
    target.database = parts[0];
    first = 1;
  }
  for (size_t i = first; i < parts.size(); ++i) {
    if (i > first) target.endpoint += '/';
    target.endpoint += parts[i];
  }
  return target;
}

bool Service::authenticate(const HttpRequest& request, TokenClaims* claims, HttpResponse* refusal) {
  if (options_.keys.empty()) {
    claims->is_admin = true;
    return true;
  }
  std::string_view header = request.header("authorization");
  std::string_view scheme = header.substr(0, 7);
  bool is_bearer = scheme == "Bearer " || scheme == "bearer ";
  std::optional<TokenClaims> found;
  if (is_bearer) found = verify_token(options_.keys, header.substr(7), std::time(nullptr));
  if (found) {
    *claims = *std::move(found);
    return true;
  }
  ++metrics_.refused_tokens;
  *refusal = refused();
  return false;
}

HttpResponse Service::handle(HttpRequest& request) {
  if (request.method == "OPTIONS") {
    HttpResponse response;
    response.status = 204;
    return response;
  }
  const Target target = target_of(request.path);
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (target.database.empty() && target.endpoint == "health" && is_get) {
    HttpResponse response = text_response("application/json", "{\"status\":\"ok\"}");
    if (is_stopping_) response = error_response(503, "stopping", "STOPPING");
    return response;
  }
  TokenClaims claims;
  HttpResponse refusal;
  if (!authenticate(request, &claims, &refusal)) return refusal;
  if (target.database.empty() && target.endpoint == "metrics" && is_get) {
    return claims.is_admin ? metrics_response() : forbidden();
  }
  if (target.database.empty() && target.endpoint.substr(0, 3) == "v1/") {
    if (!claims.is_admin) return forbidden();
    return handle_admin(request, std::string_view(target.endpoint).substr(3));
  }
  if (target.database.empty() != databases_.is_single()) return not_found();
  if (!databases_.is_single() && !claims.covers(target.database)) {
    ++metrics_.refused_tokens;
    return forbidden();
  }
  if (is_get) {
    if (target.endpoint == "v2" || target.endpoint == "v3") return text_response("text/plain", "ok\n");
    return not_found();
  }
  return request.method == "POST" ? handle_database(request, target, claims) : not_found();
}

HttpResponse Service::handle_database(const HttpRequest& request, const Target& target,
                                      const TokenClaims& claims) {
  const bool is_pipeline = target.endpoint == "v2/pipeline" || target.endpoint == "v3/pipeline";
  const bool is_cursor = target.endpoint == "v3/cursor";
  const bool is_pull = target.endpoint == "pull-updates";
  const bool is_dense_pull = target.endpoint == "godwit/pull";
  const bool is_dense_push = target.endpoint == "godwit/push";
  if (!is_pipeline && !is_cursor && !is_pull && !is_dense_pull && !is_dense_push) return not_found();
  if (!databases_.is_single() && !DatabaseSet::is_valid_name(target.database)) return not_found();
  if (!request.header("x-turso-encryption-key").empty()) {
    return error_response(400, "encrypted databases are not supported", "ENCRYPTION");
  }
  auto database = databases_.get(target.database, options_.create_on_demand && claims.may_write);
  if (!database.ok()) {
    const Status& status = database.status();
    if (status.primary() == SQLITE_CANTOPEN) {
      return error_response(404, "no such database", "DATABASE_NOT_FOUND");
    }
    LogLine(LogLevel::kError, "cannot open").add("database", target.database)
        .add("error", status.message());
    return error_response(503, status.message(), sqlite_code_name(status.code()));
  }
  if (is_pull) return handle_pull(*database, request, &metrics_);
  if (is_dense_pull) return handle_dense_pull(*database, request, &metrics_);
  if (is_dense_push) {
    return claims.may_write ? handle_dense_push(*database, request, &metrics_) : forbidden();
  }
  SqlContext context;
  context.database = *database;
  context.read_only = !claims.may_write;
  context.reject_whole_pushes = options_.reject_whole_pushes;
  context.streams = &streams_;
  context.metrics = &metrics_;
  return is_cursor ? handle_cursor(context, request) : handle_pipeline(context, request);
}

HttpResponse Service::handle_admin(const HttpRequest& request, std::string_view rest) {
  constexpr std::string_view kDatabases = "databases";
  if (databases_.is_single() || rest.substr(0, kDatabases.size()) != kDatabases) return not_found();
  rest.remove_prefix(kDatabases.size());
  std::string body;
  JsonWriter json(&body);
  if (rest.empty() && request.method == "GET") {
    json.begin_object();
    json.key("databases").begin_array();
    for (const std::string& name : databases_.names()) json.text(name);
    json.end_array();
    json.end_object();
    return text_response("application/json", std::move(body));
  }
  if (rest.size() < 2 || rest[0] != '/' || request.method != "POST") return not_found();
  std::string name(rest.substr(1));
  if (!DatabaseSet::is_valid_name(name) || is_reserved(name)) {
    return error_response(400, "not a name for a database", "BAD_NAME");
  }
  if (databases_.exists(name)) return error_response(409, "the database exists", "DATABASE_EXISTS");
  auto database = databases_.get(name, true);
  if (!database.ok()) {
    return error_response(500, database.status().message(), sqlite_code_name(database.status().code()));
  }
  LogLine(LogLevel::kInfo, "database created").add("database", name);
  json.begin_object();
  json.key("name").text(name);
  json.end_object();
  HttpResponse response = text_response("application/json", std::move(body));
  response.status = 201;
  return response;
}

HttpResponse Service::metrics_response() {
  Metrics::Gauges gauges;
  gauges.streams = streams_.size();
  for (const auto& database : databases_.open_databases()) {
    ++gauges.databases;
    gauges.pins += database->history().pin_count();
    gauges.old_image_bytes += database->history().old_image_bytes();
  }
  return text_response("text/plain; version=0.0.4", metrics_.text(gauges));
}

}  // namespace godwit::server
