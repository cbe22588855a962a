// Changing trees: random workloads against a model, judged by our own check and by C SQLite's.
#include <algorithm>
#include <map>
#include <random>

#include "test_database.h"

namespace godwit {
namespace {

struct Workload {
  uint32_t page_size;
  size_t payload_max;
  const char* pragmas;
};

std::string random_text(std::mt19937* random, size_t size_max) {
  // Mostly small, sometimes up to the limit.
  size_t limit = (*random)() % 8 == 0 ? size_max : std::min<size_t>(size_max, 60);
  std::string text((*random)() % (limit + 1), 'x');
  for (char& c : text) c = static_cast<char>('a' + (*random)() % 26);
  return text;
}

void expect_sound(Btree* btree, std::vector<PageNumber> roots) {
  std::vector<std::string> problems;
  ASSERT_OK(btree->integrity_check(roots, 20, &problems));
  for (const std::string& problem : problems) ADD_FAILURE() << problem;
}

class TableWorkloadTest : public ::testing::TestWithParam<Workload> {};

// The text in the second column of the entry the cursor is on.
std::string text_of(Cursor* cursor) {
  std::vector<uint8_t> scratch;
  ByteSpan bytes;
  EXPECT_OK(cursor->complete_payload(&scratch, &bytes));
  RecordDecoder decoder;
  EXPECT_OK(decoder.reset(bytes));
  ValueView value;
  bool missing;
  EXPECT_OK(decoder.column(0, &value, &missing));
  return std::string(value.text());
}

void expect_table_is(Cursor* cursor, const std::map<Rowid, std::string>& model) {
  ASSERT_OK(cursor->first());
  for (const auto& [rowid, text] : model) {
    ASSERT_FALSE(cursor->at_end());
    ASSERT_EQ(cursor->rowid(), rowid);
    ASSERT_EQ(text_of(cursor), text);
    ASSERT_OK(cursor->next());
  }
  ASSERT_TRUE(cursor->at_end());
}

TEST_P(TableWorkloadTest, RandomChangesMatchTheModel) {
  const Workload& workload = GetParam();
  ScratchDirectory directory;
  std::string path = directory.file("a.db");
  ASSERT_EQ(sqlite(path, "PRAGMA page_size=" + std::to_string(workload.page_size) + ";" +
                             workload.pragmas + "CREATE TABLE t(a);"),
            "");
  PageNumber root = root_of(path, "t");
  auto btree = open_btree(path);
  ASSERT_OK(btree->begin_read());
  ASSERT_OK(btree->begin_write());
  auto cursor = open_cursor(btree.get(), root, TreeKind::kTable);
  std::map<Rowid, std::string> model;
  std::mt19937 random(workload.page_size + static_cast<uint32_t>(workload.payload_max));
  const int kSteps = 12000;
  for (int step = 0; step < kSteps; ++step) {
    // Grows in the first half, shrinks in the second.
    bool grows = random() % 10 < (step < kSteps / 2 ? 8u : 2u);
    Rowid rowid = static_cast<Rowid>(random() % 4000) - 500;
    if (grows) {
      if (random() % 4 == 0 && !model.empty()) rowid = model.rbegin()->first + 1;
      std::string text = random_text(&random, workload.payload_max);
      auto record = encode({ValueView::of_text(text)});
      ASSERT_OK(cursor->insert(rowid, record, random() % 2 == 0));
      ASSERT_EQ(cursor->rowid(), rowid);
      model[rowid] = text;
    } else if (!model.empty()) {
      auto at = model.lower_bound(rowid);
      if (at == model.end()) at = model.begin();
      int order;
      ASSERT_OK(cursor->seek_rowid(at->first, &order));
      ASSERT_EQ(order, 0);
      ASSERT_EQ(text_of(cursor.get()), at->second);
      ASSERT_OK(cursor->remove());
      at = model.erase(at);
      if (random() % 2 == 0) {
        ASSERT_OK(cursor->next());
        ASSERT_EQ(cursor->at_end(), at == model.end());
        if (at != model.end()) {
          ASSERT_EQ(cursor->rowid(), at->first);
        }
      } else {
        ASSERT_OK(cursor->previous());
        ASSERT_EQ(cursor->at_end(), at == model.begin());
        if (at != model.begin()) {
          ASSERT_EQ(cursor->rowid(), std::prev(at)->first);
        }
      }
    }
    if (step % 2000 == 1999) {
      expect_table_is(cursor.get(), model);
      expect_sound(btree.get(), {root});
      ASSERT_OK(btree->commit());
      ASSERT_EQ(
          sqlite(path, "PRAGMA integrity_check; SELECT count(*), total(rowid) FROM t;"),
          "ok\n" + std::to_string(model.size()) + "|" + [&] {
            double total = 0;
            for (const auto& entry : model) total += static_cast<double>(entry.first);
            char text[40];
            std::snprintf(text, sizeof text, "%.1f", total);
            return std::string(text);
          }());
      ASSERT_OK(btree->begin_write());
    }
  }
  while (!model.empty()) {
    int order;
    ASSERT_OK(cursor->seek_rowid(model.begin()->first, &order));
    ASSERT_OK(cursor->remove());
    model.erase(model.begin());
  }
  ASSERT_EQ(*cursor->count(), 0);
  ASSERT_OK(btree->commit());
  ASSERT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT count(*) FROM t;"), "ok\n0");
}

constexpr char kFull[] = "PRAGMA auto_vacuum=1;";
constexpr char kIncremental[] = "PRAGMA auto_vacuum=2;";

INSTANTIATE_TEST_SUITE_P(All, TableWorkloadTest,
                         ::testing::Values(Workload{512, 100, ""}, Workload{512, 3000, ""},
                                           Workload{1024, 2000, kFull}, Workload{1024, 100, kFull},
                                           Workload{4096, 200, ""}, Workload{4096, 20000, ""},
                                           Workload{512, 3000, kIncremental},
                                           Workload{65536, 70000, ""}, Workload{65536, 300, ""}));

class IndexWorkloadTest : public ::testing::TestWithParam<Workload> {};

TEST_P(IndexWorkloadTest, RandomChangesMatchTheModel) {
  const Workload& workload = GetParam();
  ScratchDirectory directory;
  std::string path = directory.file("a.db");
  ASSERT_EQ(sqlite(path, "PRAGMA page_size=" + std::to_string(workload.page_size) + ";" +
                             workload.pragmas + "CREATE TABLE t(k PRIMARY KEY, v) WITHOUT ROWID;"),
            "");
  PageNumber root = root_of(path, "t");
  auto btree = open_btree(path);
  ASSERT_OK(btree->begin_read());
  ASSERT_OK(btree->begin_write());
  KeyInfo info = key_info_of(1);
  auto cursor = open_cursor(btree.get(), root, TreeKind::kIndex, &info);
  std::map<std::string, int64_t> model;
  std::mt19937 random(workload.page_size + static_cast<uint32_t>(workload.payload_max));
  const int kSteps = 12000;
  for (int step = 0; step < kSteps; ++step) {
    bool grows = random() % 10 < (step < kSteps / 2 ? 8u : 2u);
    std::string text = random_text(&random, workload.payload_max);
    if (grows) {
      if (random() % 4 == 0 && !model.empty() && model.rbegin()->first.size() < 500) {
        text = model.rbegin()->first + "a";
      }
      if (random() % 8 == 0 && !model.empty())
        text = model.lower_bound("m") == model.end() ? text : model.lower_bound("m")->first;
      int64_t number = random();
      auto record = encode({ValueView::of_text(text), ValueView::of(number)});
      ValueView key = ValueView::of_text(text);
      ASSERT_OK(cursor->insert_key({&key, 1}, record));
      ASSERT_EQ(text_of(cursor.get()), text);
      model[text] = number;
    } else if (!model.empty()) {
      auto at = model.lower_bound(text);
      if (at == model.end()) at = model.begin();
      ValueView key = ValueView::of_text(at->first);
      int order;
      ASSERT_OK(cursor->seek_key({&key, 1}, &order));
      ASSERT_EQ(order, 0);
      ASSERT_EQ(text_of(cursor.get()), at->first);
      ASSERT_OK(cursor->remove());
      at = model.erase(at);
      if (random() % 2 == 0) {
        ASSERT_OK(cursor->next());
        ASSERT_EQ(cursor->at_end(), at == model.end());
        if (at != model.end()) {
          ASSERT_EQ(text_of(cursor.get()), at->first);
        }
      } else {
        ASSERT_OK(cursor->previous());
        ASSERT_EQ(cursor->at_end(), at == model.begin());
        if (at != model.begin()) {
          ASSERT_EQ(text_of(cursor.get()), std::prev(at)->first);
        }
      }
    }
    if (step % 2000 == 1999) {
      ASSERT_OK(cursor->first());
      for (const auto& entry : model) {
        ASSERT_FALSE(cursor->at_end());
        ASSERT_EQ(text_of(cursor.get()), entry.first);
        ASSERT_OK(cursor->next());
      }
      ASSERT_TRUE(cursor->at_end());
      expect_sound(btree.get(), {root});
      ASSERT_OK(btree->commit());
      ASSERT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT count(*) FROM t;"),
                "ok\n" + std::to_string(model.size()));
      ASSERT_OK(btree->begin_write());
    }
  }
  while (!model.empty()) {
    ASSERT_OK(cursor->first());
    ASSERT_OK(cursor->remove());
    model.erase(model.begin());
  }
  ASSERT_EQ(*cursor->count(), 0);
  ASSERT_OK(btree->commit());
  ASSERT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT count(*) FROM t;"), "ok\n0");
}

INSTANTIATE_TEST_SUITE_P(All, IndexWorkloadTest,
                         ::testing::Values(Workload{512, 60, ""}, Workload{512, 2000, ""},
                                           Workload{1024, 1500, kFull}, Workload{1024, 60, kFull},
                                           Workload{4096, 100, ""}, Workload{4096, 9000, ""},
                                           Workload{512, 2000, kIncremental},
                                           Workload{65536, 40000, ""}));

}  // namespace
}  // namespace godwit
