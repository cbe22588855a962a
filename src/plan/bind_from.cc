// FROM: tables, subqueries and parenthesized joins become sources, joined from left to right.
#include <utility>

#include "function/virtual_table.h"
#include "plan/binder_state.h"

namespace godwit {

namespace {

JoinType join_type(ast::JoinKind kind) {
  switch (kind) {
    case ast::JoinKind::kFirst:
    case ast::JoinKind::kComma:
    case ast::JoinKind::kInner:
      return JoinType::kInner;
    case ast::JoinKind::kCross:
      return JoinType::kCross;
    case ast::JoinKind::kLeft:
      return JoinType::kLeft;
    case ast::JoinKind::kRight:
      return JoinType::kRight;
    case ast::JoinKind::kFull:
      return JoinType::kFull;
  }
  return JoinType::kInner;
}

bool is_inner(const ast::FromItem& item) {
  return join_type(item.join) == JoinType::kInner || join_type(item.join) == JoinType::kCross;
}

// Whether the parts of a parenthesized join may stand in the list that it stands in itself.
bool can_dissolve(const ast::FromItem& item) {
  if (item.alias) return false;
  if (item.join == ast::JoinKind::kFirst) return true;
  if (!is_inner(item) || item.natural || !item.using_columns.empty()) return false;
  for (const ast::FromItem& part : item.items) {
    if (!is_inner(part) || part.natural || !part.using_columns.empty()) return false;
  }
  return true;
}

}  // namespace

BoundSource* BinderState::new_source(BoundSource::Kind kind, std::string_view name,
                                     uint32_t columns) {
  BoundSource* source = arena->make<BoundSource>();
  source->kind = kind;
  source->id = new_source_id();
  source->name = name;
  source->column_count = columns;
  source->used_columns = arena->make_array<bool>(columns);
  source->column_names = arena->make_array<std::string_view>(columns);
  sources[source->id] = source;
  return source;
}

ScopeSource BinderState::table_source(const Table& table, std::string_view name) {
  uint32_t columns = static_cast<uint32_t>(table.columns.size());
  BoundSource* source = new_source(BoundSource::Kind::kTable, name, columns);
  source->table = &table;
  if (table.kind == TableKind::kVirtual) source->kind = BoundSource::Kind::kVirtual;
  if (context.used_databases != nullptr) {
    *context.used_databases |=
        table.kind == TableKind::kVirtual ? ~uint64_t{0} : uint64_t{1} << table.database;
  }
  for (uint32_t i = 0; i < columns; ++i) source->column_names[i] = table.columns[i].name;
  ScopeSource item(arena);
  item.source = source;
  item.name = name;
  item.has_rowid = table.has_rowid() || (table.kind == TableKind::kVirtual && !table.without_rowid);
  if (static_cast<size_t>(table.database) < context.catalog->databases.size()) {
    item.schema = context.catalog->databases[table.database].name;
  }
  return item;
}

ScopeSource BinderState::query_source(BoundSource::Kind kind, BoundQuery* query,
                                      std::string_view name, std::span<ColumnTraits> columns) {
  BoundSource* source = new_source(kind, name, static_cast<uint32_t>(columns.size()));
  source->query = kind == BoundSource::Kind::kQuery ? query : nullptr;
  for (size_t i = 0; i < columns.size(); ++i) source->column_names[i] = columns[i].name;
  traits[source->id] = columns;
  ScopeSource item(arena);
  item.source = source;
  item.name = name;
  return item;
}

// In the text of a schema object that does not belong to temp, other databases are out of sight.
Result<const Table*> BinderState::find_table(const ast::Name& schema, const ast::Name& table) {
  std::string_view database = schema.text;
  if (!schema && origin.database >= 0 && origin.database != 1) {
    database = context.catalog->databases[origin.database].name;
  }
  const Table* found = context.catalog->find_table(database, table.text);
  if (found == nullptr && context.names != nullptr) {
    GW_ASSIGN(found, context.names->find_table_function(table.text));
  }
  if (found != nullptr && found->kind == TableKind::kVirtual && context.names != nullptr) {
    return context.names->describe_virtual_table(*found);
  }
  if (found != nullptr) return found;
  std::string prefix = database.empty() ? "" : concat(database, ".");
  return fail(concat("no such table: ", prefix, table.text));
}

Result<const Index*> BinderState::find_index(const Table* table, const ast::Name& name) {
  if (table != nullptr) {
    for (const Index* index : table->indexes) {
      if (same_name(index->name, name.text)) return index;
    }
  }
  return fail(concat("no such index: ", name.text));
}

Status BinderState::bind_from(std::span<ast::FromItem> items, Scope* target) {
  size_t first = target->sources.size();
  target->sources.reserve(first + items.size());
  GW_TRY(bind_from_list(items, target));
  if (target->sources.size() > context.limits.from_items) {
    return fail(concat("at most ", std::to_string(context.limits.from_items),
                       " tables in a join"));
  }
  return bind_using_terms(target, first);
}

Status BinderState::bind_from_list(std::span<ast::FromItem> items, Scope* target) {
  for (const ast::FromItem& item : items) GW_TRY(bind_from_item(item, target));
  return Status();
}

Status BinderState::bind_from_item(const ast::FromItem& item, Scope* target) {
  bool has_condition = item.on != nullptr || !item.using_columns.empty();
  if (item.natural && has_condition) {
    return fail("a NATURAL join may not have an ON or USING clause");
  }
  if (item.on != nullptr && !item.using_columns.empty()) {
    return fail("cannot have both ON and USING clauses in the same join");
  }
  if (item.kind == ast::FromKind::kJoin && can_dissolve(item)) {
    size_t first = target->sources.size();
    GW_TRY(bind_from_list(item.items, target));
    target->sources[first].source->join = join_type(item.join);
    if (item.on != nullptr) target->sources.back().on.push_back(item.on);
    return Status();
  }
  GW_ASSIGN(ScopeSource bound, bind_from_source(item, target));
  bound.source->join = join_type(item.join);
  if (item.on != nullptr) bound.on.push_back(item.on);
  for (const ast::Name& column : item.using_columns) bound.using_columns.push_back(column.text);
  if (item.natural) find_natural_columns(*target, &bound);
  target->sources.push_back(bound);
  return Status();
}

Result<ScopeSource> BinderState::bind_from_source(const ast::FromItem& item, Scope* target) {
  switch (item.kind) {
    case ast::FromKind::kTable:
      return bind_named_source(item, target);
    case ast::FromKind::kTableFunction:
      return bind_table_function(item);
    case ast::FromKind::kSubquery:
      return bind_from_query(item, target);
    case ast::FromKind::kJoin:
      return bind_nested_join(item, target);
  }
  return Status::not_implemented("this FROM item");
}

// Common tables hide tables and views of the same name, unless a schema is named.
Result<ScopeSource> BinderState::bind_named_source(const ast::FromItem& item, Scope* target) {
  std::string_view name = item.alias ? item.alias.text : item.table.text;
  if (!item.schema) {
    WithFrame* frame = nullptr;
    CommonTableState* common = find_common_table(item.table.text, &frame);
    if (common != nullptr) {
      if (item.index_hint == ast::IndexHint::kIndexedBy) {
        return fail(concat("no such index: \"", item.index.text, "\""));
      }
      return bind_common_table(common, frame, name, target);
    }
  }
  GW_ASSIGN(const Table* table, find_table(item.schema, item.table));
  if (!item.alias) name = table->name;
  if (NameObserver* watch = observer()) watch->table_named(item.table, *table);
  const Index* index = nullptr;
  if (item.index_hint == ast::IndexHint::kIndexedBy) {
    GW_ASSIGN(index, find_index(table, item.index));
  }
  if (table->kind == TableKind::kView) return bind_view(*table, name);
  if (table->kind == TableKind::kVirtual) return bind_virtual_table(*table, name);
  ScopeSource bound = table_source(*table, name);
  GW_TRY(bind_virtual_columns(&bound));
  bound.source->indexed_by = index;
  bound.source->not_indexed = item.index_hint == ast::IndexHint::kNotIndexed;
  return bound;
}

Result<ScopeSource> BinderState::bind_table_function(const ast::FromItem& item) {
  WithFrame* frame = nullptr;
  const Table* table = nullptr;
  if (item.schema || find_common_table(item.table.text, &frame) == nullptr) {
    GW_ASSIGN(table, find_table(item.schema, item.table));
  }
  if (table == nullptr || table->kind != TableKind::kVirtual) {
    return fail(concat("'", item.table.text, "' is not a function"));
  }
  GW_ASSIGN(ScopeSource bound,
            bind_virtual_table(*table, item.alias ? item.alias.text : table->name));
  bound.arguments = item.arguments;
  return bound;
}

Result<ScopeSource> BinderState::bind_virtual_table(const Table& table, std::string_view name) {
  if (context.names == nullptr) return Status::not_implemented("virtual tables");
  ScopeSource bound = table_source(table, name);
  GW_ASSIGN(bound.source->virtual_table, context.names->find_virtual_table(table));
  if (origin.is_schema && origin.database != kTempDatabase) GW_TRY(check_virtual_risk(table, *bound.source->virtual_table));
  return bound;
}

Status BinderState::check_virtual_risk(const Table& table, const VirtualTable& code) {
  VirtualRisk most = context.trusted_schema ? VirtualRisk::kNormal : VirtualRisk::kInnocuous;
  if (code.risk() <= most) return Status();
  return fail(concat("unsafe use of virtual table \"", table.name, "\""));
}

// VIRTUAL generated columns are computed wherever the table is read.
Status BinderState::bind_virtual_columns(ScopeSource* bound) {
  const Table& table = *bound->source->table;
  if (!table.has_generated) return Status();
  bound->source->generated = arena->make_array<BoundExpr*>(table.columns.size());
  Scope row(arena);
  row.phase = ScopePhase::kStatement;
  row.sources.push_back(*bound);
  Scope* outer_scope = std::exchange(scope, &row);
  ExprUse outer_use = std::exchange(use, ExprUse::kGenerated);
  saved_origins.push_back(origin);
  origin = {table.sql, table.database, true, false};
  Status status;
  for (size_t i = 0; i < table.columns.size() && status.ok(); ++i) {
    const Column& column = table.columns[i];
    if (column.generated != Generated::kVirtual || column.generated_as == nullptr) continue;
    auto expr = bind_scalar(*column.generated_as);
    status = expr.ok() ? Status() : expr.take_status();
    if (status.ok()) bound->source->generated[i] = *expr;
  }
  origin = saved_origins.back();
  saved_origins.pop_back();
  use = outer_use;
  scope = outer_scope;
  return status;
}

Result<ScopeSource> BinderState::bind_from_query(const ast::FromItem& item, Scope* target) {
  bool reads_outer = false;
  GW_ASSIGN(BoundQuery * query, bind_query(*item.select, target->parent, &reads_outer));
  target->reads_outer |= reads_outer;
  std::string_view name = item.alias ? item.alias.text : std::string_view();
  return query_source(BoundSource::Kind::kQuery, query, name, unique_traits(*query));
}

// A parenthesized join that an outer join or an alias keeps together: SELECT * over its parts, and
// their rowids behind, which can still be named.
Result<ScopeSource> BinderState::bind_nested_join(const ast::FromItem& item, Scope* target) {
  Scope inner(arena);
  inner.parent = target->parent;
  GW_TRY(bind_from(item.items, &inner));
  std::vector<BoundExpr*> where_terms;
  GW_TRY(bind_join_conditions(&inner, 0, &where_terms));
  target->reads_outer |= inner.reads_outer;
  ArenaVector<ResultItem> results(arena);
  ArenaVector<NestedColumn> columns(arena);
  Scope* saved = scope;
  scope = &inner;
  for (size_t i = 0; i < inner.sources.size(); ++i) {
    GW_TRY(add_nested_columns(inner, i, &results, &columns));
  }
  scope = saved;
  BoundCore* core = arena->make<BoundCore>();
  core->number = next_core_number++;
  core->output = new_source_id();
  core->where = conjunction(where_terms);
  core->sources = arena->make_array<BoundSource*>(inner.sources.size());
  for (size_t i = 0; i < inner.sources.size(); ++i) core->sources[i] = inner.sources[i].source;
  core->results = arena->make_array<ResultColumn>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    core->results[i] = {results[i].expr, results[i].star_name};
  }
  BoundQuery* query = arena->make<BoundQuery>();
  query->cores = arena->make_array<BoundCore*>(1);
  query->cores[0] = core;
  GW_TRY(describe_columns(query));
  std::string_view name = item.alias ? item.alias.text : std::string_view();
  ScopeSource bound =
      query_source(BoundSource::Kind::kQuery, query, name, unique_traits(*query));
  bound.nested = columns;
  return bound;
}

