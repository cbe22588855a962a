#include "exec/column_default.h"

#include <string>

#include "base/utf.h"
#include "sql/ast_expr.h"
#include "value/affinity.h"
#include "value/cast.h"
#include "value/number_text.h"

namespace godwit {

namespace {

ValueView number_of_literal(std::string_view text, bool negative) {
  if (text.size() > 2 && text[0] == '0' && ascii_lower(text[1]) == 'x') {
    uint64_t bits = 0;
    for (char digit : text.substr(2)) bits = bits << 4 | static_cast<uint64_t>(hex_digit_value(digit));
    return ValueView::of(static_cast<int64_t>(negative ? 0 - bits : bits));
  }
  return parse_number((negative ? "-" : "") + std::string(text)).value();
}

ValueView negated(const ValueView& value) {
  ValueView number = value_to_number(value);
  if (number.is_real()) return ValueView::of(-number.real);
  if (number.is_null()) return number;
  bool fits = number.integer != INT64_MIN;
  return fits ? ValueView::of(-number.integer)
              : ValueView::of(-static_cast<double>(number.integer));
}

// The value of a literal with its sign; false: not a constant that a stored row may lack.
bool literal_value(const ast::Expr& expr, bool negative, Value* value) {
  if (const auto* unary = expr.try_as<ast::UnaryExpr>()) {
    if (unary->op == ast::UnaryOp::kMinus) return literal_value(*unary->operand, !negative, value);
    if (unary->op == ast::UnaryOp::kPlus) return literal_value(*unary->operand, negative, value);
    return false;
  }
  if (const auto* name = expr.try_as<ast::ColumnExpr>()) {
    // DEFAULT word: a string, unless the word is a truth value.
    std::string_view text = name->column.text;
    bool is_word = name->column.quote == ast::Quote::kNone;
    if (is_word && equals_ignore_case(text, "true")) {
      value->assign(ValueView::of(int64_t{negative ? -1 : 1}));
    } else if (is_word && equals_ignore_case(text, "false")) {
      value->assign(ValueView::of(int64_t{0}));
    } else {
      value->assign(ValueView::of_text(text));
    }
    return true;
  }
  if (const auto* cast = expr.try_as<ast::CastExpr>()) {
    if (!literal_value(*cast->operand, false, value)) return false;
    Arena arena;
    ValueView converted = cast_value(*value, affinity_of_type_name(cast->type), &arena);
    if (negative) converted = negated(converted);
    Value result;
    result.assign(converted);
    *value = std::move(result);
    return true;
  }
  const auto* literal = expr.try_as<ast::LiteralExpr>();
  if (literal == nullptr) return false;
  switch (literal->literal) {
    case ast::LiteralKind::kInteger:
    case ast::LiteralKind::kReal:
      value->assign(number_of_literal(literal->text, negative));
      return true;
    case ast::LiteralKind::kString:
      value->assign(negative ? negated(ValueView::of_text(literal->text))
                             : ValueView::of_text(literal->text));
      return true;
    case ast::LiteralKind::kBlob:
      value->assign(ValueView::of_blob(literal->text));
      return true;
    default:
      return false;
  }
}

}  // namespace

Status evaluate_column_default(const Column& column, Value* value) {
  value->set_null();
  if (column.default_value == nullptr || !literal_value(*column.default_value, false, value)) {
    return Status();
  }
  Arena arena;
  ValueView converted = *value;
  apply_affinity(column.affinity, &converted, &arena);
  value->assign(converted);
  return Status();
}

}  // namespace godwit
