// UTF-8 and UTF-16 as SQLite reads them.
//
// Text in a database may be malformed, and what malformed text means is part of SQLite's behaviour:
//
//   * A UTF-8 character starts with any byte and takes all continuation bytes (10xxxxxx) that
//     follow a byte >= 0xC0. A continuation byte on its own is a character of that value.
//   * What decodes below 0x80, to a surrogate, or to U+xxFFFE / U+FFFF is U+FFFD. Other overlong or
//     too large forms are taken as they are.
//   * In UTF-16 any unit in the surrogate range takes the next unit as its second half, whatever
//     it is; at the end of the text it stands for itself. An odd last byte is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

inline constexpr uint32_t kReplacementCodePoint = 0xFFFD;

namespace internal {
uint32_t read_utf8_multibyte(const char** position, const char* end);
}  // namespace internal

// The code point at *position, which must be before `end`; advances *position past it.
inline uint32_t read_utf8(const char** position, const char* end) {
  uint8_t first = static_cast<uint8_t>(**position);
  if (first < 0xC0) {
    ++*position;
    return first;
  }
  return internal::read_utf8_multibyte(position, end);
}

// Moves past the character at `position` (before `end`) without decoding it.
inline const char* skip_utf8(const char* position, const char* end) {
  uint8_t first = static_cast<uint8_t>(*position++);
  if (first >= 0xC0) {
    while (position < end && (static_cast<uint8_t>(*position) & 0xC0) == 0x80) ++position;
  }
  return position;
}

inline constexpr int kUtf8BytesMax = 4;
// Writes `code_point` at `out`, which must have room for kUtf8BytesMax bytes. Returns the bytes
// used. Surrogates are written like any other value below U+10000; bits above 21 are dropped.
int write_utf8(char* out, uint32_t code_point);

// Characters of `text`, as length() counts them, without stopping at NUL.
size_t utf8_length(std::string_view text);

// Unpaired or odd input is read by the rules above.
void append_utf16_as_utf8(const uint8_t* bytes, size_t size, bool big_endian,
                          std::vector<char>* out);
void append_utf16_as_utf8(const uint8_t* bytes, size_t size, bool big_endian, std::string* out);
void append_utf8_as_utf16(std::string_view text, bool big_endian, std::vector<uint8_t>* out);

// Compares two UTF-8 texts as memcmp() would compare their UTF-16 forms: <0, 0, >0.
int compare_as_utf16(std::string_view a, std::string_view b, bool big_endian);

// ASCII case, independent of the C locale.
inline bool is_ascii_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
inline char ascii_lower(char c) {
  return is_ascii_upper(c) ? static_cast<char>(c + 32) : c;
}
inline char ascii_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}
bool equals_ignore_case(std::string_view a, std::string_view b);
// What SQLite takes for white space in numbers: space, tab, newline, vertical tab, form feed,
// return.
inline bool is_ascii_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
inline bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}
// The value of a hexadecimal digit, or -1.
inline int hex_digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = ascii_lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace godwit
