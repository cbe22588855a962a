// What the binder knows while it works: the chain of scopes, the common tables in sight, and the
// functions that bind each construct (their definitions are in bind_*.cc, by topic).
//
// One Scope belongs to each SELECT core that is being bound (or to a statement that pushed one).
// Names are looked up from the innermost scope outwards. Aggregates collect in the scope they belong
// to; until all of its expressions are bound, aggregate i stands there as the column
// (aggregate_output, kFirstAggregate - i), because the number of group keys before it is not final.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plan/arena_vector.h"
#include "plan/binder.h"
#include "plan/bound_window.h"

namespace godwit {

template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  (text.append(parts), ...);
  return text;
}

// Names compare without the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b);
bool is_rowid_name(std::string_view name);
std::string ordinal(size_t number);  // 1st, 2nd, 3rd, 4th, 11th

// The columns of a parenthesized join, which is one source with the columns of all its parts.
struct NestedColumn {
  std::string_view table;
  std::string_view column;
  int32_t index = 0;         // of the source
  bool merged = false;       // the right side of USING: found by its table's name alone
  bool is_rowid = false;
};

// An entry of a FROM clause as names see it.
struct ScopeSource {
  explicit ScopeSource(Arena* arena = nullptr) : using_columns(arena), on(arena), nested(arena) {}

  BoundSource* source = nullptr;
  std::string_view name;
  std::string_view schema;      // "" for what no schema holds
  bool qualified_only = false;
  bool has_affinity = true;  // false: NEW and OLD of triggers, whose columns count as expressions
  bool has_rowid = false;
  ArenaVector<std::string_view> using_columns;  // of USING or NATURAL, with what stands before
  ArenaVector<const ast::Expr*> on;             // bound when the results are
  ArenaVector<NestedColumn> nested;             // empty: not a parenthesized join
  std::span<ast::Expr* const> arguments;        // of a table-valued function; bound with ON

  // A table under its own name.
  bool is_unaliased() const {
    return source->table != nullptr && name.data() == source->table->name.data();
  }
};

// A result column before and after it is bound.
struct ResultItem {
  const ast::Expr* ast = nullptr;  // null: made by a star
  std::string_view alias;          // by AS; data() == null: none
  std::string_view star_name;      // name of the column that a star gave
  BoundExpr* expr = nullptr;
  bool has_aggregate = false;
  bool has_window = false;
};

// A column of a query as those see it who select from the query.
struct ColumnTraits {
  std::string_view name;
  Affinity affinity = Affinity::kNone;
  const Collation* collation = nullptr;
};

// A window of the WINDOW clause, with what it takes over from the one it extends.
struct NamedWindow {
  const ast::WindowDef* definition = nullptr;
  std::span<ast::Expr*> partition_by;
  std::span<ast::OrderTerm> order_by;
};

// A window and the calls over it so far.
struct ScopeWindow {
  BoundWindow* window = nullptr;
  ArenaVector<BoundWindowCall*> calls;
};

enum class ScopePhase : uint8_t { kFrom, kResults, kHaving, kWhere, kOrderBy, kGroupBy, kStatement };

struct Scope {
  static constexpr int32_t kFirstAggregate = -1000;

  explicit Scope(Arena* arena)
      : sources(arena), results(arena), aggregates(arena), named_windows(arena), windows(arena) {}

  Scope* parent = nullptr;
  ArenaVector<ScopeSource> sources;
  ArenaVector<ResultItem> results;
  ScopePhase phase = ScopePhase::kFrom;
  bool aliases_visible = false;
  bool allow_aggregates = false;
  bool allow_windows = false;
  bool is_aggregate = false;  // known when the results are bound
  // Something within it refers to an enclosing scope.
  bool reads_outer = false;
  SourceId aggregate_output = 0;
  ArenaVector<BoundAggregate*> aggregates;
  ArenaVector<NamedWindow> named_windows;
  ArenaVector<ScopeWindow> windows;
};

