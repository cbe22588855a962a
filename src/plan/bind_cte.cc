// Common table expressions and views: queries under a name.
//
// A common table is bound when it is first referred to, so one that nobody uses may hold any error.
// Its names are looked up where it is used: what its own FROM clause does not have may be a column
// of a query around the reference. If there is none of that, later references share the bound query.
//
// A recursive one is a compound whose last terms have the table itself in their FROM clauses; all
// terms from the first of those on run again and again over the rows that the last step gave.
#include <utility>

#include "plan/binder_state.h"

namespace godwit {

namespace {

// How often the FROM clause itself (not its subqueries) names the table.
size_t count_references(std::span<ast::FromItem> items, std::string_view name) {
  size_t count = 0;
  for (const ast::FromItem& item : items) {
    if (item.kind == ast::FromKind::kJoin && item.join == ast::JoinKind::kFirst && !item.alias) {
      count += count_references(item.items, name);
    } else if (item.kind == ast::FromKind::kTable && !item.schema) {
      count += same_name(item.table.text, name);
    }
  }
  return count;
}

// The cores before the recursive terms; all of them if there are none.
Result<size_t> count_initial_cores(const ast::CommonTable& table) {
  const ast::Select& select = *table.select;
  size_t initial = select.cores.size();
  if (initial < 2) return initial;
  ast::CompoundOp op = select.operators.back();
  if (op != ast::CompoundOp::kUnion && op != ast::CompoundOp::kUnionAll) return initial;
  while (initial > 1 && select.operators[initial - 2] == op) {
    size_t references = count_references(select.cores[initial - 1]->from, table.name.text);
    if (references > 1) {
      return Status::error(concat("multiple references to recursive table: ", table.name.text));
    }
    if (references == 0) break;
    --initial;
  }
  return initial;
}

// A name that no earlier column has: the second `a` becomes a:1.
std::string_view unique_name(std::span<ColumnTraits> taken, std::string_view name, Arena* arena) {
  auto is_taken = [&](std::string_view candidate) {
    for (const ColumnTraits& column : taken) {
      if (same_name(column.name, candidate)) return true;
    }
    return false;
  };
  if (!is_taken(name)) return name;
  std::string_view stem = name;
  size_t colon = name.find_last_not_of("0123456789");
  if (colon != std::string_view::npos && colon > 0 && colon + 1 < name.size() &&
      name[colon] == ':') {
    stem = name.substr(0, colon);
  }
  for (size_t number = 1;; ++number) {
    std::string candidate = concat(stem, ":", std::to_string(number));
    if (!is_taken(candidate)) return arena->copy(candidate);
  }
}

// Each binding of a recursive query again may do the same to those within it.
constexpr uint32_t kRebindingsMax = 20;

// The recursive terms were bound with the affinities that the columns have in the end. These are
// known only when all terms are bound; comparisons within the terms are made by them too.
bool knows_affinities(const CommonTableState& table, const BoundQuery& query) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].affinity != query.column_affinities[i]) return false;
  }
  return true;
}

}  // namespace

Status BinderState::push_with(const ast::With& clause) {
  WithFrame* frame = arena->make<WithFrame>();
  frame->parent = with;
  for (const ast::CommonTable& table : clause.tables) {
    for (const CommonTableState& other : frame->tables) {
      if (same_name(other.ast->name.text, table.name.text)) {
        return fail(concat("duplicate WITH table name: ", table.name.text));
      }
    }
    frame->tables.emplace_back();
    frame->tables.back().ast = &table;
  }
  with = frame;
  return Status();
}

void BinderState::pop_with() { with = with->parent; }

CommonTableState* BinderState::find_common_table(std::string_view name, WithFrame** frame) {
  for (WithFrame* at = with; at != nullptr; at = at->parent) {
    for (CommonTableState& table : at->tables) {
      if (!same_name(table.ast->name.text, name)) continue;
      *frame = at;
      return &table;
    }
  }
  return nullptr;
}

Result<ScopeSource> BinderState::bind_common_table(CommonTableState* table, WithFrame* frame,
                                                   std::string_view name, Scope* target) {
  if (!table->error.empty()) {
    if (table->recursive_scope != target) return fail(concat(table->error, table->ast->name.text));
    return recursive_source(table, name);
  }
  if (table->is_shared) {
    table->query->reference_count++;
  } else {
    WithFrame* saved = with;
    with = frame;
    bool reads_outer = false;
    GW_TRY(bind_common_query(table, target->parent, &reads_outer));
    with = saved;
    target->reads_outer |= reads_outer;
    table->is_shared = !reads_outer;
  }
  ScopeSource item = query_source(BoundSource::Kind::kQuery, table->query, name, table->columns);
  item.source->materialized_hint = table->ast->materialized == ast::Materialized::kYes;
  item.source->is_common_table = true;
  item.source->not_materialized_hint = table->ast->materialized == ast::Materialized::kNo;
  return item;
}

// All recursive terms read the same source, each by its own name.
ScopeSource BinderState::recursive_source(CommonTableState* table, std::string_view name) {
  SourceId first = table->query->recursive_source;
  if (first == 0) {
    ScopeSource item =
        query_source(BoundSource::Kind::kRecursive, table->query, name, table->columns);
    table->query->recursive_source = item.source->id;
    return item;
  }
  ScopeSource item(arena);
  item.source = arena->make<BoundSource>(*sources[first]);
  item.source->name = name;
  item.name = name;
  return item;
}

