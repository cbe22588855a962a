// Malformed text means what it means to SQLite.
#include "base/utf.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

uint32_t first_of(std::string_view text) {
  const char* p = text.data();
  return read_utf8(&p, text.data() + text.size());
}

TEST(Utf8, ReadsMalformedSequencesAsSqliteDoes) {
  EXPECT_EQ(first_of("\x80"), 128u);
  EXPECT_EQ(first_of("\xC0\x80"), kReplacementCodePoint);
  EXPECT_EQ(first_of("\xC2\x80\x80"), 8192u);
  EXPECT_EQ(first_of("\xED\xA0\x80"), kReplacementCodePoint);
  EXPECT_EQ(first_of("\xEF\xBF\xBF"), kReplacementCodePoint);
  EXPECT_EQ(first_of("\xF8\x88\x80\x80"), 32768u);
  EXPECT_EQ(first_of("\xFD\xBF\xBF\xBF\xBF\xBF"), 2147483647u);
  EXPECT_EQ(first_of("\xFF\x80\x80"), kReplacementCodePoint);
}

TEST(Utf8, CountsCharactersAsLengthDoes) {
  EXPECT_EQ(utf8_length("abc"), 3u);
  EXPECT_EQ(utf8_length("\xC3\xA4\xF0\x9F\x98\x80"), 2u);
  EXPECT_EQ(utf8_length("\x80\x80" "A"), 3u);
  EXPECT_EQ(utf8_length("\xF8\x88\x80\x80\x80" "A"), 2u);
  EXPECT_EQ(utf8_length("A\x80\x80"), 3u);
}

TEST(Utf16, PairsAnySurrogateWithTheNextUnit) {
  auto convert = [](std::string_view bytes) {
    std::string out;
    append_utf16_as_utf8(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), false, &out);
    return out;
  };
  EXPECT_EQ(convert(std::string_view("\x3D\xD8\x00\xDE", 4)), "\xF0\x9F\x98\x80");
  EXPECT_EQ(convert(std::string_view("\x00\xDC\x41\x00", 4)), "\xF0\x90\x81\x81");
  EXPECT_EQ(convert(std::string_view("\x00\xD8", 2)), "\xED\xA0\x80");
  EXPECT_EQ(convert(std::string_view("\x41\x00\x42", 3)), "A");
}

TEST(Utf16, OrdersByBytes) {
  EXPECT_LT(compare_as_utf16("\xC4\x80", "a", false), 0);  // 00 01 before 61 00
  EXPECT_GT(compare_as_utf16("\xC4\x80", "a", true), 0);   // 01 00 after 00 61
  EXPECT_LT(compare_as_utf16("a", "ab", false), 0);
}

}  // namespace
}  // namespace godwit
