#include "function/json/json_parser.h"

#include "base/utf.h"
#include "function/json/json_escape.h"

namespace godwit {

namespace {

enum CharClass : uint8_t {
  kSpace = 1,    // of RFC 8259
  kIdStart = 2,  // may start a JSON5 identifier; bytes of multibyte characters too
  kIdPart = 4,
  kStringStop = 8,  // what a string in single quotes cannot just contain
  kDigit = 16,
};

struct CharTable {
  uint8_t classes[256] = {};
  constexpr CharTable() {
    for (int c : {' ', '\t', '\n', '\r'}) classes[c] |= kSpace;
    for (int c = 0; c < 256; ++c) {
      bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
      if (letter || c >= 0x80) classes[c] |= kIdStart | kIdPart;
      if (c >= '0' && c <= '9') classes[c] |= kIdPart | kDigit;
      if (c < 0x20 || c == '"' || c == '\'' || c == '\\') classes[c] |= kStringStop;
    }
  }
};
constexpr CharTable kTable;

bool is(char c, CharClass which) {
  return (kTable.classes[static_cast<uint8_t>(c)] & which) != 0;
}

// The text ends with NULs, which are no part of anything: looking at the next byte is always
// allowed when all before it were not NUL.
class JsonParser {
 public:
  JsonParser(std::string_view text, JsonBuffer* out)
      : text_(text.data()),
        end_(text_ + text.size()),
        p_(text_),
        space_end_(text_),
        error_(text_),
        out_(out) {}

  JsonParse parse() {
    JsonParse result;
    result.ok = parse_value(0, nullptr);
    if (result.ok) {
      skip_space();
      result.ok = *p_ == '\0';
    }
    result.extended = extended_;
    result.error_offset = result.ok ? 0 : static_cast<size_t>(error_ - text_);
    return result;
  }

 private:
  bool fail(const char* at) {
    error_ = at;
    return false;
  }

  void skip_space() {
    while (is(*p_, kSpace)) ++p_;
    space_end_ = p_;
    if (*p_ > ' ' && *p_ != '/') [[likely]]
      return;
    skip_json5_space();
  }
  void skip_json5_space() {
    size_t size;
    while ((size = json5_space_size(p_)) != 0) {
      p_ += size;
      extended_ = true;
      while (is(*p_, kSpace)) ++p_;
    }
  }

