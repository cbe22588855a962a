#include "value/collation.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/utf.h"

namespace godwit {

namespace {

int compare_bytes(std::string_view a, std::string_view b) {
  size_t shared = std::min(a.size(), b.size());
  int order = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), shared);
  if (order != 0) return order;
  return a.size() < b.size() ? -1 : a.size() > b.size();
}

int compare_no_case(std::string_view a, std::string_view b) {
  size_t shared = std::min(a.size(), b.size());
  for (size_t i = 0; i < shared; ++i) {
    int order = static_cast<uint8_t>(ascii_lower(a[i])) - static_cast<uint8_t>(ascii_lower(b[i]));
    if (order != 0) return order;
    // NOCASE takes both texts as ending at a NUL that they share, but still compares the lengths.
    if (a[i] == '\0') break;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size();
}

std::string_view without_trailing_spaces(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

uint64_t hash_no_case(std::string_view text) {
  uint64_t hash = kHashSeed ^ text.size();
  for (char c : text.substr(0, text.find('\0'))) {
    hash = (hash ^ static_cast<uint8_t>(ascii_lower(c))) * kHashFactor;
  }
  return hash_integer(hash);
}

uint64_t hash_as_utf16(std::string_view text) {
  uint64_t hash = kHashSeed;
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end) {
    uint32_t c = read_utf8(&p, end);
    // Bits that UTF-16 cannot hold do not take part in the comparison either.
    if (c > 0xFFFF) c = 0x10000 + ((c - 0x10000) & 0xFFFFF);
    hash = (hash ^ c) * kHashFactor;
  }
  return hash_integer(hash);
}

Collation make(const char* name, Collation::Kind kind) {
  Collation collation;
  collation.name = name;
  collation.kind = kind;
  return collation;
}

}  // namespace

int Collation::compare(std::string_view a, std::string_view b) const {
  switch (kind) {
    case Kind::kBinary:
      return compare_bytes(a, b);
    case Kind::kNoCase:
      return compare_no_case(a, b);
    case Kind::kRtrim:
      return compare_bytes(without_trailing_spaces(a), without_trailing_spaces(b));
    case Kind::kUser: {
      int order = compare_function(context, a, b);  // any int; callers may negate ours
      return order < 0 ? -1 : order > 0;
    }
    case Kind::kBinary16le:
      return compare_as_utf16(a, b, false);
    case Kind::kBinary16be:
      return compare_as_utf16(a, b, true);
  }
  return 0;
}

uint64_t Collation::hash(std::string_view text) const {
  switch (kind) {
    case Kind::kBinary:
      return hash_bytes(text);
    case Kind::kNoCase:
      return hash_no_case(text);
    case Kind::kRtrim:
      return hash_bytes(without_trailing_spaces(text));
    case Kind::kUser:
      return kHashSeed;
    case Kind::kBinary16le:
    case Kind::kBinary16be:
      return hash_as_utf16(text);
  }
  return 0;
}

const Collation* binary_collation(TextEncoding encoding) {
  static const Collation utf8 = make("BINARY", Collation::Kind::kBinary);
  static const Collation utf16le = make("BINARY", Collation::Kind::kBinary16le);
  static const Collation utf16be = make("BINARY", Collation::Kind::kBinary16be);
  if (encoding == TextEncoding::kUtf16le) return &utf16le;
  return encoding == TextEncoding::kUtf16be ? &utf16be : &utf8;
}

const Collation* nocase_collation() {
  static const Collation nocase = make("NOCASE", Collation::Kind::kNoCase);
  return &nocase;
}

const Collation* rtrim_collation() {
  static const Collation rtrim = make("RTRIM", Collation::Kind::kRtrim);
  return &rtrim;
}

const Collation* builtin_collation(std::string_view name, TextEncoding encoding) {
  if (equals_ignore_case(name, "BINARY")) return binary_collation(encoding);
  if (equals_ignore_case(name, "NOCASE")) return nocase_collation();
  if (equals_ignore_case(name, "RTRIM")) return rtrim_collation();
  return nullptr;
}

}  // namespace godwit
