#include "transport/http_transport.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <thread>

namespace godwit::transport {

struct Address {
  bool is_secure = false;
  std::string host, port, target;
  bool is_same_server(const Address& other) const {
    return is_secure == other.is_secure && host == other.host && port == other.port;
  }
};

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr size_t kPieceBytes = 64u << 10;
constexpr uint32_t kHeaderBytesMax = 32u << 10;

Result<Address> parse_url(const std::string& url) {
  Address address;
  const size_t colon = url.find("://");
  const std::string scheme = url.substr(0, colon == std::string::npos ? 0 : colon);
  address.is_secure = scheme == "https" || scheme == "libsql";
  if (!address.is_secure && scheme != "http") return Status::error("not a URL of http or https: " + url);
  const size_t begin = colon + 3;
  const size_t path = std::min(url.find_first_of("/?#", begin), url.size());
  std::string authority = url.substr(begin, path - begin);
  authority.erase(0, authority.rfind('@') + 1);
  address.target = url.substr(path);
  if (address.target.empty() || address.target[0] != '/') address.target.insert(0, "/");
  const size_t bracket = authority.rfind(']');  // of an IPv6 address
  const size_t port = authority.find(':', bracket == std::string::npos ? 0 : bracket);
  address.port = port == std::string::npos ? (address.is_secure ? "443" : "80") : authority.substr(port + 1);
  address.host = authority.substr(0, port);
  const bool has_control = std::any_of(url.begin(), url.end(), [](char c) { return static_cast<uint8_t>(c) <= ' '; });
  if (address.host.empty() || has_control) return Status::error("not a URL of http or https: " + url);
  return address;
}

std::string without_brackets(const std::string& host) {
  return host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
}

bool may_go_well_later(int status) { return status == 408 || status == 425 || status == 429 || status >= 500; }

}  // namespace

class HttpTransport::Connection {
 public:
  using OnStatus = std::function<void(int)>;
  using OnBody = std::function<Status(std::string_view)>;

  explicit Connection(const HttpOptions& options) : options_(options), tls_(asio::ssl::context::tls_client) {
    error_code error;
    tls_.set_verify_mode(asio::ssl::verify_peer);
    if (options.ca_file.empty()) {
      tls_.set_default_verify_paths(error);
    } else {
      tls_.load_verify_file(options.ca_file, error);
    }
  }

  // kIoErr: the network is at fault. Errors of `on_body` end it and are given on.
  Status exchange(const sync::HttpRequest& request, const std::string& token, const OnStatus& on_status, const OnBody& on_body) {
    GW_ASSIGN(Address address, parse_url(request.url));
    const bool is_reused = is_open_ && address.is_same_server(address_);
    if (!is_reused) GW_TRY(open(address));
    address_ = address;
    has_answer_ = false;
    Status status = talk(message_of(request, token), on_status, on_body);
    // The server may have closed a connection that was idle.
    if (is_reused && !has_answer_ && status.primary() == code::kIoErr) {
      GW_TRY(open(address));
      status = talk(message_of(request, token), on_status, on_body);
    }
    if (!status.ok()) close();
    return status;
  }
  uint64_t sent() const { return sent_; }
  uint64_t received() const { return received_; }

 private:
  std::string message_of(const sync::HttpRequest& request, const std::string& token) const {
    const bool is_usual = address_.port == (address_.is_secure ? "443" : "80");
    std::string message = request.method + " " + address_.target + " HTTP/1.1\r\nhost: " + address_.host;
    if (!is_usual) message += ":" + address_.port;
    message += "\r\n";
    for (const auto& [name, value] : request.headers) message += name + ": " + value + "\r\n";
    if (!token.empty()) message += "authorization: Bearer " + token + "\r\n";
    message += "content-length: " + std::to_string(request.body.size()) + "\r\n\r\n";
    return message + request.body;
  }

  static Status failure(const std::string& what, const error_code& error) {
    return Status(code::kIoErr, what + ": " + (error == beast::error::timeout ? "timed out" : error.message()));
  }

  // Runs one asynchronous operation to its end: these, unlike the others, end by the time-out.
  template <typename Start>
  error_code wait(Start start) {
    error_code result;
    beast::get_lowest_layer(*stream_).expires_after(std::chrono::milliseconds(options_.timeout_ms));
    start([&](error_code error, auto&&...) { result = error; });
    io_.restart();
    io_.run();
    return result;
  }

  Status open(const Address& address) {
    close();
    stream_ = std::make_unique<beast::ssl_stream<beast::tcp_stream>>(io_, tls_);
    error_code error;
    const std::string host = without_brackets(address.host);
    const std::string where = "cannot connect to " + address.host + ":" + address.port;
    auto endpoints = asio::ip::tcp::resolver(io_).resolve(host, address.port, error);
    if (error) return failure(where, error);
    auto& socket = beast::get_lowest_layer(*stream_);
    error = wait([&](auto handler) { socket.async_connect(endpoints, handler); });
    if (error) return failure(where, error);
    socket.socket().set_option(asio::ip::tcp::no_delay(true), error);
    if (address.is_secure) {
      SSL_set_tlsext_host_name(stream_->native_handle(), host.c_str());
      stream_->set_verify_callback(asio::ssl::host_name_verification(host), error);
      error = wait([&](auto handler) { stream_->async_handshake(asio::ssl::stream_base::client, handler); });
      if (error) return failure(where, error);
    }
    address_ = address;
    is_open_ = true;
    return Status();
  }

