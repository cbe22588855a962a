// Row keys: equal bytes exactly for rows that SQLite groups together.
#include "exec/row_key_table.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace godwit {
namespace {

ValueView integer(int64_t i) { return ValueView::of(i); }
ValueView text(std::string_view t) { return ValueView::of_text(t); }

bool equal(const Collation* collation, ValueView a, ValueView b) {
  RowKeyEncoder encoder(std::span<const Collation* const>(&collation, 1));
  bool null;
  std::string first(encoder.encode(std::span<const ValueView>(&a, 1), &null));
  return first == encoder.encode(std::span<const ValueView>(&b, 1), &null);
}

TEST(RowKey, IntegersAndEqualRealsAreOne) {
  EXPECT_TRUE(equal(nullptr, integer(3), ValueView::of(3.0)));
  EXPECT_TRUE(equal(nullptr, ValueView::of(-0.0), integer(0)));
  EXPECT_TRUE(equal(nullptr, ValueView::of(-9223372036854775808.0), integer(INT64_MIN)));
  EXPECT_FALSE(equal(nullptr, ValueView::of(9223372036854775808.0), integer(INT64_MAX)));
  EXPECT_FALSE(equal(nullptr, ValueView::of(3.5), integer(3)));
  EXPECT_FALSE(equal(nullptr, text("3"), integer(3)));
  EXPECT_FALSE(equal(nullptr, text("a"), ValueView::of_blob(std::string_view("a"))));
  EXPECT_TRUE(equal(nullptr, ValueView::null(), ValueView::null()));
}

int ignore_last_letter(void*, std::string_view a, std::string_view b) {
  return a.substr(0, a.size() - 1).compare(b.substr(0, b.size() - 1));
}

TEST(RowKey, TextFollowsTheCollation) {
  EXPECT_FALSE(equal(binary_collation(), text("a"), text("A")));
  EXPECT_TRUE(equal(nocase_collation(), text("aBc"), text("AbC")));
  EXPECT_FALSE(equal(nocase_collation(), text("a"), text("a ")));
  EXPECT_TRUE(equal(nocase_collation(), text({"a\0x", 3}), text({"A\0y", 3})));
  EXPECT_FALSE(equal(nocase_collation(), text({"a\0x", 3}), text({"A\0yz", 4})));
  EXPECT_TRUE(equal(rtrim_collation(), text("a  "), text("a")));
  EXPECT_TRUE(equal(binary_collation(TextEncoding::kUtf16le), text("\xC3\xA4"), text("\xC3\xA4")));
  Collation user;
  user.kind = Collation::Kind::kUser;
  user.compare_function = ignore_last_letter;
  EXPECT_TRUE(equal(&user, text("abx"), text("aby")));
  EXPECT_FALSE(equal(&user, text("abx"), text("acx")));
}

TEST(RowKey, ColumnsDoNotRunIntoEachOther) {
  const Collation* collations[] = {nocase_collation(), nocase_collation()};
  RowKeyEncoder encoder(collations);
  bool null;
  ValueView a[] = {text({"a\0b", 3}), text("c")}, b[] = {text("a"), text({"\0bc", 3})};
  std::string first(encoder.encode(std::span<const ValueView>(a), &null));
  EXPECT_NE(first, encoder.encode(std::span<const ValueView>(b), &null));
}

TEST(RowKeyTable, NumbersKeysInFirstSeenOrderAcrossModes) {
  const Collation* collation = binary_collation();
  RowKeyTable table(std::span<const Collation* const>(&collation, 1));
  Vector v;
  v.begin(1000);
  for (uint32_t i = 0; i < 1000; ++i) v.set(i, i == 3 ? ValueView::null() : integer(i % 300));
  const Vector* columns[] = {&v};
  std::vector<uint32_t> numbers(1000);
  table.find_or_insert(columns, Selection{nullptr, 1000}, numbers.data());
  EXPECT_EQ(table.size(), 301u);
  EXPECT_EQ(numbers[3], 3u);
  EXPECT_EQ(numbers[299], 299u);
  EXPECT_EQ(numbers[300], 0u);
  EXPECT_EQ(numbers[303], 300u);  // 3 itself comes late

  Vector w;
  w.begin(5);
  w.set(0, ValueView::of(7.0));
  w.set(1, text("7"));
  w.set(2, ValueView::null());
  w.set(3, integer(9));
  w.set(4, text("7"));
  columns[0] = &w;
  table.find(columns, Selection{nullptr, 5}, numbers.data());
  EXPECT_EQ(numbers[0], 7u);
  EXPECT_EQ(numbers[1], RowKeyTable::kNone);
  table.find_or_insert(columns, Selection{nullptr, 5}, numbers.data());
  EXPECT_EQ(numbers[0], 7u);
  EXPECT_EQ(numbers[1], 301u);
  EXPECT_EQ(numbers[2], 3u);
  EXPECT_EQ(numbers[3], 9u);
  EXPECT_EQ(numbers[4], 301u);
  table.clear();
  table.find(columns, Selection{nullptr, 5}, numbers.data());
  EXPECT_EQ(numbers[3], RowKeyTable::kNone);
}

TEST(RowKeyTable, KeepsItsSizeWhenClearedAndFilledWithMixedKeysAgainAndAgain) {
  const Collation* collation = binary_collation();
  RowKeyTable table(std::span<const Collation* const>(&collation, 1));
  Vector v;
  v.begin(3);
  v.set(0, integer(1));
  v.set(1, text("x"));  // leaves integer mode with a key in the table
  v.set(2, ValueView::null());
  const Vector* columns[] = {&v};
  uint32_t numbers[3];
  table.find_or_insert(columns, Selection{nullptr, 3}, numbers);
  size_t bytes = table.bytes_held();
  for (int i = 0; i < 100; ++i) {
    table.clear();
    table.find_or_insert(columns, Selection{nullptr, 3}, numbers);
    EXPECT_EQ(numbers[2], 2u);
  }
  EXPECT_EQ(table.bytes_held(), bytes);
}

TEST(RowKeyTable, TextsAreTheSameKeysInVectorsOfEveryForm) {
  const Collation* collation = binary_collation();
  RowKeyTable table(std::span<const Collation* const>(&collation, 1));
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    texts.push_back(std::string(static_cast<size_t>(i % 30), 'x') + std::to_string(i));
  }
  texts.push_back("");
  Vector uniform, mixed;
  uniform.begin(201);
  mixed.begin(202);
  for (uint32_t i = 0; i < 201; ++i) {
    uniform.set(i, text(texts[i]));
    mixed.set(i, text(texts[i]));
  }
  mixed.set(201, ValueView::of_blob(std::string_view("1")));
  std::vector<uint32_t> numbers(202);
  const Vector* columns[] = {&uniform};
  table.find(columns, Selection{nullptr, 201}, numbers.data());
  EXPECT_EQ(numbers[7], RowKeyTable::kNone);
  table.find_or_insert(columns, Selection{nullptr, 201}, numbers.data());
  EXPECT_EQ(table.size(), 201u);
  columns[0] = &mixed;
  table.find_or_insert(columns, Selection{nullptr, 202}, numbers.data());
  for (uint32_t i = 0; i < 202; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(RowKeyTable, JoinsNeverMatchNull) {
  const Collation* collations[] = {binary_collation(), binary_collation()};
  RowKeyTable table(collations, RowKeyTable::Nulls::kNeverMatch);
  Vector a, b;
  a.set_constant_value(integer(1));
  b.begin(2);
  b.set(0, ValueView::null());
  b.set(1, text("x"));
  const Vector* columns[] = {&a, &b};
  uint32_t numbers[2];
  table.find_or_insert(columns, Selection{nullptr, 2}, numbers);
  EXPECT_EQ(numbers[0], RowKeyTable::kNone);
  EXPECT_EQ(numbers[1], 0u);
}

}  // namespace
}  // namespace godwit
