#include "modules/fts_unicode.h"

#include <algorithm>
#include <iterator>

namespace godwit::modules {

namespace {

struct FoldedCodePoint {
  uint32_t code_point;
  uint32_t folded;
};

#include "modules/fts_unicode_tables.inc"

constexpr uint32_t kReplacement = 0xfffd;

template <size_t kSize>
bool find_folded(const FoldedCodePoint (&table)[kSize], uint32_t code_point, uint32_t* folded) {
  auto found = std::lower_bound(
      std::begin(table), std::end(table), code_point,
      [](const FoldedCodePoint& entry, uint32_t value) { return entry.code_point < value; });
  if (found == std::end(table) || found->code_point != code_point) return false;
  *folded = found->folded;
  return true;
}

}  // namespace

int category_number(std::string_view name) {
  for (size_t i = 1; i < std::size(kCategoryNames); ++i) {
    if (name == kCategoryNames[i]) return static_cast<int>(i);
  }
  return -1;
}

int category_of(uint32_t code_point) {
  auto after = std::upper_bound(std::begin(kCategoryRuns), std::end(kCategoryRuns),
                                code_point * 32 + 31);
  return static_cast<int>(*(after - 1) % 32);
}

uint32_t fold(uint32_t code_point, Diacritics diacritics) {
  if (code_point < 128) {
    return code_point >= 'A' && code_point <= 'Z' ? code_point + ('a' - 'A') : code_point;
  }
  uint32_t folded = code_point;
  if (diacritics == Diacritics::kRemoveAll && find_folded(kAllDiacritics, code_point, &folded)) {
    return folded;
  }
  if (diacritics != Diacritics::kKeep && find_folded(kSimpleDiacritics, code_point, &folded)) {
    return folded;
  }
  find_folded(kFold, code_point, &folded);
  return folded;
}

bool is_combining_mark(uint32_t code_point) {
  static constexpr uint16_t kMarks[] = {0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x309,
                                        0x30a, 0x30b, 0x30c, 0x30f, 0x311, 0x31b, 0x323, 0x324, 0x325,
                                        0x326, 0x327, 0x328, 0x32d, 0x32e, 0x330, 0x331};
  return code_point >= 0x300 && code_point <= 0x331 &&
         std::binary_search(std::begin(kMarks), std::end(kMarks), code_point);
}

uint32_t next_code_point(std::string_view text, size_t* at) {
  const auto first = static_cast<uint8_t>(text[(*at)++]);
  if (first < 0xc0) return first < 0x80 ? first : kReplacement;
  uint32_t value = first < 0xe0 ? first & 0x1f : first < 0xf0 ? first & 0x0f : first & 0x07;
  while (*at < text.size() && (static_cast<uint8_t>(text[*at]) & 0xc0) == 0x80) {
    value = (value & 0x3ffffff) << 6 | (static_cast<uint8_t>(text[(*at)++]) & 0x3f);
  }
  const bool is_bad = value < 0x80 || value > 0x10ffff || (value & 0xfffff800) == 0xd800 ||
                      (value & 0xfffffffe) == 0xfffe;
  return is_bad ? kReplacement : value;
}

void append_code_point(uint32_t code_point, std::string* out) {
  if (code_point < 0x80) {
    out->push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out->push_back(static_cast<char>(0xc0 | code_point >> 6));
    out->push_back(static_cast<char>(0x80 | (code_point & 0x3f)));
  } else if (code_point < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | code_point >> 12));
    out->push_back(static_cast<char>(0x80 | (code_point >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code_point & 0x3f)));
  } else {
    out->push_back(static_cast<char>(0xf0 | code_point >> 18));
    out->push_back(static_cast<char>(0x80 | (code_point >> 12 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code_point >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code_point & 0x3f)));
  }
}

}  // namespace godwit::modules
