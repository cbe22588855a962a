// Statements at and beyond SQLite's limits, with what SQLite says about them.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

constexpr const char* kTooHigh = "error 1: Expression tree is too large (maximum depth 1000)";

std::string run(std::string_view sql) {
  auto connection = Connection::open(":memory:", {});
  return run_sql(connection->get(), sql);
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string nested(std::string_view open, int depth) {
  return "SELECT " + repeat(open, depth) + "1" + repeat(")", depth);
}

TEST(LimitsTest, HeightsOfNestedQueriesAddUp) {
  EXPECT_EQ(run(nested("(SELECT ", 43)), "1");
  EXPECT_EQ(run(nested("(SELECT ", 44)), kTooHigh);
  EXPECT_EQ(run(nested("1 IN (SELECT ", 44)), kTooHigh);
  EXPECT_EQ(run(nested("1 + (SELECT ", 30)), "31");
  EXPECT_EQ(run(nested("1 + (SELECT ", 31)), kTooHigh);
}

TEST(LimitsTest, QueriesInFromNestTwoHundredTimes) {
  EXPECT_EQ(run("SELECT * FROM " + repeat("(SELECT * FROM ", 199) + "(SELECT 1" + repeat(")", 200)),
            "1");
}

TEST(LimitsTest, EqualitiesOfUsingAreOneExpression) {
  std::string columns;
  for (int i = 0; i < 1000; ++i) columns += (i > 0 ? ",1 AS c" : "1 AS c") + std::to_string(i);
  std::string query = "(SELECT " + columns + ")";
  EXPECT_EQ(run("SELECT 1 FROM " + query + " NATURAL JOIN " + query), kTooHigh);
}

TEST(LimitsTest, ChainsOfLikeCompileInLinearTime) {
  EXPECT_EQ(run("SELECT 'a'" + repeat(" LIKE 'a'", 500)), "0");
}

TEST(LimitsTest, ParametersGoUpToTheLimit) {
  EXPECT_EQ(run("SELECT ?32766"), "NULL");
  EXPECT_EQ(run("SELECT ?32767"), "error 1: variable number must be between ?1 and ?32766");
}

TEST(LimitsTest, JournalModeStaysWithinATransaction) {
  EXPECT_EQ(run("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1); PRAGMA journal_mode=off;"
                "PRAGMA journal_mode=wal; COMMIT"),
            "memory\nmemory");
}

}  // namespace
}  // namespace godwit
