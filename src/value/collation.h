// Collations: named orders of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "value/value.h"

namespace godwit {

// Immutable once registered. Statements hold pointers to collations; the connection's registry
// (engine/) owns user-defined ones and keeps them alive while a statement uses them.
struct Collation {
  enum class Kind : uint8_t { kBinary, kNoCase, kRtrim, kUser, kBinary16le, kBinary16be };
  using CompareFunction = int (*)(void* context, std::string_view a, std::string_view b);

  std::string name;
  Kind kind = Kind::kBinary;
  CompareFunction compare_function = nullptr;  // kUser only
  void* context = nullptr;

  bool is_binary() const { return kind == Kind::kBinary; }
  // <0, 0, >0 as a sorts before, with, after b.
  int compare(std::string_view a, std::string_view b) const;
  // Equal texts give equal hashes. User collations hash to a constant.
  uint64_t hash(std::string_view text) const;
};

// BINARY of a UTF-16 database orders by the bytes of that encoding, so it depends on the encoding.
const Collation* binary_collation(TextEncoding encoding = TextEncoding::kUtf8);
const Collation* nocase_collation();
const Collation* rtrim_collation();
// The built-in collation of that name (any case), or null.
const Collation* builtin_collation(std::string_view name,
                                   TextEncoding encoding = TextEncoding::kUtf8);

}  // namespace godwit
