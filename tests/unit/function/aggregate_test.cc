// Aggregates: sums that overflow, lose nothing, and forget what leaves a window.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "function/registry.h"
#include "function_test_services.h"
#include "value/cast.h"

namespace godwit {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// One run of an aggregate over rows of one argument (or two); shows the result as text.
class AggregateRun {
 public:
  AggregateRun(std::string_view name, int arguments) : context_(&services_, &arena_) {
    function_ = find_builtin_function(name, arguments).aggregate;
    context_.begin_call(*function_, binary_collation());
    if (function_->init != nullptr) {
      function_->init(state_);
    } else {
      std::memset(state_, 0, sizeof(state_));
    }
  }
  ~AggregateRun() {
    if (function_->destroy != nullptr) function_->destroy(state_);
  }
  AggregateRun& step(std::initializer_list<ValueView> args) {
    function_->step(context_, state_, {args.begin(), args.size()});
    return *this;
  }
  AggregateRun& inverse(std::initializer_list<ValueView> args) {
    function_->inverse(context_, state_, {args.begin(), args.size()});
    return *this;
  }
  std::string result() {
    ValueView value;
    function_->value(context_, state_, &value);
    if (context_.failed()) return context_.take_status().message();
    return value.is_null() ? "NULL" : std::string(value_to_text(value, &arena_));
  }

 private:
  TestServices services_;
  Arena arena_;
  FunctionContext context_;
  const AggregateFunction* function_;
  alignas(16) char state_[256];
};

ValueView i(int64_t value) {
  return ValueView::of(value);
}
ValueView r(double value) {
  return ValueView::of(value);
}
ValueView t(std::string_view text) {
  return ValueView::of_text(text);
}

TEST(Sum, OfIntegersIsExactOrFails) {
  EXPECT_EQ(AggregateRun("sum", 1).result(), "NULL");
  EXPECT_EQ(AggregateRun("total", 1).result(), "0.0");
  EXPECT_EQ(AggregateRun("sum", 1).step({i(kMax)}).step({i(-1)}).result(), "9223372036854775806");
  EXPECT_EQ(AggregateRun("sum", 1).step({i(kMax)}).step({i(1)}).result(), "integer overflow");
  EXPECT_EQ(AggregateRun("sum", 1).step({i(kMax)}).step({i(1)}).step({r(0.5)}).result(),
            "9.2233720368547758e+18");
  EXPECT_EQ(AggregateRun("avg", 1).step({i(kMax)}).step({i(kMax)}).result(),
            "9.2233720368547758e+18");
}

TEST(Sum, OfRealsKeepsWhatRoundingLoses) {
  AggregateRun sum("sum", 1);
  sum.step({r(1e16)});
  for (int n = 0; n < 10; ++n) sum.step({r(1)});
  EXPECT_EQ(sum.step({r(-1e16)}).result(), "10.0");
}

TEST(Sum, TakesTextForTheNumberItStartsWith) {
  EXPECT_EQ(AggregateRun("sum", 1).step({t("3")}).step({ValueView::null()}).result(), "3");
  EXPECT_EQ(AggregateRun("sum", 1).step({t("3x")}).result(), "3.0");
}

TEST(MinMax, KeepTheFirstOfEqualValues) {
  EXPECT_EQ(AggregateRun("min", 1).step({i(1)}).step({r(1)}).step({ValueView::null()}).result(),
            "1");
  EXPECT_EQ(AggregateRun("max", 1).step({r(1)}).step({i(1)}).result(), "1.0");
  EXPECT_EQ(AggregateRun("max", 1).step({t("a")}).step({i(9)}).result(), "a");
}

TEST(GroupConcat, RemovesTheRowsThatLeaveAWindow) {
  AggregateRun concat("group_concat", 2);
  concat.step({t("a"), t("-")}).step({t("b"), t("+")}).step({t("c"), t("=")});
  EXPECT_EQ(concat.result(), "a+b=c");
  EXPECT_EQ(concat.inverse({t("a"), t("-")}).result(), "b=c");
  EXPECT_EQ(concat.inverse({t("b"), t("+")}).step({t("d"), t("")}).result(), "cd");
  EXPECT_EQ(concat.inverse({t("c"), t("=")}).inverse({t("d"), t("")}).result(), "NULL");
}

}  // namespace
}  // namespace godwit
