#include "function/json/json_escape.h"

#include "base/utf.h"

namespace godwit {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr uint64_t kEveryByte = 0x0101010101010101;
constexpr uint64_t kHighBits = 0x8080808080808080;

// High bits of the bytes of `word` that json_must_escape(); a byte behind such a one may be marked
// too, so that only the lowest mark counts.
uint64_t special_bytes(uint64_t word) {
  uint64_t quote = word ^ kEveryByte * '"';
  uint64_t backslash = word ^ kEveryByte * '\\';
  uint64_t is_quote = (quote - kEveryByte) & ~quote;
  uint64_t is_backslash = (backslash - kEveryByte) & ~backslash;
  uint64_t is_control = (word - kEveryByte * 0x20) & ~word;
  return (is_quote | is_backslash | is_control) & kHighBits;
}

// The four (or fewer) hexadecimal digits at `p`, or -1.
int32_t read_hex(const char* p, const char* end, int digits) {
  if (end - p < digits) return -1;
  int32_t value = 0;
  for (int i = 0; i < digits; ++i) {
    int digit = hex_digit_value(p[i]);
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

bool is_high_surrogate(uint32_t c) {
  return (c & 0xFC00) == 0xD800;
}
bool is_low_surrogate(uint32_t c) {
  return (c & 0xFC00) == 0xDC00;
}

}  // namespace

const char* find_json_special(const char* p, const char* end) {
  while (end - p >= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    uint64_t special = special_bytes(word);
    if (special != 0) return p + (__builtin_ctzll(special) >> 3);
    p += 8;
  }
  while (p < end && !json_must_escape(static_cast<uint8_t>(*p))) ++p;
  return p;
}

size_t json_line_end_size(const char* p, const char* end) {
  if (p >= end) return 0;
  if (*p == '\n') return 1;
  if (*p == '\r') return end - p >= 2 && p[1] == '\n' ? 2 : 1;
  if (end - p >= 3 && std::memcmp(p, "\xE2\x80", 2) == 0 && (p[2] == '\xA8' || p[2] == '\xA9')) {
    return 3;
  }
  return 0;
}

const char* skip_json_escape(const char* p, const char* end, bool json5) {
  if (end - p < 2) return nullptr;
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return p + 2;
    case 'u':
      return read_hex(p + 2, end, 4) < 0 ? nullptr : p + 6;
    default:
      break;
  }
  if (!json5) return nullptr;
  switch (p[1]) {
    case '\'':
    case 'v':
      return p + 2;
    case '0':
      return end - p > 2 && is_ascii_digit(p[2]) ? nullptr : p + 2;
    case 'x':
      return read_hex(p + 2, end, 2) < 0 ? nullptr : p + 4;
    default:
      break;
  }
  size_t line_end = json_line_end_size(p + 1, end);
  return line_end == 0 ? nullptr : p + 1 + line_end;
}

const char* read_json_escape(const char* p, const char* end, uint32_t* code_point) {
  *code_point = kInvalidJsonCharacter;
  if (end - p < 2) return end;
  switch (p[1]) {
    case 'b':
      *code_point = '\b';
      return p + 2;
    case 'f':
      *code_point = '\f';
      return p + 2;
    case 'n':
      *code_point = '\n';
      return p + 2;
    case 'r':
      *code_point = '\r';
      return p + 2;
    case 't':
      *code_point = '\t';
      return p + 2;
    case 'v':
      *code_point = '\v';
      return p + 2;
    case '0':
      // A digit would make it an octal escape.
      if (end - p <= 2 || !is_ascii_digit(p[2])) *code_point = 0;
      return p + 2;
    case '\'':
    case '"':
    case '/':
    case '\\':
      *code_point = static_cast<uint8_t>(p[1]);
      return p + 2;
    case 'x': {
      int32_t value = read_hex(p + 2, end, 2);
      if (value < 0) return end - p < 4 ? end : p + 2;
      *code_point = static_cast<uint32_t>(value);
      return p + 4;
    }
    case 'u': {
      int32_t value = read_hex(p + 2, end, 4);
      if (value < 0) return end - p < 6 ? end : p + 2;
      *code_point = static_cast<uint32_t>(value);
      p += 6;
      if (!is_high_surrogate(*code_point) || end - p < 6 || p[0] != '\\' || p[1] != 'u') return p;
      int32_t low = read_hex(p + 2, end, 4);
      if (low < 0 || !is_low_surrogate(static_cast<uint32_t>(low))) return p;
      *code_point = 0x10000 + ((*code_point & 0x3FF) << 10) + (static_cast<uint32_t>(low) & 0x3FF);
      return p + 6;
    }
    default:
      break;
  }
  size_t line_end = json_line_end_size(p + 1, end);
  if (line_end == 0) return p + 2;
  // Several continuations may follow each other: a loop, since their number is not limited.
  p += 1 + line_end;
  while (p < end && *p == '\\' && (line_end = json_line_end_size(p + 1, end)) != 0) {
    p += 1 + line_end;
  }
  if (p >= end) {
    // At the end of a string SQLite reads a NUL here.
    *code_point = 0;
    return end;
  }
  if (*p == '\\') return read_json_escape(p, end, code_point);
  *code_point = read_utf8(&p, end);
  return p;
}

bool append_json_unescaped(JsonBuffer* out, std::string_view payload) {
  const char* p = payload.data();
  const char* end = p + payload.size();
  while (p < end) {
    const void* found = std::memchr(p, '\\', static_cast<size_t>(end - p));
    const char* escape = found == nullptr ? end : static_cast<const char*>(found);
    out->append({p, static_cast<size_t>(escape - p)});
    if (escape == end) break;
    uint32_t code_point;
    p = read_json_escape(escape, end, &code_point);
    if (code_point == kInvalidJsonCharacter) return false;
    out->add_written(static_cast<size_t>(write_utf8(out->room(kUtf8BytesMax), code_point)));
  }
  return true;
}

namespace {

void append_escaped_byte(JsonBuffer* out, uint8_t byte) {
  switch (byte) {
    case '"':
      return out->append("\\\"");
    case '\\':
      return out->append("\\\\");
    case '\b':
      return out->append("\\b");
    case '\f':
      return out->append("\\f");
    case '\n':
      return out->append("\\n");
    case '\r':
      return out->append("\\r");
    case '\t':
      return out->append("\\t");
    default:
      break;
  }
  char* p = out->room(6);
  std::memcpy(p, "\\u00", 4);
  p[4] = kHexDigits[byte >> 4];
  p[5] = kHexDigits[byte & 15];
  out->add_written(6);
}

}  // namespace

void append_json_escaped(JsonBuffer* out, std::string_view text) {
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end) {
    const char* special = find_json_special(p, end);
    out->append({p, static_cast<size_t>(special - p)});
    if (special == end) break;
    append_escaped_byte(out, static_cast<uint8_t>(*special));
    p = special + 1;
  }
}

