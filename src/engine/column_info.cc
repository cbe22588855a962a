#include "engine/column_info.h"

#include "engine/connection.h"

namespace godwit {

namespace {

// The table column that an expression is, also through grouping and subqueries.
struct Origin {
  const Table* table = nullptr;
  int32_t column = 0;
};

Origin find_origin(const BoundCore& core, const BoundExpr& expr);

// A scalar subquery is what its first column is. The last arm of a compound names the type.
Origin find_query_origin(const BoundQuery& query, int32_t column) {
  const BoundCore& core = *query.cores.back();
  size_t i = static_cast<size_t>(column);
  return column >= 0 && i < core.results.size() ? find_origin(core, *core.results[i].expr)
                                                : Origin{};
}

Origin find_origin(const BoundSource& source, int32_t column) {
  if (source.table != nullptr) return {source.table, column};
  return source.query != nullptr ? find_query_origin(*source.query, column) : Origin{};
}

Origin find_origin(const BoundCore& core, const BoundExpr& expr) {
  if (expr.kind == ExprKind::kScalarQuery) return find_query_origin(*expr.query, 0);
  if (expr.kind != ExprKind::kColumn) return {};
  SourceId source_id = expr.column.source;
  if (core.is_aggregate && source_id == core.aggregate_output) {
    size_t i = static_cast<size_t>(expr.column.column);
    if (i < core.group_by.size()) return find_origin(core, *core.group_by[i]);
    size_t bare = core.group_by.size() + core.aggregates.size();
    return i < bare ? Origin{} : find_origin(core, *core.bare_columns[i - bare]);
  }
  for (const BoundSource* source : core.sources) {
    if (source->id == source_id) return find_origin(*source, expr.column.column);
  }
  return {};
}

ColumnInfo make_info(Connection* connection, std::string_view name, const Origin& origin) {
  ColumnInfo info;
  info.name = name;
  if (origin.table == nullptr) return info;
  const Table& table = *origin.table;
  info.database = connection->databases()[static_cast<size_t>(table.database)].name;
  info.table = table.name;
  int32_t column = origin.column == ColumnRef::kRowid ? table.rowid_column : origin.column;
  if (column >= 0) {
    info.column = table.columns[static_cast<size_t>(column)].name;
    info.declared_type = table.columns[static_cast<size_t>(column)].declared_type;
  } else {
    info.column = "rowid";
    info.declared_type = "INTEGER";
  }
  return info;
}

}  // namespace

ColumnInfo describe_column(Connection* connection, const BoundCore& core, size_t i) {
  const ResultColumn& result = core.results[i];
  return make_info(connection, result.name, find_origin(core, *result.expr));
}

ColumnInfo describe_column(Connection* connection, const BoundSource& row,
                           const ResultColumn& column) {
  const BoundExpr& expr = *column.expr;
  Origin origin;
  if (expr.kind == ExprKind::kColumn && expr.column.source == row.id) {
    origin = find_origin(row, expr.column.column);
  } else if (expr.kind == ExprKind::kScalarQuery) {
    origin = find_query_origin(*expr.query, 0);
  }
  return make_info(connection, column.name, origin);
}

}  // namespace godwit
