#include "pager/wal_format.h"

namespace godwit {
namespace {

template <bool kSwap>
WalChecksum run(WalChecksum sum, const uint8_t* bytes, size_t size) {
  uint32_t s0 = sum.s0;
  uint32_t s1 = sum.s1;
  const uint8_t* end = bytes + size;
  for (; bytes < end; bytes += 8) {
    uint32_t x0, x1;
    std::memcpy(&x0, bytes, 4);
    std::memcpy(&x1, bytes + 4, 4);
    if (kSwap) {
      x0 = __builtin_bswap32(x0);
      x1 = __builtin_bswap32(x1);
    }
    // The inputs are added to what is known early, so that the chain is one addition per word.
    s0 = (s0 + x0) + s1;
    s1 = (s1 + x1) + s0;
  }
  return {s0, s1};
}

}  // namespace

WalChecksum wal_checksum(WalChecksum start, const uint8_t* bytes, size_t size, bool swap) {
  return swap ? run<true>(start, bytes, size) : run<false>(start, bytes, size);
}

}  // namespace godwit
