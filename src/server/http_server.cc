#include "server/http_server.h"

#include <atomic>
#include <boost/asio.hpp>
#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/version.hpp>
#include <cctype>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include "server/compression.h"

namespace godwit::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using boost::system::error_code;

constexpr auto kTuple = asio::experimental::as_tuple(asio::use_awaitable);
constexpr size_t kWritePiece = 256 << 10;
constexpr auto kPendingCheck = std::chrono::milliseconds(200);

struct Shared {
  HttpOptions options;
  HttpHandler* handler = nullptr;
  asio::io_context network;
  asio::thread_pool workers, urgent_workers;
  std::atomic<bool> stopping{false};
  std::atomic<int64_t> connections{0};
  std::atomic<size_t> body_bytes{0};

  Shared(const HttpOptions& o, HttpHandler* h)
      : options(o),
        handler(h),
        network(o.network_threads),
        workers(static_cast<size_t>(o.workers)),
        urgent_workers(static_cast<size_t>(std::max(4, o.workers / 4))) {}
};

// What a shutdown must reach of a connection, from outside.
struct ConnectionHandle {
  tcp::socket* socket = nullptr;
  asio::any_io_executor executor;
  bool idle = false;  // used on the executor
  void close_if_idle() {
    error_code ignored;
    if (idle && socket) socket->cancel(ignored);
  }
};

