// Arithmetic, bits, concatenation, CAST: results as SQLite 3.53 gives them.
#include <cmath>

#include "expression_builder.h"

namespace godwit::testing {
namespace {

using enum BinaryOp;

class Arithmetic : public ExpressionTest {
 protected:
  // Both as constants and as columns, which take different paths.
  std::string result(BinaryOp op, const ValueView& x, const ValueView& y) {
    std::string folded = value(binary(op, constant(x), constant(y)));
    set_rows({{x, y}, {x, y}});
    std::string twice = values(binary(op, column(0), column(1)));
    EXPECT_EQ(twice, folded + " " + folded);
    EXPECT_EQ(values(binary(op, column(0), constant(y))), twice);
    EXPECT_EQ(values(binary(op, constant(x), column(1))), twice);
    return folded;
  }
};

TEST_F(Arithmetic, IntegersOverflowToReals) {
  EXPECT_EQ(result(kAdd, i(2), i(3)), "5");
  EXPECT_EQ(result(kAdd, i(INT64_MAX), i(1)), "9.2233720368547758e+18");
  EXPECT_EQ(result(kSubtract, i(INT64_MIN), i(1)), "-9.2233720368547758e+18");
  EXPECT_EQ(result(kMultiply, i(INT64_MAX), i(2)), "1.8446744073709552e+19");
  EXPECT_EQ(result(kDivide, i(INT64_MIN), i(-1)), "9.2233720368547758e+18");
  EXPECT_EQ(result(kRemainder, i(INT64_MIN), i(-1)), "0");
}

TEST_F(Arithmetic, TextAndBlobsCountAsTheNumberTheyBeginWith) {
  EXPECT_EQ(result(kAdd, t(""), i(1)), "1");
  EXPECT_EQ(result(kAdd, t("12abc"), i(1)), "13");
  EXPECT_EQ(result(kAdd, t("1e3"), i(1)), "1001.0");
  EXPECT_EQ(result(kAdd, b("12"), i(1)), "13");
  EXPECT_EQ(result(kAdd, t("0x10"), i(0)), "0");
  EXPECT_EQ(result(kAdd, t("5."), i(0)), "5.0");
  EXPECT_EQ(result(kAdd, t("9223372036854775807"), i(1)), "9.2233720368547758e+18");
  EXPECT_EQ(result(kRemainder, t("12.7abc"), i(5)), "2.0");
}

TEST_F(Arithmetic, DivisionByZeroAndNotANumberAreNull) {
  EXPECT_EQ(result(kDivide, i(5), i(0)), "NULL");
  EXPECT_EQ(result(kDivide, r(5), i(0)), "NULL");
  EXPECT_EQ(result(kDivide, r(5), r(0)), "NULL");
  EXPECT_EQ(result(kRemainder, i(5), i(0)), "NULL");
  EXPECT_EQ(result(kRemainder, i(5), r(0.5)), "NULL");
  EXPECT_EQ(result(kSubtract, r(HUGE_VAL), r(HUGE_VAL)), "NULL");
  EXPECT_EQ(result(kMultiply, r(HUGE_VAL), i(0)), "NULL");
  EXPECT_EQ(result(kAdd, n(), i(1)), "NULL");
  EXPECT_EQ(result(kAdd, i(1), n()), "NULL");
}

TEST_F(Arithmetic, RemainderOfRealsIsOfIntegersButReal) {
  EXPECT_EQ(result(kRemainder, r(5.5), r(2.9)), "1.0");
  EXPECT_EQ(result(kRemainder, r(1e300), i(7)), "0.0");
  EXPECT_EQ(result(kDivide, i(7), i(2)), "3");
  EXPECT_EQ(result(kDivide, i(-7), i(2)), "-3");
  EXPECT_EQ(result(kRemainder, i(-7), i(2)), "-1");
}

TEST_F(Arithmetic, ShiftsTakeAnyCount) {
  EXPECT_EQ(result(kShiftLeft, i(1), i(-1)), "0");
  EXPECT_EQ(result(kShiftLeft, i(1), i(64)), "0");
  EXPECT_EQ(result(kShiftRight, i(-1), i(64)), "-1");
  EXPECT_EQ(result(kShiftRight, i(1), i(-3)), "8");
  EXPECT_EQ(result(kShiftRight, i(-8), i(1)), "-4");
  EXPECT_EQ(result(kShiftLeft, i(1), i(63)), "-9223372036854775808");
  EXPECT_EQ(result(kShiftLeft, i(1), i(INT64_MIN)), "0");
  EXPECT_EQ(result(kShiftLeft, t("5"), t("1")), "10");
}

TEST_F(Arithmetic, BitOperatorsCutOffReals) {
  EXPECT_EQ(result(kBitOr, r(-1.9), i(0)), "-1");
  EXPECT_EQ(result(kBitOr, r(1e300), i(0)), "9223372036854775807");
  EXPECT_EQ(result(kBitOr, t("99999999999999999999"), i(0)), "9223372036854775807");
  EXPECT_EQ(result(kBitOr, t("1e3"), i(0)), "1");
  EXPECT_EQ(result(kBitAnd, i(12), i(10)), "8");
  EXPECT_EQ(result(kBitAnd, n(), i(10)), "NULL");
}

TEST_F(Arithmetic, NegationIsSubtractionFromZero) {
  auto negative = [&](const ValueView& v) { return value(unary(UnaryOp::kNegate, constant(v))); };
  EXPECT_EQ(negative(i(INT64_MIN)), "9.2233720368547758e+18");
  EXPECT_EQ(negative(t("5x")), "-5");
  EXPECT_EQ(negative(b("5")), "-5");
  EXPECT_EQ(negative(t("1.0")), "-1.0");
  EXPECT_EQ(negative(r(0.0)), "0.0");
  EXPECT_EQ(negative(n()), "NULL");
  EXPECT_EQ(value(unary(UnaryOp::kBitNot, constant(r(1.9)))), "-2");
  EXPECT_EQ(value(unary(UnaryOp::kBitNot, constant(n()))), "NULL");
  EXPECT_EQ(value(unary(UnaryOp::kPlus, constant(t("a")))), "'a'");
}

TEST_F(Arithmetic, ConcatenationConvertsToText) {
  EXPECT_EQ(result(kConcat, i(1), i(2)), "'12'");
  EXPECT_EQ(result(kConcat, r(1.0), t("a")), "'1.0a'");
  EXPECT_EQ(result(kConcat, b("AB"), t("c")), "'ABc'");
  EXPECT_EQ(result(kConcat, n(), i(1)), "NULL");
  EXPECT_EQ(result(kConcat, r(1e20), t("")), "'1.0e+20'");
  set_rows({{t("a"), i(1)}, {t("b"), n()}, {n(), i(3)}, {t(""), r(2.5)}});
  EXPECT_EQ(values(binary(kConcat, binary(kConcat, column(0), constant(t("-"))), column(1))),
            "'a-1' NULL NULL '-2.5'");
}

TEST_F(Arithmetic, ManyConcatenationsKeepTheirOwnBytes) {
  std::vector<std::vector<ValueView>> rows;
  for (int k = 0; k < 1000; ++k) rows.push_back({i(k)});
  set_rows(rows);
  auto expression = compile(binary(kConcat, constant(t("row ")), column(0)));
  std::string first = values(expression.get());
  EXPECT_EQ(values(expression.get()), first);
  EXPECT_NE(first.find("'row 0' 'row 1'"), std::string::npos);
  EXPECT_NE(first.find("'row 998' 'row 999'"), std::string::npos);
}

TEST_F(Arithmetic, CastFollowsTheTargetAffinity) {
  auto cast = [&](const ValueView& v, Affinity affinity) {
    BoundExpr* expr = make(ExprKind::kCast, {constant(v)});
    expr->cast_affinity = affinity;
    std::string folded = value(expr);
    set_rows({{v}, {v}});
    BoundExpr* of_column = make(ExprKind::kCast, {column(0)});
    of_column->cast_affinity = affinity;
    EXPECT_EQ(values(of_column), folded + " " + folded);
    return folded;
  };
  EXPECT_EQ(cast(t("12abc"), Affinity::kInteger), "12");
  EXPECT_EQ(cast(r(1e300), Affinity::kInteger), "9223372036854775807");
  EXPECT_EQ(cast(i(5), Affinity::kReal), "5.0");
  EXPECT_EQ(cast(i(5), Affinity::kText), "'5'");
  EXPECT_EQ(cast(t("3.0"), Affinity::kNumeric), "3");
  EXPECT_EQ(cast(t("ab"), Affinity::kBlob), "x'ab'");
  EXPECT_EQ(cast(n(), Affinity::kText), "NULL");
}

}  // namespace
}  // namespace godwit::testing
