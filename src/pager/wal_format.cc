// The sums are a linear recurrence: over n pairs of words,
//
//     (s0, s1) -> M^n (s0, s1) + what the same words give from (0, 0)     M = | 1 1 |
//                                                                             | 1 2 |
//
// so a page is summed up in four parts side by side, which keeps the processor busy where one chain of
// additions would not. The powers of M are symmetric: | a b |, c = a + b.
//                                                     | b c |
#include "pager/wal_format.h"

namespace godwit {
namespace {

constexpr size_t kParts = 4;
constexpr size_t kSizeToSplitMin = 256;

template <bool kSwap>
inline void add_pair(const uint8_t* bytes, WalChecksum* sum) {
  uint32_t x0, x1;
  std::memcpy(&x0, bytes, 4);
  std::memcpy(&x1, bytes + 4, 4);
  if (kSwap) {
    x0 = __builtin_bswap32(x0);
    x1 = __builtin_bswap32(x1);
  }
  // The inputs are added to what is known early, so that the chain is one addition per word.
  sum->s0 = (sum->s0 + x0) + sum->s1;
  sum->s1 = (sum->s1 + x1) + sum->s0;
}

// One word of each part.
typedef uint32_t Words __attribute__((vector_size(16)));

// From four words in a row of each part to the first words of all, the second words of all, ...
inline void transpose(Words* x) {
  const Words low01 = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
  const Words high01 = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const Words low23 = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  const Words high23 = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

inline Words swap_bytes(Words w) {
  return w << 24 | (w & 0xff00) << 8 | (w >> 8 & 0xff00) | w >> 24;
}

// M^pairs.
struct Power {
  explicit Power(size_t pairs) {
    uint32_t square_a = 1, square_b = 1;  // M^1, M^2, M^4, ...
    for (; pairs > 0; pairs >>= 1) {
      if ((pairs & 1) != 0) multiply(square_a, square_b);
      const uint32_t b = square_b * (2 * square_a + square_b);
      square_a = square_a * square_a + square_b * square_b;
      square_b = b;
    }
  }
  void multiply(uint32_t other_a, uint32_t other_b) {
    const uint32_t next_a = a * other_a + b * other_b;
    b = a * other_b + b * (other_a + other_b);
    a = next_a;
  }
  WalChecksum apply(WalChecksum sum) const {
    return {a * sum.s0 + b * sum.s1, b * sum.s0 + (a + b) * sum.s1};
  }
  uint32_t a = 1, b = 0;
};

template <bool kSwap>
WalChecksum run(WalChecksum sum, const uint8_t* bytes, size_t size) {
  if (size < kSizeToSplitMin || size % (16 * kParts) != 0) {
    for (size_t at = 0; at < size; at += 8) add_pair<kSwap>(bytes + at, &sum);
    return sum;
  }
  const size_t part = size / kParts;
  Words s0 = {sum.s0, 0, 0, 0};
  Words s1 = {sum.s1, 0, 0, 0};
  for (size_t at = 0; at < part; at += 16) {
    Words x[kParts];
    for (size_t i = 0; i < kParts; ++i) std::memcpy(&x[i], bytes + i * part + at, 16);
    transpose(x);
    if (kSwap) {
      for (Words& words : x) words = swap_bytes(words);
    }
    s0 = (s0 + x[0]) + s1;
    s1 = (s1 + x[1]) + s0;
    s0 = (s0 + x[2]) + s1;
    s1 = (s1 + x[3]) + s0;
  }
  const Power power(part / 8);
  sum = {s0[0], s1[0]};
  for (size_t i = 1; i < kParts; ++i) {
    sum = power.apply(sum);
    sum.s0 += s0[i];
    sum.s1 += s1[i];
  }
  return sum;
}

}  // namespace

WalChecksum wal_checksum(WalChecksum start, const uint8_t* bytes, size_t size, bool swap) {
  return swap ? run<true>(start, bytes, size) : run<false>(start, bytes, size);
}

}  // namespace godwit