class ConnectionList {
 public:
  void add(std::shared_ptr<ConnectionHandle> handle) {
    std::lock_guard guard(mutex_);
    handles_.insert(std::move(handle));
  }
  void remove(const std::shared_ptr<ConnectionHandle>& handle) {
    std::lock_guard guard(mutex_);
    handles_.erase(handle);
  }
  void close_idle() {
    std::lock_guard guard(mutex_);
    for (const auto& handle : handles_) {
      asio::post(handle->executor, [handle] { handle->close_if_idle(); });
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::shared_ptr<ConnectionHandle>> handles_;
};

std::string_view reason(int status) {
  auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// One connection: reads requests and writes answers until either side ends it.
template <typename Stream>
class Session {
 public:
  Session(Shared* shared, Stream* stream, std::string peer, ConnectionHandle* handle)
      : shared_(*shared), stream_(*stream), peer_(std::move(peer)), handle_(*handle) {}
  ~Session() { count_body(0); }

  awaitable<void> run() {
    while (!shared_.stopping) {
      parser_.emplace();
      parser_->header_limit(static_cast<uint32_t>(shared_.options.header_limit));
      parser_->body_limit(shared_.options.body_limit);
      int failure = co_await receive();
      if (failure < 0) co_return;
      HttpResponse response;
      HttpRequest request;
      started_ = Clock::now();
      bytes_in_ = parser_->get().body().size();
      bytes_out_ = 0;
      bool keep_alive = failure == 0 && parser_->get().keep_alive();
      bool is_http_1_0 = parser_->is_header_done() && parser_->get().version() == 10;
      if (failure == 0) failure = take_request(&request);
      if (failure != 0) {
        response = failure_response(failure);
        shared_.handler->add_common_headers(&response);
        keep_alive = false;
      } else {
        co_await answer(request, &response);
      }
      count_body(0);
      keep_alive = keep_alive && !response.close && !shared_.stopping;
      bool sent = co_await send(request, &response, keep_alive, is_http_1_0);
      HttpHandler::Exchange exchange{request.method, request.path, peer_, response.status,
                                     bytes_in_,      bytes_out_,   Clock::now() - started_};
      shared_.handler->exchange_ended(exchange);
      if (!sent) co_return;
      if (!keep_alive) {
        // So that what the client still sends does not turn the answer into a reset.
        if (failure != 0) co_await drain();
        co_return;
      }
    }
  }

 private:
  void limit_time(Clock::duration duration) {
    beast::get_lowest_layer(stream_).expires_after(duration);
  }

  // 0: the request is there; negative: the connection is over; else: the status to answer with.
  awaitable<int> receive() {
    if (buffer_.size() == 0) {
      handle_.idle = true;
      limit_time(shared_.options.idle_timeout);
      auto [error, n] = co_await stream_.async_read_some(buffer_.prepare(4096), kTuple);
      handle_.idle = false;
      if (error) co_return -1;
      buffer_.commit(n);
    }
    limit_time(shared_.options.header_timeout);
    auto [error, n] = co_await http::async_read_header(stream_, buffer_, *parser_, kTuple);
    if (error) co_return failure_of(error);
    if (lower(std::string_view(parser_->get()[http::field::expect])) == "100-continue") {
      auto [e, m] = co_await asio::async_write(
          stream_, asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25), kTuple);
      if (e) co_return -1;
    }
    auto deadline = Clock::now() + shared_.options.body_timeout;
    while (!parser_->is_done()) {
      if (Clock::now() > deadline) co_return 408;
      limit_time(shared_.options.stall_timeout);
      auto [e, m] = co_await http::async_read_some(stream_, buffer_, *parser_, kTuple);
      if (e) co_return failure_of(e);
      if (!count_body(parser_->get().body().size())) co_return 503;
    }
    co_return 0;
  }

  int failure_of(error_code error) {
    if (error == http::error::header_limit) return 431;
    if (error == http::error::body_limit) return 413;
    if (error == http::error::end_of_stream || error == http::error::partial_message) return -1;
    if (error.category() == make_error_code(http::error::bad_method).category()) return 400;
    return -1;
  }

  static HttpResponse failure_response(int status) {
    switch (status) {
      case 408: return error_response(408, "the request took too long", "REQUEST_TIMEOUT");
      case 413: return error_response(413, "the request body is too large", "BODY_TOO_LARGE");
      case 415: return error_response(415, "unknown content encoding", "UNSUPPORTED_ENCODING");
      case 431: return error_response(431, "the request header is too large", "HEADER_TOO_LARGE");
      case 503: return error_response(503, "too many requests at once", "OVERLOADED");
      default: return error_response(400, "malformed request", "BAD_REQUEST");
    }
  }

  // Counts this connection's share of the bodies that are in memory. False: they are too many.
  bool count_body(size_t bytes) {
    shared_.body_bytes += bytes - counted_;
    counted_ = bytes;
    return shared_.body_bytes <= shared_.options.all_bodies_limit;
  }

  // 0, or the status to answer with.
  int take_request(HttpRequest* request) {
    auto& message = parser_->get();
    request->method = std::string(message.method_string());
    request->peer = peer_;
    std::string_view target(message.target().data(), message.target().size());
    size_t question = target.find('?');
    request->path = target.substr(0, question);
    if (question != std::string_view::npos) request->query = target.substr(question + 1);
    for (const auto& field : message) {
      std::string_view name(field.name_string().data(), field.name_string().size());
      std::string_view value(field.value().data(), field.value().size());
      request->headers.emplace_back(lower(name), value);
    }
    request->body = std::move(message.body());
    switch (unpack(request->header("content-encoding"), shared_.options.body_limit,
                   &request->body)) {
      case UnpackResult::kOk: return 0;
      case UnpackResult::kTooLarge: return 413;
      case UnpackResult::kUnknownEncoding: return 415;
      default: return 400;
    }
  }

  // Runs `work` on a worker thread.
  template <typename Work>
  awaitable<void> on_worker(bool urgent, Work work) {
    asio::thread_pool& pool = urgent ? shared_.urgent_workers : shared_.workers;
    co_await asio::co_spawn(
        pool,
        [](Work& w) -> awaitable<void> {
          w();
          co_return;
        }(work),
        asio::use_awaitable);
  }

  awaitable<void> answer(HttpRequest& request, HttpResponse* response) {
    bool urgent = shared_.handler->is_urgent(request);
    co_await on_worker(urgent, [&] {
      try {
        *response = shared_.handler->handle(request);
      } catch (const std::bad_alloc&) {
        *response = error_response(503, "out of memory", "SQLITE_NOMEM");
      }
    });
    if (response->pending) co_await wait_for(std::move(response->pending), response);
    shared_.handler->add_common_headers(response);
    std::string_view accept = request.header("accept-encoding");
    // Turso's sync client names its media type here; it takes gzip nevertheless.
    if (accept == "application/protobuf") accept = "gzip";
    if (!response->compressible || (response->body.size() < 512 && !response->source)) co_return;
    Encoding encoding = choose_encoding(accept);
    response->headers.emplace_back("Vary", "Accept-Encoding");
    if (encoding == Encoding::kIdentity) co_return;
    response->headers.emplace_back("Content-Encoding", encoding_name(encoding));
    if (response->source) {
      response->source =
          compressed(encoding, std::move(response->body), std::move(response->source));
      response->body.clear();
    } else {
      co_await on_worker(urgent, [&] { response->body = compress(encoding, response->body); });
    }
  }

  awaitable<void> wait_for(std::unique_ptr<PendingAnswer> pending, HttpResponse* response) {
    struct Wake {
      explicit Wake(asio::any_io_executor executor) : timer(executor) {}
      asio::steady_timer timer;
      std::atomic<bool> woken{false};
    };
    auto executor = co_await asio::this_coro::executor;
    auto wake = std::make_shared<Wake>(executor);
    pending->on_change([wake, executor] {
      wake->woken = true;
      asio::post(executor, [wake] { wake->timer.cancel(); });
    });
    for (;;) {
      if (!wake->woken.exchange(false)) {
        wake->timer.expires_at(std::min(pending->deadline(), Clock::now() + kPendingCheck));
        co_await wake->timer.async_wait(kTuple);
      }
      bool at_deadline = shared_.stopping || Clock::now() >= pending->deadline();
      bool answered = false;
      co_await on_worker(false, [&] { answered = pending->try_answer(at_deadline, response); });
      if (answered) break;
    }
    co_await on_worker(false, [&] { pending.reset(); });
  }

  awaitable<bool> send(const HttpRequest& request, HttpResponse* response, bool keep_alive,
                       bool is_http_1_0) {
    bool has_body = response->status != 204 && response->status != 304;
    bool chunked = response->source && !is_http_1_0;
    if (response->source && is_http_1_0) keep_alive = false;
    std::string out = "HTTP/1.1 " + std::to_string(response->status) + ' ';
    out += reason(response->status);
    out += "\r\n";
    if (!response->content_type.empty()) out += "Content-Type: " + response->content_type + "\r\n";
    for (const auto& [name, value] : response->headers) out += name + ": " + value + "\r\n";
    if (chunked) {
      out += "Transfer-Encoding: chunked\r\n";
    } else if (has_body && !response->source) {
      out += "Content-Length: " + std::to_string(response->body.size()) + "\r\n";
    }
    if (!keep_alive) out += "Connection: close\r\n";
    else if (!response->is_terse || is_http_1_0) out += "Connection: keep-alive\r\n";
    out += "\r\n";
    if (request.method == "HEAD") has_body = false;
    if (!has_body) co_return co_await write(out);
    if (!response->source) {
      out += response->body;
      response->body = std::string();
      co_return co_await write(out);
    }
    std::string piece = std::move(response->body);
    for (bool more = true; more;) {
      bool failed = false;
      co_await on_worker(false, [&] {
        Result<bool> result = response->source->next(&piece);
        failed = !result.ok();
        more = !failed && *result;
      });
      // Without the last chunk the client knows that the answer is not whole.
      if (failed) co_return false;
      if (!piece.empty()) {
        if (chunked) append_chunk(piece, &out);
        else out += piece;
        piece.clear();
      }
      if (!more && chunked) out += "0\r\n\r\n";
      if (!co_await write(out)) {
        co_await on_worker(false, [&] { response->source.reset(); });
        co_return false;
      }
      out.clear();
    }
    co_await on_worker(false, [&] { response->source.reset(); });
    co_return keep_alive || !is_http_1_0;
  }

  static void append_chunk(std::string_view piece, std::string* out) {
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    *out += size;
    *out += piece;
    *out += "\r\n";
  }

  awaitable<bool> write(std::string_view bytes) {
    bytes_out_ += bytes.size();
    while (!bytes.empty()) {
      std::string_view piece = bytes.substr(0, kWritePiece);
      limit_time(shared_.options.stall_timeout);
      auto [error, n] =
          co_await asio::async_write(stream_, asio::buffer(piece.data(), piece.size()), kTuple);
      if (error) co_return false;
      bytes.remove_prefix(piece.size());
    }
    co_return true;
  }

  // Reads for a moment what nobody wants.
  awaitable<void> drain() {
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(tcp::socket::shutdown_send, ignored);
    char waste[4096];
    limit_time(std::chrono::seconds(1));
    for (int i = 0; i < 256; ++i) {
      auto [error, n] = co_await stream_.async_read_some(asio::buffer(waste), kTuple);
      if (error) co_return;
    }
  }

  Shared& shared_;
  Stream& stream_;
  std::string peer_;
  ConnectionHandle& handle_;
  beast::flat_buffer buffer_{1 << 20};
  std::optional<http::request_parser<http::string_body>> parser_;
  size_t counted_ = 0;
  Clock::time_point started_;
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
};

class Server final : public HttpServer {
 public:
  Server(const HttpOptions& options, HttpHandler* handler)
      : shared_(options, handler),
        acceptor_(shared_.network),
        signals_(shared_.network),
        stop_timer_(shared_.network) {}

  Status prepare() {
    const HttpOptions& options = shared_.options;
    error_code error;
    auto address = asio::ip::make_address(options.address, error);
    if (error) return Status::error("not an address: " + options.address);
    tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(1024, error);
    if (error) {
      return Status::error("cannot listen on " + options.address + ":" +
                           std::to_string(options.port) + ": " + error.message());
    }
    if (options.tls_certificate.empty() != options.tls_key.empty()) {
      return Status::error("--tls-cert and --tls-key belong together");
    }
    return options.tls_key.empty() ? Status() : prepare_tls();
  }

  uint16_t port() const override {
    error_code ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

  void run() override {
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    signals_.async_wait([this](error_code error, int) {
      if (!error) begin_stop();
    });
    asio::co_spawn(shared_.network, accept_all(), asio::detached);
    std::vector<std::thread> threads;
    for (int i = 1; i < shared_.options.network_threads; ++i) {
      threads.emplace_back([this] { shared_.network.run(); });
    }
    shared_.network.run();
    for (std::thread& thread : threads) thread.join();
    shared_.workers.join();
    shared_.urgent_workers.join();
  }

  void stop() override {
    asio::post(shared_.network, [this] { begin_stop(); });
  }

 private:
  Status prepare_tls() {
    tls_.emplace(asio::ssl::context::tls_server);
    error_code error;
    tls_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                          asio::ssl::context::no_tlsv1_1 | asio::ssl::context::single_dh_use,
                      error);
    tls_->use_certificate_chain_file(shared_.options.tls_certificate, error);
    if (error) return Status::error("cannot use " + shared_.options.tls_certificate + ": " + error.message());
    tls_->use_private_key_file(shared_.options.tls_key, asio::ssl::context::pem, error);
    if (error) return Status::error("cannot use " + shared_.options.tls_key + ": " + error.message());
    return Status();
  }

  void begin_stop() {
    if (shared_.stopping.exchange(true)) return;
    error_code ignored;
    acceptor_.close(ignored);
    signals_.cancel(ignored);
    auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(shared_.options.shutdown_timeout);
    shared_.handler->stopping(whole / 2);
    list_.close_idle();
    stop_timer_.expires_after(whole);
    stop_timer_.async_wait([this](error_code error) {
      if (!error) shared_.network.stop();
    });
    if (shared_.connections == 0) stop_timer_.cancel();
  }

  awaitable<void> accept_all() {
    while (!shared_.stopping) {
      auto [error, socket] = co_await acceptor_.async_accept(
          asio::make_strand(shared_.network), kTuple);
      if (shared_.stopping) break;
      if (error) {
        // Out of file descriptors, most likely: others will end.
        asio::steady_timer pause(shared_.network, std::chrono::milliseconds(50));
        co_await pause.async_wait(kTuple);
        continue;
      }
      if (shared_.connections >= shared_.options.connection_limit) continue;  // closed
      shared_.handler->connections_changed(++shared_.connections);
      auto executor = socket.get_executor();
      asio::co_spawn(executor, serve(std::move(socket)), [this](std::exception_ptr) {
        int64_t left = --shared_.connections;
        shared_.handler->connections_changed(left);
        if (left == 0 && shared_.stopping) {
          asio::post(shared_.network, [this] { stop_timer_.cancel(); });
        }
      });
    }
  }

  awaitable<void> serve(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    std::string peer = socket.remote_endpoint(ignored).address().to_string();
    auto handle = std::make_shared<ConnectionHandle>();
    handle->executor = co_await asio::this_coro::executor;
    beast::tcp_stream stream(std::move(socket));
    if (!tls_) {
      handle->socket = &stream.socket();
      list_.add(handle);
      {
        Session<beast::tcp_stream> session(&shared_, &stream, peer, handle.get());
        co_await session.run();
      }
      leave(handle);
      stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
      co_return;
    }
    beast::ssl_stream<beast::tcp_stream> secure(std::move(stream), *tls_);
    beast::get_lowest_layer(secure).expires_after(shared_.options.header_timeout);
    auto [error] = co_await secure.async_handshake(asio::ssl::stream_base::server, kTuple);
    if (error) co_return;
    handle->socket = &beast::get_lowest_layer(secure).socket();
    list_.add(handle);
    {
      Session<beast::ssl_stream<beast::tcp_stream>> session(&shared_, &secure, peer, handle.get());
      co_await session.run();
    }
    leave(handle);
    beast::get_lowest_layer(secure).expires_after(std::chrono::seconds(2));
    co_await secure.async_shutdown(kTuple);
  }

  void leave(const std::shared_ptr<ConnectionHandle>& handle) {
    list_.remove(handle);
    handle->socket = nullptr;  // on its executor, as all uses
  }

  Shared shared_;
  ConnectionList list_;
  tcp::acceptor acceptor_;
  asio::signal_set signals_;
  asio::steady_timer stop_timer_;
  std::optional<asio::ssl::context> tls_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpOptions& options,
                                                      HttpHandler* handler) {
  auto server = std::make_unique<Server>(options, handler);
  GW_TRY(server->prepare());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace godwit::server
