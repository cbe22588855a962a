// 64-bit hashes for tables in memory. Not stable across versions: never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace godwit {

// Both halves of the 128-bit product, folded: every input bit reaches every output bit.
inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline constexpr uint64_t kHashSeed = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
inline constexpr uint64_t kHashFactor = 0xD6E8FEB86659FD93;

inline uint64_t hash_integer(uint64_t value, uint64_t seed = kHashSeed) {
  return hash_mix(value ^ seed, kHashFactor);
}

inline uint64_t hash_bytes(std::string_view bytes, uint64_t seed = kHashSeed) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = seed ^ left;
  while (left >= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = hash_mix(hash ^ word, kHashFactor);
    p += 8;
    left -= 8;
  }
  if (left > 0) {
    uint64_t word = 0;
    std::memcpy(&word, p, left);
    hash = hash_mix(hash ^ word, kHashFactor);
  }
  return hash_mix(hash, kHashSeed);
}

}  // namespace godwit
