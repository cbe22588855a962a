// Rows of json_each() and json_tree(), JSON aggregates, and the cache of parsed texts.
#include <gtest/gtest.h>

#include <string>

#include "function/json/json_cache.h"
#include "function/json/json_walk.h"
#include "function/registry.h"
#include "function_test_services.h"
#include "value/cast.h"

namespace godwit {
namespace {

std::string show(const ValueView& value) {
  Arena arena;
  return value.is_null() ? "NULL" : std::string(value_to_text(value, &arena));
}

// key|value|id|parent|fullkey|path, a line a row.
std::string rows(std::string_view json, std::string_view path, bool recursive) {
  JsonDocument document;
  if (!JsonCache::of_thread().parse(json, nullptr, &document)) return "malformed";
  JsonWalk walk;
  JsonLookup found = walk.begin(document.jsonb, path, recursive);
  if (found == JsonLookup::kBadPath) return "bad path";
  std::string text;
  while (!walk.at_end()) {
    ValueView key;
    EXPECT_EQ(walk.key(&key), JsonError::kNone);
    JsonBuffer value;
    EXPECT_EQ(render_json(walk.element(), &value), JsonError::kNone);
    text += show(key) + "|" + std::string(value.text()) + "|" + std::to_string(walk.id()) + "|";
    text += walk.has_parent() ? std::to_string(walk.parent()) : "NULL";
    text += "|" + std::string(walk.fullkey()) + "|" + std::string(walk.path()) + "\n";
    EXPECT_TRUE(walk.next());
  }
  return text;
}

TEST(JsonWalkTest, EachShowsTheItemsOfOneElement) {
  EXPECT_EQ(rows(R"({"a":1,"b":[1,2],"e f":"x"})", "$", false),
            "a|1|2|NULL|$.a|$\n"
            "b|[1,2]|6|NULL|$.b|$\n"
            "e f|\"x\"|13|NULL|$.\"e f\"|$\n");
  EXPECT_EQ(rows(R"({"a":{"b":[1,2]}})", "$.a.b[1]", false), "NULL|2|9|NULL|$.a.b[1]|$.a.b[1]\n");
  EXPECT_EQ(rows(R"({"a":{"b":[1]}})", "$.a.b", false), "0|1|7|NULL|$.a.b[0]|$.a.b\n");
  EXPECT_EQ(rows("5", "$", false), "NULL|5|0|NULL|$|$\n");
  EXPECT_EQ(rows("[]", "$", false), "");
  EXPECT_EQ(rows("[1]", "$.x", false), "");
  EXPECT_EQ(rows("[1]", "x", false), "bad path");
}

TEST(JsonWalkTest, TreeShowsParentsBeforeTheirItems) {
  EXPECT_EQ(rows(R"({"a":1,"b":{"c":[5]}})", "$", true),
            "NULL|{\"a\":1,\"b\":{\"c\":[5]}}|0|NULL|$|$\n"
            "a|1|2|0|$.a|$\n"
            "b|{\"c\":[5]}|6|0|$.b|$\n"
            "c|[5]|9|6|$.b.c|$.b\n"
            "0|5|12|9|$.b.c[0]|$.b.c\n");
  EXPECT_EQ(rows(R"({"a":{"b":[1,2]}})", "$.a", true),
            "a|{\"b\":[1,2]}|1|NULL|$.a|$\n"
            "b|[1,2]|4|1|$.a.b|$.a\n"
            "0|1|7|4|$.a.b[0]|$.a.b\n"
            "1|2|9|4|$.a.b[1]|$.a.b\n");
  EXPECT_EQ(rows("[]", "$", true), "NULL|[]|0|NULL|$|$\n");
}

TEST(JsonWalkTest, TheRootOfATreeKnowsItsParentOnlyIfItIsAFirstItem) {
  EXPECT_EQ(rows(R"({"a":{"b":[1,2]}})", "$.a.b[0]", true), "0|1|7|NULL|$.a.b[0]|$.a.b\n");
  EXPECT_EQ(rows(R"({"a":{"b":[1,2]}})", "$.a.b[1]", true), "a.b[1]|2|9|NULL|$.a.b[1]|$\n");
  EXPECT_EQ(rows(R"({"a.b":{"c[d":1}})", R"($."a.b"."c[d")", true),
            "c[d|1|6|NULL|$.\"a.b\".\"c[d\"|$.\"a.b\"\n");
}

TEST(JsonWalkTest, NamesAreQuotedUnlessTheyAreLettersAndDigits) {
  EXPECT_EQ(rows(R"({"a\"b":1,"c\u0041d":2,"":3,"1":4,"x1":5,"_":8})", "$", false),
            "a\"b|1|2|NULL|$.\"a\\\"b\"|$\n"
            "cAd|2|9|NULL|$.\"c\\u0041d\"|$\n"
            "|3|20|NULL|$.\"\"|$\n"
            "1|4|23|NULL|$.\"1\"|$\n"
            "x1|5|27|NULL|$.x1|$\n"
            "_|8|32|NULL|$.\"_\"|$\n");
}

// One run of an aggregate.
class AggregateRun {
 public:
  AggregateRun(std::string_view name, int arguments) : context_(&services_, &arena_) {
    function_ = find_builtin_function(name, arguments).aggregate;
    context_.begin_call(*function_, binary_collation());
    function_->init(state_);
  }
  ~AggregateRun() { function_->destroy(state_); }
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
    return show(value);
  }

 private:
  TestServices services_;
  Arena arena_;
  FunctionContext context_;
  const AggregateFunction* function_;
  alignas(16) char state_[256];
};

ValueView t(std::string_view text) {
  return ValueView::of_text(text);
}
ValueView i(int64_t value) {
  return ValueView::of(value);
}

TEST(JsonAggregateTest, GroupsBecomeArraysAndObjects) {
  EXPECT_EQ(AggregateRun("json_group_array", 1).result(), "[]");
  EXPECT_EQ(AggregateRun("json_group_object", 2).result(), "{}");
  ValueView json = t("[1]");
  json.subtype = 'J';
  EXPECT_EQ(AggregateRun("json_group_array", 1).step({i(1)}).step({t("[1]")}).step({json}).result(),
            R"([1,"[1]",[1]])");
  EXPECT_EQ(AggregateRun("json_group_object", 2)
                .step({t("a\""), i(1)})
                .step({ValueView::null(), i(2)})
                .step({i(3), ValueView::null()})
                .result(),
            R"({"a\"":1,"3":null})");
  EXPECT_EQ(AggregateRun("json_group_array", 1).step({ValueView::of_blob("\xff")}).result(),
            "JSON cannot hold BLOB values");
}

TEST(JsonAggregateTest, ItemsLeaveAMovingFrame) {
  AggregateRun run("json_group_array", 1);
  run.step({t("a,b")}).step({i(2)}).step({i(3)});
  EXPECT_EQ(run.inverse({t("a,b")}).result(), "[2,3]");
  EXPECT_EQ(run.step({i(4)}).inverse({i(2)}).result(), "[3,4]");
  EXPECT_EQ(run.inverse({i(3)}).inverse({i(4)}).result(), "[]");
  EXPECT_EQ(run.step({i(5)}).result(), "[5]");
}

TEST(JsonCacheTest, ATextIsParsedOnce) {
  JsonCache cache;
  int site = 0;
  JsonDocument document;
  EXPECT_TRUE(cache.parse("[1,2]", &site, &document));
  EXPECT_TRUE(cache.parse("[1,2]", &site, &document));
  EXPECT_EQ(cache.parse_count(), 1u);
  EXPECT_EQ(document.jsonb.size(), 5u);
  EXPECT_FALSE(cache.parse("[1,2", &site, &document));
  EXPECT_FALSE(cache.parse("[1,2", &site, &document));
  EXPECT_EQ(cache.parse_count(), 3u);
}

TEST(JsonCacheTest, ASecondCallOverAChunkOfRowsFindsTheirDocuments) {
  JsonCache cache;
  int sites[2] = {};
  JsonDocument document;
  std::string first = "[0]";
  for (int& site : sites) EXPECT_TRUE(cache.parse(first, &site, &document));
  EXPECT_EQ(cache.parse_count(), 1u);
  for (int& site : sites) {
    for (int row = 1; row <= 500; ++row) {
      EXPECT_TRUE(cache.parse("[" + std::to_string(row) + "]", &site, &document));
    }
  }
  // But for those that share a slot.
  EXPECT_LT(cache.parse_count(), 700u);
}

}  // namespace
}  // namespace godwit
