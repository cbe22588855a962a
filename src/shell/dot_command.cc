#include "dot_command.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace godwit::shell {
namespace {

struct Command {
  const char* name;
  // A command may be shortened to so many letters, or any longer part of its name.
  size_t shortest;
  DotResult (*run)(ShellState&, const DotWords&);
  const char* help;
  const char* details;  // shown by .help NAME
};

constexpr char kImportDetails[] =
    "   Options:\n"
    "     --ascii               Use \\037 and \\036 as column and row separators\n"
    "     --csv                 Use , and \\n as column and row separators\n"
    "     --skip N              Skip the first N rows of input\n"
    "     --schema S            Target table to be S.TABLE\n"
    "     -v                    \"Verbose\" - increase auxiliary output\n"
    "   Notes:\n"
    "     *  If TABLE does not exist, it is created.  The first row of input\n"
    "        determines the column names.\n"
    "     *  If neither --csv or --ascii are used, the input mode is derived\n"
    "        from the \".mode\" output mode\n"
    "     *  If FILE begins with \"|\" then it is a command that generates the\n"
    "        input text.\n";

constexpr char kModeDetails[] =
    "   MODE is one of:\n"
    "     ascii       Columns/rows delimited by 0x1F and 0x1E\n"
    "     box         Tables using unicode box-drawing characters\n"
    "     csv         Comma-separated values\n"
    "     column      Output in columns.  (See .width)\n"
    "     html        HTML <table> code\n"
    "     insert      SQL insert statements for TABLE\n"
    "     json        Results in a JSON array\n"
    "     line        One value per line\n"
    "     list        Values delimited by \"|\"\n"
    "     markdown    Markdown table format\n"
    "     qbox        Shorthand for \"box --wrap 60 --quote\"\n"
    "     quote       Escape answers as for SQL\n"
    "     table       ASCII-art table\n"
    "     tabs        Tab-separated values\n"
    "     tcl         TCL list elements\n"
    "   OPTIONS: (for columnar modes or insert mode):\n"
    "     --wrap N       Wrap output lines to no longer than N characters\n"
    "     --wordwrap B   Wrap or not at word boundaries per B (on/off)\n"
    "     --ww           Shorthand for \"--wordwrap 1\"\n"
    "     --quote        Quote output text as SQL literals\n"
    "     --noquote      Do not quote output text\n"
    "     TABLE          The name of SQL table used for \"insert\" mode\n";

constexpr char kDumpDetails[] =
    "   Options:\n"
    "     --data-only            Output only INSERT statements\n"
    "     --newlines             Allow unescaped newline characters in output\n"
    "     --nosys                Omit system tables (ex: \"sqlite_stat1\")\n"
    "     --preserve-rowids      Include ROWID values in the output\n"
    "   OBJECTS are LIKE patterns for the tables to dump\n";

constexpr char kRecoverDetails[] =
    "   Options:\n"
    "     --ignore-freelist      Ignore pages that appear to be on db freelist\n"
    "     --lost-and-found TABLE Alternative name for the lost-and-found table\n"
    "     --no-rowids            Do not attempt to recover rowid values\n"
    "                            that are not also INTEGER PRIMARY KEYs\n"
    "     --freelist-corrupt, --recovery-db FILE: accepted, as older scripts have them\n";

constexpr Command kCommands[] = {
    {"bail", 3, dot_bail, "on|off             Stop after hitting an error.  Default OFF", ""},
    {"cd", 2, dot_cd, "DIRECTORY            Change the working directory to DIRECTORY", ""},
    {"changes", 3, dot_changes, "on|off          Show number of rows changed by SQL", ""},
    {"databases", 2, dot_databases, "               List names and files of attached databases",
     ""},
    {"dbinfo", 3, dot_dbinfo, "?DB?             Show status information about the database", ""},
    {"dump", 2, dot_dump, "?OBJECTS?          Render database content as SQL", kDumpDetails},
    {"echo", 1, dot_echo, "on|off             Turn command echo on or off", ""},
    {"exit", 2, dot_exit, "?CODE?             Exit this program with return-code CODE", ""},
    {"headers", 3, dot_headers, "on|off          Turn display of headers on or off", ""},
    {"help", 1, dot_help, "?-all? ?PATTERN?   Show help text for PATTERN", ""},
    {"import", 1, dot_import, "FILE TABLE       Import data from FILE into TABLE", kImportDetails},
    {"indexes", 3, dot_indexes, "?TABLE?         Show names of indexes", ""},
    {"load", 1, dot_load, "FILE ?ENTRY?       Load an extension library", ""},
    {"mode", 1, dot_mode, "MODE ?OPTIONS?     Set output mode", kModeDetails},
    {"nullvalue", 1, dot_nullvalue, "STRING        Use STRING in place of NULL values", ""},
    {"once", 2, dot_once, "FILE               Output for the next SQL command only to FILE",
     "     If FILE begins with '|' then open as a pipe\n"},
    {"open", 1, dot_open, "?OPTIONS? ?FILE?   Close existing database and reopen FILE",
     "     Options:\n"
     "        --new           Initialize FILE to an empty database\n"
     "        --readonly      Open FILE readonly\n"},
    {"output", 1, dot_output, "?FILE?           Send output to FILE or stdout if FILE is omitted",
     "     If FILE begins with '|' then open it as a pipe.\n"},
    {"print", 1, dot_print, "STRING...         Print literal STRING", ""},
    {"quit", 1, dot_quit, "                   Exit this program", ""},
    {"read", 1, dot_read, "FILE               Read input from FILE or command output",
     "    If FILE begins with \"|\", it is a command that generates the input.\n"},
    {"recover", 3, dot_recover, "               Recover as much data as possible from corrupt db.",
     kRecoverDetails},
    {"schema", 2, dot_schema, "?PATTERN?        Show the CREATE statements matching PATTERN",
     "     Options:\n"
     "         --indent             Try to pretty-print the schema\n"
     "         --nosys              Omit objects whose names start with \"sqlite_\"\n"},
    {"separator", 2, dot_separator, "COL ?ROW?     Change the column and row separators", ""},
    {"shell", 3, dot_shell, "CMD ARGS...       Run CMD ARGS... in a system shell", ""},
    {"show", 2, dot_show, "                   Show the current values for various settings", ""},
    {"system", 1, dot_shell, "CMD ARGS...      Run CMD ARGS... in a system shell", ""},
    {"tables", 1, dot_tables, "?TABLE?          List names of tables matching LIKE pattern TABLE",
     ""},
    {"timeout", 5, dot_timeout, "MS              Try opening locked tables for MS milliseconds",
     ""},
    {"timer", 3, dot_timer, "on|off            Turn SQL timer on or off", ""},
    {"version", 1, dot_version, "                Show the version of this program", ""},
    {"width", 1, dot_width, "NUM1 NUM2 ...     Set minimum column widths for columnar output",
     "     Negative values right-justify\n"},
};

const Command* find_command(const std::string& name) {
  for (const Command& command : kCommands) {
    size_t length = std::strlen(command.name);
    if (name.size() >= command.shortest && name.size() <= length &&
        std::strncmp(command.name, name.c_str(), name.size()) == 0) {
      return &command;
    }
  }
  if (name == "indices") return find_command("indexes");
  if (name == "header") return find_command("headers");
  return nullptr;
}

void print_help(FILE* out, const Command& command, bool details) {
  std::fprintf(out, ".%s %s\n", command.name, command.help);
  if (details) std::fputs(command.details, out);
}

}  // namespace

