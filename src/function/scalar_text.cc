// Functions on text: case, length, parts, search, replacement.
#include <algorithm>
#include <cstring>

#include "base/utf.h"
#include "function/builtins.h"

namespace godwit {

namespace {

// The length in characters, up to a NUL.
int64_t characters_of(std::string_view text) {
  return static_cast<int64_t>(utf8_length(until_nul(text)));
}

void length(FunctionContext& context, Args args, ValueView* result) {
  switch (args[0].type) {
    case ValueType::kNull:
      return;
    case ValueType::kText:
      *result = ValueView::of(characters_of(args[0].text()));
      return;
    case ValueType::kBlob:
      *result = ValueView::of(static_cast<int64_t>(args[0].size));
      return;
    default:
      *result = ValueView::of(static_cast<int64_t>(text_of(context, args[0]).size()));
  }
}

void octet_length(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  int64_t bytes =
      args[0].is_blob() ? args[0].size : static_cast<int64_t>(text_of(context, args[0]).size());
  if (!args[0].is_blob() && context.encoding() != TextEncoding::kUtf8) {
    std::vector<uint8_t> utf16;
    append_utf8_as_utf16(text_of(context, args[0]), false, &utf16);
    bytes = static_cast<int64_t>(utf16.size());
  }
  *result = ValueView::of(bytes);
}

template <char (*fold)(char)>
void change_case(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  std::string_view text = text_of(context, args[0]);
  char* out = allocate_text(context, text.size());
  for (size_t i = 0; i < text.size(); ++i) out[i] = fold(text[i]);
  *result = text_value(out, text.size());
}

// Wide enough for sums of any two 64-bit arguments.
using Wide = __int128;

// Which part substr(X, start, length) means, in characters or bytes; `total` is the length of X,
// needed only when start is negative.
struct Part {
  Wide skip = 0;
  Wide count = 0;
};
Part part_of(Wide start, Wide count, Wide total) {
  if (start < 0) {
    start += total;
    if (start < 0) {
      // The part begins before the text: what is before it counts, but is not there.
      count = count < 0 ? 0 : count + start;
      start = 0;
    }
  } else if (start > 0) {
    --start;
  } else if (count > 0) {
    --count;
  }
  if (count < 0) {
    // The characters before `start`.
    count = count < -start ? start : -count;
    start -= count;
  }
  return {std::max<Wide>(start, 0), std::max<Wide>(count, 0)};
}

void substr(FunctionContext& context, Args args, ValueView* result) {
  for (const ValueView& arg : args) {
    if (arg.is_null()) return;
  }
  int64_t start = value_to_integer(args[1]);
  int64_t count = args.size() == 3 ? value_to_integer(args[2]) : context.services().length_limit();
  if (args[0].is_blob()) {
    std::string_view bytes = materialize(args[0], &context.arena()).text();
    if (bytes.empty()) return;  // as SQLite has it
    Wide size = static_cast<Wide>(bytes.size());
    Part part = part_of(start, count, size);
    bytes.remove_prefix(static_cast<size_t>(std::min(part.skip, size)));
    *result = ValueView::of_blob(bytes.substr(0, static_cast<size_t>(std::min(part.count, size))));
    return;
  }
  std::string_view text = until_nul(text_of(context, args[0]));
  Part part = part_of(start, count, start < 0 ? static_cast<Wide>(utf8_length(text)) : 0);
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end && part.skip > 0) {
    p = skip_utf8(p, end);
    --part.skip;
  }
  const char* first = p;
  while (p < end && part.count > 0) {
    p = skip_utf8(p, end);
    --part.count;
  }
  *result = text_value(first, static_cast<size_t>(p - first));
}

// Whether `text` starts (or ends) with the character `c` of the set to trim.
bool has_prefix(std::string_view text, std::string_view c) {
  return text.starts_with(c);
}
bool has_suffix(std::string_view text, std::string_view c) {
  return text.ends_with(c);
}

template <bool left, bool right>
void trim(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  std::string_view text = text_of(context, args[0]);
  std::string_view set = " ";
  if (args.size() == 2) {
    if (args[1].is_null()) return;
    set = until_nul(text_of(context, args[1]));
  }
  std::vector<std::string_view> characters;
  for (const char *p = set.data(), *end = p + set.size(); p < end;) {
    const char* next = skip_utf8(p, end);
    characters.emplace_back(p, static_cast<size_t>(next - p));
    p = next;
  }
  auto strip = [&](auto matches, auto remove) {
    while (!text.empty()) {
      auto found = std::find_if(characters.begin(), characters.end(),
                                [&](std::string_view c) { return matches(text, c); });
      if (found == characters.end()) return;
      remove(found->size());
    }
  };
  if (left) strip(has_prefix, [&](size_t n) { text.remove_prefix(n); });
  if (right) strip(has_suffix, [&](size_t n) { text.remove_suffix(n); });
  *result = ValueView::of_text(text);
}

void instr(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null() || args[1].is_null()) return;
  bool bytes = args[0].is_blob() && args[1].is_blob();
  std::string_view haystack = text_of(context, args[0]);
  std::string_view needle = text_of(context, args[1]);
  if (!bytes) {
    // A match may only start where a character does.
    for (size_t at = haystack.find(needle); at != std::string_view::npos;
         at = haystack.find(needle, at + 1)) {
      if (at > 0 && (static_cast<uint8_t>(haystack[at]) & 0xC0) == 0x80) continue;
      int64_t characters = 0;
      for (size_t i = 0; i < at; ++i) {
        characters += i == 0 || (static_cast<uint8_t>(haystack[i]) & 0xC0) != 0x80;
      }
      *result = ValueView::of(characters + 1);
      return;
    }
    *result = ValueView::of(int64_t{0});
    return;
  }
  size_t at = haystack.find(needle);
  *result = ValueView::of(at == std::string_view::npos ? 0 : static_cast<int64_t>(at) + 1);
}

