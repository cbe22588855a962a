// The pager in WAL mode: alone, with C SQLite processes on the same file, and after crashes.
#include <filesystem>
#include <fstream>

#include "pager/pager.h"
#include "pager_helpers.h"
#include "scratch_directory.h"

namespace godwit {
namespace {

namespace fs = std::filesystem;

class WalTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = scratch_.file("test.db");
    sqlite(path_,
           "pragma journal_mode=wal; create table t(a integer primary key, b text);"
           "with recursive n(i) as (select 1 union all select i+1 from n where i<500)"
           "insert into t select i, 'row ' || i || hex(zeroblob(50)) from n;"
           "pragma user_version=7;");
    ASSERT_FALSE(fs::exists(path_ + "-wal"));
  }
  void expect_intact() { EXPECT_EQ(sqlite(path_, "pragma integrity_check"), "ok"); }

  ScratchDirectory scratch_;
  std::string path_;
};

TEST_F(WalTest, CommitsAreSeenBySqliteAndTheLastConnectionCleansUp) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(commit_user_version(*pager, 8).ok());
  EXPECT_EQ(pager->journal_mode(), JournalMode::kWal);
  EXPECT_TRUE(fs::exists(path_ + "-wal"));
  EXPECT_TRUE(fs::exists(path_ + "-shm"));
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "8\nok");
  EXPECT_TRUE(fs::exists(path_ + "-wal"));
  pager.reset();
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
  EXPECT_FALSE(fs::exists(path_ + "-shm"));
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "8\nok");
}

TEST_F(WalTest, SharesTheFileWithALiveSqliteProcess) {
  SqliteProcess other(path_);
  EXPECT_EQ(other("pragma user_version=10"), "");
  auto pager = open_pager(path_);
  EXPECT_EQ(read_user_version(*pager), 10u);
  for (uint32_t value = 11; value < 40; value += 2) {
    ASSERT_TRUE(commit_user_version(*pager, value).ok());
    EXPECT_EQ(other("pragma user_version"), std::to_string(value));
    EXPECT_EQ(other("pragma user_version=" + std::to_string(value + 1)), "");
    EXPECT_EQ(read_user_version(*pager), value + 1);
  }
  EXPECT_EQ(other("pragma integrity_check"), "ok");
}

TEST_F(WalTest, SnapshotsAreIsolatedBothWays) {
  SqliteProcess other(path_);
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(user_version(*pager), 7u);
  EXPECT_EQ(other("pragma user_version=20"), "");
  EXPECT_EQ(other("insert into t values(1000, 'new')"), "");
  EXPECT_EQ(user_version(*pager), 7u);
  EXPECT_EQ(find_text(*pager, "row 501"), 0u);
  // A reader of an old snapshot may not write, and its writing must not wait.
  EXPECT_EQ(pager->begin_write().code(), code::kBusySnapshot);
  pager->end_read();

  EXPECT_EQ(other("begin"), "");
  EXPECT_EQ(other("pragma user_version"), "20");
  ASSERT_TRUE(commit_user_version(*pager, 21).ok());
  EXPECT_EQ(other("pragma user_version"), "20");
  EXPECT_EQ(other("commit"), "");
  EXPECT_EQ(other("pragma user_version"), "21");
}

TEST_F(WalTest, TheWriteLockExcludesOtherWriters) {
  SqliteProcess other(path_);
  auto pager = open_pager(path_);
  EXPECT_EQ(other("begin immediate"), "");
  EXPECT_EQ(pager->begin_write().code(), code::kBusy);
  EXPECT_EQ(read_user_version(*pager), 7u);
  EXPECT_EQ(other("rollback"), "");
  ASSERT_TRUE(pager->begin_write().ok());
  EXPECT_EQ(other("begin immediate"), "database is locked");
  pager->rollback();
  pager->end_read();
  EXPECT_EQ(other("begin immediate"), "");
}