std::string resolve_backslashes(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char c = text[++i];
    switch (c) {
      case 'a':
        result += '\a';
        break;
      case 'b':
        result += '\b';
        break;
      case 't':
        result += '\t';
        break;
      case 'n':
        result += '\n';
        break;
      case 'v':
        result += '\v';
        break;
      case 'f':
        result += '\f';
        break;
      case 'r':
        result += '\r';
        break;
      default:
        if (c >= '0' && c <= '7') {
          int value = 0;
          size_t digits = 0;
          for (; digits < 3 && i + digits < text.size(); ++digits) {
            char digit = text[i + digits];
            if (digit < '0' || digit > '7') break;
            value = value * 8 + (digit - '0');
          }
          i += digits - 1;
          result += static_cast<char>(value);
        } else {
          result += c;
        }
    }
  }
  return result;
}

DotWords split_words(const std::string& line) {
  DotWords words;
  size_t i = 0;
  auto space = [&](size_t at) { return std::isspace(static_cast<unsigned char>(line[at])) != 0; };
  while (i < line.size()) {
    while (i < line.size() && space(i)) ++i;
    if (i == line.size()) break;
    char quote = line[i];
    std::string word;
    if (quote == '\'' || quote == '"') {
      for (++i; i < line.size() && line[i] != quote; ++i) {
        if (quote == '"' && line[i] == '\\' && i + 1 < line.size()) word += line[i++];
        word += line[i];
      }
      ++i;
      words.push_back(quote == '"' ? resolve_backslashes(word) : word);
    } else {
      while (i < line.size() && !space(i)) word += line[i++];
      words.push_back(resolve_backslashes(word));
    }
  }
  return words;
}