Status BinderState::bind_common_query(CommonTableState* table, Scope* outer, bool* reads_outer) {
  const ast::Select& select = *table->ast->select;
  GW_ASSIGN(table->initial_cores, count_initial_cores(*table->ast));
  table->error = "circular reference: ";
  table->query = nullptr;
  bool is_recursive = table->initial_cores < select.cores.size();
  const uint32_t core_number = next_core_number;
  std::string_view outer_name = std::exchange(inner_name, table->ast->name.text);
  GW_ASSIGN(BoundQuery * query,
            bind_query(select, outer, reads_outer, is_recursive ? table : nullptr));
  if (is_recursive && !knows_affinities(*table, *query) && rebound_queries < kRebindingsMax) {
    ++rebound_queries;
    table->affinities = query->column_affinities;
    table->error = "circular reference: ";
    table->query = nullptr;
    next_core_number = core_number;
    Authorizer* authorizer = std::exchange(context.authorizer, nullptr);
    GW_ASSIGN(query, bind_query(select, outer, reads_outer, table));
    context.authorizer = authorizer;
    query->column_affinities = table->affinities;
  }
  inner_name = outer_name;
  table->error = {};
  query->name = table->ast->name.text;
  if (!is_recursive) {
    table->query = query;
    return name_common_columns(table, query);
  }
  for (size_t i = table->initial_cores; i < query->cores.size(); ++i) {
    if (query->cores[i]->is_aggregate) return fail("recursive aggregate queries not supported");
    if (!query->cores[i]->windows.empty()) {
      return fail("cannot use window functions in recursive queries");
    }
  }
  return Status();
}

Status BinderState::name_common_columns(CommonTableState* table, BoundQuery* query) {
  std::span<ast::Name> names = table->ast->columns;
  if (!names.empty() && names.size() != query->column_count) {
    return fail(concat("table ", table->ast->name.text, " has ",
                       std::to_string(query->column_count), " values for ",
                       std::to_string(names.size()), " columns"));
  }
  table->columns = unique_traits(*query);
  for (size_t i = 0; i < table->affinities.size() && i < query->column_count; ++i) {
    table->columns[i].affinity = table->affinities[i];
  }
  for (size_t i = 0; i < names.size(); ++i) table->columns[i].name = names[i].text;
  return Status();
}

// The columns of a query as its user sees them. Names are made unique, and a name is made for
// columns that have none.
std::span<ColumnTraits> BinderState::unique_traits(const BoundQuery& query) {
  const BoundCore& first = *query.cores[0];
  std::span<ColumnTraits> columns = arena->make_array<ColumnTraits>(query.column_count);
  for (uint32_t i = 0; i < query.column_count; ++i) {
    std::string_view name = first.results[i].name;
    if (name.empty() || same_name(name, "true") || same_name(name, "false")) {
      name = arena->copy(concat("column", std::to_string(i + 1)));
    }
    columns[i].name = unique_name(columns.first(i), name, arena);
    columns[i].affinity = query.column_affinities[i];
    const Collation* collation = first.results[i].expr->collation;
    columns[i].collation = collation != nullptr ? collation : binary();
  }
  return columns;
}

Result<ScopeSource> BinderState::bind_view(const Table& view, std::string_view name) {
  GW_ASSIGN(BoundQuery * query, bind_view_query(view));
  query->name = view.name;
  std::span<ColumnTraits> columns = unique_traits(*query);
  if (!view.view_columns.empty()) {
    if (view.view_columns.size() != columns.size()) {
      return fail(concat("expected ", std::to_string(view.view_columns.size()), " columns for '",
                         view.name, "' but got ", std::to_string(columns.size())));
    }
    for (size_t i = 0; i < columns.size(); ++i) columns[i].name = view.view_columns[i];
  }
  ScopeSource item = query_source(BoundSource::Kind::kQuery, query, name, columns);
  item.source->view = &view;
  if (static_cast<size_t>(view.database) < context.catalog->databases.size()) {
    item.schema = context.catalog->databases[view.database].name;
  }
  return item;
}

// A view does not see the statement around it: neither its scopes nor its common tables.
Result<BoundQuery*> BinderState::bind_view_query(const Table& view) {
  constexpr int kTempDatabase = 1;
  if (!context.views && view.database != kTempDatabase) {
    return fail(concat("access to view \"", view.name, "\" prohibited"));
  }
  for (const Table* outer : views_in_progress) {
    if (outer == &view) return fail(concat("view ", view.name, " is circularly defined"));
  }
  Scope* saved_scope = scope;
  WithFrame* saved_with = with;
  TextOrigin saved_origin = origin;
  scope = nullptr;
  with = nullptr;
  origin = {view.sql, view.database, true};
  views_in_progress.push_back(&view);
  std::string_view outer_name = std::exchange(inner_name, view.name);
  bool reads_outer = false;
  Result<BoundQuery*> query = bind_query(*view.view_select, nullptr, &reads_outer);
  views_in_progress.pop_back();
  inner_name = outer_name;
  scope = saved_scope;
  with = saved_with;
  origin = saved_origin;
  return query;
}

}  // namespace godwit
