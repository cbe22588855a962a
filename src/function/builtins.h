// The tables of built-in functions, one a topic, and what their implementations share.
#pragma once

#include <cstring>
#include <span>
#include <string_view>

#include "function/function.h"
#include "value/cast.h"
#include "value/number_text.h"

namespace godwit {

std::span<const ScalarFunction> text_functions();         // scalar_text.cc
std::span<const ScalarFunction> unicode_functions();      // scalar_unicode.cc
std::span<const ScalarFunction> blob_functions();         // scalar_blob.cc
std::span<const ScalarFunction> number_functions();       // scalar_number.cc
std::span<const ScalarFunction> math_functions();         // scalar_math.cc
std::span<const ScalarFunction> conditional_functions();  // scalar_conditional.cc
std::span<const ScalarFunction> connection_functions();   // scalar_connection.cc
std::span<const ScalarFunction> like_functions();         // like.cc
std::span<const ScalarFunction> format_functions();       // format_function.cc
std::span<const ScalarFunction> datetime_functions();     // datetime_functions.cc
std::span<const ScalarFunction> json_read_functions();    // json/json_read_functions.cc
std::span<const ScalarFunction> json_build_functions();   // json/json_build_functions.cc
std::span<const AggregateFunction> number_aggregates();   // aggregate_number.cc
std::span<const AggregateFunction> extreme_aggregates();  // aggregate_min_max.cc
std::span<const AggregateFunction> text_aggregates();     // aggregate_text.cc
std::span<const AggregateFunction> json_aggregates();     // json/json_aggregates.cc

namespace function_flag {
// What nearly all built-in functions are.
inline constexpr uint32_t kPlain = kDeterministic | kInnocuous;
}  // namespace function_flag

using Args = std::span<const ValueView>;

// The text of an argument, as sqlite3_value_text(): numbers are converted into the arena.
inline std::string_view text_of(FunctionContext& context, const ValueView& value) {
  return value.is_text() ? value.text() : value_to_text(value, &context.arena());
}
// The part before a NUL: for functions that take their argument for a C string.
inline std::string_view until_nul(std::string_view text) {
  if (text.empty()) return text;
  const void* nul = std::memchr(text.data(), 0, text.size());
  return nul == nullptr
             ? text
             : text.substr(0, static_cast<size_t>(static_cast<const char*>(nul) - text.data()));
}
inline char* allocate_text(FunctionContext& context, size_t bytes) {
  return static_cast<char*>(context.arena().allocate(bytes, 1));
}
inline ValueView text_value(const char* bytes, size_t size) {
  return ValueView::of_text({bytes, size});
}

// As sqlite3_value_numeric_type(): text that is a number counts as one. NULL, other text and blobs
// come back unchanged.
ValueView numeric_view(const ValueView& value);

}  // namespace godwit
