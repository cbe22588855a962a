// Keys of rows for GROUP BY, DISTINCT, set operators and hash joins: values as bytes, so that two
// rows are equal exactly when their bytes are.
//
//   NULL      00
//   integer   01, 8 bytes            also reals that equal an integer
//   real      02, 8 bytes
//   text      03, 4 bytes of size, normal form    the form depends on the collation
//   blob      04, 4 bytes of size, bytes
//
// Normal forms of text: BINARY as it is; RTRIM without trailing spaces; NOCASE in lower case up to
// the first NUL (what is behind it only counts by the text's size, which is the size stored);
// BINARY of a UTF-16 database as UTF-16; user-defined collations 4 bytes that number the
// classes of equal texts in the order they were met. Keys of one encoder are therefore only
// comparable with each other. They do not sort.
//
// Affinities are not applied here: see vector_affinity.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value/collation.h"
#include "vector/vector.h"

namespace godwit {

// If `real` is equal to some integer, that integer.
inline bool real_equals_integer(double real, int64_t* integer) {
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) return false;
  int64_t whole = static_cast<int64_t>(real);
  if (static_cast<double>(whole) != real) return false;
  *integer = whole;
  return true;
}

class RowKeyEncoder {
 public:
  // One collation a column; null means BINARY.
  explicit RowKeyEncoder(std::span<const Collation* const> collations);

  // An encoded text of a single column: where its normal form begins.
  static constexpr char kTextTag = 3;
  static constexpr size_t kSizedHeaderBytes = 5;

  size_t column_count() const { return columns_.size(); }

  // The key of row `row`; valid until the next call. *has_null: some column is NULL.
  std::string_view encode(std::span<const Vector* const> columns, uint32_t row, bool* has_null);
  // The same for values that are not in vectors.
  std::string_view encode(std::span<const ValueView> values, bool* has_null);

  // Bytes held for user-defined collations.
  size_t bytes_held() const { return bytes_held_; }

 private:
  struct CollationLess {
    using is_transparent = void;
    const Collation* collation;
    bool operator()(std::string_view a, std::string_view b) const {
      return collation->compare(a, b) < 0;
    }
  };
  using TextClasses = std::map<std::string, uint32_t, CollationLess>;
  struct Column {
    const Collation* collation;
    std::unique_ptr<TextClasses> classes;  // user-defined collations only
  };

  char* room(size_t bytes);
  void append_value(Column& column, const ValueView& value);
  void append_text(Column& column, const ValueView& value);
  void append_sized(char tag, std::string_view bytes);

  std::vector<Column> columns_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t size_ = 0;
  size_t bytes_held_ = 0;
  std::vector<uint8_t> utf16_;
};

}  // namespace godwit
