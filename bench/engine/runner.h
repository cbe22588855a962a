// Runs a workload on both engines, interleaved, and takes medians.
#pragma once

#include "engine/report.h"
#include "engine/workload.h"

namespace godwit::bench {

struct RunOptions {
  int rounds = 5;
  // Count the processor time of this process (all threads) in place of elapsed time: steadier where
  // other programs run, blind to waiting for the disk.
  bool cpu_time = false;
};

// Errors, and results that differ, end up in the row. The first round warms caches and is not
// counted.
ResultRow run_workload(const Workload& workload, Session& reference, Session& godwit,
                       const RunOptions& options);

// Runs it once on one engine and measures nothing: for profilers. Everything that is timed otherwise
// happens below a function `bench_engine_measured`.
void run_alone(const Workload& workload, Session& session);

}  // namespace godwit::bench
