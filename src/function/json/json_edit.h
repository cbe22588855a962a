// Changes to a JSONB document: insert, replace, set, remove, and the merge of RFC 7396.
//
// A change copies the document, with the changed bytes in place and new headers for the elements
// around them; nothing else is decoded.
#pragma once

#include <string_view>

#include "function/json/json_path.h"
#include "function/json/json_render.h"

namespace godwit {

enum class JsonEdit : uint8_t {
  kInsert,       // what is not there
  kReplace,      // what is there
  kSet,          // both
  kArrayInsert,  // an array element, before the one that is there
  kRemove,
};

// Sets *changed if `document` is to be replaced by *out (which is cleared first). `value` is an
// element; kRemove ignores it. The path has no '$'. Removing the root is the caller's affair.
JsonLookup edit_json(ByteSpan document, JsonEdit edit, std::string_view path, ByteSpan value,
                     JsonBuffer* out, bool* changed);

// Appends `target`, changed by `patch`.
JsonError patch_json(const JsonbElement& target, const JsonbElement& patch, JsonBuffer* out);

}  // namespace godwit
