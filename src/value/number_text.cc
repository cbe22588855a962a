#include "value/number_text.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "base/assert.h"
#include "base/utf.h"
#include "value/real_digits.h"

namespace godwit {

namespace {

constexpr int64_t kIntegerMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kIntegerMin = std::numeric_limits<int64_t>::min();
// A digit is taken into the mantissa only while it surely fits.
constexpr uint64_t kMantissaMax = (std::numeric_limits<uint64_t>::max() - 9) / 10;
// Larger exponents are all infinity or zero.
constexpr int kExponentMax = 10000;

// Digits read so far: mantissa * 10^exponent. Digits beyond the 64-bit mantissa are dropped, as
// SQLite does: they do not take part in rounding.
struct Decimal {
  uint64_t mantissa = 0;
  int exponent = 0;
  bool any = false;

  const char* read(const char* p, const char* end, bool after_point) {
    for (; p < end && is_ascii_digit(*p); ++p) {
      any = true;
      if (mantissa <= kMantissaMax) {
        mantissa = mantissa * 10 + static_cast<uint64_t>(*p - '0');
        exponent -= after_point;
      } else if (!after_point && exponent < kExponentMax) {
        ++exponent;
      }
    }
    return p;
  }
};

// Reads an exponent at `p` (on its 'e'); returns its end, or `p` if it has no digit.
const char* read_exponent(const char* p, const char* end, int* exponent) {
  const char* start = p++;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  if (p == end || !is_ascii_digit(*p)) return start;
  int value = 0;
  for (; p < end && is_ascii_digit(*p); ++p) {
    if (value < kExponentMax) value = value * 10 + (*p - '0');
  }
  *exponent = negative ? -value : value;
  return p;
}

const char* skip_spaces(const char* p, const char* end) {
  while (p < end && is_ascii_space(*p)) ++p;
  return p;
}

// The integer at `p` (a sign was read already), saturated. *fits: it did not have to be.
int64_t read_integer(const char* p, const char* end, bool negative, bool* fits) {
  uint64_t value = 0;
  const uint64_t limit = static_cast<uint64_t>(kIntegerMax) + negative;
  *fits = true;
  for (; p < end && is_ascii_digit(*p); ++p) {
    uint64_t digit = static_cast<uint64_t>(*p - '0');
    if (value > (limit - digit) / 10) {
      *fits = false;
      return negative ? kIntegerMin : kIntegerMax;
    }
    value = value * 10 + digit;
  }
  return static_cast<int64_t>(negative ? 0 - value : value);
}

}  // namespace

ParsedNumber parse_number(std::string_view text) {
  ParsedNumber result;
  const char* p = text.data();
  const char* end = p + text.size();
  p = skip_spaces(p, end);
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;

  const char* digits = p;
  Decimal decimal;
  p = decimal.read(p, end, false);
  const char* integer_end = p;
  if (p < end && *p == '.') p = decimal.read(p + 1, end, true);
  if (!decimal.any) return result;
  int exponent = 0;
  bool complete = true;
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char* after = read_exponent(p, end, &exponent);
    complete = after != p;
    p = after;
  }
  result.syntax = p == integer_end ? ParsedNumber::Syntax::kInteger : ParsedNumber::Syntax::kReal;
  p = skip_spaces(p, end);
  result.ended_by_nul = p < end && *p == '\0' && complete;
  result.is_whole = complete && (p == end || *p == '\0');

  result.real = decimal_to_real(decimal.mantissa, decimal.exponent + exponent);
  if (negative) result.real = -result.real;
  bool fits;
  result.integer = read_integer(digits, integer_end, negative, &fits);
  result.fits_integer = fits && result.syntax == ParsedNumber::Syntax::kInteger;
  return result;
}

int64_t text_to_integer(std::string_view text) {
  const char* end = text.data() + text.size();
  const char* p = skip_spaces(text.data(), end);
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  bool fits;
  return read_integer(p, end, negative, &fits);
}

double text_to_real(std::string_view text) {
  return parse_number(text).real;
}

int64_t real_to_integer(double r) {
  if (r != r) return 0;
  if (r <= -9223372036854775808.0) return kIntegerMin;
  if (r >= 9223372036854775808.0) return kIntegerMax;
  return static_cast<int64_t>(r);
}

int integer_to_text(int64_t value, char* out) {
  return static_cast<int>(std::to_chars(out, out + kIntegerTextBytesMax, value).ptr - out);
}

int real_to_text(double value, char* out) {
  RealDigits d = real_digits(value, kRealTextDigits, kRealTextDigits);
  char* p = out;
  if (d.kind == RealDigits::Kind::kNan) return 0;
  if (d.negative) *p++ = '-';
  if (d.kind == RealDigits::Kind::kInfinite) {
    std::memcpy(p, "Inf", 3);
    return static_cast<int>(p + 3 - out);
  }
  auto put = [&p](const char* bytes, int count) {
    std::memcpy(p, bytes, static_cast<size_t>(count));
    p += count;
  };
  auto zeros = [&p](int count) {
    std::memset(p, '0', static_cast<size_t>(count));
    p += count;
  };
  int exponent = d.point - 1;
  if (exponent < -4 || exponent >= kRealTextDigits) {
    *p++ = d.digits[0];
    *p++ = '.';
    if (d.count > 1) {
      put(d.digits + 1, d.count - 1);
    } else {
      *p++ = '0';
    }
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    int magnitude = exponent < 0 ? -exponent : exponent;
    if (magnitude < 10) *p++ = '0';
    p = std::to_chars(p, p + 3, magnitude).ptr;
  } else if (d.point <= 0) {
    put("0.", 2);
    zeros(-d.point);
    put(d.digits, d.count);
  } else if (d.count <= d.point) {
    put(d.digits, d.count);
    zeros(d.point - d.count);
    put(".0", 2);
  } else {
    put(d.digits, d.point);
    *p++ = '.';
    put(d.digits + d.point, d.count - d.point);
  }
  return static_cast<int>(p - out);
}

ValueView number_to_text(const ValueView& value, Arena* arena) {
  GW_ASSERT(value.is_number());
  char* out = static_cast<char*>(arena->allocate(kRealTextBytesMax, 1));
  int size =
      value.is_integer() ? integer_to_text(value.integer, out) : real_to_text(value.real, out);
  return ValueView::of_text({out, static_cast<size_t>(size)});
}

}  // namespace godwit
