// Expressions by kind: what is not a name, a literal, a comparison or a call is bound here. Also the
// makers of nodes, which keep the properties of trees (constant, deterministic, collation).
#include "base/assert.h"
#include "plan/binder_state.h"
#include "value/affinity.h"

namespace godwit {

BoundExpr* BinderState::make(ExprKind kind) {
  BoundExpr* expr = arena->make<BoundExpr>();
  expr->kind = kind;
  return expr;
}

BoundExpr* BinderState::make_with_args(ExprKind kind, std::span<BoundExpr*> args) {
  BoundExpr* expr = make(kind);
  expr->args = args;
  finish(expr);
  return expr;
}

BoundExpr* BinderState::make(ExprKind kind, std::initializer_list<BoundExpr*> args) {
  std::span<BoundExpr*> copy = arena->make_array<BoundExpr*>(args.size());
  std::copy(args.begin(), args.end(), copy.begin());
  return make_with_args(kind, copy);
}

BoundExpr* BinderState::make_constant(const ValueView& value) {
  BoundExpr* expr = make(ExprKind::kConstant);
  expr->constant = value;
  expr->is_constant = true;
  return expr;
}

// A COLLATE anywhere below counts for the whole, the leftmost first; a column's collation does not.
void BinderState::finish(BoundExpr* expr) {
  expr->is_constant = expr->query == nullptr && expr->kind != ExprKind::kRaise;
  for (BoundExpr* arg : expr->args) {
    expr->is_constant &= arg->is_constant;
    expr->is_deterministic &= arg->is_deterministic;
    expr->has_subquery |= arg->has_subquery;
    if (arg->collation_is_explicit && !expr->collation_is_explicit) {
      expr->collation_is_explicit = true;
      expr->collation = arg->collation;
    }
  }
  if (expr->query != nullptr) {
    expr->has_subquery = true;
    expr->is_deterministic &= expr->query->is_deterministic;
  }
}

BoundExpr* BinderState::clone(const BoundExpr* expr) {
  BoundExpr* copy = arena->make<BoundExpr>(*expr);
  copy->args = arena->make_array<BoundExpr*>(expr->args.size());
  for (size_t i = 0; i < expr->args.size(); ++i) copy->args[i] = clone(expr->args[i]);
  return copy;
}

BoundExpr* BinderState::conjunction(const std::vector<BoundExpr*>& terms) {
  if (terms.empty()) return nullptr;
  if (terms.size() == 1) return terms[0];
  return make_with_args(ExprKind::kAnd, arena->copy_array<BoundExpr*>(terms));
}

uint32_t row_size(const BoundExpr* expr) {
  if (expr->kind == ExprKind::kRow) return static_cast<uint32_t>(expr->args.size());
  return expr->kind == ExprKind::kScalarQuery ? expr->row_columns : 1;
}

const BoundExpr* row_part(const BoundExpr* row, uint32_t i) {
  if (row->kind == ExprKind::kRow) return row->args[i];
  if (row->kind != ExprKind::kScalarQuery || row->row_columns == 1) return row;
  // Of the last core, as SQLite looks at compound subqueries from their end.
  return row->query->cores.back()->results[i].expr;
}

Status BinderState::require_scalar(const BoundExpr* expr) {
  if (row_size(expr) == 1) return Status();
  if (expr->kind == ExprKind::kRow) return fail("row value misused");
  return fail(concat("sub-select returns ", std::to_string(expr->row_columns),
                     " columns - expected 1"));
}

Result<BoundExpr*> BinderState::bind_scalar(const ast::Expr& expr) {
  GW_ASSIGN(BoundExpr * bound, bind(expr));
  if (row_size(bound) != 1) return require_scalar(bound);
  return bound;
}

Result<BoundExpr*> BinderState::bind(const ast::Expr& expr) {
  switch (expr.kind) {
    case ast::ExprKind::kLiteral:
      return bind_literal(*expr.as<ast::LiteralExpr>(), false);
    case ast::ExprKind::kColumn:
      return bind_column(*expr.as<ast::ColumnExpr>());
    case ast::ExprKind::kBind: {
      GW_TRY(refuse_in_schema(expr, "parameters"));
      BoundExpr* parameter = make(ExprKind::kParameter);
      parameter->parameter = expr.as<ast::BindExpr>()->number;
      return parameter;
    }
    case ast::ExprKind::kUnary:
      return bind_unary(*expr.as<ast::UnaryExpr>());
    case ast::ExprKind::kBinary:
      return bind_binary(*expr.as<ast::BinaryExpr>());
    case ast::ExprKind::kBetween:
      return bind_between(*expr.as<ast::BetweenExpr>());
    case ast::ExprKind::kLike:
      return bind_like(*expr.as<ast::LikeExpr>());
    case ast::ExprKind::kIn:
      return bind_in(*expr.as<ast::InExpr>());
    case ast::ExprKind::kCase:
      return bind_case(*expr.as<ast::CaseExpr>());
    case ast::ExprKind::kCast:
      return bind_cast(*expr.as<ast::CastExpr>());
    case ast::ExprKind::kCollate:
      return bind_collate(*expr.as<ast::CollateExpr>());
    case ast::ExprKind::kFunction:
      return bind_function(*expr.as<ast::FunctionExpr>());
    case ast::ExprKind::kExists:
      return bind_exists(*expr.as<ast::ExistsExpr>());
    case ast::ExprKind::kSubquery:
      GW_TRY(refuse_in_schema(expr, "subqueries"));
      return bind_subquery(*expr.as<ast::SubqueryExpr>()->select);
    case ast::ExprKind::kRow:
      return bind_row(*expr.as<ast::RowExpr>());
    case ast::ExprKind::kRaise:
      return bind_raise(*expr.as<ast::RaiseExpr>());
  }
  GW_ASSERT(false);
  return fail("unknown expression");
}

Result<BoundExpr*> BinderState::bind_unary(const ast::UnaryExpr& unary) {
  if (unary.op == ast::UnaryOp::kMinus) {
    const auto* literal = unary.operand->try_as<ast::LiteralExpr>();
    if (literal != nullptr && (literal->literal == ast::LiteralKind::kInteger ||
                               literal->literal == ast::LiteralKind::kReal)) {
      return bind_literal(*literal, true);
    }
  }
  GW_ASSIGN(BoundExpr * operand, bind_scalar(*unary.operand));
  bool is_null_test = unary.op == ast::UnaryOp::kIsNull || unary.op == ast::UnaryOp::kNotNull;
  BoundExpr* expr = make(is_null_test ? ExprKind::kIsNull : ExprKind::kUnary, {operand});
  switch (unary.op) {
    case ast::UnaryOp::kMinus:
      expr->unary = UnaryOp::kNegate;
      break;
    case ast::UnaryOp::kPlus:
      expr->unary = UnaryOp::kPlus;
      expr->collation = operand->collation;
      break;
    case ast::UnaryOp::kBitNot:
      expr->unary = UnaryOp::kBitNot;
      break;
    case ast::UnaryOp::kNot:
      expr->unary = UnaryOp::kNot;
      break;
    case ast::UnaryOp::kIsNull:
      break;
    case ast::UnaryOp::kNotNull:
      expr->negated = true;
      break;
  }
  return expr;
}

namespace {

BinaryOp arithmetic_op(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::kBitAnd:
      return BinaryOp::kBitAnd;
    case ast::BinaryOp::kBitOr:
      return BinaryOp::kBitOr;
    case ast::BinaryOp::kShiftLeft:
      return BinaryOp::kShiftLeft;
    case ast::BinaryOp::kShiftRight:
      return BinaryOp::kShiftRight;
    case ast::BinaryOp::kAdd:
      return BinaryOp::kAdd;
    case ast::BinaryOp::kSubtract:
      return BinaryOp::kSubtract;
    case ast::BinaryOp::kMultiply:
      return BinaryOp::kMultiply;
    case ast::BinaryOp::kDivide:
      return BinaryOp::kDivide;
    case ast::BinaryOp::kModulo:
      return BinaryOp::kRemainder;
    default:
      GW_ASSERT(op == ast::BinaryOp::kConcat);
      return BinaryOp::kConcat;
  }
}

}  // namespace

