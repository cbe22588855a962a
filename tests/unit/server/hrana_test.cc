#include "server/hrana.h"

#include <gtest/gtest.h>

namespace godwit::server {
namespace {

TEST(Pipeline, ReadsWhatTheSyncClientSends) {
  auto pipeline = parse_pipeline(
      R"({"baton":null,"requests":[{"type":"batch","batch":{"steps":[
        {"condition":null,"stmt":{"sql":"BEGIN IMMEDIATE","sql_id":null,"args":[],"named_args":[],"want_rows":false,"replication_index":null}},
        {"condition":{"type":"not","cond":{"type":"is_autocommit"}},
         "stmt":{"sql":"UPDATE t SET a = ?","args":[{"type":"integer","value":"-9223372036854775808"},
           {"type":"float","value":null},{"type":"blob","base64":"AQI"},{"type":"text","value":"A2"},{"type":"null"}]}}],
        "replication_index":null}}]})");
  ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
  EXPECT_TRUE(pipeline->has_null_baton);
  EXPECT_FALSE(pipeline->baton);
  const Batch& batch = pipeline->requests.at(0).batch;
  ASSERT_EQ(batch.steps.size(), 2u);
  EXPECT_FALSE(batch.steps[0].condition);
  EXPECT_FALSE(batch.steps[0].statement.want_rows);
  EXPECT_TRUE(batch.steps[1].statement.want_rows);
  const auto& arguments = batch.steps[1].statement.arguments;
  EXPECT_EQ(arguments[0].integer, INT64_MIN);
  EXPECT_EQ(arguments[1].kind, WireValue::kNoNumber);
  EXPECT_EQ(arguments[2].bytes, "\x01\x02");
  EXPECT_EQ(arguments[3].bytes, "A2");
  EXPECT_EQ(arguments[4].kind, WireValue::kNull);
}

TEST(Pipeline, RefusesWhatIsNotOne) {
  for (const char* text :
       {"", "[]", "{}", R"({"requests":{}})", R"({"requests":[{}]})", R"({"requests":[{"type":"execute"}]})",
        R"({"requests":[{"type":"store_sql","sql":"x"}]})",
        R"({"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":""},"condition":{"type":"ok","step":0}}]}}]})",
        R"({"requests":[{"type":"execute","stmt":{"sql":5}}]})",
        R"({"requests":[{"type":"execute","stmt":{"sql":"x","args":[{"type":"integer","value":"1x"}]}}]})"}) {
    EXPECT_FALSE(parse_pipeline(text).ok()) << text;
  }
  EXPECT_FALSE(parse_pipeline(std::string(1000000, '[')).ok());
  std::string deep = R"({"type":"is_autocommit"})";
  for (int i = 0; i < 60; ++i) deep = R"({"type":"not","cond":)" + deep + "}";
  EXPECT_FALSE(parse_pipeline(R"({"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":""},"condition":)" +
                              deep + "}]}}]}").ok());
}

TEST(Pipeline, KeepsUnknownRequestsForTheirAnswer) {
  auto pipeline = parse_pipeline(R"({"requests":[{"type":"something"}]})");
  ASSERT_TRUE(pipeline.ok());
  EXPECT_EQ(pipeline->requests[0].kind, StreamRequest::kUnknown);
}

Condition condition_of(const std::string& json) {
  auto pipeline = parse_pipeline(
      R"({"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":""}},{"stmt":{"sql":""}},{"stmt":{"sql":""}},
         {"stmt":{"sql":""},"condition":)" + json + "}]}}]}");
  EXPECT_TRUE(pipeline.ok()) << json;
  return *pipeline->requests[0].batch.steps[3].condition;
}

TEST(Condition, LooksAtStepsBefore) {
  const std::vector<StepOutcome> outcomes = {StepOutcome::kOk, StepOutcome::kError, StepOutcome::kSkipped};
  auto holds_now = [&](const std::string& json) { return holds(condition_of(json), outcomes, true); };
  EXPECT_TRUE(holds_now(R"({"type":"ok","step":0})"));
  EXPECT_FALSE(holds_now(R"({"type":"ok","step":1})"));
  EXPECT_FALSE(holds_now(R"({"type":"ok","step":2})"));
  EXPECT_TRUE(holds_now(R"({"type":"error","step":1})"));
  EXPECT_FALSE(holds_now(R"({"type":"error","step":2})"));
  EXPECT_TRUE(holds_now(R"({"type":"not","cond":{"type":"ok","step":2}})"));
  EXPECT_TRUE(holds_now(R"({"type":"and","conds":[]})"));
  EXPECT_FALSE(holds_now(R"({"type":"or","conds":[]})"));
  EXPECT_TRUE(holds_now(R"({"type":"or","conds":[{"type":"ok","step":1},{"type":"is_autocommit"}]})"));
  EXPECT_FALSE(holds(condition_of(R"({"type":"is_autocommit"})"), outcomes, false));
}

}  // namespace
}  // namespace godwit::server
