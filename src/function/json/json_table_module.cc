// json_each(json [, path]), json_tree(), and jsonb_each(), jsonb_tree(), which give arrays and
// objects as JSONB.
#include "function/json/json_function.h"
#include "function/json/json_walk.h"
#include "function/virtual_table.h"

namespace godwit {

namespace {

enum Column : int32_t {
  kKey,
  kValue,
  kType,
  kAtom,
  kId,
  kParent,
  kFullkey,
  kPath,
  kJson,
  kRoot,
};

Status malformed() {
  return Status::error("malformed JSON");
}

template <bool recursive, bool as_jsonb>
class JsonCursor final : public VirtualCursor {
 public:
  Status filter(int plan_number, std::string_view, std::span<const ValueView> arguments) override {
    walk_ = JsonWalk();
    row_ = 0;
    json_.set_null();
    root_.set_null();
    if (plan_number == 0 || arguments.empty()) return Status();
    json_.assign(arguments[0]);
    if (arguments[0].is_null()) return Status();
    Arena arena;
    JsonDocument document;
    if (!read_json_argument(arguments[0], this, &arena, &document)) return malformed();
    std::string_view path = "$";
    if (arguments.size() > 1) {
      root_.assign(arguments[1]);
      if (arguments[1].is_null()) return Status();
      path = value_to_text(arguments[1], &arena);
    } else {
      root_.assign(ValueView::of_text(path));
    }
    JsonLookup found = walk_.begin(document.jsonb, path, recursive);
    if (found == JsonLookup::kFound || found == JsonLookup::kNotFound) return Status();
    return Status::error(json_lookup_message(found, path));
  }

  Status fetch(VirtualRows* rows) override {
    for (; !walk_.at_end() && rows->room() > 0; rows->end_row()) {
      GW_TRY(set_columns(rows));
      if (!walk_.next()) return malformed();
    }
    return Status();
  }

 private:
  Status set_columns(VirtualRows* rows) {
    const JsonbElement& element = walk_.element();
    ValueView value;
    rows->set_rowid(row_++);
    if (rows->wants(kKey)) {
      if (walk_.key(&value) != JsonError::kNone) return malformed();
      rows->set(kKey, value);
    }
    if (rows->wants(kValue) || rows->wants(kAtom)) GW_TRY(set_value(element, rows));
    rows->set(kType, ValueView::of_text(json_type_name(element.type)));
    rows->set(kId, ValueView::of(walk_.id()));
    if (walk_.has_parent()) rows->set(kParent, ValueView::of(walk_.parent()));
    if (rows->wants(kFullkey)) rows->set(kFullkey, ValueView::of_text(walk_.fullkey()));
    rows->set(kPath, ValueView::of_text(walk_.path()));
    rows->set(kJson, json_);
    rows->set(kRoot, root_);
    return Status();
  }

  Status set_value(const JsonbElement& element, VirtualRows* rows) {
    ValueView value;
    JsonError error = JsonError::kNone;
    if (!element.is_container()) {
      error = json_to_value(element, &text_, &value);
      if (error == JsonError::kNone) rows->set(kAtom, value);
    } else if (as_jsonb) {
      value = ValueView::of_blob(element.bytes());
    } else if (rows->wants(kValue)) {
      text_.clear();
      error = render_json(element, &text_);
      value = ValueView::of_text(text_.text());
      value.subtype = kJsonSubtype;
    }
    if (error != JsonError::kNone) return Status::error(json_error_message(error));
    rows->set(kValue, value);
    return Status();
  }

  JsonWalk walk_;
  JsonBuffer text_;
  Value json_;
  Value root_;
  int64_t row_ = 0;
};

template <bool recursive, bool as_jsonb>
class JsonTable final : public VirtualTable {
 public:
  Status best_index(VirtualQuery* query) override {
    GW_ASSIGN(uint32_t given, take_arguments(query, kJson, 2));
    // Without a document there are no rows.
    bool has_json = (given & 1) != 0;
    query->plan_number = has_json ? static_cast<int>(given) : 0;
    query->cost = has_json ? 1.0 : 1e99;
    return Status();
  }
  Result<std::unique_ptr<VirtualCursor>> open() override {
    return std::unique_ptr<VirtualCursor>(std::make_unique<JsonCursor<recursive, as_jsonb>>());
  }
};

template <bool recursive, bool as_jsonb>
Result<std::unique_ptr<VirtualTable>> connect() {
  return std::unique_ptr<VirtualTable>(std::make_unique<JsonTable<recursive, as_jsonb>>());
}

constexpr std::string_view kDeclaration =
    "CREATE TABLE x(key,value,type,atom,id,parent,fullkey,path,json HIDDEN,root HIDDEN)";

}  // namespace

extern const BuiltinModule kJsonModules[4] = {
    {"json_each", kDeclaration, connect<false, false>},
    {"json_tree", kDeclaration, connect<true, false>},
    {"jsonb_each", kDeclaration, connect<false, true>},
    {"jsonb_tree", kDeclaration, connect<true, true>},
};

}  // namespace godwit
