// Values and names as SQL text, and texts in other quotings: what .dump, .mode quote, .mode insert
// and .import write so that it can be read back exactly.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

namespace godwit::shell {

// The shortest decimal text that reads back as the same double, always with a '.' or an exponent;
// infinities as a number that overflows.
std::string real_literal(double value);
std::string text_literal(std::string_view text);
std::string blob_literal(std::string_view bytes);
// A text without raw line ends, as an expression over replace(), so that a dump survives programs
// that change them.
std::string text_literal_one_line(std::string_view text);
// The value of a result column as an SQL literal; `one_line`: texts as text_literal_one_line.
std::string column_literal(sqlite3_stmt* stmt, int column, bool one_line);

// `name`, in double quotes if it is a keyword or no plain identifier, or always.
std::string identifier(std::string_view name);
std::string quoted_identifier(std::string_view name);

// Texts as C and JSON string literals.
std::string c_string(std::string_view text);
std::string json_string(std::string_view text, bool is_blob);

std::string_view column_view(sqlite3_stmt* stmt, int column);

}  // namespace godwit::shell
