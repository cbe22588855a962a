// Rollback journals of transactions that died, of both sides; and files that are not databases.
#include <filesystem>
#include <fstream>
#include <thread>

#include "pager/pager.h"
#include "pager_helpers.h"
#include "scratch_directory.h"

namespace godwit {
namespace {

namespace fs = std::filesystem;

class RecoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = scratch_.file("test.db");
    sqlite(path_,
           "create table t(a integer primary key, b text);"
           "with recursive n(i) as (select 1 union all select i+1 from n where i<2000)"
           "insert into t select i, 'row ' || i || hex(zeroblob(50)) from n;"
           "pragma user_version=7;");
  }
  void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  int begin_read_code(const std::string& path) {
    auto pager = Pager::open(default_vfs(), path, {});
    return pager.ok() ? (*pager)->begin_read().code() : pager.status().code();
  }

  ScratchDirectory scratch_;
  std::string path_;
};

TEST_F(RecoveryTest, RollsBackAHotJournalOfSqlite) {
  // A small cache makes it spill: changed pages are in the file, the journal has segments.
  std::string copy = scratch_.file("copy.db");
  {
    SqliteProcess other(path_);
    other("pragma cache_size=5");
    other("begin");
    other("update t set b='changed ' || a || hex(zeroblob(50))");
    other("delete from t where a > 1000");
    fs::copy_file(path_, copy);
    fs::copy_file(path_ + "-journal", copy + "-journal");
  }
  ASSERT_NE(run("cmp " + copy + " " + path_), "");
  auto pager = open_pager(copy);
  EXPECT_EQ(read_user_version(*pager), 7u);
  EXPECT_FALSE(fs::exists(copy + "-journal"));
  EXPECT_EQ(run("cmp " + copy + " " + path_), "");
}

TEST_F(RecoveryTest, SqliteRollsBackOurHotJournal) {
  std::string before = scratch_.file("before.db");
  fs::copy_file(path_, before);
  std::string copy = scratch_.file("copy.db");
  auto writer = open_pager(path_);
  auto reader = open_pager(path_);
  ASSERT_TRUE(reader->begin_read().ok());
  ASSERT_TRUE(writer->begin_write().ok());
  uint32_t count = writer->page_count();
  for (PageNumber n = 2; n <= count - 3; ++n) {
    auto page = writer->read(n);
    ASSERT_TRUE(writer->write(*page).ok());
    std::memset(page->data() + 100, 0x55, 1000);
  }
  ASSERT_TRUE(writer->set_page_count(count - 3).ok());
  ASSERT_TRUE(writer->write_fresh(count - 2).ok());
  // The reader stops the commit after its journal is complete: as if it had died there, with some
  // pages in the file already.
  EXPECT_EQ(writer->commit().code(), code::kBusy);
  fs::copy_file(path_, copy);
  fs::copy_file(path_ + "-journal", copy + "-journal");
  fs::resize_file(copy, 4096 * 3);
  {
    std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.write("overwritten", 11);
  }
  fs::copy_file(copy, copy + "2");
  fs::copy_file(copy + "-journal", copy + "2-journal");
  EXPECT_EQ(sqlite(copy, "pragma integrity_check; pragma user_version"), "ok\n7");
  EXPECT_EQ(run("cmp " + copy + " " + before), "");
  EXPECT_EQ(read_user_version(*open_pager(copy + "2")), 7u);
  EXPECT_EQ(run("cmp " + copy + "2 " + before), "");
  writer->rollback();
  writer->end_read();
  reader->end_read();
  EXPECT_FALSE(fs::exists(path_ + "-journal"));
  EXPECT_EQ(run("cmp " + path_ + " " + before), "");
}

