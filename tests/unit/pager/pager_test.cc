// Pager over files of C SQLite in the rollback modes: what one of them writes the other reads.
#include "pager/pager.h"

#include "pager_helpers.h"
#include "scratch_directory.h"

namespace godwit {
namespace {

class PagerTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = scratch_.file("test.db");
    sqlite(path_,
           "create table t(a integer primary key, b text);"
           "with recursive n(i) as (select 1 union all select i+1 from n where i<500)"
           "insert into t select i, 'row ' || i || hex(zeroblob(50)) from n;"
           "pragma user_version=7;");
  }
  void expect_intact() { EXPECT_EQ(sqlite(path_, "pragma integrity_check"), "ok"); }

  ScratchDirectory scratch_;
  std::string path_;
};

TEST_F(PagerTest, ReadsAFileOfSqlite) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(std::to_string(pager->page_count()), sqlite(path_, "pragma page_count"));
  EXPECT_EQ(pager->page_size(), 4096u);
  EXPECT_EQ(user_version(*pager), 7u);
  EXPECT_NE(find_text(*pager, "row 499"), 0u);
  EXPECT_EQ(pager->read(0).status().code(), code::kCorrupt);
  EXPECT_EQ(pager->read(pager->page_count() + 1).status().code(), code::kCorrupt);
}

TEST_F(PagerTest, SqliteReadsWhatWasCommitted) {
  for (JournalMode mode : {JournalMode::kDelete, JournalMode::kTruncate, JournalMode::kPersist,
                           JournalMode::kMemory, JournalMode::kOff}) {
    auto pager = open_pager(path_);
    ASSERT_TRUE(pager->set_journal_mode(mode).ok());
    for (uint32_t value = 100; value < 103; ++value) {
      ASSERT_TRUE(pager->begin_write().ok());
      set_user_version(*pager, value);
      ASSERT_TRUE(pager->commit().ok());
      pager->end_read();
      EXPECT_EQ(sqlite(path_, "pragma user_version"), std::to_string(value));
    }
    expect_intact();
  }
}

TEST_F(PagerTest, SeesWhatSqliteCommitted) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(user_version(*pager), 7u);
  uint64_t version = pager->snapshot_version();
  uint32_t data_version = pager->data_version();
  EXPECT_NE(sqlite(path_, "pragma user_version=8").find("locked"), std::string::npos);
  pager->end_read();
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(pager->snapshot_version(), version);
  pager->end_read();
  EXPECT_EQ(sqlite(path_, "pragma user_version=8"), "");
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(user_version(*pager), 8u);
  EXPECT_NE(pager->snapshot_version(), version);
  EXPECT_NE(pager->data_version(), data_version);
}

TEST_F(PagerTest, CreatesADatabase) {
  std::string path = scratch_.file("new.db");
  PagerOptions options;
  options.default_page_size = 1024;
  auto pager = open_pager(path, options);
  ASSERT_TRUE(pager->begin_write().ok());
  EXPECT_EQ(pager->page_count(), 0u);
  {
    auto first = pager->write_fresh(1);
    ASSERT_TRUE(first.ok());
    make_first_page(first->data(), 1024, 0, kFormatRollback);
  }
  ASSERT_TRUE(pager->commit().ok());
  pager->end_read();
  EXPECT_EQ(sqlite(path, "pragma integrity_check; pragma page_size"), "ok\n1024");
}

TEST_F(PagerTest, RollbackRestoresPagesAndPageCount) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_write().ok());
  uint32_t count = pager->page_count();
  set_user_version(*pager, 9);
  ASSERT_TRUE(pager->write_fresh(count + 1).ok());
  ASSERT_TRUE(pager->set_page_count(count - 2).ok());
  EXPECT_EQ(pager->read(count).status().code(), code::kCorrupt);
  pager->rollback();
  EXPECT_EQ(pager->page_count(), count);
  EXPECT_EQ(user_version(*pager), 7u);
  EXPECT_TRUE(pager->read(count).ok());
  pager->end_read();
  expect_intact();
}

