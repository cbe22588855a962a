// Printing of names and expressions.
#include "sql/printer.h"
#include "sql/printer_impl.h"
#include "sql/token.h"

namespace godwit {
namespace {

std::string quoted_with(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  out += quote;
  return out;
}

// Whether the text is one identifier token; `keywords` also lets those through that can be names.
bool is_bare(std::string_view text, bool keywords) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text[0] == '$') return false;
  for (char c : text) {
    if (!is_identifier_byte(static_cast<unsigned char>(c))) return false;
  }
  TokenKind kind = find_keyword(text);
  if (kind == TokenKind::kId) return true;
  // WINDOW, OVER and FILTER are names wherever a tree can hold them bare.
  bool contextual =
      kind == TokenKind::k_WINDOW || kind == TokenKind::k_OVER || kind == TokenKind::k_FILTER;
  return keywords && (contextual || internal::kNameRoles[static_cast<int>(kind)] != 0);
}

}  // namespace

std::string print(const ast::Expr& expr) {
  internal::Printer printer;
  printer.expr(expr);
  return printer.take();
}

std::string quote_identifier(std::string_view text) {
  return is_bare(text, false) ? std::string(text) : quoted_with(text, '"');
}

std::string quote_string(std::string_view text) {
  return quoted_with(text, '\'');
}

namespace internal {

using ast::ExprKind;

namespace {

enum : int {
  kOr = 1,
  kAnd,
  kNot,
  kEquality,
  kComparison,
  kBit,
  kAdd,
  kMultiply,
  kConcat,
  kCollate,
  kUnary,
  kPrimary,
};

struct Operator {
  const char* text;
  int precedence;
};

Operator binary_operator(ast::BinaryOp op) {
  using Op = ast::BinaryOp;
  switch (op) {
    case Op::kOr:
      return {" OR ", kOr};
    case Op::kAnd:
      return {" AND ", kAnd};
    case Op::kEqual:
      return {" = ", kEquality};
    case Op::kNotEqual:
      return {" <> ", kEquality};
    case Op::kIs:
      return {" IS ", kEquality};
    case Op::kIsNot:
      return {" IS NOT ", kEquality};
    case Op::kLess:
      return {" < ", kComparison};
    case Op::kLessEqual:
      return {" <= ", kComparison};
    case Op::kGreater:
      return {" > ", kComparison};
    case Op::kGreaterEqual:
      return {" >= ", kComparison};
    case Op::kBitAnd:
      return {" & ", kBit};
    case Op::kBitOr:
      return {" | ", kBit};
    case Op::kShiftLeft:
      return {" << ", kBit};
    case Op::kShiftRight:
      return {" >> ", kBit};
    case Op::kAdd:
      return {" + ", kAdd};
    case Op::kSubtract:
      return {" - ", kAdd};
    case Op::kMultiply:
      return {" * ", kMultiply};
    case Op::kDivide:
      return {" / ", kMultiply};
    case Op::kModulo:
      return {" % ", kMultiply};
    case Op::kConcat:
      return {" || ", kConcat};
    case Op::kArrow:
      return {" -> ", kConcat};
    case Op::kLongArrow:
      return {" ->> ", kConcat};
  }
  return {"", kPrimary};
}

int precedence_of(const ast::Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kBinary:
      return binary_operator(expr.as<ast::BinaryExpr>()->op).precedence;
    case ExprKind::kBetween:
    case ExprKind::kLike:
    case ExprKind::kIn:
      return kEquality;
    case ExprKind::kCollate:
      return kCollate;
    case ExprKind::kUnary:
      switch (expr.as<ast::UnaryExpr>()->op) {
        case ast::UnaryOp::kNot:
          return kNot;
        case ast::UnaryOp::kIsNull:
        case ast::UnaryOp::kNotNull:
          return kEquality;
        default:
          return kUnary;
      }
    default:
      return kPrimary;
  }
}

}  // namespace