// A common table expression in sight.
struct CommonTableState {
  const ast::CommonTable* ast = nullptr;
  BoundQuery* query = nullptr;
  std::span<ColumnTraits> columns;
  bool is_shared = false;  // bound and uncorrelated: later references take it too
  size_t initial_cores = 0;
  // A recursive one that is bound again: the affinities of its columns.
  std::span<Affinity> affinities;
  // While it is bound: why a reference to it is wrong. In the FROM clause of this scope, which
  // belongs to the recursive term that is being bound, it is right.
  std::string_view error;
  const Scope* recursive_scope = nullptr;
};

struct WithFrame {
  WithFrame* parent = nullptr;
  std::vector<CommonTableState> tables;
};

// Where the syntax tree at hand comes from.
struct TextOrigin {
  std::string_view sql;
  int database = -1;       // unqualified tables are looked up here alone; -1: everywhere
  bool is_schema = false;   // a view, trigger, constraint ...
  bool is_trigger = false;  // RAISE() may be used
};

// A question for the authorizer that has to wait.
struct PendingQuestion {
  AuthAction action;
  std::string_view inner_name;
};

struct BinderState {
  // Sources that most statements stay below; the lists by source grow beyond.
  static constexpr size_t kSourcesExpected = 16;

  explicit BinderState(const BindContext& c)
      : context(c), arena(c.arena), sources(c.arena), traits(c.arena) {
    origin.sql = c.sql;
    sources.reserve(kSourcesExpected);
    traits.reserve(kSourcesExpected);
  }

  BindContext context;
  Arena* arena;
  Scope* scope = nullptr;
  WithFrame* with = nullptr;
  TextOrigin origin;
  ExprUse use = ExprUse::kStatement;
  SourceId next_source = 1;
  ArenaVector<BoundSource*> sources;              // by id
  ArenaVector<std::span<ColumnTraits>> traits;    // by id, of queries
  std::vector<const Table*> views_in_progress;
  std::vector<TextOrigin> saved_origins;
  uint32_t next_core_number = 1;
  uint32_t query_depth = 0;
  const ast::SelectCore* plain_values = nullptr;  // VALUES in which no aggregate may be
  bool missing_collations_allowed = false;
  uint32_t rebound_queries = 0;  // recursive ones, see bind_cte.cc
  uint32_t expr_height = 0;  // depth_guard.h
  int32_t error_offset = -1;
  std::string usage_error;  // see mark_usage()
  // Set when one is bound; whoever wants to know clears them first.
  bool saw_aggregate = false;
  bool saw_window = false;
  bool saw_function = false;
  std::string_view inner_name;  // the view, trigger or common table whose text is being bound
  std::vector<PendingQuestion> pending_questions;

  // ---- Authorizer (authorizer.cc) ---------------------------------------------------------------

  bool asks_authorizer() const;
  Status authorize(AuthAction action, std::string_view first, std::string_view second,
                   std::string_view database, bool* ignored);
  Status authorize_column(const ScopeSource& item, int32_t column, bool* ignored);
  void authorize_later(AuthAction action);
  Status ask_pending(bool* ignored);
  Status authorize_unused(SourceId first);

  // ---- Errors ---------------------------------------------------------------------------------

  Status fail(std::string message) { return Status::error(std::move(message)); }
  Status fail_at(const ast::SourceRange& range, std::string message);

  // ---- Sources (bind_from.cc, bind_join.cc, bind_cte.cc) ------------------------------------------

