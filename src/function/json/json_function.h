// What the SQL functions on JSON share: arguments in, results out.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "function/builtins.h"
#include "function/json/json_cache.h"
#include "function/json/json_path.h"
#include "function/json/json_render.h"

namespace godwit {

// The subtype of JSON text: where a function takes values, such text is JSON and not a string.
inline constexpr uint8_t kJsonSubtype = 'J';

std::string json_error_message(JsonError error);
// Of what is neither kFound nor kNotFound.
std::string json_lookup_message(JsonLookup lookup, std::string_view path);

// Fails with the text of the error; true if there is one.
bool fail_json(FunctionContext& context, JsonError error);
// "bad JSON path: 'x'" and the like. kNotFound and kFound are no errors.
bool fail_lookup(FunctionContext& context, JsonLookup lookup, const ValueView& path);

// The document that an argument, which is not NULL, is: JSON text, JSONB, or a number. False: it is
// malformed. The bytes stay until the next document is read. `site`: see JsonCache::parse().
bool read_json_argument(const ValueView& arg, const void* site, Arena* arena,
                        JsonDocument* document);
// The same for functions. False for NULL, or after an error.
bool load_json(FunctionContext& context, const ValueView& arg, JsonDocument* document);
// The same, and its root element.
bool load_json_root(FunctionContext& context, const ValueView& arg, JsonbElement* root);

// The path of an argument, without its '$'. False after an error.
bool load_json_path(FunctionContext& context, const ValueView& arg, std::string_view* path);

// Appends a value as JSON text, as json_array() does.
void append_json_value(FunctionContext& context, const ValueView& value, JsonBuffer* out);
// Appends a value as a JSONB element, as json_set() does.
void append_jsonb_value(FunctionContext& context, const ValueView& value, JsonBuffer* out);

// Results; bytes are copied into the context's arena.
void return_json_text(FunctionContext& context, std::string_view text, ValueView* result);
void return_jsonb(FunctionContext& context, ByteSpan jsonb, ValueView* result);
// JSON text, made here, as JSONB.
void return_text_as_jsonb(FunctionContext& context, std::string_view text, ValueView* result);
// An element as JSON text.
void return_rendered(FunctionContext& context, const JsonbElement& element, ValueView* result);
// An element as an SQL value: arrays and objects as JSON text or as JSONB.
void return_element(FunctionContext& context, const JsonbElement& element, bool as_jsonb,
                    ValueView* result);

constexpr ScalarFunction json_scalar(std::string_view name, int args_min, int args_max,
                                     ScalarCall call, uint32_t flags = 0) {
  ScalarFunction f;
  f.name = name;
  f.args_min = args_min;
  f.args_max = args_max;
  f.flags = function_flag::kPlain | function_flag::kResultSubtype | flags;
  f.call = call;
  return f;
}

}  // namespace godwit