Result<BoundExpr*> BinderState::bind_binary(const ast::BinaryExpr& binary) {
  switch (binary.op) {
    case ast::BinaryOp::kOr:
    case ast::BinaryOp::kAnd:
      return bind_logic(binary);
    case ast::BinaryOp::kIs:
    case ast::BinaryOp::kIsNot:
      return bind_is(binary);
    case ast::BinaryOp::kEqual:
    case ast::BinaryOp::kNotEqual:
    case ast::BinaryOp::kLess:
    case ast::BinaryOp::kLessEqual:
    case ast::BinaryOp::kGreater:
    case ast::BinaryOp::kGreaterEqual:
      return bind_comparison(binary);
    default:
      break;
  }
  GW_ASSIGN(BoundExpr * left, bind_scalar(*binary.left));
  GW_ASSIGN(BoundExpr * right, bind_scalar(*binary.right));
  if (binary.op == ast::BinaryOp::kArrow || binary.op == ast::BinaryOp::kLongArrow) {
    std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(2);
    args[0] = left;
    args[1] = right;
    return call_named(binary.op == ast::BinaryOp::kArrow ? "->" : "->>", args, &binary);
  }
  BoundExpr* expr = make(ExprKind::kBinary, {left, right});
  expr->binary = arithmetic_op(binary.op);
  return expr;
}

