#include "engine/compile.h"

#include <algorithm>

#include "engine/authorize.h"
#include "engine/body_ddl.h"
#include "engine/connection.h"
#include "exec/expression.h"

namespace godwit {

FunctionLookup ConnectionNames::find_function(std::string_view name, int argument_count) const {
  return connection_->functions().find(name, argument_count);
}

const Collation* ConnectionNames::find_collation(std::string_view name) const {
  return connection_->find_collation(name);
}

Result<const Table*> ConnectionNames::find_table_function(std::string_view name) const {
  return connection_->virtual_tables().find(name);
}

Result<const Table*> ConnectionNames::describe_virtual_table(const Table& table) const {
  return connection_->virtual_tables().describe(table);
}

Result<VirtualTable*> ConnectionNames::find_virtual_table(const Table& table) const {
  return connection_->virtual_tables().code_of(table);
}

namespace {

// What the planner asks of the engine.
class EngineHooks final : public PlanHooks {
 public:
  EngineHooks(const CompileInput& input, const BindContext& bind) : input_(input), bind_(bind) {}

  bool evaluate_constant(const BoundExpr& expr, Arena* arena, ValueView* value) override {
    if (calls_application(expr)) return false;
    Value result;
    if (!fold_constant(expr, input_.context, &result).ok()) return false;
    *value = result.view();
    if (value->type >= ValueType::kText && !value->zero_filled) {
      value->bytes = arena->copy(value->text()).data();
    }
    return true;
  }

  BoundExpr* bind_table_expression(const Table& table, SourceId source, const ast::Expr& expr,
                                   Arena* arena) override {
    BindContext context = bind_;
    context.arena = arena;
    Binder binder(context);
    binder.enter_schema_text(table.database, table.sql);
    binder.push_scope();
    BoundSource* row = binder.add_table(table, table.name);
    auto bound = binder.bind_expr(expr, ExprUse::kPartialIndex);
    if (!bound.ok()) return nullptr;
    move_columns(*bound, row->id, source);
    return *bound;
  }

  bool case_sensitive_like() const override {
    return input_.connection->settings.case_sensitive_like;
  }
  bool is_builtin_like(const ScalarFunction& function) const override {
    return function.intrinsic == Intrinsic::kLike;
  }
  bool is_builtin_glob(const ScalarFunction& function) const override {
    return function.intrinsic == Intrinsic::kGlob;
  }
  bool reverse_unordered_selects() const override {
    return input_.connection->settings.reverse_unordered_selects;
  }
  bool automatic_index() const override { return input_.connection->settings.automatic_index; }

 private:
  // What a function of the application does must not happen before the statement runs.
  static bool calls_application(const BoundExpr& expr) {
    if (expr.function != nullptr && expr.function->user_data != nullptr) return true;
    return std::any_of(expr.args.begin(), expr.args.end(),
                       [](const BoundExpr* arg) { return calls_application(*arg); });
  }
  static void move_columns(BoundExpr* expr, SourceId from, SourceId to) {
    if (expr->kind == ExprKind::kColumn && expr->column.source == from) expr->column.source = to;
    for (BoundExpr* arg : expr->args) move_columns(arg, from, to);
  }

  const CompileInput input_;
  const BindContext bind_;
};

}  // namespace

CompileTools::CompileTools(const CompileInput& input) : names(input.connection) {
  const ConnectionSettings& settings = input.connection->settings;
  const Limits& limits = input.connection->limits;
  bind.catalog = &input.connection->catalog();
  bind.names = &names;
  bind.arena = input.arena;
  bind.sql = input.sql;
  bind.limits.columns = static_cast<uint32_t>(limits.get(Limit::kColumn));
  bind.limits.compound_select = static_cast<uint32_t>(limits.get(Limit::kCompoundSelect));
  bind.limits.expr_depth = static_cast<uint32_t>(limits.get(Limit::kExprDepth));
  bind.limits.function_arguments = static_cast<uint32_t>(limits.get(Limit::kFunctionArg));
  bind.double_quoted_strings_dml = settings.double_quoted_strings_dml;
  bind.double_quoted_strings_ddl = settings.double_quoted_strings_ddl;
  bind.trusted_schema = settings.trusted_schema;
  bind.views = settings.views;
  bind.triggers = settings.triggers;
  bind.full_column_names = settings.full_column_names;
  bind.short_column_names = settings.short_column_names;
  bind.encoding = input.connection->databases()[Connection::kMain].schema->encoding;
  bind.authorizer = input.connection->authorizer();
  bind.used_databases = &used_databases;
  plan.arena = input.arena;
  plan.hooks = input.arena->make<EngineHooks>(input, bind);
}

uint64_t all_databases(Connection* connection) {
  uint64_t bits = 0;
  for (size_t i = 0; i < connection->databases().size(); ++i) {
    if (connection->databases()[i].btree != nullptr) bits |= uint64_t{1} << i;
  }
  return bits;
}

Result<std::unique_ptr<StatementBody>> compile_statement(const CompileInput& input) {
  bool explain = input.parsed->statement->explain != ast::Explain::kNone;
  return explain ? compile_explain(input) : compile_plain(input);
}

Result<std::unique_ptr<StatementBody>> compile_plain(const CompileInput& input) {
  const ast::Statement& statement = *input.parsed->statement;
  GW_ASSIGN(bool ignored, authorize_statement(input));
  if (ignored) return empty_body();
  using Kind = ast::StatementKind;
  switch (statement.kind) {
    case Kind::kSelect:
      return compile_query(input, *statement.as<ast::SelectStatement>());
    case Kind::kInsert:
    case Kind::kUpdate:
    case Kind::kDelete:
      return compile_dml(input);
    case Kind::kBegin:
    case Kind::kCommit:
    case Kind::kRollback:
    case Kind::kSavepoint:
    case Kind::kRelease:
      return compile_transaction(input);
    case Kind::kAttach:
    case Kind::kDetach:
      return compile_attach(input);
    case Kind::kPragma:
      return compile_pragma(input, *statement.as<ast::PragmaStatement>());
    default:
      return compile_ddl(input);
  }
}

}  // namespace godwit
