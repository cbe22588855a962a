// Rows as JSON objects, for people and for hooks: what conflicts, pending changes and outcomes show.
// Integers and reals are numbers (an infinity is 1e999), texts strings (bytes that are not UTF-8 become
// U+FFFD), NULL null, a blob {"base64": "..."}. Reading takes what was written, and true and false.
// Threads: none of its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/changeset.h"
#include "base/status.h"

namespace godwit::sync {

// Of the columns that are defined; names and fields side by side.
std::string row_json(const std::vector<std::string>& names, const api::Fields& fields);

// Names and values in their order. kError with a text: this is not such an object.
Result<std::vector<std::pair<std::string, api::Field>>> parse_row_json(std::string_view json);

// "text"
void append_json_text(std::string_view text, std::string* out);
void append_base64(std::string_view bytes, std::string* out);
// UTF-8 without NULs: as JSON it comes back as it is.
bool is_plain_text(std::string_view text);

// The bytes of a text or blob.
std::string_view content_of(const api::Field& field);

}  // namespace godwit::sync
