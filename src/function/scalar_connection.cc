// Functions about the connection and the library.
#include "function/builtins.h"
#include "function/compile_options.h"

namespace godwit {

namespace {

void last_insert_rowid(FunctionContext& context, Args, ValueView* result) {
  *result = ValueView::of(context.services().last_insert_rowid());
}

void changes(FunctionContext& context, Args, ValueView* result) {
  *result = ValueView::of(context.services().changes());
}

void total_changes(FunctionContext& context, Args, ValueView* result) {
  *result = ValueView::of(context.services().total_changes());
}

void sqlite_version(FunctionContext&, Args, ValueView* result) {
  *result = ValueView::of_text(kSqliteVersion);
}

void sqlite_source_id(FunctionContext&, Args, ValueView* result) {
  *result = ValueView::of_text(kSqliteSourceId);
}

void compileoption_used(FunctionContext& context, Args args, ValueView* result) {
  if (args[0].is_null()) return;
  *result = ValueView::boolean(is_compile_option_used(until_nul(text_of(context, args[0]))));
}

void compileoption_get(FunctionContext&, Args args, ValueView* result) {
  int64_t index = value_to_integer(args[0]);
  std::span<const std::string_view> options = compile_options();
  if (index < 0 || index >= static_cast<int64_t>(options.size())) return;
  *result = ValueView::of_text(options[static_cast<size_t>(index)]);
}

void sqlite_log(FunctionContext& context, Args args, ValueView*) {
  context.services().log(static_cast<int>(value_to_integer(args[0])),
                         until_nul(text_of(context, args[1])));
}

void load_extension(FunctionContext& context, Args args, ValueView*) {
  if (args[0].is_null()) return;
  std::string_view entry;
  if (args.size() == 2 && !args[1].is_null()) entry = text_of(context, args[1]);
  Status status = context.services().load_extension(text_of(context, args[0]), entry);
  if (!status.ok()) context.fail(std::move(status));
}

// The right side of MATCH outside of a full-text table.
void match(FunctionContext& context, Args, ValueView*) {
  context.fail("unable to use function MATCH in the requested context");
}

constexpr uint32_t kOfConnection = function_flag::kInnocuous | function_flag::kSlowlyChanging;

constexpr ScalarFunction kConnectionFunctions[] = {
    {"last_insert_rowid", 0, 0, function_flag::kInnocuous, last_insert_rowid},
    {"changes", 0, 0, function_flag::kInnocuous, changes},
    {"total_changes", 0, 0, function_flag::kInnocuous, total_changes},
    {"sqlite_version", 0, 0, kOfConnection, sqlite_version},
    {"sqlite_source_id", 0, 0, kOfConnection, sqlite_source_id},
    {"sqlite_compileoption_used", 1, 1, kOfConnection, compileoption_used},
    {"sqlite_compileoption_get", 1, 1, kOfConnection, compileoption_get},
    {"sqlite_log", 2, 2, function_flag::kPlain, sqlite_log},
    {"load_extension", 1, 2, function_flag::kDirectOnly, load_extension},
    {"match", 2, 2, function_flag::kPlain, match},
};

}  // namespace

std::span<const ScalarFunction> connection_functions() {
  return kConnectionFunctions;
}

}  // namespace godwit
