// CAST, and the conversions that operators and functions apply to their operands.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "value/value.h"

namespace godwit {

// CAST(value AS type of this affinity). `encoding` is the database's: casting between text and blob
// shows the bytes that are stored. NULL stays NULL.
ValueView cast_value(const ValueView& value, Affinity affinity, Arena* arena,
                     TextEncoding encoding = TextEncoding::kUtf8);

// What sqlite3_value_text() gives: text and blobs as they are (blob bytes taken for UTF-8), numbers
// as text, NULL as the empty view.
std::string_view value_to_text(const ValueView& value, Arena* arena);
// As sqlite3_value_int64() and sqlite3_value_double(): the leading number of text and blobs, 0 for
// NULL.
int64_t value_to_integer(const ValueView& value);
double value_to_real(const ValueView& value);

// The operand of an arithmetic operator: NULL stays, numbers stay, text and blobs become the number
// they start with (integer 0 if none).
ValueView value_to_number(const ValueView& value);

// A blob that stands for zeros gets real ones.
ValueView materialize(const ValueView& value, Arena* arena);

// Whether the value counts as true in a WHERE clause; NULL is not.
bool value_is_true(const ValueView& value);

}  // namespace godwit
