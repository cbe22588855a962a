// count(), sum(), total() and avg().
//
// sum() of integers is exact and fails when it overflows. With a real among the values it becomes a
// Kahan-Babuska-Neumaier sum: a running sum, and the sum of what rounding took away from it.
#include <cmath>
#include <cstdint>
#include <limits>

#include "function/builtins.h"

namespace godwit {

namespace {

struct CountState {
  int64_t rows;
};

void count_step(FunctionContext&, void* state, Args args) {
  static_cast<CountState*>(state)->rows += args.empty() || !args[0].is_null();
}
void count_inverse(FunctionContext&, void* state, Args args) {
  static_cast<CountState*>(state)->rows -= args.empty() || !args[0].is_null();
}
void count_result(FunctionContext&, void* state, ValueView* result) {
  *result = ValueView::of(static_cast<CountState*>(state)->rows);
}
void count_batch(FunctionContext&, void* state, std::span<const Vector* const> args,
                 const Selection& rows) {
  CountState* count = static_cast<CountState*>(state);
  if (args.empty() || args[0]->has_no_nulls()) {
    count->rows += rows.count;
    return;
  }
  for (uint32_t i = 0; i < rows.count; ++i) count->rows += !args[0]->is_null(rows[i]);
}
void count_groups(FunctionContext&, void* const* states, std::span<const Vector* const> args,
                  const Selection& rows) {
  const bool all = args.empty() || args[0]->has_no_nulls();
  for (uint32_t i = 0; i < rows.count; ++i) {
    static_cast<CountState*>(states[i])->rows += all || !args[0]->is_null(rows[i]);
  }
}

struct SumState {
  int64_t integer;  // the sum while all values were integers
  double real;      // then: the running sum
  double lost;      //       and what it lost
  int64_t rows;     // values that are not NULL
  bool is_real;
  bool overflow;  // integers overflowed, and no real came since