  SourceId new_source_id() {
    while (sources.size() <= next_source) {
      sources.push_back(nullptr);
      traits.push_back({});
    }
    return next_source++;
  }
  BoundSource* new_source(BoundSource::Kind kind, std::string_view name, uint32_t columns);
  ScopeSource table_source(const Table& table, std::string_view name);
  ScopeSource query_source(BoundSource::Kind kind, BoundQuery* query, std::string_view name,
                           std::span<ColumnTraits> columns);
  std::span<ColumnTraits> traits_of(const BoundSource& source) const { return traits[source.id]; }
  Result<const Table*> find_table(const ast::Name& schema, const ast::Name& table);
  // Null unless the text at hand is observed.
  NameObserver* observer() const {
    if (context.observer == nullptr) return nullptr;
    return origin.sql.data() == context.observer->observed_text().data() ? context.observer
                                                                          : nullptr;
  }
  void observe_column(const ast::ColumnExpr& name, const ScopeSource& item, int32_t column) const;
  Result<const Index*> find_index(const Table* table, const ast::Name& name);
  // Adds the items to `target`; subqueries see what encloses it.
  Status bind_from(std::span<ast::FromItem> items, Scope* target);
  Status bind_from_list(std::span<ast::FromItem> items, Scope* target);
  Status bind_from_item(const ast::FromItem& item, Scope* target);
  Result<ScopeSource> bind_from_source(const ast::FromItem& item, Scope* target);
  Result<ScopeSource> bind_named_source(const ast::FromItem& item, Scope* target);
  Result<ScopeSource> bind_table_function(const ast::FromItem& item);
  Result<ScopeSource> bind_virtual_table(const Table& table, std::string_view name);
  // In the text of a view or trigger some virtual tables may not be used.
  Status check_virtual_risk(const Table& table, const VirtualTable& code);
  // The equalities of hidden columns that the arguments of a table-valued function stand for.
  Status bind_table_arguments(Scope* target, size_t index, std::vector<BoundExpr*>* terms);
  Status bind_virtual_columns(ScopeSource* bound);
  Result<ScopeSource> bind_from_query(const ast::FromItem& item, Scope* target);
  Result<ScopeSource> bind_nested_join(const ast::FromItem& item, Scope* target);
  Status add_nested_columns(const Scope& inner, size_t index, ArenaVector<ResultItem>* results,
                            ArenaVector<NestedColumn>* columns);
  // USING and NATURAL of the sources from `first` on.
  Status bind_using_terms(Scope* target, size_t first);
  // ON of the sources from `first` on. Terms that belong to WHERE are added to where_terms.
  Status bind_join_conditions(Scope* target, size_t first, std::vector<BoundExpr*>* where_terms);
  Status bind_on_terms(Scope* target, size_t index, std::vector<BoundExpr*>* on_terms,
                       std::vector<BoundExpr*>* where_terms);
  Status bind_using(Scope* target, size_t index, std::vector<BoundExpr*>* on_terms);
  Result<BoundExpr*> using_left_side(std::string_view column, Scope* target, size_t index);
  void find_natural_columns(const Scope& target, ScopeSource* item);
  Result<ScopeSource> bind_view(const Table& view, std::string_view name);
  Result<BoundQuery*> bind_view_query(const Table& view);

  Status push_with(const ast::With& clause);
  void pop_with();
  CommonTableState* find_common_table(std::string_view name, WithFrame** frame);
  Result<ScopeSource> bind_common_table(CommonTableState* table, WithFrame* frame,
                                        std::string_view name, Scope* target);
  ScopeSource recursive_source(CommonTableState* table, std::string_view name);
  Status bind_common_query(CommonTableState* table, Scope* outer, bool* reads_outer);
  Status name_common_columns(CommonTableState* table, BoundQuery* query);
  std::span<ColumnTraits> unique_traits(const BoundQuery& query);

  // ---- Queries (bind_select.cc, bind_compound.cc, bind_order.cc, bind_results.cc) -----------------

