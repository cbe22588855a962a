// Dot commands about files, processes and the end of the session.
#include <unistd.h>

#include <cstdlib>

#include "dot_command.h"
#include "repl.h"

namespace godwit::shell {
namespace {

std::string without_double_dash(const std::string& word) {
  return word.rfind("--", 0) == 0 ? word.substr(1) : word;
}

bool write_target(ShellState& state, const DotWords& words) {
  std::string target = words.size() > 1 ? words[1] : "stdout";
  if (target[0] == '|') {
    // The command of a pipe need not be in quotes.
    for (size_t i = 2; i < words.size(); ++i) target += " " + words[i];
  }
  return set_output(state, target);
}

}  // namespace

DotResult dot_cd(ShellState&, const DotWords& words) {
  if (words.size() != 2) return usage_error(".cd DIRECTORY");
  if (chdir(words[1].c_str()) != 0) {
    std::fprintf(stderr, "Cannot change to directory \"%s\"\n", words[1].c_str());
    return DotResult::kError;
  }
  return DotResult::kOk;
}

DotResult dot_exit(ShellState& state, const DotWords& words) {
  if (words.size() > 1) {
    int code = std::atoi(words[1].c_str());
    // Zero is the usual end, which tells whether there were errors.
    if (code != 0) state.exit_code = code;
  }
  return DotResult::kQuit;
}

DotResult dot_load(ShellState& state, const DotWords& words) {
  if (words.size() < 2 || words[1].empty()) return usage_error(".load FILE ?ENTRYPOINT?");
  if (!open_database(state)) return DotResult::kError;
  char* error = nullptr;
  const char* entry = words.size() > 2 ? words[2].c_str() : nullptr;
  if (sqlite3_load_extension(state.db, words[1].c_str(), entry, &error) == SQLITE_OK) {
    return DotResult::kOk;
  }
  std::fprintf(stderr, "Error: %s\n", error == nullptr ? "" : error);
  sqlite3_free(error);
  return DotResult::kError;
}

DotResult dot_quit(ShellState&, const DotWords&) {
  return DotResult::kQuit;
}

DotResult dot_output(ShellState& state, const DotWords& words) {
  return write_target(state, words) ? DotResult::kOk : DotResult::kError;
}

DotResult dot_once(ShellState& state, const DotWords& words) {
  if (words.size() > 1 && words[1][0] == '-') {
    std::fprintf(stderr, "ERROR: unknown option: \"%s\".  Usage:\n", words[1].c_str());
    print_command_help(stderr, "once");
    return DotResult::kError;
  }
  if (!write_target(state, words)) return DotResult::kError;
  state.output_once = words.size() > 1;
  return DotResult::kOk;
}

DotResult dot_open(ShellState& state, const DotWords& words) {
  std::string filename;
  bool make_new = false;
  bool read_only = false;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string word = without_double_dash(words[i]);
    if (word == "-new") {
      make_new = true;
    } else if (word == "-readonly") {
      read_only = true;
    } else if (word.size() > 1 && word[0] == '-') {
      std::fprintf(stderr, "unknown option: %s\n", words[i].c_str());
      return DotResult::kError;
    } else if (filename.empty()) {
      filename = words[i];
    } else {
      std::fprintf(stderr, "extra argument: \"%s\"\n", words[i].c_str());
      return DotResult::kError;
    }
  }
  close_database(state);
  state.filename = filename.empty() ? ":memory:" : filename;
  state.read_only = read_only;
  if (make_new && !filename.empty()) {
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) unlink((filename + suffix).c_str());
  }
  if (!open_database(state)) {
    state.filename = ":memory:";
    state.read_only = false;
    open_database(state);
    return DotResult::kError;
  }
  return DotResult::kOk;
}

DotResult dot_print(ShellState& state, const DotWords& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    std::fprintf(state.out, "%s%s", i > 1 ? " " : "", words[i].c_str());
  }
  std::fputs("\n", state.out);
  return DotResult::kOk;
}

DotResult dot_read(ShellState& state, const DotWords& words) {
  if (words.size() != 2) return usage_error(".read FILE");
  int errors = 0;
  if (!read_file(state, words[1], &errors) || errors > 0) return DotResult::kError;
  return state.exit_code >= 0 ? DotResult::kQuit : DotResult::kOk;
}

DotResult dot_shell(ShellState&, const DotWords& words) {
  if (words.size() < 2) return usage_error(".system COMMAND");
  std::string command;
  for (size_t i = 1; i < words.size(); ++i) {
    bool quote = words[i].find(' ') != std::string::npos;
    command += (i > 1 ? " " : "") + (quote ? "\"" + words[i] + "\"" : words[i]);
  }
  std::fflush(stdout);
  int rc = std::system(command.c_str());
  if (rc != 0) std::fprintf(stderr, "System command returns %d\n", rc);
  return DotResult::kOk;
}

DotResult dot_timeout(ShellState& state, const DotWords& words) {
  if (!open_database(state)) return DotResult::kError;
  sqlite3_busy_timeout(state.db, words.size() > 1 ? std::atoi(words[1].c_str()) : 0);
  return DotResult::kOk;
}

DotResult dot_version(ShellState& state, const DotWords&) {
  std::fprintf(state.out, "Godwit %s, compatible with SQLite %s\n", GODWIT_VERSION,
               sqlite3_libversion());
  return DotResult::kOk;
}

}  // namespace godwit::shell
