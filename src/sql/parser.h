// SQL text to syntax tree: recursive descent with precedence climbing for expressions. The grammar,
// the tolerance (keywords and strings as names) and the error texts are SQLite's.
//
// Any text is safe to parse: depth is limited (the deepest text takes about 1 MB of C stack, more in
// debug and sanitizer builds; ParseLimits::parser_depth scales it), and time and memory grow linearly
// with the text.
// Threads: a parse touches only its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "sql/ast.h"

namespace godwit {

// SQLite's limits of the same names (sqlite3_limit).
struct ParseLimits {
  int expr_depth = 1000;    // at most 1000
  int parser_depth = 2500;  // at most 2500: what is open at one place in the text, roughly
  int columns = 2000;
  int compound_select = 500;
  int function_arguments = 1000;
  int variable_number = 32766;
};

struct ParsedStatement {
  ast::Statement* statement = nullptr;  // null: nothing but space, comments and a semicolon
  // The largest parameter number, and the name of each (index 0 is parameter 1; an empty name:
  // nameless; no names at all: all are nameless).
  int32_t parameter_count = 0;
  std::span<std::string_view> parameter_names;
  // The schemas that tables in FROM and IN are qualified with.
  std::span<ast::Name> schemas;
};

// Where and why a text is wrong; the Status carries code and message.
struct ParseDiagnostics {
  int32_t error_offset = -1;  // byte of the offending token, -1 if unknown (sqlite3_error_offset)
};

// Parses the first statement of `sql`. `*tail` gets the number of bytes consumed, its semicolon
// included, also when it fails; `tail` and `diagnostics` may be null. A NUL byte ends the text. The
// tree refers to `sql` and lives in `arena`.
Result<ParsedStatement> parse_statement(std::string_view sql, size_t* tail, Arena* arena,
                                        const ParseLimits& limits = {},
                                        ParseDiagnostics* diagnostics = nullptr);

// Parses a text that is one expression and nothing else: stored defaults, checks, partial-index
// conditions.
Result<ast::Expr*> parse_expression(std::string_view sql, Arena* arena,
                                    const ParseLimits& limits = {});

}  // namespace godwit
