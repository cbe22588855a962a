#include "function/json/json_path.h"

#include "base/utf.h"
#include "function/json/json_escape.h"

namespace godwit {

namespace {

// Digits of an index stop counting here: no array is longer.
constexpr int64_t kIndexMax = int64_t{1} << 40;

bool take_digits(std::string_view* text, int64_t* value) {
  size_t at = 0;
  *value = 0;
  while (at < text->size() && is_ascii_digit((*text)[at])) {
    *value = std::min<int64_t>(*value * 10 + ((*text)[at] - '0'), kIndexMax);
    ++at;
  }
  text->remove_prefix(at);
  return at > 0;
}

}  // namespace

bool begin_json_path(std::string_view text, std::string_view* path) {
  if (text.empty() || text[0] != '$') return false;
  *path = text.substr(1, text.find('\0') - 1);
  return true;
}

JsonStep take_json_step(std::string_view* path) {
  JsonStep step;
  if (path->empty()) {
    step.kind = JsonStep::Kind::kEnd;
    return step;
  }
  if (path->front() == '[') {
    step.kind = JsonStep::Kind::kIndex;
    return step;
  }
  if (path->front() != '.') return step;
  std::string_view rest = path->substr(1);
  if (!rest.empty() && rest[0] == '"') {
    size_t end = 1;
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size()) return step;
    step.name = rest.substr(1, end - 1);
    step.name_is_raw = step.name.find('\\') == std::string_view::npos;
    rest.remove_prefix(end + 1);
  } else {
    size_t end = std::min(rest.find_first_of(".["), rest.size());
    if (end == 0) return step;
    step.name = rest.substr(0, end);
    rest.remove_prefix(end);
  }
  step.kind = JsonStep::Kind::kName;
  *path = rest;
  return step;
}

bool take_json_index(std::string_view* path, const JsonbElement& array, int64_t* index) {
  std::string_view rest = path->substr(1);
  if (!rest.empty() && rest[0] == '#') {
    rest.remove_prefix(1);
    int64_t back = 0;
    if (!rest.empty() && rest[0] == '-') {
      rest.remove_prefix(1);
      if (!take_digits(&rest, &back)) return false;
    }
    int64_t count = 0;
    if (!count_json_items(array, &count)) return false;
    *index = count - back;
    // Before the first item is nothing, and the rest of the path does not matter.
    if (*index < 0) return true;
  } else if (!take_digits(&rest, index)) {
    return false;
  }
  if (rest.empty() || rest[0] != ']') return false;
  *path = rest.substr(1);
  return true;
}

bool count_json_items(const JsonbElement& array, int64_t* count) {
  *count = 0;
  for (const uint8_t* p = array.payload; p < array.end; ++*count) {
    JsonbElement item;
    if (!read_jsonb(p, array.end, &item)) return false;
    p = item.end;
  }
  return true;
}

JsonLookup find_json_member(const JsonbElement& object, std::string_view name, bool name_is_raw,
                            JsonPlace* place) {
  for (const uint8_t* p = object.payload; p < object.end;) {
    JsonbElement label;
    JsonbElement value;
    if (!read_jsonb(p, object.end, &label) || !label.is_text()) return JsonLookup::kMalformed;
    if (!read_jsonb(label.end, object.end, &value)) return JsonLookup::kMalformed;
    bool same = name_is_raw && label.is_plain_text()
                    ? label.text() == name
                    : json_text_equal(label.text(), label.is_plain_text(), name, name_is_raw);
    if (same) {
      *place = {value, label, true};
      return JsonLookup::kFound;
    }
    p = value.end;
  }
  return JsonLookup::kNotFound;
}

JsonLookup find_json_item(const JsonbElement& array, int64_t index, JsonPlace* place) {
  if (index < 0) return JsonLookup::kNotFound;
  for (const uint8_t* p = array.payload; p < array.end; --index) {
    JsonbElement item;
    if (!read_jsonb(p, array.end, &item)) return JsonLookup::kMalformed;
    if (index == 0) {
      *place = {item, {}, false};
      return JsonLookup::kFound;
    }
    p = item.end;
  }
  return JsonLookup::kNotFound;
}

JsonLookup find_json(const JsonbElement& root, std::string_view path, JsonPlace* place) {
  *place = {root, {}, false};
  for (int depth = 1;; ++depth) {
    if (depth > kJsonDepthMax) return JsonLookup::kPathTooDeep;
    JsonbElement element = place->element;
    JsonLookup found;
    JsonStep step = take_json_step(&path);
    switch (step.kind) {
      case JsonStep::Kind::kEnd:
        return JsonLookup::kFound;
      case JsonStep::Kind::kBad:
        return JsonLookup::kBadPath;
      case JsonStep::Kind::kName:
        if (element.type != JsonbType::kObject) return JsonLookup::kNotFound;
        found = find_json_member(element, step.name, step.name_is_raw, place);
        break;
      case JsonStep::Kind::kIndex: {
        if (element.type != JsonbType::kArray) return JsonLookup::kNotFound;
        int64_t index;
        if (!take_json_index(&path, element, &index)) return JsonLookup::kBadPath;
        found = find_json_item(element, index, place);
        break;
      }
    }
    if (found != JsonLookup::kFound) return found;
  }
}

}  // namespace godwit
