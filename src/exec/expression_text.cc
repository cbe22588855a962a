// Concatenation and CAST.
#include "exec/expression_node.h"
#include "value/cast.h"
#include "value/number_text.h"

namespace godwit {

namespace {

constexpr int64_t kDefaultLengthLimit = 1000000000;

// a || b || c ...: NULL if one of them is. Numbers become text, the bytes of blobs count as text.
class ConcatExpression final : public Expression {
 public:
  ConcatExpression(std::vector<ExpressionPtr> args, ExecContext* context)
      : args_(std::move(args)), context_(context), values_(args_.size()), parts_(args_.size()),
        numbers_(std::make_unique<char[]>(args_.size() * kRealTextBytesMax)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    bytes_.reset();
    bool constant = true;
    for (size_t i = 0; i < args_.size(); ++i) {
      GW_TRY(args_[i]->evaluate(input, selection, &values_[i]));
      constant &= values_[i]->is_constant();
    }
    int64_t limit = context_ != nullptr && context_->services != nullptr
                        ? context_->services->length_limit()
                        : kDefaultLengthLimit;
    Selection rows = constant && selection.count > 0 ? kFirstRow : selection;
    result_.begin(constant ? 1 : input.rows);
    for (uint32_t i = 0; i < rows.count; ++i) {
      ValueView value;
      GW_TRY(concatenate(rows[i], limit, &value));
      result_.set(rows[i], value);
    }
    if (constant && rows.count > 0) result_.make_constant();
    *result = &result_;
    return Status();
  }

 private:
  Status concatenate(uint32_t row, int64_t limit, ValueView* result) {
    *result = ValueView::null();
    int64_t size = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      ValueView value = values_[i]->get(row);
      if (value.is_null()) return Status();
      parts_[i] = as_part(value, numbers_.get() + i * kRealTextBytesMax);
      size += static_cast<int64_t>(parts_[i].size());
    }
    if (size > limit) return Status(code::kTooBig);
    char* out = static_cast<char*>(bytes_.allocate(static_cast<size_t>(size) + 1, 1));
    *result = ValueView::of_text({out, static_cast<size_t>(size)});
    for (std::string_view part : parts_) {
      if (!part.empty()) std::memcpy(out, part.data(), part.size());
      out += part.size();
    }
    *out = '\0';
    return Status();
  }

  std::string_view as_part(const ValueView& value, char* number) {
    switch (value.type) {
      case ValueType::kInteger:
        return {number, static_cast<size_t>(integer_to_text(value.integer, number))};
      case ValueType::kReal:
        return {number, static_cast<size_t>(real_to_text(value.real, number))};
      default: return materialize(value, &bytes_).text();
    }
  }

  std::vector<ExpressionPtr> args_;
  ExecContext* context_;
  std::vector<const Vector*> values_;
  std::vector<std::string_view> parts_;
  std::unique_ptr<char[]> numbers_;  // texts of numbers, kRealTextBytesMax each
  Arena bytes_;
  Vector result_;
};

class CastExpression final : public Expression {
 public:
  CastExpression(ExpressionPtr arg, Affinity affinity, TextEncoding encoding)
      : arg_(std::move(arg)), affinity_(affinity), encoding_(encoding) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* value;
    GW_TRY(arg_->evaluate(input, selection, &value));
    if (is_already(*value)) {
      *result = value;
      return Status();
    }
    *result = &result_;
    bytes_.reset();
    if (value->is_constant()) {
      result_.set_constant_value(cast_value(value->get(0), affinity_, &bytes_, encoding_));
      return Status();
    }
    result_.begin(input.rows);
    for_each_row(selection, [&](uint32_t row) {
      result_.set(row, cast_value(value->get(row), affinity_, &bytes_, encoding_));
    });
    return Status();
  }

 private:
  bool is_already(const Vector& value) const {
    if (value.form() == Vector::Form::kMixed || value.has_subtypes()) return false;
    switch (affinity_) {
      case Affinity::kText: return value.type() == ValueType::kText;
      case Affinity::kInteger: return value.type() == ValueType::kInteger;
      case Affinity::kReal: return value.type() == ValueType::kReal;
      case Affinity::kNone:
      case Affinity::kBlob: return value.type() == ValueType::kBlob;
      default: return value.type() == ValueType::kInteger || value.type() == ValueType::kReal;
    }
  }

  ExpressionPtr arg_;
  Affinity affinity_;
  TextEncoding encoding_;
  Arena bytes_;
  Vector result_;
};

void collect_concatenated(BoundExpr* expr, std::vector<BoundExpr*>* parts) {
  if (expr->kind == ExprKind::kBinary && expr->binary == BinaryOp::kConcat && !expr->is_constant) {
    collect_concatenated(expr->args[0], parts);
    collect_concatenated(expr->args[1], parts);
  } else {
    parts->push_back(expr);
  }
}

}  // namespace

Result<ExpressionPtr> compile_concat(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  std::vector<BoundExpr*> parts;
  collect_concatenated(expr.args[0], &parts);
  collect_concatenated(expr.args[1], &parts);
  std::vector<ExpressionPtr> args;
  GW_TRY(compiler.compile_all(parts, &args));
  return ExpressionPtr(std::make_unique<ConcatExpression>(std::move(args), compiler.context));
}

Result<ExpressionPtr> compile_cast(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr arg, compiler.compile(*expr.args[0]));
  TextEncoding encoding = TextEncoding::kUtf8;
  if (compiler.context != nullptr && compiler.context->services != nullptr) {
    encoding = compiler.context->services->encoding();
  }
  return ExpressionPtr(std::make_unique<CastExpression>(std::move(arg), expr.cast_affinity, encoding));
}

}  // namespace godwit
