#include "function/json/json_function.h"

#include <cmath>

#include "function/json/json_escape.h"
#include "function/json/json_parser.h"

namespace godwit {

namespace {

constexpr std::string_view kMalformed = "malformed JSON";

// 'text' with its quotes doubled.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text) {
    result += c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

}  // namespace

std::string json_error_message(JsonError error) {
  return std::string(error == JsonError::kMalformed ? kMalformed : "JSON nested too deep");
}

std::string json_lookup_message(JsonLookup lookup, std::string_view path) {
  switch (lookup) {
    case JsonLookup::kPathTooDeep:
      return "JSON path too deep";
    case JsonLookup::kBadPath:
      return "bad JSON path: " + quoted(until_nul(path));
    case JsonLookup::kNotArrayElement:
      return "not an array element: " + quoted(until_nul(path));
    default:
      return std::string(kMalformed);
  }
}

bool fail_json(FunctionContext& context, JsonError error) {
  if (error == JsonError::kNone) return false;
  context.fail(json_error_message(error));
  return true;
}

bool fail_lookup(FunctionContext& context, JsonLookup lookup, const ValueView& path) {
  if (lookup == JsonLookup::kFound || lookup == JsonLookup::kNotFound) return false;
  context.fail(json_lookup_message(lookup, text_of(context, path)));
  return true;
}

bool read_json_argument(const ValueView& arg, const void* site, Arena* arena,
                        JsonDocument* document) {
  static constexpr uint8_t kZero = 0;
  if (arg.zero_filled) {
    // One zero byte is null; more are nothing.
    *document = {ByteSpan(&kZero, 1), false};
    return arg.size == 1;
  }
  if (arg.is_blob() && looks_like_jsonb(as_bytes(arg.text()))) {
    *document = {as_bytes(arg.text()), false};
    return true;
  }
  std::string_view text = arg.is_blob() ? arg.text() : value_to_text(arg, arena);
  return JsonCache::of_thread().parse(text, site, document);
}

bool load_json(FunctionContext& context, const ValueView& arg, JsonDocument* document) {
  if (arg.is_null()) return false;
  if (read_json_argument(arg, &context, &context.arena(), document)) return true;
  context.fail(std::string(kMalformed));
  return false;
}

bool load_json_root(FunctionContext& context, const ValueView& arg, JsonbElement* root) {
  JsonDocument document;
  if (!load_json(context, arg, &document)) return false;
  if (read_jsonb_root(document.jsonb, root)) return true;
  context.fail(std::string(kMalformed));
  return false;
}

bool load_json_path(FunctionContext& context, const ValueView& arg, std::string_view* path) {
  if (begin_json_path(text_of(context, arg), path)) return true;
  fail_lookup(context, JsonLookup::kBadPath, arg);
  return false;
}

void append_json_value(FunctionContext& context, const ValueView& value, JsonBuffer* out) {
  switch (value.type) {
    case ValueType::kNull:
      out->append("null");
      return;
    case ValueType::kInteger:
      out->add_written(
          static_cast<size_t>(integer_to_text(value.integer, out->room(kIntegerTextBytesMax))));
      return;
    case ValueType::kReal:
      if (std::isinf(value.real)) {
        out->append(value.real < 0 ? "-9.0e+999" : "9.0e+999");
      } else {
        out->add_written(
            static_cast<size_t>(real_to_text(value.real, out->room(kRealTextBytesMax))));
      }
      return;
    case ValueType::kText:
      if (value.subtype == kJsonSubtype) {
        out->append(value.text());
        return;
      }
      out->push('"');
      append_json_escaped(out, value.text());
      out->push('"');
      return;
    case ValueType::kBlob: {
      JsonbElement root;
      ByteSpan bytes = value.zero_filled ? ByteSpan() : as_bytes(value.text());
      if (value.zero_filled && value.size == 1) {
        out->append("null");
      } else if (!looks_like_jsonb(bytes) || !read_jsonb_root(bytes, &root)) {
        context.fail("JSON cannot hold BLOB values");
      } else {
        fail_json(context, render_json(root, out));
      }
      return;
    }
  }
}

void append_jsonb_value(FunctionContext& context, const ValueView& value, JsonBuffer* out) {
  char digits[kRealTextBytesMax];
  switch (value.type) {
    case ValueType::kNull:
      append_jsonb(out, JsonbType::kNull, {});
      return;
    case ValueType::kInteger: {
      size_t size = static_cast<size_t>(integer_to_text(value.integer, digits));
      append_jsonb(out, JsonbType::kInteger, {digits, size});
      return;
    }
    case ValueType::kReal: {
      if (std::isinf(value.real)) {
        append_jsonb(out, JsonbType::kReal, value.real < 0 ? "-9e999" : "9e999");
        return;
      }
      size_t size = static_cast<size_t>(real_to_text(value.real, digits));
      append_jsonb(out, JsonbType::kReal, {digits, size});
      return;
    }
    case ValueType::kText: {
      if (value.subtype != kJsonSubtype) {
        append_jsonb(out, JsonbType::kTextRaw, value.text());
        return;
      }
      JsonDocument document;
      if (load_json(context, value, &document)) out->append(document.jsonb);
      return;
    }
    case ValueType::kBlob: {
      ByteSpan bytes = value.zero_filled ? ByteSpan() : as_bytes(value.text());
      if (value.zero_filled && value.size == 1) {
        append_jsonb(out, JsonbType::kNull, {});
      } else if (looks_like_jsonb(bytes)) {
        out->append(bytes);
      } else {
        context.fail("JSON cannot hold BLOB values");
      }
      return;
    }
  }
}

void return_json_text(FunctionContext& context, std::string_view text, ValueView* result) {
  if (!context.fits_length_limit(text.size())) return;
  *result = ValueView::of_text(context.arena().copy(text));
  result->subtype = kJsonSubtype;
}

void return_jsonb(FunctionContext& context, ByteSpan jsonb, ValueView* result) {
  if (!context.fits_length_limit(jsonb.size())) return;
  *result = ValueView::of_blob(context.arena().copy(as_text(jsonb)));
}

void return_text_as_jsonb(FunctionContext& context, std::string_view text, ValueView* result) {
  JsonBuffer padded;
  JsonBuffer jsonb;
  append_json_padded(&padded, text);
  if (!parse_json({padded.data(), text.size()}, &jsonb).ok) {
    fail_json(context, JsonError::kMalformed);
    return;
  }
  return_jsonb(context, jsonb.span(), result);
}

void return_rendered(FunctionContext& context, const JsonbElement& element, ValueView* result) {
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kRendering);
  out.clear();
  if (fail_json(context, render_json(element, &out))) return;
  return_json_text(context, out.text(), result);
}

void return_element(FunctionContext& context, const JsonbElement& element, bool as_jsonb,
                    ValueView* result) {
  if (element.is_container()) {
    if (as_jsonb) return return_jsonb(context, element.bytes(), result);
    return return_rendered(context, element, result);
  }
  ValueView value;
  JsonBuffer& scratch = JsonCache::of_thread().scratch(JsonCache::kRendering);
  if (fail_json(context, json_to_value(element, &scratch, &value))) return;
  if (value.is_text()) {
    if (!context.fits_length_limit(value.size)) return;
    value = ValueView::of_text(context.arena().copy(value.text()));
  }
  *result = value;
}

}  // namespace godwit
