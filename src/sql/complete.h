// Whether text that a user has typed so far ends a statement: what a shell asks before it runs it.
#pragma once

#include <string_view>

namespace godwit {

// True if the last token of `sql` is a semicolon that ends a statement: not one inside a string,
// a quoted name, a comment or the body of a CREATE TRIGGER. The text need not be valid SQL.
bool is_complete_statement(std::string_view sql);

}  // namespace godwit
