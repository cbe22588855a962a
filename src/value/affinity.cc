#include "value/affinity.h"

#include <cmath>

#include "base/utf.h"
#include "value/number_text.h"

namespace godwit {

namespace {

bool contains_word(std::string_view text, std::string_view lower_case_word) {
  if (text.size() < lower_case_word.size()) return false;
  for (size_t i = 0; i + lower_case_word.size() <= text.size(); ++i) {
    if (equals_ignore_case(text.substr(i, lower_case_word.size()), lower_case_word)) return true;
  }
  return false;
}

void real_to_integer_if_lossless(ValueView* value) {
  int64_t integer;
  if (real_is_integer(value->real, &integer)) *value = ValueView::of(integer);
}

}  // namespace

Affinity affinity_of_type_name(std::string_view type_name) {
  auto has = [type_name](std::string_view word) { return contains_word(type_name, word); };
  if (has("int")) return Affinity::kInteger;
  if (has("char") || has("clob") || has("text")) return Affinity::kText;
  if (type_name.empty() || has("blob")) return Affinity::kBlob;
  if (has("real") || has("floa") || has("doub")) return Affinity::kReal;
  return Affinity::kNumeric;
}

void apply_numeric_affinity_to_text(ValueView* value) {
  ParsedNumber number = parse_number(value->text());
  if (!number.is_whole) return;
  *value = number.value();
  if (value->is_real()) real_to_integer_if_lossless(value);
}

void apply_affinity(Affinity affinity, ValueView* value, Arena* arena) {
  switch (affinity) {
    case Affinity::kNone:
    case Affinity::kBlob:
      return;
    case Affinity::kText:
      if (value->is_number()) *value = number_to_text(*value, arena);
      return;
    case Affinity::kNumeric:
    case Affinity::kInteger:
      if (value->is_text()) {
        apply_numeric_affinity_to_text(value);
      } else if (value->is_real()) {
        real_to_integer_if_lossless(value);
      }
      return;
    case Affinity::kReal:
      if (value->is_text()) apply_numeric_affinity_to_text(value);
      if (value->is_integer()) *value = ValueView::of(static_cast<double>(value->integer));
      return;
    case Affinity::kFlexNum:
      if (value->is_text()) apply_numeric_affinity_to_text(value);
      return;
  }
}

bool real_storable_as_integer(double r, int64_t* integer) {
  constexpr double kLimit = 140737488355328.0;  // 2^47
  if (!(r >= -kLimit && r < kLimit)) return false;
  *integer = static_cast<int64_t>(r);
  return static_cast<double>(*integer) == r;
}

}  // namespace godwit
