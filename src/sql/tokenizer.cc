// The tokenizer: one table look-up on the first byte says what kind of token begins there.
#include <cstring>

#include "sql/token.h"

namespace godwit {
namespace {

enum ByteClass : uint8_t {
  kByteIllegal,
  kByteSpace,
  kByteLetter,
  kByteX,  // x or X: a letter, or the start of a blob
  kByteDigit,
  kByteBom,    // the first byte of a byte order mark, otherwise a letter
  kByteQuote,  // ' " `
  kByteBracket,
  kByteQuestion,
  kByteVariable,  // $ @ # :
  kByteDot,
  kByteMinus,
  kByteSlash,
  kByteEqual,
  kByteLess,
  kByteGreater,
  kByteBang,
  kBytePipe,
  kByteSingle,  // a token by itself
};

constexpr TokenKind single_byte_token(unsigned char c) {
  switch (c) {
    case ';':
      return TokenKind::kSemicolon;
    case '(':
      return TokenKind::kLeftParen;
    case ')':
      return TokenKind::kRightParen;
    case ',':
      return TokenKind::kComma;
    case '+':
      return TokenKind::kPlus;
    case '*':
      return TokenKind::kStar;
    case '%':
      return TokenKind::kPercent;
    case '&':
      return TokenKind::kBitAnd;
    case '~':
      return TokenKind::kBitNot;
    default:
      return TokenKind::kIllegal;
  }
}

constexpr bool is_letter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

constexpr auto kByteClass = [] {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    auto byte = static_cast<unsigned char>(c);
    if (is_letter(byte)) table[c] = kByteLetter;
    if (byte >= '0' && byte <= '9') table[c] = kByteDigit;
    if (single_byte_token(byte) != TokenKind::kIllegal) table[c] = kByteSingle;
  }
  // A vertical tab is space inside a run of space, but cannot begin one.
  for (unsigned char c : {' ', '\t', '\n', '\f', '\r'}) table[c] = kByteSpace;
  for (unsigned char c : {'\'', '"', '`'}) table[c] = kByteQuote;
  for (unsigned char c : {'$', '@', '#', ':'}) table[c] = kByteVariable;
  table['x'] = table['X'] = kByteX;
  table[0xef] = kByteBom;
  table['['] = kByteBracket;
  table['?'] = kByteQuestion;
  table['.'] = kByteDot;
  table['-'] = kByteMinus;
  table['/'] = kByteSlash;
  table['='] = kByteEqual;
  table['<'] = kByteLess;
  table['>'] = kByteGreater;
  table['!'] = kByteBang;
  table['|'] = kBytePipe;
  return table;
}();

constexpr auto kIdentifierByte = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    auto byte = static_cast<unsigned char>(c);
    table[c] = is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '$';
  }
  return table;
}();