  // `reads_outer` is set if the query refers to columns of `outer` or of what encloses it.
  // `recursive`: the common table whose query this is, if it refers to itself.
  Result<BoundQuery*> bind_query(const ast::Select& select, Scope* outer, bool* reads_outer,
                                 CommonTableState* recursive = nullptr);
  Status bind_cores(const ast::Select& select, BoundQuery* query, Scope* outer, bool* reads_outer,
                    CommonTableState* recursive);
  Status bind_limits(const ast::Select& select, BoundQuery* query);
  Result<BoundExpr*> bind_without_columns(const ast::Expr& expr);
  // `order_by`: of a query that is this core alone.
  Status bind_core(const ast::SelectCore& ast, std::span<ast::OrderTerm> order_by,
                   BoundQuery* query, BoundCore* core, Scope* scope);
  Status bind_select_core(const ast::SelectCore& ast, std::span<ast::OrderTerm> order_by,
                          BoundQuery* query, BoundCore* core, Scope* scope);
  Status bind_values_core(const ast::SelectCore& ast, BoundCore* core, Scope* scope);
  Result<BoundExpr*> bind_condition(const ast::Expr& expr, ScopePhase phase);
  Status expand_results(std::span<ast::ResultColumn> columns, Scope* scope);
  Status expand_star(const ast::ResultColumn& column, Scope* scope);
  Status add_star_column(size_t index, int32_t column, std::string_view name, bool is_qualified,
                         Scope* scope);
  Status bind_result_items(Scope* scope);
  std::span<ResultColumn> finish_results(const Scope& scope);
  std::string_view result_name(const ResultItem& item);
  Result<std::span<OrderTerm>> bind_simple_order(std::span<ast::OrderTerm> terms, Scope* scope);
  Result<OrderTerm> bind_order_term(const ast::OrderTerm& term, size_t number, Scope* scope);
  Status bind_group_by(std::span<ast::Expr*> terms, BoundCore* core, Scope* scope);
  Result<BoundExpr*> bind_result_again(const ResultItem& item, Scope* scope);
  Status bind_compound_order(const ast::Select& select, BoundQuery* query,
                             std::span<Scope*> scopes);
  int32_t match_compound_term(const ast::Expr& term, std::span<Scope*> scopes);
  void set_direction(const ast::OrderTerm& term, OrderTerm* bound);
  // What the binder is at; an error leaves it anywhere.
  struct Place {
    Scope* scope;
    WithFrame* with;
    TextOrigin origin;
    ExprUse use;
    uint32_t query_depth;
    uint32_t expr_height;
  };
  Place place() const;
  void go_to(const Place& place);
  Status compound_error(const ast::Select& select, size_t failed, Scope* outer, const Place& before,
                        Status error);
  // `error` of a query; or what is wrong with its tables, which comes first (missing_tables.cc).
  Status table_error(const ast::Select& select, const Place& before, Status error);
  Status describe_columns(BoundQuery* query);
  Result<BoundQuery*> make_values_query(std::span<std::span<BoundExpr*>> rows, uint32_t columns);

  // ---- Expressions (bind_expr.cc, bind_literal.cc, bind_names.cc, bind_function.cc) ----------------

