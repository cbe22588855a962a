#include "server/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "server/base64.h"

namespace godwit::server {
namespace {

std::string text_of(std::string_view value) {
  std::string out;
  JsonWriter(&out).text(value);
  return out;
}

std::string real_of(double value) {
  std::string out;
  JsonWriter(&out).real(value);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenWhatNeedsThem) {
  std::string out;
  JsonWriter json(&out);
  json.begin_object();
  json.key("a").begin_array();
  json.integer(1);
  json.null();
  json.begin_object();
  json.end_object();
  json.end_array();
  json.key("b").integer_as_text(std::numeric_limits<int64_t>::min());
  json.end_object();
  EXPECT_EQ(out, R"({"a":[1,null,{}],"b":"-9223372036854775808"})");
}

TEST(JsonWriter, EscapesWhatItMustAndNoSlash) {
  EXPECT_EQ(text_of("a\"\\/\n\x01"), R"("a\"\\/\n\u0001")");
  EXPECT_EQ(text_of(std::string_view("\0x", 2)), R"("\u0000x")");
  EXPECT_EQ(text_of("ü€😀"), "\"ü€😀\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(text_of("a\xff" "b"), "\"a\xef\xbf\xbd" "b\"");
  EXPECT_EQ(text_of("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(text_of("\xed\xa0\x80").size(), 11u);  // a surrogate
  EXPECT_EQ(text_of("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonWriter, WritesRealsSoThatTheyReadBackAsReals) {
  EXPECT_EQ(real_of(2), "2.0");
  EXPECT_EQ(real_of(0.1), "0.1");
  EXPECT_EQ(real_of(-0.0), "-0.0");
  EXPECT_EQ(real_of(1e300), "1e+300");
  EXPECT_EQ(real_of(std::numeric_limits<double>::infinity()), "1e999");
}

TEST(Base64, TakesPaddingOrNone) {
  std::string bytes;
  for (std::string_view text : {"AQIDBA", "AQIDBA=="}) {
    ASSERT_TRUE(parse_base64(text, Base64::kStandardUnpadded, &bytes));
    EXPECT_EQ(bytes, "\x01\x02\x03\x04");
  }
  for (std::string_view text : {"A", "AQIDB", "AQ*D", "AQIDBA=", "=", "AQ-_"}) {
    EXPECT_FALSE(parse_base64(text, Base64::kStandardUnpadded, &bytes)) << text;
  }
  std::string out;
  append_base64("\xfb\xff", Base64::kUrlUnpadded, &out);
  EXPECT_EQ(out, "-_8");
}

}  // namespace
}  // namespace godwit::server