constexpr bool is_digit(unsigned char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_hex_digit(unsigned char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The text from one position on; reads as NUL past its end.
class Cursor {
 public:
  Cursor(std::string_view sql, uint32_t start) : sql_(sql), start_(start), at_(start) {}

  unsigned char operator[](uint32_t ahead) const {
    size_t i = size_t{at_} + ahead;
    return i < sql_.size() ? static_cast<unsigned char>(sql_[i]) : 0;
  }
  bool done() const { return at_ >= sql_.size(); }
  void skip(uint32_t count) { at_ += count; }
  void skip_identifier() {
    const auto* byte = reinterpret_cast<const unsigned char*>(sql_.data());
    uint32_t at = at_;
    while (at < sql_.size() && kIdentifierByte[byte[at]]) ++at;
    at_ = at;
  }
  // To the first `byte`, or the end; returns whether it was found.
  bool skip_to(char byte) {
    const void* found = std::memchr(sql_.data() + at_, byte, sql_.size() - at_);
    at_ = found != nullptr ? static_cast<uint32_t>(static_cast<const char*>(found) - sql_.data())
                           : static_cast<uint32_t>(sql_.size());
    return found != nullptr;
  }
  Token token(TokenKind kind) const { return {kind, start_, at_ - start_}; }
  Token token(TokenKind kind, uint32_t length) const { return {kind, start_, length}; }
  std::string_view text() const { return sql_.substr(start_, at_ - start_); }
  uint32_t position() const { return at_; }

 private:
  std::string_view sql_;
  uint32_t start_;
  uint32_t at_;
};

Token scan_quoted(Cursor c) {
  char quote = static_cast<char>(c[0]);
  c.skip(1);
  while (c.skip_to(quote)) {
    c.skip(1);
    if (c[0] != static_cast<unsigned char>(quote)) {
      return c.token(quote == '\'' ? TokenKind::kString : TokenKind::kId);
    }
    c.skip(1);
  }
  return c.token(TokenKind::kIllegal);
}

Token scan_bracketed(Cursor c) {
  if (!c.skip_to(']')) return c.token(TokenKind::kIllegal);
  c.skip(1);
  return c.token(TokenKind::kId);
}

Token scan_blob(Cursor c) {
  c.skip(2);
  uint32_t digits = 0;
  for (; is_hex_digit(c[0]); ++digits) c.skip(1);
  if (c[0] == '\'' && digits % 2 == 0) {
    c.skip(1);
    return c.token(TokenKind::kBlob);
  }
  if (c.skip_to('\'')) c.skip(1);
  return c.token(TokenKind::kIllegal);
}

// Digits with separators; returns whether there were separators.
bool skip_digits(Cursor& c, bool hex) {
  bool separated = false;
  for (;; c.skip(1)) {
    if (c[0] == '_') {
      separated = true;
    } else if (!(hex ? is_hex_digit(c[0]) : is_digit(c[0]))) {
      return separated;
    }
  }
}

Token scan_number(Cursor c) {
  TokenKind kind = TokenKind::kInteger;
  bool separated = false;
  if (c[0] == '0' && (c[1] | 0x20) == 'x' && is_hex_digit(c[2])) {
    c.skip(2);
    separated = skip_digits(c, true);
  } else {
    separated = skip_digits(c, false);
    if (c[0] == '.') {
      kind = TokenKind::kReal;
      c.skip(1);
      separated |= skip_digits(c, false);
    }
    bool signed_exponent = c[1] == '+' || c[1] == '-';
    if ((c[0] | 0x20) == 'e' && is_digit(c[signed_exponent ? 2 : 1])) {
      kind = TokenKind::kReal;
      c.skip(signed_exponent ? 2 : 1);
      separated |= skip_digits(c, false);
    }
  }
  if (separated) kind = TokenKind::kSeparated;
  if (kIdentifierByte[c[0]] && !c.done()) {
    kind = TokenKind::kIllegal;
    c.skip_identifier();
  }
  return c.token(kind);
}

Token scan_variable(Cursor c) {
  c.skip(1);
  uint32_t name_bytes = 0;
  for (;;) {
    if (kIdentifierByte[c[0]] && !c.done()) {
      ++name_bytes;
      c.skip(1);
    } else if (c[0] == '(' && name_bytes > 0) {
      do c.skip(1);
      while (!c.done() && !is_sql_space(c[0]) && c[0] != ')');
      if (c[0] != ')') return c.token(TokenKind::kIllegal);
      c.skip(1);
      break;
    } else if (c[0] == ':' && c[1] == ':') {
      c.skip(2);
    } else {
      break;
    }
  }
  return c.token(name_bytes > 0 ? TokenKind::kVariable : TokenKind::kIllegal);
}

Token scan_identifier(Cursor& c) {
  c.skip_identifier();
  return c.token(find_keyword(c.text()));
}

Token scan_less(const Cursor& c) {
  switch (c[1]) {
    case '=':
      return c.token(TokenKind::kLessEqual, 2);
    case '>':
      return c.token(TokenKind::kNotEqual, 2);
    case '<':
      return c.token(TokenKind::kShiftLeft, 2);
    default:
      return c.token(TokenKind::kLess, 1);
  }
}

Token scan_greater(const Cursor& c) {
  switch (c[1]) {
    case '=':
      return c.token(TokenKind::kGreaterEqual, 2);
    case '>':
      return c.token(TokenKind::kShiftRight, 2);
    default:
      return c.token(TokenKind::kGreater, 1);
  }
}

Token scan_minus(const Cursor& c) {
  if (c[1] != '>') return c.token(TokenKind::kMinus, 1);
  return c[2] == '>' ? c.token(TokenKind::kLongArrow, 3) : c.token(TokenKind::kArrow, 2);
}

// Skips space and comments from the cursor on; a comment that is not closed runs to the end.
void skip_space(Cursor& c) {
  while (!c.done()) {
    switch (kByteClass[c[0]]) {
      case kByteSpace:
        while (is_sql_space(c[0])) c.skip(1);
        continue;
      case kByteBom:
        if (c[1] != 0xbb || c[2] != 0xbf) return;
        c.skip(3);
        continue;
      case kByteMinus:
        if (c[1] != '-') return;
        c.skip_to('\n');
        continue;
      case kByteSlash:
        if (c[1] != '*' || c[2] == 0) return;
        // The first byte after the opening cannot close it: "/*/" is still open.
        c.skip(3);
        while (c.skip_to('/') && c.text().back() != '*') c.skip(1);
        if (!c.done()) c.skip(1);
        continue;
      default:
        return;
    }
  }
}

}  // namespace

bool is_identifier_byte(unsigned char c) {
  return kIdentifierByte[c];
}
bool is_sql_space(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Tokenizer::Tokenizer(std::string_view sql) : sql_(sql) {
  size_t nul = sql_.find('\0');
  if (nul != std::string_view::npos) sql_ = sql_.substr(0, nul);
}

// The classes of bytes that begin space or a comment.
constexpr auto kMayBeSpace = [] {
  std::array<bool, kByteSingle + 1> table{};
  for (ByteClass c : {kByteSpace, kByteBom, kByteMinus, kByteSlash}) table[c] = true;
  return table;
}();

Token Tokenizer::scan(uint32_t position) const {
  Cursor c(sql_, position);
  // Between most tokens stands one space or nothing.
  if (c[0] == ' ' && !is_sql_space(c[1])) c = Cursor(sql_, position + 1);
  if (kMayBeSpace[kByteClass[c[0]]]) {
    skip_space(c);
    c = Cursor(sql_, c.position());
  }
  if (c.done()) return c.token(TokenKind::kEnd, 0);
  switch (kByteClass[c[0]]) {
    case kByteLetter:
    case kByteBom:
      return scan_identifier(c);
    case kByteX:
      return c[1] == '\'' ? scan_blob(c) : scan_identifier(c);
    case kByteDigit:
      return scan_number(c);
    case kByteQuote:
      return scan_quoted(c);
    case kByteBracket:
      return scan_bracketed(c);
    case kByteQuestion:
      do c.skip(1);
      while (is_digit(c[0]));
      return c.token(TokenKind::kVariable);
    case kByteVariable:
      return scan_variable(c);
    case kByteDot:
      return is_digit(c[1]) ? scan_number(c) : c.token(TokenKind::kDot, 1);
    case kByteMinus:
      return scan_minus(c);
    case kByteSlash:
      return c.token(TokenKind::kSlash, 1);
    case kByteEqual:
      return c.token(TokenKind::kEqual, c[1] == '=' ? 2 : 1);
    case kByteLess:
      return scan_less(c);
    case kByteGreater:
      return scan_greater(c);
    case kByteBang:
      return c[1] == '=' ? c.token(TokenKind::kNotEqual, 2) : c.token(TokenKind::kIllegal, 1);
    case kBytePipe:
      return c[1] == '|' ? c.token(TokenKind::kConcat, 2) : c.token(TokenKind::kBitOr, 1);
    case kByteSingle:
      return c.token(single_byte_token(c[0]), 1);
    default:
      return c.token(TokenKind::kIllegal, 1);
  }
}

// WINDOW is a keyword before `name AS`, OVER between `)` and `(` or a name, FILTER between `)` and
// `(`. Everywhere else they are names, as they were before windows existed.
TokenKind Tokenizer::resolve_window_word(const Token& token) const {
  auto is_name = [](const Token& t) {
    bool has_role = (internal::kNameRoles[static_cast<int>(t.kind)] & internal::kRoleName) != 0;
    return (has_role && t.kind != TokenKind::k_INDEXED) || t.kind == TokenKind::k_WINDOW ||
           t.kind == TokenKind::k_OVER;
  };
  Token after = scan(token.end());
  switch (token.kind) {
    case TokenKind::k_WINDOW:
      if (is_name(after) && scan(after.end()).kind == TokenKind::k_AS) return token.kind;
      break;
    case TokenKind::k_OVER:
      if (last_ == TokenKind::kRightParen &&
          (after.kind == TokenKind::kLeftParen || is_name(after))) {
        return token.kind;
      }
      break;
    default:
      if (last_ == TokenKind::kRightParen && after.kind == TokenKind::kLeftParen) return token.kind;
      break;
  }
  return TokenKind::kId;
}

Token Tokenizer::next() {
  Token token = scan(position_);
  position_ = token.end();
  if (token.kind == TokenKind::k_WINDOW || token.kind == TokenKind::k_OVER ||
      token.kind == TokenKind::k_FILTER) [[unlikely]] {
    token.kind = resolve_window_word(token);
  }
  last_ = token.kind;
  return token;
}

}  // namespace godwit
