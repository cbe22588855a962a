#include "function/like.h"

#include "base/utf.h"
#include "function/builtins.h"
#include "function/registry.h"

namespace godwit {

namespace {

bool same_character(uint32_t a, uint32_t b, bool ignore_case) {
  if (a == b) return true;
  return ignore_case && a < 0x80 && b < 0x80 &&
         ascii_lower(static_cast<char>(a)) == ascii_lower(static_cast<char>(b));
}

// Matches `c` with the set behind a '['; moves *pattern past the ']'. False too for a set without
// an end.
bool matches_set(const char** pattern, const char* end, uint32_t c) {
  bool seen = false, invert = false;
  uint32_t previous = 0;
  const char* p = *pattern;
  auto next = [&]() -> uint32_t { return p < end ? read_utf8(&p, end) : 0; };
  uint32_t member = next();
  if (member == '^') {
    invert = true;
    member = next();
  }
  if (member == ']') {
    seen = c == ']';
    member = next();
  }
  while (member != 0 && member != ']') {
    if (member == '-' && p < end && *p != ']' && previous > 0) {
      member = next();
      if (c >= previous && c <= member) seen = true;
      previous = 0;
    } else {
      if (c == member) seen = true;
      previous = member;
    }
    member = next();
  }
  *pattern = p;
  return member == ']' && seen != invert;
}

// Matches one element of the pattern (not any_text) with one character of the text, and moves both
// past them.
bool matches_one(const char** pattern, const char* pattern_end, const char** text,
                 const char* text_end, const PatternSyntax& syntax, uint32_t escape) {
  uint32_t element = read_utf8(pattern, pattern_end);
  if (element == syntax.any_character && element != escape) {
    *text = skip_utf8(*text, text_end);
    return true;
  }
  uint32_t c = read_utf8(text, text_end);
  if (syntax.sets && element == '[') return matches_set(pattern, pattern_end, c);
  if (escape != 0 && element == escape) {
    if (*pattern == pattern_end) return false;
    element = read_utf8(pattern, pattern_end);
  }
  return same_character(element, c, syntax.ignore_case);
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text, const PatternSyntax& syntax,
                     uint32_t escape) {
  const char* p = pattern.data();
  const char* p_end = p + pattern.size();
  const char* t = text.data();
  const char* t_end = t + text.size();
  // Where to go back to: behind the last any_text, and the text that it has not swallowed yet.
  // Going back further is never needed, since what lies between two of them matches wherever it
  // first does.
  const char* retry_pattern = nullptr;
  const char* retry_text = nullptr;
  while (true) {
    if (p < p_end && static_cast<uint8_t>(*p) == syntax.any_text && syntax.any_text != escape) {
      ++p;
      if (p == p_end) return true;
      retry_pattern = p;
      retry_text = t;
      continue;
    }
    if (p == p_end && t == t_end) return true;
    if (p < p_end && t < t_end && matches_one(&p, p_end, &t, t_end, syntax, escape)) continue;
    if (retry_pattern == nullptr || retry_text >= t_end) return false;
    retry_text = skip_utf8(retry_text, t_end);
    p = retry_pattern;
    t = retry_text;
  }
}

namespace {

template <const PatternSyntax& syntax>
void like(FunctionContext& context, Args args, ValueView* result) {
  int64_t pattern_bytes = args[0].type >= ValueType::kText ? args[0].size : 0;
  if (pattern_bytes > context.services().like_pattern_limit()) {
    context.fail("LIKE or GLOB pattern too complex");
    return;
  }
  uint32_t escape = 0;
  if (args.size() == 3) {
    if (args[2].is_null()) return;
    std::string_view text = until_nul(text_of(context, args[2]));
    if (utf8_length(text) != 1) {
      context.fail("ESCAPE expression must be a single character");
      return;
    }
    const char* p = text.data();
    escape = read_utf8(&p, p + text.size());
  }
  if (args[0].is_null() || args[1].is_null()) return;
  std::string_view pattern = until_nul(text_of(context, args[0]));
  std::string_view text = until_nul(text_of(context, args[1]));
  *result = ValueView::boolean(matches_pattern(pattern, text, syntax, escape));
}


constexpr ScalarFunction kLikeFunctions[] = {
    {"like", 2, 3, function_flag::kPlain, like<kLikeSyntax>, nullptr, Intrinsic::kLike},
    {"glob", 2, 2, function_flag::kPlain, like<kGlobSyntax>, nullptr, Intrinsic::kGlob},
};

constexpr ScalarFunction kCaseSensitiveLike = {
    "like", 2, 3, function_flag::kPlain, like<kCaseSensitiveLikeSyntax>, nullptr, Intrinsic::kLike};

}  // namespace

std::span<const ScalarFunction> like_functions() {
  return kLikeFunctions;
}

const ScalarFunction& case_sensitive_like() {
  return kCaseSensitiveLike;
}

}  // namespace godwit
