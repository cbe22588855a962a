// Dot commands that change or show settings: .mode, .headers, .separator, .width and the switches.
#include <cstdlib>

#include "dot_command.h"
#include "literal.h"

namespace godwit::shell {
namespace {

DotResult set_switch(bool* target, const DotWords& words, const char* usage) {
  if (words.size() != 2) return usage_error(usage);
  *target = parse_boolean(words[1]);
  return DotResult::kOk;
}

bool is_columnar(OutputMode mode) {
  return mode == OutputMode::kBox || mode == OutputMode::kTable || mode == OutputMode::kColumn ||
         mode == OutputMode::kMarkdown;
}

std::string mode_description(const ShellState& state) {
  std::string text = mode_name(state.mode);
  if (is_columnar(state.mode)) {
    text += " --wrap " + std::to_string(state.wrap);
    text += state.word_wrap ? " --wordwrap on" : " --wordwrap off";
    text += state.quote_cells ? " --quote" : " --noquote";
  }
  return text;
}

const char* on_off(bool value) {
  return value ? "on" : "off";
}

// The words of .mode after the command.
struct ModeRequest {
  std::string name;
  std::string table;
  bool has_wrap = false;
  int wrap = 0;
  bool word_wrap = false;
  int quote = -1;  // -1: not said
};

bool parse_mode(const DotWords& words, ModeRequest* request) {
  for (size_t i = 1; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.rfind("--", 0) == 0) word.erase(0, 1);
    if (word == "-wrap" && i + 1 < words.size()) {
      request->has_wrap = true;
      request->wrap = std::abs(std::atoi(words[++i].c_str()));
    } else if (word == "-ww") {
      request->word_wrap = true;
    } else if (word == "-wordwrap" && i + 1 < words.size()) {
      request->word_wrap = parse_boolean(words[++i]);
    } else if (word == "-quote") {
      request->quote = 1;
    } else if (word == "-noquote") {
      request->quote = 0;
    } else if (word[0] == '-') {
      std::fprintf(stderr,
                   "unknown option: %s\noptions:\n  --noquote\n  --quote\n  --wordwrap on/off\n"
                   "  --wrap N\n  --ww\n",
                   words[i].c_str());
      return false;
    } else if (request->name.empty()) {
      request->name = word;
    } else if (request->table.empty()) {
      request->table = word;
    } else {
      std::fprintf(stderr, "extra argument: \"%s\"\n", word.c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

DotResult dot_bail(ShellState& state, const DotWords& words) {
  return set_switch(&state.bail, words, ".bail on|off");
}
DotResult dot_changes(ShellState& state, const DotWords& words) {
  return set_switch(&state.show_changes, words, ".changes on|off");
}
DotResult dot_echo(ShellState& state, const DotWords& words) {
  return set_switch(&state.echo, words, ".echo on|off");
}
DotResult dot_timer(ShellState& state, const DotWords& words) {
  return set_switch(&state.timer, words, ".timer on|off");
}

DotResult dot_headers(ShellState& state, const DotWords& words) {
  if (words.size() == 2) state.headers_set = true;
  return set_switch(&state.headers, words, ".headers on|off");
}

DotResult dot_nullvalue(ShellState& state, const DotWords& words) {
  if (words.size() != 2) return usage_error(".nullvalue STRING");
  state.null_value = words[1];
  return DotResult::kOk;
}

DotResult dot_separator(ShellState& state, const DotWords& words) {
  if (words.size() < 2 || words.size() > 3) return usage_error(".separator COL ?ROW?");
  state.column_separator = words[1];
  if (words.size() == 3) state.row_separator = words[2];
  return DotResult::kOk;
}

DotResult dot_width(ShellState& state, const DotWords& words) {
  state.widths.clear();
  for (size_t i = 1; i < words.size(); ++i) state.widths.push_back(std::atoi(words[i].c_str()));
  return DotResult::kOk;
}

DotResult dot_mode(ShellState& state, const DotWords& words) {
  if (words.size() == 1) {
    std::fprintf(state.out, "current output mode: %s\n", mode_description(state).c_str());
    return DotResult::kOk;
  }
  ModeRequest request;
  if (!parse_mode(words, &request)) return DotResult::kError;
  if (request.name.empty() && is_columnar(state.mode)) request.name = mode_name(state.mode);
  if (!set_mode(state, request.name, false)) {
    std::fprintf(stderr,
                 "Error: mode should be one of: ascii box column csv html insert json line list "
                 "markdown qbox quote table tabs tcl\n");
    return DotResult::kError;
  }
  if (request.has_wrap) state.wrap = request.wrap;
  if (request.word_wrap) state.word_wrap = true;
  if (request.quote >= 0) state.quote_cells = request.quote == 1;
  if (state.mode == OutputMode::kInsert) {
    state.insert_table = request.table.empty() ? "table" : request.table;
  }
  return DotResult::kOk;
}

DotResult dot_show(ShellState& state, const DotWords& words) {
  if (words.size() != 1) return usage_error(".show");
  auto show = [&](const char* name, const std::string& value) {
    std::fprintf(state.out, "%12s: %s\n", name, value.c_str());
  };
  std::string widths;
  for (int width : state.widths) widths += std::to_string(width) + " ";
  show("echo", on_off(state.echo));
  show("bail", on_off(state.bail));
  show("changes", on_off(state.show_changes));
  show("timer", on_off(state.timer));
  show("headers", on_off(state.headers));
  show("mode", mode_description(state));
  show("nullvalue", c_string(state.null_value));
  show("output", state.out_name);
  show("colseparator", c_string(state.column_separator));
  show("rowseparator", c_string(state.row_separator));
  show("width", widths);
  show("filename", state.filename);
  return DotResult::kOk;
}

}  // namespace godwit::shell
