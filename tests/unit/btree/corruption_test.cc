// Damaged files: whatever the bytes are, every operation ends with a status and stays in bounds.
// Run this with the address sanitizer.
#include <fstream>
#include <iterator>
#include <random>

#include "test_database.h"

namespace godwit {
namespace {

std::vector<char> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::vector<char>(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

void write_file(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<ptrdiff_t>(bytes.size()));
}

struct Roots {
  PageNumber table;
  PageNumber without_rowid;
  PageNumber index;
};

Roots make_database(const std::string& path, const std::string& pragmas) {
  EXPECT_EQ(
      sqlite(path, pragmas + "CREATE TABLE t(a, b); CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;"
                             "CREATE INDEX i ON t(b);"
                             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
                             "i<400) INSERT INTO t SELECT i, printf('%d%.*c', i*7919%1000, "
                             "CASE WHEN i%10 THEN i%30 ELSE i*9 END, 'x') FROM n;"
                             "INSERT INTO w SELECT b, a FROM t; DELETE FROM t WHERE a%3=0;"
                             "DELETE FROM w WHERE v%7=0;"),
      "");
  return {root_of(path, "t"), root_of(path, "w"), root_of(path, "i")};
}

// A change here or there: header fields of a page more often than content.
void damage(std::vector<char>* bytes, size_t page_size, std::mt19937* random) {
  size_t pages = bytes->size() / page_size;
  for (size_t n = 1 + (*random)() % 4; n > 0; --n) {
    size_t page = (*random)() % pages;
    size_t range = (*random)() % 3 == 0 ? page_size : (*random)() % 2 == 0 ? 12 : 12;
    size_t offset = page * page_size + (*random)() % range;
    if (page == 0) offset = (*random)() % 2 == 0 ? 32 + (*random)() % 36 : 100 + (*random)() % 40;
    constexpr char kValues[] = {0, 1, 2, 5, 10, 13, -1, 127};
    (*bytes)[offset] =
        (*random)() % 2 == 0 ? kValues[(*random)() % 8] : static_cast<char>((*random)());
  }
}

void read_everything(Btree* btree, PageNumber root, TreeKind kind, const KeyInfo* info,
                     std::mt19937* random) {
  auto cursor = open_cursor(btree, root, kind, info);
  std::vector<uint8_t> scratch;
  ByteSpan bytes;
  Status status = cursor->first();
  for (int i = 0; status.ok() && !cursor->at_end() && i < 2000; ++i) {
    if (!cursor->complete_payload(&scratch, &bytes).ok()) break;
    status = cursor->next();
  }
  status = cursor->last();
  for (int i = 0; status.ok() && !cursor->at_end() && i < 2000; ++i) status = cursor->previous();
  std::vector<LeafEntry> entries(100);
  PageImageRef image;
  status = cursor->first();
  for (int i = 0; status.ok() && i < 200; ++i) {
    auto count = cursor->next_batch(entries.data(), 100, &image);
    if (!count.ok() || *count == 0) break;
    for (uint32_t k = 0; k < *count; ++k) {
      if (!cursor->read_overflow(entries[k], &scratch).ok()) break;
    }
  }
  for (int i = 0; i < 20; ++i) {
    int order;
    if (kind == TreeKind::kTable) {
      (void)cursor->seek_rowid(static_cast<Rowid>((*random)() % 500), &order).ok();
      (void)cursor->seek_rowid_upper(static_cast<Rowid>((*random)() % 500), true).ok();
    } else {
      std::string text = std::to_string((*random)() % 1000);
      ValueView key = ValueView::of_text(text);
      (void)cursor->seek_key({&key, 1}, &order).ok();
      (void)cursor->seek_key_lower({&key, 1}, true).ok();
      (void)cursor->seek_key_upper({&key, 1}, false).ok();
    }
  }
  (void)cursor->count().ok();
}

// Stops at the first error, as a statement would.
Status change_everything(Btree* btree, PageNumber root, TreeKind kind, const KeyInfo* info,
                         std::mt19937* random) {
  auto cursor = open_cursor(btree, root, kind, info);
  auto other = open_cursor(btree, root, kind, info);
  GW_TRY(other->first());
  for (int i = 0; i < 150; ++i) {
    int order;
    std::string text = std::to_string((*random)() % 1000);
    text.append((*random)() % 10 == 0 ? (*random)() % 3000 : (*random)() % 40, 'y');
    ValueView key = ValueView::of_text(text);
    Rowid rowid = static_cast<Rowid>((*random)() % 600);
    bool removes = (*random)() % 2 == 0;
    if (kind == TreeKind::kTable) {
      if (removes) {
        GW_TRY(cursor->seek_rowid(rowid, &order));
      } else {
        GW_TRY(cursor->insert(rowid, encode({key, key})));
      }
    } else {
      if (removes) {
        GW_TRY(cursor->seek_key({&key, 1}, &order));
      } else {
        GW_TRY(cursor->insert_key({&key, 1}, encode({key, ValueView::of(rowid)})));
      }
    }
    if (removes) GW_TRY(cursor->remove());
    if ((*random)() % 4 == 0) GW_TRY(other->next());
    if (other->at_end()) GW_TRY(other->first());
  }
  return {};
}

void run_round(const std::string& path, const Roots& roots, std::mt19937* random) {
  auto btree = open_btree(path);
  if (!btree->begin_read().ok()) return;
  KeyInfo one = key_info_of(1);
  KeyInfo two = key_info_of(2);
  std::vector<std::string> problems;
  PageNumber all[] = {roots.table, roots.without_rowid, roots.index};
  (void)btree->integrity_check(all, 100, &problems).ok();
  read_everything(btree.get(), roots.table, TreeKind::kTable, nullptr, random);
  read_everything(btree.get(), roots.without_rowid, TreeKind::kIndex, &one, random);
  read_everything(btree.get(), roots.index, TreeKind::kIndex, &two, random);
  // Each as a transaction of its own, ended as its outcome demands.
  for (int kind = 0; kind < 6; ++kind) {
    if (!btree->begin_write().ok()) return;
    Status status;
    PageNumber moved;
    switch (kind) {
      case 0:
        status = change_everything(btree.get(), roots.table, TreeKind::kTable, nullptr, random);
        break;
      case 1:
        status =
            change_everything(btree.get(), roots.without_rowid, TreeKind::kIndex, &one, random);
        break;
      case 2:
        status = change_everything(btree.get(), roots.index, TreeKind::kIndex, &two, random);
        break;
      case 3:
        status = btree->create_tree(TreeKind::kTable).take_status();
        break;
      case 4:
        status = btree->incremental_vacuum(0);
        break;
      case 5:
        status = btree->drop_tree(roots.without_rowid, &moved);
        break;
    }
    if (status.ok() && (*random)() % 2 == 0) status = btree->commit();
    if (btree->pager().is_writing()) btree->rollback();
  }
}

class CorruptionTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CorruptionTest, DamagedPagesNeverCrash) {
  ScratchDirectory directory;
  std::string path = directory.file("a.db");
  Roots roots = make_database(path, GetParam());
  const std::vector<char> sound = read_file(path);
  size_t page_size = static_cast<uint8_t>(sound[16]) << 8 | static_cast<uint8_t>(sound[17]);
  const char* rounds_wanted = std::getenv("GODWIT_CORRUPTION_ROUNDS");
  int rounds = rounds_wanted != nullptr ? std::atoi(rounds_wanted) : 12;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::mt19937 random(static_cast<uint32_t>(round));
    std::vector<char> bytes = sound;
    damage(&bytes, page_size, &random);
    write_file(path, bytes);
    run_round(path, roots, &random);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorruptionTest,
                         ::testing::Values("PRAGMA page_size=512;", "PRAGMA page_size=1024;",
                                           "PRAGMA page_size=1024; PRAGMA auto_vacuum=1;",
                                           "PRAGMA page_size=512; PRAGMA auto_vacuum=2;"));

}  // namespace
}  // namespace godwit
