// strftime().
#include <cstdio>
#include <cstdlib>

#include "base/utf.h"
#include "function/datetime.h"
#include "function/printf.h"

namespace godwit {

namespace {

void append_number(int64_t value, int width, char fill, std::string* out) {
  char digits[24];
  int size = std::snprintf(digits, sizeof(digits), "%lld", static_cast<long long>(value));
  for (int i = size; i < width; ++i) out->push_back(fill);
  out->append(digits, static_cast<size_t>(size));
}

// The sign is part of the width.
void append_year(int year, std::string* out) {
  if (year < 0) out->push_back('-');
  append_number(year < 0 ? -year : year, year < 0 ? 3 : 4, '0', out);
}

class OneReal : public FormatArguments {
 public:
  explicit OneReal(double value) : value_(value) {}
  int64_t next_integer() override { return 0; }
  double next_real() override { return value_; }
  bool next_text(std::string_view*) override { return false; }

 private:
  double value_;
};

void append_real(std::string_view format, double value, std::string* out) {
  OneReal argument(value);
  (void)format_text(format, &argument, 1000, out, nullptr);
}

// 0: Monday.
int64_t days_since_monday(int64_t day_number) {
  return day_number % 7;
}
// 0: Sunday.
int64_t days_since_sunday(int64_t day_number) {
  return (day_number + 1) % 7;
}

// The Thursday of the same ISO week: its year is that of the week.
DateTime thursday_of_week(DateTime time) {
  time.move_days(3 - days_since_monday(time.day_number()));
  return time;
}

void append_seconds(double second, std::string* out) {
  append_real("%06.3f", second > 59.999 ? 59.999 : second, out);
}

bool append_conversion(char conversion, DateTime* time, std::string* out) {
  auto number = [out](int64_t value, int width, char fill = '0') {
    append_number(value, width, fill, out);
  };
  int hour12 = (time->hour() + 11) % 12 + 1;
  switch (conversion) {
    case 'd':
      number(time->day(), 2);
      return true;
    case 'e':
      number(time->day(), 2, ' ');
      return true;
    case 'f':
      append_seconds(time->second(), out);
      return true;
    case 'F':
      return format_datetime("%Y-%m-%d", time, out);
    case 'g':
      number(thursday_of_week(*time).year() % 100, 2);
      return true;
    case 'G':
      append_year(thursday_of_week(*time).year(), out);
      return true;
    case 'H':
      number(time->hour(), 2);
      return true;
    case 'I':
      number(hour12, 2);
      return true;
    case 'j':
      number(time->days_since_january_first() + 1, 3);
      return true;
    case 'J':
      append_real("%.16g", static_cast<double>(time->julian_ms()) / kMsPerDay, out);
      return true;
    case 'k':
      number(time->hour(), 2, ' ');
      return true;
    case 'l':
      number(hour12, 2, ' ');
      return true;
    case 'm':
      number(time->month(), 2);
      return true;
    case 'M':
      number(time->minute(), 2);
      return true;
    case 'p':
      *out += time->hour() >= 12 ? "PM" : "AM";
      return true;
    case 'P':
      *out += time->hour() >= 12 ? "pm" : "am";
      return true;
    case 'R':
      return format_datetime("%H:%M", time, out);
    case 's':
      if (time->subseconds()) {
        append_real("%.3f", static_cast<double>(time->julian_ms() - kUnixEpochMs) / 1000.0, out);
      } else {
        number(time->julian_ms() / 1000 - kUnixEpochMs / 1000, 0);
      }
      return true;
    case 'S':
      number(static_cast<int>(time->second()), 2);
      return true;
    case 'T':
      return format_datetime("%H:%M:%S", time, out);
    case 'u':
      number(days_since_monday(time->day_number()) + 1, 1);
      return true;
    case 'w':
      number(days_since_sunday(time->day_number()), 1);
      return true;
    case 'U':
    case 'W': {
      int64_t day = time->day_number();
      int64_t passed = conversion == 'U' ? days_since_sunday(day) : days_since_monday(day);
      number((time->days_since_january_first() + 7 - passed) / 7, 2);
      return true;
    }
    case 'V':
      number(thursday_of_week(*time).days_since_january_first() / 7 + 1, 2);
      return true;
    case 'Y':
      append_year(time->year(), out);
      return true;
    case '%':
      out->push_back('%');
      return true;
    default:
      return false;
  }
}

}  // namespace

void append_date(DateTime* time, std::string* out) {
  if (time->year() < 0) out->push_back('-');
  append_number(std::abs(time->year()), 4, '0', out);
  format_datetime("-%m-%d", time, out);
}

bool format_datetime(std::string_view format, DateTime* time, std::string* out) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out->push_back(format[i]);
      continue;
    }
    if (++i == format.size() || !append_conversion(format[i], time, out)) return false;
  }
  return true;
}

}  // namespace godwit
