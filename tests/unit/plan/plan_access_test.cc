#include <gtest/gtest.h>

#include "bound_builder.h"

namespace godwit {
namespace {

class PlanAccess : public ::testing::Test {
 protected:
  void SetUp() override {
    t_ = b_.table("t", {"id:ROWID", "a:INTEGER", "b:INTEGER", "c:TEXT"});
    u_ = b_.table("u", {"id:ROWID", "x:INTEGER", "y:INTEGER"});
    b_.index(t_, "t_ab", {1, 2});
    b_.index(t_, "t_c", {3});
  }
  BoundBuilder b_;
  Table* t_ = nullptr;
  Table* u_ = nullptr;
};

TEST_F(PlanAccess, RowidEqualityIsALookup) {
  BoundSource* t = b_.source(t_);
  auto* q = b_.query({t}, b_.equal(b_.column(t, 0), b_.value(5)), {b_.column(t, 3)});
  EXPECT_EQ(b_.dump(q),
            "Project s1.3 -> s2.0\n"
            "  Access rowid t=s1 equal(5) -> s1.3\n"
            "    SingleRow -> \n");
}

TEST_F(PlanAccess, RowidRangeUsesBothBounds) {
  BoundSource* t = b_.source(t_);
  auto* lower = b_.compare(CompareOp::kGt, b_.column(t, -1), b_.value(5));
  auto* upper = b_.compare(CompareOp::kGe, b_.value(9), b_.column(t, -1));
  auto* q = b_.query({t}, b_.make(ExprKind::kAnd, {lower, upper}), {b_.column(t, 3)});
  EXPECT_EQ(b_.explain(q), "SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
}

TEST_F(PlanAccess, IndexPrefixThenRange) {
  BoundSource* t = b_.source(t_);
  auto* a = b_.equal(b_.column(t, 1), b_.value(5));
  auto* range = b_.compare(CompareOp::kGt, b_.column(t, 2), b_.value(1));
  auto* q = b_.query({t}, b_.make(ExprKind::kAnd, {range, a}), {b_.column(t, 3)});
  EXPECT_EQ(b_.explain(q), "SEARCH t USING INDEX t_ab (a=? AND b>?)");
}

TEST_F(PlanAccess, TextColumnComparedAsNumberCannotUseItsIndex) {
  BoundSource* t = b_.source(t_);
  auto* q = b_.query({t}, b_.equal(b_.column(t, 3), b_.column(t, 1)), {b_.column(t, 0)});
  EXPECT_EQ(b_.explain(q), "SCAN t");
}

TEST_F(PlanAccess, InnerJoinSeeksTheIndexedSide) {
  BoundSource* t = b_.source(t_);
  BoundSource* u = b_.source(u_);
  auto* q = b_.query({t, u}, b_.equal(b_.column(t, 1), b_.column(u, 1)), {b_.column(t, 3)});
  EXPECT_EQ(b_.explain(q), "SCAN u | SEARCH t USING INDEX t_ab (a=?)");
}

TEST_F(PlanAccess, EqualityPassesThroughAnEqualColumn) {
  BoundSource* t = b_.source(t_);
  BoundSource* u = b_.source(u_);
  auto* join = b_.equal(b_.column(t, 1), b_.column(u, 0));
  auto* five = b_.equal(b_.column(t, 1), b_.value(5));
  auto* q = b_.query({t, u}, b_.make(ExprKind::kAnd, {join, five}), {b_.column(t, 3)});
  EXPECT_EQ(b_.explain(q),
            "SEARCH u USING INTEGER PRIMARY KEY (rowid=?) | SEARCH t USING INDEX t_ab (a=?)");
}

TEST_F(PlanAccess, LeftJoinKeepsOnAndFilterApart) {
  BoundSource* t = b_.source(t_);
  BoundSource* u = b_.source(u_, JoinType::kLeft);
  u->on = b_.make(ExprKind::kAnd, {b_.equal(b_.column(u, 0), b_.column(t, 1)),
                                   b_.equal(b_.column(u, 1), b_.value(1))});
  auto* where = b_.make(ExprKind::kIsNull, {b_.column(u, 2)});
  auto* q = b_.query({t, u}, where, {b_.column(t, 3)});
  EXPECT_EQ(b_.dump(q),
            "Project s1.3 -> s3.0\n"
            "  Access rowid u=s2 left equal(s1.1) on (s2.1 = 1) filter s2.2 ISNULL -> s1.3\n"
            "    Access scan t=s1 -> s1.1, s1.3\n"
            "      SingleRow -> \n");
}

TEST_F(PlanAccess, JoinWithoutIndexBuildsAHashTable) {
  BoundSource* a = b_.source(u_);
  BoundSource* c = b_.source(u_);
  auto* local = b_.equal(b_.column(c, 2), b_.value(7));
  auto* join = b_.equal(b_.column(a, 1), b_.column(c, 1));
  c->join = JoinType::kCross;
  auto* q = b_.query({a, c}, b_.make(ExprKind::kAnd, {join, local}), {b_.column(a, 0)});
  EXPECT_EQ(b_.dump(q),
            "Project s1.0 -> s3.0\n"
            "  Access hash u=s2 equal(s1.1) keys(s2.1) -> s1.0\n"
            "      Access scan u=s2 filter (s2.2 = 7) -> s2.1\n"
            "        SingleRow -> \n"
            "    Access scan u=s1 -> s1.0, s1.1\n"
            "      SingleRow -> \n");
}

TEST_F(PlanAccess, OrOfDifferentColumnsUsesTwoIndexes) {
  BoundSource* t = b_.source(t_);
  auto* either = b_.make(ExprKind::kOr, {b_.equal(b_.column(t, 1), b_.value(5)),
                                         b_.equal(b_.column(t, 0), b_.value(1))});
  auto* q = b_.query({t}, either, {b_.column(t, 3)});
  EXPECT_EQ(b_.explain(q),
            "MULTI-INDEX OR | INDEX 1 | SEARCH t USING INDEX t_ab (a=?) | INDEX 2 | "
            "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
}

TEST_F(PlanAccess, OrOfOneColumnIsAnInList) {
  BoundSource* t = b_.source(t_);
  auto* either = b_.make(ExprKind::kOr, {b_.equal(b_.column(t, 1), b_.value(5)),
                                         b_.equal(b_.column(t, 1), b_.value(1))});
  auto* q = b_.query({t}, either, {b_.column(t, 3)});
  EXPECT_EQ(b_.explain(q), "SEARCH t USING INDEX t_ab (a=?)");
}

TEST_F(PlanAccess, OrderByAnIndexNeedsNoSort) {
  BoundSource* t = b_.source(t_);
  auto* q = b_.query({t}, b_.equal(b_.column(t, 1), b_.value(5)), {b_.column(t, 3)});
  b_.order_by(q, {b_.column(t, 2)}, true);
  EXPECT_EQ(b_.dump(q),
            "Project s1.3 -> s2.0\n"
            "  Access index-seek t=s1 index t_ab descending equal(5) -> s1.3\n"
            "    SingleRow -> \n");
}

TEST_F(PlanAccess, OrderByRowidIsTheTableItself) {
  BoundSource* t = b_.source(t_);
  auto* q = b_.query({t}, nullptr, {b_.column(t, 3)});
  b_.order_by(q, {b_.column(t, 0), b_.column(t, 2)});
  EXPECT_EQ(b_.explain(q), "SCAN t");
}

TEST_F(PlanAccess, GroupByAnIndexStreams) {
  BoundSource* t = b_.source(t_);
  t->used_columns[0] = t->used_columns[2] = t->used_columns[3] = false;
  auto* q = b_.query({t}, nullptr, {b_.group_column(0)});
  b_.group_by(q, {b_.column(t, 1)});
  EXPECT_EQ(b_.dump(q),
            "Project s900.0 -> s2.0\n"
            "  Aggregate sorted -> s900.0\n"
            "    Access index-scan t=s1 index t_ab covering -> s1.1\n"
            "      SingleRow -> \n");
}

TEST_F(PlanAccess, ConstantConditionIsCheckedBeforeTheScan) {
  BoundSource* t = b_.source(t_);
  auto* q = b_.query({t}, b_.value(0), {b_.column(t, 3)});
  EXPECT_EQ(b_.dump(q),
            "Project s1.3 -> s2.0\n"
            "  Access scan t=s1 -> s1.3\n"
            "    Filter 0 -> \n"
            "      SingleRow -> \n");
}

TEST_F(PlanAccess, SixtyFourTablesPlanAndOneMoreIsAnError) {
  std::vector<BoundSource*> sources;
  BoundExpr* where = nullptr;
  for (int i = 0; i < 65; ++i) {
    sources.push_back(b_.source(t_));
    if (i == 0) continue;
    auto* term = b_.equal(b_.column(sources[i - 1], 1), b_.column(sources[i], 1));
    if (i < 64) where = where == nullptr ? term : b_.make(ExprKind::kAnd, {where, term});
  }
  auto* q = b_.query({}, where, {b_.column(sources[0], 3)});
  q->cores[0]->sources = std::span(sources).first(64);
  EXPECT_NE(b_.plan(q), nullptr);
  auto* too_many = b_.query({}, nullptr, {b_.value(1)});
  too_many->cores[0]->sources = sources;
  EXPECT_EQ(b_.explain(too_many), "error: at most 64 tables in a join");
}

}  // namespace
}  // namespace godwit
