#include "exec/like_pattern.h"

#include <cstring>

#include "base/utf.h"

namespace godwit {

std::optional<LikePattern> LikePattern::analyze(std::string_view pattern, bool glob) {
  pattern = pattern.substr(0, pattern.find('\0'));
  char any = glob ? '*' : '%';
  bool starts = !pattern.empty() && pattern.front() == any;
  while (!pattern.empty() && pattern.front() == any) pattern.remove_prefix(1);
  bool ends = !pattern.empty() && pattern.back() == any;
  while (!pattern.empty() && pattern.back() == any) pattern.remove_suffix(1);
  LikePattern result;
  result.ignore_case_ = !glob;
  for (char c : pattern) {
    bool special = glob ? c == '*' || c == '?' || c == '[' : c == '%' || c == '_';
    if (special || static_cast<uint8_t>(c) >= 0x80) return std::nullopt;
    result.literal_.push_back(glob ? c : ascii_lower(c));
  }
  result.kind_ = starts ? (ends || result.literal_.empty() ? Kind::kContains : Kind::kSuffix)
                        : (ends ? Kind::kPrefix : Kind::kEquals);
  return result;
}

bool LikePattern::equal(const char* text) const {
  if (!ignore_case_) return std::memcmp(text, literal_.data(), literal_.size()) == 0;
  for (size_t i = 0; i < literal_.size(); ++i) {
    if (ascii_lower(text[i]) != literal_[i]) return false;
  }
  return true;
}

bool LikePattern::contained_in(std::string_view text) const {
  if (literal_.empty()) return true;
  size_t size = literal_.size();
  if (text.size() < size) return false;
  if (!ignore_case_) return text.find(literal_) != std::string_view::npos;
  char lower = literal_[0];
  char upper = ascii_upper(lower);
  const char* p = text.data();
  const char* last = p + (text.size() - size);
  for (; p <= last; ++p) {
    if ((*p == lower || *p == upper) && equal(p)) return true;
  }
  return false;
}

bool LikePattern::matches(std::string_view text) const {
  size_t size = literal_.size();
  // No part of the pattern is NUL, so that a prefix is before any NUL of the text by itself.
  if (kind_ == Kind::kPrefix) return text.size() >= size && (size == 0 || equal(text.data()));
  if (kind_ == Kind::kEquals && text.size() < size) return false;
  if (!text.empty()) {
    const void* nul = std::memchr(text.data(), 0, text.size());
    if (nul != nullptr) {
      text = text.substr(0, static_cast<size_t>(static_cast<const char*>(nul) - text.data()));
    }
  }
  if (kind_ == Kind::kContains) return contained_in(text);
  if (text.size() < size || (kind_ == Kind::kEquals && text.size() != size)) return false;
  return size == 0 || equal(text.data() + (text.size() - size));
}

}  // namespace godwit
