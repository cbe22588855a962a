// Comparison operators and BETWEEN.
#include "exec/comparand.h"
#include "exec/compare_kernels.h"
#include "exec/expression_row.h"

namespace godwit {

namespace {

class CompareExpression final : public Expression {
 public:
  CompareExpression(CompareOp op, const Collation* collation, Comparand left, Comparand right)
      : op_(op), collation_(collation), left_(std::move(left)), right_(std::move(right)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* a;
    const Vector* b;
    GW_TRY(left_.evaluate(input, selection, &a));
    GW_TRY(right_.evaluate(input, selection, &b));
    compare_booleans(op_, *a, *b, collation_, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    const Vector* a;
    const Vector* b;
    GW_TRY(left_.evaluate(input, selection, &a));
    GW_TRY(right_.evaluate(input, selection, &b));
    *count = compare_filter(op_, *a, *b, collation_, selection, wanted, rows);
    return Status();
  }

 private:
  CompareOp op_;
  const Collation* collation_;
  Comparand left_, right_;
  Vector result_;
};

// x BETWEEN low AND high is x >= low AND x <= high, with x evaluated once.
class BetweenExpression final : public Expression {
 public:
  struct Bound {
    Comparand value;
    ComparisonAffinity subject_affinity;
    const Collation* collation;
  };

  BetweenExpression(bool negated, ExpressionPtr subject, std::unique_ptr<Bound> low,
                    std::unique_ptr<Bound> high)
      : negated_(negated), subject_(std::move(subject)), low_(std::move(low)),
        high_(std::move(high)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* subject;
    const Vector* low;
    const Vector* high;
    GW_TRY(subject_->evaluate(input, selection, &subject));
    GW_TRY(low_->value.evaluate(input, selection, &low));
    GW_TRY(high_->value.evaluate(input, selection, &high));
    compare_booleans(CompareOp::kGe,
                     *low_->subject_affinity.convert(subject, selection, input.rows), *low,
                     low_->collation, selection, input.rows, &above_);
    compare_booleans(CompareOp::kLe,
                     *high_->subject_affinity.convert(subject, selection, input.rows), *high,
                     high_->collation, selection, input.rows, &below_);
    Truth* above = above_truths_.reserve(input.rows);
    Truth* below = below_truths_.reserve(input.rows);
    read_truths(above_, selection, above);
    read_truths(below_, selection, below);
    for_each_row(selection, [&](uint32_t row) {
      Truth both = above[row] == Truth::kFalse || below[row] == Truth::kFalse ? Truth::kFalse
                   : above[row] == Truth::kTrue && below[row] == Truth::kTrue ? Truth::kTrue
                                                                              : Truth::kUnknown;
      above[row] = negated_ ? negate(both) : both;
    });
    write_truths(above, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    const Vector* subject;
    GW_TRY(subject_->evaluate(input, selection, &subject));
    if (wanted != negated_) {
      uint32_t above = 0;
      GW_TRY(filter_bound(CompareOp::kGe, low_.get(), *subject, input, selection, true, rows,
                          &above));
      return filter_bound(CompareOp::kLe, high_.get(), *subject, input, {rows, above}, true, rows,
                          count);
    }
    // False where one of the comparisons is.
    uint16_t* found = found_.reserve(selection.count);
    uint16_t* rest = rest_.reserve(selection.count);
    uint32_t found_count = 0;
    GW_TRY(filter_bound(CompareOp::kGe, low_.get(), *subject, input, selection, false, found,
                        &found_count));
    Selection left{rest, subtract_rows(selection, found, found_count, rest)};
    GW_TRY(filter_bound(CompareOp::kLe, high_.get(), *subject, input, left, false, found,
                        &found_count));
    left.count = subtract_rows(left, found, found_count, rest);
    *count = subtract_rows(selection, rest, left.count, rows);
    return Status();
  }

 private:
  Status filter_bound(CompareOp op, Bound* bound, const Vector& subject, const Chunk& input,
                      const Selection& selection, bool wanted, uint16_t* rows, uint32_t* count) {
    *count = 0;
    if (selection.count == 0) return Status();
    const Vector* limit;
    GW_TRY(bound->value.evaluate(input, selection, &limit));
    const Vector* value = bound->subject_affinity.convert(&subject, selection, input.rows);
    *count = compare_filter(op, *value, *limit, bound->collation, selection, wanted, rows);
    return Status();
  }

  bool negated_;
  ExpressionPtr subject_;
  std::unique_ptr<Bound> low_, high_;
  Vector above_, below_, result_;
  TruthBuffer above_truths_, below_truths_;
  RowBuffer found_, rest_;
};

const Collation* or_binary(const Collation* collation) {
  return collation == nullptr ? binary_collation() : collation;
}

}  // namespace

Result<ExpressionPtr> compile_compare(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  if (is_row(*expr.args[0]) || is_row(*expr.args[1])) return compile_row_compare(expr, compiler);
  GW_ASSIGN(Comparand left, Comparand::compile(*expr.args[0], expr.compare_affinity, compiler));
  GW_ASSIGN(Comparand right, Comparand::compile(*expr.args[1], expr.compare_affinity, compiler));
  return ExpressionPtr(std::make_unique<CompareExpression>(
      expr.compare, or_binary(expr.compare_collation), std::move(left), std::move(right)));
}

Result<ExpressionPtr> compile_between(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr subject, compiler.compile(*expr.args[0]));
  GW_ASSIGN(Comparand low, Comparand::compile(*expr.args[1], expr.compare_affinity, compiler));
  GW_ASSIGN(Comparand high, Comparand::compile(*expr.args[2], expr.high_affinity, compiler));
  using Bound = BetweenExpression::Bound;
  auto low_bound = std::unique_ptr<Bound>(
      new Bound{std::move(low), ComparisonAffinity(expr.compare_affinity),
                or_binary(expr.compare_collation)});
  auto high_bound = std::unique_ptr<Bound>(new Bound{
      std::move(high), ComparisonAffinity(expr.high_affinity), or_binary(expr.high_collation)});
  return ExpressionPtr(std::make_unique<BetweenExpression>(
      expr.negated, std::move(subject), std::move(low_bound), std::move(high_bound)));
}

}  // namespace godwit
