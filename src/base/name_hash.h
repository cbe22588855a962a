// The hash of a name of SQL, in which the case of ASCII letters does not count: names that
// equals_ignore_case() takes for equal have equal hashes. Never stored.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"
#include "base/utf.h"

namespace godwit {

inline uint64_t hash_name(std::string_view name) {
  uint64_t hash = kHashSeed;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(ascii_lower(c))) * kHashFactor;
  return hash ^ (hash >> 32);
}

}  // namespace godwit
