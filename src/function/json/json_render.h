// JSONB to JSON text and to SQL values.
#pragma once

#include <string_view>

#include "function/json/jsonb.h"
#include "value/value.h"

namespace godwit {

enum class JsonError : uint8_t {
  kNone,
  kMalformed,      // "malformed JSON"
  kNestedTooDeep,  // "JSON nested too deep"
};

// Appends `element` as RFC 8259 text without white space.
JsonError render_json(const JsonbElement& element, JsonBuffer* out);

// The same over several lines, indented by `indent` a level.
JsonError render_json_pretty(const JsonbElement& element, std::string_view indent, JsonBuffer* out);

// The SQL value of an element that is no array or object. Text may be a view of the element's
// bytes, or of `scratch`.
JsonError json_to_value(const JsonbElement& element, JsonBuffer* scratch, ValueView* value);

// "null", "true", "integer", ...
std::string_view json_type_name(JsonbType type);

}  // namespace godwit
