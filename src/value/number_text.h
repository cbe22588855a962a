// Numbers to text and text to numbers, by SQLite's rules.
//
// A number in text is
//   [white space] [+|-] digits [. digits] [(e|E) [+|-] digits] [white space]
// with at least one digit before the exponent. Hexadecimal is for SQL literals only: as text,
// '0x10' is the number 0 followed by something else. A NUL ends the text.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "value/value.h"

namespace godwit {

struct ParsedNumber {
  // The syntax of the longest prefix that is a number.
  enum class Syntax : uint8_t { kNone, kInteger, kReal };
  Syntax syntax = Syntax::kNone;
  // The whole text (up to a NUL) is a number.
  bool is_whole = false;
  // Text was left after a NUL. SQLite's arithmetic then works with the real, not the integer.
  bool ended_by_nul = false;
  // kInteger: the value fits a 64-bit integer and is in `integer`.
  bool fits_integer = false;
  int64_t integer = 0;  // saturated when it does not fit
  double real = 0;      // always set

  // The number as arithmetic and CAST AS NUMERIC first see it: an integer where the text is one.
  ValueView value() const {
    return fits_integer && !ended_by_nul ? ValueView::of(integer) : ValueView::of(real);
  }
};

ParsedNumber parse_number(std::string_view text);

// CAST(text AS INTEGER): the leading integer, saturated, 0 if there is none.
int64_t text_to_integer(std::string_view text);
// CAST(text AS REAL): the leading number, 0.0 if there is none.
double text_to_real(std::string_view text);
// Towards zero, saturated; NaN gives 0.
int64_t real_to_integer(double r);

// Room that the functions below need.
inline constexpr int kIntegerTextBytesMax = 20;
inline constexpr int kRealTextBytesMax = 32;
// Both return the bytes written; neither adds a NUL.
int integer_to_text(int64_t value, char* out);
// 17 digits at most ("%!.17g"), always with a point or exponent: 1.0, 1.0e+20. Infinity is Inf.
int real_to_text(double value, char* out);

// A number as text, in memory of `arena`. `value` must be a number.
ValueView number_to_text(const ValueView& value, Arena* arena);

}  // namespace godwit
