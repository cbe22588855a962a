// Checkpoints by the thread of the process: that they come, and that nobody is in their way or they in
// anybody's.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "pager/checkpoint_worker.h"
#include "pager/pager.h"
#include "pager/wal_format.h"
#include "pager_helpers.h"
#include "scratch_directory.h"

namespace godwit {
namespace {

namespace fs = std::filesystem;

class CheckpointWorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = scratch_.file("test.db");
    sqlite(path_, "pragma journal_mode=wal; create table t(a); pragma user_version=7;");
  }
  std::unique_ptr<Pager> open() {
    auto pager = open_pager(path_);
    pager->set_wal_autocheckpoint(100);
    pager->set_synchronous(Synchronous::kNormal);
    // Connections that open the shared memory at the same time are in each other's way.
    pager->set_busy_handler({[](void*, int attempt) {
                               std::this_thread::sleep_for(std::chrono::milliseconds(1));
                               return attempt < 5000;
                             },
                             nullptr});
    return pager;
  }
  static void commit_many(Pager& pager, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) ASSERT_TRUE(commit_user_version(pager, i).ok());
  }
  // What was there when the worker was asked; of what came later nothing is promised.
  static bool gets_copied(Pager& pager) {
    for (int i = 0; i < 500; ++i) {
      CheckpointResult progress = pager.wal_progress();
      const bool started_anew = progress.wal_frames < 100;
      if (started_anew || progress.checkpointed_frames >= 100) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  ScratchDirectory scratch_;
  std::string path_;
};

TEST_F(CheckpointWorkerTest, ALongWalIsCopiedAndStartsAnew) {
  auto pager = open();
  commit_many(*pager, 250);
  EXPECT_TRUE(gets_copied(*pager));
  uint32_t frames = pager->wal_frames();
  for (int i = 0; i < 500 && pager->wal_frames() >= frames; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    commit_many(*pager, 1);
  }
  EXPECT_EQ(pager->wal_frames(), 1u);
  EXPECT_EQ(sqlite(path_, "pragma integrity_check"), "ok");
}

TEST_F(CheckpointWorkerTest, CommitsWithoutAPauseDoNotLetTheWalGrowForever) {
  auto pager = open();
  uint32_t longest = 0;
  for (uint32_t i = 0; i < 4000; ++i) {
    ASSERT_TRUE(commit_user_version(*pager, i).ok());
    longest = std::max(longest, pager->wal_frames());
  }
  EXPECT_LE(longest, 700u);
}

TEST_F(CheckpointWorkerTest, TheLastConnectionCleansUpInTheMidstOfTheWork) {
  for (int round = 0; round < 20; ++round) {
    auto pager = open();
    commit_many(*pager, 101 + static_cast<uint32_t>(round) * 7);
    pager.reset();
    EXPECT_FALSE(fs::exists(path_ + "-wal"));
    EXPECT_FALSE(fs::exists(path_ + "-shm"));
  }
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "233\nok");
}

TEST_F(CheckpointWorkerTest, WalModeCanBeLeftInTheMidstOfTheWork) {
  auto pager = open();
  commit_many(*pager, 150);
  auto mode = pager->set_journal_mode(JournalMode::kDelete);
  ASSERT_TRUE(mode.ok()) << mode.status().message();
  EXPECT_EQ(*mode, JournalMode::kDelete);
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
}

TEST_F(CheckpointWorkerTest, ACheckpointThatIsAskedForDoesNotMeetTheWorker) {
  auto pager = open();
  commit_many(*pager, 150);
  auto result = pager->checkpoint(CheckpointMode::kTruncate);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_FALSE(result->busy);
  EXPECT_EQ(fs::file_size(path_ + "-wal"), 0u);
}

TEST_F(CheckpointWorkerTest, TurnedOffTheCommitCopies) {
  auto pager = open();
  pager->set_background_checkpoint(false);
  for (uint32_t i = 0; pager->wal_frames() < 100; ++i) {
    ASSERT_TRUE(commit_user_version(*pager, i).ok());
  }
  EXPECT_EQ(pager->wal_progress().checkpointed_frames, pager->wal_progress().wal_frames);
}

TEST_F(CheckpointWorkerTest, AForkedChildHasAWorkerOfItsOwn) {
  auto pager = open();
  commit_many(*pager, 150);
  pid_t child = fork();
  if (child == 0) {
    auto own = open();
    commit_many(*own, 150);
    bool copied = gets_copied(*own);
    own.reset();
    _exit(copied && !testing::Test::HasFailure() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  commit_many(*pager, 150);
  EXPECT_TRUE(gets_copied(*pager));
}

TEST_F(CheckpointWorkerTest, SqliteMayCommitAndCheckpointMeanwhile) {
  SqliteProcess other(path_);
  auto pager = open();
  for (uint32_t round = 0; round < 30; ++round) {
    commit_many(*pager, 40);
    EXPECT_EQ(other("insert into t values(1)"), "");
    if (round % 7 == 6) other("pragma wal_checkpoint");
  }
  EXPECT_EQ(other("select count(*) from t"), "30");
  EXPECT_EQ(other("pragma integrity_check"), "ok");
}

TEST_F(CheckpointWorkerTest, ThreadsReadAndWriteBesideIt) {
  std::atomic<bool> done = false;
  std::thread readers[2];
  for (std::thread& reader : readers) {
    reader = std::thread([&] {
      auto own = open();
      uint32_t last = 0;
      while (!done) {
        uint32_t value = read_user_version(*own);
        EXPECT_GE(value, last);
        last = value;
      }
    });
  }
  auto pager = open();
  for (uint32_t i = 8; i < 2000; ++i) ASSERT_TRUE(commit_user_version(*pager, i).ok());
  done = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(WalChecksum, APageInPartsGivesWhatOneChainGives) {
  std::vector<uint8_t> bytes(65536);
  uint32_t state = 1;
  for (uint8_t& b : bytes) b = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  for (bool swap : {false, true}) {
    for (size_t size : {8, 24, 256, 264, 512, 4096, 65536}) {
      WalChecksum chain{3, 4};
      for (size_t at = 0; at < size; at += 8) chain = wal_checksum(chain, &bytes[at], 8, swap);
      EXPECT_EQ(wal_checksum({3, 4}, bytes.data(), size, swap), chain) << size;
    }
  }
}

}  // namespace
}  // namespace godwit
