// date(), time(), datetime(), julianday(), unixepoch(), strftime(), timediff(), CURRENT_TIMESTAMP.
#include <string>

#include "function/builtins.h"
#include "function/datetime.h"

namespace godwit {

namespace {

void set_formatted(FunctionContext& context, std::string_view format, DateTime* time,
                   ValueView* result) {
  std::string out;
  if (!format_datetime(format, time, &out) || !context.fits_length_limit(out.size())) return;
  *result = ValueView::of_text(context.arena().copy(out));
}

void date(FunctionContext& context, Args args, ValueView* result) {
  DateTime time;
  if (!read_datetime(context, args, &time)) return;
  std::string out;
  append_date(&time, &out);
  *result = ValueView::of_text(context.arena().copy(out));
}

void time_of_day(FunctionContext& context, Args args, ValueView* result) {
  DateTime time;
  if (!read_datetime(context, args, &time)) return;
  set_formatted(context, time.subseconds() ? "%H:%M:%f" : "%H:%M:%S", &time, result);
}

void datetime(FunctionContext& context, Args args, ValueView* result) {
  DateTime time;
  if (!read_datetime(context, args, &time)) return;
  std::string out;
  append_date(&time, &out);
  format_datetime(time.subseconds() ? " %H:%M:%f" : " %H:%M:%S", &time, &out);
  *result = ValueView::of_text(context.arena().copy(out));
}

void julianday(FunctionContext& context, Args args, ValueView* result) {
  DateTime time;
  if (!read_datetime(context, args, &time)) return;
  *result = ValueView::of(static_cast<double>(time.julian_ms()) / 86400000.0);
}

void unixepoch(FunctionContext& context, Args args, ValueView* result) {
  DateTime time;
  if (!read_datetime(context, args, &time)) return;
  if (time.subseconds()) {
    *result = ValueView::of(static_cast<double>(time.julian_ms() - kUnixEpochMs) / 1000.0);
  } else {
    *result = ValueView::of(time.julian_ms() / 1000 - kUnixEpochMs / 1000);
  }
}

void strftime(FunctionContext& context, Args args, ValueView* result) {
  if (args.empty() || args[0].is_null()) return;
  std::string_view format = until_nul(text_of(context, args[0]));
  DateTime time;
  if (read_datetime(context, args.subspan(1), &time)) set_formatted(context, format, &time, result);
}

// The difference as what to add to the second time to get the first: (+|-)YYYY-MM-DD HH:MM:SS.SSS.
// Whole months are counted from the second time; the rest is days and time.
void timediff(FunctionContext& context, Args args, ValueView* result) {
  DateTime target, base;
  if (!read_datetime(context, args.subspan(0, 1), &target)) return;
  if (!read_datetime(context, args.subspan(1, 1), &base)) return;
  const bool forward = target.julian_ms() >= base.julian_ms();
  const int direction = forward ? 1 : -1;
  int months = direction * ((target.year() - base.year()) * 12 + target.month() - base.month());
  if (months != 0) base.set_year_and_month(target.year(), target.month());
  // A month too many: the base ran past the target.
  auto past = [&] {
    return forward ? target.julian_ms() < base.julian_ms() : target.julian_ms() > base.julian_ms();
  };
  while (past()) {
    --months;
    int month = base.month() - direction, year = base.year();
    if (month < 1) {
      month = 12;
      --year;
    } else if (month > 12) {
      month = 1;
      ++year;
    }
    base.set_year_and_month(year, month);
  }
  // The rest, shown as a date of the year 0, whose days count from 1.
  constexpr int64_t kYearZeroMs = 148699540800000;
  DateTime rest;
  rest.set_julian(direction * (target.julian_ms() - base.julian_ms()) + kYearZeroMs);
  char date_part[32];
  int size = std::snprintf(date_part, sizeof(date_part), "%c%04d-%02d-%02d ", forward ? '+' : '-',
                           months / 12, months % 12, rest.day() - 1);
  std::string out(date_part, static_cast<size_t>(size));
  format_datetime("%H:%M:%f", &rest, &out);
  *result = ValueView::of_text(context.arena().copy(out));
}

constexpr uint32_t kPure = function_flag::kPlain | function_flag::kSlowlyChanging;
constexpr uint32_t kCurrent = function_flag::kInnocuous | function_flag::kSlowlyChanging;

constexpr ScalarFunction kDatetimeFunctions[] = {
    {"date", 0, kVariableArguments, kPure, date},
    {"time", 0, kVariableArguments, kPure, time_of_day},
    {"datetime", 0, kVariableArguments, kPure, datetime},
    {"julianday", 0, kVariableArguments, kPure, julianday},
    {"unixepoch", 0, kVariableArguments, kPure, unixepoch},
    {"strftime", 0, kVariableArguments, kPure, strftime},
    {"timediff", 2, 2, kPure, timediff},
    {"current_date", 0, 0, kCurrent, date},
    {"current_time", 0, 0, kCurrent, time_of_day},
    {"current_timestamp", 0, 0, kCurrent, datetime},
};

}  // namespace

std::span<const ScalarFunction> datetime_functions() {
  return kDatetimeFunctions;
}

}  // namespace godwit