  void add_real(double value) {
    double before = real, after = real + value;
    lost +=
        std::fabs(before) > std::fabs(value) ? (before - after) + value : (value - after) + before;
    real = after;
  }
  // Integers beyond 2^52 go in two parts, each exact: this is the lower one.
  static int64_t low_part(int64_t value) {
    constexpr int64_t kExact = 4503599627370496;
    return value > -kExact && value < kExact ? 0 : value % 16384;
  }
  void add_large_integer(int64_t value) {
    int64_t low = low_part(value);
    add_real(static_cast<double>(value - low));
    if (low != 0) add_real(static_cast<double>(low));
  }
  void become_real() {
    is_real = true;
    int64_t low = low_part(integer);
    real = static_cast<double>(integer - low);
    lost = static_cast<double>(low);
  }
  void add_integer(int64_t value) {
    ++rows;
    if (is_real) {
      add_large_integer(value);
    } else if (__builtin_add_overflow(integer, value, &integer)) [[unlikely]] {
      integer = static_cast<int64_t>(static_cast<uint64_t>(integer) - static_cast<uint64_t>(value));
      become_real();
      overflow = true;
      add_large_integer(value);
    }
  }
  void add(double value) {
    ++rows;
    if (!is_real) become_real();
    overflow = false;
    add_real(value);
  }
  void remove_integer(int64_t value) {
    --rows;
    if (!is_real) {
      if (__builtin_sub_overflow(integer, value, &integer)) overflow = is_real = true;
    } else if (value == std::numeric_limits<int64_t>::min()) {
      add_large_integer(std::numeric_limits<int64_t>::max());
      add_real(1);
    } else {
      add_large_integer(-value);
    }
  }
  double total() const {
    if (!is_real) return static_cast<double>(integer);
    return std::isfinite(lost) ? real + lost : real;
  }
};

void set_real(double value, ValueView* result) {
  if (value == value) *result = ValueView::of(value);
}

void sum_step_value(SumState* sum, const ValueView& value) {
  if (value.is_integer()) {
    sum->add_integer(value.integer);
    return;
  }
  if (value.is_null()) return;
  ValueView number = numeric_view(value);
  if (number.is_integer()) {
    sum->add_integer(number.integer);
  } else {
    sum->add(value_to_real(number));
  }
}

void sum_step(FunctionContext&, void* state, Args args) {
  sum_step_value(static_cast<SumState*>(state), args[0]);
}

void sum_inverse(FunctionContext&, void* state, Args args) {
  SumState* sum = static_cast<SumState*>(state);
  if (args[0].is_null()) return;
  ValueView number = numeric_view(args[0]);
  if (number.is_integer()) {
    sum->remove_integer(number.integer);
    return;
  }
  --sum->rows;
  sum->add_real(-value_to_real(number));
}

void sum_batch(FunctionContext&, void* state, std::span<const Vector* const> args,
               const Selection& rows) {
  SumState* sum = static_cast<SumState*>(state);
  const Vector& values = *args[0];
  if (values.is_uniform(ValueType::kInteger) && !values.is_constant()) {
    const Vector::Slot* slots = values.slots();
    for (uint32_t i = 0; i < rows.count; ++i) sum->add_integer(slots[rows[i]].integer);
  } else if (values.is_uniform(ValueType::kReal) && !values.is_constant()) {
    const Vector::Slot* slots = values.slots();
    for (uint32_t i = 0; i < rows.count; ++i) sum->add(slots[rows[i]].real);
  } else {
    for (uint32_t i = 0; i < rows.count; ++i) sum_step_value(sum, values.get(rows[i]));
  }
}

void sum_groups(FunctionContext&, void* const* states, std::span<const Vector* const> args,
                const Selection& rows) {
  const Vector& values = *args[0];
  for (uint32_t i = 0; i < rows.count; ++i) {
    sum_step_value(static_cast<SumState*>(states[i]), values.get(rows[i]));
  }
}

void sum_result(FunctionContext& context, void* state, ValueView* result) {
  const SumState* sum = static_cast<const SumState*>(state);
  if (sum->rows == 0) return;
  if (!sum->is_real) {
    *result = ValueView::of(sum->integer);
  } else if (sum->overflow) {
    context.fail("integer overflow");
  } else {
    set_real(sum->total(), result);
  }
}

void total_result(FunctionContext&, void* state, ValueView* result) {
  set_real(static_cast<const SumState*>(state)->total(), result);
}

void avg_result(FunctionContext&, void* state, ValueView* result) {
  const SumState* sum = static_cast<const SumState*>(state);
  if (sum->rows > 0) set_real(sum->total() / static_cast<double>(sum->rows), result);
}

constexpr AggregateFunction sum_like(std::string_view name, AggregateFunction::Result result,
                                     AggregateIntrinsic intrinsic) {
  AggregateFunction f;
  f.name = name;
  f.args_min = f.args_max = 1;
  f.flags = function_flag::kPlain;
  f.state_size = sizeof(SumState);
  f.step = sum_step;
  f.inverse = sum_inverse;
  f.finalize = f.value = result;
  f.intrinsic = intrinsic;
  f.batch_step = sum_batch;
  f.grouped_batch_step = sum_groups;
  return f;
}

constexpr AggregateFunction count_function() {
  AggregateFunction f;
  f.name = "count";
  f.args_min = 0;
  f.args_max = 1;
  f.flags = function_flag::kPlain;
  f.state_size = sizeof(CountState);
  f.step = count_step;
  f.inverse = count_inverse;
  f.finalize = f.value = count_result;
  f.intrinsic = AggregateIntrinsic::kCount;
  f.batch_step = count_batch;
  f.grouped_batch_step = count_groups;
  return f;
}

constexpr AggregateFunction kNumberAggregates[] = {
    count_function(),
    sum_like("sum", sum_result, AggregateIntrinsic::kSum),
    sum_like("total", total_result, AggregateIntrinsic::kTotal),
    sum_like("avg", avg_result, AggregateIntrinsic::kAvg),
};

}  // namespace

std::span<const AggregateFunction> number_aggregates() {
  return kNumberAggregates;
}

}  // namespace godwit