  Result<BoundExpr*> bind(const ast::Expr& expr);  // may be a row value
  Result<BoundExpr*> bind_scalar(const ast::Expr& expr);
  Status require_scalar(const BoundExpr* expr);
  Result<BoundExpr*> bind_literal(const ast::LiteralExpr& literal, bool negative);
  Result<BoundExpr*> bind_column(const ast::ColumnExpr& column);
  Result<BoundExpr*> bind_alias(const ast::ColumnExpr& name, bool* found);
  Result<BoundExpr*> bind_unary(const ast::UnaryExpr& unary);
  Result<BoundExpr*> bind_binary(const ast::BinaryExpr& binary);
  Result<BoundExpr*> bind_logic(const ast::BinaryExpr& binary);
  Result<BoundExpr*> bind_comparison(const ast::BinaryExpr& binary);
  Result<BoundExpr*> bind_is(const ast::BinaryExpr& binary);
  Result<BoundExpr*> bind_between(const ast::BetweenExpr& between);
  Result<BoundExpr*> bind_like(const ast::LikeExpr& like);
  Result<BoundExpr*> bind_in(const ast::InExpr& in);
  Result<BoundExpr*> bind_in_list(const ast::InExpr& in, BoundExpr* left);
  Result<BoundExpr*> bind_in_rows(const ast::InExpr& in, BoundExpr* left);
  Result<BoundExpr*> make_in_query(BoundExpr* left, BoundQuery* query, bool negated);
  Result<BoundQuery*> bind_in_table(const ast::InExpr& in);
  Result<BoundExpr*> bind_case(const ast::CaseExpr& expr);
  Result<BoundExpr*> bind_cast(const ast::CastExpr& cast);
  Result<BoundExpr*> bind_collate(const ast::CollateExpr& collate);
  Result<BoundExpr*> bind_subquery(const ast::Select& select);
  Result<BoundExpr*> bind_exists(const ast::ExistsExpr& exists);
  Result<BoundExpr*> bind_row(const ast::RowExpr& row);
  Result<BoundExpr*> bind_raise(const ast::RaiseExpr& raise);
  Result<BoundExpr*> bind_function(const ast::FunctionExpr& call);
  Result<BoundExpr*> bind_scalar_call(const ast::FunctionExpr& call, const FunctionLookup& match);
  Result<BoundExpr*> bind_likelihood(const ast::FunctionExpr& call);
  Result<BoundExpr*> bind_iif(const ast::FunctionExpr& call);
  // The column that USING makes of several: with affinity and collation of the first.
  Result<BoundExpr*> merge_columns(std::span<BoundExpr*> columns, const ast::Expr* place);
  // A function that an operator stands for.
  Result<BoundExpr*> call_named(std::string_view name, std::span<BoundExpr*> args,
                                const ast::Expr* place, bool is_authorized = false);
  Status check_function(const ast::FunctionExpr& call, const FunctionLookup& match);
  Result<bool> authorize_function(const FunctionLookup& match);
  Status check_direct_only(const ast::FunctionExpr& call, const FunctionLookup& match);
  Status refuse_impure(const ScalarFunction& function, const ast::Expr& place);
  Status no_such_function(std::string_view name, const FunctionLookup& match,
                          const ast::SourceRange& at);
  Status refuse_in_schema(const ast::Expr& place, std::string_view what);
  const Collation* find_collation(std::string_view name);

  BoundExpr* make(ExprKind kind);
  BoundExpr* make(ExprKind kind, std::initializer_list<BoundExpr*> args);
  BoundExpr* make_with_args(ExprKind kind, std::span<BoundExpr*> args);
  BoundExpr* make_constant(const ValueView& value);
  BoundExpr* make_column(const ScopeSource& item, int32_t column);
  BoundExpr* make_call(const ScalarFunction& function, std::span<BoundExpr*> args);
  // The function that takes the place of `function` where its argument number `first` is a column of a
  // virtual table that has one.
  const ScalarFunction& overloaded(const ScalarFunction& function, std::span<BoundExpr* const> args,
                                   size_t first) const;
  // The subtype of a value (that it is JSON) does not leave a subquery by its columns, whether or not
  // the planner dissolves the subquery: arguments that are such columns lose it.
  void drop_subtypes(std::span<BoundExpr*> args);
  FunctionLookup find_function(std::string_view name, size_t argument_count) const;
  BoundExpr* clone(const BoundExpr* expr);
  BoundExpr* conjunction(const std::vector<BoundExpr*>& terms);
  // Sets the properties that follow from the arguments.
  void finish(BoundExpr* expr);

  // ---- Comparisons (bind_compare.cc) ---------------------------------------------------------------

  Result<const Collation*> usable(const Collation* collation);  // "no such collation sequence: x"
  Result<const Collation*> operand_collation(const BoundExpr* expr);  // BINARY if it has none
  Result<const Collation*> comparison_collation(const BoundExpr* left, const BoundExpr* right);
  Result<BoundExpr*> make_comparison(CompareOp op, BoundExpr* left, BoundExpr* right);
  Result<BoundExpr*> compare_rows(CompareOp op, std::span<BoundExpr*> left,
                                  std::span<BoundExpr*> right);
  const Collation* binary() const { return binary_collation(context.encoding); }

  // ---- Aggregates (bind_aggregate.cc) ---------------------------------------------------------------

  Result<BoundExpr*> bind_aggregate(const ast::FunctionExpr& call, const FunctionLookup& match);
  Status bind_aggregate_parts(const ast::FunctionExpr& call, BoundAggregate* aggregate);
  Scope* aggregate_owner(const BoundAggregate& aggregate);
  // Rewrites everything behind the aggregation to columns of its output.
  void finish_aggregation(Scope* scope, BoundCore* core, std::span<OrderTerm> order_by);

