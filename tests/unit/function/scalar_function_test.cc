// Calls of scalar functions, with the results that SQLite 3.53.2 gives.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "function/registry.h"
#include "function_test_services.h"
#include "value/cast.h"
#include "value/number_text.h"

namespace godwit {
namespace {

using namespace std::string_view_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A value as a test writes it: N() NULL, I() integer, R() real, T() text, B() blob, E() an error.
struct Cell {
  ValueType type = ValueType::kNull;
  bool is_error = false;
  int64_t integer = 0;
  double real = 0;
  std::string bytes;

  ValueView view() const {
    switch (type) {
      case ValueType::kNull:
        return ValueView::null();
      case ValueType::kInteger:
        return ValueView::of(integer);
      case ValueType::kReal:
        return ValueView::of(real);
      case ValueType::kText:
        return ValueView::of_text(bytes);
      default:
        return ValueView::of_blob(std::string_view(bytes));
    }
  }
  friend bool operator==(const Cell&, const Cell&) = default;
};
Cell N() {
  return {};
}
Cell I(int64_t i) {
  return {ValueType::kInteger, false, i, 0, {}};
}
Cell R(double r) {
  return {ValueType::kReal, false, 0, r, {}};
}
Cell T(std::string_view t) {
  return {ValueType::kText, false, 0, 0, std::string(t)};
}
Cell B(std::string_view b) {
  return {ValueType::kBlob, false, 0, 0, std::string(b)};
}
Cell E(std::string_view m) {
  return {ValueType::kText, true, 0, 0, std::string(m)};
}

std::string show(const Cell& cell) {
  Arena arena;
  std::string text(value_to_text(cell.view(), &arena));
  return std::to_string(static_cast<int>(cell.type)) + (cell.is_error ? " error " : " ") + text;
}

Cell call(std::string_view name, const std::vector<Cell>& cells) {
  TestServices services;
  Arena arena;
  FunctionContext context(&services, &arena);
  FunctionLookup found = find_builtin_function(name, static_cast<int>(cells.size()));
  if (found.scalar == nullptr) return E("not found");
  std::vector<ValueView> args;
  for (const Cell& cell : cells) args.push_back(cell.view());
  context.begin_call(*found.scalar, binary_collation());
  ValueView result;
  found.scalar->call(context, args, &result);
  if (context.failed()) return E(context.take_status().message());
  switch (result.type) {
    case ValueType::kNull:
      return N();
    case ValueType::kInteger:
      return I(result.integer);
    case ValueType::kReal:
      return R(result.real);
    case ValueType::kText:
      return T(result.text());
    default:
      return B(result.text());
  }
}

struct Case {
  std::string_view name;
  std::vector<Cell> args;
  Cell expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Cell got = call(c.name, c.args);
    std::string args;
    for (const Cell& cell : c.args) args += (args.empty() ? "" : ", ") + show(cell);
    EXPECT_TRUE(got == c.expected) << c.name << "(" << args << ")\n  gives    " << show(got)
                                   << "\n  expected " << show(c.expected);
  }
}

TEST(ScalarFunctions, TextFunctionsGiveWhatSqliteGives) {
  check({
      {"length", {T("\xc3\xa4\xc3\xb6\xc3\xbc")}, I(3)},
      {"length",
       {T("a\x00"
          "b"sv)},
       I(1)},
      {"length",
       {B("a\x00"
          "b"sv)},
       I(3)},
      {"length", {R(12.5)}, I(4)},
      {"octet_length", {T("\xc3\xa4\xc3\xb6\xc3\xbc")}, I(6)},
      {"lower",
       {T("\xc3\x84"
          "BC")},
       T("\xc3\x84"
         "bc")},
      {"upper",
       {T("\xc3\xa4"
          "bc")},
       T("\xc3\xa4"
         "BC")},
      {"substr", {T("hello"), I(2), I(3)}, T("ell")},
      {"substr", {T("hello"), I(-3), I(2)}, T("ll")},
      {"substr", {T("hello"), I(0), I(3)}, T("he")},
      {"substr", {T("hello"), I(2), I(-1)}, T("h")},
      {"substr", {T("hello"), I(-10), I(7)}, T("he")},
      {"substr", {T("hello"), I(INT64_MIN), I(5)}, T("")},
      {"substr", {B(""), I(1)}, N()},
      {"substr", {T("\xc3\xa4\xc3\xb6\xc3\xbc"), I(2), I(1)}, T("\xc3\xb6")},
      {"trim", {T("xxaxx"), T("x")}, T("a")},
      {"trim",
       {T("\xc3\xa4"
          "a\xc3\xa4"),
        T("\xc3\xa4")},
       T("a")},
      {"ltrim", {T("  a ")}, T("a ")},
      {"rtrim", {T("a  ")}, T("a")},
      {"instr", {T("\xc3\xa4\xc3\xb6\xc3\xbc"), T("\xc3\xbc")}, I(3)},
      {"instr", {T("\xc3\xa4"), B("\xa4")}, I(0)},
      {"instr", {T("abc"), T("")}, I(1)},
      {"instr", {B("\xc3\xa4"), B("\xa4")}, I(2)},
      {"replace", {T("aaa"), T("a"), T("bb")}, T("bbbbbb")},
      {"replace", {I(5), T(""), T("x")}, T("5")},
      {"replace", {T("abc"), T("b"), N()}, N()},
      {"concat", {T("a"), N(), I(5)}, T("a5")},
      {"concat_ws", {T(","), T("a"), N(), T("b")}, T("a,b")},
      {"concat_ws", {N(), T("a")}, N()},
  });
}

TEST(ScalarFunctions, UnicodeFunctionsGiveWhatSqliteGives) {
  check({
      {"char", {I(65), I(128512), I(-1)}, T("A\xf0\x9f\x98\x80\xef\xbf\xbd")},
      {"unicode", {T("\xc3\xa4")}, I(228)},
      {"unicode", {T("\xc2\x80\x80")}, I(8192)},
      {"unicode", {T("")}, N()},
      {"unistr", {T("a\\u0041\\\\ \\0043")}, T("aA\\ C")},
      {"unistr", {T("\\x")}, E("invalid Unicode escape")},
      {"unistr_quote",
       {T("a\x0a"
          "b\\")},
       T("unistr('a\\u000ab\\\\')")},
      {"unistr_quote", {T("a\\b")}, T("'a\\b'")},
  });
}

TEST(ScalarFunctions, BlobFunctionsGiveWhatSqliteGives) {
  check({
      {"hex", {T("\xc3\xa4")}, T("C3A4")},
      {"hex", {I(5)}, T("35")},
      {"hex", {N()}, T("")},
      {"unhex", {T("4142")}, B("AB")},
      {"unhex", {T("41 42"), T(" ")}, B("AB")},
      {"unhex", {T("4")}, N()},
      {"quote", {T("it's")}, T("'it''s'")},
      {"quote", {B("\x00\xff"sv)}, T("X'00FF'")},
      {"quote", {R(-kInfinity)}, T("-9.0e+999")},
      {"quote",
       {T("a\x00"
          "b"sv)},
       T("'a'")},
      {"quote", {N()}, T("NULL")},
      {"quote", {R(0.1)}, T("0.1")},
  });
}

TEST(ScalarFunctions, NumberFunctionsGiveWhatSqliteGives) {
  check({
      {"abs", {I(INT64_MIN)}, E("integer overflow")},
      {"abs", {T("-3x")}, R(3.0)},
      {"round", {R(2.5)}, R(3.0)},
      {"round", {R(1.005), I(2)}, R(1.0)},
      {"round", {R(2.675), I(2)}, R(2.67)},
      {"round", {R(1.45), I(1)}, R(1.4)},
      {"round", {T("abc"), I(1)}, R(0.0)},
      {"round", {R(1e+300)}, R(1e+300)},
      {"sign", {T("-2")}, I(-1)},
      {"sign", {T("x")}, N()},
      {"min", {I(1), R(1.0)}, R(1.0)},
      {"max", {I(1), R(1.0)}, I(1)},
      {"max", {T("a"), B("a")}, B("a")},
      {"min", {I(1), N()}, N()},
      {"typeof", {B("")}, T("blob")},
      {"nullif", {I(1), R(1.0)}, N()},
      {"iif", {I(0), T("a"), I(1), T("b")}, T("b")},
      {"coalesce", {N(), I(2)}, I(2)},
      {"ceil", {I(2)}, I(2)},
      {"ceil", {R(2.1)}, R(3.0)},
      {"log", {I(100)}, R(2.0)},
      {"log", {I(2), I(8)}, R(3.0)},
      {"log", {I(2), T("8x")}, R(3.0)},
      {"log", {T("2x"), I(8)}, N()},
      {"ln", {I(0)}, N()},
      {"mod", {I(7), I(3)}, R(1.0)},
      {"pow", {I(2), R(0.5)}, R(1.4142135623730951)},
      {"sqrt", {I(-1)}, N()},
      {"trunc", {R(-2.7)}, R(-2.0)},
      {"degrees", {I(1)}, R(57.29577951308232)},
  });
}

TEST(ScalarFunctions, PatternFunctionsGiveWhatSqliteGives) {
  check({
      {"like", {T("a%c"), T("ABC")}, I(1)},
      {"like", {T("\xc3\x84"), T("\xc3\xa4")}, I(0)},
      {"like", {T("a\\%"), T("a%"), T("\\")}, I(1)},
      {"like", {T("%\\"), T("a"), T("\\")}, I(0)},
      {"like", {T("a%%b"), T("axxb"), T("%")}, I(0)},
      {"like", {T("a"), T("b"), T("xy")}, E("ESCAPE expression must be a single character")},
      {"glob", {T("a*c"), T("abc")}, I(1)},
      {"glob", {T("[a-c]?"), T("bX")}, I(1)},
      {"glob", {T("[^a-c]"), T("b")}, I(0)},
      {"glob", {T("[]a]"), T("]")}, I(1)},
      {"glob", {T("[a"), T("a")}, I(0)},
      {"like", {N(), T("a")}, N()},
  });
}

TEST(ScalarFunctions, FormatFunctionsGiveWhatSqliteGives) {
  check({
      {"printf",
       {T("%d|%5d|%-5d|%05d|%+d|% d"), I(1), I(2), I(3), I(4), I(5), I(6)},
       T("1|    2|3    |00004|+5| 6")},
      {"printf", {T("%,d|%,.2f"), I(1234567), R(1234567.891)}, T("1,234,567|1,234,567.89")},
      {"printf",
       {T("%x|%#X|%o|%u"), I(255), I(255), I(8), I(-1)},
       T("ff|0XFF|10|18446744073709551615")},
      {"printf",
       {T("%.3s|%10.3s|%!.2s|%!5s|%5s"), T("abcdef"), T("abcdef"), T("\xc3\xa4\xc3\xb6\xc3\xbc"),
        T("\xc3\xa4\xc3\xb6"), T("\xc3\xa4\xc3\xb6")},
       T("abc|       abc|\xc3\xa4\xc3\xb6|   \xc3\xa4\xc3\xb6| \xc3\xa4\xc3\xb6")},
      {"printf",
       {T("%q|%Q|%w|%Q"), T("it's"), T("it's"), T("a\"b"), N()},
       T("it''s|'it''s'|a\"\"b|NULL")},
      {"printf",
       {T("%#Q"), T("a\x0a"
                    "b")},
       T("unistr('a\\u000ab')")},
      {"printf",
       {T("%f|%e|%g|%.0f|%!.20f|%.20f"), R(0.1), R(0.1), R(0.1), R(2.5), R(0.1), R(0.1)},
       T("0.100000|1.000000e-01|0.1|3|0.1000000000000000056|0.10000000000000000000")},
      {"printf", {T("%#.1f|%.1f"), R(-0.01), R(-0.01)}, T("0.0|-0.0")},
      {"printf", {T("%c|%.3c|%5c"), T("abc"), T("x"), T("\xc3\xa4")}, T("a|xxx|    \xc3\xa4")},
      {"printf", {T("%r %r %r"), I(1), I(12), I(23)}, T("1st 12th 23rd")},
      {"printf",
       {T("%*d|%-*d|%.*f"), I(5), I(1), I(5), I(1), I(2), R(3.14159)},
       T("    1|1    |3.14")},
      {"printf", {T("")}, N()},
      {"printf", {T("%s"), N()}, T("")},
      {"printf", {T("a%k"), I(1)}, T("a")},
      {"printf", {T("%f"), R(kInfinity)}, T("Inf")},
      {"printf", {T("%G|%!g"), R(1e-10), R(3.0)}, T("1E-10|3.0")},
      {"printf", {T("%lld%%"), I(5)}, T("5%")},
  });
}

TEST(ScalarFunctions, DatetimeFunctionsGiveWhatSqliteGives) {
  check({
      {"date", {T("2023-02-31")}, T("2023-03-03")},
      {"datetime", {T("2020-01-31"), T("+1 month")}, T("2020-03-02 00:00:00")},
      {"datetime", {T("2020-01-31"), T("+1 month"), T("floor")}, T("2020-02-29 00:00:00")},
      {"datetime", {I(1234567890), T("unixepoch")}, T("2009-02-13 23:31:30")},
      {"datetime", {I(1234567890), T("auto")}, T("2009-02-13 23:31:30")},
      {"datetime", {T("2020-02-29 12:34:56.789"), T("subsec")}, T("2020-02-29 12:34:56.789")},
      {"time", {T("12:00"), T("+90 minutes")}, T("13:30:00")},
      {"datetime", {T("2020-01-01 00:00+05:30")}, T("2019-12-31 18:30:00")},
      {"date", {T("2024-03-15"), T("start of month"), T("+1 month"), T("-1 day")}, T("2024-03-31")},
      {"date", {T("2024-03-15"), T("weekday 0")}, T("2024-03-17")},
      {"datetime", {T("2024-03-15"), T("+0001-02-03 04:05")}, T("2025-05-18 04:05:00")},
      {"julianday", {T("2000-01-01 12:00")}, R(2451545.0)},
      {"unixepoch", {T("2000-01-01 00:00:00.5"), T("subsec")}, R(946684800.5)},
      {"unixepoch", {T("1969-12-31")}, I(-86400)},
      {"strftime",
       {T("%d %e %f %F %G-%V %H %I %j %J %k %l %m %M %p %P %R %s %S %T %u %U %w %W %Y %%"),
        T("2004-03-03 14:12:15.55")},
       T("03  3 15.550 2004-03-03 2004-10 14 02 063 2453068.091846643 14  2 03 12 PM pm 14:12 "
         "1078323135 15 14:12:15 3 09 3 09 2004 %")},
      {"strftime", {T("%q"), T("2000-01-01")}, N()},
      {"date", {T("-0044-03-15")}, T("-0044-03-15")},
      {"strftime", {T("%F"), T("-0044-03-15")}, T("-044-03-15")},
      {"timediff", {T("2024-03-15"), T("2023-12-31 12:00")}, T("+0000-02-12 12:00:00.000")},
      {"timediff", {T("2023-12-31"), T("2024-03-15")}, T("-0000-02-15 00:00:00.000")},
      {"date", {T("2020-13-01")}, N()},
      {"datetime", {T("2020-01-01 24:00:00")}, T("2020-01-01 24:00:00")},
      {"date", {R(10000000000.0)}, N()},
  });
}

}  // namespace
}  // namespace godwit
