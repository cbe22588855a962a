// Running SQL text: every statement of it, with the rows of each in the current output mode.
#pragma once

#include <string>

#include "shell_state.h"

namespace godwit::shell {

struct SqlError {
  enum class Phase { kPrepare, kStep };
  Phase phase = Phase::kPrepare;
  int code = SQLITE_OK;
  std::string message;  // with the code, and the place in the text when it is known
};

// Runs all statements of `sql`, up to the first that fails; true if none did.
bool execute(ShellState& state, const std::string& sql, SqlError* error);

// The text around byte `offset` of `sql` with an arrow that points at it; "" if offset is unknown.
std::string error_context(std::string_view sql, int offset);

}  // namespace godwit::shell
