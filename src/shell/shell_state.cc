#include "shell_state.h"

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace godwit::shell {
namespace {

struct ModeName {
  const char* name;
  OutputMode mode;
};

constexpr ModeName kModes[] = {
    {"ascii", OutputMode::kAscii},   {"box", OutputMode::kBox},
    {"column", OutputMode::kColumn}, {"csv", OutputMode::kCsv},
    {"html", OutputMode::kHtml},     {"insert", OutputMode::kInsert},
    {"json", OutputMode::kJson},     {"line", OutputMode::kLine},
    {"list", OutputMode::kList},     {"markdown", OutputMode::kMarkdown},
    {"quote", OutputMode::kQuote},   {"table", OutputMode::kTable},
    {"tcl", OutputMode::kTcl},
};

// Columnar modes chosen inside the shell wrap long cells; those chosen by an option do not, since
// their output mostly goes to other programs.
constexpr int kDefaultWrap = 60;

sqlite3* volatile interrupt_target = nullptr;
volatile std::sig_atomic_t interrupt_count = 0;

void on_interrupt(int) {
  interrupt_count = interrupt_count + 1;
  if (interrupt_count > 2) std::_Exit(1);
  if (interrupt_target) sqlite3_interrupt(interrupt_target);
}

bool mode_from_name(const std::string& name, OutputMode* mode) {
  // "lines", "columns" and shortened names mean the same mode.
  for (const ModeName& entry : kModes) {
    if (name == entry.name || name == std::string(entry.name) + "s" ||
        (name.size() >= 2 && std::strncmp(entry.name, name.c_str(), name.size()) == 0)) {
      *mode = entry.mode;
      return true;
    }
  }
  return false;
}

}  // namespace

bool open_database(ShellState& state) {
  if (state.db) return true;
  int flags = SQLITE_OPEN_URI;
  flags |= state.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (state.no_follow) flags |= SQLITE_OPEN_NOFOLLOW;
  const char* vfs = state.vfs.empty() ? nullptr : state.vfs.c_str();
  int rc = sqlite3_open_v2(state.filename.c_str(), &state.db, flags, vfs);
  if (rc != SQLITE_OK) {
    std::fprintf(stderr, "Error: unable to open database \"%s\": %s\n", state.filename.c_str(),
                 state.db ? sqlite3_errmsg(state.db) : sqlite3_errstr(rc));
    sqlite3_close(state.db);
    state.db = nullptr;
    return false;
  }
  sqlite3_enable_load_extension(state.db, 1);
  interrupt_target = state.db;
  return true;
}

void require_database(ShellState& state) {
  if (!open_database(state)) {
    reset_output(state);
    std::exit(1);
  }
}

void close_database(ShellState& state) {
  interrupt_target = nullptr;
  sqlite3_close_v2(state.db);
  state.db = nullptr;
}

void reset_output(ShellState& state) {
  if (state.out_is_pipe) {
    pclose(state.out);
  } else if (state.out != stdout) {
    std::fclose(state.out);
  }
  state.out = stdout;
  state.out_name = "stdout";
  state.out_is_pipe = false;
  state.output_once = false;
}

bool set_output(ShellState& state, const std::string& target) {
  reset_output(state);
  if (target.empty() || target == "stdout") return true;
  FILE* file;
  if (target[0] == '|') {
    std::fflush(stdout);
    file = popen(target.c_str() + 1, "w");
    if (!file) {
      std::fprintf(stderr, "Error: cannot open pipe \"%s\"\n", target.c_str() + 1);
      return false;
    }
    state.out_is_pipe = true;
  } else {
    file = std::fopen(target == "off" ? "/dev/null" : target.c_str(), "wb");
    if (!file) {
      std::fprintf(stderr, "Error: cannot write to \"%s\"\n", target.c_str());
      return false;
    }
  }
  state.out = file;
  state.out_name = target;
  return true;
}

const char* mode_name(OutputMode mode) {
  for (const ModeName& entry : kModes) {
    if (entry.mode == mode) return entry.name;
  }
  return "";
}

bool set_mode(ShellState& state, const std::string& name, bool from_option) {
  state.wrap = from_option ? 0 : kDefaultWrap;
  state.word_wrap = false;
  state.quote_cells = false;
  if (name == "tabs") {
    state.mode = OutputMode::kList;
    state.column_separator = "\t";
    if (!from_option) state.row_separator = "\n";
    return true;
  }
  if (name == "qbox") {
    state.mode = OutputMode::kBox;
    state.wrap = kDefaultWrap;
    state.quote_cells = true;
    return true;
  }
  if (!mode_from_name(name, &state.mode)) return false;
  switch (state.mode) {
    case OutputMode::kLine:
      state.row_separator = "\n";
      break;
    case OutputMode::kColumn:
      if (!from_option && !state.headers_set) state.headers = true;
      state.row_separator = "\n";
      break;
    case OutputMode::kList:
      state.column_separator = "|";
      state.row_separator = "\n";
      break;
    case OutputMode::kCsv:
      state.column_separator = ",";
      state.row_separator = from_option ? "\n" : "\r\n";
      break;
    case OutputMode::kTcl:
      state.column_separator = " ";
      state.row_separator = "\n";
      break;
    case OutputMode::kQuote:
      state.column_separator = ",";
      state.row_separator = "\n";
      break;
    case OutputMode::kAscii:
      state.column_separator = "\x1f";
      state.row_separator = "\x1e";
      break;
    default:
      break;
  }
  return true;
}

void install_interrupt_handler() {
  std::signal(SIGINT, on_interrupt);
}
void forget_interrupts() {
  interrupt_count = 0;
}
bool interrupted() {
  return interrupt_count > 0;
}

}  // namespace godwit::shell
