#include "base/status.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Status(code::kMismatch, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  GW_ASSIGN(int h, half(n));
  GW_TRY(half(h));
  return h / 2;
}

TEST(Status, TryReturnsTheFirstErrorWithItsMessage) {
  EXPECT_EQ(*quarter(8), 2);
  Result<int> bad = quarter(6);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().code(), code::kMismatch);
  EXPECT_EQ(bad.status().message(), "odd");
}

TEST(Status, FallsBackToTheStandingText) {
  EXPECT_EQ(Status(code::kBusySnapshot).message(), "database is locked");
  EXPECT_EQ(corrupt("test").message(), "database disk image is malformed");
}

}  // namespace
}  // namespace godwit
