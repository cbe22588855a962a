// Reading input: lines from a terminal, a file or a pipe become SQL statements and dot commands.
#pragma once

#include <cstdio>
#include <string>

#include "shell_state.h"

namespace godwit::shell {

// Reads `input` to its end (NULL: stdin, with line editing if the shell is interactive). Returns
// the number of errors.
int process_input(ShellState& state, FILE* input);

// Runs a file of SQL and dot commands; false after printing why it cannot be read.
bool read_file(ShellState& state, const std::string& path, int* errors);

// Runs one text, which starts at `line`, and prints its error and what .changes and .timer ask for.
// Returns the number of errors. line 0: the text is from no file.
int run_statements(ShellState& state, const std::string& sql, FILE* input, long line);

}  // namespace godwit::shell