namespace {

bool is_zero(const ast::Expr& expr) {
  const auto* literal = expr.try_as<ast::LiteralExpr>();
  return literal != nullptr && literal->literal == ast::LiteralKind::kInteger &&
         literal->text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

// Chains of one operator become one node. With a literal 0 among them, the operands of AND are not
// looked at, so that names in them need not exist. With another literal integer among them, the
// operands of OR must be valid but are not evaluated.
Result<BoundExpr*> BinderState::bind_logic(const ast::BinaryExpr& binary) {
  ExprKind kind = binary.op == ast::BinaryOp::kAnd ? ExprKind::kAnd : ExprKind::kOr;
  std::vector<const ast::Expr*> operands;
  const ast::Expr* left = &binary;
  while (left->kind == ast::ExprKind::kBinary && left->as<ast::BinaryExpr>()->op == binary.op) {
    operands.push_back(left->as<ast::BinaryExpr>()->right);
    left = left->as<ast::BinaryExpr>()->left;
  }
  operands.push_back(left);
  for (const ast::Expr* operand : operands) {
    if (kind == ExprKind::kAnd && is_zero(*operand)) {
      return make_constant(ValueView::boolean(false));
    }
  }
  std::vector<BoundExpr*> args;
  for (size_t i = operands.size(); i-- > 0;) {
    GW_ASSIGN(BoundExpr * arg, bind_scalar(*operands[i]));
    if (arg->kind == kind && !arg->lazy) {
      args.insert(args.end(), arg->args.begin(), arg->args.end());
    } else {
      args.push_back(arg);
    }
  }
  if (kind == ExprKind::kOr) {
    for (const BoundExpr* arg : args) {
      bool is_literal = arg->kind == ExprKind::kConstant && arg->constant.is_integer();
      if (is_literal && arg->constant.integer != 0) return make_constant(ValueView::boolean(true));
    }
  }
  return make_with_args(kind, arena->copy_array<BoundExpr*>(args));
}

Result<BoundExpr*> BinderState::bind_like(const ast::LikeExpr& like) {
  static constexpr std::string_view kNames[] = {"like", "glob", "regexp", "match"};
  std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(like.escape != nullptr ? 3 : 2);
  const std::string_view function = kNames[static_cast<int>(like.op)];
  bool is_allowed = true;
  if (asks_authorizer()) {
    FunctionLookup match = find_function(function, args.size());
    if (match.scalar != nullptr) {
      GW_ASSIGN(is_allowed, authorize_function(match));
    }
  }
  GW_ASSIGN(args[0], bind_scalar(*like.pattern));
  GW_ASSIGN(args[1], bind_scalar(*like.operand));
  if (like.escape != nullptr) {
    GW_ASSIGN(args[2], bind_scalar(*like.escape));
  }
  if (!is_allowed) return make_constant(ValueView());
  GW_ASSIGN(BoundExpr * call, call_named(function, args, &like, true));
  if (!like.negated) return call;
  BoundExpr* negation = make(ExprKind::kUnary, {call});
  negation->unary = UnaryOp::kNot;
  return negation;
}

// With row values the comparisons become conditions of a CASE without operand.
Result<BoundExpr*> BinderState::bind_case(const ast::CaseExpr& expr) {
  BoundExpr* operand = nullptr;
  if (expr.operand != nullptr) {
    GW_ASSIGN(operand, bind(*expr.operand));
  }
  bool is_row = operand != nullptr && row_size(operand) != 1;
  std::vector<BoundExpr*> args;
  std::vector<const Collation*> collations;
  std::vector<Affinity> affinities;
  if (operand != nullptr && !is_row) args.push_back(operand);
  for (const ast::CaseBranch& branch : expr.branches) {
    GW_ASSIGN(BoundExpr * when, bind(*branch.when));
    if (operand == nullptr) {
      GW_TRY(require_scalar(when));
    } else {
      GW_ASSIGN(BoundExpr * comparison, make_comparison(CompareOp::kEq, operand, when));
      if (is_row) when = comparison;
      collations.push_back(comparison->compare_collation);
      affinities.push_back(comparison->compare_affinity);
    }
    GW_ASSIGN(BoundExpr * then, bind_scalar(*branch.then));
    args.push_back(when);
    args.push_back(then);
  }
  if (expr.otherwise != nullptr) {
    GW_ASSIGN(BoundExpr * otherwise, bind_scalar(*expr.otherwise));
    args.push_back(otherwise);
  }
  BoundExpr* result = make_with_args(ExprKind::kCase, arena->copy_array<BoundExpr*>(args));
  result->has_operand = operand != nullptr && !is_row;
  result->has_else = expr.otherwise != nullptr;
  if (result->has_operand) {
    result->collations = arena->copy_array<const Collation*>(collations);
    result->affinities = arena->copy_array<Affinity>(affinities);
  }
  return result;
}

Result<BoundExpr*> BinderState::bind_cast(const ast::CastExpr& cast) {
  GW_ASSIGN(BoundExpr * operand, bind_scalar(*cast.operand));
  BoundExpr* expr = make(ExprKind::kCast, {operand});
  expr->cast_affinity = cast.type.empty() ? Affinity::kNumeric : affinity_of_type_name(cast.type);
  expr->affinity = expr->cast_affinity;
  expr->collation = operand->collation;
  return expr;
}

// The operand under another collation. One that does not exist is an error only for a comparison
// that needs it, so it is kept as a collation without a function.
Result<BoundExpr*> BinderState::bind_collate(const ast::CollateExpr& collate) {
  GW_ASSIGN(BoundExpr * operand, bind_scalar(*collate.operand));
  BoundExpr* expr = arena->make<BoundExpr>(*operand);
  expr->collation = find_collation(collate.collation.text);
  expr->collation_is_explicit = true;
  return expr;
}

const Collation* BinderState::find_collation(std::string_view name) {
  const Collation* found = context.names != nullptr ? context.names->find_collation(name)
                                                    : builtin_collation(name, context.encoding);
  if (found != nullptr) return found;
  Collation* unknown = arena->make<Collation>();
  unknown->name = std::string(name);
  unknown->kind = Collation::Kind::kUser;
  return unknown;
}

Result<BoundExpr*> BinderState::bind_subquery(const ast::Select& select) {
  bool reads_outer = false;
  GW_ASSIGN(BoundQuery * query, bind_query(select, scope, &reads_outer));
  BoundExpr* expr = make(ExprKind::kScalarQuery);
  expr->query = query;
  expr->row_columns = query->column_count;
  expr->affinity = query->cores.back()->results[0].expr->affinity;
  finish(expr);
  return expr;
}

Result<BoundExpr*> BinderState::bind_exists(const ast::ExistsExpr& exists) {
  GW_TRY(refuse_in_schema(exists, "subqueries"));
  bool reads_outer = false;
  GW_ASSIGN(BoundQuery * query, bind_query(*exists.select, scope, &reads_outer));
  BoundExpr* expr = make(ExprKind::kExists);
  expr->query = query;
  finish(expr);
  return expr;
}

Result<BoundExpr*> BinderState::bind_row(const ast::RowExpr& row) {
  std::span<BoundExpr*> values = arena->make_array<BoundExpr*>(row.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    GW_ASSIGN(values[i], bind_scalar(*row.values[i]));
  }
  BoundExpr* expr = make_with_args(ExprKind::kRow, values);
  expr->row_columns = static_cast<uint32_t>(values.size());
  return expr;
}

Result<BoundExpr*> BinderState::bind_raise(const ast::RaiseExpr& raise) {
  if (!origin.is_trigger) {
    return fail_at(raise.range, "RAISE() may only be used within a trigger-program");
  }
  BoundExpr* expr = make(ExprKind::kRaise);
  if (raise.message != nullptr) {
    std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(1);
    GW_ASSIGN(args[0], bind_scalar(*raise.message));
    expr->args = args;
  }
  switch (raise.action) {
    case ast::RaiseAction::kIgnore:
      expr->conflict = ConflictAction::kIgnore;
      break;
    case ast::RaiseAction::kRollback:
      expr->conflict = ConflictAction::kRollback;
      break;
    case ast::RaiseAction::kAbort:
      expr->conflict = ConflictAction::kAbort;
      break;
    case ast::RaiseAction::kFail:
      expr->conflict = ConflictAction::kFail;
      break;
  }
  expr->is_deterministic = false;
  finish(expr);
  return expr;
}

}  // namespace godwit
