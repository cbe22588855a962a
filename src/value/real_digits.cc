#include "value/real_digits.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/assert.h"

namespace godwit {

namespace {

constexpr int kFirstPower = -308;
constexpr int kLastPower = 342;
constexpr uint64_t kPowersOfTen[] = {
#include "value/powers_of_ten.inc"
};
static_assert(std::size(kPowersOfTen) == kLastPower - kFirstPower + 1);

// floor(log10(2^n)) and floor(log2(10^n)), exact over the range of doubles.
constexpr int floor_log10_of_power_of_2(int n) {
  return (n * 78913) >> 18;
}
constexpr int floor_log2_of_power_of_10(int n) {
  return (n * 1741647) >> 19;
}

// The digits of a positive finite double: value = integer * 10^-power, about.
struct ScaledReal {
  uint64_t integer;
  int power;
};

constexpr int kScaledDigitsMax = 18;

// The leading `digits` digits of r, or one more. The most there can be are rounded half up; fewer
// are cut off.
ScaledReal scale(double r, int digits) {
  uint64_t bits = std::bit_cast<uint64_t>(r);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  int exponent = static_cast<int>(bits >> 52 & 0x7FF);
  if (exponent == 0) {
    exponent = 1;
  } else {
    mantissa |= uint64_t{1} << 52;
  }
  int shift = std::countl_zero(mantissa);
  mantissa <<= shift;
  exponent -= 1075 + shift;  // r = mantissa * 2^exponent

  int power = digits - 1 - floor_log10_of_power_of_2(exponent + 63);
  GW_ASSERT(power >= kFirstPower && power <= kLastPower);
  // 10^power = factor * 2^(log2 - 63), so r * 10^power = product * 2^-down.
  uint64_t factor = kPowersOfTen[power - kFirstPower];
  int down = -(exponent + floor_log2_of_power_of_10(power) - 63 + 64);
  uint64_t product = static_cast<uint64_t>(static_cast<unsigned __int128>(mantissa) * factor >> 64);
  if (digits == kScaledDigitsMax) product += uint64_t{1} << (down - 1);
  return {product >> down, power};
}

// Writes the digits of `value`; returns their number.
int write_digits(uint64_t value, char* out) {
  return static_cast<int>(std::to_chars(out, out + 20, value).ptr - out);
}

uint64_t read_digits(const char* digits, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value * 10 + static_cast<uint64_t>(digits[i] - '0');
  return value;
}

// Tries the forms without a tail of nines or zeros; true if one of them is `r`.
bool shorten(double r, RealDigits* d) {
  const char* z = d->digits;
  int kept;
  uint64_t value;
  if (z[14] == '9' && z[15] == '9') {
    kept = 14;
    while (kept > 0 && z[kept - 1] == '9') --kept;
    value = read_digits(z, kept) + 1;
  } else if (d->point >= d->count || (z[13] == '0' && z[14] == '0' && z[15] == '0')) {
    kept = 13;
    while (z[kept - 1] == '0') --kept;
    value = read_digits(z, kept);
  } else {
    return false;
  }
  if (decimal_to_real(value, d->point - kept) != r) return false;
  int count = write_digits(value, d->digits);
  d->point += count - kept;  // 99.9 became 100
  d->count = count;
  return true;
}

// Rounds half up to `digits` (at least 0) of the digits there are.
void round_to(int digits, RealDigits* d) {
  if (digits >= d->count) return;
  bool up = d->digits[digits] >= '5';
  d->count = digits;
  if (!up) return;
  int i = digits;
  while (i > 0 && d->digits[i - 1] == '9') --i;
  if (i == 0) {
    d->digits[0] = '1';
    d->count = 1;
    ++d->point;
    return;
  }
  ++d->digits[i - 1];
  d->count = i;
}

// `fixed`: digits counts from the decimal point, else from the first digit.
RealDigits make_digits(double r, int digits, bool fixed, int digits_max) {
  RealDigits d;
  d.negative = r < 0;
  if (r != r || std::isinf(r)) {
    d.kind = r != r ? RealDigits::Kind::kNan : RealDigits::Kind::kInfinite;
    return d;
  }
  if (r == 0) {
    d.digits[0] = '0';
    d.count = d.point = 1;
    return d;
  }
  double magnitude = std::fabs(r);
  // One digit more than wanted is enough to round, where their number is known beforehand.
  ScaledReal scaled =
      scale(magnitude, fixed ? kScaledDigitsMax : std::min(digits + 1, kScaledDigitsMax));
  d.count = write_digits(scaled.integer, d.digits);
  d.point = d.count - scaled.power;
  if (fixed) digits += d.point;
  if (digits < 0) {
    d.count = 0;
  } else {
    digits = std::min(digits, digits_max);
    if (digits != kRealTextDigits || digits >= d.count || !shorten(magnitude, &d)) {
      round_to(digits, &d);
    }
  }
  while (d.count > 0 && d.digits[d.count - 1] == '0') --d.count;
  if (d.count == 0) {
    d.digits[0] = '0';
    d.count = d.point = 1;
  }
  return d;
}

}  // namespace

RealDigits real_digits(double r, int digits, int digits_max) {
  return make_digits(r, digits, false, digits_max);
}

RealDigits real_digits_fixed(double r, int decimals, int digits_max) {
  return make_digits(r, decimals, true, digits_max);
}

double decimal_to_real(uint64_t mantissa, int exponent) {
  constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (mantissa == 0) return 0;
  if (mantissa <= uint64_t{1} << 53) {
    // Both operands are exact, so the one operation rounds correctly.
    if (exponent >= 0 && exponent <= 22)
      return static_cast<double>(mantissa) * kExactPowers[exponent];
    if (exponent < 0 && exponent >= -22)
      return static_cast<double>(mantissa) / kExactPowers[-exponent];
  }
  if (exponent > 310) return std::numeric_limits<double>::infinity();
  if (exponent < -345) return 0;
  char text[32];
  char* end = std::to_chars(text, text + 20, mantissa).ptr;
  *end++ = 'e';
  end = std::to_chars(end, text + sizeof(text), exponent).ptr;
  double result = 0;
  if (std::from_chars(text, end, result).ec == std::errc::result_out_of_range) {
    return exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  return result;
}

}  // namespace godwit
