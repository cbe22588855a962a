// A small pseudo-random generator (xoshiro256**), seeded by the caller: no entropy of its own, so
// that a simulation decides every number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace godwit {

class Prng {
 public:
  explicit Prng(uint64_t seed = 1) { reseed(seed); }

  void reseed(uint64_t seed) {
    // splitmix64 spreads a small seed over the whole state.
    for (uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }

  uint64_t next() {
    uint64_t result = rotate(state_[1] * 5, 7) * 9;
    uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // In [0, bound); bound > 0.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  void fill(void* out, size_t count) {
    auto* p = static_cast<uint8_t*>(out);
    while (count > 0) {
      uint64_t word = next();
      size_t n = count < 8 ? count : 8;
      std::memcpy(p, &word, n);
      p += n;
      count -= n;
    }
  }

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state_[4];
};

}  // namespace godwit
