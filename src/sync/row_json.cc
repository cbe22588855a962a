#include "sync/row_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/bytes.h"

namespace godwit::sync {
namespace {

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Bytes of the character of UTF-8 that `text` begins with; 0: it is none.
size_t character_bytes(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                      : first < 0xf5 ? 4 : 0;
  if (size == 0 || size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = size > 1 ? static_cast<uint8_t>(text[1]) : uint8_t{0};
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return is_overlong || is_outside ? 0 : size;
}

}  // namespace

void append_json_text(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  while (!text.empty()) {
    const size_t size = character_bytes(text);
    const char c = text[0];
    if (size == 0) {
      out->append("\xef\xbf\xbd");
    } else if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out->append("\\u00");
      out->push_back(kHex[c >> 4]);
      out->push_back(kHex[c & 15]);
    } else {
      out->append(text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out->push_back('"');
}

void append_base64(std::string_view bytes, std::string* out) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t j = 0; j < 3; ++j) {
      word = word << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0u);
    }
    const size_t digits = bytes.size() - i >= 3 ? 4 : bytes.size() - i + 1;
    for (size_t j = 0; j < 4; ++j) {
      out->push_back(j < digits ? kBase64[word >> (18 - 6 * j) & 63] : '=');
    }
  }
}

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const size_t size = character_bytes(text);
    if (size == 0 || text[0] == '\0') return false;
    text.remove_prefix(size);
  }
  return true;
}

namespace {

void append_value(const api::Field& field, std::string* out) {
  char digits[32];
  const auto* word = reinterpret_cast<const uint8_t*>(field.data()) + 1;
  switch (field[0]) {
    case SQLITE_INTEGER: {
      auto end = std::to_chars(digits, digits + sizeof digits,
                               static_cast<int64_t>(load_be64(word)));
      out->append(digits, end.ptr);
      break;
    }
    case SQLITE_FLOAT: {
      double real;
      const uint64_t bits = load_be64(word);
      std::memcpy(&real, &bits, sizeof real);
      if (std::isinf(real)) {
        out->append(real < 0 ? "-1e999" : "1e999");
        break;
      }
      const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, real).ptr);
      out->append(text);
      if (text.find_first_of(".e") == std::string_view::npos) out->append(".0");
      break;
    }
    case SQLITE_TEXT: append_json_text(content_of(field), out); break;
    case SQLITE_BLOB:
      out->append("{\"base64\":\"");
      append_base64(content_of(field), out);
      out->append("\"}");
      break;
    default: out->append("null");
  }
}

// Reads the one shape of JSON that rows have.
class RowParser {
 public:
  explicit RowParser(std::string_view json) : at_(json) {}

  bool parse(std::vector<std::pair<std::string, api::Field>>* row) {
    if (!take('{')) return false;
    if (take('}')) return is_at_end();
    do {
      std::string name;
      api::Field field;
      if (!take_text(&name) || !take(':') || !take_value(&field)) return false;
      row->emplace_back(std::move(name), std::move(field));
    } while (take(','));
    return take('}') && is_at_end();
  }

 private:
  void skip_space() {
    while (!at_.empty() && (at_[0] == ' ' || at_[0] == '\n' || at_[0] == '\t' || at_[0] == '\r')) {
      at_.remove_prefix(1);
    }
  }
  bool is_at_end() {
    skip_space();
    return at_.empty();
  }
  bool take(char c) {
    skip_space();
    if (at_.empty() || at_[0] != c) return false;
    at_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    if (!at_.starts_with(word)) return false;
    at_.remove_prefix(word.size());
    return true;
  }

  bool take_value(api::Field* field) {
    skip_space();
    if (at_.empty()) return false;
    if (at_[0] == '"') {
      std::string text;
      if (!take_text(&text)) return false;
      *field = api::encode_bytes(SQLITE_TEXT, text);
      return true;
    }
    if (at_[0] == '{') return take_blob(field);
    if (take_word("null")) return *field = api::Field(1, SQLITE_NULL), true;
    if (take_word("true")) return *field = api::encode_integer(1), true;
    if (take_word("false")) return *field = api::encode_integer(0), true;
    return take_number(field);
  }

