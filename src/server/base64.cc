#include "server/base64.h"

#include <array>
#include <cstdint>

namespace godwit::server {
namespace {

constexpr char kStandard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrl[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<int8_t, 256> make_table(const char* alphabet) {
  std::array<int8_t, 256> table{};
  for (int8_t& entry : table) entry = -1;
  for (int i = 0; i < 64; ++i) table[static_cast<uint8_t>(alphabet[i])] = static_cast<int8_t>(i);
  return table;
}

constexpr auto kStandardTable = make_table(kStandard);
constexpr auto kUrlTable = make_table(kUrl);

}  // namespace

void append_base64(std::string_view bytes, Base64 form, std::string* out) {
  const char* alphabet = form == Base64::kUrlUnpadded ? kUrl : kStandard;
  uint32_t bits = 0;
  int count = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      *out += alphabet[bits >> count & 63];
    }
  }
  if (count > 0) *out += alphabet[bits << (6 - count) & 63];
}

bool parse_base64(std::string_view text, Base64 form, std::string* out) {
  const auto& table = form == Base64::kUrlUnpadded ? kUrlTable : kStandardTable;
  size_t length = text.size();
  while (length > 0 && text.size() - length < 2 && text[length - 1] == '=') --length;
  if (length % 4 == 1 || (length != text.size() && text.size() % 4 != 0)) return false;
  out->clear();
  out->reserve(length * 3 / 4);
  uint32_t bits = 0;
  int count = 0;
  for (char c : text.substr(0, length)) {
    int digit = table[static_cast<uint8_t>(c)];
    if (digit < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      *out += static_cast<char>(bits >> count & 255);
    }
  }
  return true;
}

}  // namespace godwit::server
