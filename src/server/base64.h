// Base64 in the two alphabets of RFC 4648. Readers take padding or none.
#pragma once

#include <string>
#include <string_view>

namespace godwit::server {

enum class Base64 { kStandardUnpadded, kUrlUnpadded };

void append_base64(std::string_view bytes, Base64 form, std::string* out);
// False: not base64 in that alphabet.
bool parse_base64(std::string_view text, Base64 form, std::string* out);

}  // namespace godwit::server