// All columns of a part of the join. Those that a USING makes one of are found by their table's name
// only; before the first of them stands the merged column, which no table has.
Status BinderState::add_nested_columns(const Scope& inner, size_t index,
                                       ArenaVector<ResultItem>* results,
                                       ArenaVector<NestedColumn>* columns) {
  const ScopeSource& part = inner.sources[index];
  auto add = [&](NestedColumn column, BoundExpr* expr) {
    column.index = static_cast<int32_t>(results->size());
    ResultItem result;
    result.expr = expr;
    result.star_name = column.is_rowid ? "_ROWID_" : column.column;
    results->push_back(result);
    columns->push_back(column);
  };
  auto add_part = [&](NestedColumn column, int32_t source_column) -> Status {
    bool was_merged = uses_column(part, column.column);
    bool is_merged = was_merged;
    for (size_t i = index + 1; i < inner.sources.size(); ++i) {
      is_merged |= uses_column(inner.sources[i], column.column);
    }
    if (!column.is_rowid && is_merged && !column.merged) {
      if (!was_merged) {
        ast::ColumnExpr name;
        name.column.text = column.column;
        name.column.quote = ast::Quote::kBracket;
        GW_ASSIGN(BoundExpr * merged, bind_column(name));
        add({{}, column.column}, merged);
      }
      column.merged = true;
    }
    add(column, make_column(part, source_column));
    return Status();
  };
  for (const NestedColumn& column : part.nested) GW_TRY(add_part(column, column.index));
  if (!part.nested.empty()) return Status();
  const BoundSource& source = *part.source;
  for (uint32_t i = 0; i < source.column_count; ++i) {
    if (source.table != nullptr && source.table->columns[i].hidden) continue;
    GW_TRY(add_part({part.name, source.column_names[i]}, static_cast<int32_t>(i)));
  }
  if (!part.has_rowid) return Status();
  NestedColumn rowid{part.name, {}};
  rowid.is_rowid = true;
  return add_part(rowid, ColumnRef::kRowid);
}

bool uses_column(const ScopeSource& item, std::string_view name) {
  for (std::string_view column : item.using_columns) {
    if (same_name(column, name)) return true;
  }
  return false;
}

}  // namespace godwit
