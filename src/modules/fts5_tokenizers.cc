#include "modules/fts5_tokenizers.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "modules/fts_unicode.h"
#include "modules/porter_stemmer.h"

namespace godwit::modules {

namespace {

using TokenFunction = int (*)(void*, int, const char*, int, int, int);

template <typename T>
Fts5Tokenizer* as_tokenizer(T* made) {
  return reinterpret_cast<Fts5Tokenizer*>(made);
}
template <typename T>
T* tokenizer_as(Fts5Tokenizer* tokenizer) {
  return reinterpret_cast<T*>(tokenizer);
}
template <typename T>
void delete_tokenizer(Fts5Tokenizer* tokenizer) {
  delete tokenizer_as<T>(tokenizer);
}

int give_token(TokenFunction token, void* context, const std::string& text, size_t start, size_t end) {
  return token(context, 0, text.data(), static_cast<int>(text.size()), static_cast<int>(start),
               static_cast<int>(end));
}

// ---- unicode61 -----------------------------------------------------------------------------------

struct UnicodeTokenizer {
  Diacritics diacritics = Diacritics::kRemoveSimple;
  bool takes_category[32] = {};
  bool is_ascii_token[128] = {};
  std::vector<uint32_t> exceptions;  // sorted: code points that are not as their category

  UnicodeTokenizer() { takes_category[0] = true; }

  bool is_token(uint32_t c) const {
    if (c < 128) return is_ascii_token[c];
    const bool by_category = takes_category[category_of(c)];
    return by_category != std::binary_search(exceptions.begin(), exceptions.end(), c);
  }

  bool set_categories(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
      if (text[at] == ' ' || text[at] == '\t') {
        ++at;
        continue;
      }
      if (at + 1 >= text.size()) return false;
      const std::string_view name = text.substr(at, 2);
      bool is_found = false;
      for (const char* second = "ulmotncedsifpk*"; *second != '\0'; ++second) {
        if (name[1] != '*' && name[1] != *second) continue;
        const char one[2] = {name[0], *second};
        const int number = category_number({one, 2});
        if (number < 0) continue;
        takes_category[number] = is_found = true;
      }
      if (!is_found) return false;
      at += 2;
    }
    return true;
  }

