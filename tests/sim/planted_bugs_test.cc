// Whether the simulator is worth anything: with each fault that is planted into the simulated machine
// it must find a run that goes wrong, and without any, none. A removed sync, journal and database
// written in the wrong order, a directory that is not synced, checksums that nobody tests.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "pager/read_mark_lock.h"
#include "tests/sim/simulation.h"

namespace godwit::sim {
namespace {

constexpr uint64_t kSeedsMax = 400;

class PlantedBugs : public ::testing::Test {
 protected:
  void SetUp() override {
    ReadMarkLock::TEST_release_only_when_asked();
    options_.folder = "/tmp/godwit-sim-" + std::to_string(getpid());
    // Reference SQLite finds nothing here that Godwit does not, and takes half of the time.
    options_.reference = false;
  }
  void TearDown() override { std::filesystem::remove_all(options_.folder); }

  // The first seed that fails; 0: none did.
  uint64_t first_failure(Bug bug, uint64_t seeds) {
    options_.bug = bug;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      if (!Simulation(seed, options_).run().failure.empty()) return seed;
    }
    return 0;
  }

  Options options_;
};

TEST_F(PlantedBugs, NoneWithoutBug) { EXPECT_EQ(first_failure(Bug::kNone, 40), 0u); }
TEST_F(PlantedBugs, JournalIsNotSynced) { EXPECT_NE(first_failure(Bug::kNoJournalSync, kSeedsMax), 0u); }
TEST_F(PlantedBugs, DatabaseIsNotSynced) { EXPECT_NE(first_failure(Bug::kNoDatabaseSync, kSeedsMax), 0u); }
TEST_F(PlantedBugs, WalIsNotSynced) { EXPECT_NE(first_failure(Bug::kNoWalSync, kSeedsMax), 0u); }
TEST_F(PlantedBugs, DirectoryIsNotSynced) {
  EXPECT_NE(first_failure(Bug::kNoDirectorySync, kSeedsMax), 0u);
}
TEST_F(PlantedBugs, JournalIsWrittenAfterTheDatabase) {
  EXPECT_NE(first_failure(Bug::kJournalAfterDatabase, kSeedsMax), 0u);
}
TEST_F(PlantedBugs, ChecksumsOfTheWalAreNotTested) {
  EXPECT_NE(first_failure(Bug::kNoWalChecksum, kSeedsMax), 0u);
}

// What a run does depends on its seed alone.
TEST_F(PlantedBugs, SameSeedSameRun) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Outcome first = Simulation(seed, options_).run();
    Outcome second = Simulation(seed, options_).run();
    EXPECT_EQ(first.calls, second.calls) << seed;
    EXPECT_EQ(first.commits, second.commits) << seed;
  }
}

}  // namespace
}  // namespace godwit::sim
