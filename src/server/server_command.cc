#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

#include "server/commands.h"
#include "server/http_server.h"
#include "server/log.h"
#include "server/option_reader.h"
#include "server/service.h"

namespace godwit::server {
namespace {

constexpr char kServerUsage[] =
    "Usage: godwit server FILE [OPTIONS]         serves one database (made if it does not exist)\n"
    "       godwit server --dir DIR [OPTIONS]    serves DIR/NAME.db under /NAME\n"
    "       godwit FILE --sync-server HOST:PORT  the same as: godwit server FILE --listen HOST:PORT\n"
    "\n"
    "Speaks SQL over HTTP and the sync protocol of Turso's clients; see docs/sync-protocol.md.\n"
    "\n"
    "   --listen HOST:PORT        default 127.0.0.1:8080; port 0: any free one\n"
    "   --allow-create            with --dir: make a database when it is first written to or pulled\n"
    "   --auth-key KEYFILE        ask for bearer tokens signed with this key (may be repeated);\n"
    "                             see: godwit token --help\n"
    "   --tls-cert FILE           certificate chain (PEM); with --tls-key: serve HTTPS\n"
    "   --tls-key FILE            its private key (PEM)\n"
    "   --push-errors MODE        'set-aside' (default): rows that the database refuses are kept in\n"
    "                             godwit_sync_rejected; 'reject': such a push fails as a whole\n"
    "   --history-budget BYTES    old pages kept for partial replicas, by database (256M)\n"
    "   --query-timeout TIME      (30s)\n"
    "   --busy-timeout TIME       wait for other writers (5s)\n"
    "   --stream-idle TIME        a transaction is rolled back when its client is silent (10s)\n"
    "   --max-streams N           (1024)\n"
    "   --max-body BYTES          (64M)\n"
    "   --max-connections N       (4096)\n"
    "   --idle-timeout TIME       connections without a request (60s)\n"
    "   --stall-timeout TIME      clients that neither send nor take anything (20s)\n"
    "   --shutdown-timeout TIME   for what is at work when SIGTERM or SIGINT comes (10s)\n"
    "   --workers N               threads that run statements (32)\n"
    "   --log-level LEVEL         debug, info, warning, error, off (info)\n";

struct Settings {
  HttpOptions http;
  ServiceOptions service;
  bool wants_help = false;
};

void read_address(OptionReader& reader, HttpOptions* http) {
  std::string text = reader.value();
  size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (host.empty() || host == "*") host = "0.0.0.0";
  unsigned value = 0;
  char end = 0;
  if (std::sscanf(port.c_str(), "%u%c", &value, &end) != 1 || value > 65535) {
    reader.fail("not an address: " + text);
  }
  http->address = host;
  http->port = static_cast<uint16_t>(value);
}

bool read_database_option(OptionReader& reader, ServiceOptions* service) {
  const std::string& name = reader.name();
  using std::chrono::milliseconds;
  if (name == "dir") {
    service->folder = reader.value();
  } else if (name == "allow-create") {
    service->create_on_demand = reader.flag();
  } else if (name == "auth-key") {
    auto key = TokenKey::load(reader.value());
    if (key.ok()) service->keys.push_back(*std::move(key));
    else reader.fail(key.status().message());
  } else if (name == "push-errors") {
    std::string mode = reader.value();
    if (mode != "reject" && mode != "set-aside") reader.fail("--push-errors: set-aside or reject");
    service->reject_whole_pushes = mode == "reject";
  } else if (name == "history-budget") {
    service->database.history.old_image_budget = static_cast<uint64_t>(reader.bytes());
  } else if (name == "query-timeout") {
    service->database.session.query_timeout = milliseconds(reader.milliseconds());
  } else if (name == "busy-timeout") {
    service->database.session.busy_timeout = milliseconds(reader.milliseconds());
  } else if (name == "stream-idle") {
    service->stream_idle_timeout = milliseconds(reader.milliseconds());
  } else if (name == "max-streams") {
    service->stream_limit = static_cast<size_t>(reader.number(1, 1000000));
  } else {
    return false;
  }
  return true;
}

bool read_http_option(OptionReader& reader, HttpOptions* http) {
  const std::string& name = reader.name();
  auto seconds = [&] { return std::chrono::seconds((reader.milliseconds() + 999) / 1000); };
  if (name == "listen" || name == "sync-server") {
    read_address(reader, http);
  } else if (name == "tls-cert") {
    http->tls_certificate = reader.value();
  } else if (name == "tls-key") {
    http->tls_key = reader.value();
  } else if (name == "max-body") {
    http->body_limit = static_cast<size_t>(reader.bytes());
  } else if (name == "max-connections") {
    http->connection_limit = reader.number(1, 1000000);
  } else if (name == "idle-timeout") {
    http->idle_timeout = seconds();
  } else if (name == "stall-timeout") {
    http->stall_timeout = seconds();
    http->header_timeout = http->stall_timeout;
  } else if (name == "shutdown-timeout") {
    http->shutdown_timeout = seconds();
  } else if (name == "workers") {
    http->workers = static_cast<int>(reader.number(1, 1000));
  } else {
    return false;
  }
  return true;
}

void read_settings(OptionReader& reader, Settings* settings) {
  while (reader.next()) {
    if (!reader.is_option()) {
      if (!settings->service.file.empty()) reader.fail("more than one file: " + reader.name());
      settings->service.file = reader.name();
    } else if (reader.name() == "help") {
      settings->wants_help = true;
    } else if (reader.name() == "log-level") {
      LogLevel level = LogLevel::kInfo;
      if (!parse_log_level(reader.value(), &level)) reader.fail("unknown log level");
      set_log_level(level);
    } else if (!read_database_option(reader, &settings->service) &&
               !read_http_option(reader, &settings->http)) {
      reader.fail("unknown option: --" + reader.name());
    }
  }
  if (!settings->wants_help && settings->service.file.empty() == settings->service.folder.empty()) {
    reader.fail("either FILE or --dir DIR is needed");
  }
}

int fail(const std::string& message) {
  std::fprintf(stderr, "godwit server: %s\n", message.c_str());
  return 1;
}

// As many connections as the system lets us have.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int server_command(int argc, char** argv) {
  OptionReader reader(argc, argv);
  Settings settings;
  read_settings(reader, &settings);
  if (reader.failed()) return fail(reader.error() + "\nUse --help for a list of options.");
  if (settings.wants_help) {
    std::fputs(kServerUsage, stdout);
    return 0;
  }
  std::error_code error;
  if (!settings.service.folder.empty() && !std::filesystem::is_directory(settings.service.folder, error)) {
    return fail(settings.service.folder + " is not a directory");
  }
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  Service service(std::move(settings.service));
  Status status = service.prepare();
  if (!status.ok()) return fail(status.message());
  auto server = HttpServer::start(settings.http, &service);
  if (!server.ok()) return fail(server.status().message());
  bool is_tls = !settings.http.tls_key.empty();
  std::string url = (is_tls ? "https://" : "http://") + settings.http.address + ":" +
                    std::to_string((*server)->port());
  LogLine(LogLevel::kInfo, "listening").add("url", url);
  std::printf("godwit: serving on %s\n", url.c_str());
  std::fflush(stdout);
  (*server)->run();
  service.close();
  LogLine(LogLevel::kInfo, "stopped");
  return 0;
}

}  // namespace godwit::server
