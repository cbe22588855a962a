#include "function/printf.h"

#include <algorithm>

#include "base/utf.h"
#include "value/real_digits.h"

namespace godwit {

namespace {

// One conversion: %[flags][width][.precision][l|ll]type
struct Conversion {
  bool left = false;        // -
  char sign = 0;            // + or space, whichever came last
  bool alternate = false;   // #
  bool alternate2 = false;  // !
  bool zero_pad = false;    // 0
  bool thousands = false;   // ,
  int width = 0;
  int precision = -1;  // none
  char type = 0;
};

// Widths and precisions are 31 bits, and wrap around, as SQLite's do.
int read_number(std::string_view format, size_t* at) {
  uint32_t value = 0;
  while (*at < format.size() && is_ascii_digit(format[*at])) {
    value = value * 10 + static_cast<uint32_t>(format[(*at)++] - '0');
  }
  return static_cast<int>(value & 0x7FFFFFFF);
}

class Formatter {
 public:
  Formatter(FormatArguments* arguments, int64_t bytes_max, std::string* out)
      : arguments_(arguments), bytes_max_(bytes_max), out_(out), start_(out->size()) {}

  Status run(std::string_view format);
  bool wrote_anything() const { return wrote_anything_; }

 private:
  bool parse(std::string_view format, size_t* at, Conversion* c);
  // False: the type is unknown.
  bool convert(Conversion c);
  void integer(const Conversion& c, unsigned base);
  void real(Conversion c);
  void real_digits_out(const Conversion& c, const RealDigits& digits, int whole_digits,
                       int decimals, bool trim, bool exponent, std::string* out);
  void character(const Conversion& c);
  void text(const Conversion& c);
  void quoted(const Conversion& c);

  // Writes `body` with spaces up to the width; `characters`: the width counts those.
  void pad(const Conversion& c, std::string_view body, bool characters = false);
  bool fits(uint64_t more) {
    if (out_->size() - start_ + more <= static_cast<uint64_t>(bytes_max_)) return true;
    too_big_ = true;
    return false;
  }
  void put(std::string_view part) {
    wrote_anything_ = true;
    if (fits(part.size())) out_->append(part);
  }

