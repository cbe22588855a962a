// JSON functions, with the results that SQLite 3.53.2 gives.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "function/registry.h"
#include "function_test_services.h"
#include "value/cast.h"

namespace godwit {
namespace {

using namespace std::string_view_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Argument {
  ValueView view;
  std::string bytes;
};
Argument N() {
  return {};
}
Argument I(int64_t i) {
  return {ValueView::of(i), {}};
}
Argument R(double r) {
  return {ValueView::of(r), {}};
}
Argument T(std::string_view text) {
  return {ValueView::of_text(text), std::string(text)};
}
// JSON, as a JSON function returns it.
Argument J(std::string_view text) {
  Argument argument = T(text);
  argument.view.subtype = 'J';
  return argument;
}
Argument B(std::string_view hex) {
  Argument argument{ValueView::of_blob(std::string_view()), {}};
  for (size_t i = 0; i < hex.size(); i += 2) {
    argument.bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  argument.view.size = static_cast<uint32_t>(argument.bytes.size());
  return argument;
}

std::string show(const ValueView& value) {
  if (value.is_null()) return "NULL";
  if (!value.is_blob()) {
    Arena arena;
    return std::string(value_to_text(value, &arena));
  }
  std::string text = "x'";
  for (char c : value.text()) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[c & 15];
  }
  return text + "'";
}

struct Case {
  std::string_view name;
  std::vector<Argument> args;
  std::string_view expected;
};

std::string call(const Case& c) {
  TestServices services;
  Arena arena;
  FunctionContext context(&services, &arena);
  FunctionLookup found = find_builtin_function(c.name, static_cast<int>(c.args.size()));
  if (found.scalar == nullptr) return "error: not found";
  std::vector<ValueView> args;
  for (const Argument& argument : c.args) {
    args.push_back(argument.view);
    if (argument.view.type >= ValueType::kText) args.back().bytes = argument.bytes.data();
  }
  context.begin_call(*found.scalar, binary_collation());
  ValueView result;
  found.scalar->call(context, args, &result);
  if (context.failed()) return "error: " + context.take_status().message();
  return show(result);
}

void expect_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    std::string args;
    for (const Argument& argument : c.args) {
      ValueView view = argument.view;
      if (view.type >= ValueType::kText) view.bytes = argument.bytes.data();
      args += (args.empty() ? "" : ", ") + show(view);
    }
    EXPECT_EQ(call(c), c.expected) << c.name << "(" << args.substr(0, 200) << ")";
  }
}

