// Commits across several files: what is on disk before and after the moment of commit, read by us and
// by SQLite.
#include <filesystem>

#include "pager/pager.h"
#include "pager/super_journal.h"
#include "pager_helpers.h"
#include "scratch_directory.h"

namespace godwit {
namespace {

namespace fs = std::filesystem;

class SuperJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a.db", "b.db"}) {
      sqlite(scratch_.file(name), "create table t(x); pragma user_version=1;");
    }
  }
  std::unique_ptr<Pager> change(const char* name) {
    auto pager = open_pager(scratch_.file(name));
    EXPECT_TRUE(pager->begin_write().ok());
    auto first = pager->read(1);
    EXPECT_TRUE(pager->write(*first).ok());
    store_be32(first->data() + 60, 2);  // the user version
    return pager;
  }
  // What a crash at this moment leaves of the database.
  std::string copy_of(const char* name, const std::string& to) {
    std::string from = scratch_.file(name), copy = scratch_.file(to);
    fs::copy_file(from, copy);
    if (fs::exists(from + "-journal")) fs::copy_file(from + "-journal", copy + "-journal");
    return copy;
  }

  ScratchDirectory scratch_;
};

TEST_F(SuperJournalTest, TheTransactionIsThereOnceTheSuperJournalIsGone) {
  auto a = change("a.db");
  auto b = change("b.db");
  std::string journals[] = {a->journal_path(), b->journal_path()};
  auto super = SuperJournal::create(default_vfs(), scratch_.file("a.db"), journals);
  ASSERT_TRUE(super.ok());
  ASSERT_TRUE(a->takes_super_journal());
  ASSERT_TRUE(a->prepare_commit(super->path()).ok());
  ASSERT_TRUE(b->prepare_commit(super->path()).ok());
  std::string ours = copy_of("a.db", "before1.db"), theirs = copy_of("b.db", "before2.db");
  EXPECT_EQ(read_user_version(*open_pager(ours)), 1u);
  EXPECT_EQ(sqlite(theirs, "pragma user_version; pragma integrity_check"), "1\nok");
  ASSERT_TRUE(super->remove(true).ok());
  ours = copy_of("a.db", "after1.db");
  theirs = copy_of("b.db", "after2.db");
  EXPECT_EQ(read_user_version(*open_pager(ours)), 2u);
  EXPECT_EQ(sqlite(theirs, "pragma user_version; pragma integrity_check"), "2\nok");
  EXPECT_TRUE(a->commit().ok());
  EXPECT_TRUE(b->commit().ok());
  a->end_read();
  EXPECT_FALSE(fs::exists(a->journal_path()));
  EXPECT_EQ(sqlite(scratch_.file("a.db"), "pragma user_version"), "2");
}

TEST_F(SuperJournalTest, ACancelledCommitLeavesTheTransactionOpen) {
  auto a = change("a.db");
  std::string journals[] = {a->journal_path()};
  auto super = SuperJournal::create(default_vfs(), scratch_.file("a.db"), journals);
  ASSERT_TRUE(a->prepare_commit(super->path()).ok());
  ASSERT_TRUE(a->cancel_commit().ok());
  ASSERT_TRUE(super->remove(false).ok());
  EXPECT_EQ(sqlite(copy_of("a.db", "cancelled.db"), "pragma user_version"), "1");
  ASSERT_TRUE(a->commit().ok());
  a->end_read();
  EXPECT_EQ(sqlite(scratch_.file("a.db"), "pragma user_version; pragma integrity_check"),
            "2\nok");
}

}  // namespace
}  // namespace godwit
