#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sql/token.h"

namespace godwit {
namespace {

using Kind = TokenKind;

std::vector<Kind> kinds(std::string_view sql) {
  Tokenizer tokenizer(sql);
  std::vector<Kind> result;
  for (Token t = tokenizer.next(); t.kind != Kind::kEnd; t = tokenizer.next()) {
    result.push_back(t.kind);
  }
  return result;
}

std::string first(std::string_view sql) {
  Tokenizer tokenizer(sql);
  Token token = tokenizer.next();
  return (token.kind == Kind::kIllegal ? "illegal:" : "") + std::string(tokenizer.text(token));
}

TEST(Tokenizer, FindsEveryKeywordInAnyCase) {
  for (int i = 0; i < kKeywordCount; ++i) {
    std::string word(keyword_text(i));
    EXPECT_EQ(static_cast<int>(find_keyword(word)), kFirstKeyword + i) << word;
    for (char& c : word) c = c == '_' ? c : static_cast<char>(c | 0x20);
    EXPECT_EQ(static_cast<int>(find_keyword(word)), kFirstKeyword + i) << word;
    EXPECT_EQ(find_keyword(word + "x"), Kind::kId) << word;
  }
  EXPECT_EQ(kKeywordCount, 147);
}

TEST(Tokenizer, KnowsAllOperators) {
  EXPECT_EQ(
      kinds("; ( ) , . + - * / % = == <> != < <= > >= & | ~ << >> || -> ->>"),
      (std::vector<Kind>{Kind::kSemicolon, Kind::kLeftParen,    Kind::kRightParen, Kind::kComma,
                         Kind::kDot,       Kind::kPlus,         Kind::kMinus,      Kind::kStar,
                         Kind::kSlash,     Kind::kPercent,      Kind::kEqual,      Kind::kEqual,
                         Kind::kNotEqual,  Kind::kNotEqual,     Kind::kLess,       Kind::kLessEqual,
                         Kind::kGreater,   Kind::kGreaterEqual, Kind::kBitAnd,     Kind::kBitOr,
                         Kind::kBitNot,    Kind::kShiftLeft,    Kind::kShiftRight, Kind::kConcat,
                         Kind::kArrow,     Kind::kLongArrow}));
}

TEST(Tokenizer, ReadsNumbers) {
  EXPECT_EQ(kinds("1 0x1F 1.5 .5 5. 1e3 1.e-3 1_000 0x1_2 1_000.5"),
            (std::vector<Kind>{Kind::kInteger, Kind::kInteger, Kind::kReal, Kind::kReal,
                               Kind::kReal, Kind::kReal, Kind::kReal, Kind::kSeparated,
                               Kind::kSeparated, Kind::kSeparated}));
  EXPECT_EQ(first("1e"), "illegal:1e");
  EXPECT_EQ(first("0xg"), "illegal:0xg");
  EXPECT_EQ(first("12abc "), "illegal:12abc");
  EXPECT_EQ(first("1..2"), "1.");
}

TEST(Tokenizer, ReadsQuotedTokens) {
  EXPECT_EQ(kinds("'a''b' \"a\"\"b\" [a b] `a``b` x'0aFF' X''"),
            (std::vector<Kind>{Kind::kString, Kind::kId, Kind::kId, Kind::kId, Kind::kBlob,
                               Kind::kBlob}));
  EXPECT_EQ(first("'abc"), "illegal:'abc");
  EXPECT_EQ(first("[abc"), "illegal:[abc");
  EXPECT_EQ(first("x'1'"), "illegal:x'1'");
  EXPECT_EQ(first("x'zz' "), "illegal:x'zz'");
}

TEST(Tokenizer, ReadsVariables) {
  EXPECT_EQ(first("?12a"), "?12");
  EXPECT_EQ(first(":a b"), ":a");
  EXPECT_EQ(first("$a::b(c)d"), "$a::b(c)");
  EXPECT_EQ(first("$a::"), "$a::");
  EXPECT_EQ(first("$a(b c)"), "illegal:$a(b");
  EXPECT_EQ(first("@"), "illegal:@");
}

TEST(Tokenizer, SkipsSpaceAndComments) {
  EXPECT_EQ(first("\xef\xbb\xbf -- x\n /* y */ /**/ /*/*/ a"), "a");
  EXPECT_TRUE(kinds("/* open").empty());
  EXPECT_TRUE(kinds("-- open").empty());
  EXPECT_EQ(kinds("/*"), (std::vector<Kind>{Kind::kSlash, Kind::kStar}));
  EXPECT_EQ(first("\v"), "illegal:\v");
  EXPECT_EQ(first(" \va"), "a");
}

TEST(Tokenizer, EndsAtNul) {
  EXPECT_EQ(kinds(std::string_view("a\0b", 3)).size(), 1u);
  EXPECT_TRUE(kinds("").empty());
}

TEST(Tokenizer, WindowWordsAreKeywordsOnlyInTheirPlaces) {
  EXPECT_EQ(kinds("window w as").front(), Kind::k_WINDOW);
  EXPECT_EQ(kinds("window w").front(), Kind::kId);
  EXPECT_EQ(kinds(") over (").at(1), Kind::k_OVER);
  EXPECT_EQ(kinds(") over w").at(1), Kind::k_OVER);
  EXPECT_EQ(kinds("a over (").at(1), Kind::kId);
  EXPECT_EQ(kinds(") filter (").at(1), Kind::k_FILTER);
  EXPECT_EQ(kinds(") filter w").at(1), Kind::kId);
}

}  // namespace
}  // namespace godwit
