#include "repl.h"

#include <sys/resource.h>

#include <cctype>
#include <chrono>

#include "dot_command.h"
#include "execute.h"
#include "line_input.h"
#include "statement_scanner.h"

namespace godwit::shell {
namespace {

constexpr int kMaxNesting = 25;

class Timer {
 public:
  explicit Timer(bool enabled) : enabled_(enabled) {
    if (!enabled_) return;
    getrusage(RUSAGE_SELF, &usage_);
    start_ = std::chrono::steady_clock::now();
  }

  void print() const {
    if (!enabled_) return;
    std::chrono::duration<double> real = std::chrono::steady_clock::now() - start_;
    rusage now;
    getrusage(RUSAGE_SELF, &now);
    std::printf("Run Time: real %.3f user %f sys %f\n", real.count(),
                seconds(now.ru_utime) - seconds(usage_.ru_utime),
                seconds(now.ru_stime) - seconds(usage_.ru_stime));
  }

 private:
  static double seconds(const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  }

  bool enabled_;
  rusage usage_{};
  std::chrono::steady_clock::time_point start_;
};

void print_error(const ShellState& state, const SqlError& error, FILE* input, long line) {
  const char* kind = error.phase == SqlError::Phase::kPrepare ? "Parse error" : "Runtime error";
  if (input || !state.interactive) {
    std::fprintf(stderr, "%s near line %ld: %s\n", kind, line, error.message.c_str());
  } else {
    std::fprintf(stderr, "%s: %s\n", kind, error.message.c_str());
  }
}

// "/" and "go" alone on a line end a statement, as in other databases' shells.
bool is_terminator_word(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) {
    line.remove_prefix(1);
  }
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) {
    line.remove_suffix(1);
  }
  return line == "/" ||
         (line.size() == 2 && std::tolower(static_cast<unsigned char>(line[0])) == 'g' &&
          std::tolower(static_cast<unsigned char>(line[1])) == 'o');
}

// The statement that is being read, line by line.
class Pending {
 public:
  bool empty() const { return sql_.empty(); }
  const std::string& sql() const { return sql_; }
  long first_line() const { return first_line_; }
  bool has_content() const { return scanner_.has_content(); }
  // Whether nothing but white space and whole comments was read.
  bool blank() const { return !scanner_.has_content() && !scanner_.inside_token(); }
  bool complete() const { return scanner_.ends_with_semicolon() && sqlite3_complete(sql_.c_str()); }

  void append(std::string_view line, long number) {
    scanner_.scan(line);
    if (sql_.empty()) {
      size_t start = line.find_first_not_of(" \t\r\f\v");
      if (start == std::string_view::npos) return;
      sql_ = line.substr(start);
      first_line_ = number;
    } else {
      sql_ += '\n';
      sql_ += line;
    }
    scanner_.scan("\n");
  }

  // Whether the text so far would be complete with a semicolon.
  bool could_end() const {
    return !scanner_.inside_token() && sqlite3_complete((sql_ + "\n;").c_str());
  }

  void clear() {
    sql_.clear();
    scanner_ = StatementScanner();
  }

 private:
  std::string sql_;
  long first_line_ = 0;
  StatementScanner scanner_;
};

void run_dot_command(ShellState& state, const std::string& line, int* errors, bool* quit) {
  switch (dot_command(state, line)) {
    case DotResult::kOk:
      break;
    case DotResult::kError:
      ++*errors;
      break;
    case DotResult::kQuit:
      *quit = true;
      break;
  }
}

}  // namespace

int run_statements(ShellState& state, const std::string& sql, FILE* input, long line) {
  if (state.echo) std::printf("%s\n", sql.c_str());
  Timer timer(state.timer);
  SqlError error;
  bool ok = execute(state, sql, &error);
  timer.print();
  if (!ok) {
    std::fflush(state.out);
    print_error(state, error, input, line);
  } else if (state.show_changes) {
    std::fprintf(state.out, "changes: %lld   total_changes: %lld\n",
                 static_cast<long long>(sqlite3_changes64(state.db)),
                 static_cast<long long>(sqlite3_total_changes64(state.db)));
  }
  if (state.output_once) reset_output(state);
  return ok ? 0 : 1;
}

int process_input(ShellState& state, FILE* input) {
  if (state.nesting == kMaxNesting) {
    std::fprintf(stderr, "Input nesting limit (%d) reached at line %ld. Check recursion.\n",
                 kMaxNesting, state.line_number);
    return 1;
  }
  ++state.nesting;
  long outer_line = state.line_number;
  state.line_number = 0;
  int errors = 0;
  bool quit = false;
  Pending pending;
  LineInput lines(state, input);
  std::string line;
  while (!quit && (errors == 0 || !state.bail || (!input && state.interactive))) {
    std::fflush(state.out);
    if (!input) forget_interrupts();
    if (!lines.next(!pending.empty(), &line)) {
      if (!input && state.interactive) std::printf("\n");
      break;
    }
    if (interrupted()) {
      if (input) break;
      // Ctrl-C at the prompt gives up what was typed.
      pending.clear();
      continue;
    }
    ++state.line_number;
    if (pending.empty() && !line.empty() && (line[0] == '.' || line[0] == '#')) {
      if (state.echo) std::printf("%s\n", line.c_str());
      if (line[0] == '.') run_dot_command(state, line, &errors, &quit);
      continue;
    }
    if (!pending.empty() && is_terminator_word(line) && pending.could_end()) line = ";";
    pending.append(line, state.line_number);
    if (pending.complete()) {
      errors += run_statements(state, pending.sql(), input, pending.first_line());
      pending.clear();
    } else if (pending.blank()) {
      if (state.echo) std::printf("%s\n", line.c_str());
      pending.clear();
    }
  }
  if (!quit && pending.has_content() && (errors == 0 || !state.bail)) {
    errors += run_statements(state, pending.sql(), input, pending.first_line());
  }
  state.line_number = outer_line;
  --state.nesting;
  return errors;
}

bool read_file(ShellState& state, const std::string& path, int* errors) {
  bool is_pipe = !path.empty() && path[0] == '|';
  FILE* file = is_pipe ? popen(path.c_str() + 1, "r") : std::fopen(path.c_str(), "rb");
  if (!file) {
    std::fprintf(stderr, "Error: cannot open \"%s\"\n", path.c_str());
    return false;
  }
  *errors = process_input(state, file);
  if (is_pipe) {
    pclose(file);
  } else {
    std::fclose(file);
  }
  return true;
}

}  // namespace godwit::shell
