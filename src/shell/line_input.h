// Lines of input: edited on a terminal with history where libedit is there, else read as they come.
#pragma once

#include <cstdio>
#include <string>

#include "shell_state.h"

namespace godwit::shell {

class LineInput {
 public:
  // `input` NULL: stdin.
  LineInput(const ShellState& state, FILE* input);
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  // The next line without its end; false at the end of the input. `continued`: it goes on with a
  // statement, which the prompt shows.
  bool next(bool continued, std::string* line);

 private:
  FILE* input_;
  bool prompts_;
  bool edits_ = false;
  std::string history_path_;
};

}  // namespace godwit::shell