bool parse_boolean(const std::string& text) {
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "on" || lower == "yes") return true;
  if (lower == "off" || lower == "no") return false;
  char* end = nullptr;
  long number = std::strtol(text.c_str(), &end, 0);
  if (!text.empty() && *end == '\0') return number != 0;
  std::fprintf(stderr, "ERROR: Not a boolean value: \"%s\". Assuming \"no\".\n", text.c_str());
  return false;
}

DotResult usage_error(const char* usage) {
  std::fprintf(stderr, "Usage: %s\n", usage);
  return DotResult::kError;
}

void print_command_help(FILE* out, const std::string& name) {
  if (const Command* command = find_command(name)) print_help(out, *command, true);
}

std::string column_string(sqlite3_stmt* stmt, int column) {
  const unsigned char* text = sqlite3_column_text(stmt, column);
  return text ? reinterpret_cast<const char*>(text) : "";
}

DotResult dot_help(ShellState& state, const DotWords& words) {
  bool all = words.size() > 1 && (words[1] == "-all" || words[1] == "--all");
  if (words.size() < 2 || all) {
    for (const Command& command : kCommands) print_help(state.out, command, all);
    return DotResult::kOk;
  }
  std::string wanted = words[1][0] == '.' ? words[1].substr(1) : words[1];
  int matches = 0;
  const Command* match = nullptr;
  for (const Command& command : kCommands) {
    if (std::strncmp(command.name, wanted.c_str(), wanted.size()) != 0) continue;
    ++matches;
    match = &command;
  }
  if (matches == 1) {
    print_help(state.out, *match, true);
  } else if (matches > 1) {
    for (const Command& command : kCommands) {
      if (std::strncmp(command.name, wanted.c_str(), wanted.size()) == 0) {
        print_help(state.out, command, false);
      }
    }
  } else {
    std::fprintf(state.out, "Nothing matches '%s'\n", words[1].c_str());
  }
  return DotResult::kOk;
}

DotResult dot_command(ShellState& state, const std::string& line) {
  DotWords words = split_words(line.substr(1));
  if (words.empty()) return DotResult::kOk;
  const Command* command = find_command(words[0]);
  if (!command) {
    std::fprintf(stderr,
                 "Error: unknown command or invalid arguments:  \"%s\". Enter \".help\" for help\n",
                 words[0].c_str());
    return DotResult::kError;
  }
  bool was_once = state.output_once;
  DotResult result = command->run(state, words);
  // .once holds for the next command, also if that is a dot command.
  if (was_once && state.output_once) reset_output(state);
  return result;
}

}  // namespace godwit::shell