  // White space and comments that RFC 8259 does not know; 0 if `p` is at none.
  static size_t json5_space_size(const char* p) {
    switch (static_cast<uint8_t>(*p)) {
      case '\v':
      case '\f':
        return 1;
      case '/':
        return comment_size(p);
      case 0xC2:
        return p[1] == '\xA0' ? 2 : 0;  // U+00A0
      case 0xE1:
        return std::memcmp(p, "\xE1\x9A\x80", 3) == 0 ? 3 : 0;  // U+1680
      case 0xE2: {
        uint8_t last = p[1] == '\0' ? 0 : static_cast<uint8_t>(p[2]);
        if (p[1] == '\x80') {
          // U+2000 .. U+200A, U+2028, U+2029, U+202F
          bool space =
              (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF;
          return space ? 3 : 0;
        }
        return p[1] == '\x81' && last == 0x9F ? 3 : 0;  // U+205F
      }
      case 0xE3:
        return std::memcmp(p, "\xE3\x80\x80", 3) == 0 ? 3 : 0;  // U+3000
      case 0xEF:
        return std::memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;  // U+FEFF
      default:
        return 0;
    }
  }
  static size_t comment_size(const char* p) {
    const char* at = p + 2;
    if (p[1] == '*') {
      for (; *at != '\0'; ++at) {
        if (at[0] == '*' && at[1] == '/') return static_cast<size_t>(at - p) + 2;
      }
      return 0;
    }
    if (p[1] != '/') return 0;
    while (*at != '\0' && json_line_end_size(at, at + 3) == 0) ++at;
    return static_cast<size_t>(at - p);
  }

  // `missing_at`: where the error is if there is no value at all; null: where it should be.
  bool parse_value(int depth, const char* missing_at) {
    skip_space();
    switch (*p_) {
      case '{':
        return parse_object(depth + 1);
      case '[':
        return parse_array(depth + 1);
      case '"':
        return parse_string();
      case '\'':
        extended_ = true;
        return parse_single_quoted();
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
      case '-':
        return parse_number();
      case '+':
      case '.':
        extended_ = true;
        return parse_number();
      case ',':
      case ':':
      case ']':
      case '}':
        return fail(missing_at != nullptr ? missing_at : p_);
      case '\0':
        return missing_at != nullptr ? fail(missing_at) : false;
      default:
        return parse_literal();
    }
  }

  // The end of an array or object without a value before it.
  void end_without_value(bool behind_comma) {
    error_ = p_;
    extended_ |= behind_comma;
  }

  // What stands behind an item; takes the comma.
  enum class Next : uint8_t { kSeparator, kEnd, kOther };
  Next next_of(char end) {
    skip_space();
    if (p_ != space_end_) [[unlikely]]
      error_ = p_;
    if (*p_ == ',') {
      ++p_;
      return Next::kSeparator;
    }
    if (*p_ == end) return Next::kEnd;
    error_ = space_end_;
    return Next::kOther;
  }

  // Of the header that the array or object at this depth will have.
  static size_t guess_header_size(int depth) { return depth == 1 ? 2 : 1; }

  bool parse_array(int depth) {
    if (depth > kJsonDepthMax) return fail(p_);
    ++p_;
    size_t guess = guess_header_size(depth);
    size_t start = begin_jsonb(out_, guess);
    Next next = Next::kSeparator;
    for (bool first = true; next == Next::kSeparator; first = false) {
      const char* before = p_;
      skip_space();
      if (*p_ == ']') {
        end_without_value(!first);
        break;
      }
      if (!parse_value(depth, before)) return false;
      next = next_of(']');
    }
    if (next == Next::kOther) return false;
    ++p_;
    end_jsonb(out_, start, JsonbType::kArray, guess);
    return true;
  }

  bool parse_object(int depth) {
    if (depth > kJsonDepthMax) return fail(p_);
    ++p_;
    size_t guess = guess_header_size(depth);
    size_t start = begin_jsonb(out_, guess);
    Next next = Next::kSeparator;
    for (bool first = true; next == Next::kSeparator; first = false) {
      const char* before = p_;
      skip_space();
      if (*p_ == '}') {
        end_without_value(!first);
        break;
      }
      if (!parse_label(depth, before) || !pass_colon(depth)) return false;
      if (!parse_value(depth, p_)) return false;
      next = next_of('}');
    }
    if (next == Next::kOther) return false;
    ++p_;
    end_jsonb(out_, start, JsonbType::kObject, guess);
    return true;
  }

  bool pass_colon(int depth) {
    skip_space();
    if (*p_ != ':') {
      // What stands there instead may have an error in itself.
      const char* at = space_end_;
      return parse_value(depth, at) ? fail(at) : false;
    }
    if (p_ != space_end_) [[unlikely]]
      error_ = p_;
    ++p_;
    return true;
  }

  bool parse_label(int depth, const char* before) {
    if (*p_ == '"') return parse_string();
    extended_ = true;
    if (*p_ == '\'') return parse_single_quoted();
    error_ = p_;
    size_t literal_size;
    bool is_name = is(*p_, kIdStart) || *p_ == '\\';
    if (!is_name || literal_at(p_, &literal_size) != nullptr) {
      // A value that is no label, if it has no error in itself.
      return parse_value(depth, p_) ? fail(before) : false;
    }
    const char* start = p_;
    JsonbType type = JsonbType::kText;
    while (true) {
      if (*p_ == '\\' && p_[1] == 'u' && skip_json_escape(p_, p_ + 6, false) != nullptr) {
        type = JsonbType::kTextJson;
        p_ += 6;
      } else if (is(*p_, p_ == start ? kIdStart : kIdPart) && json5_space_size(p_) == 0) {
        ++p_;
      } else {
        break;
      }
    }
    if (p_ == start) return fail(start);
    emit(type, start, static_cast<size_t>(p_ - start));
    return true;
  }

  // Appends an element with a payload from the text. Bytes behind both ends of the copy may be read
  // and written: it goes by whole blocks.
  void emit(JsonbType type, const char* payload, size_t size) {
    constexpr size_t kBlock = 16;
    static_assert(kBlock <= kJsonPaddingBytes);
    char* at = out_->room(kJsonbHeaderBytesMax + size + kBlock);
    size_t header = write_jsonb_header(reinterpret_cast<uint8_t*>(at), type, size);
    for (size_t i = 0; i < size; i += kBlock) std::memcpy(at + header + i, payload + i, kBlock);
    out_->add_written(header + size);
  }

  bool parse_string() {
    const char* start = ++p_;
    JsonbType type = JsonbType::kText;
    const char* p = find_json_special(start, end_);
    while (*p != '"') {
      if (*p == '\0') return fail(p);
      p = pass_special(p, &type);
      if (p == nullptr) return false;
      p = find_json_special(p, end_);
    }
    emit(type, start, static_cast<size_t>(p - start));
    p_ = p + 1;
    return true;
  }

  bool parse_single_quoted() {
    const char* start = ++p_;
    JsonbType type = JsonbType::kText;
    const char* p = start;
    while (true) {
      while (!is(*p, kStringStop)) ++p;
      if (*p == '\'') break;
      if (*p == '\0') return fail(p);
      if (*p == '"') {
        type = JsonbType::kText5;
        ++p;
        continue;
      }
      p = pass_special(p, &type);
      if (p == nullptr) return false;
    }
    emit(type, start, static_cast<size_t>(p - start));
    p_ = p + 1;
    return true;
  }

  // Goes past an escape or a control character.
  const char* pass_special(const char* p, JsonbType* type) {
    if (*p != '\\') {
      *type = JsonbType::kText5;
      extended_ = true;
      return p + 1;
    }
    const char* limit = p + 6;
    const char* next = skip_json_escape(p, limit, false);
    if (next != nullptr) {
      if (*type == JsonbType::kText) *type = JsonbType::kTextJson;
      return next;
    }
    next = skip_json_escape(p, limit, true);
    if (next == nullptr) {
      error_ = p + 1;
      return nullptr;
    }
    *type = JsonbType::kText5;
    extended_ = true;
    return next;
  }

  bool parse_number() {
    const char* start = p_;
    const char* p = p_;
    if (*p == '+') {
      start = ++p;
    } else if (*p == '-') {
      ++p;
    }
    if (!is(*p, kDigit)) return parse_number_without_digits(start, p);
    if (*p == '0') {
      if ((p[1] == 'x' || p[1] == 'X') && hex_digit_value(p[2]) >= 0) {
        p += 3;
        while (hex_digit_value(*p) >= 0) ++p;
        extended_ = true;
        return end_number(JsonbType::kInteger5, start, p);
      }
      if (is(p[1], kDigit)) return fail(p_ + 1);
    }
    while (is(*p, kDigit)) ++p;
    if (*p != '.' && (*p | 0x20) != 'e') return end_number(JsonbType::kInteger, start, p);
    return parse_real(start, p, JsonbType::kReal);
  }

  // .5, Infinity
  bool parse_number_without_digits(const char* start, const char* p) {
    if (*p == '.') {
      if (!is(p[1], kDigit)) return fail(p == p_ ? p : p + 1);
      extended_ = true;
      return parse_real(start, p, JsonbType::kReal5);
    }
    size_t size = infinity_size(p);
    if (size == 0) return fail(p_);
    extended_ = true;
    p_ = p + size;
    append_jsonb(out_, JsonbType::kReal, *start == '-' ? "-9e999" : "9e999");
    return true;
  }

  // `p` is behind the whole part, at a point or an exponent.
  bool parse_real(const char* start, const char* p, JsonbType type) {
    if (*p == '.') {
      ++p;
      if (!is(*p, kDigit)) {
        extended_ = true;
        type = JsonbType::kReal5;
      }
      while (is(*p, kDigit)) ++p;
      if (*p == '.') return fail(p);
    }
    if ((*p | 0x20) == 'e') {
      ++p;
      if (*p == '+' || *p == '-') ++p;
      if (!is(*p, kDigit)) return fail(p - 1);
      while (is(*p, kDigit)) ++p;
      if (*p == '.' || (*p | 0x20) == 'e') return fail(p);
    }
    return end_number(type, start, p);
  }

  bool end_number(JsonbType type, const char* start, const char* end) {
    emit(type, start, static_cast<size_t>(end - start));
    p_ = end;
    return true;
  }

  struct Literal {
    std::string_view text;  // lower case
    JsonbType type;
    bool json5;  // any case
  };
  static constexpr Literal kLiterals[] = {
      {"null", JsonbType::kNull, false},   {"true", JsonbType::kTrue, false},
      {"false", JsonbType::kFalse, false}, {"infinity", JsonbType::kReal, true},
      {"inf", JsonbType::kReal, true},     {"nan", JsonbType::kNull, true},
      {"qnan", JsonbType::kNull, true},    {"snan", JsonbType::kNull, true},
  };
  // Text never has NULs here, so that a comparison stops at the end.
  static bool starts_with_ignore_case(const char* p, std::string_view lower) {
    for (char c : lower) {
      if (ascii_lower(*p++) != c) return false;
    }
    return true;
  }
  static size_t infinity_size(const char* p) {
    if (starts_with_ignore_case(p, "infinity")) return 8;
    return starts_with_ignore_case(p, "inf") ? 3 : 0;
  }
  static const Literal* literal_at(const char* p, size_t* size) {
    if (!is(*p, kIdStart)) return nullptr;
    for (const Literal& literal : kLiterals) {
      *size = literal.text.size();
      bool same = literal.json5 ? starts_with_ignore_case(p, literal.text)
                                : std::strncmp(p, literal.text.data(), *size) == 0;
      if (same && !(is(p[*size], kIdPart) && static_cast<uint8_t>(p[*size]) < 0x80)) {
        return &literal;
      }
    }
    return nullptr;
  }

  bool parse_literal() {
    size_t size;
    const Literal* literal = literal_at(p_, &size);
    if (literal == nullptr) return fail(p_);
    extended_ |= literal->json5;
    p_ += size;
    append_jsonb(out_, literal->type, literal->type == JsonbType::kReal ? "9e999" : "");
    return true;
  }

  const char* text_;
  const char* end_;
  const char* p_;
  const char* space_end_;  // where the white space of RFC 8259 ended that was skipped last
  // Where the error is. It is also set in passing, by what is unusual: an error that has no place
  // of its own is shown there.
  const char* error_;
  JsonBuffer* out_;
  bool extended_ = false;
};

}  // namespace

JsonParse parse_json(std::string_view text, JsonBuffer* out) {
  return JsonParser(text, out).parse();
}

size_t append_json_padded(JsonBuffer* out, std::string_view text) {
  size_t at = out->size();
  char* p = out->room(text.size() + kJsonPaddingBytes);
  if (!text.empty()) std::memcpy(p, text.data(), text.size());
  std::memset(p + text.size(), 0, kJsonPaddingBytes);
  out->add_written(text.size() + kJsonPaddingBytes);
  return at;
}

}  // namespace godwit
