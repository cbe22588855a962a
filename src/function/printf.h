// SQLite's printf: the format language of format(), of sqlite3_mprintf() and of error messages.
// Source: printf.html.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "value/value.h"

namespace godwit {

// Where the arguments of a format come from. Each call takes the next one; where there are no more,
// it gives 0, 0.0, or nothing.
class FormatArguments {
 public:
  virtual ~FormatArguments() = default;
  virtual int64_t next_integer() = 0;
  virtual double next_real() = 0;
  // The bytes before a NUL. False: NULL.
  virtual bool next_text(std::string_view* text) = 0;
};

// Appends `format` with its arguments to *out. An unknown conversion ends the output. Nothing was
// written at all (which SQL shows as NULL) if *wrote_anything stays false; it may be null.
// Errors: kTooBig above `bytes_max`.
Status format_text(std::string_view format, FormatArguments* arguments, int64_t bytes_max,
                   std::string* out, bool* wrote_anything);

// `value` rounded to `decimals` (1 .. 30) digits after the point, as printing and reading it would.
double round_decimal(double value, int decimals);

// Appends `text` with each `quote` doubled.
void append_quoted(std::string_view text, char quote, std::string* out);
// Whether `text` needs the unistr('...') form: it has characters below space.
bool has_control_characters(std::string_view text);
// Appends `text` as the inside of unistr('...'): control characters as \u00XX, backslashes and
// quotes doubled.
void append_unistr_quoted(std::string_view text, std::string* out);

}  // namespace godwit
