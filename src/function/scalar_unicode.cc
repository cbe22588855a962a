// Functions on code points: char(), unicode(), unistr().
#include "base/utf.h"
#include "function/builtins.h"

namespace godwit {

namespace {

constexpr int64_t kCodePointMax = 0x10FFFF;

void char_of(FunctionContext& context, Args args, ValueView* result) {
  char* out = allocate_text(context, args.size() * kUtf8BytesMax);
  char* p = out;
  for (const ValueView& arg : args) {
    int64_t c = value_to_integer(arg);
    if (c < 0 || c > kCodePointMax) c = kReplacementCodePoint;
    p += write_utf8(p, static_cast<uint32_t>(c));
  }
  *result = text_value(out, static_cast<size_t>(p - out));
}

void unicode(FunctionContext& context, Args args, ValueView* result) {
  std::string_view text = until_nul(text_of(context, args[0]));
  if (text.empty()) return;
  const char* p = text.data();
  *result = ValueView::of(static_cast<int64_t>(read_utf8(&p, p + text.size())));
}

// Reads `count` hexadecimal digits; false if there are not as many.
bool read_hex(std::string_view text, size_t at, size_t count, uint32_t* value) {
  if (at + count > text.size()) return false;
  *value = 0;
  for (size_t i = at; i < at + count; ++i) {
    int digit = hex_digit_value(text[i]);
    if (digit < 0) return false;
    *value = *value << 4 | static_cast<uint32_t>(digit);
  }
  return true;
}

// \\  \XXXX  \uXXXX  \+XXXXXX  \UXXXXXXXX
void unistr(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  std::string_view text = text_of(context, args[0]);
  char* out = allocate_text(context, text.size());  // no escape is shorter than what it stands for
  char* p = out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      *p++ = text[i++];
      continue;
    }
    ++i;
    char kind = i < text.size() ? text[i] : '\0';
    if (kind == '\\') {
      *p++ = '\\';
      ++i;
      continue;
    }
    size_t digits = 4;
    if (kind == 'u' || kind == '+' || kind == 'U') {
      ++i;
      digits = kind == 'u' ? 4 : kind == '+' ? 6 : 8;
    }
    uint32_t code_point;
    if (!read_hex(text, i, digits, &code_point)) {
      context.fail("invalid Unicode escape");
      return;
    }
    i += digits;
    p += write_utf8(p, code_point);
  }
  *result = text_value(out, static_cast<size_t>(p - out));
}


constexpr ScalarFunction kUnicodeFunctions[] = {
    {"char", 0, kVariableArguments, function_flag::kPlain, char_of},
    {"unicode", 1, 1, function_flag::kPlain, unicode},
    {"unistr", 1, 1, function_flag::kPlain, unistr},
};

}  // namespace

std::span<const ScalarFunction> unicode_functions() {
  return kUnicodeFunctions;
}

}  // namespace godwit
