#include "engine/runner.h"

#include <ctime>

#include <algorithm>

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

Sample run_once(const Workload& workload, Session& session, bool cpu_time) {
  if (workload.prepare) workload.prepare(session);
  double start = now(cpu_time);
  uint64_t checksum = workload.run(session);
  double seconds = now(cpu_time) - start;
  if (workload.verify) checksum = fold(checksum, workload.verify(session));
  session.close_scratch();
  return {seconds, checksum};
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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
  row.reference = median(seconds[0]) / static_cast<double>(workload.operations);
  row.godwit = median(seconds[1]) / static_cast<double>(workload.operations);
  return row;
}

}  // namespace godwit::bench
