#include "function/json/json_walk.h"

#include "base/utf.h"
#include "value/number_text.h"

namespace godwit {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A name that may stand in a path without quotes.
bool is_simple_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  for (char c : name) {
    if (!is_letter(c) && !is_ascii_digit(c)) return false;
  }
  return true;
}

}  // namespace

JsonLookup JsonWalk::begin(ByteSpan document, std::string_view path, bool recursive) {
  document_.clear();
  document_.append(document);
  path_.clear();
  levels_.clear();
  recursive_ = recursive;
  at_end_ = true;
  std::string_view steps;
  if (!begin_json_path(path, &steps)) return JsonLookup::kBadPath;
  path_.append(path.substr(0, steps.size() + 1));
  root_size_ = path_.size();
  JsonbElement root;
  if (!read_jsonb_root(document_.span(), &root)) return JsonLookup::kMalformed;
  JsonLookup found = find_json(root, steps, &place_);
  if (found != JsonLookup::kFound) return found;
  const uint8_t* start = place_.has_label ? place_.label.start : place_.element.start;
  row_id_ = offset_of(start);
  root_parent_size_ = recursive ? root_path_size(root, start) : root_size_;
  at_end_ = false;
  if (recursive || !place_.element.is_container()) return JsonLookup::kFound;
  enter();
  return take_item() ? JsonLookup::kFound : JsonLookup::kMalformed;
}

// Where in the path its last step begins. As in SQLite only a first item is recognized; for others
// the whole path counts as one step.
size_t JsonWalk::root_path_size(const JsonbElement& root, const uint8_t* start) const {
  std::string_view path = path_.text();
  for (size_t size = path.size() - 1; size > 1; --size) {
    if (path[size] != '[' && path[size] != '.') continue;
    JsonPlace parent;
    JsonLookup found = find_json(root, path.substr(1, size - 1), &parent);
    if (found == JsonLookup::kFound && parent.element.payload == start) return size;
  }
  return 1;
}

void JsonWalk::enter() {
  const JsonbElement& element = place_.element;
  levels_.push_back({element.payload, element.end, element.type == JsonbType::kObject, -1, row_id_,
                     path_.size()});
}

bool JsonWalk::next() {
  if (recursive_ && place_.element.is_container()) {
    fullkey();  // becomes the path
    if (!levels_.empty()) path_.append(text_.text().substr(path_.size()));
    enter();
  }
  return take_item();
}

bool JsonWalk::take_item() {
  while (!levels_.empty() && levels_.back().next >= levels_.back().end) levels_.pop_back();
  at_end_ = levels_.empty();
  if (at_end_) return true;
  Level& level = levels_.back();
  path_.resize(level.path_size);
  place_.has_label = level.is_object;
  row_id_ = offset_of(level.next);
  ++level.index;
  const uint8_t* start = level.next;
  if (level.is_object) {
    if (!read_jsonb(start, level.end, &place_.label)) return false;
    start = place_.label.end;
  }
  if (!read_jsonb(start, level.end, &place_.element)) return false;
  level.next = place_.element.end;
  return true;
}

JsonError JsonWalk::key(ValueView* value) {
  *value = ValueView::null();
  if (!levels_.empty()) {
    if (levels_.back().is_object) return json_to_value(place_.label, &text_, value);
    *value = ValueView::of(levels_.back().index);
    return JsonError::kNone;
  }
  // The row of the path itself: its last step.
  std::string_view step = path_.text().substr(root_parent_size_);
  if (step.empty()) return JsonError::kNone;
  if (step[0] == '[') {
    *value = ValueView::of(text_to_integer(step.substr(1)));
  } else if (step.size() > 2 && step[1] == '"') {
    *value = ValueView::of_text(step.substr(2, step.size() - 3));
  } else {
    *value = ValueView::of_text(step.substr(1));
  }
  return JsonError::kNone;
}

std::string_view JsonWalk::fullkey() {
  text_.clear();
  text_.append(path_.text());
  if (levels_.empty()) return text_.text();
  if (!levels_.back().is_object) {
    text_.push('[');
    text_.add_written(static_cast<size_t>(
        integer_to_text(levels_.back().index, text_.room(kIntegerTextBytesMax))));
    text_.push(']');
    return text_.text();
  }
  std::string_view name = place_.label.text();
  bool simple = is_simple_name(name);
  text_.append(simple ? "." : ".\"");
  text_.append(name);
  if (!simple) text_.push('"');
  return text_.text();
}

std::string_view JsonWalk::path() const {
  return levels_.empty() ? path_.text().substr(0, root_parent_size_) : path_.text();
}

}  // namespace godwit
