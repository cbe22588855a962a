// Scalar subqueries, row-valued subqueries, EXISTS.
#include "exec/expression_row.h"
#include "exec/subquery.h"

namespace godwit {

namespace {

// The first row of a subquery, as one vector a column; NULLs if there is none.
class QueryRow final : public RowExpression {
 public:
  QueryRow(std::unique_ptr<Subquery> query, uint32_t columns)
      : query_(std::move(query)), values_(columns), results_(columns) {}

  uint32_t column_count() const override { return static_cast<uint32_t>(values_.size()); }

  Status evaluate(const Chunk& input, const Selection& selection,
                  const Vector** columns) override {
    for (size_t c = 0; c < results_.size(); ++c) columns[c] = &results_[c];
    if (selection.count == 0) return Status();
    if (!query_->depends_on_row()) {
      GW_TRY(find(input, selection[0]));
      for (size_t c = 0; c < results_.size(); ++c) results_[c].set_constant_value(values_[c]);
      return Status();
    }
    bytes_.reset();
    for (Vector& result : results_) result.begin(input.rows);
    for (uint32_t i = 0; i < selection.count; ++i) {
      GW_TRY(find(input, selection[i]));
      for (size_t c = 0; c < results_.size(); ++c) {
        results_[c].set(selection[i], keep(values_[c]));
      }
    }
    return Status();
  }

 private:
  Status find(const Chunk& input, uint32_t row) {
    if (query_->bind(input, row)) return Status();
    for (Value& value : values_) value.set_null();
    return query_->run(1, [this](const Chunk& chunk) -> Result<bool> {
      for (size_t c = 0; c < values_.size(); ++c) {
        values_[c].assign(chunk.columns[c]->get(chunk.selection[0]));
      }
      return false;
    });
  }

  // The value with its bytes copied: the next run overwrites them.
  ValueView keep(ValueView value) {
    if (value.type >= ValueType::kText && !value.zero_filled) {
      value.bytes = bytes_.copy(value.text()).data();
    }
    return value;
  }

  std::unique_ptr<Subquery> query_;
  std::vector<Value> values_;
  std::vector<Vector> results_;
  Arena bytes_;
};

class ScalarQueryExpression final : public Expression {
 public:
  ScalarQueryExpression(std::unique_ptr<Subquery> query, uint32_t column)
      : row_(std::move(query), column + 1), columns_(column + 1) {}
  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    GW_TRY(row_.evaluate(input, selection, columns_.data()));
    *result = columns_.back();
    return Status();
  }

 private:
  QueryRow row_;
  std::vector<const Vector*> columns_;
};

class ExistsExpression final : public Expression {
 public:
  ExistsExpression(std::unique_ptr<Subquery> query, bool negated)
      : query_(std::move(query)), negated_(negated) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    *result = &result_;
    if (selection.count == 0) return Status();
    if (!query_->depends_on_row()) {
      GW_TRY(find(input, selection[0]));
      result_.set_constant_value(ValueView::boolean(exists_ != negated_));
      return Status();
    }
    result_.begin(input.rows);
    for (uint32_t i = 0; i < selection.count; ++i) {
      GW_TRY(find(input, selection[i]));
      result_.set(selection[i], ValueView::boolean(exists_ != negated_));
    }
    return Status();
  }

 private:
  Status find(const Chunk& input, uint32_t row) {
    if (query_->bind(input, row)) return Status();
    exists_ = false;
    return query_->run(1, [this](const Chunk&) -> Result<bool> {
      exists_ = true;
      return false;
    });
  }

  std::unique_ptr<Subquery> query_;
  bool negated_;
  bool exists_ = false;
  Vector result_;
};

}  // namespace

Result<ExpressionPtr> compile_scalar_query(const BoundExpr& expr,
                                           const ExpressionCompiler& compiler) {
  GW_ASSIGN(auto query, Subquery::make(*expr.query, compiler));
  return ExpressionPtr(std::make_unique<ScalarQueryExpression>(
      std::move(query), static_cast<uint32_t>(expr.column.column)));
}

Result<std::unique_ptr<RowExpression>> compile_query_row(const BoundExpr& expr,
                                                         const ExpressionCompiler& compiler) {
  GW_ASSIGN(auto query, Subquery::make(*expr.query, compiler));
  return std::unique_ptr<RowExpression>(
      std::make_unique<QueryRow>(std::move(query), expr.row_columns));
}

Result<ExpressionPtr> compile_exists(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(auto query, Subquery::make(*expr.query, compiler));
  return ExpressionPtr(std::make_unique<ExistsExpression>(std::move(query), expr.negated));
}

}  // namespace godwit
