// Functions that choose among their arguments. The binder lowers those that are lazy in SQLite; the
// calls here are for arguments that were evaluated already.
#include "function/builtins.h"
#include "value/record.h"

namespace godwit {

namespace {

void coalesce(FunctionContext&, Args args, ValueView* result) {
  for (const ValueView& arg : args) {
    if (arg.is_null()) continue;
    *result = arg;
    return;
  }
}

void iif(FunctionContext&, Args args, ValueView* result) {
  size_t i = 0;
  for (; i + 1 < args.size(); i += 2) {
    if (!value_is_true(args[i])) continue;
    *result = args[i + 1];
    return;
  }
  if (i < args.size()) *result = args[i];
}

void nullif(FunctionContext& context, Args args, ValueView* result) {
  if (compare_values(args[0], args[1], context.collation()) != 0) *result = args[0];
}

void first(FunctionContext&, Args args, ValueView* result) {
  *result = args[0];
}

// Of equal values min() gives the last, max() the first.
template <bool is_max>
void extreme(FunctionContext& context, Args args, ValueView* result) {
  size_t best = 0;
  if (args[0].is_null()) return;
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].is_null()) return;
    int order = compare_values(args[best], args[i], context.collation());
    if (is_max ? order < 0 : order >= 0) best = i;
  }
  *result = args[best];
}

void type_of(FunctionContext&, Args args, ValueView* result) {
  constexpr std::string_view kNames[] = {"null", "integer", "real", "text", "blob"};
  *result = ValueView::of_text(kNames[static_cast<int>(args[0].type)]);
}

void subtype(FunctionContext&, Args args, ValueView* result) {
  *result = ValueView::of(static_cast<int64_t>(args[0].subtype));
}

constexpr uint32_t kCompares = function_flag::kPlain | function_flag::kNeedsCollation;

constexpr ScalarFunction kConditionalFunctions[] = {
    {"coalesce", 2, kVariableArguments, function_flag::kPlain, coalesce, nullptr, Intrinsic::kCoalesce},
    {"ifnull", 2, 2, function_flag::kPlain, coalesce, nullptr, Intrinsic::kCoalesce},
    {"iif", 2, kVariableArguments, function_flag::kPlain, iif, nullptr, Intrinsic::kIif},
    {"if", 2, kVariableArguments, function_flag::kPlain, iif, nullptr, Intrinsic::kIif},
    {"nullif", 2, 2, kCompares, nullif, nullptr, Intrinsic::kNullIf},
    {"likely", 1, 1, function_flag::kPlain, first, nullptr, Intrinsic::kLikelihood},
    {"unlikely", 1, 1, function_flag::kPlain, first, nullptr, Intrinsic::kLikelihood},
    {"likelihood", 2, 2, function_flag::kPlain, first, nullptr, Intrinsic::kLikelihood},
    {"min", 2, kVariableArguments, kCompares, extreme<false>, nullptr, Intrinsic::kMinMax},
    {"max", 2, kVariableArguments, kCompares, extreme<true>, nullptr, Intrinsic::kMinMax},
    {"typeof", 1, 1, function_flag::kPlain, type_of, nullptr, Intrinsic::kTypeof},
    {"subtype", 1, 1, function_flag::kPlain | function_flag::kReadsSubtype, subtype},
};

}  // namespace

std::span<const ScalarFunction> conditional_functions() {
  return kConditionalFunctions;
}

}  // namespace godwit
