// Comparison of row values: = and IS column by column, < and its kin by the first column that
// differs. A NULL leaves the result unknown unless another column (before it, for <) decides.
#include "exec/expression_row.h"

#include "value/record.h"

namespace godwit {

namespace {

class ColumnsExpression final : public RowExpression {
 public:
  explicit ColumnsExpression(std::vector<ExpressionPtr> columns) : columns_(std::move(columns)) {}
  uint32_t column_count() const override { return static_cast<uint32_t>(columns_.size()); }
  Status evaluate(const Chunk& input, const Selection& selection,
                  const Vector** columns) override {
    for (size_t i = 0; i < columns_.size(); ++i) {
      GW_TRY(columns_[i]->evaluate(input, selection, &columns[i]));
    }
    return Status();
  }

 private:
  std::vector<ExpressionPtr> columns_;
};

struct RowColumn {
  const Collation* collation;
  ComparisonAffinity left, right;
  RowColumn(const Collation* c, Affinity affinity) : collation(c), left(affinity), right(affinity) {}
};

class RowCompareExpression final : public Expression {
 public:
  RowCompareExpression(CompareOp op, std::unique_ptr<RowExpression> left,
                       std::unique_ptr<RowExpression> right,
                       std::vector<std::unique_ptr<RowColumn>> columns)
      : op_(op), left_(std::move(left)), right_(std::move(right)), columns_(std::move(columns)),
        a_(columns_.size()), b_(columns_.size()) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    GW_TRY(left_->evaluate(input, selection, a_.data()));
    GW_TRY(right_->evaluate(input, selection, b_.data()));
    for (size_t i = 0; i < columns_.size(); ++i) {
      a_[i] = columns_[i]->left.convert(a_[i], selection, input.rows);
      b_[i] = columns_[i]->right.convert(b_[i], selection, input.rows);
    }
    result_.begin(input.rows);
    for_each_row(selection, [&](uint32_t row) { result_.set(row, truth_value(compare(row))); });
    *result = &result_;
    return Status();
  }

 private:
  Truth compare(uint32_t row) const {
    switch (op_) {
      case CompareOp::kEq: return equal(row, false);
      case CompareOp::kNe: return negate(equal(row, false));
      case CompareOp::kIs: return equal(row, true);
      case CompareOp::kIsNot: return negate(equal(row, true));
      default: return ordered(row);
    }
  }

  Truth equal(uint32_t row, bool null_safe) const {
    Truth all = Truth::kTrue;
    for (size_t i = 0; i < columns_.size(); ++i) {
      ValueView x = a_[i]->get(row);
      ValueView y = b_[i]->get(row);
      if (!null_safe && (x.is_null() || y.is_null())) {
        all = Truth::kUnknown;
      } else if (compare_values(x, y, columns_[i]->collation) != 0) {
        return Truth::kFalse;
      }
    }
    return all;
  }

  Truth ordered(uint32_t row) const {
    int order = 0;
    for (size_t i = 0; i < columns_.size() && order == 0; ++i) {
      ValueView x = a_[i]->get(row);
      ValueView y = b_[i]->get(row);
      if (x.is_null() || y.is_null()) return Truth::kUnknown;
      order = compare_values(x, y, columns_[i]->collation);
    }
    switch (op_) {
      case CompareOp::kLt: return static_cast<Truth>(order < 0);
      case CompareOp::kLe: return static_cast<Truth>(order <= 0);
      case CompareOp::kGt: return static_cast<Truth>(order > 0);
      default: return static_cast<Truth>(order >= 0);
    }
  }

  CompareOp op_;
  std::unique_ptr<RowExpression> left_, right_;
  std::vector<std::unique_ptr<RowColumn>> columns_;
  std::vector<const Vector*> a_, b_;
  Vector result_;
};

}  // namespace

Result<std::unique_ptr<RowExpression>> compile_columns(std::span<BoundExpr* const> exprs,
                                                       const ExpressionCompiler& compiler) {
  std::vector<ExpressionPtr> columns;
  GW_TRY(compiler.compile_all(exprs, &columns));
  return std::unique_ptr<RowExpression>(std::make_unique<ColumnsExpression>(std::move(columns)));
}

Result<std::unique_ptr<RowExpression>> compile_row(const BoundExpr& expr,
                                                   const ExpressionCompiler& compiler) {
  if (expr.kind == ExprKind::kRow) return compile_columns(expr.args, compiler);
  if (is_row(expr)) return compile_query_row(expr, compiler);
  BoundExpr* one = const_cast<BoundExpr*>(&expr);
  return compile_columns(std::span<BoundExpr* const>(&one, 1), compiler);
}

Result<ExpressionPtr> compile_row_compare(const BoundExpr& expr,
                                          const ExpressionCompiler& compiler) {
  GW_ASSIGN(auto left, compile_row(*expr.args[0], compiler));
  GW_ASSIGN(auto right, compile_row(*expr.args[1], compiler));
  if (left->column_count() != right->column_count()) return Status::error("row value misused");
  std::vector<std::unique_ptr<RowColumn>> columns;
  for (uint32_t i = 0; i < left->column_count(); ++i) {
    columns.push_back(
        std::make_unique<RowColumn>(row_collation(expr, i), row_affinity(expr, i)));
  }
  return ExpressionPtr(std::make_unique<RowCompareExpression>(
      expr.compare, std::move(left), std::move(right), std::move(columns)));
}

}  // namespace godwit
