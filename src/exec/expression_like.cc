// LIKE and GLOB: as the function that they are, except that a constant pattern that is mere text
// between wildcards is compared directly (like_pattern.h).
#include "exec/expression_node.h"
#include "exec/like_pattern.h"
#include "function/registry.h"

namespace godwit {

namespace {

class LikeExpression final : public Expression {
 public:
  LikeExpression(LikePattern pattern, ExpressionPtr text, ExpressionPtr general)
      : pattern_(std::move(pattern)), text_(std::move(text)), general_(std::move(general)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* text;
    GW_TRY(text_->evaluate(input, selection, &text));
    if (!is_text(*text)) return general_->evaluate(input, selection, result);
    result_.begin(input.rows);
    result_.set_form(text->form(), ValueType::kInteger);
    Vector::Slot* slots = result_.slots();
    uint8_t* tags = result_.tags();
    for_each_row(selection, [&](uint32_t row) {
      bool valid = !text->is_null(row);
      slots[row].integer = valid && pattern_.matches(text_at(*text, row));
      tags[row] = valid;
    });
    *result = &result_;
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    const Vector* text;
    GW_TRY(text_->evaluate(input, selection, &text));
    if (!is_text(*text)) return general_->filter(input, selection, wanted, rows, count);
    uint32_t found = 0;
    for_each_row(selection, [&](uint32_t row) {
      rows[found] = static_cast<uint16_t>(row);
      found += !text->is_null(row) && pattern_.matches(text_at(*text, row)) == wanted;
    });
    *count = found;
    return Status();
  }

 private:
  static_assert(static_cast<int>(ValueType::kInteger) == 1);
  static bool is_text(const Vector& v) {
    return v.form() != Vector::Form::kMixed && v.type() == ValueType::kText && !v.is_constant();
  }
  static std::string_view text_at(const Vector& v, uint32_t row) {
    return {v.slots()[row].bytes, v.sizes()[row]};
  }

  LikePattern pattern_;
  ExpressionPtr text_;
  ExpressionPtr general_;  // the function, for operands that are not text
  Vector result_;
};

// The operand is compiled twice and may be evaluated twice: it must be cheap, above all no other LIKE.
bool is_shallow(const BoundExpr& expr) {
  for (const BoundExpr* arg : expr.args) {
    if (!arg->args.empty()) return false;
  }
  return true;
}

}  // namespace

Result<ExpressionPtr> compile_like(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr general, compile_call(expr, compiler));
  if (expr.function == &case_sensitive_like()) return general;
  // A text with side effects must not be evaluated twice.
  bool simple = expr.args.size() == 2 && expr.args[1]->is_deterministic &&
                !expr.args[1]->has_subquery && is_shallow(*expr.args[1]) &&
                expr.args[0]->kind == ExprKind::kConstant &&
                expr.args[0]->constant.is_text();
  if (!simple) return general;
  std::string_view pattern = expr.args[0]->constant.text();
  ExecServices* services = compiler.context->services;
  if (services != nullptr && pattern.size() > static_cast<size_t>(services->like_pattern_limit())) {
    return general;
  }
  std::optional<LikePattern> analyzed =
      LikePattern::analyze(pattern, expr.function->intrinsic == Intrinsic::kGlob);
  if (!analyzed.has_value()) return general;
  GW_ASSIGN(ExpressionPtr text, compiler.compile(*expr.args[1]));
  return ExpressionPtr(std::make_unique<LikeExpression>(*std::move(analyzed), std::move(text),
                                                        std::move(general)));
}

}  // namespace godwit