bool append_json5_as_json(JsonBuffer* out, std::string_view payload) {
  const char* p = payload.data();
  const char* end = p + payload.size();
  while (p < end) {
    const char* special = find_json_special(p, end);
    out->append({p, static_cast<size_t>(special - p)});
    if (special == end) break;
    p = special;
    if (*p != '\\') {
      append_escaped_byte(out, static_cast<uint8_t>(*p++));
      continue;
    }
    if (end - p < 2) return false;
    switch (p[1]) {
      case '\'':
        out->push('\'');
        p += 2;
        continue;
      case 'v':
        out->append("\\u000b");
        p += 2;
        continue;
      case '0':
        out->append("\\u0000");
        p += 2;
        continue;
      case 'x':
        if (end - p < 4) return false;
        out->append("\\u00");
        out->append({p + 2, 2});
        p += 4;
        continue;
      default:
        break;
    }
    size_t line_end = json_line_end_size(p + 1, end);
    if (line_end != 0) {
      p += 1 + line_end;
      continue;
    }
    // What is left is an escape of JSON too (or none, in JSONB that is not quite right).
    out->append({p, 2});
    p += 2;
  }
  return true;
}

bool json_text_equal(std::string_view a, bool a_is_raw, std::string_view b, bool b_is_raw) {
  if (a_is_raw && b_is_raw) return a == b;
  const char *p = a.data(), *p_end = p + a.size();
  const char *q = b.data(), *q_end = q + b.size();
  auto next = [](const char** at, const char* end, bool raw) -> uint32_t {
    uint32_t code_point;
    if (!raw && **at == '\\') {
      *at = read_json_escape(*at, end, &code_point);
    } else {
      code_point = read_utf8(at, end);
    }
    return code_point;
  };
  // As in SQLite a NUL is as good as the end.
  while (true) {
    uint32_t left = p < p_end ? next(&p, p_end, a_is_raw) : 0;
    uint32_t right = q < q_end ? next(&q, q_end, b_is_raw) : 0;
    if (left != right) return false;
    if (left == 0) return true;
  }
}

}  // namespace godwit
