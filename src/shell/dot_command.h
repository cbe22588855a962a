// Dot commands: lines that start with a dot and are for the shell itself. Each file dot_*.cc, and
// dbinfo.cc, dump.cc, import_csv.cc and recover.cc, holds some of them; dot_command.cc has the table of all and their
// help.
#pragma once

#include <string>
#include <vector>

#include "shell_state.h"

namespace godwit::shell {

enum class DotResult { kOk, kError, kQuit };

// The words of a command; [0] is its name without the dot.
using DotWords = std::vector<std::string>;

DotResult dot_command(ShellState& state, const std::string& line);

// Splits a line into words: white space separates, '...' is taken as it is, in "..." and bare words
// backslash escapes are resolved.
DotWords split_words(const std::string& line);
std::string resolve_backslashes(const std::string& text);

// "on", "yes", a number...; anything else is complained about and counts as false.
bool parse_boolean(const std::string& text);

DotResult usage_error(const char* usage);
// Prints the help text of one command, for a wrong use of it.
void print_command_help(FILE* out, const std::string& name);

// Runs `sql` with `parameter` bound as ?1 (if the statement has it) and calls visit(stmt) for each
// row. False on an error, which sqlite3_errmsg() then tells.
template <typename Visit>
bool query(ShellState& state, const std::string& sql, const std::string& parameter, Visit visit) {
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(state.db, sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) return false;
  if (sqlite3_bind_parameter_count(stmt) > 0) {
    sqlite3_bind_text(stmt, 1, parameter.c_str(), -1, SQLITE_TRANSIENT);
  }
  while (sqlite3_step(stmt) == SQLITE_ROW) visit(stmt);
  return sqlite3_finalize(stmt) == SQLITE_OK;
}

// A text column as a string; "" for NULL.
std::string column_string(sqlite3_stmt* stmt, int column);

// dot_settings.cc
DotResult dot_bail(ShellState&, const DotWords&);
DotResult dot_changes(ShellState&, const DotWords&);
DotResult dot_echo(ShellState&, const DotWords&);
DotResult dot_headers(ShellState&, const DotWords&);
DotResult dot_mode(ShellState&, const DotWords&);
DotResult dot_nullvalue(ShellState&, const DotWords&);
DotResult dot_separator(ShellState&, const DotWords&);
DotResult dot_show(ShellState&, const DotWords&);
DotResult dot_timer(ShellState&, const DotWords&);
DotResult dot_width(ShellState&, const DotWords&);
// dot_files.cc
DotResult dot_cd(ShellState&, const DotWords&);
DotResult dot_exit(ShellState&, const DotWords&);
DotResult dot_load(ShellState&, const DotWords&);
DotResult dot_once(ShellState&, const DotWords&);
DotResult dot_open(ShellState&, const DotWords&);
DotResult dot_output(ShellState&, const DotWords&);
DotResult dot_print(ShellState&, const DotWords&);
DotResult dot_quit(ShellState&, const DotWords&);
DotResult dot_read(ShellState&, const DotWords&);
DotResult dot_shell(ShellState&, const DotWords&);
DotResult dot_timeout(ShellState&, const DotWords&);
DotResult dot_version(ShellState&, const DotWords&);
// dot_schema.cc
DotResult dot_databases(ShellState&, const DotWords&);
DotResult dot_indexes(ShellState&, const DotWords&);
DotResult dot_schema(ShellState&, const DotWords&);
DotResult dot_tables(ShellState&, const DotWords&);
// dbinfo.cc, dump.cc, import_csv.cc, recover.cc
DotResult dot_dbinfo(ShellState&, const DotWords&);
DotResult dot_dump(ShellState&, const DotWords&);
DotResult dot_import(ShellState&, const DotWords&);
DotResult dot_recover(ShellState&, const DotWords&);
// dot_command.cc
DotResult dot_help(ShellState&, const DotWords&);

}  // namespace godwit::shell
