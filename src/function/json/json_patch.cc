// The merge of RFC 7396. Labels of the patch are looked for one after the other, so that a label
// that stands in it twice is applied twice.
#include <deque>
#include <vector>

#include "function/json/json_edit.h"
#include "function/json/json_escape.h"

namespace godwit {

namespace {

struct Member {
  JsonbElement label;
  JsonbElement value;
  size_t room = 0;  // of the value that it replaces

  size_t size() const { return value.bytes().size(); }
};

bool read_members(const JsonbElement& object, std::vector<Member>* members) {
  for (const uint8_t* p = object.payload; p < object.end;) {
    Member member;
    if (!read_jsonb(p, object.end, &member.label) || !member.label.is_text()) return false;
    if (!read_jsonb(member.label.end, object.end, &member.value)) return false;
    members->push_back(member);
    p = member.value.end;
  }
  return true;
}

bool same_label(const JsonbElement& a, const JsonbElement& b) {
  return json_text_equal(a.text(), a.is_plain_text(), b.text(), b.is_plain_text());
}

JsonError merge(const JsonbElement& target, const JsonbElement& patch, int depth, JsonBuffer* out) {
  if (patch.type != JsonbType::kObject) {
    append_jsonb_fitted(out, patch.bytes(), target.bytes().size());
    return JsonError::kNone;
  }
  if (depth > kJsonDepthMax) return JsonError::kNestedTooDeep;
  std::vector<Member> members;
  std::vector<Member> changes;
  if (target.type == JsonbType::kObject && !read_members(target, &members)) {
    return JsonError::kMalformed;
  }
  if (!read_members(patch, &changes)) return JsonError::kMalformed;
  std::deque<JsonBuffer> merged;  // values that are neither the target's nor the patch's
  for (const Member& change : changes) {
    auto found = members.begin();
    while (found != members.end() && !same_label(found->label, change.label)) ++found;
    if (change.value.type == JsonbType::kNull) {
      if (found != members.end()) members.erase(found);
      continue;
    }
    JsonbElement value = change.value;
    if (value.type == JsonbType::kObject) {
      JsonbElement old;  // null: as good as an empty object
      if (found != members.end()) old = found->value;
      JsonError error = merge(old, change.value, depth + 1, &merged.emplace_back());
      if (error != JsonError::kNone) return error;
      read_jsonb_root(merged.back().span(), &value);
    }
    if (found != members.end()) {
      found->room = value.type == JsonbType::kObject ? 0 : found->size();
      found->value = value;
    } else {
      members.push_back({change.label, value, 0});
    }
  }
  bool keeps_header = members.empty() && target.start < target.end && target.payload_size() == 0;
  if (keeps_header) {
    size_t at = out->size();
    out->append(target.bytes());
    uint8_t first = out->bytes()[at];
    out->bytes()[at] = static_cast<uint8_t>((first & 0xF0) | static_cast<int>(JsonbType::kObject));
    return JsonError::kNone;
  }
  size_t start = begin_jsonb(out);
  for (const Member& member : members) {
    out->append(member.label.bytes());
    append_jsonb_fitted(out, member.value.bytes(), member.room);
  }
  end_jsonb(out, start, JsonbType::kObject);
  return JsonError::kNone;
}

}  // namespace

JsonError patch_json(const JsonbElement& target, const JsonbElement& patch, JsonBuffer* out) {
  return merge(target, patch, 1, out);
}

}  // namespace godwit