TEST_F(WalTest, TwoPagersOfAProcessSeeEachOthersCommits) {
  auto one = open_pager(path_);
  auto two = open_pager(path_);
  ASSERT_TRUE(two->begin_read().ok());
  uint64_t version = two->snapshot_version();
  ASSERT_TRUE(commit_user_version(*one, 30).ok());
  EXPECT_EQ(user_version(*two), 7u);
  two->end_read();
  EXPECT_EQ(read_user_version(*two), 30u);
  EXPECT_NE(two->snapshot_version(), version);
  // The page that the writer made, not a copy read from the WAL.
  ASSERT_TRUE(one->begin_read().ok());
  ASSERT_TRUE(two->begin_read().ok());
  EXPECT_EQ(one->read(1)->data(), two->read(1)->data());
  EXPECT_EQ(one->data_version(), 1u);
  EXPECT_EQ(two->data_version(), 2u);
}

TEST_F(WalTest, RollbackForgetsEverything) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_write().ok());
  set_user_version(*pager, 31);
  ASSERT_TRUE(pager->write_fresh(pager->page_count() + 1).ok());
  pager->rollback();
  EXPECT_EQ(user_version(*pager), 7u);
  pager->end_read();
  ASSERT_TRUE(commit_user_version(*pager, 32).ok());
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "32\nok");
}

TEST_F(WalTest, TheWalIsRestartedAfterACheckpoint) {
  auto pager = open_pager(path_);
  pager->set_wal_autocheckpoint(10);
  auto reader = open_pager(path_);
  for (uint32_t value = 100; value < 200; ++value) {
    ASSERT_TRUE(commit_user_version(*pager, value).ok());
    ASSERT_EQ(read_user_version(*reader), value);
  }
  EXPECT_LT(fs::file_size(path_ + "-wal"), 16u * 4120);
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "199\nok");
}

TEST_F(WalTest, CheckpointModesDoWhatTheyPromise) {
  auto pager = open_pager(path_);
  auto reader = open_pager(path_);
  ASSERT_TRUE(commit_user_version(*pager, 40).ok());
  ASSERT_TRUE(commit_user_version(*pager, 41).ok());
  ASSERT_TRUE(reader->begin_read().ok());
  ASSERT_TRUE(commit_user_version(*pager, 42).ok());

  auto result = pager->checkpoint(CheckpointMode::kPassive);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->wal_frames, 3);
  EXPECT_EQ(result->checkpointed_frames, 2);
  EXPECT_FALSE(result->busy);
  result = pager->checkpoint(CheckpointMode::kFull);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->busy);
  EXPECT_EQ(user_version(*reader), 41u);
  reader->end_read();

  result = pager->checkpoint(CheckpointMode::kRestart);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_FALSE(result->busy);
  EXPECT_EQ(result->checkpointed_frames, 3);
  result = pager->checkpoint(CheckpointMode::kTruncate);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->wal_frames, 0);
  EXPECT_EQ(fs::file_size(path_ + "-wal"), 0u);
  EXPECT_EQ(read_user_version(*reader), 42u);
  ASSERT_TRUE(commit_user_version(*pager, 43).ok());
  EXPECT_EQ(read_user_version(*reader), 43u);
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "43\nok");
}

TEST_F(WalTest, JournalModeChangesBothWays) {
  auto pager = open_pager(path_);
  EXPECT_EQ(*pager->set_journal_mode(JournalMode::kWal), JournalMode::kWal);
  {
    SqliteProcess other(path_);
    EXPECT_EQ(other("pragma user_version"), "7");
    EXPECT_EQ(pager->set_journal_mode(JournalMode::kDelete).status().code(), code::kBusy);
    EXPECT_EQ(pager->journal_mode(), JournalMode::kWal);
  }
  EXPECT_EQ(*pager->set_journal_mode(JournalMode::kDelete), JournalMode::kDelete);
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
  EXPECT_EQ(sqlite(path_, "pragma journal_mode; pragma integrity_check"), "delete\nok");
  ASSERT_TRUE(commit_user_version(*pager, 50).ok());
  EXPECT_EQ(*pager->set_journal_mode(JournalMode::kWal), JournalMode::kWal);
  EXPECT_EQ(sqlite(path_, "pragma journal_mode; pragma user_version; pragma integrity_check"),
            "wal\n50\nok");
  ASSERT_TRUE(commit_user_version(*pager, 51).ok());
}

