// Modifiers: what the later arguments of a date function do to the time value.
#include <time.h>

#include <cmath>
#include <optional>

#include "base/utf.h"
#include "function/builtins.h"
#include "function/datetime.h"

namespace godwit {

namespace {

constexpr double kUnixEpoch = 210866760000000.0;

bool all_digits(std::string_view text) {
  for (char c : text) {
    if (!is_ascii_digit(c)) return false;
  }
  return true;
}

// The number that is `digits` digits at `at`; none if they are not.
std::optional<int> digits_at(std::string_view text, size_t at, size_t digits) {
  if (at + digits > text.size() || !all_digits(text.substr(at, digits))) return std::nullopt;
  int value = 0;
  for (char c : text.substr(at, digits)) value = value * 10 + (c - '0');
  return value;
}

// Where the number at the front of a modifier ends: at a colon, a space, or the dash behind a year
// of 4 or 5 digits.
size_t end_of_number(std::string_view modifier) {
  size_t n = 1;
  for (; n < modifier.size(); ++n) {
    char c = modifier[n];
    if (c == ':' || is_ascii_space(c)) break;
    if (c == '-' && (n == 5 || n == 6)) {
      std::optional<int> year = digits_at(modifier, 1, n - 1);
      if (year.has_value() && *year <= (n == 5 ? 9999 : 14712)) break;
    }
  }
  return n;
}

}  // namespace

bool DateTime::apply_modifier(FunctionContext& context, std::string_view modifier, int index) {
  if (modifier.empty()) return false;
  auto is = [modifier](std::string_view name) { return equals_ignore_case(modifier, name); };
  auto starts = [modifier](std::string_view name) {
    return equals_ignore_case(modifier.substr(0, name.size()), name);
  };
  char first = modifier.front();
  if (first == '+' || first == '-' || is_ascii_digit(first)) return apply_offset(modifier);
  if (is("auto")) {
    if (index > 1) return false;
    apply_auto();
    return true;
  }
  if (is("ceiling") || is("floor")) {
    int days = is("floor") ? overflow_days_ : 0;
    add_ms(-days * kMsPerDay);
    if (is("ceiling")) overflow_days_ = 0;
    return true;
  }
  if (is("julianday")) {
    if (index > 1 || !has_julian_ || !is_raw_) return false;
    is_raw_ = false;
    return true;
  }
  if (is("unixepoch")) return index <= 1 && is_raw_ && apply_unixepoch();
  if (is("localtime")) return context.allow_impure() && to_local(context);
  if (is("utc")) return context.allow_impure() && to_utc(context);
  if (starts("weekday ")) return apply_weekday(modifier.substr(8));
  if (starts("start of ")) return apply_start_of(modifier.substr(9));
  if (is("subsec") || is("subsecond")) {
    subseconds_ = true;
    return true;
  }
  return false;
}

void DateTime::apply_auto() {
  // The first and last second of years -4713 and 9999, counted from 1970.
  constexpr double kFirst = -210866760000.0, kLast = 253402300799.0;
  if (is_raw_ && !has_julian_ && raw_number_ >= kFirst && raw_number_ <= kLast) {
    drop_civil();
    set_julian(static_cast<int64_t>(raw_number_ * 1000.0 + kUnixEpoch + 0.5));
  }
  if (has_julian_ || !is_raw_) is_raw_ = false;
}

bool DateTime::apply_unixepoch() {
  double ms = raw_number_ * 1000.0 + kUnixEpoch;
  if (!(ms >= 0 && ms < static_cast<double>(kLastMs + 1))) return false;
  drop_civil();
  set_julian(static_cast<int64_t>(ms + 0.5));
  is_raw_ = false;
  return true;
}

bool DateTime::apply_weekday(std::string_view text) {
  ParsedNumber number = parse_number(text);
  if (!number.is_whole || !(number.real >= 0 && number.real < 7)) return false;
  int wanted = static_cast<int>(number.real);
  if (wanted != number.real) return false;
  civil();
  timezone_minutes_ = 0;
  drop_julian();
  int64_t weekday = (julian_ms() + kMsPerDay + kMsPerDay / 2) / kMsPerDay % 7;
  if (weekday > wanted) weekday -= 7;
  add_ms((wanted - weekday) * kMsPerDay);
  return true;
}

bool DateTime::apply_start_of(std::string_view what) {
  if (!has_julian_ && !has_date_ && !has_time_) return false;
  civil_date();
  has_time_ = true;
  hour_ = minute_ = 0;
  second_ = 0;
  is_raw_ = false;
  timezone_minutes_ = 0;
  drop_julian();
  if (equals_ignore_case(what, "month")) {
    day_ = 1;
  } else if (equals_ignore_case(what, "year")) {
    month_ = day_ = 1;
  } else if (!equals_ignore_case(what, "day")) {
    return false;
  }
  return true;
}

// NNN unit, [+-]HH:MM[:SS[.SSS]], (+|-)YYYY-MM-DD[ HH:MM[:SS[.SSS]]]
bool DateTime::apply_offset(std::string_view modifier) {
  size_t n = end_of_number(modifier);
  ParsedNumber number = parse_number(modifier.substr(0, n));
  if (!number.is_whole) return false;
  bool has_sign = !is_ascii_digit(modifier.front());
  bool negative = modifier.front() == '-';
  if (n < modifier.size() && modifier[n] == '-') {
    return has_sign && apply_date_offset(modifier, n);
  }
  if (n < modifier.size() && modifier[n] == ':') {
    return apply_time_offset(modifier.substr(has_sign), negative);
  }
  std::string_view unit = modifier.substr(n);
  while (!unit.empty() && is_ascii_space(unit.front())) unit.remove_prefix(1);
  return apply_unit(number.real, unit);
}

bool DateTime::apply_date_offset(std::string_view modifier, size_t date_size) {
  bool negative = modifier.front() == '-';
  size_t n = date_size;  // of the sign and the year
  std::optional<int> year = digits_at(modifier, 1, n - 1);
  std::optional<int> month = digits_at(modifier, n + 1, 2);
  std::optional<int> day = digits_at(modifier, n + 4, 2);
  if (!year || !month || !day || modifier[n + 3] != '-' || *month > 11 || *day > 30) return false;
  civil();
  drop_julian();
  year_ += negative ? -*year : *year;
  add_months(negative ? -*month : *month);
  julian_ms();
  has_time_ = has_date_ = false;
  julian_ms_ += (negative ? -*day : *day) * kMsPerDay;
  size_t end = n + 6;
  if (modifier.size() == end) return true;
  if (!is_ascii_space(modifier[end])) return false;
  return apply_time_offset(modifier.substr(end + 1), negative);
}

bool DateTime::apply_time_offset(std::string_view text, bool negative) {
  DateTime offset;
  if (!offset.parse_time_of_day(text)) return false;
  // The time of day alone: what is left of 2000-01-01 after its days.
  int64_t ms = offset.julian_ms() - kMsPerDay / 2;
  ms -= ms / kMsPerDay * kMsPerDay;
  add_ms(negative ? -ms : ms);
  return true;
}

bool DateTime::apply_unit(double amount, std::string_view unit) {
  struct Unit {
    std::string_view name;
    double limit;  // of the amount: what would leave the years -4713 to 9999 for sure
    double seconds;
  };
  constexpr Unit kUnits[] = {
      {"second", 4.6427e+14, 1}, {"minute", 7.7379e+12, 60},   {"hour", 1.2897e+11, 3600},
      {"day", 5373485.0, 86400}, {"month", 176546.0, 2592000}, {"year", 14713.0, 31536000},
  };
  if (unit.size() < 3 || unit.size() > 10) return false;
  if (ascii_lower(unit.back()) == 's') unit.remove_suffix(1);
  julian_ms();
  double half = amount < 0 ? -0.5 : 0.5;
  overflow_days_ = 0;
  for (const Unit& known : kUnits) {
    if (!equals_ignore_case(known.name, unit)) continue;
    if (!(amount > -known.limit && amount < known.limit)) break;
    int whole = static_cast<int>(amount);
    if (known.name == "month") {
      add_months(whole);
      amount -= whole;
    } else if (known.name == "year") {
      civil();
      year_ += whole;
      note_overflow_days();
      drop_julian();
      amount -= whole;
    }
    julian_ms();
    julian_ms_ += static_cast<int64_t>(amount * 1000.0 * known.seconds + half);
    drop_civil();
    return true;
  }
  drop_civil();
  return false;
}

bool DateTime::to_local(FunctionContext& context) {
  // Beyond these years the C library may not know the time zone's rules; a year of the same shape
  // that it knows stands in.
  constexpr int64_t kFirstKnown = kUnixEpochMs, kLastKnown = 213014145600000;  // 1970 .. 2038-01-18
  if (is_local_) return true;
  julian_ms();
  int year_shift = 0;
  DateTime known = *this;
  if (julian_ms_ < kFirstKnown || julian_ms_ > kLastKnown) {
    known.civil();
    year_shift = 2000 + known.year_ % 4 - known.year_;
    known.year_ += year_shift;
    known.drop_julian();
  }
  time_t seconds = static_cast<time_t>(known.julian_ms() / 1000 - kUnixEpochMs / 1000);
  struct tm local;
  if (localtime_r(&seconds, &local) == nullptr) {
    context.fail("local time unavailable");
    return false;
  }
  year_ = local.tm_year + 1900 - year_shift;
  month_ = local.tm_mon + 1;
  day_ = local.tm_mday;
  hour_ = local.tm_hour;
  minute_ = local.tm_min;
  second_ = local.tm_sec + static_cast<double>(julian_ms_ % 1000) * 0.001;
  has_date_ = has_time_ = true;
  drop_julian();
  is_raw_ = false;
  timezone_minutes_ = 0;
  is_utc_ = false;
  is_local_ = true;
  failed_ = false;  // local time is always a time: of 2000-01-01 if there was none before
  return true;
}

// Finds the moment whose local time is this one, by correcting guesses.
bool DateTime::to_utc(FunctionContext& context) {
  if (is_utc_) return true;
  int64_t wanted = julian_ms(), guess = wanted, error = 0;
  for (int i = 0; i < 4; ++i) {
    guess -= error;
    DateTime attempt;
    attempt.set_julian(guess);
    if (!attempt.to_local(context)) return false;
    error = attempt.julian_ms() - wanted;
    if (error == 0) break;
  }
  *this = DateTime();  // forgets 'subsec' too, as SQLite does
  set_julian(guess);
  is_utc_ = true;
  return true;
}

}  // namespace godwit