TEST_F(RecoveryTest, AJournalOfATransactionOverSeveralFilesFollowsItsSuperJournal) {
  std::string copy = scratch_.file("copy.db");
  {
    SqliteProcess other(path_);
    other("pragma cache_size=5");
    other("begin");
    other("update t set b='changed ' || a || hex(zeroblob(50))");
    fs::copy_file(path_, copy);
    fs::copy_file(path_ + "-journal", copy + "-journal");
  }
  std::string super = scratch_.file("super");
  {
    std::ofstream journal(copy + "-journal", std::ios::binary | std::ios::app);
    std::string trailer(4, '\0');
    trailer += super;
    uint8_t numbers[16];
    uint32_t sum = 0;
    for (char c : super) sum += static_cast<uint8_t>(c);
    store_be32(numbers, static_cast<uint32_t>(super.size()));
    store_be32(numbers + 4, sum);
    const uint8_t magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    std::memcpy(numbers + 8, magic, 8);
    journal << trailer << std::string(reinterpret_cast<char*>(numbers), 16);
  }
  fs::copy_file(copy, copy + "2");
  fs::copy_file(copy + "-journal", copy + "2-journal");
  // The super-journal is gone: the transaction was committed everywhere.
  ASSERT_EQ(begin_read_code(copy + "2"), code::kOk);
  EXPECT_FALSE(fs::exists(copy + "2-journal"));
  EXPECT_NE(run("cmp " + copy + "2 " + path_), "");
  // It exists: it was not. Nobody else needs it, so it goes too.
  write_bytes(super, copy + "-journal" + std::string(1, '\0'));
  EXPECT_EQ(read_user_version(*open_pager(copy)), 7u);
  EXPECT_EQ(run("cmp " + copy + " " + path_), "");
  EXPECT_FALSE(fs::exists(super));
}

TEST_F(RecoveryTest, AReadOnlyConnectionCannotRollBack) {
  fs::copy_file(path_, scratch_.file("copy.db"));
  write_bytes(scratch_.file("copy.db-journal"),
              std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) + std::string(1000, '\1'));
  PagerOptions options;
  options.read_only = true;
  auto pager = open_pager(scratch_.file("copy.db"), options);
  EXPECT_EQ(pager->begin_read().code(), code::kReadOnlyRollback);
}