  void close() {
    is_open_ = false;
    buffer_.clear();
    stream_.reset();
  }

  Status talk(const std::string& message, const OnStatus& on_status, const OnBody& on_body) {
    if (address_.is_secure) return talk(*stream_, message, on_status, on_body);
    return talk(stream_->next_layer(), message, on_status, on_body);
  }

  template <typename Stream>
  Status talk(Stream& stream, const std::string& message, const OnStatus& on_status, const OnBody& on_body) {
    sent_ += message.size();
    error_code error = wait([&](auto handler) { asio::async_write(stream, asio::buffer(message), handler); });
    if (error) return failure("cannot send", error);
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    parser.header_limit(kHeaderBytesMax);
    error = wait([&](auto handler) { http::async_read_header(stream, buffer_, parser, [&, handler](error_code e, size_t bytes) mutable { received_ += bytes; handler(e); }); });
    if (error) return failure("no answer", error);
    has_answer_ = true;
    on_status(parser.get().result_int());
    std::string piece(kPieceBytes, '\0');
    while (!parser.is_done()) {
      parser.get().body().data = piece.data();
      parser.get().body().size = piece.size();
      error = wait([&](auto handler) { http::async_read_some(stream, buffer_, parser, [&, handler](error_code e, size_t bytes) mutable { received_ += bytes; handler(e); }); });
      if (error == http::error::need_buffer) error = {};
      if (error) return failure("the answer was cut off", error);
      GW_TRY(on_body(std::string_view(piece).substr(0, piece.size() - parser.get().body().size)));
    }
    if (!parser.keep_alive()) close();
    return Status();
  }

  const HttpOptions& options_;
  asio::io_context io_;
  asio::ssl::context tls_;
  std::unique_ptr<beast::ssl_stream<beast::tcp_stream>> stream_;
  beast::flat_buffer buffer_;
  Address address_;
  bool is_open_ = false, has_answer_ = false;
  uint64_t sent_ = 0, received_ = 0;
};

HttpTransport::HttpTransport(HttpOptions options)
    : options_(std::move(options)), token_(options_.token), connection_(std::make_unique<Connection>(options_)) {}
HttpTransport::~HttpTransport() = default;

uint64_t HttpTransport::sent_bytes() const { return connection_->sent(); }
uint64_t HttpTransport::received_bytes() const { return connection_->received(); }

Result<bool> HttpTransport::push(sync::Replica* replica) {
  return run([replica] { return replica->begin_push(); });
}
Result<bool> HttpTransport::pull(sync::Replica* replica) {
  return run([replica] { return replica->begin_pull(); });
}

Status HttpTransport::refresh_token() {
  GW_ASSIGN(token_, options_.ask_token());
  const bool has_control = std::any_of(token_.begin(), token_.end(), [](char c) { return static_cast<uint8_t>(c) < ' '; });
  if (has_control) return Status::error("the token has characters that no token has");
  has_token_ = true;
  return Status();
}

Result<bool> HttpTransport::run(const Begin& begin) {
  uint32_t delay = options_.first_delay_ms;
  for (uint32_t attempt = 1;; ++attempt) {
    GW_ASSIGN(std::unique_ptr<sync::Exchange> exchange, begin());
    bool may_retry = false;
    Status status = send_all(exchange.get(), &may_retry);
    if (status.ok()) return exchange->changed();
    if (!may_retry || attempt >= options_.attempts) return status;
    exchange.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    delay *= 2;
  }
}

Status HttpTransport::send_all(sync::Exchange* exchange, bool* may_retry) {
  if (options_.ask_token && !has_token_) GW_TRY(refresh_token());
  bool has_asked_again = false;
  while (const sync::HttpRequest* request = exchange->request()) {
    int http_status = 0;
    bool is_refused = false;
    Status told;
    const auto on_status = [&](int status) {
      http_status = status;
      is_refused = status == 401 && options_.ask_token && !has_asked_again;
      if (!is_refused) exchange->begin(status);
    };
    const auto on_body = [&](std::string_view bytes) {
      if (!is_refused) told = exchange->add(bytes);
      return told;
    };
    Status status = connection_->exchange(*request, token_, on_status, on_body);
    *may_retry = !status.ok() && told.ok() && status.primary() == code::kIoErr;
    GW_TRY(std::move(status));
    if (is_refused) {
      has_asked_again = true;
      GW_TRY(refresh_token());
      continue;
    }
    status = exchange->end();
    *may_retry = !status.ok() && may_go_well_later(http_status);
    GW_TRY(std::move(status));
  }
  return Status();
}

}  // namespace godwit::transport