TEST_F(PagerTest, SavepointsNestAndUndo) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_write().ok());
  set_user_version(*pager, 10);
  pager->savepoint_open();
  set_user_version(*pager, 11);
  pager->savepoint_open();
  set_user_version(*pager, 12);
  set_user_version(*pager, 13);
  ASSERT_TRUE(pager->savepoint_rollback_to(2).ok());
  EXPECT_EQ(user_version(*pager), 11u);
  set_user_version(*pager, 14);
  pager->savepoint_release(2);
  EXPECT_EQ(user_version(*pager), 14u);
  ASSERT_TRUE(pager->savepoint_rollback_to(1).ok());
  EXPECT_EQ(user_version(*pager), 10u);
  EXPECT_EQ(pager->savepoint_depth(), 1u);
  set_user_version(*pager, 15);
  ASSERT_TRUE(pager->commit().ok());
  EXPECT_EQ(user_version(*pager), 15u);
  pager->end_read();
  EXPECT_EQ(sqlite(path_, "pragma user_version"), "15");
}

TEST_F(PagerTest, AHeldImageNeverChanges) {
  auto pager = open_pager(path_);
  ASSERT_TRUE(pager->begin_write().ok());
  set_user_version(*pager, 20);
  PageImageRef held(pager->read(1)->get()->image());
  set_user_version(*pager, 21);
  EXPECT_EQ(load_be32(held->data() + kUserVersion), 20u);
  EXPECT_EQ(user_version(*pager), 21u);
}

TEST_F(PagerTest, OnlyOneWrites) {
  auto one = open_pager(path_);
  auto two = open_pager(path_);
  ASSERT_TRUE(one->begin_write().ok());
  EXPECT_EQ(two->begin_write().code(), code::kBusy);
  EXPECT_FALSE(two->is_reading());
  ASSERT_TRUE(two->begin_read().ok());
  set_user_version(*one, 30);
  EXPECT_EQ(user_version(*two), 7u);
  // A reader keeps the committer out; the transaction stays open and can be committed later.
  EXPECT_EQ(one->commit().code(), code::kBusy);
  EXPECT_TRUE(one->is_writing());
  EXPECT_EQ(user_version(*two), 7u);
  two->end_read();
  set_user_version(*one, 31);
  EXPECT_TRUE(one->commit().ok());
  one->end_read();
  ASSERT_TRUE(two->begin_read().ok());
  EXPECT_EQ(user_version(*two), 31u);
  two->end_read();
  expect_intact();
}

TEST_F(PagerTest, BusyHandlerIsAskedUntilItGivesUp) {
  auto one = open_pager(path_);
  auto two = open_pager(path_);
  ASSERT_TRUE(one->begin_write(true).ok());
  int calls = 0;
  two->set_busy_handler({[](void* calls, int attempt) {
                           *static_cast<int*>(calls) = attempt + 1;
                           return attempt < 3;
                         },
                         &calls});
  EXPECT_EQ(two->begin_read().code(), code::kBusy);
  EXPECT_EQ(calls, 4);
}

TEST_F(PagerTest, ReadOnlyRefusesToWrite) {
  PagerOptions options;
  options.read_only = true;
  auto pager = open_pager(path_, options);
  EXPECT_TRUE(pager->is_read_only());
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(user_version(*pager), 7u);
  EXPECT_EQ(pager->begin_write().code(), code::kReadOnly);
  options.immutable = true;
  auto immutable = open_pager(path_, options);
  ASSERT_TRUE(immutable->begin_read().ok());
  EXPECT_EQ(user_version(*immutable), 7u);
}

TEST(PagerMemoryTest, InMemoryDatabaseCommitsAndRollsBack) {
  auto pager = open_pager(":memory:");
  EXPECT_TRUE(pager->is_memory());
  ASSERT_TRUE(pager->begin_write().ok());
  ASSERT_TRUE(pager->write_fresh(1).ok());
  set_user_version(*pager, 1);
  ASSERT_TRUE(pager->commit().ok());
  ASSERT_TRUE(pager->begin_write().ok());
  set_user_version(*pager, 2);
  ASSERT_TRUE(pager->write_fresh(2).ok());
  pager->rollback();
  EXPECT_EQ(pager->page_count(), 1u);
  EXPECT_EQ(user_version(*pager), 1u);
}

}  // namespace
}  // namespace godwit
