// Entry points of the parser, and what all rules share: errors, names, lists of names.
#include "sql/parser.h"

#include <algorithm>

#include "sql/parser_impl.h"

namespace godwit {
namespace {

// SQLITE_MAX_LENGTH's ceiling; offsets fit in 32 bits.
constexpr size_t kLongestSql = 0x7fffffff;

}  // namespace

Result<ParsedStatement> parse_statement(std::string_view sql, size_t* tail, Arena* arena,
                                        const ParseLimits& limits, ParseDiagnostics* diagnostics) {
  if (sql.size() > kLongestSql) return Status(code::kTooBig, "statement too long");
  internal::Parser parser(sql, arena, limits);
  ParsedStatement parsed;
  parsed.statement = parser.parse();
  if (tail != nullptr) *tail = parser.consumed();
  if (parser.failed()) {
    if (diagnostics != nullptr) diagnostics->error_offset = parser.error_offset();
    return parser.take_error();
  }
  parsed.parameter_count = parser.parameter_count();
  parsed.parameter_names = parser.parameter_names();
  parsed.schemas = parser.schemas();
  return parsed;
}

Result<ast::Expr*> parse_expression(std::string_view sql, Arena* arena, const ParseLimits& limits) {
  if (sql.size() > kLongestSql) return Status(code::kTooBig, "statement too long");
  internal::Parser parser(sql, arena, limits);
  ast::Expr* expr = parser.parse_lone_expression();
  if (parser.failed()) return parser.take_error();
  return expr;
}

namespace internal {

Parser::Parser(std::string_view sql, Arena* arena, const ParseLimits& limits)
    : arena_(arena), limits_(limits), tokenizer_(sql) {
  limits_.expr_depth = std::min(limits_.expr_depth, ParseLimits().expr_depth);
  limits_.parser_depth = std::min(limits_.parser_depth, ParseLimits().parser_depth);
}

ast::Statement* Parser::parse() {
  do advance();
  while (at(Kind::kSemicolon));
  if (at(Kind::kEnd)) return nullptr;
  uint32_t start = token_.offset;
  ast::Explain explain = ast::Explain::kNone;
  if (accept(Kind::k_EXPLAIN)) {
    explain = ast::Explain::kExplain;
    if (accept(Kind::k_QUERY)) {
      if (!expect(Kind::k_PLAN)) return nullptr;
      explain = ast::Explain::kQueryPlan;
    }
  }
  ast::Statement* statement = parse_statement_body();
  if (statement == nullptr) return nullptr;
  if (!at(Kind::kSemicolon) && !at(Kind::kEnd)) {
    syntax_error();
    return nullptr;
  }
  if (deferred_error_ != nullptr) fail_later(deferred_error_);
  if (pending_) {
    fail(std::move(pending_error_), pending_offset_);
    return nullptr;
  }
  statement->explain = explain;
  statement->range = range_from(start);
  return statement;
}

ast::Expr* Parser::parse_lone_expression() {
  advance();
  ast::Expr* expr = parse_expr();
  if (expr == nullptr) return nullptr;
  if (!at(Kind::kEnd)) {
    syntax_error();
    return nullptr;
  }
  return expr;
}

Status Parser::take_error() {
  return Status(code::kError, std::move(error_));
}

std::span<std::string_view> Parser::parameter_names() {
  if (parameters_ == nullptr) return {};
  std::span<std::string_view> names =
      arena_->make_array<std::string_view>(static_cast<size_t>(parameter_count_));
  std::copy(parameters_->names.begin(), parameters_->names.end(), names.begin());
  return names;
}

bool Parser::fail(std::string message, int64_t offset) {
  if (!failed_) {
    failed_ = true;
    error_ = std::move(message);
    error_offset_ = static_cast<int32_t>(offset);
  }
  return false;
}

bool Parser::syntax_error() {
  if (at(Kind::kEnd)) return fail("incomplete input");
  std::string token(text());
  if (at(Kind::kIllegal)) return fail("unrecognized token: \"" + token + "\"", token_.offset);
  return fail("near \"" + token + "\": syntax error", token_.offset);
}

bool Parser::check_height(int height) {
  if (height <= limits_.expr_depth) return true;
  return fail("Expression tree is too large (maximum depth " + std::to_string(limits_.expr_depth) +
              ")");
}

bool Parser::at_word(std::string_view word) const {
  std::string_view here = text();
  if (here.size() != word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if ((here[i] | 0x20) != word[i]) return false;
  }
  return true;
}

std::string_view Parser::unquoted(std::string_view text) {
  return unquote(text,
                 [this](size_t size) { return static_cast<char*>(arena_->allocate(size, 1)); });
}

ast::Name Parser::take_name() {
  ast::Name name;
  name.text = text();
  name.range = {token_.offset, token_.length};
  switch (name.text[0]) {
    case '"':
      name.quote = ast::Quote::kDouble;
      break;
    case '[':
      name.quote = ast::Quote::kBracket;
      break;
    case '`':
      name.quote = ast::Quote::kBacktick;
      break;
    case '\'':
      name.quote = ast::Quote::kSingle;
      break;
    default:
      break;
  }
  if (name.quote != ast::Quote::kNone) name.text = unquoted(name.text);
  advance();
  return name;
}

bool Parser::parse_name(ast::Name* name, uint8_t role) {
  if (!at_role(role)) return syntax_error();
  *name = take_name();
  return true;
}

bool Parser::parse_table_name(ast::TableName* name) {
  if (!parse_name(&name->table)) return false;
  if (accept(Kind::kDot)) {
    name->schema = name->table;
    return parse_name(&name->table);
  }
  return true;
}

bool Parser::parse_name_list(std::span<ast::Name>* names) {
  ListBuilder<ast::Name> list(arena_);
  do {
    if (!parse_name(&list.add())) return false;
  } while (accept(Kind::kComma));
  *names = list.list();
  return true;
}

bool Parser::parse_plain_columns(std::span<ast::Name>* names) {
  ListBuilder<ast::Name> list(arena_);
  if (!expect(Kind::kLeftParen)) return false;
  do {
    ast::Name& name = list.add();
    if (!parse_name(&name)) return false;
    bool more_than_a_name = false;
    if (accept(Kind::k_COLLATE)) {
      ast::Name collation;
      if (!parse_name(&collation, kRoleAlias)) return false;
      more_than_a_name = true;
    }
    if (accept(Kind::k_ASC) || accept(Kind::k_DESC)) more_than_a_name = true;
    if (more_than_a_name) {
      fail_later("syntax error after column name \"" +
                 std::string(name.range.of(tokenizer_.sql())) + "\"");
    }
  } while (accept(Kind::kComma));
  *names = list.list();
  return expect(Kind::kRightParen);
}

bool Parser::parse_optional_columns(std::span<ast::Name>* names) {
  return !at(Kind::kLeftParen) || parse_plain_columns(names);
}

ast::SourceRange Parser::trimmed(uint32_t start, uint32_t end) const {
  std::string_view sql = tokenizer_.sql();
  while (start < end && is_sql_space(static_cast<unsigned char>(sql[start]))) ++start;
  while (end > start && is_sql_space(static_cast<unsigned char>(sql[end - 1]))) --end;
  return {start, end - start};
}

}  // namespace internal
}  // namespace godwit
