// JSON text to JSONB.
//
// Accepts RFC 8259 and JSON5, and what SQLite takes beyond: Inf and NaN in any case, QNaN and SNaN
// (all NaNs are null), control characters in strings. Whitespace, literals, numbers and escapes
// keep their spelling, so that JSON text survives a round trip.
#pragma once

#include <string_view>

#include "function/json/jsonb.h"

namespace godwit {

// NULs that must follow the text that is parsed: the parser looks ahead without asking for the end.
inline constexpr size_t kJsonPaddingBytes = 16;

struct JsonParse {
  bool ok = false;
  // Used something that is in JSON5 and not in RFC 8259.
  bool extended = false;
  // Where it is wrong, if it is: an offset in bytes.
  size_t error_offset = 0;
};

// Appends the JSONB of `text`, or of the part before its first NUL, to *out. On errors *out may
// have grown. kJsonPaddingBytes NULs stand behind the text.
JsonParse parse_json(std::string_view text, JsonBuffer* out);

// `text` with the padding that parse_json() needs, appended to *out; returns its offset there.
size_t append_json_padded(JsonBuffer* out, std::string_view text);

}  // namespace godwit
