// CREATE INDEX, and what all indexes share.
#include <algorithm>

#include "catalog/builder.h"
#include "catalog/index_columns.h"
#include "sql/parser.h"

namespace godwit {

namespace {

// Strips COLLATE operators from a key term; the outermost names the collation.
const ast::Expr* strip_collate(const ast::Expr* expr, std::string_view* collation) {
  while (const auto* collate = expr->try_as<ast::CollateExpr>()) {
    if (collation->empty()) *collation = collate->collation.text;
    expr = collate->operand;
  }
  return expr;
}

// The name that a key term is, if it is a plain column name: also 'a' and "a" mean the column.
bool plain_name(const ast::Expr& expr, std::string_view* name) {
  if (const auto* column = expr.try_as<ast::ColumnExpr>()) {
    if (column->table.present()) return false;
    *name = column->column.text;
    return true;
  }
  if (const auto* literal = expr.try_as<ast::LiteralExpr>()) {
    if (literal->literal != ast::LiteralKind::kString) return false;
    *name = literal->text;
    return true;
  }
  return false;
}

}  // namespace

Status resolve_index_column(const ast::OrderTerm& term, const Table& table,
                            const BuildContext& context, bool expressions, IndexColumn* key) {
  std::string_view collation_name;
  const ast::Expr* expr = strip_collate(term.expr, &collation_name);
  key->descending = term.descending;
  std::string_view name;
  if (plain_name(*expr, &name)) {
    key->column = table.find_column(name);
    bool quoted = expr->kind == ast::ExprKind::kLiteral ||
                  expr->as<ast::ColumnExpr>()->column.quote != ast::Quote::kNone;
    if (key->column < 0) {
      // In an index a string that names no column is an expression: a constant.
      if (!expressions || !quoted) return Status::error("no such column: " + std::string(name));
      key->column = IndexColumn::kExpression;
    }
  } else if (!expressions) {
    return Status::error("expressions prohibited in PRIMARY KEY and UNIQUE constraints");
  } else {
    key->column = IndexColumn::kExpression;
  }
  if (key->column == IndexColumn::kExpression) key->expression = expr;
  key->collation = key->column >= 0 ? table.columns[key->column].collation
                                    : binary_collation(context.encoding);
  if (!collation_name.empty()) {
    const Collation* collation = context.collations(collation_name);
    if (collation == nullptr && context.strict) {
      return Status(code::kErrorMissingCollSeq,
                    "no such collation sequence: " + std::string(collation_name));
    }
    if (collation != nullptr) key->collation = collation;
  }
  return Status();
}

void finish_index_columns(Index* index, const Table& table, const BuildContext& context) {
  if (!table.without_rowid) {
    index->columns.push_back(
        {IndexColumn::kRowid, nullptr, binary_collation(context.encoding), false});
  } else if (index != table.primary_index) {
    const Index& primary = *table.primary_index;
    for (uint32_t i = 0; i < primary.declared_columns; ++i) {
      const IndexColumn& key = primary.columns[i];
      bool present = std::any_of(index->columns.begin(), index->columns.end(),
                                 [&](const IndexColumn& c) {
                                   return c.column == key.column && c.collation == key.collation;
                                 });
      if (!present) index->columns.push_back(key);
    }
  }
  // The tree of a WITHOUT ROWID table is ordered by its primary key alone; the other columns are
  // data, and an entry with an equal key is the same row.
  size_t ordered =
      index == table.primary_index ? index->declared_columns : index->columns.size();
  index->key_info.encoding = context.encoding;
  index->key_info.unique_columns = index->declared_columns;
  index->key_info.columns.clear();
  for (size_t i = 0; i < ordered; ++i) {
    // DESC is ignored in files of the oldest schema formats.
    bool descending = index->columns[i].descending && context.schema_format >= 4;
    index->columns[i].descending = descending;
    index->key_info.columns.push_back({index->columns[i].collation, descending, false});
  }
}

void attach_index(Table* table, std::shared_ptr<Index> index) {
  auto& list = table->indexes;
  auto replaces = [](const Index* i) { return i->conflict == ConflictAction::kReplace; };
  auto place = list.begin();
  if (replaces(index.get())) place = std::find_if(list.begin(), list.end(), replaces);
  list.insert(place, index.get());
  table->owned_indexes.push_back(std::move(index));
}

Result<std::shared_ptr<Index>> build_index(std::string sql, const Table& table,
                                           const BuildContext& context) {
  auto index = std::make_shared<Index>();
  index->sql = std::move(sql);
  index->table = &table;
  GW_ASSIGN(ParsedStatement parsed, parse_statement(index->sql, nullptr, &index->arena));
  if (parsed.statement == nullptr || parsed.statement->kind != ast::StatementKind::kCreateIndex) {
    return corrupt("schema text is not a CREATE INDEX");
  }
  const auto& create = *static_cast<const ast::CreateIndexStatement*>(parsed.statement);
  index->name = create.name.table.text;
  index->unique = create.unique;
  index->where = create.where;
  for (const ast::OrderTerm& term : create.columns) {
    IndexColumn key;
    GW_TRY(resolve_index_column(term, table, context, /*expressions=*/true, &key));
    index->columns.push_back(key);
  }
  index->declared_columns = static_cast<uint32_t>(index->columns.size());
  finish_index_columns(index.get(), table, context);
  return index;
}

}  // namespace godwit
