// Transactions larger than the cache: random changes, savepoints, commits and rollbacks against a model.
#include <map>

#include "base/prng.h"
#include "os/memory/memory_vfs.h"
#include "pager/heap_shared_memory.h"
#include "pager/pager.h"
#include "pager_helpers.h"
#include "scratch_directory.h"

namespace godwit {
namespace {

constexpr int kCachePages = 16;

// What each page holds: all its bytes are one number.
struct Model {
  std::map<PageNumber, uint32_t> pages;
  uint32_t page_count = 0;
};

// Temporary files of it fill up now and then.
class FullDiskVfs : public MemoryVfs {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, const OpenOptions& options) override {
    auto file = MemoryVfs::open(path, options);
    if (!path.empty() || !file.ok()) return file;
    return std::unique_ptr<File>(new FullFile(std::move(*file), &prng));
  }
  Prng prng{3};

 private:
  class FullFile : public HeapSharedMemory {
   public:
    FullFile(std::unique_ptr<File> file, Prng* prng)
        : HeapSharedMemory({}), file_(std::move(file)), prng_(prng) {}
    Result<size_t> read(uint64_t offset, MutableByteSpan out) override { return file_->read(offset, out); }
    Status write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) override {
      if (prng_->below(60) == 0) return Status(code::kFull);
      return file_->write_vectored(offset, pieces);
    }

   private:
    std::unique_ptr<File> file_;
    Prng* prng_;
  };
};

class SpillTest : public testing::TestWithParam<const char*> {
 protected:
  void open() {
    std::string mode = GetParam();
    if (mode == "temporary") {
      auto opened = Pager::open(default_vfs(), "", PagerOptions{});
      ASSERT_TRUE(opened.ok());
      pager_ = std::move(*opened);
      ASSERT_TRUE(pager_->begin_write().ok());
      ASSERT_TRUE(pager_->write_fresh(1).ok());
      ASSERT_TRUE(pager_->commit().ok());
      pager_->end_read();
    } else {
      path_ = scratch_.file("test.db");
      sqlite(path_, "pragma journal_mode=" + mode + "; pragma user_version=7;");
      pager_ = open_pager(path_);
    }
    pager_->set_cache_size(kCachePages);
  }

  uint32_t load(Pager* pager, PageNumber number) {
    auto page = pager->read(number);
    if (!page.ok()) return UINT32_MAX;
    uint32_t value = load_be32(page->data());
    return load_be32(page->data() + pager->page_size() - 4) == value ? value : UINT32_MAX;
  }

  void expect_state(Pager* pager, const Model& model) {
    ASSERT_EQ(pager->page_count(), model.page_count);
    for (auto [number, value] : model.pages) ASSERT_EQ(load(pager, number), value) << number;
  }

  void store(const PageRef& page, uint32_t value) {
    for (uint32_t at = 0; at < pager_->page_size(); at += 4) store_be32(page.data() + at, value);
  }

  void change(Prng* prng, Model* model) {
    uint32_t value = static_cast<uint32_t>(prng->below(1000000000));
    uint64_t kind = prng->below(10);
    if (kind < 3 || model->page_count < 3) {
      PageNumber number = model->page_count + 1;
      auto page = pager_->write_fresh(number);
      ASSERT_TRUE(page.ok());
      store(*page, value);
      model->pages[number] = value;
      model->page_count = number;
    } else if (kind < 9) {
      PageNumber number = 2 + static_cast<PageNumber>(prng->below(model->page_count - 1));
      auto page = kind == 8 ? pager_->write_fresh(number) : pager_->read(number);
      ASSERT_TRUE(page.ok());
      if (kind != 8) {
        ASSERT_EQ(load_be32(page->data()), model->pages[number]);
        ASSERT_TRUE(pager_->write(*page).ok());
      }
      store(*page, value);
      model->pages[number] = value;
    } else if (prng->below(8) == 0) {
      uint32_t count = 2 + static_cast<uint32_t>(prng->below(model->page_count - 1));
      ASSERT_TRUE(pager_->set_page_count(count).ok());
      model->page_count = count;
      model->pages.erase(model->pages.upper_bound(count), model->pages.end());
    }
  }

