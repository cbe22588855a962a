// Texts for C: printf into allocated memory, growing strings, comparisons, keywords.
#include <cstdarg>
#include <cstring>
#include <deque>
#include <new>
#include <string>

#include "base/utf.h"
#include "function/like.h"
#include "function/printf.h"
#include "sql/token.h"
#include "sqlite3.h"

using namespace godwit;

// A string under construction.
struct sqlite3_str {
  std::string text;
  int error = SQLITE_OK;
  int64_t bytes_max = 1000000000;
};

namespace {

// The arguments of a C call, taken in the order and of the types that the format asks for.
class CArguments final : public FormatArguments {
 public:
  CArguments(const char* format, va_list arguments) {
    va_list args;
    va_copy(args, arguments);
    for (const char* at = format; *at != '\0';) {
      if (*at++ == '%') at = take(at, args);
    }
    va_end(args);
  }
  ~CArguments() override {
    for (char* text : owned_) sqlite3_free(text);
  }

  int64_t next_integer() override {
    Argument a = next();
    return a.is_real ? 0 : a.integer;
  }
  double next_real() override { return next().real; }
  bool next_text(std::string_view* text) override {
    Argument a = next();
    if (a.text == nullptr) return false;
    *text = a.text;
    return true;
  }

 private:
  struct Argument {
    bool is_real = false;
    int64_t integer = 0;
    double real = 0;
    const char* text = nullptr;
  };

  Argument next() {
    if (arguments_.empty()) return Argument();
    Argument first = arguments_.front();
    arguments_.pop_front();
    return first;
  }

  void add_integer(int64_t value) {
    Argument a;
    a.integer = value;
    arguments_.push_back(a);
  }
  void add_text(const char* text) {
    Argument a;
    a.text = text;
    arguments_.push_back(a);
  }

  // `at`: behind a percent sign. Returns where its conversion ends.
  const char* take(const char* at, va_list& args) {
    while (*at != '\0' && std::strchr("-+ #!0,", *at) != nullptr) ++at;
    for (bool precision = false;; precision = true) {
      if (*at == '*') {
        add_integer(va_arg(args, int));
        ++at;
      }
      while (is_ascii_digit(*at)) ++at;
      if (*at != '.' || precision) break;
      ++at;
    }
    int longs = 0;
    for (; *at == 'l'; ++at) ++longs;
    switch (*at) {
      case 'd': case 'i': case 'r':
        add_integer(longs >= 2   ? va_arg(args, long long)
                    : longs == 1 ? va_arg(args, long)
                                 : va_arg(args, int));
        break;
      case 'u': case 'x': case 'X': case 'o':
        add_integer(longs >= 2   ? static_cast<int64_t>(va_arg(args, unsigned long long))
                    : longs == 1 ? static_cast<int64_t>(va_arg(args, unsigned long))
                                 : int64_t{va_arg(args, unsigned int)});
        break;
      case 'p':
        add_integer(reinterpret_cast<int64_t>(va_arg(args, void*)));
        break;
      case 'c': {
        char bytes[kUtf8BytesMax];
        int size = write_utf8(bytes, va_arg(args, unsigned int));
        characters_.emplace_back(bytes, static_cast<size_t>(size));
        add_text(characters_.back().c_str());
        break;
      }
      case 's': case 'q': case 'Q': case 'w':
        add_text(va_arg(args, const char*));
        break;
      case 'z': {
        char* text = va_arg(args, char*);
        if (text != nullptr) owned_.push_back(text);
        add_text(text);
        break;
      }
      case 'f': case 'e': case 'E': case 'g': case 'G': {
        Argument a;
        a.is_real = true;
        a.real = va_arg(args, double);
        arguments_.push_back(a);
        break;
      }
      case 'n':
        (void)va_arg(args, void*);
        break;
      case '\0':
        return at;
      default:
        break;
    }
    return at + 1;
  }

