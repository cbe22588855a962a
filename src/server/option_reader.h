// Reads `--name value` and `--name=value` from a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit::server {

class OptionReader {
 public:
  OptionReader(int argc, char** argv) : argc_(argc), argv_(argv) {}

  // Moves to the next word. False: there is none, or something was wrong.
  bool next();
  bool is_option() const { return is_option_; }
  // Without its hyphens; of a word that is no option, the word.
  const std::string& name() const { return name_; }
  // The value of the option. "" and failed(): it has none.
  std::string value();
  int64_t number(int64_t least, int64_t most);
  int64_t bytes();          // 64, 64k, 64M, 64G
  int64_t milliseconds();   // 500ms, 30s, 5m, 2h, 7d; without unit: seconds
  bool flag();              // true; the option takes no value

  void fail(std::string message);
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  int64_t scaled(std::initializer_list<std::pair<std::string_view, int64_t>> units);

  int argc_;
  char** argv_;
  int at_ = 0;
  bool is_option_ = false;
  bool has_inline_value_ = false;
  std::string name_, inline_value_, error_;
};

}  // namespace godwit::server
