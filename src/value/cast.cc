#include "value/cast.h"

#include <cstring>
#include <vector>

#include "base/utf.h"
#include "value/number_text.h"

namespace godwit {

namespace {

// Bytes of a text or blob; a blob of zeros that is not materialized reads as the empty text, since
// text ends at a NUL for every conversion to a number.
std::string_view bytes_of(const ValueView& value) {
  return value.zero_filled ? std::string_view() : value.text();
}

ValueView blob_to_text(const ValueView& blob, Arena* arena, TextEncoding encoding) {
  ValueView bytes = materialize(blob, arena);
  if (encoding == TextEncoding::kUtf8) return ValueView::of_text(bytes.text());
  std::string utf8;
  append_utf16_as_utf8(reinterpret_cast<const uint8_t*>(bytes.bytes), bytes.size,
                       encoding == TextEncoding::kUtf16be, &utf8);
  return ValueView::of_text(arena->copy(utf8));
}

ValueView text_to_blob(const ValueView& text, Arena* arena, TextEncoding encoding) {
  if (encoding == TextEncoding::kUtf8) return ValueView::of_blob(text.text());
  std::vector<uint8_t> utf16;
  append_utf8_as_utf16(text.text(), encoding == TextEncoding::kUtf16be, &utf16);
  return ValueView::of_blob(arena->copy(as_text(utf16)));
}

ValueView cast_to_numeric(const ValueView& value) {
  if (value.is_number()) return value;
  ValueView number = value_to_number(value);
  // Beyond 2^51 a real keeps its type, since it may stand for more than one integer.
  constexpr double kLimit = 2251799813685248.0;
  if (number.is_real() && number.real >= -kLimit && number.real < kLimit) {
    int64_t integer = static_cast<int64_t>(number.real);
    if (static_cast<double>(integer) == number.real) return ValueView::of(integer);
  }
  return number;
}

}  // namespace

ValueView materialize(const ValueView& value, Arena* arena) {
  if (!value.zero_filled) return value;
  char* zeros = static_cast<char*>(arena->allocate(value.size + size_t{1}, 1));
  std::memset(zeros, 0, value.size + size_t{1});
  ValueView result = ValueView::of_blob(std::string_view{zeros, value.size});
  return result;
}

std::string_view value_to_text(const ValueView& value, Arena* arena) {
  switch (value.type) {
    case ValueType::kNull:
      return {};
    case ValueType::kInteger:
    case ValueType::kReal:
      return number_to_text(value, arena).text();
    default:
      return materialize(value, arena).text();
  }
}

int64_t value_to_integer(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      return 0;
    case ValueType::kInteger:
      return value.integer;
    case ValueType::kReal:
      return real_to_integer(value.real);
    default:
      return text_to_integer(bytes_of(value));
  }
}

double value_to_real(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      return 0;
    case ValueType::kInteger:
      return static_cast<double>(value.integer);
    case ValueType::kReal:
      return value.real;
    default:
      return text_to_real(bytes_of(value));
  }
}

ValueView value_to_number(const ValueView& value) {
  if (value.is_null() || value.is_number()) return value;
  ParsedNumber number = parse_number(bytes_of(value));
  if (number.syntax == ParsedNumber::Syntax::kNone) return ValueView::of(int64_t{0});
  return number.value();
}

ValueView cast_value(const ValueView& value, Affinity affinity, Arena* arena,
                     TextEncoding encoding) {
  if (value.is_null()) return value;
  ValueView v = value;
  if (affinity == Affinity::kNone || affinity == Affinity::kBlob) {
    if (v.is_number()) v = number_to_text(v, arena);
    return v.is_text() ? text_to_blob(v, arena, encoding) : v;
  }
  if (v.is_blob()) v = blob_to_text(v, arena, encoding);
  switch (affinity) {
    case Affinity::kText:
      return v.is_number() ? number_to_text(v, arena) : v;
    case Affinity::kInteger:
      return ValueView::of(value_to_integer(v));
    case Affinity::kReal:
      return ValueView::of(value_to_real(v));
    default:
      return cast_to_numeric(v);
  }
}

bool value_is_true(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      return false;
    case ValueType::kInteger:
      return value.integer != 0;
    default:
      return value_to_real(value) != 0;
  }
}

}  // namespace godwit
