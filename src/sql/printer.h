// Syntax tree to SQL text. The text is canonical (keywords in upper case, single spaces, only the
// parentheses that are needed, aliases with AS) and parses to an equal tree.
#pragma once

#include <string>
#include <string_view>

#include "sql/ast.h"

namespace godwit {

std::string print(const ast::Statement& statement);
std::string print(const ast::Select& select);
std::string print(const ast::Expr& expr);
std::string print(const ast::ColumnDef& column);

// `text` as an identifier: bare if that is safe anywhere, otherwise in double quotes.
std::string quote_identifier(std::string_view text);
// `text` as a string literal.
std::string quote_string(std::string_view text);

}  // namespace godwit
