// The mathematical functions. An argument that is no number gives NULL, and so does a result that
// is none. Source: lang_mathfunc.html.
#include <cmath>

#include "function/builtins.h"

namespace godwit {

namespace {

constexpr double kPi = 3.14159265358979323846;

void set_real(double value, ValueView* result) {
  if (value == value) *result = ValueView::of(value);
}

template <double (*function)(double)>
void of_one(FunctionContext&, Args args, ValueView* result) {
  ValueView x = numeric_view(args[0]);
  if (x.is_number()) set_real(function(value_to_real(x)), result);
}

template <double (*function)(double, double)>
void of_two(FunctionContext&, Args args, ValueView* result) {
  ValueView x = numeric_view(args[0]), y = numeric_view(args[1]);
  if (x.is_number() && y.is_number())
    set_real(function(value_to_real(x), value_to_real(y)), result);
}

// ceil, floor, trunc: integers stay as they are.
template <double (*function)(double)>
void to_whole(FunctionContext&, Args args, ValueView* result) {
  ValueView x = numeric_view(args[0]);
  if (x.is_integer()) *result = x;
  if (x.is_real()) set_real(function(x.real), result);
}

template <double (*function)(double)>
void logarithm(FunctionContext&, Args args, ValueView* result) {
  ValueView x = numeric_view(args[0]);
  if (!x.is_number()) return;
  double value = value_to_real(x);
  if (value > 0) set_real(function(value), result);
}

// Only the base must be a number; the other argument counts as what it starts with.
void logarithm_to_base(FunctionContext&, Args args, ValueView* result) {
  ValueView base = numeric_view(args[0]);
  if (!base.is_number()) return;
  double b = value_to_real(base), value = value_to_real(args[1]);
  if (b <= 0 || value <= 0) return;
  double scale = std::log(b);
  if (scale > 0) set_real(std::log(value) / scale, result);
}

void pi(FunctionContext&, Args, ValueView* result) {
  *result = ValueView::of(kPi);
}

double to_degrees(double x) {
  return x * (180.0 / kPi);
}
double to_radians(double x) {
  return x * (kPi / 180.0);
}


const ScalarFunction kMathFunctions[] = {
    {"acos", 1, 1, function_flag::kPlain, of_one<std::acos>},
    {"acosh", 1, 1, function_flag::kPlain, of_one<std::acosh>},
    {"asin", 1, 1, function_flag::kPlain, of_one<std::asin>},
    {"asinh", 1, 1, function_flag::kPlain, of_one<std::asinh>},
    {"atan", 1, 1, function_flag::kPlain, of_one<std::atan>},
    {"atan2", 2, 2, function_flag::kPlain, of_two<std::atan2>},
    {"atanh", 1, 1, function_flag::kPlain, of_one<std::atanh>},
    {"ceil", 1, 1, function_flag::kPlain, to_whole<std::ceil>},
    {"ceiling", 1, 1, function_flag::kPlain, to_whole<std::ceil>},
    {"cos", 1, 1, function_flag::kPlain, of_one<std::cos>},
    {"cosh", 1, 1, function_flag::kPlain, of_one<std::cosh>},
    {"degrees", 1, 1, function_flag::kPlain, of_one<to_degrees>},
    {"exp", 1, 1, function_flag::kPlain, of_one<std::exp>},
    {"floor", 1, 1, function_flag::kPlain, to_whole<std::floor>},
    {"ln", 1, 1, function_flag::kPlain, logarithm<std::log>},
    {"log", 1, 1, function_flag::kPlain, logarithm<std::log10>},
    {"log", 2, 2, function_flag::kPlain, logarithm_to_base},
    {"log10", 1, 1, function_flag::kPlain, logarithm<std::log10>},
    {"log2", 1, 1, function_flag::kPlain, logarithm<std::log2>},
    {"mod", 2, 2, function_flag::kPlain, of_two<std::fmod>},
    {"pi", 0, 0, function_flag::kPlain, pi},
    {"pow", 2, 2, function_flag::kPlain, of_two<std::pow>},
    {"power", 2, 2, function_flag::kPlain, of_two<std::pow>},
    {"radians", 1, 1, function_flag::kPlain, of_one<to_radians>},
    {"sin", 1, 1, function_flag::kPlain, of_one<std::sin>},
    {"sinh", 1, 1, function_flag::kPlain, of_one<std::sinh>},
    {"sqrt", 1, 1, function_flag::kPlain, of_one<std::sqrt>},
    {"tan", 1, 1, function_flag::kPlain, of_one<std::tan>},
    {"tanh", 1, 1, function_flag::kPlain, of_one<std::tanh>},
    {"trunc", 1, 1, function_flag::kPlain, to_whole<std::trunc>},
};

}  // namespace

std::span<const ScalarFunction> math_functions() {
  return kMathFunctions;
}

}  // namespace godwit
