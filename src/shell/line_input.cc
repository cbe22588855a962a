#include "line_input.h"

#include <unistd.h>

#include <cstdlib>

#ifdef GODWIT_HAVE_LIBEDIT
#include <editline/readline.h>
#endif

namespace godwit::shell {
namespace {

constexpr char kPrompt[] = "godwit> ";
constexpr char kContinuedPrompt[] = "   ...> ";

bool read_line(FILE* input, std::string* line) {
  line->clear();
  int c;
  while ((c = getc_unlocked(input)) != EOF) {
    if (c == '\n') break;
    *line += static_cast<char>(c);
  }
  if (c == EOF && line->empty()) return false;
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return true;
}

}  // namespace

LineInput::LineInput(const ShellState& state, FILE* input)
    : input_(input ? input : stdin), prompts_(!input && state.interactive) {
#ifdef GODWIT_HAVE_LIBEDIT
  edits_ = prompts_ && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (edits_) {
    using_history();
    const char* named = std::getenv("GODWIT_HISTORY");
    const char* home = std::getenv("HOME");
    if (named) {
      history_path_ = named;
    } else if (home) {
      history_path_ = std::string(home) + "/.godwit_history";
    }
    if (!history_path_.empty()) read_history(history_path_.c_str());
  }
#endif
}

LineInput::~LineInput() {
#ifdef GODWIT_HAVE_LIBEDIT
  constexpr int kHistoryLines = 2000;
  if (edits_ && !history_path_.empty()) {
    stifle_history(kHistoryLines);
    write_history(history_path_.c_str());
  }
#endif
}

bool LineInput::next(bool continued, std::string* line) {
  const char* prompt = continued ? kContinuedPrompt : kPrompt;
#ifdef GODWIT_HAVE_LIBEDIT
  if (edits_) {
    char* edited = readline(prompt);
    if (!edited && interrupted()) {
      std::printf("\n");
      line->clear();
      return true;
    }
    if (!edited) return false;
    if (*edited) add_history(edited);
    *line = edited;
    std::free(edited);
    return true;
  }
#endif
  if (prompts_) {
    std::fputs(prompt, stdout);
    std::fflush(stdout);
  }
  return read_line(input_, line);
}

}  // namespace godwit::shell
