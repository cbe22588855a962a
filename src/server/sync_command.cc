// `godwit sync FILE URL`: the file becomes a replica of the server's database, or goes on as one.
#include <cstdio>
#include <cstdlib>

#include "server/commands.h"
#include "server/option_reader.h"
#include "sync/replica.h"
#include "transport/http_transport.h"

namespace godwit::server {
namespace {

constexpr char kSyncUsage[] =
    "Usage: godwit sync FILE URL [OPTIONS]   pushes what was written to FILE, pulls what others wrote\n"
    "\n"
    "   --push, --pull    that alone\n"
    "   --token TOKEN     bearer token (default: the environment's GODWIT_TOKEN)\n"
    "   --adopt           FILE has data and was never synced: push all of it\n"
    "   --update-wins     over a DELETE of the same row\n"
    "   --counter T.C     a column whose increments add up (may be repeated)\n"
    "   --ca FILE         certificates to trust, instead of the system's\n";

int sync_failure(const std::string& message) {
  std::fprintf(stderr, "godwit sync: %s\n", message.c_str());
  return 1;
}

void print_conflict(const sync::Conflict& conflict) {
  static const char* const kKinds[] = {"overwritten", "dropped", "moved", "refused", "set aside"};
  std::fprintf(stderr, "conflict: %s %s: %s%s%s\n", conflict.table.c_str(), conflict.key.c_str(), kKinds[conflict.kind],
               conflict.error.empty() ? "" : ", ", conflict.error.c_str());
}

}  // namespace

int sync_command(int argc, char** argv) {
  sync::ReplicaOptions options;
  transport::HttpOptions http;
  if (const char* token = std::getenv("GODWIT_TOKEN")) http.token = token;
  std::string file;
  bool only_push = false, only_pull = false;
  OptionReader reader(argc, argv);
  while (reader.next()) {
    const std::string& name = reader.name();
    if (!reader.is_option()) {
      std::string& word = file.empty() ? file : options.url;
      if (!word.empty()) reader.fail("too many words: " + name);
      word = name;
    } else if (name == "push") {
      only_push = reader.flag();
    } else if (name == "pull") {
      only_pull = reader.flag();
    } else if (name == "adopt") {
      options.adopt = reader.flag();
    } else if (name == "update-wins") {
      options.update_wins = reader.flag();
    } else if (name == "token") {
      http.token = reader.value();
    } else if (name == "counter") {
      options.counters.push_back(reader.value());
    } else if (name == "ca") {
      http.ca_file = reader.value();
    } else if (name == "help") {
      std::fputs(kSyncUsage, stdout);
      return 0;
    } else {
      reader.fail("unknown option: --" + name);
    }
  }
  if (reader.failed()) return sync_failure(reader.error());
  if (file.empty() || options.url.empty()) {
    std::fputs(kSyncUsage, stderr);
    return 1;
  }
  options.conflict_found = print_conflict;
  auto replica = sync::Replica::open(file, options);
  if (!replica.ok()) return sync_failure(replica.status().message());
  transport::HttpTransport transport(http);
  int code = 0;
  if (!only_pull) {
    auto pushed = transport.push(replica->get());
    if (!pushed.ok()) code = sync_failure("push: " + pushed.status().message());
  }
  // After a push that was refused, too: a pull says what stands in the way, and the next push goes well.
  if (!only_push) {
    auto pulled = transport.pull(replica->get());
    if (!pulled.ok()) code = sync_failure("pull: " + pulled.status().message());
  }
  return code;
}

}  // namespace godwit::server
