#include "server/json_writer.h"

#include <charconv>
#include <cmath>

#include "server/base64.h"

namespace godwit::server {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `s`; 0: there is none.
size_t utf8_length(std::string_view s) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  auto follows = [&](size_t i) { return i < s.size() && (byte(i) & 0xc0) == 0x80; };
  uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) >= 0xa0) return 0;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

void append_escape(char c, std::string* out) {
  switch (c) {
    case '"': *out += "\\\""; return;
    case '\\': *out += "\\\\"; return;
    case '\n': *out += "\\n"; return;
    case '\r': *out += "\\r"; return;
    case '\t': *out += "\\t"; return;
    default: break;
  }
  constexpr char kHex[] = "0123456789abcdef";
  *out += "\\u00";
  *out += kHex[static_cast<uint8_t>(c) >> 4];
  *out += kHex[c & 15];
}

}  // namespace

void JsonWriter::before_value() {
  if (needs_comma_) *out_ += ',';
  needs_comma_ = true;
}

void JsonWriter::open(char c) {
  before_value();
  *out_ += c;
  needs_comma_ = false;
}

void JsonWriter::close(char c) {
  *out_ += c;
  needs_comma_ = true;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  *out_ += '"';
  *out_ += name;
  *out_ += "\":";
  needs_comma_ = false;
  return *this;
}

void JsonWriter::text(std::string_view value) {
  before_value();
  *out_ += '"';
  size_t plain = 0;  // what is not yet written starts here
  size_t i = 0;
  auto flush = [&] { out_->append(value, plain, i - plain); };
  while (i < value.size()) {
    uint8_t c = static_cast<uint8_t>(value[i]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    size_t length = c < 0x20 || c == '"' || c == '\\' ? 1 : utf8_length(value.substr(i));
    if (length > 1) {
      i += length;
      continue;
    }
    flush();
    if (length == 1) {
      append_escape(value[i], out_);
    } else {
      *out_ += "\xef\xbf\xbd";
    }
    plain = ++i;
  }
  flush();
  *out_ += '"';
}

void JsonWriter::integer(int64_t value) {
  before_value();
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out_->append(buffer, end);
}

void JsonWriter::integer_as_text(int64_t value) {
  before_value();
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  *out_ += '"';
  out_->append(buffer, end);
  *out_ += '"';
}

void JsonWriter::real(double value) {
  before_value();
  if (std::isnan(value)) {
    *out_ += "null";
  } else if (std::isinf(value)) {
    *out_ += value < 0 ? "-1e999" : "1e999";
  } else {
    char buffer[40];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string_view text(buffer, static_cast<size_t>(end - buffer));
    *out_ += text;
    // Some readers take a number without a point for an integer.
    if (text.find_first_of(".e") == std::string_view::npos) *out_ += ".0";
  }
}

void JsonWriter::boolean(bool value) {
  before_value();
  *out_ += value ? "true" : "false";
}

void JsonWriter::null() {
  before_value();
  *out_ += "null";
}

void JsonWriter::base64(std::string_view bytes) {
  before_value();
  *out_ += '"';
  append_base64(bytes, Base64::kStandardUnpadded, out_);
  *out_ += '"';
}

void JsonWriter::raw(std::string_view json) {
  before_value();
  *out_ += json;
}

}  // namespace godwit::server
