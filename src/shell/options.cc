#include "options.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace godwit::shell {
namespace {

constexpr std::string_view kModeOptions[] = {"ascii", "box",  "column",   "csv",   "html",  "json",
                                             "line",  "list", "markdown", "quote", "table", "tabs"};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_mode(std::string_view word) {
  return std::find(std::begin(kModeOptions), std::end(kModeOptions), word) !=
         std::end(kModeOptions);
}

}  // namespace

bool parse_options(int argc, char** argv, ShellState& state, Options* options) {
  bool only_words = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (only_words || word.empty() || word[0] != '-') {
      if (!options->has_file) {
        options->has_file = true;
        state.filename = word;
      } else {
        options->commands.push_back(word);
      }
      continue;
    }
    if (word == "--") {
      only_words = true;
      continue;
    }
    std::string name = word.substr(word[1] == '-' ? 2 : 1);
    if (is_one_of(name, {"cmd", "init", "separator", "nullvalue", "newline", "vfs", "mmap"})) {
      if (i + 1 == argc) {
        std::fprintf(stderr, "%s: Error: missing argument to %s\n", argv[0], argv[i]);
        return false;
      }
      std::string value = argv[++i];
      if (name == "cmd") {
        options->first.push_back(value);
      } else if (name == "init") {
        options->init_file = value;
        options->has_init_file = true;
      } else if (name == "vfs") {
        state.vfs = value;
      } else if (name == "mmap") {
        const sqlite3_int64 size = std::strtoll(value.c_str(), nullptr, 0);
        sqlite3_config(SQLITE_CONFIG_MMAP_SIZE, size, size);
      } else {
        options->settings.emplace_back(name, value);
      }
    } else if (is_mode(name) || is_one_of(name, {"header", "noheader", "echo", "bail"})) {
      options->settings.emplace_back(name, "");
    } else if (name == "readonly") {
      state.read_only = true;
    } else if (name == "nofollow") {
      state.no_follow = true;
    } else if (name == "batch") {
      state.interactive = false;
    } else if (name == "interactive") {
      state.interactive = true;
    } else if (name == "help") {
      options->show_help = true;
    } else if (name == "version") {
      options->show_version = true;
    } else {
      std::fprintf(stderr, "%s: Error: unknown option: -%s\nUse -help for a list of options.\n",
                   argv[0], name.c_str());
      return false;
    }
  }
  return true;
}

void apply_settings(const Options& options, ShellState& state) {
  for (const auto& [name, value] : options.settings) {
    if (name == "header" || name == "noheader") {
      state.headers = name == "header";
      state.headers_set = true;
    } else if (name == "echo") {
      state.echo = true;
    } else if (name == "bail") {
      state.bail = true;
    } else if (name == "separator") {
      state.column_separator = value;
    } else if (name == "nullvalue") {
      state.null_value = value;
    } else if (name == "newline") {
      state.row_separator = value;
    } else {
      set_mode(state, name, true);
    }
  }
}

void print_usage(FILE* out, const char* program) {
  std::fprintf(out,
               "Usage: %s [OPTIONS] [FILENAME [SQL...]]\n"
               "   or: %s server | token | sync ... (--help tells more)\n"
               "FILENAME is the name of a SQLite database. A new database is created\n"
               "if the file does not previously exist. Defaults to :memory:.\n"
               "OPTIONS include:\n",
               program, program);
  std::fputs(
      "   --                   treat no subsequent arguments as options\n"
      "   -ascii               set output mode to 'ascii'\n"
      "   -bail                stop after hitting an error\n"
      "   -batch               force batch I/O\n"
      "   -box                 set output mode to 'box'\n"
      "   -cmd COMMAND         run \"COMMAND\" before reading stdin\n"
      "   -column              set output mode to 'column'\n"
      "   -csv                 set output mode to 'csv'\n"
      "   -echo                print inputs before execution\n"
      "   -help                show this message\n"
      "   -html                set output mode to HTML\n"
      "   -init FILENAME       read/process named file\n"
      "   -interactive         force interactive I/O\n"
      "   -json                set output mode to 'json'\n"
      "   -line                set output mode to 'line'\n"
      "   -list                set output mode to 'list'\n"
      "   -markdown            set output mode to 'markdown'\n"
      "   -mmap N              default mmap size set to N\n"
      "   -newline SEP         set output row separator. Default: '\\n'\n"
      "   -nofollow            refuse to open symbolic links to database files\n"
      "   -[no]header          turn headers on or off\n"
      "   -nullvalue TEXT      set text string for NULL values. Default ''\n"
      "   -quote               set output mode to 'quote'\n"
      "   -readonly            open the database read-only\n"
      "   -separator SEP       set output column separator. Default: '|'\n"
      "   -sync-server ADDR    serve FILENAME over HTTP; see server --help\n"
      "   -table               set output mode to 'table'\n"
      "   -tabs                set output mode to 'tabs'\n"
      "   -version             show the version\n"
      "   -vfs NAME            use NAME as the default VFS\n",
      out);
}

}  // namespace godwit::shell
