// What the files expression_*.cc share: how nodes are compiled, and small tools of evaluation.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "exec/expression.h"

namespace godwit {

using ExpressionPtr = std::unique_ptr<Expression>;

struct ExpressionCompiler {
  const Layout& layout;
  ExecContext* context;
  OuterRow* outer;
  PureUse pure_use = PureUse::kNone;

  Result<ExpressionPtr> compile(const BoundExpr& expr) const;
  Status compile_all(std::span<BoundExpr* const> exprs, std::vector<ExpressionPtr>* out) const;
};

// One function a family of expression kinds; each in the file of its name.
Result<ExpressionPtr> compile_column(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_parameter(const BoundExpr& expr, const ExpressionCompiler& compiler);
ExpressionPtr make_constant(const ValueView& value);  // bytes borrowed
Result<ExpressionPtr> compile_unary(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_arithmetic(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_bits(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_concat(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_compare(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_row_compare(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_not(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_and_or(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_is_null(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_is_truth(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_between(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_in_list(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_case(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_coalesce(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_cast(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_function(const BoundExpr& expr, const ExpressionCompiler& compiler);
// An ordinary call, whatever the function is.
Result<ExpressionPtr> compile_call(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_like(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_raise(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_in_query(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_exists(const BoundExpr& expr, const ExpressionCompiler& compiler);
Result<ExpressionPtr> compile_scalar_query(const BoundExpr& expr,
                                           const ExpressionCompiler& compiler);

// Calls f(row) for each selected row.
template <typename F>
inline void for_each_row(const Selection& selection, F&& f) {
  if (selection.rows == nullptr) {
    for (uint32_t row = 0; row < selection.count; ++row) f(row);
  } else {
    const uint16_t* rows = selection.rows;
    for (uint32_t i = 0; i < selection.count; ++i) f(static_cast<uint32_t>(rows[i]));
  }
}

inline constexpr Selection kFirstRow{nullptr, 1};

// Row numbers, grown like vectors and kept.
class RowBuffer {
 public:
  uint16_t* reserve(uint32_t count) {
    if (count > capacity_) [[unlikely]] {
      capacity_ = count <= 8 ? 8 : count <= 64 ? 64 : std::max(count, kChunkRowsMax);
      rows_ = std::make_unique_for_overwrite<uint16_t[]>(capacity_);
    }
    return rows_.get();
  }
  uint16_t* rows() { return rows_.get(); }

 private:
  std::unique_ptr<uint16_t[]> rows_;
  uint32_t capacity_ = 0;
};

// Copies the rows of `all` that are not in `some` (a subset, ascending) to `out`, which may be the
// array of `all`. Returns their number.
inline uint32_t subtract_rows(const Selection& all, const uint16_t* some, uint32_t some_count,
                              uint16_t* out) {
  uint32_t count = 0;
  uint32_t j = 0;
  for (uint32_t i = 0; i < all.count; ++i) {
    uint16_t row = static_cast<uint16_t>(all[i]);
    if (j < some_count && some[j] == row) {
      ++j;
    } else {
      out[count++] = row;
    }
  }
  return count;
}

// Writes all selected rows, or none.
inline uint32_t select_all_or_none(const Selection& selection, bool all, uint16_t* rows) {
  if (!all) return 0;
  if (rows != selection.rows) {
    for (uint32_t i = 0; i < selection.count; ++i) rows[i] = static_cast<uint16_t>(selection[i]);
  }
  return selection.count;
}

// Three-valued logic. The values order FALSE and TRUE as AND and OR do.
enum class Truth : uint8_t { kFalse = 0, kTrue = 1, kUnknown = 2 };

Truth truth_of(const ValueView& value);
inline Truth negate(Truth t) {
  return t == Truth::kUnknown ? t : t == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}
inline ValueView truth_value(Truth t) {
  return t == Truth::kUnknown ? ValueView::null() : ValueView::boolean(t == Truth::kTrue);
}

// truths[row] for each selected row.
void read_truths(const Vector& vector, const Selection& selection, Truth* truths);
// The rows whose value is true (wanted) or false.
uint32_t filter_truths(const Vector& vector, const Selection& selection, bool wanted,
                       uint16_t* rows);
// truths[row] as a vector of 0, 1 and NULL.
void write_truths(const Truth* truths, const Selection& selection, uint32_t rows, Vector* result);

// Truth values by row, grown and kept.
class TruthBuffer {
 public:
  Truth* reserve(uint32_t rows) {
    if (rows > capacity_) [[unlikely]] {
      capacity_ = rows <= 8 ? 8 : rows <= 64 ? 64 : std::max(rows, kChunkRowsMax);
      truths_ = std::make_unique_for_overwrite<Truth[]>(capacity_);
    }
    return truths_.get();
  }

 private:
  std::unique_ptr<Truth[]> truths_;
  uint32_t capacity_ = 0;
};

// A chunk of one row and no columns, for expressions without columns.
const Chunk& single_row_chunk();

}  // namespace godwit
