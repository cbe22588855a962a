// LIKE and GLOB matching, shared by the functions and by the planner's and evaluator's own forms.
#pragma once

#include <cstdint>
#include <string_view>

namespace godwit {

// LIKE: % any text, _ any character, ASCII letters in either case. GLOB: *, ?, [set], exact case.
struct PatternSyntax {
  uint32_t any_text = '%';  // 0: none (it is the escape character)
  uint32_t any_character = '_';
  bool sets = false;  // [a-z], [^a-z], []...]
  bool ignore_case = true;
};
inline constexpr PatternSyntax kLikeSyntax = {'%', '_', false, true};
inline constexpr PatternSyntax kCaseSensitiveLikeSyntax = {'%', '_', false, false};
inline constexpr PatternSyntax kGlobSyntax = {'*', '?', true, false};

// Whether all of `text` matches `pattern`. `escape`: the code point that takes away the meaning of
// the character behind it; 0: none. Neither view may hold a NUL.
bool matches_pattern(std::string_view pattern, std::string_view text, const PatternSyntax& syntax,
                     uint32_t escape);

}  // namespace godwit
