// Operands of expressions: literals, names, parameters, calls and everything in parentheses.
#include <charconv>

#include "sql/parser_impl.h"

namespace godwit::internal {

using ast::Expr;

Expr* Parser::parse_primary() {
  if (Expr* term = parse_term(); term != nullptr || failed_) return term;
  switch (token_.kind) {
    case Kind::kLeftParen:
      return parse_parenthesized();
    case Kind::kVariable:
      return parse_variable();
    case Kind::kString:
      return parse_string();
    case Kind::k_CASE:
      return parse_case();
    case Kind::k_CAST:
      return parse_cast();
    case Kind::k_EXISTS:
      return parse_exists();
    case Kind::k_RAISE:
      return parse_raise();
    default:
      if (at_role(kRoleExpr)) return parse_name_expr();
      syntax_error();
      return nullptr;
  }
}

// A string is left alone: it may be the first part of a dotted name.
Expr* Parser::parse_term() {
  switch (token_.kind) {
    case Kind::kInteger:
    case Kind::kReal:
    case Kind::kSeparated:
      return parse_number();
    case Kind::kBlob:
      return parse_blob();
    case Kind::k_NULL:
      return parse_literal(ast::LiteralKind::kNull);
    case Kind::k_CURRENT_TIME:
      return parse_literal(ast::LiteralKind::kCurrentTime);
    case Kind::k_CURRENT_DATE:
      return parse_literal(ast::LiteralKind::kCurrentDate);
    case Kind::k_CURRENT_TIMESTAMP:
      return parse_literal(ast::LiteralKind::kCurrentTimestamp);
    default:
      return nullptr;
  }
}

Expr* Parser::parse_literal(ast::LiteralKind kind) {
  auto* literal = make_expr<ast::LiteralExpr>(token_.offset);
  literal->literal = kind;
  advance();
  return finish(literal, 0);
}

Expr* Parser::parse_number() {
  std::string_view digits = text();
  auto* literal = make_expr<ast::LiteralExpr>(token_.offset);
  literal->literal = at(Kind::kReal) ? ast::LiteralKind::kReal : ast::LiteralKind::kInteger;
  literal->text = digits;
  if (at(Kind::kSeparated)) {
    bool hex = digits.size() > 1 && (digits[1] | 0x20) == 'x';
    auto is_digit = [hex](char c) {
      return (c >= '0' && c <= '9') || (hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    };
    char* out = static_cast<char*>(arena_->allocate(digits.size(), 1));
    size_t size = 0;
    for (size_t i = 0; i < digits.size(); ++i) {
      if (digits[i] != '_') {
        out[size++] = digits[i];
      } else if (i == 0 || i + 1 == digits.size() || !is_digit(digits[i - 1]) ||
                 !is_digit(digits[i + 1])) {
        fail("unrecognized token: \"" + std::string(digits) + "\"");
        return nullptr;
      }
    }
    literal->text = {out, size};
    if (!hex && literal->text.find_first_of(".eE") != std::string_view::npos) {
      literal->literal = ast::LiteralKind::kReal;
    }
  }
  advance();
  return finish(literal, 0);
}

Expr* Parser::parse_blob() {
  std::string_view digits = text().substr(2, token_.length - 3);
  char* bytes = static_cast<char*>(arena_->allocate(digits.size() / 2 + 1, 1));
  auto value = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes[i / 2] = static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  }
  auto* literal = make_expr<ast::LiteralExpr>(token_.offset);
  literal->literal = ast::LiteralKind::kBlob;
  literal->text = {bytes, digits.size() / 2};
  advance();
  return finish(literal, 0);
}

Expr* Parser::parse_string() {
  if (tokenizer_.peek().kind == Kind::kDot) return parse_name_expr();
  auto* literal = make_expr<ast::LiteralExpr>(token_.offset);
  literal->literal = ast::LiteralKind::kString;
  literal->text = unquoted(text());
  advance();
  return finish(literal, 0);
}

Expr* Parser::parse_variable() {
  std::string_view name = text();
  uint32_t offset = token_.offset;
  auto* bind = make_expr<ast::BindExpr>(offset);
  advance();
  // "#1" is how SQLite's own code names a register.
  if (name[0] == '#' && name[1] >= '0' && name[1] <= '9') {
    fail_later("near \"" + std::string(name) + "\": syntax error", offset);
  } else if (!assign_number(bind, name, offset)) {
    return nullptr;
  }
  return finish(bind, 0);
}

bool Parser::assign_number(ast::BindExpr* bind, std::string_view name, uint32_t offset) {
  if (name.size() == 1) {
    bind->number = parameter_count_ + 1;
  } else {
    if (parameters_ == nullptr) parameters_ = std::make_unique<Parameters>();
    bind->name = name;
    if (name[0] == '?') {
      int64_t number = 0;
      auto parsed = std::from_chars(name.data() + 1, name.data() + name.size(), number);
      if (parsed.ec != std::errc() || number < 1 || number > limits_.variable_number) {
        return fail(
            "variable number must be between ?1 and ?" + std::to_string(limits_.variable_number),
            offset);
      }
      bind->number = static_cast<int32_t>(number);
    } else {
      auto [known, is_new] = parameters_->numbers.try_emplace(name, parameter_count_ + 1);
      bind->number = known->second;
    }
    if (bind->number > limits_.variable_number) return fail("too many SQL variables", offset);
    std::vector<std::string_view>& names = parameters_->names;
    size_t index = static_cast<size_t>(bind->number - 1);
    if (index >= names.size()) names.resize(index + 1);
    if (names[index].data() == nullptr) names[index] = name;
  }
  if (bind->number > limits_.variable_number) return fail("too many SQL variables", offset);
  parameter_count_ = std::max(parameter_count_, bind->number);
  return true;
}

Expr* Parser::parse_parenthesized() {
  Depth depth(this, 1);
  if (!depth.ok()) return nullptr;
  uint32_t start = token_.offset;
  advance();
  if (at_select()) {
    auto* subquery = make_expr<ast::SubqueryExpr>(start);
    subquery->select = parse_parenthesized_select();
    if (subquery->select == nullptr) return nullptr;
    return finish(subquery, subquery->select->height);
  }
  Expr* expr = parse_expr();
  if (expr == nullptr) return nullptr;
  if (accept(Kind::kComma)) {
    ListBuilder<Expr*> values(arena_);
    values.add(expr);
    int height = expr->height;
    auto* row = make_expr<ast::RowExpr>(start);
    if (!parse_more_exprs(&values, &row->values, &height) || !expect(Kind::kRightParen)) {
      return nullptr;
    }
    return finish(row, height);
  }
  if (!expect(Kind::kRightParen)) return nullptr;
  expr->range = range_from(start);
  return expr;
}

Expr* Parser::parse_case() {
  auto* result = make_expr<ast::CaseExpr>(token_.offset);
  advance();
  int height = 0;
  auto parse_part = [&](Expr** part, int levels) {
    Depth depth(this, levels);
    if (!depth.ok()) return false;
    *part = parse_expr();
    if (*part == nullptr) return false;
    height = std::max<int>(height, (*part)->height);
    return true;
  };
  if (!at(Kind::k_WHEN) && !parse_part(&result->operand, 1)) return nullptr;
  ListBuilder<ast::CaseBranch> branches(arena_);
  do {
    if (!expect(Kind::k_WHEN)) return nullptr;
    ast::CaseBranch& branch = branches.add();
    if (!parse_part(&branch.when, 3) || !expect(Kind::k_THEN) || !parse_part(&branch.then, 5)) {
      return nullptr;
    }
  } while (at(Kind::k_WHEN));
  result->branches = branches.list();
  if (accept(Kind::k_ELSE) && !parse_part(&result->otherwise, 4)) return nullptr;
  if (!expect(Kind::k_END)) return nullptr;
  return finish(result, height);
}

Expr* Parser::parse_cast() {
  Depth depth(this, 2);
  if (!depth.ok()) return nullptr;
  auto* cast = make_expr<ast::CastExpr>(token_.offset);
  advance();
  if (!expect(Kind::kLeftParen)) return nullptr;
  cast->operand = parse_expr();
  if (cast->operand == nullptr || !expect(Kind::k_AS) || !parse_type(&cast->type) ||
      !expect(Kind::kRightParen)) {
    return nullptr;
  }
  return finish(cast, cast->operand->height);
}

Expr* Parser::parse_exists() {
  Depth depth(this, 2);
  if (!depth.ok()) return nullptr;
  auto* exists = make_expr<ast::ExistsExpr>(token_.offset);
  advance();
  if (!expect(Kind::kLeftParen)) return nullptr;
  if (!at_select()) {
    syntax_error();
    return nullptr;
  }
  exists->select = parse_parenthesized_select();
  if (exists->select == nullptr) return nullptr;
  return finish(exists, exists->select->height);
}

Expr* Parser::parse_raise() {
  auto* raise = make_expr<ast::RaiseExpr>(token_.offset);
  advance();
  if (!expect(Kind::kLeftParen)) return nullptr;
  int height = 0;
  if (!accept(Kind::k_IGNORE)) {
    if (accept(Kind::k_ROLLBACK)) {
      raise->action = ast::RaiseAction::kRollback;
    } else if (accept(Kind::k_ABORT)) {
      raise->action = ast::RaiseAction::kAbort;
    } else if (accept(Kind::k_FAIL)) {
      raise->action = ast::RaiseAction::kFail;
    } else {
      syntax_error();
      return nullptr;
    }
    if (!expect(Kind::kComma)) return nullptr;
    raise->message = parse_expr();
    if (raise->message == nullptr) return nullptr;
    height = raise->message->height;
  }
  if (!expect(Kind::kRightParen)) return nullptr;
  return finish(raise, height);
}

// column, table.column, schema.table.column or function(...).
Expr* Parser::parse_name_expr() {
  uint32_t start = token_.offset;
  ast::Name first = take_name();
  if (at(Kind::kLeftParen) && first.quote != ast::Quote::kSingle) {
    return parse_function(first, start);
  }
  auto* column = make_expr<ast::ColumnExpr>(start);
  column->column = first;
  if (accept(Kind::kDot)) {
    column->table = first;
    if (!parse_name(&column->column)) return nullptr;
    if (accept(Kind::kDot)) {
      column->schema = first;
      column->table = column->column;
      if (!parse_name(&column->column)) return nullptr;
    }
  }
  return finish(column, 0);
}

Expr* Parser::parse_function(const ast::Name& name, uint32_t start) {
  Depth depth(this, 3);
  if (!depth.ok()) return nullptr;
  auto* function = make_expr<ast::FunctionExpr>(start);
  function->name = name;
  advance();
  if (!parse_arguments(function) || !expect(Kind::kRightParen)) return nullptr;
  if (function->arguments.size() > static_cast<size_t>(limits_.function_arguments)) {
    fail("too many arguments on function " + std::string(name.range.of(tokenizer_.sql())), start);
    return nullptr;
  }
  if (!parse_filter_over(function)) return nullptr;
  int height = 0;
  for (const Expr* argument : function->arguments) height = std::max<int>(height, argument->height);
  for (const auto& term : function->order_by) height = std::max<int>(height, term.expr->height);
  return finish(function, height);
}

bool Parser::parse_arguments(ast::FunctionExpr* function) {
  if (accept(Kind::kStar)) {
    function->star = true;
    return true;
  }
  if (accept(Kind::k_DISTINCT)) {
    function->distinct = true;
  } else {
    accept(Kind::k_ALL);
  }
  int height = 0;
  if (!at(Kind::kRightParen) && !at(Kind::k_ORDER) &&
      !parse_expr_list(&function->arguments, &height)) {
    return false;
  }
  return !at(Kind::k_ORDER) || parse_order_by(&function->order_by);
}

bool Parser::parse_filter_over(ast::FunctionExpr* function) {
  if (accept(Kind::k_FILTER)) {
    Depth depth(this, 5);
    if (!depth.ok() || !expect(Kind::kLeftParen, Kind::k_WHERE)) return false;
    function->filter = parse_expr();
    if (function->filter == nullptr || !expect(Kind::kRightParen)) return false;
  }
  if (!accept(Kind::k_OVER)) return true;
  if (!accept(Kind::kLeftParen)) return parse_name(&function->over_name);
  function->over = parse_window();
  return function->over != nullptr;
}

// The words of a type, and its size in parentheses: the text from first to last.
bool Parser::parse_type(std::string_view* type) {
  if (!at_role(kRoleAlias)) return true;
  uint32_t start = token_.offset;
  while (at_role(kRoleAlias)) advance();
  if (at(Kind::kLeftParen) && !parse_type_size()) return false;
  *type = range_from(start).of(tokenizer_.sql());
  return true;
}

bool Parser::parse_type_size() {
  auto parse_signed_number = [this] {
    if (!accept(Kind::kPlus)) accept(Kind::kMinus);
    return accept(Kind::kInteger) || expect(Kind::kReal);
  };
  advance();
  if (!parse_signed_number()) return false;
  if (accept(Kind::kComma) && !parse_signed_number()) return false;
  return expect(Kind::kRightParen);
}

}  // namespace godwit::internal