  std::deque<Argument> arguments_;
  std::deque<std::string> characters_;  // of %c
  std::deque<char*> owned_;             // of %z
};

Status format(const char* text, va_list arguments, int64_t bytes_max, std::string* out) {
  CArguments taken(text, arguments);
  return format_text(text, &taken, bytes_max, out, nullptr);
}

char* to_allocated(std::string_view text) {
  char* copy = static_cast<char*>(sqlite3_malloc64(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

constexpr int64_t kFormatBytesMax = 1000000000;

}  // namespace

char* sqlite3_vmprintf(const char* text, va_list arguments) {
  if (text == nullptr) return nullptr;
  try {
    std::string out;
    return format(text, arguments, kFormatBytesMax, &out).ok() ? to_allocated(out) : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

char* sqlite3_mprintf(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  char* out = sqlite3_vmprintf(text, arguments);
  va_end(arguments);
  return out;
}

char* sqlite3_vsnprintf(int bytes, char* out, const char* text, va_list arguments) {
  if (bytes <= 0) return out;
  out[0] = '\0';
  if (text == nullptr) return out;
  try {
    std::string made;
    (void)format(text, arguments, kFormatBytesMax, &made);
    size_t size = made.size() < static_cast<size_t>(bytes) ? made.size()
                                                           : static_cast<size_t>(bytes) - 1;
    std::memcpy(out, made.data(), size);
    out[size] = '\0';
  } catch (const std::bad_alloc&) {
  }
  return out;
}

char* sqlite3_snprintf(int bytes, char* out, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  sqlite3_vsnprintf(bytes, out, text, arguments);
  va_end(arguments);
  return out;
}

// ---- Growing strings -------------------------------------------------------------------------------

namespace {

template <typename F>
void change(sqlite3_str* str, F f) {
  if (str == nullptr || str->error != SQLITE_OK) return;
  try {
    f(&str->text);
    if (static_cast<int64_t>(str->text.size()) > str->bytes_max) str->error = SQLITE_TOOBIG;
  } catch (const std::bad_alloc&) {
    str->error = SQLITE_NOMEM;
  }
  if (str->error != SQLITE_OK) str->text.clear();
}

}  // namespace

sqlite3_str* sqlite3_str_new(sqlite3* db) {
  auto* str = new (std::nothrow) sqlite3_str;
  if (str != nullptr && db != nullptr) str->bytes_max = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1);
  return str;
}

char* sqlite3_str_finish(sqlite3_str* str) {
  if (str == nullptr) return nullptr;
  char* text = str->error == SQLITE_OK && !str->text.empty() ? to_allocated(str->text) : nullptr;
  delete str;
  return text;
}

void sqlite3_str_free(sqlite3_str* str) { delete str; }

void sqlite3_str_vappendf(sqlite3_str* str, const char* text, va_list arguments) {
  change(str, [&](std::string* out) { (void)format(text, arguments, kFormatBytesMax, out); });
}

void sqlite3_str_appendf(sqlite3_str* str, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  sqlite3_str_vappendf(str, text, arguments);
  va_end(arguments);
}

void sqlite3_str_append(sqlite3_str* str, const char* text, int bytes) {
  if (bytes <= 0) return;
  change(str, [&](std::string* out) { out->append(text, static_cast<size_t>(bytes)); });
}
void sqlite3_str_appendall(sqlite3_str* str, const char* text) {
  change(str, [&](std::string* out) { out->append(text); });
}
void sqlite3_str_appendchar(sqlite3_str* str, int count, char c) {
  if (count <= 0) return;
  change(str, [&](std::string* out) { out->append(static_cast<size_t>(count), c); });
}
void sqlite3_str_reset(sqlite3_str* str) {
  if (str == nullptr) return;
  str->text.clear();
  str->error = SQLITE_OK;
}
void sqlite3_str_truncate(sqlite3_str* str, int bytes) {
  if (str == nullptr || bytes < 0) return;
  if (static_cast<size_t>(bytes) < str->text.size()) str->text.resize(static_cast<size_t>(bytes));
}
int sqlite3_str_errcode(sqlite3_str* str) { return str == nullptr ? SQLITE_NOMEM : str->error; }
int sqlite3_str_length(sqlite3_str* str) {
  return str == nullptr ? 0 : static_cast<int>(str->text.size());
}
char* sqlite3_str_value(sqlite3_str* str) {
  return str == nullptr || str->text.empty() ? nullptr : str->text.data();
}

// ---- Comparisons and keywords ------------------------------------------------------------------------

int sqlite3_stricmp(const char* a, const char* b) {
  if (a == nullptr) return b == nullptr ? 0 : -1;
  if (b == nullptr) return 1;
  return sqlite3_strnicmp(a, b, INT32_MAX);
}

int sqlite3_strnicmp(const char* a, const char* b, int bytes) {
  if (a == nullptr) return b == nullptr ? 0 : -1;
  if (b == nullptr) return 1;
  for (; bytes > 0; --bytes, ++a, ++b) {
    int order = static_cast<unsigned char>(ascii_lower(*a)) -
                static_cast<unsigned char>(ascii_lower(*b));
    if (order != 0 || *a == '\0') return order;
  }
  return 0;
}

int sqlite3_strglob(const char* pattern, const char* text) {
  if (text == nullptr) return pattern == nullptr ? 0 : 1;
  if (pattern == nullptr) return 1;
  return matches_pattern(pattern, text, kGlobSyntax, 0) ? 0 : 1;
}

int sqlite3_strlike(const char* pattern, const char* text, unsigned int escape) {
  if (text == nullptr) return pattern == nullptr ? 0 : 1;
  if (pattern == nullptr) return 1;
  PatternSyntax syntax = kLikeSyntax;
  if (escape == syntax.any_text) syntax.any_text = 0;
  return matches_pattern(pattern, text, syntax, escape) ? 0 : 1;
}

int sqlite3_keyword_count() { return kKeywordCount; }

int sqlite3_keyword_name(int index, const char** name, int* bytes) {
  if (index < 0 || index >= kKeywordCount || name == nullptr || bytes == nullptr) return SQLITE_ERROR;
  std::string_view text = keyword_text(index);
  *name = text.data();
  *bytes = static_cast<int>(text.size());
  return SQLITE_OK;
}

int sqlite3_keyword_check(const char* name, int bytes) {
  if (name == nullptr || bytes < 0) return 0;
  return find_keyword({name, static_cast<size_t>(bytes)}) != TokenKind::kId ? 1 : 0;
}
