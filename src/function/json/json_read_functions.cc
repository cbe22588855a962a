// Functions that look at a document: json(), json_valid(), json_extract(), -> and their like.
#include "base/utf.h"
#include "function/json/json_function.h"
#include "function/json/json_parser.h"

namespace godwit {

namespace {

void json(FunctionContext& context, Args args, ValueView* result) {
  JsonbElement root;
  if (load_json_root(context, args[0], &root)) return_rendered(context, root, result);
}

void jsonb(FunctionContext& context, Args args, ValueView* result) {
  JsonDocument document;
  if (load_json(context, args[0], &document)) return_jsonb(context, document.jsonb, result);
}

void json_quote(FunctionContext& context, Args args, ValueView* result) {
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kBuilding);
  out.clear();
  append_json_value(context, args[0], &out);
  if (!context.failed()) return_json_text(context, out.text(), result);
}

void json_pretty(FunctionContext& context, Args args, ValueView* result) {
  JsonbElement root;
  if (!load_json_root(context, args[0], &root)) return;
  std::string_view indent = "    ";
  if (args.size() == 2 && !args[1].is_null()) indent = text_of(context, args[1]);
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kRendering);
  out.clear();
  if (fail_json(context, render_json_pretty(root, indent, &out))) return;
  return_json_text(context, out.text(), result);
  result->subtype = 0;
}

// --- Validity
// ---------------------------------------------------------------------------------------

namespace valid_flag {
constexpr int64_t kJson = 1;
constexpr int64_t kJson5 = 2;
constexpr int64_t kLooksLikeJsonb = 4;
constexpr int64_t kJsonb = 8;
}  // namespace valid_flag

bool is_valid(FunctionContext& context, const ValueView& value, int64_t flags) {
  if (value.is_blob()) {
    std::string_view bytes = value.text();
    if (value.zero_filled) bytes = {"", value.size == 1 ? size_t{1} : 0};
    if (looks_like_jsonb(as_bytes(bytes))) {
      if ((flags & valid_flag::kLooksLikeJsonb) != 0) return true;
      return (flags & valid_flag::kJsonb) != 0 && jsonb_error(as_bytes(bytes)) == 0;
    }
    if (value.zero_filled) return false;
  }
  if ((flags & (valid_flag::kJson | valid_flag::kJson5)) == 0) return false;
  JsonDocument document;
  std::string_view text = value.is_blob() ? value.text() : text_of(context, value);
  if (!JsonCache::of_thread().parse(text, &context, &document)) return false;
  return (flags & valid_flag::kJson5) != 0 || !document.extended;
}

void json_valid(FunctionContext& context, Args args, ValueView* result) {
  int64_t flags = valid_flag::kJson;
  if (args.size() == 2) {
    flags = value_to_integer(args[1]);
    if (flags < 1 || flags > 15) {
      context.fail("FLAGS parameter to json_valid() must be between 1 and 15");
      return;
    }
  }
  if (!args[0].is_null()) *result = ValueView::boolean(is_valid(context, args[0], flags));
}

// Characters up to a byte: all bytes that do not continue one.
int64_t character_position(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  return count;
}

void json_error_position(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  if (args[0].is_blob()) {
    std::string_view bytes = args[0].text();
    if (args[0].zero_filled) bytes = {"", size_t{args[0].size == 1}};
    if (args[0].zero_filled || looks_like_jsonb(as_bytes(bytes))) {
      *result = ValueView::of(static_cast<int64_t>(jsonb_error(as_bytes(bytes))));
      return;
    }
  }
  std::string_view text = args[0].is_blob() ? args[0].text() : text_of(context, args[0]);
  JsonBuffer padded;
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kRendering);
  out.clear();
  append_json_padded(&padded, text);
  JsonParse parsed = parse_json({padded.data(), text.size()}, &out);
  int64_t position = 0;
  if (!parsed.ok) position = 1 + character_position({padded.data(), parsed.error_offset});
  *result = ValueView::of(position);
}

// --- Parts
// ------------------------------------------------------------------------------------------

// Loads the document of args[0] and finds args[1] in it, if there is one. False: the result is
// NULL, or an error.
bool find_part(FunctionContext& context, Args args, JsonbElement* element) {
  if (!load_json_root(context, args[0], element)) return false;
  if (args.size() < 2) return true;
  if (args[1].is_null()) return false;
  std::string_view path;
  if (!load_json_path(context, args[1], &path)) return false;
  JsonPlace place;
  JsonLookup found = find_json(*element, path, &place);
  if (fail_lookup(context, found, args[1]) || found != JsonLookup::kFound) return false;
  *element = place.element;
  return true;
}

