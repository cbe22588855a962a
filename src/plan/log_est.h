// Estimates of rows and costs as SQLite keeps them: ten times the base-2 logarithm, so that a
// product is a sum. Plans are chosen by the same scale as SQLite's, because which index or join
// order wins decides in which order rows come out where the query does not say.
#pragma once

#include <cstdint>

namespace godwit {

using LogEst = int16_t;

// The estimate of a count: 1 -> 0, 2 -> 10, 1,000,000 -> 199.
LogEst log_est(uint64_t count);
// log_est(a + b) from log_est(a) and log_est(b).
LogEst log_est_add(LogEst a, LogEst b);
// log_est(log2(n)) from log_est(n): the height of a search.
LogEst log_est_of_log(LogEst n);
double from_log_est(LogEst estimate);

}  // namespace godwit
