// Comparisons: which affinity is applied to the operands, which collation decides, and row values,
// which are compared column by column (rowvalue.html).
//
// A row is compared from its first column on; the first pair that differs decides:
//   (a, b) =  (c, d)   a = c AND b = d
//   (a, b) <  (c, d)   a <= c AND (a < c OR b < d)
// The second form keeps a term on the first column that an index can use. It has the same value as
// the definition in three-valued logic.
#include <algorithm>
#include <initializer_list>

#include "base/assert.h"
#include "plan/binder_state.h"

namespace godwit {

namespace {

bool has_affinity(Affinity affinity) { return affinity > Affinity::kNone; }

CompareOp compare_op(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::kEqual:
      return CompareOp::kEq;
    case ast::BinaryOp::kNotEqual:
      return CompareOp::kNe;
    case ast::BinaryOp::kLess:
      return CompareOp::kLt;
    case ast::BinaryOp::kLessEqual:
      return CompareOp::kLe;
    case ast::BinaryOp::kGreater:
      return CompareOp::kGt;
    case ast::BinaryOp::kGreaterEqual:
      return CompareOp::kGe;
    case ast::BinaryOp::kIs:
      return CompareOp::kIs;
    default:
      GW_ASSERT(op == ast::BinaryOp::kIsNot);
      return CompareOp::kIsNot;
  }
}

bool has_function(const ast::Expr* expr);

template <typename Exprs>
bool any_has_function(const Exprs& exprs) {
  return std::any_of(std::begin(exprs), std::end(exprs),
                     [](const ast::Expr* expr) { return has_function(expr); });
}

bool case_has_function(const ast::CaseExpr& expr) {
  for (const ast::CaseBranch& branch : expr.branches) {
    if (has_function(branch.when) || has_function(branch.then)) return true;
  }
  return has_function(expr.operand) || has_function(expr.otherwise);
}

// A function is called in it, as operators too; queries in it do not count.
bool has_function(const ast::Expr* expr) {
  if (expr == nullptr) return false;
  switch (expr->kind) {
    case ast::ExprKind::kFunction:
    case ast::ExprKind::kLike:
      return true;
    case ast::ExprKind::kLiteral:
      return expr->as<ast::LiteralExpr>()->literal >= ast::LiteralKind::kCurrentTime;
    case ast::ExprKind::kUnary:
      return has_function(expr->as<ast::UnaryExpr>()->operand);
    case ast::ExprKind::kBinary: {
      const auto* binary = expr->as<ast::BinaryExpr>();
      return binary->op >= ast::BinaryOp::kArrow || has_function(binary->left) ||
             has_function(binary->right);
    }
    case ast::ExprKind::kBetween: {
      const auto* between = expr->as<ast::BetweenExpr>();
      return any_has_function(
          std::initializer_list<ast::Expr*>{between->operand, between->low, between->high});
    }
    case ast::ExprKind::kIn:
      return has_function(expr->as<ast::InExpr>()->operand) ||
             any_has_function(expr->as<ast::InExpr>()->list);
    case ast::ExprKind::kCase:
      return case_has_function(*expr->as<ast::CaseExpr>());
    case ast::ExprKind::kCast:
      return has_function(expr->as<ast::CastExpr>()->operand);
    case ast::ExprKind::kCollate:
      return has_function(expr->as<ast::CollateExpr>()->operand);
    case ast::ExprKind::kRow:
      return any_has_function(expr->as<ast::RowExpr>()->values);
    default:
      return false;
  }
}

// TRUE or FALSE as a word, which is a constant unless a column has that name; or IN () without a
// function on the left, which SQLite takes for the word.
bool is_truth_word(const ast::Expr& expr) {
  if (const auto* in = expr.try_as<ast::InExpr>()) {
    return in->source == ast::InSource::kList && in->list.empty() && !has_function(in->operand);
  }
  const auto* column = expr.try_as<ast::ColumnExpr>();
  return column != nullptr && !column->table && column->column.quote == ast::Quote::kNone &&
         (same_name(column->column.text, "true") || same_name(column->column.text, "false"));
}

bool is_null_literal(const ast::Expr& expr) {
  const auto* literal = expr.try_as<ast::LiteralExpr>();
  return literal != nullptr && literal->literal == ast::LiteralKind::kNull;
}

const ast::Expr& without_collate(const ast::Expr& expr) {
  const ast::Expr* inner = &expr;
  while (inner->kind == ast::ExprKind::kCollate) inner = inner->as<ast::CollateExpr>()->operand;
  return *inner;
}

}  // namespace

