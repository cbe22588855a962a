// Every operator gives the same results whatever the form of its vectors is: uniform, nullable,
// mixed, constant, with and without a selection. The reference is one row of two constants.
#include <algorithm>
#include <cmath>
#include <random>

#include "exec/arithmetic_kernels.h"
#include "exec/compare_kernels.h"
#include "exec/expression_node.h"
#include "expression_builder.h"
#include "value/record.h"

namespace godwit::testing {
namespace {

constexpr uint32_t kRows = 100;

class KernelProperty : public ::testing::TestWithParam<int> {
 protected:
  // Values of a kind that makes vectors of one form.
  ValueView draw(int kind) {
    static const ValueView texts[] = {t(""), t("a"), t("A"), t("ab"), t("a "), t("10"), t("9.5")};
    static const int64_t integers[] = {0, 1, -1, 2, 3, 7, 64, -64, INT64_MAX, INT64_MIN, 1 << 20};
    static const double reals[] = {0.0, -0.0, 1.0, 2.5, -3.0, 1e300, 9.3e18, HUGE_VAL, 0.5};
    uint32_t at = random_() & 0xFFFF;
    switch (kind) {
      case 0: return i(integers[at % std::size(integers)]);
      case 1: return r(reals[at % std::size(reals)]);
      case 2: return texts[at % std::size(texts)];
      case 3: return at % 4 == 0 ? n() : i(integers[(at >> 4) % std::size(integers)]);
      case 4: return at % 4 == 0 ? n() : r(reals[(at >> 4) % std::size(reals)]);
      case 5: return at % 4 == 0 ? n() : texts[(at >> 4) % std::size(texts)];
      case 6: return n();
      case 7: return at % 4 == 0 ? b("a") : draw(static_cast<int>((at >> 4) % 7));
      default: return ValueView::of(static_cast<int64_t>(random_() % 1000));
    }
  }
  static constexpr int kKinds = 9;

  void fill(int kind, bool constant, std::vector<ValueView>* values, Vector* vector) {
    values->clear();
    if (constant) {
      values->assign(kRows, draw(kind));
      vector->set_constant_value(values->front());
      return;
    }
    vector->begin(kRows);
    for (uint32_t row = 0; row < kRows; ++row) {
      values->push_back(draw(kind));
      vector->set(row, values->back());
    }
  }

  // f(a, b, values of a, values of b, selection) for pairs of all kinds.
  template <typename F>
  void for_each_pair(F f) {
    std::vector<uint16_t> some;
    for (uint32_t row = 0; row < kRows; ++row) {
      if (random_() % 3 != 0) some.push_back(static_cast<uint16_t>(row));
    }
    const Selection selections[] = {{nullptr, kRows},
                                    {some.data(), static_cast<uint32_t>(some.size())}};
    for (int pair = 0; pair < kKinds * kKinds * 4; ++pair) {
      bool constant_a = (pair & 1) != 0;
      bool constant_b = (pair & 2) != 0;
      int kind_a = (pair >> 2) / kKinds;
      int kind_b = (pair >> 2) % kKinds;
      Vector a, b;
      std::vector<ValueView> x, y;
      fill(kind_a, constant_a, &x, &a);
      fill(kind_b, constant_b, &y, &b);
      for (const Selection& selection : selections) f(a, b, x, y, selection);
    }
  }

