// Files and locks: what holds for real files and for those in memory.
#include "os/vfs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "os/memory/memory_vfs.h"

namespace godwit {
namespace {

enum class Kind { kPosix, kMemory };

class VfsTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "godwit-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    vfs_ = GetParam() == Kind::kPosix ? default_vfs() : &memory_;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::unique_ptr<File> open(bool create = true) {
    OpenOptions options;
    options.create = create;
    auto file = vfs_->open(directory_ + "/file", options);
    return file.ok() ? std::move(*file) : nullptr;
  }

  MemoryVfs memory_;
  Vfs* vfs_ = nullptr;
  std::string directory_;
};

TEST_P(VfsTest, ReadsWhatWasWrittenAndStopsAtTheEnd) {
  auto file = open();
  std::vector<uint8_t> a(3000, 1), b(2000, 2);
  ByteSpan pieces[] = {a, b};
  ASSERT_TRUE(file->write_vectored(100, pieces).ok());
  EXPECT_EQ(*file->size(), 5100u);
  std::vector<uint8_t> out(4096);
  EXPECT_EQ(*file->read(3090, out), 2010u);
  EXPECT_EQ(out[9], 1);
  EXPECT_EQ(out[10], 2);
  EXPECT_EQ(*file->read(6000, out), 0u);
  ASSERT_TRUE(file->truncate(50).ok());
  EXPECT_EQ(*file->size(), 50u);
}

TEST_P(VfsTest, ManyPiecesAreWrittenWhole) {
  auto file = open();
  std::vector<uint8_t> bytes(3000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  std::vector<ByteSpan> pieces;
  for (size_t i = 0; i < bytes.size(); i += 3) pieces.push_back(ByteSpan(bytes).subspan(i, 3));
  ASSERT_TRUE(file->write_vectored(0, pieces).ok());
  std::vector<uint8_t> out(bytes.size());
  EXPECT_EQ(*file->read(0, out), bytes.size());
  EXPECT_EQ(out, bytes);
}

TEST_P(VfsTest, MissingFilesAreErrors) {
  EXPECT_EQ(open(false), nullptr);
  EXPECT_FALSE(*vfs_->exists(directory_ + "/file"));
  EXPECT_EQ(vfs_->remove(directory_ + "/file", false).code(), code::kIoErrDeleteNoEnt);
}

TEST_P(VfsTest, ReadersExcludeTheExclusiveLockOnly) {
  auto a = open(), b = open(), c = open();
  EXPECT_EQ(a->identity(), b->identity());
  ASSERT_TRUE(a->lock(LockLevel::kShared).ok());
  ASSERT_TRUE(b->lock(LockLevel::kShared).ok());
  EXPECT_FALSE(*b->is_reserved());
  ASSERT_TRUE(a->lock(LockLevel::kReserved).ok());
  EXPECT_TRUE(*b->is_reserved());
  EXPECT_EQ(b->lock(LockLevel::kReserved).code(), code::kBusy);
  ASSERT_TRUE(c->lock(LockLevel::kShared).ok());
  ASSERT_TRUE(c->unlock(LockLevel::kNone).ok());

  // The waiting writer keeps new readers out, and gets the lock when the last old one is gone.
  EXPECT_EQ(a->lock(LockLevel::kExclusive).code(), code::kBusy);
  EXPECT_EQ(a->lock_level(), LockLevel::kPending);
  EXPECT_EQ(c->lock(LockLevel::kShared).code(), code::kBusy);
  ASSERT_TRUE(b->unlock(LockLevel::kNone).ok());
  ASSERT_TRUE(a->lock(LockLevel::kExclusive).ok());
  EXPECT_EQ(c->lock(LockLevel::kShared).code(), code::kBusy);
  ASSERT_TRUE(a->unlock(LockLevel::kShared).ok());
  ASSERT_TRUE(c->lock(LockLevel::kShared).ok());
}

TEST_P(VfsTest, AFailedExclusiveLockWithoutReservedLeavesNothing) {
  auto a = open(), b = open();
  ASSERT_TRUE(a->lock(LockLevel::kShared).ok());
  ASSERT_TRUE(b->lock(LockLevel::kShared).ok());
  EXPECT_EQ(a->lock(LockLevel::kExclusive).code(), code::kBusy);
  EXPECT_EQ(a->lock_level(), LockLevel::kShared);
  auto c = open();
  EXPECT_TRUE(c->lock(LockLevel::kShared).ok());
}

TEST_P(VfsTest, LocksSurviveTheClosingOfAnotherHandle) {
  auto a = open(), b = open();
  ASSERT_TRUE(a->lock(LockLevel::kShared).ok());
  ASSERT_TRUE(a->lock(LockLevel::kReserved).ok());
  open().reset();
  EXPECT_TRUE(*b->is_reserved());
}

TEST_P(VfsTest, SharedMemoryIsSharedAndItsLocksExclude) {
  auto a = open(), b = open();
  EXPECT_EQ(*a->shm_map(0, false), nullptr);
  volatile uint8_t* mine = *a->shm_map(1, true);
  volatile uint8_t* yours = *b->shm_map(1, false);
  ASSERT_NE(mine, nullptr);
  ASSERT_NE(yours, nullptr);
  mine[17] = 5;
  EXPECT_EQ(yours[17], 5);
  ASSERT_TRUE(a->shm_lock(3, 2, ShmLockMode::kShared).ok());
  ASSERT_TRUE(b->shm_lock(4, 1, ShmLockMode::kShared).ok());
  EXPECT_EQ(b->shm_lock(3, 1, ShmLockMode::kExclusive).code(), code::kBusy);
  a->shm_unlock(3, 1);
  EXPECT_TRUE(b->shm_lock(3, 1, ShmLockMode::kExclusive).ok());
  EXPECT_EQ(a->shm_lock(3, 1, ShmLockMode::kShared).code(), code::kBusy);
  b->shm_unmap(false);
  EXPECT_TRUE(a->shm_lock(3, 1, ShmLockMode::kShared).ok());
  // Nobody has it open any more: what was in it is gone.
  a->shm_unmap(false);
  EXPECT_EQ((*b->shm_map(1, true))[17], 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, VfsTest, testing::Values(Kind::kPosix, Kind::kMemory),
                         [](const auto& info) {
                           return info.param == Kind::kPosix ? "posix" : "memory";
                         });

TEST(PosixVfsTest, ADirectoryIsNoDatabase) {
  EXPECT_EQ(default_vfs()->open("/tmp", {}).status().code(), code::kCantOpen);
}

TEST(PosixVfsTest, FullPathFollowsLinksToFilesThatDoNotExistYet) {
  std::string name = (std::filesystem::temp_directory_path() / "godwit-XXXXXX").string();
  std::string directory = std::filesystem::canonical(mkdtemp(name.data())).string();
  std::filesystem::create_symlink("target.db", directory + "/link.db");
  EXPECT_EQ(*default_vfs()->full_path(directory + "/link.db"), directory + "/target.db");
  EXPECT_EQ(*default_vfs()->full_path(directory + "/./x.db"), directory + "/x.db");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace godwit
