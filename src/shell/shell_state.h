// The state of one run of the shell: the open database, where output goes and how it looks, and the
// switches that dot commands and options set. All parts of the shell share one ShellState and run
// on one thread; only the interrupt handler touches `db` from elsewhere, through
// sqlite3_interrupt().
#pragma once

#include <sqlite3.h>

#include <cstdio>
#include <string>
#include <vector>

namespace godwit::shell {

enum class OutputMode {
  kList,
  kColumn,
  kBox,
  kTable,
  kMarkdown,
  kLine,
  kCsv,
  kJson,
  kQuote,
  kInsert,
  kHtml,
  kTcl,
  kAscii,
};

struct ShellState {
  // The database. It is opened when something first needs it, so that `.open` or a wrong option
  // creates no file.
  sqlite3* db = nullptr;
  std::string filename = ":memory:";
  bool read_only = false;
  bool no_follow = false;
  std::string vfs;  // empty: the default one

  // Output. `out` is stdout, a file or a pipe; `output_once` gives it back after one command.
  FILE* out = stdout;
  bool out_is_pipe = false;
  bool output_once = false;
  std::string out_name = "stdout";

  // Form of results.
  OutputMode mode = OutputMode::kList;
  bool headers = false;
  bool headers_set = false;  // by the user: then changing the mode leaves headers alone
  std::string column_separator = "|";
  std::string row_separator = "\n";
  std::string null_value;
  std::string insert_table = "table";
  std::vector<int> widths;  // per column; 0: by content, negative: align right
  int wrap = 0;             // longest line of a cell in columnar modes; 0: no limit
  bool word_wrap = false;
  bool quote_cells = false;

  // Switches.
  bool echo = false;
  bool bail = false;
  bool show_changes = false;
  bool timer = false;
  bool interactive = false;

  // Input.
  long line_number = 0;
  int nesting = 0;     // of .read
  int exit_code = -1;  // set by .exit
  const char* program = "godwit";
};

// Opens the database if it is not open. On failure prints why and returns false, with `db` NULL.
bool open_database(ShellState& state);
// As open_database, but a database that cannot be opened ends the program.
void require_database(ShellState& state);
void close_database(ShellState& state);

// Sends output to `target`: "" or "stdout", "off", a file, or "|command". Returns false after
// printing why it cannot; output is then back on stdout.
bool set_output(ShellState& state, const std::string& target);
void reset_output(ShellState& state);

// Sets a mode with the separators and headers that belong to it; `from_option` for command-line
// options, which differ in small ways. Returns false for a name that is no mode.
bool set_mode(ShellState& state, const std::string& name, bool from_option);
const char* mode_name(OutputMode mode);

// The statement that runs may be interrupted with Ctrl-C; the second one ends the program.
void install_interrupt_handler();
void forget_interrupts();
bool interrupted();

}  // namespace godwit::shell
