#include "function/datetime.h"

#include <cmath>

namespace godwit {

namespace {

// 0000-03-01 is day 1721119.5; counting years from March puts the leap day at their end.
constexpr int64_t kDayOfMarchZero = 1721120;  // days whose noon is that Julian day number
constexpr int64_t kDaysPer400Years = 146097;

int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

// The Julian day number (that of noon) of a proleptic Gregorian date; month 1 to 12, any day.
int64_t day_number_of(int year, int month, int day) {
  int64_t y = month <= 2 ? year - 1 : year;
  int64_t era = floor_divide(y, 400);
  int64_t year_of_era = y - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5;
  return era * kDaysPer400Years + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
         day_of_year + day - 1 + kDayOfMarchZero;
}

void date_of(int64_t day_number, int* year, int* month, int* day) {
  int64_t days = day_number - kDayOfMarchZero;
  int64_t era = floor_divide(days, kDaysPer400Years);
  int64_t day_of_era = days - era * kDaysPer400Years;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted_month = (5 * day_of_year + 2) / 153;
  *day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  *month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  *year = static_cast<int>(year_of_era + era * 400 + (*month <= 2));
}

bool in_range(int64_t ms) {
  return ms >= 0 && ms <= kLastMs;
}

}  // namespace

void DateTime::fail() {
  *this = DateTime();
  failed_ = true;
}

void DateTime::set_julian(int64_t ms) {
  julian_ms_ = ms;
  has_julian_ = true;
}

void DateTime::set_now(FunctionContext& context) {
  set_julian(context.services().statement_time_ms());
  is_utc_ = true;
  is_local_ = false;
  drop_civil();
}

void DateTime::set_number(double number) {
  constexpr double kDaysEnd = 5373484.5;
  raw_number_ = number;
  is_raw_ = true;
  if (number >= 0 && number < kDaysEnd) {
    set_julian(static_cast<int64_t>(number * 86400000.0 + 0.5));
  }
}

int64_t DateTime::julian_ms() {
  if (has_julian_) return julian_ms_;
  int year = has_date_ ? year_ : 2000, month = has_date_ ? month_ : 1, day = has_date_ ? day_ : 1;
  if (year < -4713 || year > 9999 || is_raw_) {
    fail();
    return 0;
  }
  julian_ms_ = day_number_of(year, month, day) * kMsPerDay - kMsPerDay / 2;
  has_julian_ = true;
  if (has_time_) {
    julian_ms_ +=
        hour_ * 3600000LL + minute_ * kMsPerMinute + static_cast<int64_t>(second_ * 1000 + 0.5);
    if (timezone_minutes_ != 0) {
      julian_ms_ -= timezone_minutes_ * kMsPerMinute;
      drop_civil();
      is_utc_ = true;
      is_local_ = false;
    }
  }
  return julian_ms_;
}

int64_t DateTime::day_number() {
  return floor_divide(julian_ms() + kMsPerDay / 2, kMsPerDay);
}

void DateTime::civil_date() {
  if (has_date_) return;
  if (!has_julian_) {
    year_ = 2000;
    month_ = day_ = 1;
  } else if (!in_range(julian_ms_)) {
    fail();
    return;
  } else {
    date_of(day_number(), &year_, &month_, &day_);
  }
  has_date_ = true;
}

void DateTime::civil_time() {
  if (has_time_) return;
  julian_ms();
  int64_t ms = (julian_ms_ + kMsPerDay / 2) % kMsPerDay;
  second_ = static_cast<double>(ms % kMsPerMinute) / 1000.0;
  int64_t minutes = ms / kMsPerMinute;
  minute_ = static_cast<int>(minutes % 60);
  hour_ = static_cast<int>(minutes / 60);
  is_raw_ = false;
  has_time_ = true;
}

bool DateTime::complete(bool normalize) {
  julian_ms();
  if (failed_ || !in_range(julian_ms_)) return false;
  if (normalize && has_date_ && day_ > 28) has_date_ = false;
  return true;
}

void DateTime::set_year_and_month(int year, int month) {
  civil();
  year_ = year;
  month_ = month;
  drop_julian();
  julian_ms();
}

void DateTime::move_days(int64_t days) {
  julian_ms();
  julian_ms_ += days * kMsPerDay;
  has_date_ = false;
}

int64_t DateTime::days_since_january_first() {
  DateTime first = *this;
  first.civil();
  first.month_ = first.day_ = 1;
  first.drop_julian();
  return (julian_ms() - first.julian_ms() + kMsPerDay / 2) / kMsPerDay;
}

// How many days after the end of its month the date is.
void DateTime::note_overflow_days() {
  constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year_ % 4 == 0 && (year_ % 100 != 0 || year_ % 400 == 0);
  int days = kDays[month_ - 1] + (month_ == 2 && leap);
  overflow_days_ = day_ > days ? day_ - days : 0;
}

void DateTime::add_ms(int64_t ms) {
  julian_ms();
  drop_civil();
  julian_ms_ += ms;
}

void DateTime::add_months(int months) {
  civil();
  month_ += months;
  int years = month_ > 0 ? (month_ - 1) / 12 : (month_ - 12) / 12;
  year_ += years;
  month_ -= years * 12;
  note_overflow_days();
  drop_julian();
}

}  // namespace godwit