void json_type(FunctionContext& context, Args args, ValueView* result) {
  JsonbElement element;
  if (!find_part(context, args, &element)) return;
  *result = ValueView::of_text(json_type_name(element.type));
}

void json_array_length(FunctionContext& context, Args args, ValueView* result) {
  JsonbElement element;
  if (!find_part(context, args, &element)) return;
  int64_t count = 0;
  if (element.type == JsonbType::kArray && !count_json_items(element, &count)) {
    fail_json(context, JsonError::kMalformed);
    return;
  }
  *result = ValueView::of(count);
}

// Several paths: an array of what is there, null for what is not.
void extract_many(FunctionContext& context, Args args, bool as_jsonb, ValueView* result) {
  JsonbElement root;
  if (!load_json_root(context, args[0], &root)) return;
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kBuilding);
  out.clear();
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].is_null()) return;
    std::string_view path;
    if (!load_json_path(context, args[i], &path)) return;
    JsonPlace place;
    JsonLookup found = find_json(root, path, &place);
    if (fail_lookup(context, found, args[i])) return;
    if (found != JsonLookup::kFound) place.element = JsonbElement();
    out.push(i == 1 ? '[' : ',');
    if (fail_json(context, render_json(place.element, &out))) return;
  }
  out.push(']');
  if (as_jsonb) return return_text_as_jsonb(context, out.text(), result);
  return_json_text(context, out.text(), result);
}

template <bool as_jsonb>
void json_extract(FunctionContext& context, Args args, ValueView* result) {
  if (args.size() < 2) return;
  if (args.size() > 2) return extract_many(context, args, as_jsonb, result);
  JsonbElement element;
  if (find_part(context, args, &element)) return_element(context, element, as_jsonb, result);
}

// The path that the right side of -> and ->> stands for: itself, an index, or a name.
std::string_view arrow_path(FunctionContext& context, const ValueView& arg, std::string* made) {
  std::string_view text = text_of(context, arg);
  if (text.empty() || text[0] == '$') return text;
  if (arg.is_integer()) {
    *made = text[0] == '-' ? "$[#" : "$[";
    made->append(text).append("]");
  } else if (text.size() > 2 && text[0] == '[' && text.back() == ']') {
    *made = "$";
    made->append(text);
  } else {
    *made = "$.\"";
    made->append(text).append("\"");
  }
  return *made;
}

template <bool as_value>
void json_arrow(FunctionContext& context, Args args, ValueView* result) {
  JsonbElement root;
  if (!load_json_root(context, args[0], &root) || args[1].is_null()) return;
  std::string made;
  std::string_view path;
  JsonLookup found = JsonLookup::kBadPath;
  JsonPlace place;
  if (begin_json_path(arrow_path(context, args[1], &made), &path)) {
    found = find_json(root, path, &place);
  }
  if (fail_lookup(context, found, args[1]) || found != JsonLookup::kFound) return;
  if (!as_value) return return_rendered(context, place.element, result);
  return_element(context, place.element, false, result);
  result->subtype = 0;
}

constexpr ScalarFunction kJsonReadFunctions[] = {
    json_scalar("json", 1, 1, json),
    json_scalar("jsonb", 1, 1, jsonb),
    json_scalar("json_quote", 1, 1, json_quote, function_flag::kReadsSubtype),
    json_scalar("json_pretty", 1, 2, json_pretty),
    json_scalar("json_valid", 1, 2, json_valid),
    json_scalar("json_error_position", 1, 1, json_error_position),
    json_scalar("json_type", 1, 2, json_type),
    json_scalar("json_array_length", 1, 2, json_array_length),
    json_scalar("json_extract", 0, kVariableArguments, json_extract<false>),
    json_scalar("jsonb_extract", 0, kVariableArguments, json_extract<true>),
    json_scalar("->", 2, 2, json_arrow<false>),
    json_scalar("->>", 2, 2, json_arrow<true>),
};

}  // namespace

std::span<const ScalarFunction> json_read_functions() {
  return kJsonReadFunctions;
}

}  // namespace godwit
