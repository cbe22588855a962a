#include "function/json/json_edit.h"

namespace godwit {

namespace {

class JsonEditor {
 public:
  JsonEditor(JsonEdit edit, ByteSpan value) : edit_(edit), value_(value) {}

  // Finds what is to be done, starting at `root`: fills the members below.
  JsonLookup locate(const JsonbElement& root, std::string_view path, int depth) {
    JsonPlace place{root, {}, false};
    bool in_array = false;
    for (;; ++depth) {
      if (depth > kJsonDepthMax) return JsonLookup::kPathTooDeep;
      JsonbElement element = place.element;
      JsonStep step = take_json_step(&path);
      if (step.kind == JsonStep::Kind::kBad) return JsonLookup::kBadPath;
      if (step.kind == JsonStep::Kind::kEnd) return change(place, in_array);
      bool by_name = step.kind == JsonStep::Kind::kName;
      if (element.type != (by_name ? JsonbType::kObject : JsonbType::kArray)) {
        return JsonLookup::kNotFound;
      }
      containers_.push_back(element);
      int64_t index = 0;
      if (!by_name && !take_json_index(&path, element, &index)) return JsonLookup::kBadPath;
      JsonLookup found = by_name ? find_json_member(element, step.name, step.name_is_raw, &place)
                                 : find_json_item(element, index, &place);
      if (found == JsonLookup::kFound) {
        if (by_name && edit_ == JsonEdit::kArrayInsert && path.empty()) {
          return JsonLookup::kNotArrayElement;
        }
        in_array = !by_name;
        continue;
      }
      if (found != JsonLookup::kNotFound || !inserts()) return found;
      return by_name ? add_member(element, step, path, depth)
                     : add_item(element, index, path, depth);
    }
  }

  bool changed() const { return changed_; }

  // Writes the document with the change.
  void write(ByteSpan document, JsonBuffer* out) {
    const uint8_t* last = document.data() + document.size();
    int64_t growth = static_cast<int64_t>(inserted_.size()) - static_cast<int64_t>(removed_);
    // From the innermost container outwards: how much each grows, its header included. Where
    // nothing grows, headers stay as they are.
    size_t first_kept = containers_.size();
    std::vector<size_t> sizes(containers_.size());
    while (first_kept > 0 && growth != 0) {
      const JsonbElement& container = containers_[--first_kept];
      size_t size = static_cast<size_t>(static_cast<int64_t>(container.payload_size()) + growth);
      growth +=
          static_cast<int64_t>(jsonb_header_size(size)) - (container.payload - container.start);
      sizes[first_kept] = size;
    }
    const uint8_t* copied = document.data();
    for (size_t i = first_kept; i < containers_.size(); ++i) {
      const JsonbElement& container = containers_[i];
      out->append(ByteSpan(copied, container.start));
      append_jsonb_header(out, container.type, sizes[i]);
      copied = container.payload;
    }
    out->append(ByteSpan(copied, at_));
    out->append(inserted_.span());
    copied = at_ + removed_;
    out->append(ByteSpan(copied, last));
  }

 private:
  bool inserts() const { return edit_ != JsonEdit::kReplace && edit_ != JsonEdit::kRemove; }

  JsonLookup change(const JsonPlace& place, bool in_array) {
    at_ = place.element.start;
    removed_ = static_cast<size_t>(place.element.end - place.element.start);
    switch (edit_) {
      case JsonEdit::kInsert:
        return JsonLookup::kFound;
      case JsonEdit::kArrayInsert:
        if (!in_array) return JsonLookup::kFound;
        removed_ = 0;
        inserted_.append(value_);
        break;
      case JsonEdit::kRemove:
        if (place.has_label) {
          at_ = place.label.start;
          removed_ = static_cast<size_t>(place.element.end - at_);
        }
        break;
      default:
        append_jsonb_fitted(&inserted_, value_, removed_);
        break;
    }
    changed_ = true;
    return JsonLookup::kFound;
  }

  JsonLookup add_member(const JsonbElement& object, const JsonStep& step, std::string_view rest,
                        int depth) {
    // A path that does not end with an index cannot lead to an array element.
    if (edit_ == JsonEdit::kArrayInsert && (rest.empty() || rest.back() != ']')) {
      return JsonLookup::kNotArrayElement;
    }
    append_jsonb(&inserted_, step.name_is_raw ? JsonbType::kTextRaw : JsonbType::kText5, step.name);
    return add_value(object, rest, depth);
  }

  JsonLookup add_item(const JsonbElement& array, int64_t index, std::string_view rest, int depth) {
    int64_t count = 0;
    if (!count_json_items(array, &count)) return JsonLookup::kMalformed;
    if (index != count) return JsonLookup::kNotFound;
    return add_value(array, rest, depth);
  }

  // Appends to the container the value, within the arrays and objects that the rest of the path
  // names.
  JsonLookup add_value(const JsonbElement& container, std::string_view rest, int depth) {
    at_ = container.end;
    removed_ = 0;
    if (rest.empty()) {
      inserted_.append(value_);
      changed_ = true;
      return JsonLookup::kFound;
    }
    uint8_t empty = static_cast<uint8_t>(rest[0] == '.' ? JsonbType::kObject : JsonbType::kArray);
    ByteSpan seed(&empty, 1);
    JsonbElement root;
    read_jsonb_root(seed, &root);
    JsonEditor inner(edit_, value_);
    JsonLookup found = inner.locate(root, rest, depth + 1);
    if (found != JsonLookup::kFound) return found;
    if (!inner.changed()) return JsonLookup::kNotFound;
    inner.write(seed, &inserted_);
    changed_ = true;
    return JsonLookup::kFound;
  }

  JsonEdit edit_;
  ByteSpan value_;
  std::vector<JsonbElement> containers_;  // around the change, outermost first
  const uint8_t* at_ = nullptr;
  size_t removed_ = 0;
  JsonBuffer inserted_;
  bool changed_ = false;
};

}  // namespace

JsonLookup edit_json(ByteSpan document, JsonEdit edit, std::string_view path, ByteSpan value,
                     JsonBuffer* out, bool* changed) {
  *changed = false;
  out->clear();
  JsonbElement root;
  if (!read_jsonb_root(document, &root)) return JsonLookup::kMalformed;
  JsonEditor editor(edit, value);
  JsonLookup found = editor.locate(root, path, 1);
  if (found != JsonLookup::kFound || !editor.changed()) return found;
  editor.write(document, out);
  *changed = true;
  return JsonLookup::kFound;
}

}  // namespace godwit
