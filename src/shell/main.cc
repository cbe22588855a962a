// The `godwit` command: runs SQL and dot commands from its arguments, a pipe or a terminal.
#include <unistd.h>

#include <cstdlib>

#include "command.h"
#include "dot_command.h"
#include "execute.h"
#include "options.h"
#include "repl.h"

namespace godwit::shell {
namespace {

// Runs a command of the command line. Returns 0 or what the program should exit with; sets *quit if
// the program should end with that.
int run_argument(ShellState& state, const std::string& command, bool* quit) {
  if (!command.empty() && command[0] == '.') {
    DotResult result = dot_command(state, command);
    *quit = result != DotResult::kOk;
    return result == DotResult::kError ? 1 : 0;
  }
  SqlError error;
  if (execute(state, command, &error)) {
    if (state.output_once) reset_output(state);
    return 0;
  }
  const char* phase = error.phase == SqlError::Phase::kPrepare ? "in prepare" : "stepping";
  std::fflush(state.out);
  std::fprintf(stderr, "Error: %s, %s\n", phase, error.message.c_str());
  *quit = true;
  return error.code;
}

void read_init_file(ShellState& state, const Options& options) {
  std::string path = options.init_file;
  if (!options.has_init_file) {
    const char* home = std::getenv("HOME");
    if (!home) return;
    path = std::string(home) + "/.godwitrc";
    if (access(path.c_str(), R_OK) != 0) return;
  }
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) {
    std::fprintf(stderr, "cannot open: \"%s\"\n", path.c_str());
    return;
  }
  if (state.interactive) std::fprintf(stderr, "-- Loading resources from %s\n", path.c_str());
  process_input(state, file);
  std::fclose(file);
}

void print_banner(const Options& options) {
  std::printf("Godwit version %s, compatible with SQLite %s\nEnter \".help\" for usage hints.\n",
              GODWIT_VERSION, sqlite3_libversion());
  if (!options.has_file) {
    std::printf(
        "Connected to a transient in-memory database.\n"
        "Use \".open FILENAME\" to reopen on a persistent database.\n");
  }
}

int finish(ShellState& state, int code) {
  reset_output(state);
  close_database(state);
  std::fflush(stdout);
  return state.exit_code >= 0 ? state.exit_code : code;
}

int run(int argc, char** argv) {
  ShellState state;
  state.program = argv[0];
  state.interactive = isatty(STDIN_FILENO) != 0;
  Options options;
  if (!parse_options(argc, argv, state, &options)) return 1;
  if (options.show_help) {
    print_usage(stdout, argv[0]);
    return 0;
  }
  if (options.show_version) {
    // Scripts that ask sqlite3 for its version take the first word.
    std::printf("%s Godwit %s\n", sqlite3_libversion(), GODWIT_VERSION);
    return 0;
  }
  install_interrupt_handler();
  // A file that exists is looked at now, so that a wrong one is noticed before anything is typed.
  if (options.has_file && access(state.filename.c_str(), F_OK) == 0) require_database(state);
  read_init_file(state, options);
  apply_settings(options, state);
  for (const std::string& command : options.first) {
    bool quit = false;
    int code = run_argument(state, command, &quit);
    if (state.exit_code >= 0 || (code != 0 && state.bail)) return finish(state, code);
  }
  if (!options.commands.empty()) {
    for (const std::string& command : options.commands) {
      bool quit = false;
      int code = run_argument(state, command, &quit);
      if (quit) return finish(state, code);
    }
    return finish(state, 0);
  }
  if (state.interactive) print_banner(options);
  int errors = process_input(state, nullptr);
  return finish(state, errors > 0 ? 1 : 0);
}

}  // namespace
}  // namespace godwit::shell

int main(int argc, char** argv) {
  int code = 0;
  if (godwit::shell::run_command(argc, argv, &code)) return code;
  return godwit::shell::run(argc, argv);
}
