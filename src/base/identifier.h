// Names as SQL writes them.
#pragma once

#include <string>
#include <string_view>

namespace godwit {

// "name" with quotes doubled: an identifier that any SQL text may hold.
std::string double_quoted(std::string_view name);

}  // namespace godwit
