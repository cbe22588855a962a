// Any bytes are read as JSON text and as JSONB, looked into along a path, changed and written,
// without a crash; what was written is read again.
//
// Input: a path, up to the first newline; the document.
#include <string>

#include "function/json/json_edit.h"
#include "function/json/json_parser.h"
#include "function/json/json_render.h"
#include "function/json/json_walk.h"
#include "tests/fuzz/driver.h"

namespace {

using namespace godwit;

void look_at(ByteSpan jsonb, std::string_view path, bool from_text) {
  JsonbElement root;
  (void)jsonb_error(jsonb);
  (void)looks_like_jsonb(jsonb);
  if (!read_jsonb_root(jsonb, &root)) return;
  JsonBuffer text;
  JsonBuffer scratch;
  bool rendered = render_json(root, &text) == JsonError::kNone;
  // JSONB of others may have numbers and escapes that JSON text cannot have.
  if (rendered && from_text) {
    JsonBuffer padded;
    JsonBuffer again;
    append_json_padded(&padded, text.text());
    if (!parse_json({padded.data(), text.size()}, &again).ok) std::abort();
  }
  text.clear();
  (void)render_json_pretty(root, "  ", &text);
  for (bool recursive : {false, true}) {
    JsonWalk walk;
    if (walk.begin(jsonb, path, recursive) != JsonLookup::kFound) continue;
    for (int rows = 0; !walk.at_end() && rows < 500; ++rows) {
      ValueView key;
      (void)walk.key(&key);
      (void)walk.fullkey();
      (void)walk.path();
      (void)json_to_value(walk.element(), &scratch, &key);
      if (!walk.next()) break;
    }
  }
  std::string_view steps;
  if (!begin_json_path(path, &steps)) return;
  static constexpr uint8_t kValue[] = {0x13, '7'};
  for (JsonEdit edit : {JsonEdit::kInsert, JsonEdit::kReplace, JsonEdit::kSet,
                        JsonEdit::kArrayInsert, JsonEdit::kRemove}) {
    JsonBuffer changed_document;
    bool changed;
    (void)edit_json(jsonb, edit, steps, kValue, &changed_document, &changed);
    if (changed && jsonb_error(jsonb) == 0 && changed_document.size() > 0 &&
        jsonb_error(changed_document.span()) != 0) {
      std::abort();
    }
  }
  JsonBuffer patched;
  (void)patch_json(root, root, &patched);
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  using namespace std::string_literals;
  return {
      "$.a[1].b\n{\"a\":[1,{\"b\":2.5}],\"c "
      "d\":null,\"\\u0041\":true,\"e\":\"x\\n\\ud83d\\ude00\"}",
      "$.\"a b\"[#-1]\n{'a "
      "b':[0x1F,.5,5.,+1,Infinity,NaN,],$x:'it\\'s\\x41\\v\\\n',/*c*/y://z\n1e5}",
      "$[0][0][0]\n[[[1,2],[3]],[[]],{\"k\":{}}]",
      "$.a\n\xcc\x1f\x17\x61\x4b\x13\x31\x13\x32\x38\x62\x5c\x6e\xcb\x02\x13\x31\x2a\x22\x01\x44\x30\x78\x31\x66\x36\x35\x2e\x65\x39\x5c\x78\x34"s,
      "$[#]\n\xfb\x00\x00\x00\x00\x00\x00\x00\x06\xdb\x00\x03\x00\x01\x02"s,
      "$.a.b.c[0].d[#]\n{}",
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  size_t newline = std::min(input.find('\n'), size);
  std::string_view path = input.substr(0, newline);
  std::string_view document = input.substr(std::min(newline + 1, size));
  // A copy of its own size, so that reading behind it is noticed.
  std::string blob(document);
  look_at(as_bytes(blob), path, false);
  JsonBuffer padded;
  JsonBuffer jsonb;
  append_json_padded(&padded, document);
  if (parse_json({padded.data(), document.size()}, &jsonb).ok) {
    if (jsonb_error(jsonb.span()) != 0) std::abort();
    look_at(jsonb.span(), path, true);
  }
  return 0;
}
