#include "modules/fts3_tokenizers.h"

#include <algorithm>

#include "modules/fts3_config.h"
#include "modules/fts_unicode.h"
#include "modules/porter_stemmer.h"

namespace godwit::modules {

namespace {

using TakeToken = std::function<bool(const Fts3Token&)>;

bool is_ascii_alphanumeric(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void fold_ascii(std::string_view text, std::string* out) {
  out->clear();
  for (char c : text) out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
}

// ---- simple: runs of bytes that separate nothing ----------------------------------------------------

class SimpleTokenizer final : public Fts3Tokenizer {
 public:
  SimpleTokenizer() {
    for (int c = 1; c < 128; ++c) separates_[c] = !is_ascii_alphanumeric(static_cast<unsigned char>(c));
  }
  bool set_separators(std::string_view bytes) {
    std::fill(std::begin(separates_), std::end(separates_), false);
    for (char c : bytes) {
      if ((c & 0x80) != 0) return false;
      separates_[static_cast<unsigned char>(c)] = true;
    }
    return true;
  }
  void tokenize(std::string_view text, const TakeToken& take) const override {
    std::string folded;
    int position = 0;
    for (size_t at = 0; at < text.size();) {
      while (at < text.size() && separates(text[at])) ++at;
      const size_t start = at;
      while (at < text.size() && !separates(text[at])) ++at;
      if (at == start) return;
      fold_ascii(text.substr(start, at - start), &folded);
      if (!take({folded, static_cast<int>(start), static_cast<int>(at), position++})) return;
    }
  }

 private:
  bool separates(char c) const { return (c & 0x80) == 0 && separates_[static_cast<unsigned char>(c)]; }
  bool separates_[128] = {};
};

// ---- porter: stems of ASCII words -------------------------------------------------------------------

class Fts3PorterTokenizer final : public Fts3Tokenizer {
 public:
  void tokenize(std::string_view text, const TakeToken& take) const override {
    std::string word;
    int position = 0;
    for (size_t at = 0; at < text.size();) {
      while (at < text.size() && !is_part(text[at])) ++at;
      const size_t start = at;
      while (at < text.size() && is_part(text[at])) ++at;
      if (at == start) return;
      take_stem(text.substr(start, at - start), &word);
      if (!take({word, static_cast<int>(start), static_cast<int>(at), position++})) return;
    }
  }

 private:
  static bool is_part(char c) {
    return (c & 0x80) != 0 || c == '_' || is_ascii_alphanumeric(static_cast<unsigned char>(c));
  }
  static void take_stem(std::string_view text, std::string* word) {
    fold_ascii(text, word);
    const bool is_word = std::all_of(word->begin(), word->end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (is_word && word->size() >= 3 && word->size() <= 20) return stem(word);
    if (is_word && word->size() < 3) return;
    // Of what is no word the two ends are kept, less of what has digits.
    const bool has_digit = std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const size_t kept = has_digit ? 3 : 10;
    if (word->size() > 2 * kept) word->erase(kept, word->size() - 2 * kept);
  }
};

// ---- unicode61 --------------------------------------------------------------------------------------

class Fts3UnicodeTokenizer final : public Fts3Tokenizer {
 public:
  bool set(std::string_view argument) {
    for (int kind = 0; kind < 3; ++kind) {
      static constexpr std::string_view kDiacritics[] = {"remove_diacritics=0", "remove_diacritics=1", "remove_diacritics=2"};
      if (argument == kDiacritics[kind]) {
        diacritics_ = static_cast<Diacritics>(kind);
        return true;
      }
    }
    const bool adds = argument.starts_with("tokenchars=");
    if (!adds && !argument.starts_with("separators=")) return false;
    argument.remove_prefix(11);
    for (size_t at = 0; at < argument.size();) {
      const uint32_t c = next_code_point(argument, &at);
      if (is_letter(c) == adds || is_combining_mark(c)) continue;
      exceptions_.insert(std::lower_bound(exceptions_.begin(), exceptions_.end(), c), c);
    }
    return true;
  }
  void tokenize(std::string_view text, const TakeToken& take) const override {
    std::string folded;
    int position = 0;
    for (size_t at = 0; at < text.size();) {
      size_t start = at, end = at;
      folded.clear();
      bool in_token = false;
      while (at < text.size()) {
        const size_t before = at;
        const uint32_t c = next_code_point(text, &at);
        if (!is_token(c) && !(in_token && is_combining_mark(c))) {
          if (in_token) break;
          continue;
        }
        if (!in_token) start = before;
        in_token = true;
        end = at;
        if (diacritics_ == Diacritics::kKeep || !is_combining_mark(c)) append_code_point(fold(c, diacritics_), &folded);
      }
      if (!in_token) return;
      if (!take({folded, static_cast<int>(start), static_cast<int>(end), position++})) return;
    }
  }

 private:
  static bool is_letter(uint32_t c) {
    if (c < 128) return is_ascii_alphanumeric(static_cast<unsigned char>(c));
    static const std::vector<bool> kLetters = [] {
      std::vector<bool> kinds(32, false);
      kinds[0] = true;
      for (const char* name : {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Co"}) {
        if (int number = category_number(name); number >= 0) kinds[static_cast<size_t>(number)] = true;
      }
      return kinds;
    }();
    return kLetters[static_cast<size_t>(category_of(c))];
  }
  bool is_token(uint32_t c) const {
    return is_letter(c) != std::binary_search(exceptions_.begin(), exceptions_.end(), c);
  }

  Diacritics diacritics_ = Diacritics::kRemoveSimple;
  std::vector<uint32_t> exceptions_;  // sorted: what is not as its category
};

}  // namespace

int open_fts3_tokenizer(const std::string& name, const std::vector<std::string>& arguments,
                        std::shared_ptr<const Fts3Tokenizer>* tokenizer, std::string* error) {
  bool is_good = true;
  if (name == "simple") {
    auto made = std::make_shared<SimpleTokenizer>();
    // The first argument is not looked at, by SQLite neither.
    if (arguments.size() > 1) is_good = made->set_separators(arguments[1]);
    *tokenizer = std::move(made);
  } else if (name == "porter") {
    *tokenizer = std::make_shared<Fts3PorterTokenizer>();
  } else if (name == "unicode61") {
    auto made = std::make_shared<Fts3UnicodeTokenizer>();
    for (const std::string& argument : arguments) is_good = is_good && made->set(argument);
    *tokenizer = std::move(made);
  } else {
    *error = "unknown tokenizer: " + name;
    return SQLITE_ERROR;
  }
  if (!is_good) *error = "unknown tokenizer";
  return is_good ? SQLITE_OK : SQLITE_ERROR;
}

int open_fts3_tokenizer(std::string_view directive, std::shared_ptr<const Fts3Tokenizer>* tokenizer, std::string* error) {
  std::string name, argument;
  std::vector<std::string> arguments;
  size_t at = 0;
  if (!take_fts3_word(directive, &at, &name)) name = "simple";
  while (take_fts3_word(directive, &at, &argument)) arguments.push_back(argument);
  return open_fts3_tokenizer(name, arguments, tokenizer, error);
}

}  // namespace godwit::modules
