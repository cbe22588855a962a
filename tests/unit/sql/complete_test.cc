#include <gtest/gtest.h>

#include "sql/complete.h"

namespace godwit {
namespace {

TEST(Complete, ASemicolonEndsAStatement) {
  EXPECT_TRUE(is_complete_statement("SELECT 1;"));
  EXPECT_TRUE(is_complete_statement("SELECT 1; -- done"));
  EXPECT_TRUE(is_complete_statement(";"));
  EXPECT_FALSE(is_complete_statement(""));
  EXPECT_FALSE(is_complete_statement("SELECT 1"));
  EXPECT_FALSE(is_complete_statement("SELECT 1; x"));
}

TEST(Complete, ASemicolonInsideATokenDoesNot) {
  EXPECT_FALSE(is_complete_statement("SELECT ';"));
  EXPECT_FALSE(is_complete_statement("SELECT [a;"));
  EXPECT_FALSE(is_complete_statement("SELECT /* ;"));
  EXPECT_FALSE(is_complete_statement("SELECT 1 -- ;"));
}

TEST(Complete, ATriggerEndsAfterItsEnd) {
  EXPECT_FALSE(is_complete_statement("CREATE TRIGGER r INSERT ON t BEGIN SELECT 1;"));
  EXPECT_FALSE(is_complete_statement("CREATE TEMP TRIGGER r INSERT ON t BEGIN SELECT 1; END"));
  EXPECT_TRUE(is_complete_statement("CREATE TRIGGER r INSERT ON t BEGIN SELECT 1; END;"));
  EXPECT_TRUE(
      is_complete_statement("EXPLAIN CREATE TEMP TRIGGER r INSERT ON t BEGIN SELECT 1; END ;"));
  EXPECT_TRUE(is_complete_statement("CREATE TABLE trigger(a);"));
}

}  // namespace
}  // namespace godwit
