// Functions that make or change a document: json_array(), json_object(), json_set(), json_patch().
#include "function/json/json_edit.h"
#include "function/json/json_function.h"

namespace godwit {

namespace {

void finish_text(FunctionContext& context, const JsonBuffer& text, bool as_jsonb,
                 ValueView* result) {
  if (context.failed()) return;
  if (as_jsonb) return return_text_as_jsonb(context, text.text(), result);
  return_json_text(context, text.text(), result);
}

template <bool as_jsonb>
void json_array(FunctionContext& context, Args args, ValueView* result) {
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kBuilding);
  out.clear();
  out.push('[');
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) out.push(',');
    append_json_value(context, args[i], &out);
  }
  out.push(']');
  finish_text(context, out, as_jsonb, result);
}

template <bool as_jsonb>
void json_object(FunctionContext& context, Args args, ValueView* result) {
  if (args.size() % 2 != 0) {
    context.fail("json_object() requires an even number of arguments");
    return;
  }
  // A wrong label counts before a wrong value.
  for (size_t i = 0; i < args.size(); i += 2) {
    if (args[i].is_text()) continue;
    context.fail("json_object() labels must be TEXT");
    return;
  }
  JsonBuffer& out = JsonCache::of_thread().scratch(JsonCache::kBuilding);
  out.clear();
  out.push('{');
  for (size_t i = 0; i < args.size(); i += 2) {
    if (i > 0) out.push(',');
    ValueView label = args[i];
    label.subtype = 0;
    append_json_value(context, label, &out);
    out.push(':');
    append_json_value(context, args[i + 1], &out);
  }
  out.push('}');
  finish_text(context, out, as_jsonb, result);
}

void finish_document(FunctionContext& context, ByteSpan document, bool as_jsonb,
                     ValueView* result) {
  if (as_jsonb) return return_jsonb(context, document, result);
  JsonbElement root;
  if (!read_jsonb_root(document, &root)) {
    fail_json(context, JsonError::kMalformed);
    return;
  }
  return_rendered(context, root, result);
}

// A document that is changed step by step: it and its successor, by turns.
class ChangingDocument {
 public:
  ChangingDocument() {
    buffers_[0].clear();
    buffers_[1].clear();
  }
  void start(ByteSpan document) {
    buffers_[0].append(document);
    current_ = 0;
  }
  ByteSpan span() const { return buffers_[current_].span(); }
  // Returns false after an error.
  bool edit(FunctionContext& context, JsonEdit edit, const ValueView& path_arg, ByteSpan value) {
    std::string_view path;
    if (!load_json_path(context, path_arg, &path)) return false;
    bool changed;
    JsonLookup found = edit_json(span(), edit, path, value, &buffers_[1 - current_], &changed);
    if (changed) current_ = 1 - current_;
    return !fail_lookup(context, found, path_arg);
  }

 private:
  JsonBuffer buffers_[2];
  int current_ = 0;
};

constexpr std::string_view name_of(JsonEdit edit) {
  switch (edit) {
    case JsonEdit::kInsert:
      return "json_insert";
    case JsonEdit::kReplace:
      return "json_replace";
    case JsonEdit::kArrayInsert:
      return "json_array_insert";
    default:
      return "json_set";
  }
}

template <JsonEdit edit, bool as_jsonb>
void json_edit(FunctionContext& context, Args args, ValueView* result) {
  if (args.empty()) return;
  if (args.size() % 2 == 0) {
    context.fail(std::string(name_of(edit)) + "() needs an odd number of arguments");
    return;
  }
  JsonDocument loaded;
  if (!load_json(context, args[0], &loaded)) return;
  if (args.size() == 1) return finish_document(context, loaded.jsonb, as_jsonb, result);
  ChangingDocument document;
  document.start(loaded.jsonb);
  JsonBuffer value;
  for (size_t i = 1; i + 1 < args.size(); i += 2) {
    if (args[i].is_null()) continue;
    std::string_view path;
    if (!load_json_path(context, args[i], &path)) return;
    value.clear();
    append_jsonb_value(context, args[i + 1], &value);
    if (context.failed() || !document.edit(context, edit, args[i], value.span())) return;
  }
  finish_document(context, document.span(), as_jsonb, result);
}

template <bool as_jsonb>
void json_remove(FunctionContext& context, Args args, ValueView* result) {
  if (args.empty()) return;
  JsonDocument loaded;
  if (!load_json(context, args[0], &loaded)) return;
  if (args.size() == 1) return finish_document(context, loaded.jsonb, as_jsonb, result);
  ChangingDocument document;
  document.start(loaded.jsonb);
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].is_null()) return;
    std::string_view path;
    if (!load_json_path(context, args[i], &path)) return;
    if (path.empty()) return;  // nothing is left
    if (!document.edit(context, JsonEdit::kRemove, args[i], {})) return;
  }
  finish_document(context, document.span(), as_jsonb, result);
}

template <bool as_jsonb>
void json_patch(FunctionContext& context, Args args, ValueView* result) {
  JsonDocument loaded;
  if (!load_json(context, args[0], &loaded)) return;
  // Loading the patch may push the target out of the cache.
  JsonBuffer target_bytes;
  target_bytes.append(loaded.jsonb);
  JsonbElement target;
  JsonbElement patch;
  if (!load_json_root(context, args[1], &patch)) return;
  if (!read_jsonb_root(target_bytes.span(), &target)) {
    fail_json(context, JsonError::kMalformed);
    return;
  }
  JsonBuffer out;
  if (fail_json(context, patch_json(target, patch, &out))) return;
  finish_document(context, out.span(), as_jsonb, result);
}

constexpr uint32_t kSubtypes = function_flag::kReadsSubtype;
constexpr int kAny = kVariableArguments;

constexpr ScalarFunction kJsonBuildFunctions[] = {
    json_scalar("json_array", 0, kAny, json_array<false>, kSubtypes),
    json_scalar("jsonb_array", 0, kAny, json_array<true>, kSubtypes),
    json_scalar("json_object", 0, kAny, json_object<false>, kSubtypes),
    json_scalar("jsonb_object", 0, kAny, json_object<true>, kSubtypes),
    json_scalar("json_insert", 0, kAny, json_edit<JsonEdit::kInsert, false>, kSubtypes),
    json_scalar("jsonb_insert", 0, kAny, json_edit<JsonEdit::kInsert, true>, kSubtypes),
    json_scalar("json_replace", 0, kAny, json_edit<JsonEdit::kReplace, false>, kSubtypes),
    json_scalar("jsonb_replace", 0, kAny, json_edit<JsonEdit::kReplace, true>, kSubtypes),
    json_scalar("json_set", 0, kAny, json_edit<JsonEdit::kSet, false>, kSubtypes),
    json_scalar("jsonb_set", 0, kAny, json_edit<JsonEdit::kSet, true>, kSubtypes),
    json_scalar("json_array_insert", 0, kAny, json_edit<JsonEdit::kArrayInsert, false>, kSubtypes),
    json_scalar("jsonb_array_insert", 0, kAny, json_edit<JsonEdit::kArrayInsert, true>, kSubtypes),
    json_scalar("json_remove", 0, kAny, json_remove<false>),
    json_scalar("jsonb_remove", 0, kAny, json_remove<true>),
    json_scalar("json_patch", 2, 2, json_patch<false>),
    json_scalar("jsonb_patch", 2, 2, json_patch<true>),
};

}  // namespace

std::span<const ScalarFunction> json_build_functions() {
  return kJsonBuildFunctions;
}

}  // namespace godwit