Affinity as_comparison_affinity(Affinity affinity) {
  if (is_numeric(affinity)) return Affinity::kNumeric;
  return affinity == Affinity::kText ? Affinity::kText : Affinity::kBlob;
}

Affinity comparison_affinity(Affinity left, Affinity right) {
  if (has_affinity(left) && has_affinity(right)) {
    return is_numeric(left) || is_numeric(right) ? Affinity::kNumeric : Affinity::kBlob;
  }
  return as_comparison_affinity(has_affinity(left) ? left : right);
}

Result<const Collation*> BinderState::usable(const Collation* collation) {
  bool is_missing =
      collation->kind == Collation::Kind::kUser && collation->compare_function == nullptr;
  if (is_missing && !missing_collations_allowed) {
    return Status(code::kErrorMissingCollSeq,
                  concat("no such collation sequence: ", collation->name));
  }
  return collation;
}

Result<const Collation*> BinderState::operand_collation(const BoundExpr* expr) {
  if (expr->kind == ExprKind::kRow) expr = expr->args[0];
  return usable(expr->collation != nullptr ? expr->collation : binary());
}

// COLLATE on the left, COLLATE on the right, the left column's, the right column's, BINARY.
Result<const Collation*> BinderState::comparison_collation(const BoundExpr* left,
                                                           const BoundExpr* right) {
  if (left->collation_is_explicit) return usable(left->collation);
  if (right->collation_is_explicit) return usable(right->collation);
  if (left->collation != nullptr) return usable(left->collation);
  return usable(right->collation != nullptr ? right->collation : binary());
}

Result<BoundExpr*> BinderState::make_comparison(CompareOp op, BoundExpr* left, BoundExpr* right) {
  uint32_t size = row_size(left);
  if (size != row_size(right)) return fail("row value misused");
  if (left->kind == ExprKind::kRow && right->kind == ExprKind::kRow) {
    return compare_rows(op, left->args, right->args);
  }
  BoundExpr* expr = make(ExprKind::kCompare, {left, right});
  expr->compare = op;
  expr->row_columns = 1;
  expr->compare_affinity = comparison_affinity(left->affinity, right->affinity);
  GW_ASSIGN(expr->compare_collation, comparison_collation(left, right));
  if (size == 1) return expr;
  expr->row_columns = size;
  expr->collations = arena->make_array<const Collation*>(size);
  expr->affinities = arena->make_array<Affinity>(size);
  for (uint32_t i = 0; i < size; ++i) {
    const BoundExpr* a = row_part(left, i);
    const BoundExpr* b = row_part(right, i);
    expr->affinities[i] = comparison_affinity(a->affinity, b->affinity);
    GW_ASSIGN(expr->collations[i], comparison_collation(a, b));
  }
  expr->compare_affinity = expr->affinities[0];
  expr->compare_collation = expr->collations[0];
  return expr;
}

