// Creating and dropping trees, new databases, vacuum, and cursors whose tree changes under them.
#include <algorithm>
#include <random>

#include "test_database.h"

namespace godwit {
namespace {

std::string text_of_size(size_t size, int64_t salt) {
  std::string text(size, 'a');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>('a' + (static_cast<size_t>(salt) * 31 + i * 7) % 26);
  }
  return text;
}

struct TreeTest : ::testing::Test {
  void open(uint32_t page_size, AutoVacuum mode, TextEncoding encoding = TextEncoding::kUtf8) {
    path = directory.file("a.db");
    btree = open_btree(path, page_size);
    ASSERT_OK(btree->begin_read());
    ASSERT_OK(btree->set_auto_vacuum(mode));
    ASSERT_OK(btree->set_encoding(encoding));
    ASSERT_OK(btree->begin_write());
  }
  // A table "t<number>" that C SQLite knows, too.
  PageNumber create_table(int number) {
    auto root = btree->create_tree(TreeKind::kTable);
    EXPECT_OK(root);
    std::string name = "t" + std::to_string(number);
    std::string sql = "CREATE TABLE " + name + "(a)";
    auto schema = open_cursor(btree.get(), 1, TreeKind::kTable);
    EXPECT_OK(schema->insert(
        number,
        encode({ValueView::of_text("table"), ValueView::of_text(name), ValueView::of_text(name),
                ValueView::of(static_cast<int64_t>(*root)), ValueView::of_text(sql)},
               btree->encoding())));
    EXPECT_OK(btree->set_meta(MetaField::kSchemaFormat, 4));
    return *root;
  }
  void fill(PageNumber root, int rows, size_t size) {
    auto cursor = open_cursor(btree.get(), root, TreeKind::kTable);
    for (int i = 1; i <= rows; ++i) {
      std::string text = text_of_size(size, i);
      ASSERT_OK(cursor->insert(i, encode({ValueView::of_text(text)}, btree->encoding()), true));
    }
  }
  void expect_sound(std::vector<PageNumber> roots) {
    std::vector<std::string> problems;
    ASSERT_OK(btree->integrity_check(roots, 20, &problems));
    for (const std::string& problem : problems) ADD_FAILURE() << problem;
  }
  ScratchDirectory directory;
  std::string path;
  std::unique_ptr<Btree> btree;
};

TEST_F(TreeTest, NewDatabasesAreValidForSqlite) {
  for (uint32_t page_size : {512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u}) {
    for (AutoVacuum mode : {AutoVacuum::kNone, AutoVacuum::kFull, AutoVacuum::kIncremental}) {
      for (TextEncoding encoding :
           {TextEncoding::kUtf8, TextEncoding::kUtf16le, TextEncoding::kUtf16be}) {
        open(page_size, mode, encoding);
        PageNumber root = create_table(1);
        fill(root, 300, 40);
        expect_sound({root});
        ASSERT_OK(btree->commit());
        const char* encodings[] = {"", "UTF-8", "UTF-16le", "UTF-16be"};
        EXPECT_EQ(
            sqlite(path,
                   "PRAGMA integrity_check; PRAGMA page_size; PRAGMA auto_vacuum; "
                   "PRAGMA encoding; SELECT count(*) FROM t1; SELECT a FROM t1 WHERE rowid=11;"),
            "ok\n" + std::to_string(page_size) + "\n" + std::to_string(static_cast<int>(mode)) +
                "\n" + encodings[static_cast<int>(encoding)] + "\n300\n" + text_of_size(40, 11));
        btree.reset();
        std::filesystem::remove(path);
      }
    }
  }
}

TEST_F(TreeTest, RootsOfAutoVacuumDatabasesStayInFront) {
  open(512, AutoVacuum::kFull);
  std::vector<PageNumber> roots;
  roots.push_back(create_table(1));
  fill(roots[0], 200, 700);  // makes data pages follow, which the next roots evict
  for (int i = 2; i <= 5; ++i) {
    roots.push_back(create_table(i));
    fill(roots.back(), 50, 100);
  }
  EXPECT_EQ(roots, (std::vector<PageNumber>{3, 4, 5, 6, 7}));
  expect_sound(roots);
  // Dropping root 4 moves the largest root, 7, there.
  PageNumber moved_from;
  ASSERT_OK(btree->drop_tree(4, &moved_from));
  EXPECT_EQ(moved_from, 7u);
  expect_sound({3, 4, 5, 6});
  ASSERT_OK(btree->drop_tree(6, &moved_from));
  EXPECT_EQ(moved_from, 0u);
  auto schema = open_cursor(btree.get(), 1, TreeKind::kTable);
  int order;
  for (Rowid gone : {2, 4}) {
    ASSERT_OK(schema->seek_rowid(gone, &order));
    ASSERT_EQ(order, 0);
    ASSERT_OK(schema->remove());
  }
  ASSERT_OK(schema->insert(
      5, encode({ValueView::of_text("table"), ValueView::of_text("t5"), ValueView::of_text("t5"),
                 ValueView::of(int64_t{4}), ValueView::of_text("CREATE TABLE t5(a)")})));
  ASSERT_OK(btree->commit());
  expect_sound({3, 4, 5});
  EXPECT_EQ(*btree->meta(MetaField::kFreePageCount), 0u);
  EXPECT_EQ(*btree->meta(MetaField::kLargestRootPage), 5u);
  EXPECT_EQ(sqlite(path,
                   "PRAGMA integrity_check; SELECT count(*) FROM t1; SELECT count(*) FROM t5;"
                   "SELECT count(*) FROM t3;"),
            "ok\n200\n50\n50");
  EXPECT_EQ(std::filesystem::file_size(path), 512u * btree->pager().page_count());
}

TEST_F(TreeTest, AutoVacuumShrinksTheFileAtCommit) {
  open(1024, AutoVacuum::kFull);
  PageNumber root = create_table(1);
  PageNumber other = create_table(2);
  fill(root, 1000, 2000);
  fill(other, 1000, 2000);
  ASSERT_OK(btree->commit());
  uint32_t pages_before = btree->pager().page_count();
  ASSERT_OK(btree->begin_write());
  int64_t removed;
  ASSERT_OK(btree->clear_tree(root, &removed));
  EXPECT_EQ(removed, 1000);
  ASSERT_OK(btree->commit());
  EXPECT_LT(btree->pager().page_count(), pages_before * 6 / 10);
  EXPECT_EQ(*btree->meta(MetaField::kFreePageCount), 0u);
  expect_sound({root, other});
  EXPECT_EQ(sqlite(path,
                   "PRAGMA integrity_check; PRAGMA freelist_count; SELECT count(*) FROM t1; "
                   "SELECT count(*), sum(length(a)) FROM t2;"),
            "ok\n0\n0\n1000|2000000");
}

TEST_F(TreeTest, IncrementalVacuumFreesAsManyPagesAsAsked) {
  open(1024, AutoVacuum::kIncremental);
  PageNumber root = create_table(1);
  PageNumber other = create_table(2);
  fill(root, 300, 2000);
  fill(other, 300, 2000);
  ASSERT_OK(btree->clear_tree(root, nullptr));
  ASSERT_OK(btree->commit());
  uint32_t free_pages = *btree->meta(MetaField::kFreePageCount);
  EXPECT_GT(free_pages, 500u);
  ASSERT_OK(btree->begin_write());
  ASSERT_OK(btree->incremental_vacuum(10));
  ASSERT_OK(btree->commit());
  EXPECT_EQ(*btree->meta(MetaField::kFreePageCount), free_pages - 10);
  expect_sound({root, other});
  EXPECT_EQ(sqlite(path, "PRAGMA integrity_check"), "ok");
  ASSERT_OK(btree->begin_write());
  ASSERT_OK(btree->incremental_vacuum(0));
  ASSERT_OK(btree->commit());
  EXPECT_EQ(*btree->meta(MetaField::kFreePageCount), 0u);
  expect_sound({root, other});
  EXPECT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT count(*), sum(length(a)) FROM t2;"),
            "ok\n300|600000");
}

