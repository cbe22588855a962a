#include "tests/sim/plan.h"

#include <iterator>

namespace godwit::sim {
namespace {

template <typename T, size_t N>
T pick(Prng* prng, const T (&choices)[N]) {
  return choices[prng->below(N)];
}

}  // namespace

Plan::Plan(uint64_t seed) {
  Prng prng(seed * 2 + 1);
  static constexpr Faults kFaults[] = {Faults::kPowerCuts, Faults::kPowerCuts, Faults::kPowerCuts,
                                       Faults::kKills,     Faults::kBoth,      Faults::kIoErrors,
                                       Faults::kDiskFull};
  static constexpr const char* kModes[] = {"delete", "truncate", "persist", "wal", "wal", "wal"};
  faults = pick(&prng, kFaults);
  durable_names = prng.below(2) == 0;
  journal_mode = pick(&prng, kModes);
  changes_journal_mode = prng.below(6) == 0;
  int connections = 1 + static_cast<int>(prng.below(4));
  processes = 1 + static_cast<int>(prng.below(static_cast<uint64_t>(connections)));
  int level = static_cast<int>(prng.below(8));
  bool mixed_levels = prng.below(4) == 0;
  for (int i = 0; i < connections; ++i) {
    if (mixed_levels) level = 1 + static_cast<int>(prng.below(3));
    // 0: off once in eight; with it, a power cut may damage anything.
    synchronous.push_back(level > 3 ? 2 : level);
  }
  if (level == 0) faults = Faults::kKills;
  exclusive = connections == 1 && prng.below(4) == 0;
  page_size = pick(&prng, {512, 512, 1024, 4096});
  auto_vacuum = static_cast<int>(prng.below(3));
  cache_size = pick(&prng, {5, 20, 2000});
  autocheckpoint = pick(&prng, {1000, 40, 10, 3, 0});
  two_files = journal_mode != "wal" && prng.below(4) == 0;
  for (int l : synchronous) in_order = in_order || l == 1;
  in_order = in_order && (journal_mode != "wal" || changes_journal_mode);
  if (level == 0) two_files = false;  // nothing makes commits to several files one then
  if (two_files) changes_journal_mode = false;
  rounds = 1 + static_cast<int>(prng.below(3));
  steps = 20 + static_cast<int>(prng.below(100));
}

std::string Plan::describe() const {
  static constexpr const char* kNames[] = {"power cuts", "kills", "power cuts and kills",
                                           "I/O errors", "disk full"};
  std::string levels;
  for (int level : synchronous) levels += std::to_string(level);
  return std::string(kNames[static_cast<int>(faults)]) + ", " + journal_mode +
         (changes_journal_mode ? " and changes" : "") + ", synchronous " + levels + ", " +
         std::to_string(processes) + " processes" + (exclusive ? ", exclusive" : "") + ", page " +
         std::to_string(page_size) + ", auto_vacuum " + std::to_string(auto_vacuum) + ", cache " +
         std::to_string(cache_size) + ", autocheckpoint " + std::to_string(autocheckpoint) +
         (two_files ? ", two files" : "") + (durable_names ? ", durable names" : "");
}

}  // namespace godwit::sim