Result<BoundExpr*> BinderState::compare_rows(CompareOp op, std::span<BoundExpr*> left,
                                             std::span<BoundExpr*> right) {
  if (left.size() == 1) return make_comparison(op, left[0], right[0]);
  if (op == CompareOp::kEq || op == CompareOp::kIs || op == CompareOp::kNe ||
      op == CompareOp::kIsNot) {
    std::span<BoundExpr*> terms = arena->make_array<BoundExpr*>(left.size());
    for (size_t i = 0; i < left.size(); ++i) {
      GW_ASSIGN(terms[i], make_comparison(op, left[i], right[i]));
    }
    bool all = op == CompareOp::kEq || op == CompareOp::kIs;
    BoundExpr* expr = make_with_args(all ? ExprKind::kAnd : ExprKind::kOr, terms);
    expr->lazy = true;
    return expr;
  }
  bool less = op == CompareOp::kLt || op == CompareOp::kLe;
  GW_ASSIGN(BoundExpr * not_after,
            make_comparison(less ? CompareOp::kLe : CompareOp::kGe, left[0], right[0]));
  GW_ASSIGN(BoundExpr * before,
            make_comparison(less ? CompareOp::kLt : CompareOp::kGt, left[0], right[0]));
  GW_ASSIGN(BoundExpr * rest, compare_rows(op, left.subspan(1), right.subspan(1)));
  BoundExpr* after_first = make(ExprKind::kOr, {before, rest});
  BoundExpr* expr = make(ExprKind::kAnd, {not_after, after_first});
  expr->lazy = after_first->lazy = true;
  return expr;
}

Result<BoundExpr*> BinderState::bind_comparison(const ast::BinaryExpr& binary) {
  GW_ASSIGN(BoundExpr * left, bind(*binary.left));
  GW_ASSIGN(BoundExpr * right, bind(*binary.right));
  return make_comparison(compare_op(binary.op), left, right);
}

Result<BoundExpr*> BinderState::bind_is(const ast::BinaryExpr& binary) {
  bool negated = binary.op == ast::BinaryOp::kIsNot;
  if (is_null_literal(*binary.right)) {
    GW_ASSIGN(BoundExpr * operand, bind_scalar(*binary.left));
    BoundExpr* test = make(ExprKind::kIsNull, {operand});
    test->negated = negated;
    return test;
  }
  const ast::Expr& word = without_collate(*binary.right);
  // A bare name on the right is looked up first: it could be the word TRUE or FALSE.
  BoundExpr* right_column = nullptr;
  const auto* name = word.try_as<ast::ColumnExpr>();
  if (name != nullptr && !name->table && !is_truth_word(word)) {
    GW_ASSIGN(right_column, bind(*binary.right));
  }
  GW_ASSIGN(BoundExpr * left, bind(*binary.left));
  if (right_column != nullptr) return make_comparison(compare_op(binary.op), left, right_column);
  if (is_truth_word(word)) {
    GW_ASSIGN(BoundExpr * right, bind(word));
    if (right->kind == ExprKind::kConstant) {
      GW_TRY(require_scalar(left));
      BoundExpr* test = make(ExprKind::kIsTruth, {left});
      test->truth = right->constant.integer != 0;
      test->negated = negated;
      return test;
    }
  }
  GW_ASSIGN(BoundExpr * right, bind(*binary.right));
  return make_comparison(compare_op(binary.op), left, right);
}

Result<BoundExpr*> BinderState::bind_between(const ast::BetweenExpr& between) {
  GW_ASSIGN(BoundExpr * operand, bind(*between.operand));
  GW_ASSIGN(BoundExpr * low, bind(*between.low));
  GW_ASSIGN(BoundExpr * high, bind(*between.high));
  uint32_t size = row_size(operand);
  if (size != row_size(low) || size != row_size(high)) return fail("row value misused");
  GW_ASSIGN(BoundExpr * lower, make_comparison(CompareOp::kGe, operand, low));
  GW_ASSIGN(BoundExpr * upper, make_comparison(CompareOp::kLe, operand, high));
  if (size > 1) {
    BoundExpr* both = make(ExprKind::kAnd, {lower, upper});
    if (!between.negated) return both;
    BoundExpr* negation = make(ExprKind::kUnary, {both});
    negation->unary = UnaryOp::kNot;
    return negation;
  }
  BoundExpr* expr = make(ExprKind::kBetween, {operand, low, high});
  expr->negated = between.negated;
  expr->compare_affinity = lower->compare_affinity;
  expr->compare_collation = lower->compare_collation;
  expr->high_affinity = upper->compare_affinity;
  expr->high_collation = upper->compare_collation;
  return expr;
}

}  // namespace godwit
