// Tokens of SQL text. The tokenizer skips space and comments, knows keywords, and leaves numbers
// and strings as text. A NUL byte ends the text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sql/keyword_list.h"

namespace godwit {

enum class TokenKind : uint8_t {
  kEnd,      // of the text; zero length
  kIllegal,  // no token of SQL
  kSemicolon,
  kLeftParen,
  kRightParen,
  kComma,
  kDot,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBitAnd,
  kBitOr,
  kBitNot,
  kShiftLeft,
  kShiftRight,
  kConcat,
  kArrow,
  kLongArrow,
  kId,         // a name, bare or quoted with "", [] or ``
  kString,     // '...'
  kBlob,       // x'...'
  kInteger,    // 12, 0xc
  kReal,       // 1.5, 1e3
  kSeparated,  // a number with digit separators; they may be misplaced
  kVariable,   // ?, ?1, :a, @a, #a, $a::b(c)
#define X(word, klass) k_##word,
  GODWIT_KEYWORDS(X)
#undef X
};

inline constexpr int kFirstKeyword = static_cast<int>(TokenKind::k_ABORT);
inline constexpr int kTokenKinds = static_cast<int>(TokenKind::k_WITHOUT) + 1;

enum class KeywordClass : uint8_t { kReserved, kFallback, kJoin, kIndexed };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t offset = 0;
  uint32_t length = 0;

  uint32_t end() const { return offset + length; }
};

// A keyword, or kId.
TokenKind find_keyword(std::string_view word);
// The spelling of keyword number `index` in alphabetical order, upper case.
std::string_view keyword_text(int index);
inline constexpr int kKeywordCount = kTokenKinds - kFirstKeyword;

namespace internal {

// Which roles a token may play as a name.
enum NameRole : uint8_t {
  kRoleId = 1,     // where only identifiers may stand
  kRoleName = 2,   // names of objects and after AS: strings and join keywords too
  kRoleAlias = 4,  // aliases without AS, types, collations: identifiers and strings
  kRoleExpr = 8,   // a column or function name in an expression
};

inline constexpr auto kNameRoles = [] {
  std::array<uint8_t, kTokenKinds> roles{};
  auto set = [&](TokenKind kind, int value) { roles[static_cast<int>(kind)] = value; };
  constexpr int kReserved = 0;
  constexpr int kFallback = kRoleId | kRoleName | kRoleAlias | kRoleExpr;
  constexpr int kJoin = kRoleName | kRoleExpr;
  constexpr int kIndexed = kRoleId | kRoleName | kRoleExpr;
  set(TokenKind::kId, kFallback);
  set(TokenKind::kString, kRoleName | kRoleAlias);
#define X(word, klass) set(TokenKind::k_##word, klass);
  GODWIT_KEYWORDS(X)
#undef X
  return roles;
}();

}  // namespace internal

// Reads one token after another.
class Tokenizer {
 public:
  // `sql` must be shorter than 4 GiB.
  explicit Tokenizer(std::string_view sql);

  // WINDOW, OVER and FILTER come back as kId unless their surroundings make them keywords.
  Token next();

  // The token after the last one returned, without taking it and without regard to surroundings.
  Token peek() const { return scan(position_); }

  std::string_view text(const Token& token) const {
    return sql_.substr(token.offset, token.length);
  }
  std::string_view sql() const { return sql_; }

 private:
  Token scan(uint32_t position) const;
  TokenKind resolve_window_word(const Token& token) const;

  std::string_view sql_;  // up to the first NUL
  uint32_t position_ = 0;
  TokenKind last_ = TokenKind::kEnd;
};

// Whether a byte can continue a bare identifier.
bool is_identifier_byte(unsigned char c);
// SQL's white space: tab, line feed, vertical tab, form feed, carriage return, space.
bool is_sql_space(unsigned char c);

// Undoes the quotes of a name or string token; returns a part of `text` if no quote is doubled,
// otherwise a copy made by `copy(size)`, which returns memory for that many bytes.
template <typename Allocate>
std::string_view unquote(std::string_view text, Allocate allocate) {
  if (text.size() < 2) return text;
  char quote = text[0];
  if (quote == '[') return text.substr(1, text.size() - 2);
  std::string_view inner = text.substr(1, text.size() - 2);
  size_t at = inner.find(quote);
  if (at == std::string_view::npos) return inner;
  char* out = allocate(inner.size());
  size_t size = 0;
  for (size_t i = 0; i < inner.size(); ++i) {
    out[size++] = inner[i];
    if (inner[i] == quote) ++i;
  }
  return {out, size};
}

}  // namespace godwit
