// json_group_array() and json_group_object(): the items so far, as JSON text. A moving window frame
// removes the oldest from the front.
#include <new>

#include "function/json/json_function.h"

namespace godwit {

namespace {

struct GroupState {
  JsonBuffer text;     // items, each but the first behind a comma; room is left in front
  size_t removed = 0;  // bytes of `text` that inverse steps took from the front
  JsonBuffer result;
};

void init(void* state) {
  new (state) GroupState;
}
void destroy(void* state) {
  static_cast<GroupState*>(state)->~GroupState();
}

// Appends an item of the group, without a comma.
template <bool is_object>
void append_item(FunctionContext& context, Args args, JsonBuffer* out) {
  if (!is_object) return append_json_value(context, args[0], out);
  ValueView label = ValueView::of_text(text_of(context, args[0]));
  append_json_value(context, label, out);
  out->push(':');
  append_json_value(context, args[1], out);
}

template <bool is_object>
void step(FunctionContext& context, void* state, Args args) {
  if (is_object && args[0].is_null()) return;
  GroupState* group = static_cast<GroupState*>(state);
  if (group->text.size() > group->removed) group->text.push(',');
  append_item<is_object>(context, args, &group->text);
  context.fits_length_limit(group->text.size() - group->removed);
}

template <bool is_object>
void inverse(FunctionContext& context, void* state, Args args) {
  if (is_object && args[0].is_null()) return;
  GroupState* group = static_cast<GroupState*>(state);
  JsonBuffer& item = JsonCache::of_thread().scratch(JsonCache::kBuilding);
  item.clear();
  append_item<is_object>(context, args, &item);
  group->removed += item.size() + 1;
  if (group->removed >= group->text.size()) {
    group->text.clear();
    group->removed = 0;
  } else if (group->removed > 4096 && group->removed > group->text.size() / 2) {
    group->text.splice(0, group->removed, 0);
    group->removed = 0;
  }
}

template <bool is_object, bool as_jsonb>
void value_of(FunctionContext& context, void* state, ValueView* result) {
  GroupState* group = static_cast<GroupState*>(state);
  group->result.clear();
  group->result.push(is_object ? '{' : '[');
  group->result.append(group->text.text().substr(group->removed));
  group->result.push(is_object ? '}' : ']');
  if (as_jsonb) return return_text_as_jsonb(context, group->result.text(), result);
  if (!context.fits_length_limit(group->result.size())) return;
  *result = ValueView::of_text(group->result.text());
  result->subtype = kJsonSubtype;
}

template <bool is_object, bool as_jsonb>
constexpr AggregateFunction group_function(std::string_view name) {
  AggregateFunction f;
  f.name = name;
  f.args_min = f.args_max = is_object ? 2 : 1;
  f.flags = function_flag::kPlain | function_flag::kReadsSubtype | function_flag::kResultSubtype;
  f.state_size = sizeof(GroupState);
  f.init = init;
  f.step = step<is_object>;
  f.inverse = inverse<is_object>;
  f.finalize = f.value = value_of<is_object, as_jsonb>;
  f.destroy = destroy;
  return f;
}

constexpr AggregateFunction kJsonAggregates[] = {
    group_function<false, false>("json_group_array"),
    group_function<false, true>("jsonb_group_array"),
    group_function<true, false>("json_group_object"),
    group_function<true, true>("jsonb_group_object"),
};

}  // namespace

std::span<const AggregateFunction> json_aggregates() {
  return kJsonAggregates;
}

}  // namespace godwit
