// Writes JSON to a string, value after value, without a tree in between. The caller is trusted to
// balance what it opens; commas are put where they belong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit::server {

class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  JsonWriter& key(std::string_view name);  // trusted: written as it is
  // Invalid UTF-8 becomes U+FFFD. A slash is not escaped: some readers of ours take no escapes.
  void text(std::string_view value);
  void integer(int64_t value);
  void integer_as_text(int64_t value);
  // Shortest form that reads back as the same number. Infinity is 1e999, which JavaScript reads as
  // infinity; JSON has no word for it.
  void real(double value);
  void boolean(bool value);
  void null();
  void base64(std::string_view bytes);
  // A value that is JSON already.
  void raw(std::string_view json);

 private:
  void before_value();
  void open(char c);
  void close(char c);

  std::string* out_;
  bool needs_comma_ = false;
};

}  // namespace godwit::server