  bool take_number(api::Field* field) {
    const size_t size = std::min(at_.find_first_not_of("0123456789+-.eE"), at_.size());
    const std::string digits(at_.substr(0, size));
    if (digits.empty()) return false;
    at_.remove_prefix(size);
    const char* end = digits.data() + digits.size();
    if (digits.find_first_of(".eE") == std::string::npos) {
      int64_t integer = 0;
      auto got = std::from_chars(digits.data(), end, integer);
      if (got.ptr == end && got.ec == std::errc()) return *field = api::encode_integer(integer), true;
    }
    double real = 0;
    auto got = std::from_chars(digits.data(), end, real);
    if (got.ptr != end) return false;
    if (got.ec == std::errc::result_out_of_range) {
      real = digits.find("e-") != std::string::npos ? 0.0 : digits[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    }
    *field = api::encode_real(real);
    return true;
  }

  bool take_blob(api::Field* field) {
    std::string name, digits, bytes;
    if (!take('{') || !take_text(&name) || name != "base64" || !take(':') || !take_text(&digits) ||
        !take('}')) {
      return false;
    }
    uint32_t word = 0;
    int bits = 0;
    for (char c : digits) {
      if (c == '=') break;
      const size_t value = std::string_view(kBase64, 64).find(c);
      if (value == std::string_view::npos) return false;
      word = word << 6 | static_cast<uint32_t>(value);
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes.push_back(static_cast<char>(word >> bits));
    }
    *field = api::encode_bytes(SQLITE_BLOB, bytes);
    return true;
  }

  bool take_hex(uint32_t* unit) {
    if (at_.size() < 4) return false;
    auto got = std::from_chars(at_.data(), at_.data() + 4, *unit, 16);
    if (got.ptr != at_.data() + 4) return false;
    at_.remove_prefix(4);
    return true;
  }

  bool take_escape(std::string* text) {
    if (at_.empty()) return false;
    const char c = at_[0];
    at_.remove_prefix(1);
    static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const size_t plain = kEscapes.find(c);
    if (plain != std::string_view::npos) return text->push_back(kMeanings[plain]), true;
    uint32_t unit = 0, low = 0;
    if (c != 'u' || !take_hex(&unit)) return false;
    if (unit >= 0xd800 && unit < 0xdc00) {
      if (!take_word("\\u") || !take_hex(&low) || low < 0xdc00 || low > 0xdfff) return false;
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    const int more = unit < 0x80 ? 0 : unit < 0x800 ? 1 : unit < 0x10000 ? 2 : 3;
    static constexpr uint8_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
    text->push_back(static_cast<char>(kFirst[more] | unit >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) {
      text->push_back(static_cast<char>(0x80 | (unit >> (6 * i) & 0x3f)));
    }
    return true;
  }

  bool take_text(std::string* text) {
    if (!take('"')) return false;
    while (!at_.empty()) {
      const char c = at_[0];
      at_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        text->push_back(c);
      } else if (!take_escape(text)) {
        return false;
      }
    }
    return false;
  }

  std::string_view at_;
};

}  // namespace

std::string_view content_of(const api::Field& field) {
  uint64_t size = 0;
  const auto* at = reinterpret_cast<const uint8_t*>(field.data()) + 1;
  const int used = read_varint(at, at + field.size() - 1, &size);
  return std::string_view(field).substr(1 + static_cast<size_t>(used), size);
}

std::string row_json(const std::vector<std::string>& names, const api::Fields& fields) {
  std::string out = "{";
  for (size_t i = 0; i < fields.size() && i < names.size(); ++i) {
    if (api::is_undefined(fields[i])) continue;
    if (out.size() > 1) out.push_back(',');
    append_json_text(names[i], &out);
    out.push_back(':');
    append_value(fields[i], &out);
  }
  out.push_back('}');
  return out;
}

Result<std::vector<std::pair<std::string, api::Field>>> parse_row_json(std::string_view json) {
  std::vector<std::pair<std::string, api::Field>> row;
  if (!RowParser(json).parse(&row)) {
    return Status::error("not a row (a JSON object of plain values): " + std::string(json));
  }
  return row;
}

}  // namespace godwit::sync
