// Builds bound expressions by hand, and evaluates them over rows of values.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exec/expression.h"
#include "value/number_text.h"

namespace godwit::testing {

inline ValueView n() { return ValueView::null(); }
inline ValueView i(int64_t v) { return ValueView::of(v); }
inline ValueView r(double v) { return ValueView::of(v); }
inline ValueView t(std::string_view v) { return ValueView::of_text(v); }
inline ValueView b(std::string_view v) { return ValueView::of_blob(v); }

// As SQL would show it: 1, 1.5, 'text', x'blob' in raw bytes, NULL.
inline std::string show(const ValueView& v) {
  char number[kRealTextBytesMax];
  switch (v.type) {
    case ValueType::kNull: return "NULL";
    case ValueType::kInteger: return std::to_string(v.integer);
    case ValueType::kReal:
      return std::string(number, static_cast<size_t>(real_to_text(v.real, number)));
    case ValueType::kText: return "'" + std::string(v.text()) + "'";
    case ValueType::kBlob: return "x'" + std::string(v.text()) + "'";
  }
  return "?";
}

class FakeServices : public ExecServices {
 public:
  Btree* btree(int) override { return nullptr; }
  int64_t last_insert_rowid() const override { return 0; }
  void set_last_insert_rowid(int64_t) override {}
  void set_changes(int64_t) override {}
  void add_total_changes(int64_t) override {}
  int64_t changes() const override { return 0; }
  int64_t total_changes() const override { return 0; }
  void random_bytes(void* out, size_t count) override { std::memset(out, 7, count); }
  int64_t statement_time_ms() override { return 0; }
  int64_t length_limit() const override { return 1000000000; }
  int like_pattern_limit() const override { return 50000; }
};

inline BoundExpr* node(Arena& arena, ExprKind kind, std::vector<BoundExpr*> args = {}) {
  BoundExpr* expr = arena.make<BoundExpr>();
  expr->kind = kind;
  expr->args = arena.copy_array<BoundExpr*>(args);
  expr->compare_collation = expr->high_collation = binary_collation();
  expr->is_constant = !args.empty();
  for (const BoundExpr* arg : args) {
    expr->is_constant &= arg->is_constant;
    expr->is_deterministic &= arg->is_deterministic;
    expr->has_subquery |= arg->has_subquery;
  }
  return expr;
}

class ExpressionTest : public ::testing::Test {
 protected:
  static constexpr SourceId kSource = 1;

  BoundExpr* constant(const ValueView& v) {
    BoundExpr* expr = node(arena_, ExprKind::kConstant);
    expr->constant = v;
    if (v.type >= ValueType::kText) {
      std::string_view kept = arena_.copy(v.text());
      expr->constant.bytes = kept.data();
    }
    expr->is_constant = true;
    return expr;
  }
  BoundExpr* column(int32_t c) {
    BoundExpr* expr = node(arena_, ExprKind::kColumn);
    expr->column = {kSource, c};
    return expr;
  }
  BoundExpr* parameter(int32_t number) {
    BoundExpr* expr = node(arena_, ExprKind::kParameter);
    expr->parameter = number;
    return expr;
  }
  BoundExpr* make(ExprKind kind, std::vector<BoundExpr*> args) { return node(arena_, kind, args); }
  BoundExpr* binary(BinaryOp op, BoundExpr* x, BoundExpr* y) {
    BoundExpr* expr = make(ExprKind::kBinary, {x, y});
    expr->binary = op;
    return expr;
  }
  BoundExpr* unary(UnaryOp op, BoundExpr* x) {
    BoundExpr* expr = make(ExprKind::kUnary, {x});
    expr->unary = op;
    return expr;
  }
  BoundExpr* compare(CompareOp op, BoundExpr* x, BoundExpr* y, Affinity affinity = Affinity::kNone,
                     const Collation* collation = binary_collation()) {
    BoundExpr* expr = make(ExprKind::kCompare, {x, y});
    expr->compare = op;
    expr->compare_affinity = affinity;
    expr->compare_collation = collation;
    return expr;
  }

  // Rows of values as vectors: column c of the layout is vectors_[c].
  void set_rows(const std::vector<std::vector<ValueView>>& rows) {
    size_t width = rows.empty() ? 0 : rows[0].size();
    vectors_ = std::vector<Vector>(width);
    for (size_t c = 0; c < width; ++c) {
      vectors_[c].begin(static_cast<uint32_t>(rows.size()));
      for (size_t row = 0; row < rows.size(); ++row) {
        vectors_[c].set(static_cast<uint32_t>(row), rows[row][c]);
      }
    }
    use_vectors(static_cast<uint32_t>(rows.size()));
  }
  void use_vectors(uint32_t rows) {
    chunk_.columns.clear();
    columns_.clear();
    for (size_t c = 0; c < vectors_.size(); ++c) {
      chunk_.columns.push_back(&vectors_[c]);
      columns_.push_back({kSource, static_cast<int32_t>(c)});
    }
    chunk_.rows = rows;
    chunk_.selection = Selection{nullptr, rows};
  }

  std::unique_ptr<Expression> compile(const BoundExpr* expr) {
    context_.services = &services_;
    context_.parameters = parameters_;
    auto result = compile_expression(*expr, Layout{columns_}, &context_, nullptr);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *std::move(result) : nullptr;
  }

  // The value of `expr` in each live row, separated by spaces.
  std::string values(const BoundExpr* expr) { return values(compile(expr).get()); }
  std::string values(Expression* expression) {
    const Vector* vector = nullptr;
    Status status = expression->evaluate(chunk_, chunk_.selection, &vector);
    if (!status.ok()) return "error: " + status.message();
    std::string shown;
    for (uint32_t k = 0; k < chunk_.selection.count; ++k) {
      if (k > 0) shown += ' ';
      shown += show(vector->get(chunk_.selection[k]));
    }
    return shown;
  }
  // Without columns.
  std::string value(const BoundExpr* expr) {
    auto expression = compile(expr);
    ValueView v;
    Status status = evaluate_scalar(expression.get(), &v);
    return status.ok() ? show(v) : "error: " + status.message();
  }
  // Live rows where `expr` is true (or false).
  std::vector<uint16_t> filtered(const BoundExpr* expr, bool wanted = true) {
    auto expression = compile(expr);
    std::vector<uint16_t> rows(chunk_.selection.count + 1);
    uint32_t count = 0;
    Status status =
        expression->filter(chunk_, chunk_.selection, wanted, rows.data(), &count);
    EXPECT_TRUE(status.ok()) << status.message();
    rows.resize(count);
    return rows;
  }

  Arena arena_;
  FakeServices services_;
  ExecContext context_;
  std::vector<Value> parameters_;
  std::vector<Vector> vectors_;
  std::vector<ColumnRef> columns_;
  Chunk chunk_;
};

}  // namespace godwit::testing
