// abs(), round(), sign() and random().
#include <cmath>
#include <limits>

#include "function/builtins.h"
#include "function/printf.h"

namespace godwit {

namespace {

void abs(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  if (args[0].is_integer()) {
    int64_t value = args[0].integer;
    if (value == std::numeric_limits<int64_t>::min()) {
      context.fail("integer overflow");
      return;
    }
    *result = ValueView::of(value < 0 ? -value : value);
    return;
  }
  double value = value_to_real(args[0]);
  *result = ValueView::of(value < 0 ? -value : value);
}

void sign(FunctionContext&, Args args, ValueView* result) {
  ValueView number = numeric_view(args[0]);
  if (!number.is_number()) return;
  double value = value_to_real(number);
  *result = ValueView::of(static_cast<int64_t>(value > 0) - static_cast<int64_t>(value < 0));
}

void round(FunctionContext&, Args args, ValueView* result) {
  constexpr int64_t kDecimalsMax = 30;
  constexpr double kAllIntegers = 4503599627370496.0;  // 2^52: no fraction from here on
  int64_t decimals = 0;
  if (args.size() == 2) {
    if (args[1].is_null()) return;
    decimals = value_to_integer(args[1]);
    if (decimals > kDecimalsMax) decimals = kDecimalsMax;
    if (decimals < 0) decimals = 0;
  }
  if (args[0].is_null()) return;
  double value = value_to_real(args[0]);
  if (value < -kAllIntegers || value > kAllIntegers) {
    *result = ValueView::of(value);
  } else if (decimals == 0) {
    *result =
        ValueView::of(static_cast<double>(static_cast<int64_t>(value + (value < 0 ? -0.5 : 0.5))));
  } else {
    *result = ValueView::of(round_decimal(value, static_cast<int>(decimals)));
  }
}

void random(FunctionContext& context, Args, ValueView* result) {
  int64_t value;
  context.services().random_bytes(&value, sizeof(value));
  // abs(random()) must not overflow, so that the smallest integer never comes.
  if (value < 0) value = -(value & std::numeric_limits<int64_t>::max());
  *result = ValueView::of(value);
}


constexpr ScalarFunction kNumberFunctions[] = {
    {"abs", 1, 1, function_flag::kPlain, abs},
    {"sign", 1, 1, function_flag::kPlain, sign},
    {"round", 1, 2, function_flag::kPlain, round},
    {"random", 0, 0, function_flag::kInnocuous, random},
};

}  // namespace

std::span<const ScalarFunction> number_functions() {
  return kNumberFunctions;
}

}  // namespace godwit
