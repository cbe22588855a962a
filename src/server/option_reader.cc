#include "server/option_reader.h"

#include <charconv>

namespace godwit::server {

void OptionReader::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

bool OptionReader::next() {
  if (failed() || ++at_ >= argc_) return false;
  std::string_view word = argv_[at_];
  is_option_ = word.size() > 1 && word[0] == '-';
  has_inline_value_ = false;
  if (!is_option_) {
    name_ = word;
    return true;
  }
  word.remove_prefix(word.substr(0, 2) == "--" ? 2 : 1);
  size_t equals = word.find('=');
  name_ = word.substr(0, equals);
  has_inline_value_ = equals != std::string_view::npos;
  if (has_inline_value_) inline_value_ = word.substr(equals + 1);
  return true;
}

std::string OptionReader::value() {
  if (has_inline_value_) return inline_value_;
  if (at_ + 1 >= argc_) {
    fail("missing value of --" + name_);
    return {};
  }
  return argv_[++at_];
}

bool OptionReader::flag() {
  if (has_inline_value_) fail("--" + name_ + " takes no value");
  return true;
}

int64_t OptionReader::scaled(std::initializer_list<std::pair<std::string_view, int64_t>> units) {
  std::string text = value();
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const auto& [name, factor] : units) {
    if (unit == name && error == std::errc() && number >= 0 && number < INT64_MAX / factor) {
      return number * factor;
    }
  }
  fail("not a value of --" + name_ + ": " + text);
  return 0;
}

int64_t OptionReader::number(int64_t least, int64_t most) {
  int64_t result = scaled({{"", 1}});
  if (!failed() && (result < least || result > most)) fail("--" + name_ + " is out of range");
  return result;
}

int64_t OptionReader::bytes() {
  return scaled({{"", 1}, {"k", 1 << 10}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}});
}

int64_t OptionReader::milliseconds() {
  return scaled({{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}});
}

}  // namespace godwit::server