  void run_transaction(Prng* prng, Model* model) {
    ASSERT_TRUE(pager_->begin_write().ok());
    Model current = *model;
    std::vector<Model> savepoints;
    // A page that stays pinned must show what the transaction has made of it, whatever is undone.
    PageRef pinned;
    for (uint64_t i = 0, n = 50 + prng->below(400); i < n; ++i) {
      uint64_t kind = prng->below(40);
      if (kind == 0 && savepoints.size() < 4) {
        pager_->savepoint_open();
        savepoints.push_back(current);
      } else if (kind == 1 && !savepoints.empty()) {
        uint32_t depth = 1 + static_cast<uint32_t>(prng->below(savepoints.size()));
        ASSERT_TRUE(pager_->savepoint_rollback_to(depth).ok());
        current = savepoints[depth - 1];
        savepoints.resize(depth);
        if (pinned && pinned->number() != 0 && current.pages.count(pinned->number()) != 0) {
          ASSERT_EQ(load_be32(pinned.data()), current.pages[pinned->number()]);
        }
      } else if (kind == 2 && !savepoints.empty()) {
        uint32_t depth = 1 + static_cast<uint32_t>(prng->below(savepoints.size()));
        pager_->savepoint_release(depth);
        savepoints.resize(depth - 1);
      } else if (kind == 3 && current.page_count > 1) {
        auto page = pager_->read(2 + static_cast<PageNumber>(prng->below(current.page_count - 1)));
        ASSERT_TRUE(page.ok());
        pinned = *page;
      } else {
        change(prng, &current);
      }
      if (HasFatalFailure()) return;
    }
    expect_state(pager_.get(), current);
    if (prng->below(3) == 0) {
      pager_->rollback();
    } else {
      ASSERT_TRUE(pager_->commit().ok());
      *model = current;
    }
    pinned = {};
    expect_state(pager_.get(), *model);
    pager_->end_read();
  }

  ScratchDirectory scratch_;
  std::string path_;
  std::unique_ptr<Pager> pager_;
};

TEST_P(SpillTest, LargeTransactionsChangeWhatTheyShould) {
  open();
  Prng prng(42);
  Model model;
  model.page_count = 1;
  for (int round = 0; round < 60 && !HasFatalFailure(); ++round) {
    run_transaction(&prng, &model);
    if (path_.empty() || round % 10 != 0) continue;
    auto other = open_pager(path_);
    ASSERT_TRUE(other->begin_read().ok());
    expect_state(other.get(), model);
  }
  EXPECT_GT(pager_->figures().spills, 1000u);
}

TEST_P(SpillTest, MemoryStaysInProportionToTheCache) {
  open();
  ASSERT_TRUE(pager_->begin_write().ok());
  for (uint32_t number = 2; number < 3000; ++number) {
    auto page = pager_->write_fresh(number);
    ASSERT_TRUE(page.ok());
    store(*page, number);
  }
  EXPECT_LE(pager_->cached_pages(), 2u * kCachePages);
  ASSERT_TRUE(pager_->commit().ok());
  for (uint32_t number = 2; number < 3000; number += 7) ASSERT_EQ(load(pager_.get(), number), number);
  pager_->end_read();
}

// A change that fails for want of room is given up with its transaction.
TEST(SpillFullDiskTest, ARollbackAfterAFullDiskRestoresEverything) {
  for (uint64_t seed = 1; seed < 40; ++seed) {
    FullDiskVfs vfs;
    auto opened = Pager::open(&vfs, "/m.db", PagerOptions{});
    ASSERT_TRUE(opened.ok());
    Pager& pager = **opened;
    Prng prng(seed);
    vfs.prng.reseed(seed);
    pager.set_cache_size(kCachePages);
    std::map<PageNumber, uint32_t> committed;
    for (int round = 0; round < 30; ++round) {
      ASSERT_TRUE(pager.begin_write().ok());
      std::map<PageNumber, uint32_t> current = committed;
      bool failed = false;
      PageRef pinned;
      for (int i = 0; i < 150 && !failed; ++i) {
        PageNumber count = pager.page_count();
        bool extends = count < 40 || prng.below(10) == 0;
        PageNumber number = extends ? count + 1 : 2 + static_cast<PageNumber>(prng.below(count - 1));
        if (prng.below(30) == 0) pager.savepoint_open();
        auto page = extends || prng.below(6) == 0 ? pager.write_fresh(number) : pager.read(number);
        failed = !page.ok() || !pager.write(*page).ok();
        if (failed) break;
        uint32_t value = static_cast<uint32_t>(prng.below(1000000));
        if (number == 1) make_first_page(page->data(), pager.page_size(), 0, 1);
        if (number != 1) store_be32(page->data() + 200, value);
        if (number != 1) current[number] = value;
        if (prng.below(10) == 0) pinned = *page;
      }
      if (!failed && prng.below(2) == 0 && pager.commit().ok()) {
        committed = current;
      } else {
        pager.rollback();
      }
      pinned = {};
      pager.end_read();
      ASSERT_TRUE(pager.begin_read().ok());
      for (auto [number, value] : committed) {
        auto page = pager.read(number);
        ASSERT_TRUE(page.ok()) << number;
        ASSERT_EQ(load_be32(page->data() + 200), value) << "seed " << seed << " page " << number;
      }
      pager.end_read();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SpillTest,
                         testing::Values("delete", "truncate", "persist", "wal", "temporary"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace godwit
