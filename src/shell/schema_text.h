// The CREATE statements of a schema as .schema and .dump show them.
#pragma once

#include <string>
#include <vector>

#include "shell_state.h"

namespace godwit::shell {

// "main", "temp" and the attached databases, in that order.
std::vector<std::string> database_names(ShellState& state);

// The statement for .schema: with the database's name in it unless that is main, and for views and
// virtual tables a comment that tells the columns.
std::string schema_text(ShellState& state, const std::string& database, const std::string& type,
                        const std::string& name, const std::string& sql);

// The statement for .dump. A table whose name is quoted is created only if it is not there, since
// modules create such tables ("shadow tables") on their own.
std::string dump_text(const std::string& sql);

// Statements that are too long for a line, with one column a line.
std::string indented_schema(const std::string& sql);

}  // namespace godwit::shell