TEST(JsonTest, JsonTextIsRead) {
  expect_all({
      {"json", {T(R"([1, 2.50 ,"x" , null,true,false])")}, R"([1,2.50,"x",null,true,false])"},
      {"json", {T(R"( {"a" : [ ] , "b":{}} )")}, R"({"a":[],"b":{}})"},
      {"json", {T(R"({"a":1,"a":2})")}, R"({"a":1,"a":2})"},
      {"json", {T(R"("\u00e9\n\/")")}, R"("\u00e9\n\/")"},
      {"json", {T("-0")}, "-0"},
      {"json", {T("1E+5")}, "1E+5"},
      {"json", {T("01")}, "error: malformed JSON"},
      {"json", {T("-")}, "error: malformed JSON"},
      {"json", {T("1e")}, "error: malformed JSON"},
      {"json", {T("tru")}, "error: malformed JSON"},
      {"json", {T("[1,]")}, "[1]"},
      {"json", {T("[1 2]")}, "error: malformed JSON"},
      {"json", {T(R"({"a" 1})")}, "error: malformed JSON"},
      {"json", {T("{1:2}")}, "error: malformed JSON"},
      {"json", {T("1 2")}, "error: malformed JSON"},
      {"json", {T("")}, "error: malformed JSON"},
      {"json", {T("[1")}, "error: malformed JSON"},
      {"json", {T(R"("abc)")}, "error: malformed JSON"},
      {"json", {T(R"("a\qb")")}, "error: malformed JSON"},
      {"json", {T("123456789012345678901234567890")}, "123456789012345678901234567890"},
  });
}

TEST(JsonTest, Json5IsReadAndWrittenAsJson) {
  expect_all({
      {"json", {T("{a:1,'b':2,$c_1:3,}")}, R"({"a":1,"b":2,"$c_1":3})"},
      {"json", {T("[0x1F,-0XfF,0xffffffffffffffff,0x10000000000000000]")}, "[31,-255,18446744073709551615,9.0e999]"},
      {"json", {T("[.5,5.,-.5,+1,+.5e3,5.e2]")}, "[0.5,5.0,-0.5,1,0.5e3,5.0e2]"},
      {"json", {T("[Infinity,-inf,+INF,NaN,QNaN]")}, "[9e999,-9e999,9e999,null,null]"},
      {"json", {T(R"('a"b\'c\x41\v\0')")}, R"("a\"b'c\u0041\u000b\u0000")"},
      {"json", {T("\"a\\\x0a""b\"")}, R"("ab")"},
      {"json", {T("\"a\x09""b\x01\"")}, R"("a\tb\u0001")"},
      {"json", {T("/*c*/[1,//x\x0a""2]")}, "[1,2]"},
      {"json", {T("\xef\xbb\xbf[\xe2\x80\x83\x0b\x0c""1\xe2\x80\xa8]")}, "[1]"},
      {"json", {T(R"({a\u0062:1})")}, R"({"a\u0062":1})"},
      {"json", {T("{null:1}")}, "error: malformed JSON"},
      {"json", {T("-NaN")}, "error: malformed JSON"},
      {"json", {T("0x")}, "error: malformed JSON"},
      {"json", {T(".e5")}, "error: malformed JSON"},
      {"json", {T(R"("\x4g")")}, "error: malformed JSON"},
      {"json", {T(R"("\01")")}, "error: malformed JSON"},
      {"json", {T("1/*")}, "error: malformed JSON"},
  });
}

TEST(JsonTest, ErrorsHavePositions) {
  expect_all({
      {"json_error_position", {T("[1,2]")}, "0"},
      {"json_error_position", {T("[1,2")}, "5"},
      {"json_error_position", {T("[1,,2]")}, "4"},
      {"json_error_position", {T(R"({"a":tru})")}, "6"},
      {"json_error_position", {T("1 2")}, "1"},
      {"json_error_position", {T("")}, "1"},
      {"json_error_position", {T("[\xc3\xa9,x]")}, "2"},
      {"json_error_position", {T(R"("a\qb")")}, "4"},
      {"json_error_position", {T("[1,01]")}, "5"},
      {"json_error_position", {T(R"({"a"1})")}, "5"},
      {"json_error_position", {T(R"({"a":1 "b":2})")}, "8"},
      {"json_error_position", {T("[1.5.5]")}, "5"},
      {"json_error_position", {T("{}{}")}, "2"},
      {"json_error_position", {T("[1e+]")}, "4"},
      {"json_error_position", {T("{a b:1}")}, "4"},
      {"json_error_position", {N()}, "NULL"},
      {"json_error_position", {B("3b131a31")}, "3"},
      {"json_error_position", {B("cb17611331")}, "1"},
  });
}

TEST(JsonTest, JsonbIsMade) {
  expect_all({
      {"jsonb", {T("[1,2]")}, "x'4B13311332'"},
      {"jsonb", {T(R"({"a":1,"b":[true,false,null]})")}, "x'AC1761133117623B010200'"},
      {"jsonb", {T(R"("abcdefghijkl")")}, "x'C70C6162636465666768696A6B6C'"},
      {"jsonb", {T(R"("a\n")")}, "x'38615C6E'"},
      {"jsonb", {T(R"('a"b')")}, "x'39612262'"},
      {"jsonb", {T("[0x1F,.5,1.5,Infinity]")}, "x'CB124430783146262E3535312E35553965393939'"},
      {"jsonb", {T(R"("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")")}, "x'D7012C787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878'"},
      {"jsonb", {T("[[[[]]]]")}, "x'3B2B1B0B'"},
      {"jsonb", {B("cb021331")}, "x'CB021331'"},
      {"jsonb", {B("ff")}, "error: malformed JSON"},
      {"jsonb", {B("5b315d")}, "x'2B1331'"},
  });
}

TEST(JsonTest, JsonbIsRead) {
  expect_all({
      {"json", {B("4b13311332")}, "[1,2]"},
      {"json", {B("cb021331")}, "[1]"},
      {"json", {B("db00021331")}, "[1]"},
      {"json", {B("eb000000021331")}, "[1]"},
      {"json", {B("fb00000000000000021331")}, "[1]"},
      {"json", {B("07")}, R"("")"},
      {"json", {B("1a22")}, R"("\"")"},
      {"json", {B("295c76")}, R"("\u000b")"},
      {"json", {B("4430783146")}, "31"},
      {"json", {B("36352e65")}, "error: malformed JSON"},
      {"json", {B("00")}, "null"},
      {"json", {B("0b")}, "[]"},
      {"json", {B("0c")}, "{}"},
      {"json", {B("10")}, "error: malformed JSON"},
      {"json", {B("11")}, "error: malformed JSON"},
      {"json", {B("03")}, "error: malformed JSON"},
      {"json", {B("2c1761")}, "error: malformed JSON"},
      {"json", {B("4b1331")}, "error: malformed JSON"},
      {"json", {B("fb0000000100000000")}, "error: malformed JSON"},
      {"json", {B("0d")}, "error: malformed JSON"},
      {"json", {B("4c176113")}, "error: malformed JSON"},
      {"json", {B("")}, "error: malformed JSON"},
  });
}

TEST(JsonTest, ValidityHasLevels) {
  expect_all({
      {"json_valid", {T("[1]")}, "1"},
      {"json_valid", {T("{a:1}")}, "0"},
      {"json_valid", {T("{a:1}"), I(2)}, "1"},
      {"json_valid", {T("x"), I(3)}, "0"},
      {"json_valid", {B("2b1331")}, "0"},
      {"json_valid", {B("2b1331"), I(4)}, "1"},
      {"json_valid", {B("2b1361"), I(4)}, "1"},
      {"json_valid", {B("2b1361"), I(8)}, "0"},
      {"json_valid", {B("5b315d"), I(1)}, "1"},
      {"json_valid", {B("7b2261223a31327d"), I(4)}, "0"},
      {"json_valid", {N()}, "NULL"},
      {"json_valid", {T("1"), I(0)}, "error: FLAGS parameter to json_valid() must be between 1 and 15"},
      {"json_valid", {T("1"), I(16)}, "error: FLAGS parameter to json_valid() must be between 1 and 15"},
  });
}

TEST(JsonTest, PathsAreFollowed) {
  expect_all({
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$")}, R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":16})"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a")}, R"([1,2,{"b":"x\u0041"}])"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[0]")}, "1"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[2].b")}, "xA"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[#-1].b")}, "xA"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[#-4]")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[#]")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[7]")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.c d")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T(R"($."c d")")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.e")}, "1.5"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.f")}, "1"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T(R"($."\u0066")")}, "1"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T(R"($."g.h")")}, "16"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.x")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.x.[y")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[18446744073709551617]")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("x")}, "error: bad JSON path: 'x'"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$x")}, "error: bad JSON path: '$x'"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.")}, "error: bad JSON path: '$.'"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[")}, "error: bad JSON path: '$.a['"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[x]")}, "error: bad JSON path: '$.a[x]'"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[0")}, "error: bad JSON path: '$.a[0'"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a[0]x")}, "error: bad JSON path: '$.a[0]x'"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T(R"($."a)")}, R"(error: bad JSON path: '$."a')"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("")}, "error: bad JSON path: ''"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a['")}, "error: bad JSON path: '$.a['''"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.e"), T("$.x"), T("$.a")}, R"([1.50,null,[1,2,{"b":"x\u0041"}]])"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})")}, "NULL"},
      {"json_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), N()}, "NULL"},
      {"json_extract", {N(), T("$")}, "NULL"},
      {"jsonb_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a")}, "x'CB0F13311332AC176278785C7530303431'"},
      {"jsonb_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.e")}, "1.5"},
      {"jsonb_extract", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.e"), T("$.a")}, "x'CB1645312E3530CB0F13311332AC176278785C7530303431'"},
      {"json_type", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a")}, "array"},
      {"json_type", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.e")}, "real"},
      {"json_type", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.x")}, "NULL"},
      {"json_array_length", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})"), T("$.a")}, "3"},
      {"json_array_length", {T(R"({"a":[1,2,{"b":"x\u0041"}],"c d":null,"e":1.50,"\u0066":true,"g.h":0x10})")}, "0"},
      {"json_array_length", {T("[1,2]")}, "2"},
  });
}

TEST(JsonTest, NumbersBecomeSqlValues) {
  expect_all({
      {"json_extract", {T("[9223372036854775807]"), T("$[0]")}, "9223372036854775807"},
      {"json_extract", {T("[9223372036854775808]"), T("$[0]")}, "9.2233720368547758e+18"},
      {"json_extract", {T("[-9223372036854775808]"), T("$[0]")}, "-9223372036854775808"},
      {"json_extract", {T("[-9223372036854775809]"), T("$[0]")}, "-9.2233720368547758e+18"},
      {"json_extract", {T("[0x7fffffffffffffff]"), T("$[0]")}, "9223372036854775807"},
      {"json_extract", {T("[0x8000000000000000]"), T("$[0]")}, "9.2233720368547758e+18"},
      {"json_extract", {T("[-0x8000000000000000]"), T("$[0]")}, "-9.2233720368547758e+18"},
      {"json_extract", {T("[0x1ffffffffffffffff]"), T("$[0]")}, "error: malformed JSON"},
      {"json_extract", {T("[1e400]"), T("$[0]")}, "Inf"},
      {"json_extract", {T("[-0]"), T("$[0]")}, "0"},
      {"json_extract", {T("[-0.0]"), T("$[0]")}, "0.0"},
      {"json_extract", {T("[1.]"), T("$[0]")}, "1.0"},
      {"json_extract", {T("[Infinity]"), T("$[0]")}, "Inf"},
      {"json_extract", {T("[NaN]"), T("$[0]")}, "NULL"},
      {"json_extract", {T("[true]"), T("$[0]")}, "1"},
      {"json_extract", {T("[false]"), T("$[0]")}, "0"},
  });
}

TEST(JsonTest, StringsBecomeSqlText) {
  expect_all({
      {"json_extract", {T(R"(["\ud83d\ude00"])"), T("$[0]")}, "\xf0\x9f\x98\x80"},
      {"json_extract", {T(R"(["\ud83d"])"), T("$[0]")}, "\xed\xa0\xbd"},
      {"json_extract", {T(R"(["a\u0000b"])"), T("$[0]")}, "a\x00""b"sv},
      {"json_extract", {T("[\"a\\\x0d\x0a""b\"]"), T("$[0]")}, "ab"},
      {"json_extract", {T("[\"a\\\x0a\"]"), T("$[0]")}, "a\x00"sv},
      {"json_extract", {T(R"(['\x41\v'])"), T("$[0]")}, "A\x0b"},
      {"json_extract", {T(R"(["\u0041"])"), T("$[0]")}, "A"},
  });
}

TEST(JsonTest, ArrowsTakeShortPaths) {
  expect_all({
      {"->", {T(R"({"a":"x"})"), T("a")}, R"("x")"},
      {"->", {T(R"({"a":null})"), T("a")}, "null"},
      {"->", {T("[1,2,3]"), I(1)}, "2"},
      {"->", {T("[1,2,3]"), I(-1)}, "3"},
      {"->", {T("[1,2,3]"), T("1")}, "NULL"},
      {"->", {T(R"({"1.5":5})"), R(1.5)}, "5"},
      {"->", {T(R"({"a.b":2})"), T("a.b")}, "2"},
      {"->", {T(R"({"a":{"b":2}})"), T("$.a.b")}, "2"},
      {"->", {T("[[5]]"), T("[0][0]")}, "5"},
      {"->", {T("[1]"), T("[]")}, "NULL"},
      {"->", {T(R"({"":1})"), T("")}, "error: bad JSON path: ''"},
      {"->", {T(R"({"a":1})"), T(R"(a")")}, R"(error: bad JSON path: 'a"')"},
      {"->", {T(R"({"a":1})"), N()}, "NULL"},
      {"->>", {T(R"({"a":"x"})"), T("a")}, "x"},
      {"->>", {T(R"({"a":null})"), T("a")}, "NULL"},
      {"->>", {T("[1,2,3]"), I(1)}, "2"},
      {"->>", {T("[1,2,3]"), I(-1)}, "3"},
      {"->>", {T("[1,2,3]"), T("1")}, "NULL"},
      {"->>", {T(R"({"1.5":5})"), R(1.5)}, "5"},
      {"->>", {T(R"({"a.b":2})"), T("a.b")}, "2"},
      {"->>", {T(R"({"a":{"b":2}})"), T("$.a.b")}, "2"},
      {"->>", {T("[[5]]"), T("[0][0]")}, "5"},
      {"->>", {T("[1]"), T("[]")}, "NULL"},
      {"->>", {T(R"({"":1})"), T("")}, "error: bad JSON path: ''"},
      {"->>", {T(R"({"a":1})"), T(R"(a")")}, R"(error: bad JSON path: 'a"')"},
      {"->>", {T(R"({"a":1})"), N()}, "NULL"},
  });
}

TEST(JsonTest, ArraysAndObjectsAreBuilt) {
  expect_all({
      {"json_array", {}, "[]"},
      {"json_array", {I(1), R(2.5), T("x\"\x0a"), N(), J("[1]"), T("[1]"), R(kInfinity), R(1e+100)}, R"([1,2.5,"x\"\n",null,[1],"[1]",9.0e+999,1.0e+100])"},
      {"json_array", {B("2b1331")}, "[[1]]"},
      {"json_array", {B("ff")}, "error: JSON cannot hold BLOB values"},
      {"json_array", {B("00")}, "[null]"},
      {"jsonb_array", {I(1), T(R"(a"b)"), J(R"({"a":0.5})")}, "x'CB0E133148615C22626C176135302E35'"},
      {"json_object", {}, "{}"},
      {"json_object", {T("a"), I(1), T(R"(b")"), J("{}")}, R"({"a":1,"b\"":{}})"},
      {"json_object", {T("a")}, "error: json_object() requires an even number of arguments"},
      {"json_object", {I(1), I(2)}, "error: json_object() labels must be TEXT"},
      {"json_object", {N(), I(2)}, "error: json_object() labels must be TEXT"},
      {"json_object", {T("a"), B("ff")}, "error: JSON cannot hold BLOB values"},
      {"jsonb_object", {T("a"), N()}, "x'3C176100'"},
      {"json_quote", {T("a\"b\x01")}, R"("a\"b\u0001")"},
      {"json_quote", {R(1.5)}, "1.5"},
      {"json_quote", {J("[1]")}, "[1]"},
      {"json_quote", {N()}, "null"},
      {"json_quote", {B("ff")}, "error: JSON cannot hold BLOB values"},
  });
}

TEST(JsonTest, DocumentsAreChanged) {
  expect_all({
      {"json_set", {T(R"({"a":5})"), T("$.a"), I(1)}, R"({"a":1})"},
      {"json_set", {T("{}"), T("$.a.b.c"), I(1)}, R"({"a":{"b":{"c":1}}})"},
      {"json_set", {T("{}"), T("$.a[0].c"), I(1)}, R"({"a":[{"c":1}]})"},
      {"json_set", {T("{}"), T("$.a[1]"), I(1)}, "{}"},
      {"json_set", {T("[1,2]"), T("$[2]"), I(1)}, "[1,2,1]"},
      {"json_set", {T("[1,2]"), T("$[3]"), I(1)}, "[1,2]"},
      {"json_set", {T("[1,2]"), T("$[#-1]"), I(1)}, "[1,1]"},
      {"json_set", {T("5"), T("$"), I(1)}, "1"},
      {"json_set", {T("5"), T("$.a"), I(1)}, "5"},
      {"json_set", {T(R"({"a":5})"), T("$.a.b"), I(1)}, R"({"a":5})"},
      {"json_set", {T("{}"), T(R"($."c\u0041")"), I(1)}, R"({"c\u0041":1})"},
      {"json_set", {T("{}"), T(R"($.c"d)"), I(1)}, R"({"c\"d":1})"},
      {"json_set", {T("{}"), T("$.a."), I(1)}, "error: bad JSON path: '$.a.'"},
      {"json_set", {T("{}"), T("a"), I(1)}, "error: bad JSON path: 'a'"},
      {"json_set", {T("{}"), T("$.a"), T("[1]"), T("$.b"), J("[1]"), T("$.c"), B("2b1331")}, R"({"a":"[1]","b":[1],"c":[1]})"},
      {"json_set", {T("{}"), T("$.a"), B("ff")}, "error: JSON cannot hold BLOB values"},
      {"json_set", {T("{}"), T("$.a")}, "error: json_set() needs an odd number of arguments"},
      {"json_set", {T("{}")}, "{}"},
      {"json_set", {N(), T("$"), I(1)}, "NULL"},
      {"json_set", {T(R"({"a":1})"), N(), I(2), T("$.a"), I(3)}, R"({"a":3})"},
      {"json_insert", {T(R"({"a":1})"), T("$.a"), I(2), T("$.b"), I(3)}, R"({"a":1,"b":3})"},
      {"json_replace", {T(R"({"a":1})"), T("$.a"), I(2), T("$.b"), I(3)}, R"({"a":2})"},
      {"json_insert", {T("[1]"), T("$[#]"), I(2)}, "[1,2]"},
      {"jsonb_set", {T("{}"), T("$.a"), T(R"(x"y)"), T("$.b"), R(0.1), T(R"($."c d")"), R(kInfinity)}, "x'CC161A613A7822791A6235302E313A632064553965393939'"},
      {"jsonb_set", {B("cb021331"), T("$[0]"), I(7)}, "x'CB021337'"},
      {"jsonb_set", {B("cb021331"), T("$[0]"), I(77)}, "x'3B233737'"},
      {"jsonb_set", {B("cb0ccb041331133113311331"), T("$[0][0]"), I(77)}, "error: malformed JSON"},
      {"jsonb_replace", {T("[10,200,3000]"), T("$[0]"), I(1), T("$[1]"), I(1), T("$[2]"), I(1)}, "x'9BC30131D30001311331'"},
      {"json_array_insert", {T("[1,2,3]"), T("$[1]"), I(9)}, "[1,9,2,3]"},
      {"json_array_insert", {T("[1]"), T("$[#]"), I(9)}, "[1,9]"},
      {"json_array_insert", {T("[1]"), T("$[5]"), I(9)}, "[1]"},
      {"json_array_insert", {T("{}"), T("$.b[0]"), I(9)}, R"({"b":[9]})"},
      {"json_array_insert", {T("{}"), T("$.b"), I(9)}, "error: not an array element: '$.b'"},
      {"json_array_insert", {T(R"({"a":1})"), T("$.a"), I(9)}, "error: not an array element: '$.a'"},
      {"json_array_insert", {T("[]"), T("$"), I(9)}, "[]"},
      {"json_remove", {T("[1,2,3]"), T("$[0]"), T("$[0]")}, "[3]"},
      {"json_remove", {T(R"({"a":1,"a":2,"b":3})"), T("$.a")}, R"({"a":2,"b":3})"},
      {"json_remove", {T("[1]"), T("$")}, "NULL"},
      {"json_remove", {T("[1]"), T("$[5]")}, "[1]"},
      {"json_remove", {T("[1]"), N()}, "NULL"},
      {"json_remove", {T("[1]"), T("x")}, "error: bad JSON path: 'x'"},
      {"jsonb_remove", {B("cb021331"), T("$[0]")}, "x'0B'"},
  });
}

TEST(JsonTest, PatchesAreMerged) {
  expect_all({
      {"json_patch", {T(R"({"a":1,"b":2})"), T(R"({"b":null,"c":3})")}, R"({"a":1,"c":3})"},
      {"json_patch", {T(R"({"a":{"x":1}})"), T(R"({"a":{"y":2}})")}, R"({"a":{"x":1,"y":2}})"},
      {"json_patch", {T("[1]"), T(R"({"a":{"b":null}})")}, R"({"a":{}})"},
      {"json_patch", {T(R"({"a":1})"), T("[1]")}, "[1]"},
      {"json_patch", {T(R"({"a":1,"a":2})"), T(R"({"a":null})")}, R"({"a":2})"},
      {"json_patch", {T("{}"), T(R"({"a":2,"a":3})")}, R"({"a":3})"},
      {"json_patch", {T(R"({"\u0041":1})"), T(R"({"A":2})")}, R"({"\u0041":2})"},
      {"json_patch", {T(R"({"a":[1]})"), T(R"({"a":{"b":1}})")}, R"({"a":{"b":1}})"},
      {"json_patch", {T("{}"), N()}, "NULL"},
      {"json_patch", {T("x"), T("{}")}, "error: malformed JSON"},
      {"json_patch", {T("{}"), T("x")}, "error: malformed JSON"},
      {"jsonb_patch", {T(R"({"a":10})"), T(R"({"a":1})")}, "x'5C1761C30131'"},
  });
}

TEST(JsonTest, PrettyTextHasLines) {
  expect_all({
      {"json_pretty", {T(R"({"a":[1,{}],"b":[]})")}, "{\x0a    \"a\": [\x0a        1,\x0a        {}\x0a    ],\x0a    \"b\": []\x0a}"},
      {"json_pretty", {T("[1,[2]]"), T("--")}, "[\x0a--1,\x0a--[\x0a----2\x0a--]\x0a]"},
      {"json_pretty", {T("[]")}, "[]"},
      {"json_pretty", {N()}, "NULL"},
      {"json_pretty", {T("x")}, "error: malformed JSON"},
  });
}

TEST(JsonTest, NestingHasALimit) {
  std::string deepest = std::string(1000, '[') + std::string(1000, ']');
  std::string deeper = "[" + deepest + "]";
  expect_all({
      {"json", {T(deepest)}, deepest},
      {"json", {T(deeper)}, "error: malformed JSON"},
      {"json_error_position", {T(deeper)}, "1001"},
  });
  std::string jsonb = "0B";
  for (int i = 1; i < 1001; ++i) {
    size_t size = jsonb.size() / 2;
    char header[32];
    if (size <= 11) {
      std::snprintf(header, sizeof(header), "%zXB", size);
    } else {
      std::snprintf(header, sizeof(header), "DB%04zX", size);
    }
    jsonb = header + jsonb;
  }
  expect_all({
      {"json", {B(jsonb)}, "error: JSON nested too deep"},
      {"json_pretty", {B(jsonb)}, "error: JSON nested too deep"},
      {"json_valid", {B(jsonb), I(8)}, "0"},
      {"json_patch", {T("{}"), B(jsonb)}, "error: JSON nested too deep"},
  });
  std::string path = "$";
  for (int i = 0; i < 999; ++i) path += "[0]";
  expect_all({
      {"json_extract", {T(deepest), T(path)}, "[]"},
      {"json_extract", {B(jsonb), T(path + "[0]")}, "error: JSON path too deep"},
  });
}

}  // namespace
}  // namespace godwit