void replace(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null() || args[1].is_null()) return;
  std::string_view text = text_of(context, args[0]);
  std::string_view pattern = text_of(context, args[1]);
  if (until_nul(pattern).empty()) {
    *result = ValueView::of_text(text);
    return;
  }
  if (args[2].is_null()) return;
  std::string_view with = text_of(context, args[2]);
  size_t matches = 0;
  for (size_t at = text.find(pattern); at != std::string_view::npos;
       at = text.find(pattern, at + pattern.size())) {
    ++matches;
  }
  if (matches == 0) {
    *result = ValueView::of_text(text);
    return;
  }
  uint64_t size =
      text.size() - matches * pattern.size() + static_cast<uint64_t>(matches) * with.size();
  if (!context.fits_length_limit(size)) return;
  char* out = allocate_text(context, size);
  char* p = out;
  size_t from = 0;
  auto put = [&p](std::string_view part) {
    if (!part.empty()) std::memcpy(p, part.data(), part.size());
    p += part.size();
  };
  for (size_t at = text.find(pattern); at != std::string_view::npos;
       at = text.find(pattern, from)) {
    put(text.substr(from, at - from));
    put(with);
    from = at + pattern.size();
  }
  put(text.substr(from));
  *result = text_value(out, size);
}

void join(FunctionContext& context, Args args, std::string_view separator, ValueView* result) {
  std::vector<std::string_view> parts;
  uint64_t size = 0;
  for (const ValueView& arg : args) {
    if (arg.is_null()) continue;
    parts.push_back(text_of(context, arg));
    size += parts.back().size();
  }
  if (parts.size() > 1) size += separator.size() * (parts.size() - 1);
  if (!context.fits_length_limit(size)) return;
  char* out = allocate_text(context, size);
  char* p = out;
  auto put = [&p](std::string_view part) {
    if (!part.empty()) std::memcpy(p, part.data(), part.size());
    p += part.size();
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) put(separator);
    put(parts[i]);
  }
  *result = text_value(out, size);
}

void concat(FunctionContext& context, Args args, ValueView* result) {
  join(context, args, {}, result);
}

void concat_ws(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  join(context, args.subspan(1), text_of(context, args[0]), result);
}


constexpr ScalarFunction kTextFunctions[] = {
    {"length", 1, 1, function_flag::kPlain, length, nullptr, Intrinsic::kLength},
    {"octet_length", 1, 1, function_flag::kPlain, octet_length, nullptr, Intrinsic::kOctetLength},
    {"lower", 1, 1, function_flag::kPlain, change_case<ascii_lower>},
    {"upper", 1, 1, function_flag::kPlain, change_case<ascii_upper>},
    {"substr", 2, 3, function_flag::kPlain, substr},
    {"substring", 2, 3, function_flag::kPlain, substr},
    {"trim", 1, 2, function_flag::kPlain, trim<true, true>},
    {"ltrim", 1, 2, function_flag::kPlain, trim<true, false>},
    {"rtrim", 1, 2, function_flag::kPlain, trim<false, true>},
    {"instr", 2, 2, function_flag::kPlain, instr},
    {"replace", 3, 3, function_flag::kPlain, replace},
    {"concat", 1, kVariableArguments, function_flag::kPlain, concat},
    {"concat_ws", 2, kVariableArguments, function_flag::kPlain, concat_ws},
};

}  // namespace

std::span<const ScalarFunction> text_functions() {
  return kTextFunctions;
}

}  // namespace godwit
