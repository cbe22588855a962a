// Operators of expressions, by precedence climbing.
//
// Two places follow an LR grammar's way of settling ambiguity rather than plain precedence: the
// lower bound of BETWEEN ends at AND, unless an OR came first; and a prefix NOT takes a whole
// comparison wherever it stands.
#include "sql/parser_impl.h"

namespace godwit::internal {

using ast::Expr;

namespace {

// How strongly an operator that follows an operand binds; 0: it is none.
constexpr auto kInfixPrecedence = [] {
  std::array<uint8_t, kTokenKinds> table{};
  auto set = [&](int precedence, std::initializer_list<Kind> kinds) {
    for (Kind kind : kinds) table[static_cast<int>(kind)] = static_cast<uint8_t>(precedence);
  };
  set(kPrecedenceOr, {Kind::k_OR});
  set(kPrecedenceAnd, {Kind::k_AND});
  set(kPrecedenceNot, {Kind::k_NOT});
  set(kPrecedenceEquality,
      {Kind::kEqual, Kind::kNotEqual, Kind::k_IS, Kind::k_MATCH, Kind::k_LIKE, Kind::k_GLOB,
       Kind::k_REGEXP, Kind::k_BETWEEN, Kind::k_IN, Kind::k_ISNULL, Kind::k_NOTNULL});
  set(kPrecedenceComparison, {Kind::kLess, Kind::kLessEqual, Kind::kGreater, Kind::kGreaterEqual});
  set(kPrecedenceBit, {Kind::kBitAnd, Kind::kBitOr, Kind::kShiftLeft, Kind::kShiftRight});
  set(kPrecedenceAdd, {Kind::kPlus, Kind::kMinus});
  set(kPrecedenceMultiply, {Kind::kStar, Kind::kSlash, Kind::kPercent});
  set(kPrecedenceConcat, {Kind::kConcat, Kind::kArrow, Kind::kLongArrow});
  set(kPrecedenceCollate, {Kind::k_COLLATE});
  return table;
}();

ast::BinaryOp binary_op(Kind kind) {
  using Op = ast::BinaryOp;
  switch (kind) {
    case Kind::k_OR:
      return Op::kOr;
    case Kind::k_AND:
      return Op::kAnd;
    case Kind::kEqual:
      return Op::kEqual;
    case Kind::kNotEqual:
      return Op::kNotEqual;
    case Kind::kLess:
      return Op::kLess;
    case Kind::kLessEqual:
      return Op::kLessEqual;
    case Kind::kGreater:
      return Op::kGreater;
    case Kind::kGreaterEqual:
      return Op::kGreaterEqual;
    case Kind::kBitAnd:
      return Op::kBitAnd;
    case Kind::kBitOr:
      return Op::kBitOr;
    case Kind::kShiftLeft:
      return Op::kShiftLeft;
    case Kind::kShiftRight:
      return Op::kShiftRight;
    case Kind::kPlus:
      return Op::kAdd;
    case Kind::kMinus:
      return Op::kSubtract;
    case Kind::kStar:
      return Op::kMultiply;
    case Kind::kSlash:
      return Op::kDivide;
    case Kind::kPercent:
      return Op::kModulo;
    case Kind::kConcat:
      return Op::kConcat;
    case Kind::kArrow:
      return Op::kArrow;
    default:
      return Op::kLongArrow;
  }
}

}  // namespace

Expr* Parser::finish(Expr* expr, int height_of_children) {
  int height = height_of_children + 1;
  if (!check_height(height)) return nullptr;
  expr->height = static_cast<uint16_t>(height);
  expr->range.length = previous_end_ - expr->range.offset;
  return expr;
}

Expr* Parser::parse_expr(int min_precedence) {
  uint32_t start = token_.offset;
  Expr* left = parse_prefix();
  if (left == nullptr) return nullptr;
  return parse_infix(left, start, min_precedence);
}

// Takes operators of at least `min_precedence`; `left` began at `start`.
Expr* Parser::parse_infix(Expr* left, uint32_t start, int min_precedence) {
  while (left != nullptr) {
    int precedence = kInfixPrecedence[static_cast<int>(token_.kind)];
    if (precedence == 0 || precedence < min_precedence) return left;
    if (precedence == kPrecedenceEquality || precedence == kPrecedenceNot ||
        precedence == kPrecedenceCollate) {
      left = parse_postfix(left, start);
    } else {
      ast::BinaryOp op = binary_op(token_.kind);
      advance();
      left = parse_binary(left, start, op, precedence);
    }
  }
  return nullptr;
}

// Operators with a shape of their own, all left-associative.
Expr* Parser::parse_postfix(Expr* left, uint32_t start) {
  Kind kind = token_.kind;
  std::string_view word = text();
  advance();
  switch (kind) {
    case Kind::kEqual:
      return parse_binary(left, start, ast::BinaryOp::kEqual, kPrecedenceEquality);
    case Kind::kNotEqual:
      return parse_binary(left, start, ast::BinaryOp::kNotEqual, kPrecedenceEquality);
    case Kind::k_IS:
      return parse_is(left, start);
    case Kind::k_NOT:
      return parse_not_infix(left, start);
    case Kind::k_LIKE:
      return parse_like(left, start, ast::LikeOp::kLike, word, false);
    case Kind::k_GLOB:
      return parse_like(left, start, ast::LikeOp::kGlob, word, false);
    case Kind::k_REGEXP:
      return parse_like(left, start, ast::LikeOp::kRegexp, word, false);
    case Kind::k_MATCH:
      return parse_like(left, start, ast::LikeOp::kMatch, word, false);
    case Kind::k_BETWEEN:
      return parse_between(left, start, false);
    case Kind::k_IN:
      return parse_in(left, start, false);
    case Kind::k_ISNULL:
      return make_postfix_unary(left, start, ast::UnaryOp::kIsNull);
    case Kind::k_NOTNULL:
      return make_postfix_unary(left, start, ast::UnaryOp::kNotNull);
    default:
      return parse_collate(left, start);
  }
}

Expr* Parser::parse_binary(Expr* left, uint32_t start, ast::BinaryOp op, int precedence) {
  Depth depth(this, 2);
  if (!depth.ok()) return nullptr;
  Expr* right = parse_expr(precedence + 1);
  if (right == nullptr) return nullptr;
  auto* binary = make_expr<ast::BinaryExpr>(start);
  binary->op = op;
  binary->left = left;
  binary->right = right;
  return finish(binary, std::max(left->height, right->height));
}

Expr* Parser::parse_is(Expr* left, uint32_t start) {
  bool negated = accept(Kind::k_NOT);
  if (accept(Kind::k_DISTINCT)) {
    if (!expect(Kind::k_FROM)) return nullptr;
    negated = !negated;
  }
  return parse_binary(left, start, negated ? ast::BinaryOp::kIsNot : ast::BinaryOp::kIs,
                      kPrecedenceEquality);
}

Expr* Parser::parse_not_infix(Expr* left, uint32_t start) {
  Kind kind = token_.kind;
  std::string_view word = text();
  switch (kind) {
    case Kind::k_NULL:
    case Kind::k_LIKE:
    case Kind::k_GLOB:
    case Kind::k_REGEXP:
    case Kind::k_MATCH:
    case Kind::k_BETWEEN:
    case Kind::k_IN:
      advance();
      break;
    default:
      syntax_error();
      return nullptr;
  }
  switch (kind) {
    case Kind::k_NULL:
      return make_postfix_unary(left, start, ast::UnaryOp::kNotNull);
    case Kind::k_LIKE:
      return parse_like(left, start, ast::LikeOp::kLike, word, true);
    case Kind::k_GLOB:
      return parse_like(left, start, ast::LikeOp::kGlob, word, true);
    case Kind::k_REGEXP:
      return parse_like(left, start, ast::LikeOp::kRegexp, word, true);
    case Kind::k_MATCH:
      return parse_like(left, start, ast::LikeOp::kMatch, word, true);
    case Kind::k_BETWEEN:
      return parse_between(left, start, true);
    default:
      return parse_in(left, start, true);
  }
}

Expr* Parser::make_postfix_unary(Expr* left, uint32_t start, ast::UnaryOp op) {
  auto* unary = make_expr<ast::UnaryExpr>(start);
  unary->op = op;
  unary->operand = left;
  return finish(unary, left->height);
}

Expr* Parser::parse_like(Expr* left, uint32_t start, ast::LikeOp op, std::string_view word,
                         bool negated) {
  Depth depth(this, 2);
  if (!depth.ok()) return nullptr;
  auto* like = make_expr<ast::LikeExpr>(start);
  like->op = op;
  like->word = word;
  like->negated = negated;
  like->operand = left;
  like->pattern = parse_expr(kPrecedenceEquality + 1);
  if (like->pattern == nullptr) return nullptr;
  int height = std::max(left->height, like->pattern->height);
  if (accept(Kind::k_ESCAPE)) {
    like->escape = parse_expr(kPrecedenceEquality + 1);
    if (like->escape == nullptr) return nullptr;
    height = std::max<int>(height, like->escape->height);
  }
  return finish(like, height);
}

Expr* Parser::parse_between(Expr* left, uint32_t start, bool negated) {
  Depth depth(this, 4);
  if (!depth.ok()) return nullptr;
  auto* between = make_expr<ast::BetweenExpr>(start);
  between->negated = negated;
  between->operand = left;
  uint32_t low_start = token_.offset;
  between->low = parse_expr(kPrecedenceAnd + 1);
  if (between->low != nullptr && at(Kind::k_OR)) {
    between->low = parse_infix(between->low, low_start, kPrecedenceOr);
  }
  if (between->low == nullptr || !expect(Kind::k_AND)) return nullptr;
  between->high = parse_expr(kPrecedenceEquality + 1);
  if (between->high == nullptr) return nullptr;
  return finish(between,
                std::max(left->height, std::max(between->low->height, between->high->height)));
}

Expr* Parser::parse_in(Expr* left, uint32_t start, bool negated) {
  Depth depth(this, 3);
  if (!depth.ok()) return nullptr;
  auto* in = make_expr<ast::InExpr>(start);
  in->negated = negated;
  in->operand = left;
  if (!parse_in_source(in)) return nullptr;
  int height = left->height;
  for (const Expr* value : in->list) height = std::max<int>(height, value->height);
  if (in->select != nullptr) height = std::max<int>(height, in->select->height);
  return finish(in, height);
}

bool Parser::parse_in_source(ast::InExpr* in) {
  int height = 0;
  if (accept(Kind::kLeftParen)) {
    if (at_select()) {
      in->source = ast::InSource::kSelect;
      in->select = parse_parenthesized_select();
      return in->select != nullptr;
    }
    if (accept(Kind::kRightParen)) return true;
    return parse_expr_list(&in->list, &height) && expect(Kind::kRightParen);
  }
  in->source = ast::InSource::kTable;
  ast::TableName name;
  if (!parse_table_name(&name)) return false;
  if (name.schema.present()) schemas_.add(name.schema);
  in->schema = name.schema;
  in->table = name.table;
  if (!accept(Kind::kLeftParen)) return true;
  in->is_table_function = true;
  if (accept(Kind::kRightParen)) return true;
  return parse_expr_list(&in->list, &height) && expect(Kind::kRightParen);
}

Expr* Parser::parse_collate(Expr* left, uint32_t start) {
  auto* collate = make_expr<ast::CollateExpr>(start);
  collate->operand = left;
  if (!parse_name(&collate->collation, kRoleAlias)) return nullptr;
  return finish(collate, left->height);
}

Expr* Parser::parse_prefix() {
  switch (token_.kind) {
    case Kind::kMinus:
      return parse_unary(ast::UnaryOp::kMinus, kPrecedenceUnary);
    case Kind::kPlus:
      return parse_unary(ast::UnaryOp::kPlus, kPrecedenceUnary);
    case Kind::kBitNot:
      return parse_unary(ast::UnaryOp::kBitNot, kPrecedenceUnary);
    case Kind::k_NOT:
      return parse_unary(ast::UnaryOp::kNot, kPrecedenceNot);
    default:
      return parse_primary();
  }
}

Expr* Parser::parse_unary(ast::UnaryOp op, int operand_precedence) {
  Depth depth(this, 1);
  if (!depth.ok()) return nullptr;
  uint32_t start = token_.offset;
  advance();
  Expr* operand = parse_expr(operand_precedence);
  if (operand == nullptr) return nullptr;
  auto* unary = make_expr<ast::UnaryExpr>(start);
  unary->op = op;
  unary->operand = operand;
  return finish(unary, operand->height);
}

bool Parser::parse_expr_list(std::span<Expr*>* list, int* height) {
  ListBuilder<Expr*> builder(arena_);
  return parse_more_exprs(&builder, list, height);
}

// Appends expressions to those that are in the list already.
bool Parser::parse_more_exprs(ListBuilder<Expr*>* builder, std::span<Expr*>* list, int* height) {
  do {
    Depth depth(this, builder->size() > 0 ? 2 : 0);
    if (!depth.ok()) return false;
    Expr* expr = parse_expr();
    if (expr == nullptr) return false;
    *height = std::max<int>(*height, expr->height);
    builder->add(expr);
  } while (accept(Kind::kComma));
  *list = builder->list();
  return true;
}

}  // namespace godwit::internal
