// The command line: `godwit [OPTIONS] [FILE [SQL...]]`. Options may stand before and after FILE.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shell_state.h"

namespace godwit::shell {

struct Options {
  // The file is kept in ShellState; this tells whether one was named.
  bool has_file = false;
  std::vector<std::string> commands;  // SQL or dot commands after FILE
  std::vector<std::string> first;     // -cmd, run before all else
  std::string init_file;              // -init, instead of ~/.godwitrc
  bool has_init_file = false;
  bool show_help = false;
  bool show_version = false;
  // Settings of the output, which must win over those of the init file.
  std::vector<std::pair<std::string, std::string>> settings;
};

// Fills `options` and the simple switches of `state`. Prints what is wrong and returns false for an
// unknown option or a missing argument.
bool parse_options(int argc, char** argv, ShellState& state, Options* options);
void apply_settings(const Options& options, ShellState& state);
void print_usage(FILE* out, const char* program);

}  // namespace godwit::shell
