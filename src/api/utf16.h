// UTF-16 texts of C callers, in the byte order of the machine (taken as little-endian).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/utf.h"

namespace godwit::api {

// Bytes before the two NULs.
inline size_t utf16_size(const void* text) {
  const auto* bytes = static_cast<const uint8_t*>(text);
  size_t size = 0;
  while (bytes[size] != 0 || bytes[size + 1] != 0) size += 2;
  return size;
}

// `bytes` negative: up to the NULs. An odd byte at the end is left out.
inline std::string utf16_to_utf8(const void* text, int64_t bytes = -1, bool big_endian = false) {
  size_t size = bytes < 0 ? utf16_size(text) : static_cast<size_t>(bytes) & ~size_t{1};
  std::string utf8;
  append_utf16_as_utf8(static_cast<const uint8_t*>(text), size, big_endian, &utf8);
  return utf8;
}

}  // namespace godwit::api
