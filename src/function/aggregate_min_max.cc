// min() and max() as aggregates. NULLs do not count; of equal values the first one stays.
#include <new>

#include "function/builtins.h"
#include "value/record.h"

namespace godwit {

namespace {

struct ExtremeState {
  Value best;  // NULL: none yet
};

void init_extreme(void* state) {
  new (state) ExtremeState;
}
void destroy_extreme(void* state) {
  static_cast<ExtremeState*>(state)->~ExtremeState();
}

template <bool is_max>
bool is_better(const ValueView& candidate, const ValueView& best, const Collation* collation) {
  if (candidate.is_null()) return false;
  if (best.is_null()) return true;
  int order = compare_values(best, candidate, collation);
  return is_max ? order < 0 : order > 0;
}

template <bool is_max>
void step(FunctionContext& context, void* state, Args args) {
  Value& best = static_cast<ExtremeState*>(state)->best;
  if (is_better<is_max>(args[0], best.view(), context.collation())) best.assign(args[0]);
}

template <bool is_max>
void batch(FunctionContext& context, void* state, std::span<const Vector* const> args,
           const Selection& rows) {
  Value& best = static_cast<ExtremeState*>(state)->best;
  const Vector& values = *args[0];
  if (rows.count == 0) return;
  if (values.is_uniform(ValueType::kInteger) && !values.is_constant()) {
    const Vector::Slot* slots = values.slots();
    int64_t found = slots[rows[0]].integer;
    for (uint32_t i = 1; i < rows.count; ++i) {
      int64_t candidate = slots[rows[i]].integer;
      if (is_max ? candidate > found : candidate < found) found = candidate;
    }
    ValueView view = ValueView::of(found);
    if (is_better<is_max>(view, best.view(), context.collation())) best.assign(view);
    return;
  }
  // The views stay valid for the batch, so that only the winner is copied.
  ValueView found = best.view();
  bool changed = false;
  for (uint32_t i = 0; i < rows.count; ++i) {
    ValueView candidate = values.get(rows[i]);
    if (!is_better<is_max>(candidate, found, context.collation())) continue;
    found = candidate;
    changed = true;
  }
  if (changed) best.assign(found);
}

template <bool is_max>
void groups(FunctionContext& context, void* const* states, std::span<const Vector* const> args,
            const Selection& rows) {
  for (uint32_t i = 0; i < rows.count; ++i) {
    ValueView value = args[0]->get(rows[i]);
    step<is_max>(context, states[i], Args(&value, 1));
  }
}

void extreme_result(FunctionContext&, void* state, ValueView* result) {
  *result = static_cast<ExtremeState*>(state)->best.view();
}

template <bool is_max>
constexpr AggregateFunction extreme(std::string_view name) {
  AggregateFunction f;
  f.name = name;
  f.args_min = f.args_max = 1;
  f.flags = function_flag::kPlain | function_flag::kNeedsCollation;
  f.state_size = sizeof(ExtremeState);
  f.init = init_extreme;
  f.step = step<is_max>;
  f.finalize = f.value = extreme_result;
  f.destroy = destroy_extreme;
  f.intrinsic = is_max ? AggregateIntrinsic::kMax : AggregateIntrinsic::kMin;
  f.batch_step = batch<is_max>;
  f.grouped_batch_step = groups<is_max>;
  return f;
}

constexpr AggregateFunction kMinMaxAggregates[] = {extreme<false>("min"), extreme<true>("max")};

}  // namespace

std::span<const AggregateFunction> extreme_aggregates() {
  return kMinMaxAggregates;
}

}  // namespace godwit
