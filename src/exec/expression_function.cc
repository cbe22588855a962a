// Calls of scalar functions, and RAISE().
#include "exec/expression_node.h"
#include "value/cast.h"

namespace godwit {

namespace {

class FunctionExpression final : public Expression {
 public:
  FunctionExpression(const BoundExpr& expr, std::vector<ExpressionPtr> args,
                     const ExpressionCompiler& compiler)
      : function_(expr.function), args_(std::move(args)), vectors_(args_.size()),
        values_(args_.size()), context_(compiler.context),
        call_(compiler.context->services, &bytes_, encoding_of(compiler.context)) {
    const Collation* collation = expr.compare_collation;
    if (collation == nullptr) collation = expr.collation;
    if (collation == nullptr) collation = binary_collation(encoding_of(compiler.context));
    call_.begin_call(*function_, collation, &aux_, compiler.pure_use);
    for (size_t i = 0; i < expr.args.size() && i < 32; ++i) {
      bool constant = expr.args[i]->is_constant || expr.args[i]->kind == ExprKind::kConstant ||
                      expr.args[i]->kind == ExprKind::kParameter;
      if (constant) constant_arguments_ |= 1u << i;
    }
    for (size_t i = 0; i < expr.args.size(); ++i) {
      if (expr.args[i]->kind == ExprKind::kParameter) {
        parameters_.push_back({i, static_cast<size_t>(expr.args[i]->parameter - 1)});
      }
    }
    // The same arguments give the same result within one execution.
    repeatable_ =
        function_->has(function_flag::kDeterministic) || function_->has(function_flag::kSlowlyChanging);
  }

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    bytes_.reset();
    bool constant = repeatable_;
    for (size_t i = 0; i < args_.size(); ++i) {
      GW_TRY(args_[i]->evaluate(input, selection, &vectors_[i]));
      constant &= vectors_[i]->is_constant();
    }
    if (execution_ != context_->execution) {
      aux_.clear();
      execution_ = context_->execution;
    }
    *result = &result_;
    if (selection.count == 0) return Status();
    if (constant) return call_once();
    if (function_->batch != nullptr) {
      result_.begin(input.rows);
      function_->batch(call_, vectors_, selection, &result_);
      return call_.failed() ? call_.take_status() : Status();
    }
    return call_rows(input, selection);
  }

 private:
  static TextEncoding encoding_of(ExecContext* context) {
    return context->services == nullptr ? TextEncoding::kUtf8 : context->services->encoding();
  }

  Status call_once() {
    for (size_t i = 0; i < vectors_.size(); ++i) values_[i] = vectors_[i]->get(0);
    take_parameters();
    ValueView value;
    function_->call(call_, values_, &value);
    if (call_.failed()) [[unlikely]]
      return call_.take_status();
    result_.set_constant_value(value);
    return Status();
  }

  // As they were bound: with what vectors do not keep (pointers, and that they are parameters).
  void take_parameters() {
    for (const ParameterArgument& argument : parameters_) {
      if (argument.index < context_->parameters.size()) {
        values_[argument.position] = context_->parameters[argument.index].view();
      }
    }
  }

  Status call_rows(const Chunk& input, const Selection& selection) {
    result_.begin(input.rows);
    for (uint32_t i = 0; i < selection.count; ++i) {
      uint32_t row = selection[i];
      for (size_t j = 0; j < vectors_.size(); ++j) values_[j] = vectors_[j]->get(row);
      if (!parameters_.empty()) take_parameters();
      ValueView value;
      function_->call(call_, values_, &value);
      if (call_.failed()) [[unlikely]]
        return call_.take_status();
      result_.set(row, value);
      if (!aux_.empty()) aux_.keep_constant(constant_arguments_);
    }
    return Status();
  }

  const ScalarFunction* function_;
  std::vector<ExpressionPtr> args_;
  std::vector<const Vector*> vectors_;
  std::vector<ValueView> values_;
  ExecContext* context_;
  Arena bytes_;
  AuxData aux_;
  FunctionContext call_;
  struct ParameterArgument {
    size_t position;  // among the arguments
    size_t index;     // among the parameters
  };
  std::vector<ParameterArgument> parameters_;
  uint32_t constant_arguments_ = 0;
  bool repeatable_ = false;
  uint64_t execution_ = 0;
  Vector result_;
};

// RAISE(action [, message]): always an error, if there is a row for which it is evaluated.
class RaiseExpression final : public Expression {
 public:
  RaiseExpression(ConflictAction action, ExpressionPtr message, ExecContext* context)
      : action_(action), message_(std::move(message)), context_(context) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    result_.set_constant_value(ValueView::null());
    *result = &result_;
    if (selection.count == 0) return Status();
    if (message_ == nullptr) {
      context_->raised = action_;
      return Status(code::kConstraintTrigger);
    }
    const Vector* message;
    GW_TRY(message_->evaluate(input, selection, &message));
    bytes_.reset();
    std::string text(value_to_text(message->get(selection[0]), &bytes_));
    context_->raised = action_;
    return Status(code::kConstraintTrigger, std::move(text));
  }

 private:
  ConflictAction action_;
  ExpressionPtr message_;
  ExecContext* context_;
  Arena bytes_;
  Vector result_;
};

}  // namespace

Result<ExpressionPtr> compile_function(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  switch (expr.function->intrinsic) {
    case Intrinsic::kCoalesce: return compile_coalesce(expr, compiler);
    case Intrinsic::kLike:
    case Intrinsic::kGlob: return compile_like(expr, compiler);
    default: return compile_call(expr, compiler);
  }
}

Result<ExpressionPtr> compile_call(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  std::vector<ExpressionPtr> args;
  GW_TRY(compiler.compile_all(expr.args, &args));
  return ExpressionPtr(std::make_unique<FunctionExpression>(expr, std::move(args), compiler));
}

Result<ExpressionPtr> compile_raise(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  ExpressionPtr message;
  if (!expr.args.empty()) {
    GW_ASSIGN(message, compiler.compile(*expr.args[0]));
  }
  return ExpressionPtr(
      std::make_unique<RaiseExpression>(expr.conflict, std::move(message), compiler.context));
}

}  // namespace godwit
