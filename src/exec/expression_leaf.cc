// Columns, constants and parameters.
#include "exec/expression_node.h"

namespace godwit {

namespace {

// A column of the chunk: its own vector, untouched.
class ColumnExpression final : public Expression {
 public:
  explicit ColumnExpression(uint32_t slot) : slot_(slot) {}
  Status evaluate(const Chunk& input, const Selection&, const Vector** result) override {
    *result = input.columns[slot_];
    return Status();
  }

 private:
  uint32_t slot_;
};

// A column of an enclosing query: the same for all rows of the chunk.
class OuterColumnExpression final : public Expression {
 public:
  OuterColumnExpression(OuterRow* outer, uint32_t index) : outer_(outer), index_(index) {}
  Status evaluate(const Chunk&, const Selection&, const Vector** result) override {
    result_.set_constant_value(outer_->values[index_]);
    *result = &result_;
    return Status();
  }

 private:
  OuterRow* outer_;
  uint32_t index_;
  Vector result_;
};

class ConstantExpression final : public Expression {
 public:
  explicit ConstantExpression(const ValueView& value) { result_.set_constant_value(value); }
  Status evaluate(const Chunk&, const Selection&, const Vector** result) override {
    *result = &result_;
    return Status();
  }

 private:
  Vector result_;
};

// Parameters that nobody bound are NULL.
class ParameterExpression final : public Expression {
 public:
  ParameterExpression(ExecContext* context, uint32_t index) : context_(context), index_(index) {}
  Status evaluate(const Chunk&, const Selection&, const Vector** result) override {
    result_.set_constant_value(index_ < context_->parameters.size()
                                   ? context_->parameters[index_].view()
                                   : ValueView::null());
    *result = &result_;
    return Status();
  }

 private:
  ExecContext* context_;
  uint32_t index_;
  Vector result_;
};

}  // namespace

ExpressionPtr make_constant(const ValueView& value) {
  return std::make_unique<ConstantExpression>(value);
}

Result<ExpressionPtr> compile_parameter(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSERT(expr.parameter >= 1);
  return ExpressionPtr(std::make_unique<ParameterExpression>(
      compiler.context, static_cast<uint32_t>(expr.parameter - 1)));
}

Result<ExpressionPtr> compile_column(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  int slot = compiler.layout.find(expr.column);
  if (slot >= 0) {
    return ExpressionPtr(std::make_unique<ColumnExpression>(static_cast<uint32_t>(slot)));
  }
  for (OuterRow* outer = compiler.outer; outer != nullptr; outer = outer->parent) {
    for (size_t i = 0; i < outer->columns.size(); ++i) {
      if (outer->columns[i] == expr.column) {
        return ExpressionPtr(
            std::make_unique<OuterColumnExpression>(outer, static_cast<uint32_t>(i)));
      }
    }
  }
  return Status(code::kInternal, "column without a source: " + std::string(expr.text));
}

}  // namespace godwit
