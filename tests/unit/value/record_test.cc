// Records: the bytes of the documented example, round trips, and headers that lie.
#include "value/record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace godwit {
namespace {

std::vector<uint8_t> encode(std::vector<ValueView> values, RecordLayoutOptions options = {}) {
  std::vector<uint8_t> out;
  RecordEncoder encoder(options);
  EXPECT_TRUE(encoder.encode(values, &out).ok());
  return out;
}

TEST(Record, EncodesTheDocumentedExample) {
  std::vector<uint8_t> expected = {0x04, 0x01, 0x11, 0x00, 0x05, 0x61, 0x62};
  EXPECT_EQ(encode({ValueView::of(int64_t{5}), ValueView::of_text("ab"), ValueView::null()}),
            expected);
}

TEST(Record, ReadsBackEveryIntegerSize) {
  std::vector<ValueView> values;
  for (int bit = 0; bit < 64; ++bit) {
    for (int delta = -1; delta <= 1; ++delta) {
      int64_t v = static_cast<int64_t>((uint64_t{1} << bit) + static_cast<uint64_t>(delta));
      values.push_back(ValueView::of(v));
      values.push_back(ValueView::of(static_cast<int64_t>(~static_cast<uint64_t>(v))));
    }
  }
  std::vector<uint8_t> record = encode(values);
  RecordDecoder decoder;
  ASSERT_TRUE(decoder.reset(record).ok());
  for (uint32_t i = 0; i < values.size(); ++i) {
    ValueView v;
    bool missing;
    ASSERT_TRUE(decoder.column(i, &v, &missing).ok());
    ASSERT_TRUE(v.is_integer());
    EXPECT_EQ(v.integer, values[i].integer);
  }
}

TEST(Record, StoresZeroAndOneInTheSerialTypeOnlyFromSchemaFormat4) {
  std::vector<ValueView> values = {ValueView::of(int64_t{0}), ValueView::of(int64_t{1})};
  EXPECT_EQ(encode(values), (std::vector<uint8_t>{3, 8, 9}));
  EXPECT_EQ(encode(values, {TextEncoding::kUtf8, false}), (std::vector<uint8_t>{3, 1, 1, 0, 1}));
}

TEST(Record, StoresNanAsNullAndZeroBlobsAsZeros) {
  ValueView zeros = ValueView::of_blob(std::string_view());
  zeros.size = 3;
  zeros.zero_filled = true;
  EXPECT_EQ(encode({ValueView::of(std::nan("")), zeros}),
            (std::vector<uint8_t>{3, 0, 18, 0, 0, 0}));
}

TEST(Record, ConvertsTextOfUtf16Databases) {
  RecordLayoutOptions options{TextEncoding::kUtf16le, true};
  std::vector<uint8_t> record = encode({ValueView::of_text("a\xF0\x9F\x98\x80")}, options);
  EXPECT_EQ(record, (std::vector<uint8_t>{2, 25, 'a', 0, 0x3D, 0xD8, 0x00, 0xDE}));
  RecordDecoder decoder(TextEncoding::kUtf16le);
  ASSERT_TRUE(decoder.reset(record).ok());
  ValueView v;
  bool missing;
  ASSERT_TRUE(decoder.column(0, &v, &missing).ok());
  EXPECT_EQ(v.text(), "a\xF0\x9F\x98\x80");
}

TEST(Record, MissingColumnsAreSaidToBeMissing) {
  std::vector<uint8_t> record = encode({ValueView::of(int64_t{7})});
  RecordDecoder decoder;
  ASSERT_TRUE(decoder.reset(record).ok());
  ValueView v;
  bool missing = false;
  ASSERT_TRUE(decoder.column(3, &v, &missing).ok());
  EXPECT_TRUE(missing);
  EXPECT_TRUE(v.is_null());
  ASSERT_TRUE(decoder.column_count().ok());
  EXPECT_EQ(*decoder.column_count(), 1u);
}

TEST(Record, HeadersThatLieAreCorrupt) {
  const std::vector<std::vector<uint8_t>> lies = {
      {},               // nothing
      {5, 1},           // header longer than the record
      {2, 6, 0, 0},     // body too short
      {2, 1, 0, 0},     // body too long
      {3, 0x81, 0x81},  // serial type runs out of the header
      {10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},  // enormous serial type
  };
  for (const std::vector<uint8_t>& record : lies) {
    RecordDecoder decoder;
    Status status = decoder.reset(record);
    ValueView v;
    bool missing;
    if (status.ok()) status = decoder.column(0, &v, &missing);
    EXPECT_EQ(status.code(), code::kCorrupt);
  }
}

KeyInfo two_columns() {
  KeyInfo info;
  info.columns = {KeyColumn{binary_collation(), false, false},
                  KeyColumn{nocase_collation(), true, false}};
  return info;
}

int compare(const KeyInfo& info, std::vector<ValueView> key, const std::vector<uint8_t>& stored) {
  Status error;
  int order = compare_key_record(info, key, stored, &error);
  EXPECT_TRUE(error.ok());
  return order < 0 ? -1 : order > 0;
}

TEST(CompareKeyRecord, FollowsCollationAndDirection) {
  KeyInfo info = two_columns();
  std::vector<uint8_t> stored = encode({ValueView::of(int64_t{5}), ValueView::of_text("Bc")});
  EXPECT_EQ(compare(info, {ValueView::of(int64_t{5})}, stored), 0);
  EXPECT_EQ(compare(info, {ValueView::of(int64_t{4})}, stored), -1);
  EXPECT_EQ(compare(info, {ValueView::of(5.5)}, stored), 1);
  EXPECT_EQ(compare(info, {ValueView::of(5.0), ValueView::of_text("bC")}, stored), 0);
  EXPECT_EQ(compare(info, {ValueView::of(5.0), ValueView::of_text("c")}, stored), -1);
  EXPECT_EQ(compare(info, {ValueView::of(5.0), ValueView::null()}, stored), 1);
  info.columns[1].nulls_reversed = true;
  EXPECT_EQ(compare(info, {ValueView::of(5.0), ValueView::null()}, stored), -1);
}

TEST(CompareKeyRecord, ReportsAShortRecord) {
  Status error;
  std::vector<ValueView> key = {ValueView::of(int64_t{5}), ValueView::null()};
  compare_key_record(two_columns(), key, std::vector<uint8_t>{2, 1, 5}, &error);
  EXPECT_EQ(error.code(), code::kCorrupt);
}

TEST(CompareKeyRecord, OrdersUtf16DatabasesByTheirBytes) {
  KeyInfo info;
  info.encoding = TextEncoding::kUtf16le;
  info.columns = {KeyColumn{binary_collation(info.encoding), false, false}};
  // U+0100 is 00 01 in the file, 'a' is 61 00.
  std::vector<uint8_t> stored =
      encode({ValueView::of_text("a")}, RecordLayoutOptions{info.encoding, true});
  EXPECT_EQ(compare(info, {ValueView::of_text("\xC4\x80")}, stored), -1);
  EXPECT_EQ(compare(info, {ValueView::of_text("a")}, stored), 0);
  EXPECT_EQ(compare(info, {ValueView::of_text("ab")}, stored), 1);
}

TEST(CompareValues, IntegersAndRealsCompareExactly) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_LT(compare_integer_real(kMax, 9223372036854775808.0), 0);
  EXPECT_EQ(compare_integer_real(kMin, -9223372036854775808.0), 0);
  EXPECT_GT(compare_integer_real(9007199254740993, 9007199254740992.0), 0);
  EXPECT_LT(compare_integer_real(-3, -2.5), 0);
  EXPECT_GT(compare_integer_real(-2, -2.5), 0);
  EXPECT_LT(compare_integer_real(2, 2.5), 0);
  EXPECT_LT(compare_integer_real(0, std::numeric_limits<double>::infinity()), 0);
}

TEST(Collation, NoCaseFoldsAsciiAndStopsAtASharedNul) {
  const Collation* nocase = nocase_collation();
  EXPECT_EQ(nocase->compare("ABC", "abc"), 0);
  EXPECT_NE(nocase->compare("\xC3\x84", "\xC3\xA4"), 0);
  std::string_view a("a\0x", 3), b("A\0y", 3);
  EXPECT_EQ(nocase->compare(a, b), 0);
  EXPECT_EQ(nocase->hash(a), nocase->hash(b));
}

TEST(Collation, RtrimIgnoresTrailingSpacesOnly) {
  EXPECT_EQ(rtrim_collation()->compare("a  ", "a"), 0);
  EXPECT_NE(rtrim_collation()->compare(" a", "a"), 0);
  EXPECT_EQ(rtrim_collation()->hash("a  "), rtrim_collation()->hash("a"));
}

TEST(Value, MayBeAssignedAViewOfItself) {
  Value v(ValueView::of_text("hello world, this is long enough to be on the heap"));
  ValueView part = ValueView::of_text(v.view().text().substr(6));
  v.assign(part);
  EXPECT_EQ(v.view().text(), "world, this is long enough to be on the heap");
}

}  // namespace
}  // namespace godwit