void Printer::name(const ast::Name& name) {
  switch (name.quote) {
    case ast::Quote::kNone:
      put(is_bare(name.text, true) ? std::string(name.text) : quoted_with(name.text, '"'));
      break;
    case ast::Quote::kDouble:
      put(quoted_with(name.text, '"'));
      break;
    case ast::Quote::kBacktick:
      put(quoted_with(name.text, '`'));
      break;
    case ast::Quote::kSingle:
      put(quoted_with(name.text, '\''));
      break;
    case ast::Quote::kBracket:
      put("[");
      put(name.text);
      put("]");
      break;
  }
}

void Printer::names(std::span<const ast::Name> names) {
  list(names, [this](const ast::Name& n) { name(n); });
}

void Printer::names_in_parentheses(std::span<const ast::Name> list) {
  put("(");
  names(list);
  put(")");
}

void Printer::qualified(const ast::Name& schema, const ast::Name& object) {
  if (schema) {
    name(schema);
    put(".");
  }
  name(object);
}

void Printer::exprs(std::span<ast::Expr* const> elements) {
  list(elements, [this](const ast::Expr* e) { expr(*e); });
}

void Printer::operand(const ast::Expr& e, int min_precedence) {
  bool parentheses = precedence_of(e) < min_precedence;
  if (parentheses) put("(");
  expr(e);
  if (parentheses) put(")");
}

void Printer::subquery(const ast::Select& s) {
  put("(");
  select(s);
  put(")");
}

void Printer::expr(const ast::Expr& e) {
  switch (e.kind) {
    case ExprKind::kLiteral:
      return literal(*e.as<ast::LiteralExpr>());
    case ExprKind::kColumn:
      return column(*e.as<ast::ColumnExpr>());
    case ExprKind::kBind: {
      const auto* bind = e.as<ast::BindExpr>();
      return put(bind->name.empty() ? std::string_view("?") : bind->name);
    }
    case ExprKind::kUnary:
      return unary(*e.as<ast::UnaryExpr>());
    case ExprKind::kBinary:
      return binary(*e.as<ast::BinaryExpr>());
    case ExprKind::kBetween:
      return between(*e.as<ast::BetweenExpr>());
    case ExprKind::kLike:
      return like(*e.as<ast::LikeExpr>());
    case ExprKind::kIn:
      return in(*e.as<ast::InExpr>());
    case ExprKind::kCase:
      return case_when(*e.as<ast::CaseExpr>());
    case ExprKind::kCast: {
      const auto* cast = e.as<ast::CastExpr>();
      put("CAST(");
      expr(*cast->operand);
      put(" AS ");
      put(cast->type);
      return put(")");
    }
    case ExprKind::kCollate: {
      const auto* collate = e.as<ast::CollateExpr>();
      operand(*collate->operand, kCollate);
      put(" COLLATE ");
      return name(collate->collation);
    }
    case ExprKind::kFunction:
      return function(*e.as<ast::FunctionExpr>());
    case ExprKind::kExists:
      put("EXISTS ");
      return subquery(*e.as<ast::ExistsExpr>()->select);
    case ExprKind::kSubquery:
      return subquery(*e.as<ast::SubqueryExpr>()->select);
    case ExprKind::kRow:
      put("(");
      exprs(e.as<ast::RowExpr>()->values);
      return put(")");
    case ExprKind::kRaise:
      return raise(*e.as<ast::RaiseExpr>());
  }
}

void Printer::literal(const ast::LiteralExpr& literal) {
  switch (literal.literal) {
    case ast::LiteralKind::kNull:
      return put("NULL");
    case ast::LiteralKind::kInteger:
    case ast::LiteralKind::kReal:
      return put(literal.text);
    case ast::LiteralKind::kString:
      return put(quoted_with(literal.text, '\''));
    case ast::LiteralKind::kBlob:
      put("x'");
      for (unsigned char byte : literal.text) {
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        out_ += kDigits[byte >> 4];
        out_ += kDigits[byte & 15];
      }
      return put("'");
    case ast::LiteralKind::kCurrentTime:
      return put("CURRENT_TIME");
    case ast::LiteralKind::kCurrentDate:
      return put("CURRENT_DATE");
    case ast::LiteralKind::kCurrentTimestamp:
      return put("CURRENT_TIMESTAMP");
  }
}

void Printer::column(const ast::ColumnExpr& column) {
  if (column.schema) {
    name(column.schema);
    put(".");
  }
  qualified(column.table, column.column);
}

