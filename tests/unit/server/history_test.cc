#include "server/history.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace godwit::server {
namespace {

class HistoryTest : public testing::Test {
 protected:
  HistoryTest() {
    folder_ = testing::TempDir() + "history_test_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/x.db";
    sqlite3_open(path_.c_str(), &db_);
  }
  ~HistoryTest() override {
    history_.reset();
    sqlite3_close(db_);
    std::filesystem::remove_all(folder_);
  }
  void sql(const char* text) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, text, nullptr, nullptr, &message), SQLITE_OK) << message;
  }
  void fill() {
    sql("CREATE TABLE t(id INTEGER PRIMARY KEY, x);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        "INSERT INTO t SELECT i, hex(zeroblob(500)) FROM n");
  }
  void open(uint64_t budget = 1 << 20) {
    history_.reset();
    auto opened = History::open(path_, {budget});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    history_ = *std::move(opened);
  }
  std::unique_ptr<History::Snapshot> snapshot() {
    auto result = history_->snapshot();
    EXPECT_TRUE(result.ok()) << result.status().message();
    return *std::move(result);
  }
  std::string page(uint64_t revision, PageNumber number) {
    auto newest = snapshot();
    std::string out;
    auto there = history_->append_pinned_page(revision, number, newest.get(), &out);
    EXPECT_TRUE(there.ok());
    return there.ok() && *there ? out : "gone";
  }

  std::string folder_, path_;
  sqlite3* db_ = nullptr;
  std::unique_ptr<History> history_;
};

TEST_F(HistoryTest, RevisionsChangeWithThePagesAndKeepTheirMeaning) {
  fill();
  open();
  auto first = snapshot();
  uint64_t revision = first->revision();
  std::string name = history_->name_of(revision);
  first.reset();
  EXPECT_EQ(snapshot()->revision(), revision);
  sql("UPDATE t SET x = 'y' WHERE id = 5");
  auto second = snapshot();
  EXPECT_EQ(second->revision(), revision + 1);
  size_t changed = history_->changed_since(revision, *second).size();
  EXPECT_GE(changed, 1u);
  EXPECT_LE(changed, 3u);
  second.reset();
  open();
  EXPECT_EQ(snapshot()->revision(), revision + 1);
  EXPECT_EQ(history_->find(name), revision);
  EXPECT_FALSE(history_->find("nobody-1"));
  EXPECT_FALSE(history_->find(name + "0"));
  EXPECT_FALSE(history_->find(""));
}

TEST_F(HistoryTest, ASecondOneOnTheSameFileIsRefused) {
  fill();
  open();
  auto second = History::open(path_, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().primary(), SQLITE_BUSY);
}

class PinTest : public HistoryTest, public testing::WithParamInterface<const char*> {};

TEST_P(PinTest, PinnedRevisionsStayReadable) {
  sql(GetParam());
  fill();
  open();
  std::vector<std::string> before;
  uint64_t revision;
  uint32_t count;
  {
    auto newest = snapshot();
    revision = newest->revision();
    count = newest->page_count();
    auto pinned = history_->pin(newest.get());
    ASSERT_TRUE(pinned.ok()) << pinned.status().message();
    ASSERT_EQ(*pinned, History::PinResult::kPinned);
    for (PageNumber n = 1; n <= count; ++n) {
      before.emplace_back();
      ASSERT_TRUE(newest->append_page(n, &before.back()).ok());
    }
  }
  for (int round = 0; round < 3; ++round) {
    sql("UPDATE t SET x = x || 'more'; DELETE FROM t WHERE id % 7 = 0; INSERT INTO t(x) VALUES (zeroblob(9000))");
    history_->keep_pins();
    if (round == 1) sql("DELETE FROM t; VACUUM");
    history_->keep_pins();
    if (round == 2) open();
    for (PageNumber n = 1; n <= count; ++n) EXPECT_EQ(page(revision, n), before[n - 1]) << round << ' ' << n;
    auto newest = snapshot();
    EXPECT_EQ(history_->pinned_page_count(revision, *newest), count);
  }
}

INSTANTIATE_TEST_SUITE_P(JournalModes, PinTest,
                         testing::Values("PRAGMA journal_mode=WAL", "PRAGMA journal_mode=DELETE"));

TEST_F(HistoryTest, TheBudgetLimitsWhatIsKept) {
  sql("PRAGMA journal_mode=WAL");
  fill();
  open(10 * 4096);
  {
    auto newest = snapshot();
    ASSERT_EQ(*history_->pin(newest.get()), History::PinResult::kPinned);
  }
  sql("UPDATE t SET x = 'z'");
  history_->keep_pins();
  EXPECT_EQ(history_->pin_count(), 0u);
  EXPECT_LE(history_->old_image_bytes(), 10u * 4096);
}

}  // namespace
}  // namespace godwit::server
