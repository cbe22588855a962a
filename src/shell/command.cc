#include "command.h"

#include <cstdio>
#include <string_view>

#ifdef GODWIT_HAVE_SERVER
#include "server/commands.h"
#endif

namespace godwit::shell {
namespace {

#ifdef GODWIT_HAVE_SERVER
using server::server_command;
using server::sync_command;
using server::token_command;
#else
int server_command(int, char**) {
  std::fprintf(stderr, "godwit: built without the server, for want of: %s\n", GODWIT_SERVER_MISSING);
  return 1;
}
int token_command(int argc, char** argv) { return server_command(argc, argv); }
int sync_command(int argc, char** argv) { return server_command(argc, argv); }
#endif

bool is_sync_option(std::string_view word) {
  for (std::string_view name : {"--sync-server", "-sync-server"}) {
    if (word == name || (word.size() > name.size() && word.substr(0, name.size()) == name &&
                         word[name.size()] == '=')) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool run_command(int argc, char** argv, int* code) {
  if (argc < 2) return false;
  std::string_view first = argv[1];
  const struct {
    std::string_view name;
    int (*run)(int, char**);
  } commands[] = {{"server", server_command}, {"token", token_command}, {"sync", sync_command}};
  for (const auto& command : commands) {
    if (first != command.name) continue;
    *code = command.run(argc - 1, argv + 1);
    return true;
  }
  for (int i = 1; i < argc; ++i) {
    if (!is_sync_option(argv[i])) continue;
    // The program's own name stands where the command would.
    *code = server_command(argc, argv);
    return true;
  }
  return false;
}

}  // namespace godwit::shell