void Printer::unary(const ast::UnaryExpr& unary) {
  switch (unary.op) {
    case ast::UnaryOp::kNot:
      put("NOT ");
      return operand(*unary.operand, kNot);
    case ast::UnaryOp::kIsNull:
      operand(*unary.operand, kEquality);
      return put(" ISNULL");
    case ast::UnaryOp::kNotNull:
      operand(*unary.operand, kEquality);
      return put(" NOTNULL");
    case ast::UnaryOp::kPlus:
      put("+");
      break;
    case ast::UnaryOp::kBitNot:
      put("~");
      break;
    case ast::UnaryOp::kMinus:
      put("-");
      // Two minus signs side by side would begin a comment.
      if (const auto* inner = unary.operand->try_as<ast::UnaryExpr>();
          inner != nullptr && inner->op == ast::UnaryOp::kMinus) {
        put(" ");
      }
      break;
  }
  operand(*unary.operand, kUnary);
}

void Printer::binary(const ast::BinaryExpr& binary) {
  Operator op = binary_operator(binary.op);
  operand(*binary.left, op.precedence);
  put(op.text);
  operand(*binary.right, op.precedence + 1);
}

void Printer::between(const ast::BetweenExpr& between) {
  operand(*between.operand, kEquality);
  put(between.negated ? " NOT BETWEEN " : " BETWEEN ");
  operand(*between.low, kComparison);
  put(" AND ");
  operand(*between.high, kComparison);
}

void Printer::like(const ast::LikeExpr& like) {
  constexpr const char* kWords[] = {"LIKE ", "GLOB ", "REGEXP ", "MATCH "};
  operand(*like.operand, kEquality);
  put(like.negated ? " NOT " : " ");
  put(kWords[static_cast<int>(like.op)]);
  operand(*like.pattern, kComparison);
  if (like.escape != nullptr) {
    put(" ESCAPE ");
    operand(*like.escape, kComparison);
  }
}

void Printer::in(const ast::InExpr& in) {
  operand(*in.operand, kEquality);
  put(in.negated ? " NOT IN " : " IN ");
  if (in.source == ast::InSource::kSelect) return subquery(*in.select);
  if (in.source == ast::InSource::kTable) {
    qualified(in.schema, in.table);
    if (!in.is_table_function) return;
  }
  put("(");
  exprs(in.list);
  put(")");
}

void Printer::case_when(const ast::CaseExpr& e) {
  put("CASE");
  clause(" ", e.operand);
  for (const ast::CaseBranch& branch : e.branches) {
    clause(" WHEN ", branch.when);
    clause(" THEN ", branch.then);
  }
  clause(" ELSE ", e.otherwise);
  put(" END");
}

void Printer::function(const ast::FunctionExpr& function) {
  name(function.name);
  put("(");
  if (function.distinct) put("DISTINCT ");
  if (function.star) put("*");
  exprs(function.arguments);
  if (!function.order_by.empty()) {
    put(" ORDER BY ");
    order_terms(function.order_by);
  }
  put(")");
  if (function.filter != nullptr) {
    clause(" FILTER (WHERE ", function.filter);
    put(")");
  }
  if (!function.has_over()) return;
  put(" OVER ");
  if (function.over == nullptr) return name(function.over_name);
  window(*function.over);
}

void Printer::raise(const ast::RaiseExpr& raise) {
  constexpr const char* kWords[] = {"IGNORE", "ROLLBACK", "ABORT", "FAIL"};
  put("RAISE(");
  put(kWords[static_cast<int>(raise.action)]);
  clause(", ", raise.message);
  put(")");
}

void Printer::order_terms(std::span<const ast::OrderTerm> terms) {
  list(terms, [this](const ast::OrderTerm& term) {
    expr(*term.expr);
    if (term.descending) {
      put(" DESC");
    } else if (term.explicit_direction) {
      put(" ASC");
    }
    if (term.nulls == ast::NullsOrder::kFirst) put(" NULLS FIRST");
    if (term.nulls == ast::NullsOrder::kLast) put(" NULLS LAST");
  });
}

}  // namespace internal
}  // namespace godwit
