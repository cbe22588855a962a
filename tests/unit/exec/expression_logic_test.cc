// Comparison, three-valued logic, BETWEEN, IN, CASE: as values and as conditions.
#include "expression_builder.h"
#include "function/function.h"

namespace godwit::testing {
namespace {

using Rows = std::vector<uint16_t>;

class Logic : public ExpressionTest {};

TEST_F(Logic, TruthOfEveryType) {
  auto inverse = [&](const ValueView& v) { return value(unary(UnaryOp::kNot, constant(v))); };
  EXPECT_EQ(inverse(t("abc")), "1");
  EXPECT_EQ(inverse(t("1abc")), "0");
  EXPECT_EQ(inverse(b("1")), "0");
  EXPECT_EQ(inverse(r(0.0)), "1");
  EXPECT_EQ(inverse(n()), "NULL");
  EXPECT_EQ(inverse(t("0.1")), "0");
}

TEST_F(Logic, AndOrFollowTheTruthTables) {
  set_rows({{i(0), i(0)}, {i(0), i(1)}, {i(0), n()}, {i(1), i(0)}, {i(1), i(1)}, {i(1), n()},
            {n(), i(0)}, {n(), i(1)}, {n(), n()}});
  BoundExpr* both = make(ExprKind::kAnd, {column(0), column(1)});
  EXPECT_EQ(values(both), "0 0 0 0 1 NULL 0 NULL NULL");
  EXPECT_EQ(filtered(both), (Rows{4}));
  EXPECT_EQ(filtered(both, false), (Rows{0, 1, 2, 3, 6}));
  BoundExpr* either = make(ExprKind::kOr, {column(0), column(1)});
  EXPECT_EQ(values(either), "0 1 NULL 1 1 1 NULL 1 NULL");
  EXPECT_EQ(filtered(either), (Rows{1, 3, 4, 5, 7}));
  EXPECT_EQ(filtered(either, false), (Rows{0}));
  EXPECT_EQ(filtered(unary(UnaryOp::kNot, both)), (Rows{0, 1, 2, 3, 6}));
}

TEST_F(Logic, IsNullAndIsTrueAreNeverNull) {
  set_rows({{i(1)}, {n()}, {r(0.5)}, {t("a")}, {i(0)}});
  BoundExpr* is_null = make(ExprKind::kIsNull, {column(0)});
  EXPECT_EQ(values(is_null), "0 1 0 0 0");
  is_null->negated = true;
  EXPECT_EQ(values(is_null), "1 0 1 1 1");
  EXPECT_EQ(filtered(is_null), (Rows{0, 2, 3, 4}));
  BoundExpr* is_true = make(ExprKind::kIsTruth, {column(0)});
  is_true->truth = true;
  EXPECT_EQ(values(is_true), "1 0 1 0 0");
  EXPECT_EQ(filtered(is_true, false), (Rows{1, 3, 4}));
  is_true->truth = false;
  is_true->negated = true;
  EXPECT_EQ(values(is_true), "1 1 1 0 0");
  EXPECT_EQ(filtered(is_true), (Rows{0, 1, 2}));
}

TEST_F(Logic, ComparisonsOrderTheStorageClasses) {
  set_rows({{i(1), r(1.0)}, {t("1"), i(1)}, {b("1"), t("1")}, {i(9007199254740993), r(9007199254740992.0)},
            {n(), n()}, {i(1), n()}});
  EXPECT_EQ(values(compare(CompareOp::kEq, column(0), column(1))), "1 0 0 0 NULL NULL");
  EXPECT_EQ(values(compare(CompareOp::kGt, column(0), column(1))), "0 1 1 1 NULL NULL");
  EXPECT_EQ(values(compare(CompareOp::kIs, column(0), column(1))), "1 0 0 0 1 0");
  EXPECT_EQ(values(compare(CompareOp::kIsNot, column(0), column(1))), "0 1 1 1 0 1");
  EXPECT_EQ(filtered(compare(CompareOp::kNe, column(0), column(1))), (Rows{1, 2, 3}));
}

TEST_F(Logic, AffinityIsAppliedToBothSides) {
  set_rows({{i(10)}, {t("10")}, {t("1e1")}, {t("abc")}, {n()}});
  EXPECT_EQ(values(compare(CompareOp::kEq, column(0), constant(t("10.0")), Affinity::kNumeric)),
            "1 1 1 0 NULL");
  EXPECT_EQ(values(compare(CompareOp::kEq, column(0), constant(i(10)), Affinity::kText)),
            "1 1 0 0 NULL");
  EXPECT_EQ(values(compare(CompareOp::kLt, column(0), constant(t("9")), Affinity::kText)),
            "1 1 1 0 NULL");
}

TEST_F(Logic, TextFollowsTheCollation) {
  set_rows({{t("ABC")}, {t("abc")}, {t("abd")}, {t("ab")}, {t("abc ")}});
  auto against = [&](CompareOp op, const Collation* collation) {
    return values(compare(op, column(0), constant(t("abc")), Affinity::kNone, collation));
  };
  EXPECT_EQ(against(CompareOp::kEq, binary_collation()), "0 1 0 0 0");
  EXPECT_EQ(against(CompareOp::kEq, nocase_collation()), "1 1 0 0 0");
  EXPECT_EQ(against(CompareOp::kEq, rtrim_collation()), "0 1 0 0 1");
  EXPECT_EQ(against(CompareOp::kLt, binary_collation()), "1 0 0 1 0");
  EXPECT_EQ(against(CompareOp::kGe, binary_collation()), "0 1 1 0 1");
}

TEST_F(Logic, BetweenIsFalseAsSoonAsOneSideIs) {
  auto between = [&](const ValueView& x, const ValueView& low, const ValueView& high) {
    return make(ExprKind::kBetween, {constant(x), constant(low), constant(high)});
  };
  EXPECT_EQ(value(between(i(1), i(0), n())), "NULL");
  EXPECT_EQ(value(between(i(5), i(6), n())), "0");
  EXPECT_EQ(value(between(i(5), n(), i(4))), "0");
  BoundExpr* negated = between(i(5), i(6), n());
  negated->negated = true;
  EXPECT_EQ(value(negated), "1");
  set_rows({{i(1)}, {i(5)}, {n()}, {i(9)}, {r(5.5)}});
  BoundExpr* of_column = make(ExprKind::kBetween, {column(0), constant(i(2)), constant(i(7))});
  EXPECT_EQ(filtered(of_column), (Rows{1, 4}));
  EXPECT_EQ(filtered(of_column, false), (Rows{0, 3}));
  of_column->negated = true;
  EXPECT_EQ(filtered(of_column), (Rows{0, 3}));
  EXPECT_EQ(values(of_column), "1 0 NULL 1 0");
}

TEST_F(Logic, InListKnowsNull) {
  auto in = [&](const ValueView& x, std::vector<ValueView> members) {
    std::vector<BoundExpr*> args = {constant(x)};
    for (const ValueView& m : members) args.push_back(constant(m));
    std::string folded = value(make(ExprKind::kInList, args));
    set_rows({{x}, {x}});
    args[0] = column(0);
    EXPECT_EQ(values(make(ExprKind::kInList, args)), folded + " " + folded);
    // A member that depends on the row takes the other path.
    if (members.empty()) return folded;
    args.push_back(binary(BinaryOp::kAdd, column(0), constant(i(1000))));
    if (x.is_integer()) {
      EXPECT_EQ(values(make(ExprKind::kInList, args)), folded + " " + folded);
    }
    return folded;
  };
  EXPECT_EQ(in(i(1), {}), "0");
  EXPECT_EQ(in(n(), {}), "0");
  EXPECT_EQ(in(i(1), {n()}), "NULL");
  EXPECT_EQ(in(i(1), {i(1), n()}), "1");
  EXPECT_EQ(in(i(2), {i(1), n()}), "NULL");
  EXPECT_EQ(in(n(), {i(1)}), "NULL");
  EXPECT_EQ(in(i(2), {i(1), i(3)}), "0");
  EXPECT_EQ(in(t("1"), {i(1)}), "0");
  EXPECT_EQ(in(r(1.0), {i(1), t("x")}), "1");
}

TEST_F(Logic, InListAppliesAffinityAndCollation) {
  set_rows({{i(1)}, {t("1")}, {t("A")}, {n()}});
  BoundExpr* in = make(ExprKind::kInList, {column(0), constant(t("1")), constant(t("a"))});
  in->compare_affinity = Affinity::kNumeric;
  in->compare_collation = nocase_collation();
  EXPECT_EQ(values(in), "1 1 1 NULL");
  in->compare_affinity = Affinity::kText;
  in->compare_collation = binary_collation();
  in->negated = true;
  EXPECT_EQ(values(in), "0 0 1 NULL");
  EXPECT_EQ(filtered(in), (Rows{2}));
  EXPECT_EQ(filtered(in, false), (Rows{0, 1}));
}

TEST_F(Logic, InListWithParametersIsRebuiltForEachExecution) {
  parameters_.resize(2);
  parameters_[0].assign(i(5));
  parameters_[1].assign(t("x"));
  set_rows({{i(5)}, {i(6)}, {t("x")}});
  auto in = compile(make(ExprKind::kInList, {column(0), parameter(1), parameter(2)}));
  EXPECT_EQ(values(in.get()), "1 0 1");
  parameters_[0].assign(i(6));
  ++context_.execution;
  EXPECT_EQ(values(in.get()), "0 1 1");
}

TEST_F(Logic, RowValuesCompareColumnByColumn) {
  auto row = [&](std::vector<ValueView> members) {
    std::vector<BoundExpr*> args;
    for (const ValueView& m : members) args.push_back(constant(m));
    return make(ExprKind::kRow, args);
  };
  auto rows = [&](CompareOp op, std::vector<ValueView> x, std::vector<ValueView> y) {
    return value(compare(op, row(x), row(y)));
  };
  EXPECT_EQ(rows(CompareOp::kEq, {i(1), n()}, {i(2), n()}), "0");
  EXPECT_EQ(rows(CompareOp::kEq, {n(), i(1)}, {n(), i(2)}), "0");
  EXPECT_EQ(rows(CompareOp::kEq, {n(), i(1)}, {n(), i(1)}), "NULL");
  EXPECT_EQ(rows(CompareOp::kLt, {i(1), i(2)}, {i(1), n()}), "NULL");
  EXPECT_EQ(rows(CompareOp::kLt, {i(1), i(2)}, {i(2), n()}), "1");
  EXPECT_EQ(rows(CompareOp::kLt, {n(), i(1)}, {n(), i(2)}), "NULL");
  EXPECT_EQ(rows(CompareOp::kIs, {i(1), n()}, {i(1), n()}), "1");
  EXPECT_EQ(rows(CompareOp::kIsNot, {i(1), i(2)}, {i(1), n()}), "1");
  EXPECT_EQ(rows(CompareOp::kLe, {i(1), i(2)}, {i(1), i(2)}), "1");
  EXPECT_EQ(rows(CompareOp::kGe, {i(1), i(2)}, {i(1), i(3)}), "0");
  EXPECT_EQ(rows(CompareOp::kNe, {i(1), i(2)}, {i(1), n()}), "NULL");
  EXPECT_EQ(rows(CompareOp::kNe, {i(1), i(2)}, {i(2), n()}), "1");
}

void fail_always(FunctionContext& context, std::span<const ValueView>, ValueView*) {
  context.fail("integer overflow");
}

void add_one(FunctionContext&, std::span<const ValueView> args, ValueView* result) {
  *result = ValueView::of(args[0].integer + 1);
}

class Lazy : public ExpressionTest {
 protected:
  BoundExpr* failing(BoundExpr* arg) {
    fail_.name = "fail";
    fail_.args_min = fail_.args_max = 1;
    fail_.call = fail_always;
    fail_.flags = function_flag::kDeterministic;
    BoundExpr* expr = make(ExprKind::kFunction, {arg});
    expr->function = &fail_;
    return expr;
  }
  ScalarFunction fail_;
};

TEST_F(Lazy, ConditionsSkipWhatCannotMatterAndValuesDoNot) {
  set_rows({{i(0), i(1)}});
  BoundExpr* both = make(ExprKind::kAnd, {column(0), failing(column(1))});
  EXPECT_EQ(filtered(both), (Rows{}));
  EXPECT_EQ(values(both), "error: integer overflow");
  BoundExpr* either = make(ExprKind::kOr, {column(1), failing(column(1))});
  EXPECT_EQ(filtered(either), (Rows{0}));
  both->args[1]->has_subquery = true;  // evaluated last, and only where it matters
  EXPECT_EQ(values(both), "0");
}

TEST_F(Lazy, CaseEvaluatesTheBranchThatIsTakenAlone) {
  set_rows({{i(1)}, {i(2)}, {n()}});
  BoundExpr* simple = make(ExprKind::kCase, {column(0), constant(i(1)), constant(t("one")),
                                            constant(r(2.0)), constant(t("two")), constant(t("?"))});
  simple->has_operand = simple->has_else = true;
  EXPECT_EQ(values(simple), "'one' 'two' '?'");
  BoundExpr* searched =
      make(ExprKind::kCase, {make(ExprKind::kIsNull, {column(0)}), constant(i(0)),
                             constant(i(1)), column(0), failing(column(0))});
  searched->has_else = true;
  EXPECT_EQ(values(searched), "1 2 0");
  searched->args[2] = constant(i(0));
  EXPECT_EQ(values(searched), "error: integer overflow");
}

TEST_F(Lazy, CoalesceStopsAtTheFirstValue) {
  ScalarFunction coalesce;
  coalesce.intrinsic = Intrinsic::kCoalesce;
  set_rows({{i(1), n()}, {n(), t("b")}});
  BoundExpr* expr = make(ExprKind::kFunction, {column(0), column(1), failing(column(0))});
  expr->function = &coalesce;
  EXPECT_EQ(values(expr), "1 'b'");
  expr->args = expr->args.first(1);
  EXPECT_EQ(values(expr), "1 NULL");
}

TEST_F(Lazy, FunctionsAreCalledForSelectedRowsOnly) {
  ScalarFunction plus;
  plus.call = add_one;
  set_rows({{i(1)}, {i(2)}, {i(3)}});
  const uint16_t live[] = {0, 2};
  chunk_.selection = Selection{live, 2};
  BoundExpr* expr = make(ExprKind::kFunction, {column(0)});
  expr->function = &plus;
  EXPECT_EQ(values(expr), "2 4");
}

void like_is_called(FunctionContext&, std::span<const ValueView>, ValueView* result) {
  *result = ValueView::of(int64_t{77});
}

TEST_F(Logic, LikeWithAPlainPatternComparesDirectly) {
  ScalarFunction like;
  like.call = like_is_called;
  like.intrinsic = Intrinsic::kLike;
  like.flags = function_flag::kDeterministic;
  set_rows({{t("abc")}, {t("xABCx")}, {n()}, {t("ab")}, {t(std::string_view("abc\0d", 5))},
            {t("")}, {t("\xC3\x84" "abc")}});
  auto match = [&](std::string_view pattern) {
    BoundExpr* expr = make(ExprKind::kFunction, {constant(t(pattern)), column(0)});
    expr->function = &like;
    return values(expr);
  };
  EXPECT_EQ(match("aBc"), "1 0 NULL 0 1 0 0");
  EXPECT_EQ(match("AB%"), "1 0 NULL 1 1 0 0");
  EXPECT_EQ(match("%bc"), "1 0 NULL 0 1 0 1");
  EXPECT_EQ(match("%bc%"), "1 1 NULL 0 1 0 1");
  EXPECT_EQ(match("%"), "1 1 NULL 1 1 1 1");
  EXPECT_EQ(match(""), "0 0 NULL 0 0 1 0");
  EXPECT_EQ(match("a_c"), "77 77 77 77 77 77 77");
  like.intrinsic = Intrinsic::kGlob;
  EXPECT_EQ(match("*BC*"), "0 1 NULL 0 0 0 0");
  EXPECT_EQ(match("ab*"), "1 0 NULL 1 1 0 0");
}

TEST_F(Logic, RaiseFailsWithItsMessage) {
  BoundExpr* raise = make(ExprKind::kRaise, {constant(t("no way"))});
  raise->is_constant = false;
  raise->conflict = ConflictAction::kAbort;
  EXPECT_EQ(value(raise), "error: no way");
  EXPECT_EQ(context_.raised, ConflictAction::kAbort);
}

}  // namespace
}  // namespace godwit::testing
