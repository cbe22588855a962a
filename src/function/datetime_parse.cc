// Time values: what the first argument of a date function may be.
#include "base/utf.h"
#include "function/builtins.h"
#include "function/datetime.h"

namespace godwit {

namespace {

// Reads exactly `digits` digits of a number of low .. high at *text, and moves past them.
bool read_field(std::string_view* text, size_t digits, int low, int high, int* value) {
  if (text->size() < digits) return false;
  int number = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (!is_ascii_digit((*text)[i])) return false;
    number = number * 10 + ((*text)[i] - '0');
  }
  if (number < low || number > high) return false;
  text->remove_prefix(digits);
  *value = number;
  return true;
}

bool read_character(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

void skip_spaces(std::string_view* text) {
  while (!text->empty() && is_ascii_space(text->front())) text->remove_prefix(1);
}

}  // namespace

bool DateTime::parse_timezone(std::string_view text) {
  skip_spaces(&text);
  timezone_minutes_ = 0;
  if (text.empty()) return true;
  if (read_character(&text, 'Z') || read_character(&text, 'z')) {
    is_local_ = false;
    is_utc_ = true;
  } else {
    bool negative = text.front() == '-';
    if (!read_character(&text, '-') && !read_character(&text, '+')) return false;
    int hours, minutes;
    if (!read_field(&text, 2, 0, 14, &hours) || !read_character(&text, ':') ||
        !read_field(&text, 2, 0, 59, &minutes)) {
      return false;
    }
    timezone_minutes_ = (negative ? -1 : 1) * (hours * 60 + minutes);
    if (timezone_minutes_ == 0) {
      is_local_ = false;
      is_utc_ = true;
    }
  }
  skip_spaces(&text);
  return text.empty();
}

bool DateTime::parse_time_of_day(std::string_view text) {
  int hour, minute, second = 0;
  if (!read_field(&text, 2, 0, 24, &hour) || !read_character(&text, ':') ||
      !read_field(&text, 2, 0, 59, &minute)) {
    return false;
  }
  double fraction = 0;
  if (read_character(&text, ':')) {
    if (!read_field(&text, 2, 0, 59, &second)) return false;
    if (text.size() > 1 && text[0] == '.' && is_ascii_digit(text[1])) {
      text.remove_prefix(1);
      double scale = 1;
      while (!text.empty() && is_ascii_digit(text.front())) {
        fraction = fraction * 10 + (text.front() - '0');
        scale *= 10;
        text.remove_prefix(1);
      }
      fraction /= scale;
      // Rounding to milliseconds must not reach the next second.
      if (fraction > 0.999) fraction = 0.999;
    }
  }
  drop_julian();
  is_raw_ = false;
  has_time_ = true;
  hour_ = hour;
  minute_ = minute;
  second_ = second + fraction;
  return parse_timezone(text);
}

bool DateTime::parse_date(std::string_view text) {
  bool negative = read_character(&text, '-');
  int year, month, day;
  if (!read_field(&text, 4, 0, 9999, &year) || !read_character(&text, '-') ||
      !read_field(&text, 2, 1, 12, &month) || !read_character(&text, '-') ||
      !read_field(&text, 2, 1, 31, &day)) {
    return false;
  }
  while (!text.empty() && (is_ascii_space(text.front()) || text.front() == 'T')) {
    text.remove_prefix(1);
  }
  if (!text.empty() && !parse_time_of_day(text)) return false;
  if (text.empty()) has_time_ = false;
  drop_julian();
  has_date_ = true;
  year_ = negative ? -year : year;
  month_ = month;
  day_ = day;
  note_overflow_days();
  if (timezone_minutes_ != 0) julian_ms();
  return true;
}

bool DateTime::parse(FunctionContext& context, std::string_view text) {
  if (parse_date(text) || parse_time_of_day(text)) return true;
  if (equals_ignore_case(text, "now")) {
    if (!context.allow_impure()) return false;
    set_now(context);
    return true;
  }
  ParsedNumber number = parse_number(text);
  if (number.is_whole) {
    set_number(number.real);
    return true;
  }
  if (equals_ignore_case(text, "subsec") || equals_ignore_case(text, "subsecond")) {
    if (!context.allow_impure()) return false;
    subseconds_ = true;
    set_now(context);
    return true;
  }
  return false;
}

bool read_datetime(FunctionContext& context, std::span<const ValueView> args, DateTime* result) {
  if (args.empty()) {
    if (!context.allow_impure()) return false;
    result->set_now(context);
  } else if (args[0].is_number()) {
    result->set_number(value_to_real(args[0]));
  } else if (args[0].is_null() || !result->parse(context, until_nul(text_of(context, args[0])))) {
    return false;
  }
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].is_null()) return false;
    std::string_view modifier = until_nul(text_of(context, args[i]));
    if (!result->apply_modifier(context, modifier, static_cast<int>(i))) return false;
  }
  return result->complete(args.size() == 1);
}

}  // namespace godwit