TEST_F(WalTest, AnEmptyFileBecomesAWalDatabase) {
  std::string path = scratch_.file("new.db");
  auto pager = open_pager(path);
  EXPECT_EQ(*pager->set_journal_mode(JournalMode::kWal), JournalMode::kWal);
  EXPECT_EQ(sqlite(path, "pragma journal_mode; pragma integrity_check; create table t(a)"),
            "wal\nok");
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(pager->page_count(), 2u);
}

TEST_F(WalTest, RecoversTheWalOfAKilledProcessUpToTheTornTail) {
  std::string copy = scratch_.file("copy.db");
  {
    SqliteProcess other(path_);
    other("pragma user_version=60");
    other("pragma user_version=61");
    fs::copy_file(path_, copy);
    fs::copy_file(path_ + "-wal", copy + "-wal");
  }
  auto size = fs::file_size(copy + "-wal");
  ASSERT_EQ(size, 32u + 2 * 4120);
  {
    auto pager = open_pager(copy);
    EXPECT_EQ(read_user_version(*pager), 61u);
    // Closing copies it into the database; the next rounds need the WAL as it was.
    fs::copy_file(copy, copy + "2");
    fs::copy_file(copy + "-wal", copy + "2-wal");
  }
  EXPECT_EQ(sqlite(copy, "pragma user_version; pragma integrity_check"), "61\nok");
  fs::resize_file(copy + "2-wal", size - 100);
  EXPECT_EQ(read_user_version(*open_pager(copy + "2")), 60u);
}

TEST_F(WalTest, ADamagedWalHeaderMeansAnEmptyWal) {
  {
    SqliteProcess other(path_);
    other("pragma user_version=62");
    fs::copy_file(path_, scratch_.file("copy.db"));
    fs::copy_file(path_ + "-wal", scratch_.file("copy.db-wal"));
  }
  std::fstream(scratch_.file("copy.db-wal"), std::ios::in | std::ios::out).write("x", 1);
  EXPECT_EQ(read_user_version(*open_pager(scratch_.file("copy.db"))), 7u);
}

TEST_F(WalTest, SqliteRecoversWhatWeWroteBeforeACrash) {
  std::string copy = scratch_.file("copy.db");
  auto pager = open_pager(path_);
  pager->set_synchronous(Synchronous::kOff);
  for (uint32_t value = 70; value < 75; ++value) {
    ASSERT_TRUE(commit_user_version(*pager, value).ok());
  }
  fs::copy_file(path_, copy);
  fs::copy_file(path_ + "-wal", copy + "-wal");
  EXPECT_EQ(sqlite(copy, "pragma user_version; pragma integrity_check"), "74\nok");
}

TEST_F(WalTest, AnIndexLongerThanOneRegionFindsEveryFrame) {
  auto pager = open_pager(path_);
  pager->set_synchronous(Synchronous::kOff);
  pager->set_wal_autocheckpoint(0);
  for (uint32_t value = 0; value < 9000; ++value) {
    ASSERT_TRUE(commit_user_version(*pager, value).ok());
  }
  EXPECT_EQ(fs::file_size(path_ + "-shm"), 3u * 32768);
  auto fresh = open_pager(path_);
  EXPECT_EQ(read_user_version(*fresh), 8999u);
  EXPECT_EQ(sqlite(path_, "pragma user_version; pragma integrity_check"), "8999\nok");
}

}  // namespace
}  // namespace godwit