TEST_F(TreeTest, FreedPagesAreUsedAgain) {
  open(1024, AutoVacuum::kNone);
  PageNumber root = create_table(1);
  fill(root, 2000, 1500);
  uint32_t pages = btree->pager().page_count();
  ASSERT_OK(btree->clear_tree(root, nullptr));
  expect_sound({root});
  EXPECT_EQ(btree->pager().page_count(), pages);
  fill(root, 2000, 1500);
  EXPECT_EQ(btree->pager().page_count(), pages);
  expect_sound({root});
  ASSERT_OK(btree->commit());
  EXPECT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT count(*) FROM t1;"), "ok\n2000");
}

TEST_F(TreeTest, OtherCursorsKeepTheirPlace) {
  open(512, AutoVacuum::kNone);
  PageNumber root = create_table(1);
  auto writer = open_cursor(btree.get(), root, TreeKind::kTable);
  for (Rowid i = 2; i <= 4000; i += 2) {
    ASSERT_OK(writer->insert(i, encode({ValueView::of(i)}), true));
  }
  auto reader = open_cursor(btree.get(), root, TreeKind::kTable);
  ASSERT_OK(reader->first());
  // Before each step of the reader, the row it is on gets neighbours, or vanishes.
  Rowid expected = 2;
  while (expected <= 4000) {
    ASSERT_FALSE(reader->at_end());
    ASSERT_EQ(reader->rowid(), expected);
    int order;
    if (expected % 4 == 0) {
      ASSERT_OK(writer->seek_rowid(expected, &order));
      ASSERT_EQ(order, 0);
      ASSERT_OK(writer->remove());
      bool moved;
      ASSERT_OK(reader->restore(&moved));
      EXPECT_TRUE(moved);
    } else {
      ASSERT_OK(writer->insert(expected - 1, encode({ValueView::of(expected)})));
      bool moved;
      ASSERT_OK(reader->restore(&moved));
      EXPECT_FALSE(moved);
      PayloadView view;
      ASSERT_OK(reader->payload(&view));
      EXPECT_TRUE(view.is_complete());
      EXPECT_GT(view.size, 0u);
    }
    ASSERT_OK(reader->next());
    expected += 2;
  }
  EXPECT_TRUE(reader->at_end());
  EXPECT_EQ(*writer->count(), 2000);
}

