#include "plan/log_est.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace godwit {

LogEst log_est(uint64_t count) {
  if (count < 2) return 0;
  // Ten times the logarithm of 8/8, 9/8, ... 15/8.
  static constexpr uint8_t kEighths[] = {0, 2, 3, 5, 6, 7, 8, 9};
  int exponent = std::bit_width(count) - 1;
  uint64_t eighths = exponent >= 3 ? count >> (exponent - 3) : count << (3 - exponent);
  return static_cast<LogEst>(exponent * 10 + kEighths[eighths & 7]);
}

LogEst log_est_add(LogEst a, LogEst b) {
  // Ten times log2(1 + 2^(-d/10)).
  static constexpr uint8_t kGain[] = {10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4,
                                      4,  4,  4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2};
  LogEst high = std::max(a, b);
  int difference = high - std::min(a, b);
  if (difference > 49) return high;
  if (difference > 31) return static_cast<LogEst>(high + 1);
  return static_cast<LogEst>(high + kGain[difference]);
}

LogEst log_est_of_log(LogEst n) {
  return n <= 10 ? LogEst{0} : static_cast<LogEst>(log_est(static_cast<uint64_t>(n)) - 33);
}

double from_log_est(LogEst estimate) { return std::exp2(estimate / 10.0); }

}  // namespace godwit
