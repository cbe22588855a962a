#include "modules/porter_stemmer.h"

#include <cstddef>
#include <string_view>

namespace godwit::modules {

namespace {

constexpr size_t kShortest = 3, kLongest = 64;

bool is_vowel(std::string_view word, size_t i) {
  switch (word[i]) {
    case 'a': case 'e': case 'i': case 'o': case 'u': return true;
    case 'y': return i > 0 && !is_vowel(word, i - 1);
    default: return false;
  }
}

// The number of sequences of vowels followed by consonants.
int measure(std::string_view stem) {
  int count = 0;
  bool after_vowel = false;
  for (size_t i = 0; i < stem.size(); ++i) {
    const bool vowel = is_vowel(stem, i);
    if (after_vowel && !vowel) ++count;
    after_vowel = vowel;
  }
  return count;
}

bool has_vowel(std::string_view stem) {
  for (size_t i = 0; i < stem.size(); ++i) {
    if (is_vowel(stem, i)) return true;
  }
  return false;
}

bool ends_with_double_consonant(std::string_view word) {
  const size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && !is_vowel(word, n - 1);
}

// Consonant, vowel, consonant that is not w, x or y.
bool ends_with_short_syllable(std::string_view word) {
  const size_t n = word.size();
  if (n < 3 || is_vowel(word, n - 1) || !is_vowel(word, n - 2) || is_vowel(word, n - 3)) return false;
  return word[n - 1] != 'w' && word[n - 1] != 'x' && word[n - 1] != 'y';
}

struct Rule {
  std::string_view suffix, replacement;
};

// The first rule whose suffix the word has is the only one; it needs a stem of more than `least`.
template <size_t kCount>
void apply(const Rule (&rules)[kCount], int least, std::string* word) {
  for (const Rule& rule : rules) {
    if (!std::string_view(*word).ends_with(rule.suffix)) continue;
    const std::string_view stem = std::string_view(*word).substr(0, word->size() - rule.suffix.size());
    if (stem.empty() || measure(stem) <= least) return;
    if (rule.suffix == "ion" && stem.back() != 's' && stem.back() != 't') return;
    word->resize(stem.size());
    *word += rule.replacement;
    return;
  }
}

constexpr Rule kStep2[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},  {"anci", "ance"},  {"izer", "ize"},
    {"logi", "log"},    {"bli", "ble"},     {"alli", "al"},    {"entli", "ent"},  {"eli", "e"},
    {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},  {"ator", "ate"},   {"alism", "al"},
    {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"},
    {"biliti", "ble"},
};
constexpr Rule kStep3[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                           {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
constexpr Rule kStep4[] = {{"ement", ""}, {"ance", ""}, {"ence", ""}, {"able", ""}, {"ible", ""},
                           {"ment", ""},  {"ant", ""},  {"ent", ""},  {"ion", ""},  {"ism", ""},
                           {"ate", ""},   {"iti", ""},  {"ous", ""},  {"ive", ""},  {"ize", ""},
                           {"al", ""},    {"er", ""},   {"ic", ""},   {"ou", ""}};

void strip_plural(std::string* word) {
  if (word->back() != 's') return;
  const std::string_view view = *word;
  if (view.ends_with("sses") || (view.ends_with("ies") && view.size() > 3)) {
    word->resize(word->size() - 2);
  } else if (!view.ends_with("ss")) {
    word->pop_back();
  }
}

void strip_participle(std::string* word) {
  const std::string_view view = *word;
  if (view.ends_with("eed")) {
    if (measure(view.substr(0, view.size() - 3)) > 0) word->pop_back();
    return;
  }
  const size_t suffix = view.ends_with("ed") ? 2 : view.ends_with("ing") ? 3 : 0;
  if (suffix == 0 || !has_vowel(view.substr(0, view.size() - suffix))) return;
  word->resize(word->size() - suffix);
  const std::string_view stem = *word;
  if (stem.ends_with("at") || stem.ends_with("bl") || stem.ends_with("iz")) {
    word->push_back('e');
  } else if (ends_with_double_consonant(stem)) {
    const char last = stem.back();
    if (last != 'l' && last != 's' && last != 'z') word->pop_back();
  } else if (measure(stem) == 1 && ends_with_short_syllable(stem)) {
    word->push_back('e');
  }
}

void strip_final(std::string* word) {
  if (word->back() == 'e') {
    const std::string_view stem = std::string_view(*word).substr(0, word->size() - 1);
    const int count = measure(stem);
    if (count > 1 || (count == 1 && !ends_with_short_syllable(stem))) word->pop_back();
  }
  const std::string_view view = *word;
  if (view.ends_with("ll") && measure(view.substr(0, view.size() - 1)) > 1) word->pop_back();
}

}  // namespace

void stem(std::string* word) {
  if (word->size() < kShortest || word->size() > kLongest) return;
  strip_plural(word);
  strip_participle(word);
  if (word->size() > 1 && word->back() == 'y' &&
      has_vowel(std::string_view(*word).substr(0, word->size() - 1))) {
    word->back() = 'i';
  }
  apply(kStep2, 0, word);
  apply(kStep3, 0, word);
  apply(kStep4, 1, word);
  strip_final(word);
}

}  // namespace godwit::modules
