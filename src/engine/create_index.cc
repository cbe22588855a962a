// CREATE INDEX: the entries are made by a query over the table, sorted as the index wants them, and
// appended to the new tree.
#include "engine/body_ddl.h"
#include "engine/statement.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

namespace {

class CreateIndexBody final : public SchemaBody {
 public:
  CreateIndexBody(Connection* connection, int database, const Table* table,
                  std::shared_ptr<Index> index)
      : SchemaBody(connection, database), table_(table), index_(std::move(index)) {}

 protected:
  Status change(SchemaWriter* writer) override {
    GW_ASSIGN(PageNumber root, connection_->btree(database_)->create_tree(TreeKind::kIndex));
    GW_TRY(writer->add({"index", index_->name, table_->name, root, index_->sql}));
    return fill_index(connection_, *table_, *index_, root);
  }

 private:
  const Table* table_;  // of the schema that the statement holds
  std::shared_ptr<Index> index_;
};

std::string_view expression_text(const Index& index, const ast::Expr& expr) {
  return expr.range.of(index.sql);
}

// Every column of the key under its own collation, so that the order is that of the index.
std::string entries_order(const Index& index) {
  std::string order = " ORDER BY ";
  for (size_t i = 0; i < index.columns.size(); ++i) {
    const IndexColumn& key = index.columns[i];
    if (i > 0) order += ", ";
    order += std::to_string(i + 1) + " COLLATE " + double_quoted(key.collation->name) +
             (key.descending ? " DESC" : "");
  }
  return order;
}

Status unique_failed(const Table& table, const Index& index) {
  std::string message = "UNIQUE constraint failed: ";
  for (uint32_t i = 0; i < index.declared_columns; ++i) {
    int32_t column = index.columns[i].column;
    if (column == IndexColumn::kExpression) {
      return Status(code::kConstraintUnique, "UNIQUE constraint failed: index '" + index.name + "'");
    }
    if (i > 0) message += ", ";
    message += table.name + "." + table.columns[static_cast<size_t>(column)].name;
  }
  return Status(code::kConstraintUnique, std::move(message));
}

// Whether `key` is a duplicate of the entry before it: equal in all declared columns, none NULL.
bool is_duplicate(const Index& index, std::span<const ValueView> key,
                  std::span<const Value> previous) {
  for (uint32_t i = 0; i < index.declared_columns; ++i) {
    if (key[i].is_null()) return false;
    if (compare_values(key[i], previous[i], index.columns[i].collation) != 0) return false;
  }
  return true;
}

}  // namespace

std::string index_entries_query(Connection* connection, const Table& table, const Index& index) {
  std::string columns;
  for (size_t i = 0; i < index.columns.size(); ++i) {
    const IndexColumn& key = index.columns[i];
    if (i > 0) columns += ", ";
    if (key.column == IndexColumn::kRowid) {
      columns += "_rowid_";
    } else if (key.column == IndexColumn::kExpression) {
      columns += expression_text(index, *key.expression);
    } else {
      columns += double_quoted(table.columns[static_cast<size_t>(key.column)].name);
    }
  }
  const std::string& schema = connection->databases()[static_cast<size_t>(table.database)].name;
  std::string text = "SELECT " + columns + " FROM " + double_quoted(schema) + "." +
                     double_quoted(table.name) + " NOT INDEXED";
  if (index.where != nullptr) {
    text += " WHERE " + std::string(expression_text(index, *index.where));
  }
  return text;
}

Status fill_index(Connection* connection, const Table& table, const Index& index, PageNumber root) {
  WiderQueries wider(&connection->limits);
  std::string query = index_entries_query(connection, table, index) + entries_order(index);
  GW_ASSIGN(auto source, connection->prepare_internal(query));
  Btree& btree = *connection->btree(table.database);
  GW_ASSIGN(auto cursor, Cursor::open(&btree, root, TreeKind::kIndex, &index.key_info, true));
  RecordEncoder encoder({btree.encoding(), true});
  ByteSpan record;
  std::vector<ValueView> key(index.columns.size());
  std::vector<Value> previous(index.declared_columns);
  bool first = true;
  for (;;) {
    GW_ASSIGN(bool more, source->step());
    if (!more) return Status();
    for (size_t i = 0; i < key.size(); ++i) {
      int32_t column = index.columns[i].column;
      Affinity affinity =
          column >= 0 ? table.columns[static_cast<size_t>(column)].affinity : Affinity::kNone;
      key[i] = stored_form(affinity, source->column(static_cast<int>(i)));
    }
    if (index.unique) {
      if (!first && is_duplicate(index, key, previous)) return unique_failed(table, index);
      for (size_t i = 0; i < previous.size(); ++i) previous[i].assign(key[i]);
      first = false;
    }
    GW_TRY(encoder.encode(key, &record));
    GW_TRY(cursor->append_key(record));
  }
}

namespace {

// Without a schema name an index is of the temp or the main database.
const Table* find_indexed_table(const Catalog& catalog, const ast::CreateIndexStatement& create) {
  const std::string_view name = create.table.text;
  if (create.name.schema.present()) return catalog.find_table(create.name.schema.text, name);
  const Table* table = catalog.find_table("temp", name);
  return table != nullptr && !table->is_system ? table : catalog.find_table("main", name);
}

Status check_expression(const CompileInput& input, const Table& table, const ast::Expr& expr,
                        ExprUse use) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  binder.enter_schema_text(table.database, input.sql);
  binder.push_scope();
  binder.add_table(table, table.name);
  return binder.bind_expr(expr, use).status();
}

// As in SQLite what is wrong in WHERE is reported before what is wrong in a column but the first.
Status check_where(const CompileInput& input, const Table& table,
                   const ast::CreateIndexStatement& create) {
  if (create.where == nullptr) return Status();
  Status where = check_expression(input, table, *create.where, ExprUse::kPartialIndex);
  if (where.ok()) return where;
  Status first = check_expression(input, table, *create.columns[0].expr, ExprUse::kIndex);
  return first.ok() ? std::move(where) : Status();
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_create_index(
    const CompileInput& input, const ast::CreateIndexStatement& create) {
  Connection* connection = input.connection;
  std::string_view schema;
  if (create.name.schema.present()) {
    schema = create.name.schema.text;
    if (connection->find_database(schema) < 0) {
      return unknown_database(input, create.name.schema);
    }
  }
  const Table* table = find_indexed_table(connection->catalog(), create);
  if (table == nullptr) {
    GW_ASSIGN(table, connection->virtual_tables().find(create.table.text));
  }
  if (table == nullptr) {
    return Status::error("no such table: " + (schema.empty() ? "main" : std::string(schema)) + "." +
                         std::string(create.table.text));
  }
  if (table->kind == TableKind::kView) return Status::error("views may not be indexed");
  if (table->kind == TableKind::kVirtual) return Status::error("virtual tables may not be indexed");
  if (table->is_system) return Status::error("table " + table->name + " may not be indexed");
  bool exists = false;
  GW_TRY(check_new_name(connection, table->database, create.name.table.text, true,
                        create.if_not_exists, &exists));
  if (exists) return empty_body(uint64_t{1} << table->database);
  GW_TRY(check_where(input, *table, create));
  std::string text = create.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ";
  text += text_to_end(input.sql, create.schema_text);
  GW_ASSIGN(auto index,
            build_index(std::move(text), *table, build_context(connection, table->database)));
  GW_TRY(check_index_expressions(input, *table, *index));
  return std::unique_ptr<StatementBody>(std::make_unique<CreateIndexBody>(
      connection, table->database, table, std::move(index)));
}

}  // namespace godwit