  FormatArguments* arguments_;
  int64_t bytes_max_;
  std::string* out_;
  size_t start_;
  bool wrote_anything_ = false;
  bool too_big_ = false;
};

Status Formatter::run(std::string_view format) {
  size_t at = 0;
  while (at < format.size() && !too_big_) {
    size_t percent = std::min(format.find('%', at), format.size());
    if (percent > at) put(format.substr(at, percent - at));
    at = percent + 1;
    if (percent == format.size()) break;
    if (at == format.size()) {
      put("%");
      break;
    }
    Conversion c;
    if (!parse(format, &at, &c) || !convert(c)) break;
  }
  return too_big_ ? Status(code::kTooBig) : Status();
}

// Reads the conversion at *at, behind the percent sign.
bool Formatter::parse(std::string_view format, size_t* at, Conversion* c) {
  for (bool flag = true; flag && *at < format.size(); *at += flag) {
    switch (format[*at]) {
      case '-':
        c->left = true;
        break;
      case '+':
      case ' ':
        c->sign = format[*at];
        break;
      case '#':
        c->alternate = true;
        break;
      case '!':
        c->alternate2 = true;
        break;
      case '0':
        c->zero_pad = true;
        break;
      case ',':
        c->thousands = true;
        break;
      default:
        flag = false;
    }
  }
  if (*at < format.size() && format[*at] == '*') {
    ++*at;
    int width = static_cast<int>(arguments_->next_integer());
    if (width < 0) {
      c->left = true;
      width = width == INT32_MIN ? 0 : -width;
    }
    c->width = width;
  } else {
    c->width = read_number(format, at);
  }
  if (*at < format.size() && format[*at] == '.') {
    ++*at;
    if (*at < format.size() && format[*at] == '*') {
      ++*at;
      int precision = static_cast<int>(arguments_->next_integer());
      c->precision = precision == INT32_MIN ? -1 : std::abs(precision);
    } else {
      c->precision = read_number(format, at);
    }
  }
  for (int i = 0; i < 2 && *at < format.size() && format[*at] == 'l'; ++i) ++*at;
  if (*at == format.size()) return false;
  c->type = format[(*at)++];
  return true;
}

bool Formatter::convert(Conversion c) {
  switch (c.type) {
    case 'd':
    case 'i':
    case 'u':
    case 'r':
      integer(c, 10);
      return true;
    case 'x':
    case 'X':
    case 'p':
      integer(c, 16);
      return true;
    case 'o':
      integer(c, 8);
      return true;
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      real(c);
      return true;
    case 'c':
      character(c);
      return true;
    case 's':
    case 'z':
      text(c);
      return true;
    case 'q':
    case 'Q':
    case 'w':
      quoted(c);
      return true;
    case '%':
      pad(c, "%");
      return true;
    case 'n':
      put("");
      return true;
    default:
      return false;
  }
}

void Formatter::pad(const Conversion& c, std::string_view body, bool characters) {
  uint64_t size = characters ? utf8_length(body) : body.size();
  uint64_t spaces =
      static_cast<uint64_t>(c.width) > size ? static_cast<uint64_t>(c.width) - size : 0;
  wrote_anything_ = true;
  if (!fits(spaces + body.size())) return;
  if (!c.left) out_->append(spaces, ' ');
  out_->append(body);
  if (c.left) out_->append(spaces, ' ');
}

std::string with_thousands(std::string_view digits) {
  std::string out;
  out.reserve(digits.size() + digits.size() / 3);
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string_view ordinal_suffix(uint64_t value) {
  if (value / 10 % 10 == 1) return "th";
  switch (value % 10) {
    case 1:
      return "st";
    case 2:
      return "nd";
    case 3:
      return "rd";
    default:
      return "th";
  }
}

void Formatter::integer(const Conversion& c, unsigned base) {
  const bool is_signed = c.type == 'd' || c.type == 'i' || c.type == 'r';
  int64_t argument = arguments_->next_integer();
  uint64_t value = static_cast<uint64_t>(argument);
  char sign = is_signed ? c.sign : 0;
  if (is_signed && argument < 0) {
    value = 0 - value;
    sign = '-';
  }
  int precision = c.precision;
  if (c.zero_pad) precision = std::max(precision, c.width - (sign != 0));
  if (precision > 0 && !fits(static_cast<uint64_t>(precision))) return;

  const char* digit_set = c.type == 'X' || c.type == 'p' ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string_view suffix = c.type == 'r' ? ordinal_suffix(value) : std::string_view();
  std::string body;
  for (uint64_t rest = value; body.empty() || rest > 0; rest /= base) {
    body += digit_set[rest % base];
  }
  size_t digits_wanted = precision > static_cast<int>(suffix.size())
                             ? static_cast<size_t>(precision) - suffix.size()
                             : 0;
  if (body.size() < digits_wanted) body.append(digits_wanted - body.size(), '0');
  std::reverse(body.begin(), body.end());
  if (c.thousands && base == 10 && c.type != 'r') body = with_thousands(body);
  body += suffix;
  if (sign != 0) body.insert(0, 1, sign);
  if (c.alternate && value != 0 && base != 10) {
    body.insert(0, base == 8 ? "0" : c.type == 'X' ? "0X" : "0x");
  }
  pad(c, body);
}

// Writes the digits with `decimals` of them behind the point; `whole_digits` (if positive) before
// it, else that many zeros less one behind it. `trim`: no trailing zeros.
void Formatter::real_digits_out(const Conversion& c, const RealDigits& digits, int whole_digits,
                                int decimals, bool trim, bool exponent, std::string* out) {
  int used = 0;
  auto next_digit = [&] { return used < digits.count ? digits.digits[used++] : '0'; };
  if (whole_digits <= 0) {
    out->push_back('0');
  } else {
    std::string whole;
    for (int i = 0; i < whole_digits; ++i) whole += next_digit();
    *out += c.thousands ? with_thousands(whole) : whole;
  }
  const bool point = decimals > 0 || c.alternate || c.alternate2;
  if (point) out->push_back('.');
  for (int zeros = -whole_digits; zeros > 0 && decimals > 0; --zeros, --decimals) {
    out->push_back('0');
  }
  int available = std::min(decimals, digits.count - used);
  for (int i = 0; i < available; ++i) out->push_back(next_digit());
  out->append(static_cast<size_t>(std::max(0, decimals - std::max(0, available))), '0');
  if (trim && point) {
    while (out->back() == '0') out->pop_back();
    if (out->back() == '.') {
      if (c.alternate2) {
        out->push_back('0');
      } else {
        out->pop_back();
      }
    }
  }
  if (exponent) {
    int value = digits.point - 1;
    out->push_back(c.type == 'E' || c.type == 'G' ? 'E' : 'e');
    out->push_back(value < 0 ? '-' : '+');
    value = std::abs(value);
    if (value >= 100) out->push_back(static_cast<char>('0' + value / 100));
    out->push_back(static_cast<char>('0' + value / 10 % 10));
    out->push_back(static_cast<char>('0' + value % 10));
  }
}

void Formatter::real(Conversion c) {
  constexpr int kDigitsMax = 16, kDigitsMaxAlternate = 26, kPrecisionMax = 100000000;
  constexpr int kInfinityPoint = 1000;  // with zero padding, infinity is 9 and 999 zeros
  double value = arguments_->next_real();
  bool general = c.type == 'g' || c.type == 'G';
  bool exponent = c.type == 'e' || c.type == 'E';
  int precision = c.precision < 0 ? 6 : std::min(c.precision, kPrecisionMax);
  if (general && precision == 0) precision = 1;
  int digits_max = c.alternate2 ? kDigitsMaxAlternate : kDigitsMax;
  RealDigits digits = general || exponent
                          ? real_digits(value, precision + (exponent ? 1 : 0), digits_max)
                          : real_digits_fixed(value, precision, digits_max);
  char sign = digits.negative ? '-' : c.sign;
  // '#' hides the sign of what rounds to zero.
  if (c.alternate && c.type == 'f' && c.sign == 0 && digits.count == 1 && digits.digits[0] == '0') {
    sign = 0;
  }
  if (digits.kind == RealDigits::Kind::kNan) {
    pad(c, c.zero_pad ? "null" : "NaN");
    return;
  }
  if (digits.kind == RealDigits::Kind::kInfinite) {
    if (!c.zero_pad) {
      std::string body = "Inf";
      if (sign != 0) body.insert(0, 1, sign);
      pad(c, body);
      return;
    }
    digits.digits[0] = '9';
    digits.count = 1;
    digits.point = kInfinityPoint;
  }

  bool trim = c.alternate2;
  if (general) {
    --precision;
    trim = !c.alternate;
    int power = digits.point - 1;
    if (power < -4 || power > precision) {
      exponent = true;
    } else {
      precision -= power;
    }
  }
  uint64_t size =
      static_cast<uint64_t>(precision) + static_cast<uint64_t>(std::max(digits.point, 0));
  if (!fits(size)) return;
  std::string body;
  real_digits_out(c, digits, exponent ? 1 : digits.point, precision, trim, exponent, &body);
  size_t length = body.size() + (sign != 0);
  if (c.zero_pad && !c.left && length < static_cast<size_t>(c.width)) {
    if (!fits(static_cast<uint64_t>(c.width))) return;
    body.insert(0, static_cast<size_t>(c.width) - length, '0');
  }
  if (sign != 0) body.insert(0, 1, sign);
  pad(c, body);
}

// The first character of a text, `precision` times; a NUL where there is none.
void Formatter::character(const Conversion& c) {
  std::string_view text;
  std::string one(1, '\0');
  if (arguments_->next_text(&text) && !text.empty()) {
    const char* end = skip_utf8(text.data(), text.data() + text.size());
    one.assign(text.data(), std::min<size_t>(static_cast<size_t>(end - text.data()), 4));
  }
  uint64_t times = c.precision > 1 ? static_cast<uint64_t>(c.precision) : 1;
  if (!fits(times * one.size())) return;
  std::string body;
  body.reserve(times * one.size());
  for (uint64_t i = 0; i < times; ++i) body += one;
  pad(c, body, true);
}

// The part of `text` that the precision leaves: bytes, or characters with '!'.
std::string_view cut(const Conversion& c, std::string_view text) {
  if (c.precision < 0) return text;
  if (!c.alternate2) return text.substr(0, static_cast<size_t>(c.precision));
  const char* p = text.data();
  const char* end = p + text.size();
  for (int i = 0; i < c.precision && p < end; ++i) p = skip_utf8(p, end);
  return text.substr(0, static_cast<size_t>(p - text.data()));
}

void Formatter::text(const Conversion& c) {
  std::string_view text;
  arguments_->next_text(&text);
  pad(c, cut(c, text), c.alternate2);
}

void Formatter::quoted(const Conversion& c) {
  std::string_view text;
  std::string body;
  if (!arguments_->next_text(&text)) {
    body = c.type == 'Q' ? "NULL" : "(NULL)";
    pad(c, cut(c, body), c.alternate2);
    return;
  }
  text = cut(c, text);
  const bool escape = c.alternate && c.type != 'w' && has_control_characters(text);
  if (c.type == 'Q') body = escape ? "unistr('" : "'";
  if (escape || (c.alternate && c.type == 'q')) {
    append_unistr_quoted(text, &body);
  } else {
    append_quoted(text, c.type == 'w' ? '"' : '\'', &body);
  }
  if (c.type == 'Q') body += escape ? "')" : "'";
  pad(c, body, c.alternate2);
}

}  // namespace

Status format_text(std::string_view format, FormatArguments* arguments, int64_t bytes_max,
                   std::string* out, bool* wrote_anything) {
  Formatter formatter(arguments, bytes_max, out);
  Status status = formatter.run(format);
  if (wrote_anything != nullptr) *wrote_anything = formatter.wrote_anything();
  return status;
}

double round_decimal(double value, int decimals) {
  RealDigits digits = real_digits_fixed(value, decimals, 26);
  if (digits.kind != RealDigits::Kind::kFinite) return value;
  uint64_t mantissa = 0;
  for (int i = 0; i < digits.count; ++i) {
    mantissa = mantissa * 10 + static_cast<uint64_t>(digits.digits[i] - '0');
  }
  double magnitude = decimal_to_real(mantissa, digits.point - digits.count);
  return digits.negative ? -magnitude : magnitude;
}

void append_quoted(std::string_view text, char quote, std::string* out) {
  for (char c : text) {
    if (c == quote) out->push_back(quote);
    out->push_back(c);
  }
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<uint8_t>(c) < ' '; });
}

void append_unistr_quoted(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (char c : text) {
    uint8_t byte = static_cast<uint8_t>(c);
    if (byte < ' ') {
      *out += "\\u00";
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
      continue;
    }
    if (c == '\'' || c == '\\') out->push_back(c);
    out->push_back(c);
  }
}

}  // namespace godwit
