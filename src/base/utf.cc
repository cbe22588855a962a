#include "base/utf.h"

#include <cstring>

namespace godwit {

namespace {

bool is_continuation(char c) {
  return (static_cast<uint8_t>(c) & 0xC0) == 0x80;
}

// Payload bits of a lead byte: as many as the length it announces leaves, none for 0xF8, 0xFC and
// beyond but what SQLite grants them.
uint32_t lead_bits(uint8_t lead) {
  if (lead < 0xE0) return lead & 0x1F;
  if (lead < 0xF0) return lead & 0x0F;
  if (lead < 0xF8) return lead & 0x07;
  if (lead < 0xFC) return lead & 0x03;
  return lead == 0xFD ? 1 : 0;
}

uint32_t load_unit(const uint8_t* p, bool big_endian) {
  return big_endian ? static_cast<uint32_t>(p[0]) << 8 | p[1]
                    : static_cast<uint32_t>(p[1]) << 8 | p[0];
}

template <typename Out>
void append_utf16_as_utf8_to(const uint8_t* bytes, size_t size, bool big_endian, Out* out) {
  size &= ~size_t{1};
  size_t start = out->size();
  out->resize(start + size / 2 * 3);  // a unit takes three bytes at most, a pair four
  char* p = out->data() + start;
  for (size_t i = 0; i < size;) {
    uint32_t c = load_unit(bytes + i, big_endian);
    i += 2;
    if (c >= 0xD800 && c < 0xE000 && i < size) {
      uint32_t second = load_unit(bytes + i, big_endian);
      i += 2;
      c = (second & 0x3FF) + ((c & 0x3F) << 10) + (((c & 0x3C0) + 0x40) << 10);
    }
    p += write_utf8(p, c);
  }
  out->resize(static_cast<size_t>(p - out->data()));
}

// Encodes `c` as two or four bytes; returns their number.
int write_utf16(uint8_t* out, uint32_t c, bool big_endian) {
  uint32_t units[2] = {c, 0};
  int count = 1;
  if (c > 0xFFFF) {
    units[0] = 0xD800 | ((c - 0x10000) >> 10 & 0x3FF);
    units[1] = 0xDC00 | (c & 0x3FF);
    count = 2;
  }
  for (int i = 0; i < count; ++i) {
    uint8_t high = static_cast<uint8_t>(units[i] >> 8), low = static_cast<uint8_t>(units[i]);
    out[2 * i] = big_endian ? high : low;
    out[2 * i + 1] = big_endian ? low : high;
  }
  return 2 * count;
}

}  // namespace

namespace internal {

uint32_t read_utf8_multibyte(const char** position, const char* end) {
  const char* p = *position;
  uint32_t c = lead_bits(static_cast<uint8_t>(*p++));
  while (p < end && is_continuation(*p)) c = (c << 6) + (static_cast<uint8_t>(*p++) & 0x3F);
  *position = p;
  if (c < 0x80 || (c & 0xFFFFF800) == 0xD800 || (c & 0xFFFFFFFE) == 0xFFFE) {
    return kReplacementCodePoint;
  }
  return c;
}

}  // namespace internal

int write_utf8(char* out, uint32_t c) {
  auto byte = [](uint32_t v) { return static_cast<char>(static_cast<uint8_t>(v)); };
  if (c < 0x80) {
    out[0] = byte(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = byte(0xC0 + (c >> 6 & 0x1F));
    out[1] = byte(0x80 + (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = byte(0xE0 + (c >> 12 & 0x0F));
    out[1] = byte(0x80 + (c >> 6 & 0x3F));
    out[2] = byte(0x80 + (c & 0x3F));
    return 3;
  }
  out[0] = byte(0xF0 + (c >> 18 & 0x07));
  out[1] = byte(0x80 + (c >> 12 & 0x3F));
  out[2] = byte(0x80 + (c >> 6 & 0x3F));
  out[3] = byte(0x80 + (c & 0x3F));
  return 4;
}

size_t utf8_length(std::string_view text) {
  // A continuation byte counts only where no lead byte claims it.
  size_t count = 0;
  bool claimed = false;
  for (char c : text) {
    if (is_continuation(c)) {
      count += !claimed;
    } else {
      ++count;
      claimed = static_cast<uint8_t>(c) >= 0xC0;
    }
  }
  return count;
}

void append_utf16_as_utf8(const uint8_t* bytes, size_t size, bool big_endian,
                          std::vector<char>* out) {
  append_utf16_as_utf8_to(bytes, size, big_endian, out);
}
void append_utf16_as_utf8(const uint8_t* bytes, size_t size, bool big_endian, std::string* out) {
  append_utf16_as_utf8_to(bytes, size, big_endian, out);
}

void append_utf8_as_utf16(std::string_view text, bool big_endian, std::vector<uint8_t>* out) {
  size_t start = out->size();
  out->resize(start + 2 * text.size());  // two-byte characters make one unit, four-byte ones two
  uint8_t* p = out->data() + start;
  const char* position = text.data();
  const char* end = position + text.size();
  while (position < end) p += write_utf16(p, read_utf8(&position, end), big_endian);
  out->resize(static_cast<size_t>(p - out->data()));
}

int compare_as_utf16(std::string_view a, std::string_view b, bool big_endian) {
  const char* pa = a.data();
  const char* pb = b.data();
  const char* end_a = pa + a.size();
  const char* end_b = pb + b.size();
  while (pa < end_a && pb < end_b) {
    uint32_t ca = read_utf8(&pa, end_a), cb = read_utf8(&pb, end_b);
    if (ca == cb) continue;
    uint8_t units_a[4] = {}, units_b[4] = {};
    int size_a = write_utf16(units_a, ca, big_endian);
    int size_b = write_utf16(units_b, cb, big_endian);
    int order =
        std::memcmp(units_a, units_b, static_cast<size_t>(size_a < size_b ? size_a : size_b));
    if (order != 0) return order;
    // Only out-of-range code points, which UTF-16 cannot tell apart, get here.
  }
  return static_cast<int>(pa < end_a) - static_cast<int>(pb < end_b);
}

bool equals_ignore_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && ascii_lower(a[i]) != ascii_lower(b[i])) return false;
  }
  return true;
}

}  // namespace godwit
