// The decimal digits of a double, as SQLite chooses them.
//
// A double is first turned into decimal digits by one 64 x 64 bit multiplication: one digit more
// than are wanted, cut off, or, where more than 16 are wanted or the number is not known
// beforehand, 18 or 19, rounded. Those are then rounded half up to what is wanted. Both steps are
// part of what SQLite prints: 6697.3040144022088498 becomes 6697.3040144022089, by way of ...20885.
//
// Where 17 digits are asked for, which is how a real becomes text, digits that end in ...000x or
// ...99x are tried without that tail, and the shorter form is taken if it reads back as the same
// double: this is why 0.1 prints as 0.1 and 0.3 + 0.6 as 0.89999999999999991.
#pragma once

#include <cstdint>

namespace godwit {

inline constexpr int kRealDigitsMax = 19;
// Digits that make up the text form of a real.
inline constexpr int kRealTextDigits = 17;

struct RealDigits {
  enum class Kind : uint8_t { kFinite, kInfinite, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  int count = 0;  // of digits, without trailing zeros; 1 for zero ("0")
  int point = 0;  // the value is 0.DIGITS * 10^point
  char digits[kRealDigitsMax + 2];
};

// Digits of `r` rounded half up to `digits` significant ones, and to `digits_max` at most.
RealDigits real_digits(double r, int digits, int digits_max);
// The same, rounded to `decimals` digits after the decimal point. The result may have no digit
// left, which is zero ("0").
RealDigits real_digits_fixed(double r, int decimals, int digits_max);

// mantissa * 10^exponent, correctly rounded (half to even); infinity and zero beyond the range.
double decimal_to_real(uint64_t mantissa, int exponent);

}  // namespace godwit
