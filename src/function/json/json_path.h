// Paths into a JSON document, and the walk along them.
//
//   path  = '$' step*
//   step  = '.' name | '.' '"' name '"' | '[' index ']'
//   index = digits | '#' | '#-' digits       # is the length of the array
//
// A path is read while it is walked: what stands behind a step that leads nowhere is not looked at,
// as in SQLite, and so not refused either.
#pragma once

#include <string_view>
#include <vector>

#include "function/json/jsonb.h"

namespace godwit {

enum class JsonLookup : uint8_t {
  kFound,
  kNotFound,
  kBadPath,
  kMalformed,  // the document is
  kPathTooDeep,
  kNotArrayElement,  // json_array_insert() only
};

// The next step of a path.
struct JsonStep {
  enum class Kind : uint8_t { kEnd, kName, kIndex, kBad };
  Kind kind = Kind::kBad;
  std::string_view name;    // kName
  bool name_is_raw = true;  // has no escapes
};

// Takes a name off *path, or says that an index (left in place, at its '[') or the end comes next.
JsonStep take_json_step(std::string_view* path);

// An index step, at its '[', against the array that it is for. False: bad path. A place in front of
// the first item is a negative index; then the step is left where it is.
bool take_json_index(std::string_view* path, const JsonbElement& array, int64_t* index);

// The part of a path before its first NUL, without '$'. False: it does not start with '$'.
bool begin_json_path(std::string_view text, std::string_view* path);

// Where an element was found.
struct JsonPlace {
  JsonbElement element;
  // Of an item of an object: its label, before the element.
  JsonbElement label;
  bool has_label = false;
};

// Walks from `root` along `path` (without '$').
JsonLookup find_json(const JsonbElement& root, std::string_view path, JsonPlace* place);

// The value (and label) of the first item of `object` with this name. kNotFound, kMalformed.
JsonLookup find_json_member(const JsonbElement& object, std::string_view name, bool name_is_raw,
                            JsonPlace* place);
JsonLookup find_json_item(const JsonbElement& array, int64_t index, JsonPlace* place);

// Items of an array; false if it is malformed.
bool count_json_items(const JsonbElement& array, int64_t* count);

}  // namespace godwit
