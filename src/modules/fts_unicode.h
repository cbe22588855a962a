// What full-text search knows of code points: their category, their form without case and diacritics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit::modules {

enum class Diacritics : uint8_t { kKeep = 0, kRemoveSimple = 1, kRemoveAll = 2 };

// The number of a category, "Lu", as category_of() gives it; -1: there is none of this name. Code points
// that are not assigned are of category 0.
int category_number(std::string_view name);
int category_of(uint32_t code_point);
uint32_t fold(uint32_t code_point, Diacritics diacritics);
// A combining mark that is part of the letter before.
bool is_combining_mark(uint32_t code_point);

// Takes one code point off the text; U+FFFD for what is none.
uint32_t next_code_point(std::string_view text, size_t* at);
void append_code_point(uint32_t code_point, std::string* out);

}  // namespace godwit::modules
