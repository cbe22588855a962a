// UTF-16 bytes of a damaged database as UTF-8: what is no character becomes U+FFFD.
#pragma once

#include <cstdint>
#include <string>

namespace godwit::shell {

inline std::string utf8_of_utf16(const std::string& bytes, bool big_endian) {
  auto unit = [&](size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<uint32_t>(big_endian ? a << 8 | b : b << 8 | a);
  };
  std::string text;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    uint32_t c = unit(i);
    const bool is_surrogate = c >= 0xd800 && c < 0xe000;
    if (c >= 0xd800 && c < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >> 10 == 0xdc00 >> 10) {
      c = 0x10000 + ((c - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (is_surrogate) {
      c = 0xfffd;
    }
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xc0 | c >> 6);
      text += static_cast<char>(0x80 | (c & 0x3f));
    } else {
      if (c < 0x10000) {
        text += static_cast<char>(0xe0 | c >> 12);
      } else {
        text += static_cast<char>(0xf0 | c >> 18);
        text += static_cast<char>(0x80 | (c >> 12 & 0x3f));
      }
      text += static_cast<char>(0x80 | (c >> 6 & 0x3f));
      text += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return text;
}

}  // namespace godwit::shell