  // ---- Windows (bind_window.cc) -----------------------------------------------------------------------

  Result<BoundExpr*> bind_window_call(const ast::FunctionExpr& call, const FunctionLookup& match);
  // `function`: the call's, if it is no aggregate.
  Result<size_t> bind_window(const ast::FunctionExpr& call, const WindowFunction* function);
  Status name_windows(std::span<ast::WindowDef*> definitions, Scope* scope);
  Status extend_window(const Scope& scope, NamedWindow* window);
  Status bind_window_parts(const NamedWindow& window, BoundWindow* bound);
  Status bind_window_frame(const ast::WindowDef& definition, const WindowFunction* function,
                           BoundWindow* bound);
  bool set_own_frame(const WindowFunction& function, BoundWindow* bound);
  Result<BoundExpr*> bind_frame_offset(const ast::Expr& expr);
  void finish_windows(const Scope& scope, BoundCore* core);
};

// ---- Rules that need no state -----------------------------------------------------------------------

// How values are converted before `left` and `right` are compared (datatype3.html, 4.2).
Affinity comparison_affinity(Affinity left, Affinity right);
// Affinity applied by a comparison with something of this affinity.
Affinity as_comparison_affinity(Affinity affinity);
Affinity column_affinity(const BoundQuery& query, uint32_t column);
uint32_t row_size(const BoundExpr* expr);
bool uses_column(const ScopeSource& item, std::string_view name);  // in USING or NATURAL
// Column i of a row value or of a subquery's row, for its affinity and collation.
const BoundExpr* row_part(const BoundExpr* row, uint32_t i);
// Equal trees, whether or not they are deterministic.
bool same_tree(const BoundExpr* a, const BoundExpr* b);
bool same_terms(std::span<OrderTerm> a, std::span<OrderTerm> b);
// Calls visit(column expression) for all below `expr`, subqueries included.
void walk_columns(BoundExpr* expr, const std::function<void(BoundExpr*)>& visit);
// Fills BoundQuery::correlations and BoundSource::used_columns of everything below.
// Errors: a VIRTUAL column that is used is made of itself; of several loops the last one found.
Status mark_usage(BinderState* state, BoundQuery* query);
Status mark_usage(BinderState* state, BoundExpr* expr);

template <typename Visit>
void for_each_expr(const BoundWindow& window, const Visit& visit) {
  for (const BoundWindowCall* call : window.calls) {
    for (BoundExpr* arg : call->args) visit(arg);
    if (call->filter != nullptr) visit(call->filter);
  }
  for (BoundExpr* expr : window.partition_by) visit(expr);
  for (const OrderTerm& term : window.order_by) visit(term.expr);
  if (window.start_offset != nullptr) visit(window.start_offset);
  if (window.end_offset != nullptr) visit(window.end_offset);
}

// Calls visit(expr) for each expression that stands in the core itself, subqueries not entered;
// constants of VALUES are left out.
template <typename Visit>
void for_each_expr(const BoundCore& core, const Visit& visit) {
  auto all = [&](std::span<BoundExpr*> exprs) {
    for (BoundExpr* expr : exprs) visit(expr);
  };
  for (const BoundSource* source : core.sources) {
    if (source->on != nullptr) visit(source->on);
  }
  if (core.where != nullptr) visit(core.where);
  all(core.group_by);
  for (const BoundAggregate* aggregate : core.aggregates) {
    all(aggregate->args);
    if (aggregate->filter != nullptr) visit(aggregate->filter);
    for (const OrderTerm& term : aggregate->order_by) visit(term.expr);
  }
  all(core.bare_columns);
  if (core.having != nullptr) visit(core.having);
  for (const BoundWindow* window : core.windows) for_each_expr(*window, visit);
  for (const ResultColumn& result : core.results) visit(result.expr);
  if (core.values_are_constant) return;
  for (std::span<BoundExpr*> row : core.values) all(row);
}

}  // namespace godwit