TEST_F(RecoveryTest, FilesThatAreNoDatabasesAreRefused) {
  std::string path = scratch_.file("x");
  std::string good;
  {
    std::ifstream file(path_, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto with = [&](size_t offset, const std::string& bytes) {
    std::string changed = good;
    changed.replace(offset, bytes.size(), bytes);
    return changed;
  };
  write_bytes(path, "hello");
  EXPECT_EQ(begin_read_code(path), code::kNotADb);
  write_bytes(path, std::string(5000, 'x'));
  EXPECT_EQ(begin_read_code(path), code::kNotADb);
  write_bytes(path, with(16, std::string("\x0f\xff", 2)));  // page size
  EXPECT_EQ(begin_read_code(path), code::kNotADb);
  write_bytes(path, with(21, "\x41"));  // payload fraction
  EXPECT_EQ(begin_read_code(path), code::kNotADb);
  write_bytes(path, with(19, "\x03"));  // read version
  EXPECT_EQ(begin_read_code(path), code::kNotADb);
  write_bytes(path, good.substr(0, good.size() - 4096));
  EXPECT_EQ(begin_read_code(path), code::kCorrupt);
  write_bytes(path, good.substr(0, 99));
  EXPECT_EQ(begin_read_code(path), code::kCorrupt);
  // The page count is not valid any more, and one page is what there is.
  write_bytes(path, good.substr(0, 60));
  EXPECT_EQ(begin_read_code(path), code::kOk);
  write_bytes(path, "");
  EXPECT_EQ(begin_read_code(path), code::kOk);
  EXPECT_EQ(begin_read_code("/tmp"), code::kCantOpen);
  EXPECT_EQ(begin_read_code(scratch_.file("missing/x")), code::kCantOpen);
  write_bytes(path, with(18, "\x03"));  // write version: may be read
  auto pager = open_pager(path);
  ASSERT_TRUE(pager->begin_read().ok());
  EXPECT_EQ(pager->begin_write().code(), code::kReadOnly);
}

// Whatever the bytes are: an error or a success, never a crash, and an error leaves no lock.
TEST_F(RecoveryTest, GarbageInEachFileIsSurvived) {
  uint32_t seed = 12345;
  auto random = [&] { return seed = seed * 1664525 + 1013904223, seed >> 8; };
  std::string copy = scratch_.file("copy.db");
  {
    SqliteProcess other(path_);
    other("pragma journal_mode=wal");
    for (int i = 0; i < 20; ++i) other("update t set b='x' where a=" + std::to_string(i * 50));
    fs::copy_file(path_, copy + "0");
    fs::copy_file(path_ + "-wal", copy + "0-wal");
  }
  for (int round = 0; round < 60; ++round) {
    fs::copy_file(copy + "0", copy, fs::copy_options::overwrite_existing);
    fs::remove(copy + "-journal");
    fs::copy_file(copy + "0-wal", copy + "-wal", fs::copy_options::overwrite_existing);
    std::string victim = copy + (round % 3 == 0 ? "" : "-wal");
    if (round % 3 == 2) {
      std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
      for (int i = 0; i < 3000; ++i) journal += static_cast<char>(random() % 4 == 0 ? random() : 0);
      write_bytes(copy + "-journal", journal);
    }
    std::fstream file(victim, std::ios::in | std::ios::out | std::ios::binary);
    for (int i = 0; i < 5; ++i) {
      file.seekp(static_cast<std::streamoff>(random() % (i < 3 ? 100 : 20000)));
      file.put(static_cast<char>(random()));
    }
    file.close();
    if (round % 5 == 0) fs::resize_file(victim, random() % 30000);
    auto pager = open_pager(copy);
    if (pager->begin_read().ok()) {
      for (PageNumber n = 1; n <= std::min(pager->page_count(), 200u); ++n) (void)pager->read(n);
      (void)commit_user_version(*pager, 99);
    }
    pager.reset();
    EXPECT_EQ(sqlite(copy, "begin exclusive").find("locked"), std::string::npos);
  }
}

// Threads with a connection each: no commit is lost, and no reader sees half of one.
TEST_F(RecoveryTest, ConnectionsOfSeveralThreadsShareAFile) {
  for (bool wal : {true, false}) {
    JournalMode mode = wal ? JournalMode::kWal : JournalMode::kDelete;
    ASSERT_TRUE(open_pager(path_)->set_journal_mode(mode).ok());
    auto work = [&](int rounds) {
      auto pager = open_pager(path_);
      pager->set_synchronous(Synchronous::kOff);
      pager->set_wal_autocheckpoint(20);
      pager->set_busy_handler({[](void*, int attempt) {
                                 default_vfs()->sleep_us(100);
                                 return attempt < 100000;
                               },
                               nullptr});
      for (int i = 0; i < rounds; ++i) {
        Status status = pager->begin_write();
        ASSERT_TRUE(status.ok()) << status.message() << status.code();
        uint32_t value = user_version(*pager);
        auto second = pager->read(2);
        ASSERT_TRUE(second.ok());
        ASSERT_EQ(load_be32(second->data() + 2000), value);
        set_user_version(*pager, value + 1);
        ASSERT_TRUE(pager->write(*second).ok());
        store_be32(second->data() + 2000, value + 1);
        *second = PageRef();
        status = pager->commit();
        ASSERT_TRUE(status.ok()) << status.message() << status.code();
        pager->end_read();
        ASSERT_TRUE(pager->begin_read().ok());
        ASSERT_EQ(load_be32(pager->read(2)->data() + 2000), user_version(*pager));
        pager->end_read();
      }
    };
    auto pager = open_pager(path_);
    ASSERT_TRUE(pager->begin_write().ok());
    auto second = pager->read(2);
    ASSERT_TRUE(pager->write(*second).ok());
    store_be32(second->data() + 2000, user_version(*pager));
    uint32_t before = user_version(*pager);
    *second = PageRef();
    ASSERT_TRUE(pager->commit().ok());
    pager->end_read();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(work, 100);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(read_user_version(*pager), before + 300);
  }
}

}  // namespace
}  // namespace godwit
