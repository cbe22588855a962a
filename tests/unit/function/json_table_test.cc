// json_each() and its kin as tables: arguments, columns, subtypes.
#include <gtest/gtest.h>

#include <string>

#include "function/virtual_table.h"
#include "value/cast.h"

namespace godwit {
namespace {

const BuiltinModule* find_module(std::string_view name) {
  for (const BuiltinModule* module : builtin_modules()) {
    if (module->name == name) return module;
  }
  return nullptr;
}

// key|value|type|atom|id|root, a line a row; or the error.
std::string rows_of(std::string_view module, std::vector<ValueView> arguments) {
  auto table = find_module(module)->connect();
  auto cursor = (*table)->open();
  int plan_number = arguments.empty() ? 0 : arguments.size() == 1 ? 1 : 3;
  Status status = (*cursor)->filter(plan_number, {}, arguments);
  if (!status.ok()) return status.message();
  const int32_t columns[] = {0, 1, 2, 3, 4, 9};
  VirtualRows rows(columns);
  std::string text;
  while (true) {
    rows.begin(2);
    rows.set_room(2);
    status = (*cursor)->fetch(&rows);
    if (!status.ok()) return status.message();
    for (uint32_t row = 0; row < rows.count(); ++row) {
      for (size_t i = 0; i < std::size(columns); ++i) {
        ValueView value = rows.vector(i)->get(row);
        Arena arena;
        text += value.is_null() ? "NULL" : std::string(value_to_text(value, &arena));
        if (value.subtype != 0) text += static_cast<char>(value.subtype);
        text += i + 1 < std::size(columns) ? "|" : "\n";
      }
    }
    if (rows.count() < 2) return text;
  }
}

ValueView t(std::string_view text) {
  return ValueView::of_text(text);
}

TEST(JsonTableTest, EachGivesARowAnItem) {
  EXPECT_EQ(rows_of("json_each", {t(R"({"a":[1],"b":"x","c":null})")}),
            "a|[1]J|array|NULL|2|$\n"
            "b|x|text|x|7|$\n"
            "c|NULL|null|NULL|11|$\n");
  EXPECT_EQ(rows_of("json_each", {t(R"({"a":[1,2]})"), t("$.a")}),
            "0|1|integer|1|4|$.a\n"
            "1|2|integer|2|6|$.a\n");
  EXPECT_EQ(rows_of("jsonb_each", {t("[[1]]")}), "0|\x2B\x13\x31|array|NULL|1|$\n");
  EXPECT_EQ(rows_of("json_tree", {t("[[1]]")}),
            "NULL|[[1]]J|array|NULL|0|$\n"
            "0|[1]J|array|NULL|1|$\n"
            "0|1|integer|1|2|$\n");
}

TEST(JsonTableTest, ThereAreNoRowsOfNothing) {
  EXPECT_EQ(rows_of("json_each", {}), "");
  EXPECT_EQ(rows_of("json_each", {ValueView::null()}), "");
  EXPECT_EQ(rows_of("json_each", {t("[1]"), ValueView::null()}), "");
  EXPECT_EQ(rows_of("json_each", {t("[]")}), "");
  EXPECT_EQ(rows_of("json_each", {t("[1]"), t("$.x")}), "");
  EXPECT_EQ(rows_of("json_each", {t("[1")}), "malformed JSON");
  EXPECT_EQ(rows_of("json_each", {t("[1]"), t("x")}), "bad JSON path: 'x'");
}

}  // namespace
}  // namespace godwit
