// Calls of functions: look-up, misuse, and the few functions that are not calls at all.
#include "function/virtual_table.h"
#include "plan/binder_state.h"

namespace godwit {

namespace {

std::string_view place_of(ExprUse use) {
  switch (use) {
    case ExprUse::kCheck:
      return "CHECK constraints";
    case ExprUse::kIndex:
      return "index expressions";
    case ExprUse::kPartialIndex:
      return "partial index WHERE clauses";
    case ExprUse::kGenerated:
      return "generated columns";
    case ExprUse::kStatement:
    case ExprUse::kDefault:
      break;
  }
  return "";
}

}  // namespace

Status BinderState::refuse_in_schema(const ast::Expr& place, std::string_view what) {
  std::string_view where = place_of(use);
  if (where.empty()) return Status();
  return fail_at(place.range, concat(what, " prohibited in ", where));
}

Status BinderState::check_function(const ast::FunctionExpr& call, const FunctionLookup& match) {
  std::string_view name = call.name.text;
  const ast::SourceRange& at = call.range;
  bool is_aggregate = match.aggregate != nullptr || match.window != nullptr;
  GW_TRY(check_direct_only(call, match));
  bool is_window = call.has_over() && match.found();
  if (is_window && !is_aggregate) {
    return fail_at(at, concat(name, "() may not be used as a window function"));
  }
  if (is_aggregate) {
    bool allowed = scope != nullptr &&
                   (is_window ? scope->allow_windows
                              : scope->allow_aggregates && match.window == nullptr);
    if (!allowed) {
      std::string_view type = is_window || match.window != nullptr ? "window" : "aggregate";
      return fail_at(at, concat("misuse of ", type, " function ", name, "()"));
    }
    return Status();
  }
  if (!match.found()) return no_such_function(name, match, at);
  if (call.filter != nullptr) {
    return fail_at(at, concat("FILTER may not be used with non-aggregate ", name, "()"));
  }
  if (!call.order_by.empty() && !call.arguments.empty()) {
    return fail_at(at, concat("ORDER BY may not be used with non-aggregate ", name, "()"));
  }
  return refuse_impure(*match.scalar, call);
}

Status BinderState::check_direct_only(const ast::FunctionExpr& call, const FunctionLookup& match) {
  // What is in the TEMP schema was written by the application, not by who made the file.
  if (!origin.is_schema || origin.database == kTempDatabase) return Status();
  uint32_t flags = match.scalar != nullptr      ? match.scalar->flags
                   : match.aggregate != nullptr ? match.aggregate->flags
                                                : function_flag::kInnocuous;
  bool trusted = context.trusted_schema || (flags & function_flag::kInnocuous) != 0;
  if ((flags & function_flag::kDirectOnly) == 0 && (trusted || !match.found())) return Status();
  return fail_at(call.range, concat("unsafe use of ", call.name.text, "()"));
}

Status BinderState::refuse_impure(const ScalarFunction& function, const ast::Expr& place) {
  bool is_pure = function.has(function_flag::kDeterministic);
  if (is_pure || use == ExprUse::kCheck) return Status();
  return refuse_in_schema(place, "non-deterministic functions");
}

Status BinderState::no_such_function(std::string_view name, const FunctionLookup& match,
                                     const ast::SourceRange& at) {
  if (!match.name_exists) return fail_at(at, concat("no such function: ", name));
  return fail_at(at, concat("wrong number of arguments to function ", name, "()"));
}

FunctionLookup BinderState::find_function(std::string_view name, size_t argument_count) const {
  int count = static_cast<int>(argument_count);
  return context.names != nullptr ? context.names->find_function(name, count)
                                  : find_builtin_function(name, count);
}

Result<BoundExpr*> BinderState::bind_function(const ast::FunctionExpr& call) {
  saw_function = true;
  if (call.arguments.size() > context.limits.function_arguments) {
    return fail_at(call.range, concat("too many arguments on function ", call.name.text));
  }
  FunctionLookup match = find_function(call.name.text, call.arguments.size());
  GW_TRY(check_function(call, match));
  if (asks_authorizer()) {
    GW_ASSIGN(bool is_allowed, authorize_function(match));
    if (!is_allowed) return make_constant(ValueView());
  }
  if (call.has_over()) return bind_window_call(call, match);
  if (match.aggregate != nullptr) return bind_aggregate(call, match);
  return bind_scalar_call(call, match);
}

// False: NULL takes its place.
Result<bool> BinderState::authorize_function(const FunctionLookup& match) {
  std::string_view name = match.scalar != nullptr      ? match.scalar->name
                          : match.aggregate != nullptr ? match.aggregate->name
                                                       : match.window->name;
  int answer = context.authorizer->ask({AuthAction::kFunction, {}, name, {}, inner_name});
  if (answer == Authorizer::kOk) return true;
  if (answer == Authorizer::kIgnore) return false;
  return fail(concat("not authorized to use function: ", name));
}

Result<BoundExpr*> BinderState::bind_scalar_call(const ast::FunctionExpr& call,
                                                 const FunctionLookup& match) {
  const ScalarFunction& function = *match.scalar;
  if (function.intrinsic == Intrinsic::kLikelihood) return bind_likelihood(call);
  if (function.intrinsic == Intrinsic::kIif) return bind_iif(call);
  std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(call.arguments.size());
  for (size_t i = 0; i < args.size(); ++i) {
    GW_ASSIGN(args[i], bind_scalar(*call.arguments[i]));
  }
  BoundExpr* expr = make_call(overloaded(function, args, 0), args);
  if (function.has(function_flag::kNeedsCollation)) GW_TRY(usable(expr->compare_collation));
  return expr;
}

const ScalarFunction& BinderState::overloaded(const ScalarFunction& function,
                                              std::span<BoundExpr* const> args,
                                              size_t first) const {
  if (first >= args.size() || args[first]->kind != ExprKind::kColumn) return function;
  SourceId id = args[first]->column.source;
  const BoundSource* source = id < sources.size() ? sources[id] : nullptr;
  if (source == nullptr || source->virtual_table == nullptr) return function;
  const ScalarFunction* own = nullptr;
  int number = source->virtual_table->find_function(function.name, static_cast<int>(args.size()), &own);
  return number == 0 || own == nullptr ? function : *own;
}

void BinderState::drop_subtypes(std::span<BoundExpr*> args) {
  static constexpr ScalarFunction kWithoutSubtype = {
      "without_subtype", 1, 1, function_flag::kDeterministic | function_flag::kInnocuous,
      [](FunctionContext&, std::span<const ValueView> values, ValueView* result) {
        *result = values[0];
        result->subtype = 0;
      }};
  for (BoundExpr*& arg : args) {
    bool is_query_column =
        arg->kind == ExprKind::kColumn && arg->table == nullptr && arg->column.column >= 0;
    if (!is_query_column) continue;
    std::span<BoundExpr*> inner = arena->make_array<BoundExpr*>(1);
    inner[0] = arg;
    const Collation* collation = arg->collation;
    arg = make_call(kWithoutSubtype, inner);
    arg->collation = collation;
  }
}

BoundExpr* BinderState::make_call(const ScalarFunction& function, std::span<BoundExpr*> args) {
  if (function.has(function_flag::kReadsSubtype)) drop_subtypes(args);
  bool is_pure = function.has(function_flag::kDeterministic);
  bool is_fixed = function.has(function_flag::kSlowlyChanging);
  BoundExpr* expr = make(ExprKind::kFunction);
  expr->function = &function;
  expr->args = args;
  expr->is_deterministic = is_pure || is_fixed;
  finish(expr);
  expr->is_constant &= is_pure && !is_fixed;
  expr->compare_collation = binary();
  for (BoundExpr* arg : args) {
    if (arg->collation == nullptr) continue;
    expr->compare_collation = arg->collation;
    break;
  }
  return expr;
}

// An operator that stands for a function, which the user may have replaced or never defined.
Result<BoundExpr*> BinderState::call_named(std::string_view name, std::span<BoundExpr*> args,
                                           const ast::Expr* place, bool is_authorized) {
  saw_function = true;
  FunctionLookup match = find_function(name, args.size());
  if (match.scalar == nullptr) {
    return no_such_function(name, match, place != nullptr ? place->range : ast::SourceRange());
  }
  if (place != nullptr) GW_TRY(refuse_impure(*match.scalar, *place));
  if (place != nullptr && !is_authorized && asks_authorizer()) {
    GW_ASSIGN(bool is_allowed, authorize_function(match));
    if (!is_allowed) return make_constant(ValueView());
  }
  return make_call(overloaded(*match.scalar, args, args.size() >= 2 ? 1 : 0), args);
}

Result<BoundExpr*> BinderState::merge_columns(std::span<BoundExpr*> columns, const ast::Expr* place) {
  GW_ASSIGN(BoundExpr * merged, call_named("coalesce", columns, place));
  merged->affinity = columns[0]->affinity;
  merged->collation = columns[0]->collation;
  return merged;
}

// The value of the argument, but for affinity and collation, which a call hides.
Result<BoundExpr*> BinderState::bind_likelihood(const ast::FunctionExpr& call) {
  if (same_name(call.name.text, "likelihood")) {
    const auto* literal = call.arguments[1]->try_as<ast::LiteralExpr>();
    bool is_number = literal != nullptr && literal->literal == ast::LiteralKind::kReal;
    BoundExpr* probability = nullptr;
    if (is_number) {
      GW_ASSIGN(probability, bind_literal(*literal, false));
    }
    if (!is_number || probability->constant.real > 1.0) {
      return fail_at(call.range,
                     "second argument to likelihood() must be a constant between 0.0 and 1.0");
    }
  }
  GW_ASSIGN(BoundExpr * value, bind_scalar(*call.arguments[0]));
  if (value->affinity == Affinity::kNone && value->collation == nullptr) return value;
  BoundExpr* expr = make(ExprKind::kUnary, {value});
  expr->unary = UnaryOp::kPlus;
  return expr;
}

// iif(condition, value, ..., otherwise) is a CASE.
Result<BoundExpr*> BinderState::bind_iif(const ast::FunctionExpr& call) {
  std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(call.arguments.size());
  for (size_t i = 0; i < args.size(); ++i) {
    GW_ASSIGN(args[i], bind_scalar(*call.arguments[i]));
  }
  BoundExpr* expr = make_with_args(ExprKind::kCase, args);
  expr->has_else = args.size() % 2 == 1;
  return expr;
}

}  // namespace godwit