TEST_F(TreeTest, BatchReadersGoOnAfterTheTreeChanged) {
  open(512, AutoVacuum::kNone);
  PageNumber root = create_table(1);
  auto writer = open_cursor(btree.get(), root, TreeKind::kTable);
  for (Rowid i = 1; i <= 3000; ++i) {
    ASSERT_OK(writer->insert(i * 2, encode({ValueView::of(i)}), true));
  }
  auto reader = open_cursor(btree.get(), root, TreeKind::kTable);
  std::vector<LeafEntry> entries(7);
  PageImageRef image;
  Rowid last = 0;
  int seen = 0;
  ASSERT_OK(reader->first());
  for (;;) {
    auto count = reader->next_batch(entries.data(), 7, &image);
    ASSERT_OK(count);
    if (*count == 0) break;
    // What was handed out is deleted, and rows appear before the place of the reader.
    for (uint32_t i = 0; i < *count; ++i) {
      ASSERT_GT(entries[i].rowid, last);
      last = entries[i].rowid;
      ++seen;
      int order;
      ASSERT_OK(writer->seek_rowid(last, &order));
      ASSERT_EQ(order, 0);
      ASSERT_OK(writer->remove());
      ASSERT_OK(writer->insert(last - 1, encode({ValueView::of(last)})));
    }
  }
  EXPECT_EQ(seen, 3000);
  EXPECT_EQ(last, 6000);
  EXPECT_EQ(*writer->count(), 3000);
}

