// Arithmetic and bit operators, binary and unary.
#include "exec/arithmetic_kernels.h"
#include "exec/expression_node.h"
#include "exec/vector_affinity.h"
#include "value/cast.h"

namespace godwit {

namespace {

class ArithmeticExpression final : public Expression {
 public:
  ArithmeticExpression(BinaryOp op, ExpressionPtr left, ExpressionPtr right)
      : op_(op), left_(std::move(left)), right_(std::move(right)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* a;
    const Vector* b;
    GW_TRY(left_->evaluate(input, selection, &a));
    GW_TRY(right_->evaluate(input, selection, &b));
    arithmetic(op_, *a, *b, selection, input.rows, &scratch_, &result_);
    *result = &result_;
    return Status();
  }

 private:
  BinaryOp op_;
  ExpressionPtr left_, right_;
  Vector result_;
  ArithmeticScratch scratch_;
};

class BitsExpression final : public Expression {
 public:
  BitsExpression(BinaryOp op, ExpressionPtr left, ExpressionPtr right)
      : op_(op), left_(std::move(left)), right_(std::move(right)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* a;
    const Vector* b;
    GW_TRY(left_->evaluate(input, selection, &a));
    GW_TRY(right_->evaluate(input, selection, &b));
    bits(op_, *a, *b, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

 private:
  BinaryOp op_;
  ExpressionPtr left_, right_;
  Vector result_;
};

class BitNotExpression final : public Expression {
 public:
  explicit BitNotExpression(ExpressionPtr arg) : arg_(std::move(arg)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* value;
    GW_TRY(arg_->evaluate(input, selection, &value));
    auto invert = [](const ValueView& v) {
      return v.is_null() ? v : ValueView::of(~value_to_integer(v));
    };
    *result = &result_;
    if (value->is_constant()) {
      result_.set_constant_value(invert(value->get(0)));
      return Status();
    }
    result_.begin(input.rows);
    for_each_row(selection, [&](uint32_t row) { result_.set(row, invert(value->get(row))); });
    return Status();
  }

 private:
  ExpressionPtr arg_;
  Vector result_;
};

class AsRealExpression final : public Expression {
 public:
  explicit AsRealExpression(ExpressionPtr arg) : arg_(std::move(arg)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    GW_TRY(arg_->evaluate(input, selection, result));
    *result = column_.convert(*result, selection, input.rows);
    return Status();
  }

 private:
  ExpressionPtr arg_;
  RealColumn column_;
};

}  // namespace

Result<ExpressionPtr> compile_arithmetic(const BoundExpr& expr,
                                         const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr left, compiler.compile(*expr.args[0]));
  GW_ASSIGN(ExpressionPtr right, compiler.compile(*expr.args[1]));
  return ExpressionPtr(
      std::make_unique<ArithmeticExpression>(expr.binary, std::move(left), std::move(right)));
}

Result<ExpressionPtr> compile_bits(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr left, compiler.compile(*expr.args[0]));
  GW_ASSIGN(ExpressionPtr right, compiler.compile(*expr.args[1]));
  return ExpressionPtr(
      std::make_unique<BitsExpression>(expr.binary, std::move(left), std::move(right)));
}

Result<ExpressionPtr> compile_unary(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  if (expr.unary == UnaryOp::kNot) return compile_not(expr, compiler);
  GW_ASSIGN(ExpressionPtr arg, compiler.compile(*expr.args[0]));
  switch (expr.unary) {
    case UnaryOp::kPlus: return arg;
    case UnaryOp::kBitNot: return ExpressionPtr(std::make_unique<BitNotExpression>(std::move(arg)));
    case UnaryOp::kAsReal:
      return ExpressionPtr(std::make_unique<AsRealExpression>(std::move(arg)));
    default: break;
  }
  // -x is 0 - x: of the smallest integer it is a real, of 0.0 it is 0.0.
  return ExpressionPtr(std::make_unique<ArithmeticExpression>(
      BinaryOp::kSubtract, make_constant(ValueView::of(int64_t{0})), std::move(arg)));
}

}  // namespace godwit
