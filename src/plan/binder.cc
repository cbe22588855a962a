#include "plan/binder.h"

#include <utility>

#include "function/virtual_table.h"
#include "plan/binder_state.h"

namespace godwit {

Binder::Binder(const BindContext& context)
    : state_(new (context.arena->allocate(sizeof(BinderState))) BinderState(context)) {}

Binder::~Binder() { state_->~BinderState(); }

Result<BoundQuery*> Binder::bind_query(const ast::Select& select, bool is_insert_values) {
  bool reads_outer = false;
  const SourceId first = state_->next_source;
  const bool asks = state_->asks_authorizer() && !is_insert_values;
  bool ignored = false;
  if (asks) GW_TRY(state_->authorize(AuthAction::kSelect, {}, {}, {}, &ignored));
  const BinderState::Place before = state_->place();
  auto bound = state_->bind_query(select, state_->scope, &reads_outer);
  if (!bound.ok()) return state_->table_error(select, before, bound.take_status());
  BoundQuery* query = *bound;
  if (state_->asks_authorizer()) {
    // The question about the outermost query was asked first.
    if (!state_->pending_questions.empty()) {
      state_->pending_questions.erase(state_->pending_questions.begin());
    }
    GW_TRY(state_->ask_pending(&ignored));
  }
  if (ignored) query->limit = state_->make_constant(ValueView::of(int64_t{0}));
  GW_TRY(mark_usage(state_, query));
  if (asks) GW_TRY(state_->authorize_unused(first));
  return query;
}

std::string_view Binder::set_inner_name(std::string_view name) {
  return std::exchange(state_->inner_name, name);
}

Result<bool> Binder::authorize_write(AuthAction action, const Table& table,
                                     std::string_view column) {
  if (!state_->asks_authorizer()) return false;
  bool ignored = false;
  const auto& databases = state_->context.catalog->databases;
  GW_TRY(state_->authorize(action, table.name, column,
                           databases[static_cast<size_t>(table.database)].name, &ignored));
  return ignored;
}

// Asks what was left for the end of an expression.
Status Binder::ask_pending() {
  if (state_->pending_questions.empty()) return Status();
  bool ignored = false;
  return state_->ask_pending(&ignored);
}

Result<BoundQuery*> Binder::bind_insert_source(const ast::Select& select) {
  const ast::SelectCore& first = *select.cores[0];
  if (select.cores.size() > 1 || !first.is_values || first.value_rows() > 1) {
    return bind_query(select, select.is_values());
  }
  ast::Select values = select;
  values.with = nullptr;
  state_->plain_values = &first;
  return bind_query(values, true);
}

void Binder::push_scope() {
  Scope* scope = state_->arena->make<Scope>(state_->arena);
  scope->parent = state_->scope;
  scope->phase = ScopePhase::kStatement;
  scope->sources.reserve(2);
  state_->scope = scope;
}

void Binder::pop_scope() { state_->scope = state_->scope->parent; }

BoundSource* Binder::add_table(const Table& table, std::string_view name, bool qualified_only) {
  ScopeSource item = state_->table_source(table, name);
  item.qualified_only = qualified_only;
  state_->scope->sources.push_back(item);
  return item.source;
}

BoundSource* Binder::add_trigger_row(const Table& table, std::string_view name) {
  ScopeSource item = state_->table_source(table, name);
  item.qualified_only = true;
  item.has_affinity = false;
  state_->scope->sources.push_back(item);
  return item.source;
}

Result<BoundSource*> Binder::add_view(const Table& view, std::string_view name) {
  state_->query_depth++;  // what names the columns of a query in FROM
  GW_ASSIGN(ScopeSource item, state_->bind_view(view, name));
  state_->query_depth--;
  GW_TRY(ask_pending());
  state_->scope->sources.push_back(item);
  GW_TRY(mark_usage(state_, item.source->query));
  return item.source;
}

BoundExpr* Binder::view_column(const BoundSource& view, int32_t column) {
  ScopeSource item(state_->arena);
  item.source = state_->sources[view.id];
  BoundExpr* expr = state_->make_column(item, column);
  (void)mark_usage(state_, expr);
  return expr;
}

Status Binder::use_all_columns(const BoundSource& source) {
  ScopeSource item;
  item.source = state_->sources[source.id];
  std::vector<BoundExpr*> columns;
  for (uint32_t i = 0; i < source.column_count; ++i) {
    columns.push_back(state_->make_column(item, static_cast<int32_t>(i)));
  }
  BoundExpr* row = state_->make(ExprKind::kRow, {});
  row->args = state_->arena->copy_array<BoundExpr*>(columns);
  return mark_usage(state_, row);
}

BoundSource* Binder::add_returning_row(const Table& table) {
  ScopeSource item = state_->table_source(table, table.name);
  item.schema = {};
  state_->scope->sources.push_back(item);
  return item.source;
}

Result<BoundSource*> Binder::add_scanned_table(const Table& table, std::string_view name) {
  ScopeSource item;
  if (table.kind == TableKind::kVirtual) {
    GW_ASSIGN(item, state_->bind_virtual_table(table, name));
  } else {
    item = state_->table_source(table, name);
    GW_TRY(state_->bind_virtual_columns(&item));
  }
  state_->scope->sources.push_back(item);
  return item.source;
}

Result<std::span<BoundSource*>> Binder::bind_from(std::span<ast::FromItem> items) {
  Scope* scope = state_->scope;
  size_t first = scope->sources.size();
  GW_TRY(state_->bind_from(items, scope));
  std::vector<BoundExpr*> terms;
  GW_TRY(state_->bind_join_conditions(scope, first, &terms));
  GW_TRY(ask_pending());
  std::vector<BoundSource*> sources;
  for (size_t i = first; i < scope->sources.size(); ++i) {
    sources.push_back(scope->sources[i].source);
  }
  // Terms that look to the right wait for the last source.
  if (!terms.empty()) {
    if (sources.back()->on != nullptr) terms.push_back(sources.back()->on);
    sources.back()->on = state_->conjunction(terms);
  }
  for (BoundSource* source : sources) {
    if (source->on != nullptr) GW_TRY(mark_usage(state_, source->on));
    if (source->query != nullptr) GW_TRY(mark_usage(state_, source->query));
  }
  return state_->arena->copy_array<BoundSource*>(sources);
}

Status Binder::push_with(const ast::With& with) { return state_->push_with(with); }

void Binder::pop_with() { state_->pop_with(); }

void Binder::enter_schema_text(int database, std::string_view sql, bool is_trigger) {
  state_->saved_origins.push_back(state_->origin);
  state_->origin = {sql, database, true, is_trigger};
}

void Binder::leave_schema_text() {
  state_->origin = state_->saved_origins.back();
  state_->saved_origins.pop_back();
}

Result<BoundExpr*> Binder::bind_expr(const ast::Expr& expr, ExprUse use) {
  state_->use = use;
  GW_ASSIGN(BoundExpr * bound, state_->bind_scalar(expr));
  state_->use = ExprUse::kStatement;
  GW_TRY(ask_pending());
  GW_TRY(mark_usage(state_, bound));
  return bound;
}

Result<BoundExpr*> Binder::bind_row(const ast::Expr& expr, uint32_t columns) {
  GW_ASSIGN(BoundExpr * bound, state_->bind(expr));
  uint32_t values = row_size(bound);
  if (values != columns) {
    return Status::error(concat(std::to_string(columns), " columns assigned ",
                                std::to_string(values), " values"));
  }
  GW_TRY(ask_pending());
  GW_TRY(mark_usage(state_, bound));
  return bound;
}

Result<std::span<ResultColumn>> Binder::bind_results(std::span<ast::ResultColumn> columns) {
  Scope* scope = state_->scope;
  scope->results.clear();
  GW_TRY(state_->expand_results(columns, scope));
  for (ResultItem& item : scope->results) {
    if (item.ast != nullptr) {
      GW_ASSIGN(item.expr, state_->bind_scalar(*item.ast));
    }
    GW_TRY(mark_usage(state_, item.expr));
  }
  GW_TRY(ask_pending());
  return state_->finish_results(*scope);
}

Result<std::span<OrderTerm>> Binder::bind_order_by(std::span<ast::OrderTerm> terms,
                                                   std::span<const ResultColumn> results) {
  state_->scope->results.clear();
  for (const ResultColumn& result : results) {
    ResultItem item;
    item.expr = result.expr;
    state_->scope->results.push_back(item);
  }
  GW_ASSIGN(std::span<OrderTerm> bound, state_->bind_simple_order(terms, state_->scope));
  state_->scope->phase = ScopePhase::kStatement;
  for (OrderTerm& term : bound) GW_TRY(mark_usage(state_, term.expr));
  return bound;
}

Result<BoundExpr*> Binder::bind_limit(const ast::Expr& expr) {
  GW_ASSIGN(BoundExpr * bound, state_->bind_without_columns(expr));
  GW_TRY(ask_pending());
  GW_TRY(mark_usage(state_, bound));
  return bound;
}

Result<const Table*> Binder::find_table(const ast::TableName& name) {
  return state_->find_table(name.schema, name.table);
}

Result<const Index*> Binder::find_index(const Table& table, const ast::Name& name) {
  return state_->find_index(&table, name);
}

Result<VirtualTable*> Binder::find_writable(const Table& table) {
  GW_ASSIGN(VirtualTable * code, state_->context.names->find_virtual_table(table));
  if (!code->is_writable()) return Status::error("table " + table.name + " may not be modified");
  if (state_->origin.is_trigger) GW_TRY(state_->check_virtual_risk(table, *code));
  return code;
}

SourceId Binder::new_source_id() { return state_->new_source_id(); }

BoundSource* Binder::source(SourceId id) const {
  return id < state_->sources.size() ? state_->sources[id] : nullptr;
}

void Binder::allow_missing_collations(bool allow) { state_->missing_collations_allowed = allow; }

int32_t Binder::error_offset() const { return state_->error_offset; }

}  // namespace godwit
