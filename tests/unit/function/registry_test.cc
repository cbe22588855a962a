// Functions are found by name, in any case, and number of arguments.
#include "function/registry.h"

#include <gtest/gtest.h>

#include "function/compile_options.h"
#include "function_test_services.h"

namespace godwit {
namespace {

TEST(FindBuiltinFunction, TellsScalarFromAggregateByTheNumberOfArguments) {
  EXPECT_NE(find_builtin_function("MIN", 1).aggregate, nullptr);
  EXPECT_NE(find_builtin_function("min", 2).scalar, nullptr);
  EXPECT_NE(find_builtin_function("row_number", 0).window, nullptr);
}

TEST(FindBuiltinFunction, TellsAWrongNumberOfArgumentsFromAnUnknownName) {
  FunctionLookup lookup = find_builtin_function("abs", 2);
  EXPECT_FALSE(lookup.found());
  EXPECT_TRUE(lookup.name_exists);
  EXPECT_FALSE(find_builtin_function("no_such", 1).name_exists);
}

std::unique_ptr<UserFunction> user_function(std::string name, int arguments, int* destroyed) {
  auto function = std::make_unique<UserFunction>();
  function->name = std::move(name);
  function->argument_count = arguments;
  function->user_data = destroyed;
  function->destroy = [](void* count) { ++*static_cast<int*>(count); };
  return function;
}

TEST(FunctionRegistry, UserFunctionsHideBuiltinOnes) {
  int destroyed = 0;
  {
    FunctionRegistry registry;
    registry.add(user_function("Abs", kVariableArguments, &destroyed));
    const ScalarFunction* own = registry.find("ABS", 1).scalar;
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(own->user_data, &destroyed);
    registry.add(user_function("abs", 1, &destroyed));
    EXPECT_NE(registry.find("abs", 1).scalar, own);
    EXPECT_EQ(registry.find("abs", 2).scalar, own);
    EXPECT_TRUE(registry.remove("ABS", 1));
    EXPECT_EQ(destroyed, 1);
    EXPECT_TRUE(registry.remove("abs", kVariableArguments));
    EXPECT_EQ(registry.find("abs", 1).scalar, find_builtin_function("abs", 1).scalar);
    registry.add(user_function("f", 1, &destroyed));
  }
  EXPECT_EQ(destroyed, 3);
}

TEST(CompileOptions, AreFoundWithAndWithoutPrefixAndValue) {
  EXPECT_TRUE(is_compile_option_used("SQLITE_THREADSAFE"));
  EXPECT_TRUE(is_compile_option_used("threadsafe=1"));
  EXPECT_FALSE(is_compile_option_used("THREAD"));
}

TEST(FunctionContext, RefusesTheCurrentTimeInAnIndex) {
  TestServices services;
  Arena arena;
  FunctionContext context(&services, &arena);
  const ScalarFunction* date = find_builtin_function("date", 1).scalar;
  ValueView argument = ValueView::of_text("now"), result;
  context.begin_call(*date, binary_collation(), nullptr, PureUse::kIndex);
  date->call(context, {&argument, 1}, &result);
  ASSERT_TRUE(context.failed());
  EXPECT_EQ(context.take_status().message(), "non-deterministic use of date() in an index");
  context.begin_call(*date, binary_collation());
  date->call(context, {&argument, 1}, &result);
  EXPECT_EQ(result.text(), "2024-06-01");
}

}  // namespace
}  // namespace godwit
