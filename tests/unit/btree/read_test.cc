// Reading files that C SQLite wrote.
#include "test_database.h"

namespace godwit {
namespace {

// The values of column `index` of the entry the cursor is on.
Value column_of(Cursor* cursor, uint32_t index, TextEncoding encoding = TextEncoding::kUtf8) {
  std::vector<uint8_t> scratch;
  ByteSpan bytes;
  EXPECT_OK(cursor->complete_payload(&scratch, &bytes));
  RecordDecoder decoder(encoding);
  EXPECT_OK(decoder.reset(bytes));
  ValueView value;
  bool missing;
  EXPECT_OK(decoder.column(index, &value, &missing));
  return Value(value);
}

struct ReadTest : ::testing::Test {
  void open(const std::string& sql) {
    path = directory.file("a.db");
    ASSERT_EQ(sqlite(path, sql), "");
    btree = open_btree(path);
    ASSERT_OK(btree->begin_read());
  }
  ScratchDirectory directory;
  std::string path;
  std::unique_ptr<Btree> btree;
};

constexpr char kHundredThousandRows[] =
    "CREATE TABLE t(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
    "i<100000) INSERT INTO t SELECT i*3, 'row ' || i FROM n; CREATE INDEX ia ON t(b);";

TEST_F(ReadTest, CursorsWalkATableBothWays) {
  open(kHundredThousandRows);
  auto cursor = open_cursor(btree.get(), root_of(path, "t"), TreeKind::kTable);
  int64_t n = 0;
  ASSERT_OK(cursor->first());
  for (; !cursor->at_end(); ++n) {
    ASSERT_EQ(cursor->rowid(), n + 1);
    ASSERT_EQ(column_of(cursor.get(), 0).view().integer, (n + 1) * 3);
    ASSERT_OK(cursor->next());
  }
  EXPECT_EQ(n, 100000);
  ASSERT_OK(cursor->last());
  for (; !cursor->at_end(); --n) {
    ASSERT_EQ(cursor->rowid(), n);
    ASSERT_OK(cursor->previous());
  }
  EXPECT_EQ(n, 0);
  auto count = cursor->count();
  ASSERT_OK(count);
  EXPECT_EQ(*count, 100000);
}

TEST_F(ReadTest, BatchesGiveTheSameAsSteps) {
  open(kHundredThousandRows);
  auto cursor = open_cursor(btree.get(), root_of(path, "t"), TreeKind::kTable);
  std::vector<LeafEntry> entries(64);
  PageImageRef image;
  int64_t n = 0;
  ASSERT_OK(cursor->first());
  for (;;) {
    auto count = cursor->next_batch(entries.data(), 64, &image);
    ASSERT_OK(count);
    if (*count == 0) break;
    for (uint32_t i = 0; i < *count; ++i) {
      ASSERT_EQ(entries[i].rowid, ++n);
      ASSERT_TRUE(entries[i].payload.is_complete());
    }
  }
  EXPECT_EQ(n, 100000);
  EXPECT_TRUE(cursor->at_end());
  ASSERT_OK(cursor->last());
  for (;;) {
    auto count = cursor->previous_batch(entries.data(), 64, &image);
    ASSERT_OK(count);
    if (*count == 0) break;
    for (uint32_t i = 0; i < *count; ++i) ASSERT_EQ(entries[i].rowid, n--);
  }
  EXPECT_EQ(n, 0);
}

TEST_F(ReadTest, StepsGoOnBetweenBatches) {
  open(kHundredThousandRows);
  auto cursor = open_cursor(btree.get(), root_of(path, "t"), TreeKind::kTable);
  LeafEntry entries[10];
  PageImageRef image;
  ASSERT_OK(cursor->seek_rowid_lower(500, true));
  auto count = cursor->next_batch(entries, 1, &image);
  ASSERT_OK(count);
  EXPECT_EQ(entries[0].rowid, 500);
  ASSERT_OK(cursor->next());
  EXPECT_EQ(cursor->rowid(), 501);
  ASSERT_OK(cursor->next_batch(entries, 2, &image));
  ASSERT_OK(cursor->previous());
  EXPECT_EQ(cursor->rowid(), 502);
  ASSERT_OK(cursor->previous_batch(entries, 1, &image));
  ASSERT_OK(cursor->next());
  EXPECT_EQ(cursor->rowid(), 502);
}

TEST_F(ReadTest, SeeksFindRowidsAndTheirNeighbours) {
  open(
      "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
      "i<20000) INSERT INTO t(rowid, a) SELECT i*10, i FROM n;");
  auto cursor = open_cursor(btree.get(), root_of(path, "t"), TreeKind::kTable);
  for (Rowid target : {1, 10, 15, 100000, 199995, 200000, 200001, 55555, 55560, 9, 200000}) {
    int order;
    ASSERT_OK(cursor->seek_rowid(target, &order));
    ASSERT_FALSE(cursor->at_end());
    EXPECT_EQ(order == 0, target % 10 == 0 && target <= 200000) << target;
    if (order < 0) {
      EXPECT_LT(cursor->rowid(), target);
    }
    if (order > 0) {
      EXPECT_GT(cursor->rowid(), target);
    }
    Rowid at_least = (target + 9) / 10 * 10;
    ASSERT_OK(cursor->seek_rowid_lower(target, true));
    EXPECT_EQ(cursor->at_end(), at_least > 200000);
    if (!cursor->at_end()) {
      EXPECT_EQ(cursor->rowid(), at_least);
    }
    Rowid above = target / 10 * 10 + 10;
    ASSERT_OK(cursor->seek_rowid_lower(target, false));
    EXPECT_EQ(cursor->at_end(), above > 200000);
    if (!cursor->at_end()) {
      EXPECT_EQ(cursor->rowid(), above);
    }
    Rowid at_most = std::min<Rowid>(target / 10 * 10, 200000);
    ASSERT_OK(cursor->seek_rowid_upper(target, true));
    EXPECT_EQ(cursor->at_end(), at_most == 0);
    if (!cursor->at_end()) {
      EXPECT_EQ(cursor->rowid(), at_most);
    }
    ASSERT_OK(cursor->seek_rowid_upper(target, false));
    Rowid below = std::min<Rowid>((target - 1) / 10 * 10, 200000);
    EXPECT_EQ(cursor->at_end(), below == 0);
    if (!cursor->at_end()) {
      EXPECT_EQ(cursor->rowid(), below);
    }
  }
}

TEST_F(ReadTest, IndexesAreReadInKeyOrder) {
  open(kHundredThousandRows);
  KeyInfo info = key_info_of(2);
  auto cursor = open_cursor(btree.get(), root_of(path, "ia"), TreeKind::kIndex, &info);
  auto count = cursor->count();
  ASSERT_OK(count);
  EXPECT_EQ(*count, 100000);
  std::string previous;
  int64_t n = 0;
  ASSERT_OK(cursor->first());
  for (; !cursor->at_end(); ++n) {
    std::string key(column_of(cursor.get(), 0).view().text());
    ASSERT_LT(previous, key);
    previous = key;
    ASSERT_OK(cursor->next());
  }
  EXPECT_EQ(n, 100000);
  for (int i : {1, 7, 99999, 100000, 5000, 5001, 5002, 5003}) {
    std::string text = "row " + std::to_string(i);
    ValueView key = ValueView::of_text(text);
    int order;
    ASSERT_OK(cursor->seek_key({&key, 1}, &order));
    EXPECT_EQ(order, 0);
    EXPECT_EQ(column_of(cursor.get(), 1).view().integer, i);
    ASSERT_OK(cursor->seek_key_lower({&key, 1}, true));
    EXPECT_EQ(column_of(cursor.get(), 1).view().integer, i);
    ASSERT_OK(cursor->seek_key_upper({&key, 1}, true));
    EXPECT_EQ(column_of(cursor.get(), 1).view().integer, i);
  }
  // Batches: interior entries come alone, but in their place.
  std::vector<LeafEntry> entries(1000);
  PageImageRef image;
  n = 0;
  ASSERT_OK(cursor->first());
  for (;;) {
    auto got = cursor->next_batch(entries.data(), 1000, &image);
    ASSERT_OK(got);
    if (*got == 0) break;
    n += *got;
  }
  EXPECT_EQ(n, 100000);
  ASSERT_OK(cursor->last());
  for (;;) {
    auto got = cursor->previous_batch(entries.data(), 1000, &image);
    ASSERT_OK(got);
    if (*got == 0) break;
    n -= *got;
  }
  EXPECT_EQ(n, 0);
}

TEST_F(ReadTest, PrefixSeeksFindTheEdgesOfEqualEntries) {
  open(
      "CREATE TABLE t(a, b); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE "
      "i<29999) INSERT INTO t SELECT i/1000, i FROM n; CREATE INDEX i ON t(a, b);");
  KeyInfo info = key_info_of(3);
  auto cursor = open_cursor(btree.get(), root_of(path, "i"), TreeKind::kIndex, &info);
  for (int64_t a : {0, 1, 13, 29}) {
    ValueView key = ValueView::of(a);
    std::span<const ValueView> keys(&key, 1);
    ASSERT_OK(cursor->seek_key_lower(keys, true));
    EXPECT_EQ(column_of(cursor.get(), 1).view().integer, a * 1000);
    ASSERT_OK(cursor->seek_key_lower(keys, false));
    EXPECT_EQ(cursor->at_end(), a == 29);
    if (a < 29) {
      EXPECT_EQ(column_of(cursor.get(), 1).view().integer, a * 1000 + 1000);
    }
    ASSERT_OK(cursor->seek_key_upper(keys, true));
    EXPECT_EQ(column_of(cursor.get(), 1).view().integer, a * 1000 + 999);
    ASSERT_OK(cursor->seek_key_upper(keys, false));
    EXPECT_EQ(cursor->at_end(), a == 0);
    if (a > 0) {
      EXPECT_EQ(column_of(cursor.get(), 1).view().integer, a * 1000 - 1);
    }
    int order;
    ASSERT_OK(cursor->seek_key(keys, &order));
    EXPECT_EQ(order, 0);
    EXPECT_EQ(column_of(cursor.get(), 0).view().integer, a);
  }
}

TEST_F(ReadTest, OverflowingPayloadsComeWhole) {
  open(
      "PRAGMA page_size=1024; CREATE TABLE t(a); CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300) "
      "INSERT INTO t SELECT printf('%.*c', i*37, char(97+i%26)) FROM n;"
      "INSERT INTO w SELECT a, rowid FROM t;");
  auto cursor = open_cursor(btree.get(), root_of(path, "t"), TreeKind::kTable);
  ASSERT_OK(cursor->first());
  for (; !cursor->at_end();) {
    size_t i = static_cast<size_t>(cursor->rowid());
    std::string expected(i * 37, static_cast<char>('a' + i % 26));
    ASSERT_EQ(column_of(cursor.get(), 0).view().text(), expected);
    if (i > 100) {
      std::vector<uint8_t> piece(1500);
      ASSERT_OK(cursor->read_payload(1000, piece));
      ASSERT_EQ(std::string(piece.begin(), piece.end()), expected.substr(0, 1500));
    }
    ASSERT_OK(cursor->next());
  }
  KeyInfo info = key_info_of(1);
  auto without_rowid = open_cursor(btree.get(), root_of(path, "w"), TreeKind::kIndex, &info);
  for (size_t i : {1, 20, 100, 290, 300}) {
    std::string text(i * 37, static_cast<char>('a' + i % 26));
    ValueView key = ValueView::of_text(text);
    int order;
    ASSERT_OK(without_rowid->seek_key({&key, 1}, &order));
    ASSERT_EQ(order, 0);
    EXPECT_EQ(column_of(without_rowid.get(), 1).view().integer, static_cast<int64_t>(i));
  }
}

TEST_F(ReadTest, Utf16IndexesAreSearchedInUtf8) {
  open(
      "PRAGMA encoding='UTF-16le'; CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID; "
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000) "
      "INSERT INTO t SELECT 'ä' || i FROM n;");
  EXPECT_EQ(btree->encoding(), TextEncoding::kUtf16le);
  KeyInfo info = key_info_of(1, TextEncoding::kUtf16le);
  auto cursor = open_cursor(btree.get(), root_of(path, "t"), TreeKind::kIndex, &info);
  for (int i : {1, 2, 4999, 5000, 777}) {
    std::string text = "ä" + std::to_string(i);
    ValueView key = ValueView::of_text(text);
    int order;
    ASSERT_OK(cursor->seek_key({&key, 1}, &order));
    ASSERT_EQ(order, 0);
    EXPECT_EQ(column_of(cursor.get(), 0, TextEncoding::kUtf16le).view().text(), text);
  }
}

TEST_F(ReadTest, HeaderFieldsAreRead) {
  open(
      "PRAGMA auto_vacuum=2; PRAGMA user_version=17; PRAGMA application_id=1234; CREATE TABLE "
      "t(a);");
  EXPECT_EQ(btree->auto_vacuum(), AutoVacuum::kIncremental);
  EXPECT_EQ(*btree->meta(MetaField::kUserVersion), 17u);
  EXPECT_EQ(*btree->meta(MetaField::kApplicationId), 1234u);
  EXPECT_EQ(*btree->meta(MetaField::kSchemaFormat), 4u);
  EXPECT_EQ(*btree->meta(MetaField::kLargestRootPage), 3u);
}

TEST_F(ReadTest, AnEmptyDatabaseHasAnEmptySchemaTree) {
  open("SELECT 1 WHERE 0;");
  auto cursor = open_cursor(btree.get(), 1, TreeKind::kTable);
  ASSERT_OK(cursor->first());
  EXPECT_TRUE(cursor->at_end());
  int order;
  ASSERT_OK(cursor->seek_rowid(1, &order));
  EXPECT_TRUE(cursor->at_end());
  EXPECT_EQ(*cursor->count(), 0);
}

}  // namespace
}  // namespace godwit
