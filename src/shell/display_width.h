// How many terminal cells a UTF-8 text takes: 2 for East Asian wide characters and emoji, 0 for
// combining marks and joiners, 1 for all else. Bytes that are no UTF-8 count one cell each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godwit::shell {

// Decodes the character at text[*position] and moves *position behind it.
char32_t next_character(std::string_view text, size_t* position);
int character_width(char32_t c);
int display_width(std::string_view text);

}  // namespace godwit::shell