  void set_exceptions(std::string_view text, bool as_token) {
    for (size_t at = 0; at < text.size();) {
      const uint32_t c = next_code_point(text, &at);
      if (c < 128) {
        is_ascii_token[c] = as_token;
      } else if (is_token(c) != as_token && !is_combining_mark(c)) {
        exceptions.insert(std::lower_bound(exceptions.begin(), exceptions.end(), c), c);
      }
    }
  }
};

int create_unicode(void*, const char** arguments, int count, Fts5Tokenizer** out) {
  auto made = std::make_unique<UnicodeTokenizer>();
  if (count % 2 != 0) return SQLITE_ERROR;
  std::string_view categories = "L* N* Co";
  for (int i = 0; i < count; i += 2) {
    if (sqlite3_stricmp(arguments[i], "categories") == 0) categories = arguments[i + 1];
  }
  if (!made->set_categories(categories)) return SQLITE_ERROR;
  for (uint32_t c = 0; c < 128; ++c) {
    made->is_ascii_token[c] = made->takes_category[category_of(c)];
  }
  for (int i = 0; i < count; i += 2) {
    const char* value = arguments[i + 1];
    if (sqlite3_stricmp(arguments[i], "remove_diacritics") == 0) {
      if (value[0] < '0' || value[0] > '2' || value[1] != '\0') return SQLITE_ERROR;
      made->diacritics = static_cast<Diacritics>(value[0] - '0');
    } else if (sqlite3_stricmp(arguments[i], "tokenchars") == 0) {
      made->set_exceptions(value, true);
    } else if (sqlite3_stricmp(arguments[i], "separators") == 0) {
      made->set_exceptions(value, false);
    } else if (sqlite3_stricmp(arguments[i], "categories") != 0) {
      return SQLITE_ERROR;
    }
  }
  *out = as_tokenizer(made.release());
  return SQLITE_OK;
}

int tokenize_unicode(Fts5Tokenizer* tokenizer, void* context, int, const char* data, int size,
                     TokenFunction token) {
  const auto* self = tokenizer_as<UnicodeTokenizer>(tokenizer);
  const std::string_view text(data, static_cast<size_t>(std::max(size, 0)));
  std::string folded;
  size_t start = 0, end = 0;
  bool in_token = false;
  for (size_t at = 0; at <= text.size();) {
    const size_t before = at;
    const uint32_t c = at < text.size() ? next_code_point(text, &at) : ' ';
    if (at == before) ++at;  // the end
    const bool is_mark = in_token && is_combining_mark(c);
    const bool is_part = before < text.size() && (is_mark || self->is_token(c));
    if (!is_part) {
      if (in_token) {
        int code = give_token(token, context, folded, start, end);
        if (code != SQLITE_OK) return code == SQLITE_DONE ? SQLITE_OK : code;
      }
      in_token = false;
      continue;
    }
    if (!in_token) {
      in_token = true;
      folded.clear();
      start = before;
    }
    end = at;
    const bool removes = self->diacritics != Diacritics::kKeep && is_combining_mark(c);
    if (!removes) append_code_point(fold(c, self->diacritics), &folded);
  }
  return SQLITE_OK;
}

// ---- ascii ---------------------------------------------------------------------------------------

struct AsciiTokenizer {
  bool is_token[256] = {};
};

int create_ascii(void*, const char** arguments, int count, Fts5Tokenizer** out) {
  auto made = std::make_unique<AsciiTokenizer>();
  if (count % 2 != 0) return SQLITE_ERROR;
  for (int c = 0; c < 256; ++c) {
    made->is_token[c] = c >= 128 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  for (int i = 0; i < count; i += 2) {
    const bool adds = sqlite3_stricmp(arguments[i], "tokenchars") == 0;
    if (!adds && sqlite3_stricmp(arguments[i], "separators") != 0) return SQLITE_ERROR;
    for (const char* c = arguments[i + 1]; *c != '\0'; ++c) {
      if ((*c & 0x80) == 0) made->is_token[static_cast<unsigned char>(*c)] = adds;
    }
  }
  *out = as_tokenizer(made.release());
  return SQLITE_OK;
}

int tokenize_ascii(Fts5Tokenizer* tokenizer, void* context, int, const char* data, int size,
                   TokenFunction token) {
  const auto* self = tokenizer_as<AsciiTokenizer>(tokenizer);
  std::string folded;
  for (int at = 0; at < size;) {
    const int start = at;
    folded.clear();
    while (at < size && self->is_token[static_cast<unsigned char>(data[at])]) {
      const char c = data[at++];
      folded.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
    }
    if (at == start) {
      ++at;
      continue;
    }
    int code = give_token(token, context, folded, static_cast<size_t>(start), static_cast<size_t>(at));
    if (code != SQLITE_OK) return code == SQLITE_DONE ? SQLITE_OK : code;
  }
  return SQLITE_OK;
}

// ---- porter: stems of another tokenizer's tokens ---------------------------------------------------

struct PorterTokenizer {
  fts5_tokenizer inner = {};
  Fts5Tokenizer* tokenizer = nullptr;

  ~PorterTokenizer() {
    if (tokenizer != nullptr) inner.xDelete(tokenizer);
  }
};

int create_porter(void* context, const char** arguments, int count, Fts5Tokenizer** out) {
  auto* api = static_cast<fts5_api*>(context);
  auto made = std::make_unique<PorterTokenizer>();
  void* inner_context = nullptr;
  int code = api->xFindTokenizer(api, count > 0 ? arguments[0] : "unicode61", &inner_context, &made->inner);
  if (code == SQLITE_OK) {
    code = made->inner.xCreate(inner_context, count > 0 ? arguments + 1 : nullptr, std::max(count - 1, 0),
                               &made->tokenizer);
  }
  if (code != SQLITE_OK) return code;
  *out = as_tokenizer(made.release());
  return SQLITE_OK;
}

struct PorterCall {
  void* context;
  TokenFunction token;
  std::string word;
};

int give_stem(void* context, int flags, const char* token, int size, int start, int end) {
  auto* call = static_cast<PorterCall*>(context);
  call->word.assign(token, static_cast<size_t>(size));
  stem(&call->word);
  return call->token(call->context, flags, call->word.data(), static_cast<int>(call->word.size()), start, end);
}

int tokenize_porter(Fts5Tokenizer* tokenizer, void* context, int flags, const char* data, int size,
                    TokenFunction token) {
  auto* self = tokenizer_as<PorterTokenizer>(tokenizer);
  PorterCall call{context, token, {}};
  return self->inner.xTokenize(self->tokenizer, &call, flags, data, size, give_stem);
}

// ---- trigram: each three characters that follow each other -------------------------------------------

struct TrigramTokenizer {
  bool folds = true;
  Diacritics diacritics = Diacritics::kKeep;
};

int create_trigram(void*, const char** arguments, int count, Fts5Tokenizer** out) {
  auto made = std::make_unique<TrigramTokenizer>();
  if (count % 2 != 0) return SQLITE_ERROR;
  for (int i = 0; i < count; i += 2) {
    const char* value = arguments[i + 1];
    if ((value[0] != '0' && value[0] != '1') || value[1] != '\0') return SQLITE_ERROR;
    if (sqlite3_stricmp(arguments[i], "case_sensitive") == 0) {
      made->folds = value[0] == '0';
    } else if (sqlite3_stricmp(arguments[i], "remove_diacritics") == 0) {
      made->diacritics = value[0] == '1' ? Diacritics::kRemoveAll : Diacritics::kKeep;
    } else {
      return SQLITE_ERROR;
    }
  }
  if (!made->folds && made->diacritics != Diacritics::kKeep) return SQLITE_ERROR;
  *out = as_tokenizer(made.release());
  return SQLITE_OK;
}

int tokenize_trigram(Fts5Tokenizer* tokenizer, void* context, int, const char* data, int size,
                     TokenFunction token) {
  const auto* self = tokenizer_as<TrigramTokenizer>(tokenizer);
  const std::string_view text(data, static_cast<size_t>(std::max(size, 0)));
  struct Character {
    std::string folded;
    size_t start, end;
  };
  std::vector<Character> last;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    uint32_t c = next_code_point(text, &at);
    if (c == 0) break;
    if (self->diacritics != Diacritics::kKeep && is_combining_mark(c)) {
      if (!last.empty()) last.back().end = at;
      continue;
    }
    if (last.size() == 3) {
      int code = give_token(token, context, last[0].folded + last[1].folded + last[2].folded,
                            last[0].start, last[2].end);
      if (code != SQLITE_OK) return code == SQLITE_DONE ? SQLITE_OK : code;
      last.erase(last.begin());
    }
    Character character{{}, start, at};
    append_code_point(self->folds ? fold(c, self->diacritics) : c, &character.folded);
    last.push_back(std::move(character));
  }
  if (last.size() < 3) return SQLITE_OK;
  int code = give_token(token, context, last[0].folded + last[1].folded + last[2].folded, last[0].start,
                        last[2].end);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

}  // namespace

int add_fts5_tokenizers(fts5_api* api) {
  struct Entry {
    const char* name;
    fts5_tokenizer methods;
  };
  Entry entries[] = {
      {"unicode61", {create_unicode, delete_tokenizer<UnicodeTokenizer>, tokenize_unicode}},
      {"ascii", {create_ascii, delete_tokenizer<AsciiTokenizer>, tokenize_ascii}},
      {"porter", {create_porter, delete_tokenizer<PorterTokenizer>, tokenize_porter}},
      {"trigram", {create_trigram, delete_tokenizer<TrigramTokenizer>, tokenize_trigram}},
  };
  for (Entry& entry : entries) {
    int code = api->xCreateTokenizer(api, entry.name, api, &entry.methods, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace godwit::modules
