// format() and its older name printf().
#include "function/builtins.h"
#include "function/printf.h"

namespace godwit {

namespace {

class SqlArguments : public FormatArguments {
 public:
  SqlArguments(FunctionContext* context, Args args) : context_(context), args_(args) {}
  int64_t next_integer() override { return more() ? value_to_integer(args_[used_++]) : 0; }
  double next_real() override { return more() ? value_to_real(args_[used_++]) : 0; }
  bool next_text(std::string_view* text) override {
    if (!more()) return false;
    const ValueView& value = args_[used_++];
    *text = until_nul(text_of(*context_, value));
    return !value.is_null();
  }

 private:
  bool more() const { return used_ < args_.size(); }

  FunctionContext* context_;
  Args args_;
  size_t used_ = 0;
};

void format(FunctionContext& context, Args args, ValueView* result) {
  if (args.empty() || args[0].is_null()) return;
  SqlArguments arguments(&context, args.subspan(1));
  std::string out;
  bool wrote_anything = false;
  Status status = format_text(until_nul(text_of(context, args[0])), &arguments,
                              context.services().length_limit(), &out, &wrote_anything);
  if (!status.ok()) {
    context.fail(std::move(status));
    return;
  }
  if (wrote_anything) *result = ValueView::of_text(context.arena().copy(out));
}

constexpr ScalarFunction kFormatFunctions[] = {
    {"format", 0, kVariableArguments, function_flag::kPlain, format},
    {"printf", 0, kVariableArguments, function_flag::kPlain, format},
};

}  // namespace

std::span<const ScalarFunction> format_functions() {
  return kFormatFunctions;
}

}  // namespace godwit
