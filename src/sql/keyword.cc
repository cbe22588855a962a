// Keyword lookup: a hash table built at compile time, with the words of equal hash chained.
#include <array>

#include "sql/token.h"

namespace godwit {
namespace {

constexpr std::string_view kWords[] = {
#define X(word, klass) #word,
    GODWIT_KEYWORDS(X)
#undef X
};
static_assert(std::size(kWords) == kKeywordCount);

constexpr size_t kShortest = 2;
constexpr size_t kLongest = 17;  // CURRENT_TIMESTAMP
constexpr int kBuckets = 256;

constexpr unsigned char upper(char c) {
  return static_cast<unsigned char>(c) & 0xdf;
}

constexpr unsigned bucket(std::string_view word) {
  unsigned hash = upper(word.front()) * 7 + upper(word[1]) * 29 + upper(word.back()) * 41 +
                  static_cast<unsigned>(word.size()) * 5;
  return hash % kBuckets;
}

// Links are keyword numbers plus one; zero ends a chain.
struct Table {
  std::array<uint8_t, kBuckets> first{};
  std::array<uint8_t, kKeywordCount> next{};
};

constexpr Table kTable = [] {
  Table table;
  for (int i = kKeywordCount - 1; i >= 0; --i) {
    uint8_t& head = table.first[bucket(kWords[i])];
    table.next[i] = head;
    head = static_cast<uint8_t>(i + 1);
  }
  return table;
}();

// `word` holds identifier bytes only; among them, clearing the case bit makes no byte equal to a
// letter or underscore that it is not.
bool equals_ignoring_case(std::string_view word, std::string_view keyword) {
  if (word.size() != keyword.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (upper(word[i]) != static_cast<unsigned char>(keyword[i])) return false;
  }
  return true;
}

}  // namespace

TokenKind find_keyword(std::string_view word) {
  if (word.size() < kShortest || word.size() > kLongest) return TokenKind::kId;
  for (int link = kTable.first[bucket(word)]; link != 0; link = kTable.next[link - 1]) {
    if (equals_ignoring_case(word, kWords[link - 1])) {
      return static_cast<TokenKind>(kFirstKeyword + link - 1);
    }
  }
  return TokenKind::kId;
}

std::string_view keyword_text(int index) {
  return kWords[index];
}

}  // namespace godwit