TEST_F(TreeTest, RowsDeletedWhileScannedAreEachSeenOnce) {
  open(512, AutoVacuum::kNone);
  PageNumber root = create_table(1);
  KeyInfo info = key_info_of(1);
  PageNumber index_root = *btree->create_tree(TreeKind::kIndex);
  auto table = open_cursor(btree.get(), root, TreeKind::kTable);
  auto index = open_cursor(btree.get(), index_root, TreeKind::kIndex, &info);
  for (int64_t i = 1; i <= 3000; ++i) {
    ASSERT_OK(table->insert(i, encode({ValueView::of(i)}), true));
    ValueView key = ValueView::of(i * 7919 % 3001);
    ASSERT_OK(index->insert_key({&key, 1}, encode({key})));
  }
  EXPECT_EQ(*index->count(), 3000);
  int seen = 0;
  ASSERT_OK(table->first());
  for (; !table->at_end(); ++seen) {
    ASSERT_EQ(table->rowid(), seen + 1);
    ASSERT_OK(table->remove());
    ASSERT_OK(table->next());
  }
  EXPECT_EQ(seen, 3000);
  seen = 0;
  ASSERT_OK(index->last());
  for (; !index->at_end(); ++seen) {
    ASSERT_OK(index->remove());
    ASSERT_OK(index->previous());
  }
  EXPECT_EQ(seen, 3000);
  PageNumber unused;
  ASSERT_OK(btree->drop_tree(index_root, &unused));
  expect_sound({root});
}

TEST_F(TreeTest, SavepointsRestoreTreesUnderOpenCursors) {
  open(1024, AutoVacuum::kFull);
  PageNumber root = create_table(1);
  fill(root, 500, 300);
  auto cursor = open_cursor(btree.get(), root, TreeKind::kTable);
  int order;
  ASSERT_OK(cursor->seek_rowid(250, &order));
  btree->savepoint_open();
  fill(root, 2000, 100);
  PageNumber second = *btree->create_tree(TreeKind::kIndex);
  EXPECT_EQ(second, 4u);
  ASSERT_OK(btree->savepoint_rollback_to(1));
  expect_sound({root});
  ASSERT_OK(cursor->next());
  EXPECT_EQ(cursor->rowid(), 251);
  btree->savepoint_release(1);
  EXPECT_EQ(*cursor->count(), 500);
  ASSERT_OK(btree->commit());
  ASSERT_OK(btree->begin_write());
  ASSERT_OK(btree->clear_tree(root, nullptr));
  btree->rollback(false);
  EXPECT_EQ(cursor->next().code(), code::kAbortRollback);
  cursor->invalidate();
  ASSERT_OK(cursor->last());
  EXPECT_EQ(cursor->rowid(), 500);
  ASSERT_OK(btree->begin_write());
  ASSERT_OK(btree->clear_tree(root, nullptr));
  btree->rollback(true);
  EXPECT_EQ(*cursor->count(), 500);
  EXPECT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT count(*) FROM t1;"), "ok\n500");
}

TEST_F(TreeTest, PayloadsCanBeOverwrittenInPlace) {
  open(512, AutoVacuum::kNone);
  PageNumber root = create_table(1);
  fill(root, 20, 3000);
  auto cursor = open_cursor(btree.get(), root, TreeKind::kTable);
  int order;
  ASSERT_OK(cursor->seek_rowid(7, &order));
  std::string piece(1500, '!');
  ASSERT_OK(cursor->write_payload(3 + 10, as_bytes(piece)));
  ASSERT_OK(btree->commit());
  std::string expected = text_of_size(3000, 7);
  expected.replace(10, 1500, piece);
  EXPECT_EQ(sqlite(path, "PRAGMA integrity_check; SELECT a FROM t1 WHERE rowid=7;"),
            "ok\n" + expected);
}

}  // namespace
}  // namespace godwit
