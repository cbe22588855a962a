// Functions on bytes, and quote(), which writes any value as an SQL literal.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/utf.h"
#include "function/builtins.h"
#include "function/printf.h"

namespace godwit {

namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

char* write_hex(std::string_view bytes, char* out) {
  for (char c : bytes) {
    uint8_t byte = static_cast<uint8_t>(c);
    *out++ = kHexDigits[byte >> 4];
    *out++ = kHexDigits[byte & 15];
  }
  return out;
}

void hex(FunctionContext& context, Args args, ValueView* result) {
  if (!context.fits_length_limit(uint64_t{2} *
                                 (args[0].type >= ValueType::kText ? args[0].size : 0))) {
    return;
  }
  std::string_view bytes = text_of(context, args[0]);
  std::vector<uint8_t> utf16;
  if (!args[0].is_blob() && context.encoding() != TextEncoding::kUtf8) {
    append_utf8_as_utf16(bytes, context.encoding() == TextEncoding::kUtf16be, &utf16);
    bytes = as_text(utf16);
  }
  char* out = allocate_text(context, 2 * bytes.size());
  write_hex(bytes, out);
  *result = text_value(out, 2 * bytes.size());
}

// Hexadecimal pairs; characters of the second argument may stand between them. Anything else: NULL.
void unhex(FunctionContext& context, Args args, ValueView* result) {
  std::string_view ignored;
  if (args.size() == 2) {
    if (args[1].is_null()) return;
    ignored = until_nul(text_of(context, args[1]));
  }
  if (args[0].is_null()) return;
  std::string_view text = until_nul(text_of(context, args[0]));
  auto is_ignored = [&](std::string_view character) {
    for (const char *p = ignored.data(), *end = p + ignored.size(); p < end;) {
      const char* next = skip_utf8(p, end);
      if (character == std::string_view(p, static_cast<size_t>(next - p))) return true;
      p = next;
    }
    return false;
  };
  char* out = allocate_text(context, text.size() / 2 + 1);
  char* p = out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    int high = hex_digit_value(*at);
    if (high < 0) {
      const char* next = skip_utf8(at, end);
      if (!is_ignored({at, static_cast<size_t>(next - at)})) return;
      at = next;
      continue;
    }
    int low = at + 1 < end ? hex_digit_value(at[1]) : -1;
    if (low < 0) return;
    *p++ = static_cast<char>(high << 4 | low);
    at += 2;
  }
  *result = ValueView::of_blob(std::string_view(out, static_cast<size_t>(p - out)));
}

void append_literal(FunctionContext& context, const ValueView& value, bool with_unistr,
                    std::string* out) {
  switch (value.type) {
    case ValueType::kNull:
      *out = "NULL";
      return;
    case ValueType::kReal:
      // Infinity has no literal; this one overflows to it.
      if (std::isinf(value.real)) {
        *out = value.real < 0 ? "-9.0e+999" : "9.0e+999";
        return;
      }
      [[fallthrough]];
    case ValueType::kInteger:
      *out = text_of(context, value);
      return;
    case ValueType::kBlob: {
      std::string_view bytes = text_of(context, value);
      out->resize(2 * bytes.size() + 3);
      (*out)[0] = 'X';
      (*out)[1] = '\'';
      *write_hex(bytes, out->data() + 2) = '\'';
      return;
    }
    case ValueType::kText: {
      std::string_view text = until_nul(value.text());
      bool escape = with_unistr && has_control_characters(text);
      *out = escape ? "unistr('" : "'";
      if (escape) {
        append_unistr_quoted(text, out);
        *out += "')";
      } else {
        append_quoted(text, '\'', out);
        *out += '\'';
      }
      return;
    }
  }
}

template <bool with_unistr>
void quote(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].type >= ValueType::kText && !context.fits_length_limit(args[0].size)) return;
  std::string out;
  append_literal(context, args[0], with_unistr, &out);
  if (!context.fits_length_limit(out.size())) return;
  *result = ValueView::of_text(context.arena().copy(out));
}

void randomblob(FunctionContext& context, Args args, ValueView* result) {
  int64_t size = std::max<int64_t>(value_to_integer(args[0]), 1);
  if (!context.fits_length_limit(static_cast<uint64_t>(size))) return;
  char* out = allocate_text(context, static_cast<size_t>(size));
  context.services().random_bytes(out, static_cast<size_t>(size));
  *result = ValueView::of_blob(std::string_view(out, static_cast<size_t>(size)));
}

void zeroblob(FunctionContext& context, Args args, ValueView* result) {
  int64_t size = std::max<int64_t>(value_to_integer(args[0]), 0);
  if (!context.fits_length_limit(static_cast<uint64_t>(size))) return;
  *result = ValueView::of_blob(std::string_view());
  result->size = static_cast<uint32_t>(size);
  result->zero_filled = size > 0;
}


constexpr ScalarFunction kBlobFunctions[] = {
    {"hex", 1, 1, function_flag::kPlain, hex},
    {"unhex", 1, 2, function_flag::kPlain, unhex},
    {"quote", 1, 1, function_flag::kPlain, quote<false>},
    {"unistr_quote", 1, 1, function_flag::kPlain, quote<true>},
    {"randomblob", 1, 1, function_flag::kInnocuous, randomblob},
    {"zeroblob", 1, 1, function_flag::kPlain, zeroblob},
};

}  // namespace

std::span<const ScalarFunction> blob_functions() {
  return kBlobFunctions;
}

}  // namespace godwit
