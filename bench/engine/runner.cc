#include "engine/runner.h"

#include <ctime>

#include <algorithm>

// What callgrind's --toggle-collect counts: a name of its own, that no optimization takes away.
extern "C" [[gnu::noinline]] uint64_t bench_engine_measured(
    const godwit::bench::Workload& workload, godwit::bench::Session& session) {
  return workload.run(session);
}

namespace godwit::bench {
namespace {

double now(bool cpu_time) {
  timespec time;
  clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Sample {
  double seconds;
  uint64_t checksum;
};

double quantile(std::vector<double>& values, double part) {
  size_t rank = static_cast<size_t>(part * static_cast<double>(values.size()));
  auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The seconds are those of one operation.
Sample run_once(const Workload& workload, Session& session, bool cpu_time) {
  session.latencies().clear();
  if (workload.prepare) workload.prepare(session);
  double start = now(cpu_time);
  uint64_t checksum = bench_engine_measured(workload, session);
  double seconds = (now(cpu_time) - start) / static_cast<double>(workload.operations);
  if (workload.quantile > 0) seconds = quantile(session.latencies(), workload.quantile);
  if (workload.verify) checksum = fold(checksum, workload.verify(session));
  session.close_scratch();
  return {seconds, checksum};
}

}  // namespace

ResultRow run_workload(const Workload& workload, Session& reference, Session& godwit,
                       const RunOptions& options) {
  ResultRow row;
  row.name = workload.name;
  std::vector<double> seconds[2];
  Session* sessions[2] = {&reference, &godwit};
  for (int round = 0; round <= options.rounds; ++round) {
    uint64_t checksums[2] = {0, 0};
    for (int turn = 0; turn < 2; ++turn) {
      // Who goes first changes, so that neither always finds the caches of the other.
      int which = (turn + round) % 2;
      try {
        Sample sample = run_once(workload, *sessions[which], options.cpu_time);
        checksums[which] = sample.checksum;
        if (round > 0) seconds[which].push_back(sample.seconds);
      } catch (const EngineError& error) {
        row.error = sessions[which]->engine().name() + ": " + error.what();
        sessions[which]->close_scratch();
        return row;
      }
    }
    if (checksums[0] != checksums[1]) {
      row.error = "the results differ";
      return row;
    }
  }
  row.reference = quantile(seconds[0], 0.5);
  row.godwit = quantile(seconds[1], 0.5);
  return row;
}

void run_alone(const Workload& workload, Session& session) {
  run_once(workload, session, false);
}

}  // namespace godwit::bench
