// Numbers and text: the expected values were printed by SQLite 3.53.2.
#include "value/number_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "value/affinity.h"
#include "value/cast.h"
#include "value/real_digits.h"

namespace godwit {
namespace {

std::string text_of(double r) {
  char buffer[kRealTextBytesMax];
  return std::string(buffer, static_cast<size_t>(real_to_text(r, buffer)));
}

TEST(RealToText, PrintsWhatSqlitePrints) {
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(0.3 + 0.6), "0.89999999999999991");
  EXPECT_EQ(text_of(1.0 / 3), "0.33333333333333332");
  EXPECT_EQ(text_of(-0.0), "0.0");
  EXPECT_EQ(text_of(100), "100.0");
  EXPECT_EQ(text_of(0.0001), "0.0001");
  EXPECT_EQ(text_of(0.00001), "1.0e-05");
  EXPECT_EQ(text_of(1e16), "10000000000000000.0");
  EXPECT_EQ(text_of(1e17), "1.0e+17");
  EXPECT_EQ(text_of(1e23), "1.0e+23");
  EXPECT_EQ(text_of(2e-323), "1.9762625833649862e-323");
  EXPECT_EQ(text_of(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "Inf");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-Inf");
}

TEST(RealToText, TriesToDropATailOfZerosOrNines) {
  EXPECT_EQ(text_of(97.7), "97.7");
  EXPECT_EQ(text_of(3.8068314910836e+235), "3.8068314910836002e+235");
  EXPECT_EQ(text_of(9.7e52), "9.7e+52");  // an integer: the tail is always tried
  EXPECT_EQ(text_of(9.59e-10), "9.590000000000001e-10");
  EXPECT_EQ(text_of(31778607.3826014), "31778607.382601399");
  EXPECT_EQ(text_of(8.0167807224151e-115), "8.0167807224151e-115");
}

TEST(RealToText, RoundsTwiceOverEighteenDigits) {
  EXPECT_EQ(text_of(6697.304014402209), "6697.3040144022089");  // exactly ...0884978
  EXPECT_EQ(text_of(199481.73852539062), "199481.73852539063");
}

std::string digits_of(double r, int digits) {
  RealDigits d = real_digits(r, digits, 16);
  return std::string(d.digits, static_cast<size_t>(d.count));
}

TEST(RealDigits, FewDigitsAreCutBeforeTheyAreRounded) {
  EXPECT_EQ(digits_of(2451545.4835069445, 16), "2451545483506944");  // exactly ...9444961
  EXPECT_EQ(digits_of(2.5, 1), "3");
  EXPECT_EQ(digits_of(35, 1), "4");
  EXPECT_EQ(digits_of(250, 1), "2");  // 10^-1 is a little less than that in 64 bits
}

TEST(TextToReal, DropsDigitsBeyondSixtyFourBits) {
  EXPECT_EQ(text_to_real("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(text_to_real("186805984039004624.0242"), 1.868059840390046e+17);
  EXPECT_EQ(text_to_real("  -1.5e2xyz"), -150.0);
  EXPECT_EQ(text_to_real("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(text_to_real("1e-400"), 0.0);
  EXPECT_EQ(text_to_real("."), 0.0);
}

TEST(TextToInteger, SaturatesAndStopsAtTheFirstOtherCharacter) {
  EXPECT_EQ(text_to_integer(" 12abc"), 12);
  EXPECT_EQ(text_to_integer("1e5"), 1);
  EXPECT_EQ(text_to_integer("9223372036854775808"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(text_to_integer("-9223372036854775809"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(text_to_integer("0x10"), 0);
}

std::string show(const ValueView& v) {
  switch (v.type) {
    case ValueType::kNull:
      return "null";
    case ValueType::kInteger:
      return "i" + std::to_string(v.integer);
    case ValueType::kReal:
      return "r" + text_of(v.real);
    case ValueType::kText:
      return "t" + std::string(v.text());
    default:
      return "b" + std::string(v.text());
  }
}

std::string stored(Affinity affinity, ValueView v) {
  Arena arena;
  apply_affinity(affinity, &v, &arena);
  return show(v);
}

TEST(Affinity, ConvertsTextThatIsANumber) {
  EXPECT_EQ(stored(Affinity::kNumeric, ValueView::of_text(" 1e5 ")), "i100000");
  EXPECT_EQ(stored(Affinity::kNumeric, ValueView::of_text("1e18")), "i1000000000000000000");
  EXPECT_EQ(stored(Affinity::kNumeric, ValueView::of_text("1e19")), "r1.0e+19");
  EXPECT_EQ(stored(Affinity::kInteger, ValueView::of_text("12abc")), "t12abc");
  EXPECT_EQ(stored(Affinity::kInteger, ValueView::of_text("0x10")), "t0x10");
  EXPECT_EQ(stored(Affinity::kReal, ValueView::of_text("5")), "r5.0");
  EXPECT_EQ(stored(Affinity::kReal, ValueView::of_text("5x")), "t5x");
  EXPECT_EQ(stored(Affinity::kFlexNum, ValueView::of(5.0)), "r5.0");
  EXPECT_EQ(stored(Affinity::kNumeric, ValueView::of(5.0)), "i5");
  EXPECT_EQ(stored(Affinity::kNumeric, ValueView::of(-9223372036854775808.0)),
            "r-9.2233720368547758e+18");
  EXPECT_EQ(stored(Affinity::kText, ValueView::of(5.0)), "t5.0");
  EXPECT_EQ(stored(Affinity::kText, ValueView::of_blob(std::string_view("5"))), "b5");
  EXPECT_EQ(stored(Affinity::kNumeric, ValueView::of_blob(std::string_view("5"))), "b5");
}

TEST(Affinity, OfTypeNamesFollowsTheFirstRuleThatFits) {
  EXPECT_EQ(affinity_of_type_name("FLOATING POINT"), Affinity::kInteger);
  EXPECT_EQ(affinity_of_type_name("VARCHAR(20)"), Affinity::kText);
  EXPECT_EQ(affinity_of_type_name("BLOB TEXT"), Affinity::kText);
  EXPECT_EQ(affinity_of_type_name(""), Affinity::kBlob);
  EXPECT_EQ(affinity_of_type_name("REAL BLOB"), Affinity::kBlob);
  EXPECT_EQ(affinity_of_type_name("double precision"), Affinity::kReal);
  EXPECT_EQ(affinity_of_type_name("STRING"), Affinity::kNumeric);
}

std::string cast(ValueView v, Affinity affinity, TextEncoding encoding = TextEncoding::kUtf8) {
  Arena arena;
  return show(cast_value(v, affinity, &arena, encoding));
}

TEST(Cast, FollowsSqlite) {
  EXPECT_EQ(cast(ValueView::of_text("1.5abc"), Affinity::kNumeric), "r1.5");
  EXPECT_EQ(cast(ValueView::of_text("1e15"), Affinity::kNumeric), "i1000000000000000");
  EXPECT_EQ(cast(ValueView::of_text("1e18"), Affinity::kNumeric), "r1.0e+18");
  EXPECT_EQ(cast(ValueView::of_text("abc"), Affinity::kNumeric), "i0");
  EXPECT_EQ(cast(ValueView::of_text("abc"), Affinity::kReal), "r0.0");
  EXPECT_EQ(cast(ValueView::of(9.3e18), Affinity::kInteger), "i9223372036854775807");
  EXPECT_EQ(cast(ValueView::of(5.0), Affinity::kBlob), "b5.0");
  EXPECT_EQ(cast(ValueView::of_blob(std::string_view("12x")), Affinity::kInteger), "i12");
  EXPECT_EQ(cast(ValueView::of_text("A"), Affinity::kBlob, TextEncoding::kUtf16le),
            std::string("bA\0", 3));
  EXPECT_EQ(cast(ValueView::of_blob(std::string_view("A\0B", 3)), Affinity::kText,
                 TextEncoding::kUtf16le),
            "tA");
}

}  // namespace
}  // namespace godwit
