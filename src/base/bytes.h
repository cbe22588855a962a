// Byte spans and the two integer codecs of the file format: big-endian fields and varints.
//
// A varint is 1 to 9 bytes, most significant group first: each of the first eight bytes holds seven
// bits, its high bit set when another byte follows; a ninth byte holds eight bits.
//   0x05 -> 5      0x81 0x00 -> 128      0xff x 9 -> 0xffffffffffffffff
// Source: "Database File Format" in SQLite's documentation (fileformat2.html, section 1.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace godwit {

using ByteSpan = std::span<const uint8_t>;
using MutableByteSpan = std::span<uint8_t>;

inline ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline uint16_t load_be16(const uint8_t* p) { return static_cast<uint16_t>(p[0] << 8 | p[1]); }
inline uint32_t load_be32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}
inline uint64_t load_be64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return __builtin_bswap64(v);
}
inline void store_be16(uint8_t* p, uint32_t v) {
  p[0] = static_cast<uint8_t>(v >> 8);
  p[1] = static_cast<uint8_t>(v);
}
inline void store_be32(uint8_t* p, uint32_t v) {
  v = __builtin_bswap32(v);
  std::memcpy(p, &v, 4);
}
inline void store_be64(uint8_t* p, uint64_t v) {
  v = __builtin_bswap64(v);
  std::memcpy(p, &v, 8);
}

inline constexpr int kVarintBytesMax = 9;

namespace internal {
int read_varint_slow(const uint8_t* p, const uint8_t* end, uint64_t* value);
int write_varint_slow(uint8_t* p, uint64_t value);
}  // namespace internal

// Reads a varint that starts at `p` and must end before or at `end`. Returns the bytes used, or 0
// if the varint runs past `end` (then *value is untouched).
inline int read_varint(const uint8_t* p, const uint8_t* end, uint64_t* value) {
  if (p < end && p[0] < 0x80) {
    *value = p[0];
    return 1;
  }
  if (end - p >= 2 && p[1] < 0x80) {
    *value = static_cast<uint64_t>(p[0] & 0x7f) << 7 | p[1];
    return 2;
  }
  return internal::read_varint_slow(p, end, value);
}

// Writes `value` at `p`, which must have room for kVarintBytesMax bytes. Returns the bytes used.
inline int write_varint(uint8_t* p, uint64_t value) {
  if (value < 0x80) {
    p[0] = static_cast<uint8_t>(value);
    return 1;
  }
  if (value < 0x4000) {
    p[0] = static_cast<uint8_t>(value >> 7 | 0x80);
    p[1] = static_cast<uint8_t>(value & 0x7f);
    return 2;
  }
  return internal::write_varint_slow(p, value);
}

inline void append_varint(uint64_t value, std::string* out) {
  uint8_t bytes[kVarintBytesMax];
  out->append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(write_varint(bytes, value)));
}

// Bytes that write_varint() uses for `value`.
inline int varint_size(uint64_t value) {
  int n = 1;
  while (value >>= 7) ++n;
  return n < kVarintBytesMax ? n : kVarintBytesMax;
}

}  // namespace godwit