  std::mt19937 random_{static_cast<uint32_t>(GetParam())};
};

TEST_P(KernelProperty, ArithmeticAgreesWithTheReference) {
  using enum BinaryOp;
  for_each_pair([&](const Vector& a, const Vector& b, const std::vector<ValueView>& x,
                    const std::vector<ValueView>& y, const Selection& selection) {
    for (BinaryOp op : {kAdd, kSubtract, kMultiply, kDivide, kRemainder, kBitAnd, kBitOr,
                        kShiftLeft, kShiftRight}) {
      bool is_bits = op >= kBitAnd;
      ArithmeticScratch scratch;
      Vector result;
      if (is_bits) {
        bits(op, a, b, selection, kRows, &result);
      } else {
        arithmetic(op, a, b, selection, kRows, &scratch, &result);
      }
      for (uint32_t k = 0; k < selection.count; ++k) {
        uint32_t row = selection[k];
        ValueView expected = is_bits ? bits_value(op, x[row], y[row])
                                     : arithmetic_value(op, x[row], y[row]);
        ASSERT_EQ(show(result.get(row)), show(expected))
            << show(x[row]) << " op " << static_cast<int>(op) << " " << show(y[row]);
      }
    }
  });
}

Truth reference(CompareOp op, const ValueView& x, const ValueView& y, const Collation* collation) {
  int order = compare_values(x, y, collation);
  if (op == CompareOp::kIs) return static_cast<Truth>(order == 0);
  if (op == CompareOp::kIsNot) return static_cast<Truth>(order != 0);
  if (x.is_null() || y.is_null()) return Truth::kUnknown;
  switch (op) {
    case CompareOp::kEq: return static_cast<Truth>(order == 0);
    case CompareOp::kNe: return static_cast<Truth>(order != 0);
    case CompareOp::kLt: return static_cast<Truth>(order < 0);
    case CompareOp::kLe: return static_cast<Truth>(order <= 0);
    case CompareOp::kGt: return static_cast<Truth>(order > 0);
    default: return static_cast<Truth>(order >= 0);
  }
}

TEST_P(KernelProperty, ComparisonsAndFiltersAgreeWithTheReference) {
  using enum CompareOp;
  for_each_pair([&](const Vector& a, const Vector& b, const std::vector<ValueView>& x,
                    const std::vector<ValueView>& y, const Selection& selection) {
    const Collation* collations[] = {binary_collation(), nocase_collation(), rtrim_collation()};
    const Collation* collation = collations[random_() % 3];
    for (CompareOp op : {kEq, kNe, kLt, kLe, kGt, kGe, kIs, kIsNot}) {
      Vector result;
      compare_booleans(op, a, b, collation, selection, kRows, &result);
      std::vector<uint16_t> expected[2];
      for (uint32_t k = 0; k < selection.count; ++k) {
        uint32_t row = selection[k];
        Truth truth = reference(op, x[row], y[row], collation);
        ASSERT_EQ(show(result.get(row)), show(truth_value(truth)))
            << show(x[row]) << " op " << static_cast<int>(op) << " " << show(y[row]);
        if (truth != Truth::kUnknown) {
          expected[truth == Truth::kTrue].push_back(static_cast<uint16_t>(row));
        }
      }
      for (bool wanted : {false, true}) {
        std::vector<uint16_t> rows(kRows + 1);
        rows.resize(compare_filter(op, a, b, collation, selection, wanted, rows.data()));
        ASSERT_EQ(rows, expected[wanted]);
        ASSERT_EQ(filter_truths(result, selection, wanted, rows.data()), expected[wanted].size());
      }
    }
  });
}

TEST_P(KernelProperty, AFilterMayOverwriteItsSelection) {
  Vector a, b;
  std::vector<ValueView> x, y;
  fill(8, false, &x, &a);
  fill(8, false, &y, &b);
  std::vector<uint16_t> rows(kRows);
  for (uint32_t row = 0; row < kRows; ++row) rows[row] = static_cast<uint16_t>(row);
  std::vector<uint16_t> apart(kRows);
  apart.resize(compare_filter(CompareOp::kLt, a, b, binary_collation(), {rows.data(), kRows}, true,
                              apart.data()));
  rows.resize(compare_filter(CompareOp::kLt, a, b, binary_collation(), {rows.data(), kRows}, true,
                             rows.data()));
  EXPECT_EQ(rows, apart);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelProperty, ::testing::Range(1, 3));

}  // namespace
}  // namespace godwit::testing
