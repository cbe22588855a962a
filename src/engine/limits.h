// The limits of a connection, with the numbers and the defaults of sqlite3_limit().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace godwit {

// The numbers are part of the C interface (SQLITE_LIMIT_...).
enum class Limit : int {
  kLength = 0,
  kSqlLength = 1,
  kColumn = 2,
  kExprDepth = 3,
  kCompoundSelect = 4,
  kVdbeOp = 5,
  kFunctionArg = 6,
  kAttached = 7,
  kLikePatternLength = 8,
  kVariableNumber = 9,
  kTriggerDepth = 10,
  kWorkerThreads = 11,
};

class Limits {
 public:
  static constexpr int kCount = 12;

  int64_t get(Limit limit) const { return values_[static_cast<int>(limit)]; }
  // A limit can be lowered, and raised up to its built-in maximum. Returns the value before; a
  // negative `value` changes nothing.
  int64_t set(Limit limit, int64_t value) {
    int64_t& slot = values_[static_cast<int>(limit)];
    int64_t before = slot;
    if (value >= 0) slot = std::min(value, kMaxima[static_cast<int>(limit)]);
    return before;
  }

 private:
  friend class WiderQueries;
  static constexpr std::array<int64_t, kCount> kMaxima = {
      1000000000, 1000000000, 2000, 1000, 500, 250000000, 1000, 10, 50000, 32766, 1000, 8};
  static constexpr std::array<int64_t, kCount> kDefaults = {
      1000000000, 1000000000, 2000, 1000, 500, 250000000, 1000, 10, 50000, 32766, 1000, 0};
  std::array<int64_t, kCount> values_ = kDefaults;
};

// While it lives, queries may have as many columns as the entries of an index: one more than a table.
class WiderQueries {
 public:
  explicit WiderQueries(Limits* limits) : limit_(limits->values_[kColumn]), before_(limit_) {
    limit_ = 2 * Limits::kMaxima[kColumn];
  }
  ~WiderQueries() { limit_ = before_; }
  WiderQueries(const WiderQueries&) = delete;
  WiderQueries& operator=(const WiderQueries&) = delete;

 private:
  static constexpr int kColumn = static_cast<int>(Limit::kColumn);
  int64_t& limit_;
  int64_t before_;
};

}  // namespace godwit
