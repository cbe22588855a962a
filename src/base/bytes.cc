#include "base/bytes.h"

namespace godwit::internal {

int read_varint_slow(const uint8_t* p, const uint8_t* end, uint64_t* value) {
  uint64_t v = 0;
  for (int i = 0; i < 8; ++i) {
    if (p + i >= end) return 0;
    v = v << 7 | (p[i] & 0x7f);
    if (p[i] < 0x80) {
      *value = v;
      return i + 1;
    }
  }
  if (p + 8 >= end) return 0;
  *value = v << 8 | p[8];
  return kVarintBytesMax;
}

int write_varint_slow(uint8_t* p, uint64_t value) {
  if (value >> 56) {
    p[8] = static_cast<uint8_t>(value);
    value >>= 8;
    for (int i = 7; i >= 0; --i) {
      p[i] = static_cast<uint8_t>((value & 0x7f) | 0x80);
      value >>= 7;
    }
    return kVarintBytesMax;
  }
  int n = varint_size(value);
  for (int i = n - 1; i >= 0; --i) {
    p[i] = static_cast<uint8_t>((value & 0x7f) | (i == n - 1 ? 0 : 0x80));
    value >>= 7;
  }
  return n;
}

}  // namespace godwit::internal
