// Aggregates: groups, FILTER, DISTINCT, ORDER BY, and the rows that min() and max() choose.
#include "exec/aggregate_state.h"

#include <new>

#include "expression_builder.h"
#include "value/record.h"

namespace godwit::testing {
namespace {

// Joins its arguments as text: shows which rows were stepped, and in which order.
void join_init(void* state) { new (state) std::string(); }
void join_destroy(void* state) { static_cast<std::string*>(state)->~basic_string(); }
void join_step(FunctionContext&, void* state, std::span<const ValueView> args) {
  *static_cast<std::string*>(state) += show(args[0]) + ";";
}
void join_result(FunctionContext&, void* state, ValueView* result) {
  *result = ValueView::of_text(*static_cast<std::string*>(state));
}

struct Best {
  Value value;
};
void best_init(void* state) { new (state) Best(); }
void best_destroy(void* state) { static_cast<Best*>(state)->~Best(); }
void best_step(FunctionContext& context, void* state, std::span<const ValueView> args) {
  Value& best = static_cast<Best*>(state)->value;
  if (args[0].is_null()) return;
  if (best.view().is_null() || compare_values(args[0], best, context.collation()) > 0) {
    best.assign(args[0]);
  }
}
void best_result(FunctionContext&, void* state, ValueView* result) {
  *result = static_cast<Best*>(state)->value.view();
}

class AggregateTest : public ExpressionTest {
 protected:
  AggregateTest() {
    join_.name = "join";
    join_.state_size = sizeof(std::string);
    join_.init = join_init;
    join_.destroy = join_destroy;
    join_.step = join_step;
    join_.finalize = join_.value = join_result;
    max_ = join_;
    max_.state_size = sizeof(Best);
    max_.init = best_init;
    max_.destroy = best_destroy;
    max_.step = best_step;
    max_.finalize = max_.value = best_result;
  }

  BoundAggregate* aggregate(const AggregateFunction& function, BoundExpr* arg) {
    BoundAggregate* bound = arena_.make<BoundAggregate>();
    bound->function = &function;
    bound->args = arena_.copy_array<BoundExpr*>(std::span<BoundExpr* const>(&arg, 1));
    bound->collation = binary_collation();
    return bound;
  }
  std::unique_ptr<AggregateSet> make_set(std::vector<BoundAggregate*> aggregates, bool grouped) {
    context_.services = &services_;
    auto set = AggregateSet::make(aggregates, Layout{columns_}, &context_, nullptr, grouped);
    EXPECT_TRUE(set.ok());
    return *std::move(set);
  }
  std::string result(AggregateSet* set, size_t index, void* group) {
    Vector vector;
    uint32_t done = 0;
    EXPECT_TRUE(set->finalize(index, std::span<void* const>(&group, 1), &vector, &done).ok());
    return show(vector.get(0));
  }

  AggregateFunction join_, max_;
};

TEST_F(AggregateTest, RowsReachTheirGroupsThroughFilterAndDistinct) {
  set_rows({{i(0), t("a")}, {i(1), t("a")}, {i(0), t("a")}, {i(1), t("b")}, {i(0), n()},
            {i(0), t("c")}});
  BoundAggregate* all = aggregate(join_, column(1));
  BoundAggregate* distinct = aggregate(join_, column(1));
  distinct->distinct = true;
  BoundAggregate* filtered = aggregate(join_, column(1));
  filtered->filter = compare(CompareOp::kNe, column(1), constant(t("a")));
  auto set = make_set({all, distinct, filtered}, true);
  void* groups[] = {set->create_group(), set->create_group()};
  void* of_rows[] = {groups[0], groups[1], groups[0], groups[1], groups[0], groups[0]};
  ASSERT_TRUE(set->begin_chunk(chunk_, chunk_.selection).ok());
  ASSERT_TRUE(set->step_groups(of_rows).ok());
  ASSERT_TRUE(set->begin_chunk(chunk_, chunk_.selection).ok());
  ASSERT_TRUE(set->step_range(groups[1], 1, 1).ok());
  ASSERT_TRUE(set->step_range(groups[1], 3, 3).ok());
  EXPECT_EQ(result(set.get(), 0, groups[0]), "''a';'a';NULL;'c';'");
  EXPECT_EQ(result(set.get(), 0, groups[1]), "''a';'b';'a';'b';NULL;'c';'");
  EXPECT_EQ(result(set.get(), 1, groups[0]), "''a';NULL;'c';'");
  EXPECT_EQ(result(set.get(), 1, groups[1]), "''a';'b';NULL;'c';'");
  EXPECT_EQ(result(set.get(), 2, groups[0]), "''c';'");
  EXPECT_EQ(result(set.get(), 2, groups[1]), "''b';'b';'c';'");
  set->reset();
  EXPECT_EQ(result(set.get(), 1, set->create_group()), "''");
}

TEST_F(AggregateTest, OrderByStepsTheRowsOfAGroupSorted) {
  set_rows({{t("a"), i(3)}, {t("b"), n()}, {t("c"), i(1)}, {t("d"), i(3)}});
  BoundAggregate* ordered = aggregate(join_, column(0));
  OrderTerm term;
  term.expr = column(1);
  term.collation = binary_collation();
  term.descending = true;
  term.nulls_first = false;
  ordered->order_by = arena_.copy_array<OrderTerm>(std::span<const OrderTerm>(&term, 1));
  auto set = make_set({ordered}, false);
  void* group = set->create_group();
  ASSERT_TRUE(set->begin_chunk(chunk_, chunk_.selection).ok());
  ASSERT_TRUE(set->step_range(group, 0, 4).ok());
  EXPECT_EQ(result(set.get(), 0, group), "''a';'d';'c';'b';'");
}

TEST_F(AggregateTest, MaxSaysWhichRowsItChose) {
  set_rows({{i(2)}, {n()}, {i(5)}, {i(5)}, {i(4)}, {i(9)}});
  BoundAggregate* maximum = aggregate(max_, column(0));
  maximum->is_max = true;
  maximum->filter = compare(CompareOp::kLt, column(0), constant(i(9)));
  auto set = make_set({maximum}, true);
  std::vector<void*> groups(6, set->create_group());
  ASSERT_TRUE(set->begin_chunk(chunk_, chunk_.selection).ok());
  uint8_t chosen[6];
  ASSERT_TRUE(set->step_groups(groups.data(), chosen).ok());
  EXPECT_EQ(std::vector<int>(chosen, chosen + 6), (std::vector<int>{1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(result(set.get(), 0, groups[0]), "5");
}

}  // namespace
}  // namespace godwit::testing
