// Points in time as the date and time functions handle them. Source: lang_datefunc.html.
//
// A DateTime is held in one of two forms, or both while they agree:
//   julian   milliseconds since noon of November 24, 4714 BC (Julian day 0), proleptic Gregorian
//   civil    a date (year, month, day) and a time of day (hour, minute, second); a missing date is
//            2000-01-01; day 31 of a shorter month means days of the next one
// Parsing and most modifiers change one form and drop the other; the accessors make the form they
// need. A number that has not been given a meaning yet ("unixepoch", "julianday", "auto") is kept
// as raw number beside the julian form that it has if it is a Julian day.
#pragma once

#include <cstdint>
#include <string_view>

#include "function/function.h"

namespace godwit {

inline constexpr int64_t kMsPerDay = 86400000;
inline constexpr int64_t kMsPerMinute = 60000;
// 1970-01-01 00:00:00, and 9999-12-31 23:59:59.999, the last moment there is.
inline constexpr int64_t kUnixEpochMs = 210866760000000;
inline constexpr int64_t kLastMs = 464269060799999;

class DateTime {
 public:
  // --- Making one (datetime_parse.cc) ------------------------------------------------------------
  // A date, a time, both, a number, or 'now'. False: not a time value (or context.failed()).
  bool parse(FunctionContext& context, std::string_view text);
  // [HH:MM[:SS[.SSS]]][timezone]; all of `text` must be that.
  bool parse_time_of_day(std::string_view text);
  void set_number(double number);
  void set_now(FunctionContext& context);
  void set_julian(int64_t ms);

  // Applies the modifier that is argument number `index` (from 1, the time value being 0). False:
  // it is none, or cannot be applied (datetime_modifiers.cc).
  bool apply_modifier(FunctionContext& context, std::string_view modifier, int index);

  // --- Reading it
  // ---------------------------------------------------------------------------------- Both forms
  // are there, and it is between -4713-11-24 and the end of 9999; else false. `normalize`: a day
  // that its month does not have becomes one of the next month.
  bool complete(bool normalize);
  int64_t julian_ms();
  int year() { return civil_date(), year_; }
  int month() { return civil_date(), month_; }
  int day() { return civil_date(), day_; }
  int hour() { return civil_time(), hour_; }
  int minute() { return civil_time(), minute_; }
  double second() { return civil_time(), second_; }
  bool subseconds() const { return subseconds_; }

  // --- For timediff() and strftime()
  // ------------------------------------------------------------------ Moves to another year and
  // month, same day and time.
  void set_year_and_month(int year, int month);
  void move_days(int64_t days);
  int64_t day_number();  // days since Julian day 0, midnight to midnight
  int64_t days_since_january_first();

 private:
  bool parse_date(std::string_view text);
  bool parse_timezone(std::string_view text);

  void civil_date();
  void civil_time();
  void civil() {
    civil_date();
    civil_time();
  }
  void drop_civil() {
    has_date_ = has_time_ = false;
    timezone_minutes_ = 0;
  }
  void drop_julian() { has_julian_ = false; }
  void add_ms(int64_t ms);
  void add_months(int months);
  void note_overflow_days();
  void fail();

  bool apply_offset(std::string_view modifier);
  bool apply_date_offset(std::string_view modifier, size_t date_size);
  bool apply_time_offset(std::string_view modifier, bool negative);
  bool apply_unit(double amount, std::string_view unit);
  bool apply_start_of(std::string_view what);
  bool apply_weekday(std::string_view number);
  bool apply_unixepoch();
  void apply_auto();
  bool to_local(FunctionContext& context);
  bool to_utc(FunctionContext& context);

  int64_t julian_ms_ = 0;
  double raw_number_ = 0;
  int year_ = 2000, month_ = 1, day_ = 1;
  int hour_ = 0, minute_ = 0;
  double second_ = 0;
  int timezone_minutes_ = 0;  // the civil form is that far ahead of UTC
  int overflow_days_ = 0;     // days by which the last step ran over the end of its month
  bool has_julian_ = false;
  bool has_date_ = false;
  bool has_time_ = false;
  bool is_raw_ = false;  // raw_number_ waits for its meaning
  bool failed_ = false;  // out of range
  bool is_utc_ = false;
  bool is_local_ = false;
  bool subseconds_ = false;
};

// The time value and modifiers of a function call; no argument at all: now. False: NULL.
bool read_datetime(FunctionContext& context, std::span<const ValueView> args, DateTime* result);

// The date as date() prints it, a sign before four digits: -0044-03-15. (strftime's %F and %Y count
// the sign among the four.)
void append_date(DateTime* time, std::string* out);

// strftime(): appends to *out; false for a conversion that does not exist (datetime_format.cc).
bool format_datetime(std::string_view format, DateTime* time, std::string* out);

}  // namespace godwit
