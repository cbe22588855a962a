// Column affinity: how a value is converted before it is stored in, or compared with, a column.
// Source: datatype3.html.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "value/value.h"

namespace godwit {

// The affinity of a declared column type: "INT" anywhere gives INTEGER, else CHAR, CLOB or TEXT
// give TEXT, else BLOB or no type at all BLOB, else REAL, FLOA or DOUB REAL, else NUMERIC.
Affinity affinity_of_type_name(std::string_view type_name);

// Converts *value as storing it in a column of that affinity does:
//   TEXT: numbers become text (in memory of `arena`).
//   NUMERIC, INTEGER: text that is a number becomes one; a real that is a 64-bit integer becomes
//   it. REAL: the same for text; then integers become reals. FLEXNUM: text that is a number becomes
//   one; reals stay. BLOB and none: nothing.
// Blobs and NULL never change.
void apply_affinity(Affinity affinity, ValueView* value, Arena* arena);

// Where a comparison applies numeric affinity to a text operand: the number, or the text itself.
// Needs no memory.
void apply_numeric_affinity_to_text(ValueView* value);

// The integer that `r` is, if it is one that SQLite stores instead of the real: within 64 bits, the
// two extremes excluded.
inline bool real_is_integer(double r, int64_t* integer) {
  if (!(r > -9223372036854775808.0 && r < 9223372036854775808.0)) return false;
  *integer = static_cast<int64_t>(r);
  return static_cast<double>(*integer) == r;
}

// The integer as which a REAL column stores `r` to save space: at most 48 bits.
// -0.0 becomes 0, and so reads back as 0.0.
bool real_storable_as_integer(double r, int64_t* integer);

// The form in which a column of that affinity is written to a record: REAL columns, in tables and in
// indexes, keep small whole numbers as integers; reading turns them back.
inline ValueView stored_form(Affinity affinity, const ValueView& value) {
  int64_t integer = 0;
  if (affinity == Affinity::kReal && value.is_real() &&
      real_storable_as_integer(value.real, &integer)) {
    return ValueView::of(integer);
  }
  return value;
}

}  // namespace godwit
