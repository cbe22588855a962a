// LIKE and GLOB patterns that need no pattern matching: only text with wildcards around it.
//
//   'abc'    kEquals      'abc%'   kPrefix      '%abc'   kSuffix      '%abc%'  kContains
//
// Only patterns of ASCII characters qualify, so that bytes may be compared where SQLite compares
// characters. A NUL ends the pattern and the text. LIKE ignores the case of ASCII letters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace godwit {

class LikePattern {
 public:
  enum class Kind : uint8_t { kEquals, kPrefix, kSuffix, kContains };

  // Nothing: the pattern needs the general function.
  static std::optional<LikePattern> analyze(std::string_view pattern, bool glob);

  bool matches(std::string_view text) const;
  Kind kind() const { return kind_; }

 private:
  bool equal(const char* text) const;  // literal_.size() bytes
  bool contained_in(std::string_view text) const;

  Kind kind_ = Kind::kEquals;
  bool ignore_case_ = false;
  std::string literal_;  // in lower case if ignore_case_
};

}  // namespace godwit
