#include "engine/alter_table.h"

#include <algorithm>

#include "engine/compile.h"
#include "engine/shadow_guard.h"
#include "sql/parser.h"
#include "sql/token.h"

namespace godwit {

AlterBody::AlterBody(Connection* connection, const Table& table)
    : SchemaBody(connection, table.database), table_name_(table.name) {
  // Temporary views and triggers may name tables of any database.
  if (connection->databases()[Connection::kTemp].btree != nullptr) {
    reads_ |= uint64_t{1} << Connection::kTemp;
    writes_ |= uint64_t{1} << Connection::kTemp;
  }
}

std::vector<int> AlterBody::databases_to_rewrite() const {
  std::vector<int> databases = {database_};
  bool has_temp = (writes_ >> Connection::kTemp & 1) != 0;
  if (has_temp && database_ != Connection::kTemp) databases.push_back(Connection::kTemp);
  return databases;
}

const Table& AlterBody::table() const {
  return *connection_->databases()[static_cast<size_t>(database_)].schema->find_table(table_name_);
}

std::string AlterBody::qualified_name() const {
  return double_quoted(connection_->databases()[static_cast<size_t>(database_)].name) + "." +
         double_quoted(table_name_);
}

Status error_in(std::string_view type, std::string_view name, std::string_view when,
                const Status& status) {
  std::string text = "error in " + std::string(type) + " " + std::string(name);
  if (!when.empty()) text += " " + std::string(when);
  return Status::error(text + ": " + status.message());
}

namespace {

bool is_checked(const SchemaRow& row) {
  bool is_system = row.name.size() >= 7 && names_equal(row.name.substr(0, 7), "sqlite_");
  bool is_virtual = row.sql.size() > 15 && names_equal(row.sql.substr(0, 15), "CREATE VIRTUAL ");
  return row.has_sql && !is_system && !is_virtual;
}

}  // namespace

Status AlterBody::rewrite_texts(TextEditor* editor,
                                const std::function<bool(SchemaRow*, int)>& finish) {
  bool strings = connection_->settings.double_quoted_strings_ddl;
  for (int database : databases_to_rewrite()) {
    SchemaWriter writer(connection_, database);
    bool any = false;
    GW_TRY(writer.rewrite([&](SchemaRow* row) -> Result<bool> {
      editor->start(row->sql);
      if (row->has_sql) {
        Status status = bind_schema_text(connection_, database, row->sql, strings, editor);
        if (!status.ok() && is_checked(*row)) return error_in(row->type, row->name, "", status);
      }
      bool changed = !editor->edits.empty();
      if (changed) row->sql = apply_edits(row->sql, editor->edits);
      if (finish) changed |= finish(row, database);
      any |= changed;
      return changed;
    }));
    if (database != database_ && any) {
      GW_TRY(connection_->bump_schema_cookie(database));
      GW_TRY(connection_->reload_schema(database));
    }
  }
  return Status();
}

namespace {

// The expressions of an index of `table`, or, if there is none, of the table itself.
Status bind_expressions(Connection* connection, const Table& table, const Index* index) {
  Arena arena;
  ConnectionNames names(connection);
  BindContext context;
  context.catalog = &connection->catalog();
  context.names = &names;
  context.arena = &arena;
  context.double_quoted_strings_ddl = false;  // as in check_texts()
  context.encoding = connection->databases()[Connection::kMain].schema->encoding;
  Binder binder(context);
  binder.allow_missing_collations(true);
  binder.enter_schema_text(table.database, index != nullptr ? index->sql : table.sql);
  binder.push_scope();
  binder.add_table(table, table.name);
  if (index != nullptr) {
    for (const IndexColumn& column : index->columns) {
      if (column.column != IndexColumn::kExpression) continue;
      GW_TRY(binder.bind_expr(*column.expression, ExprUse::kIndex).status());
    }
    if (index->where == nullptr) return Status();
    return binder.bind_expr(*index->where, ExprUse::kPartialIndex).status();
  }
  for (const CheckConstraint& check : table.checks) {
    GW_TRY(binder.bind_expr(*check.expression, ExprUse::kCheck).status());
  }
  for (const Column& column : table.columns) {
    if (column.generated_as == nullptr) continue;
    GW_TRY(binder.bind_expr(*column.generated_as, ExprUse::kGenerated).status());
  }
  return Status();
}

}  // namespace

Status AlterBody::check_loads(SchemaWriter* writer, const std::string& sql,
                              std::string_view when) {
  BuildContext context = build_context(connection_, database_);
  context.strict = false;
  auto built = build_table(sql, context);
  if (!built.ok()) return error_in("table", table_name_, when, built.status());
  GW_ASSIGN(std::vector<SchemaRow> rows, writer->rows());
  for (const SchemaRow& row : rows) {
    if (row.type != "index" || !row.has_sql || !names_equal(row.table, table_name_)) continue;
    auto index = build_index(row.sql, **built, context);
    // What an index misses, CHECK or a generated column may miss too: the table comes first.
    if (!index.ok()) {
      Status table = bind_expressions(connection_, **built, nullptr);
      if (!table.ok()) return error_in("table", table_name_, when, table);
      return error_in("index", row.name, when, index.status());
    }
    Status expressions = bind_expressions(connection_, **built, index->get());
    if (!expressions.ok()) return error_in("index", row.name, when, expressions);
  }
  return Status();
}

Status AlterBody::check_texts(std::string_view when) {
  for (int database : databases_to_rewrite()) {
    SchemaWriter writer(connection_, database);
    GW_ASSIGN(std::vector<SchemaRow> rows, writer.rows());
    // Before the change "x" may be a string; what was a column must not become one by it.
    bool strings = when.empty() && connection_->settings.double_quoted_strings_ddl;
    for (const SchemaRow& row : rows) {
      if (!is_checked(row)) continue;
      Status status = bind_schema_text(connection_, database, row.sql, strings, nullptr);
      if (!status.ok()) return error_in(row.type, row.name, when, status);
    }
  }
  return Status();
}

Status AlterBody::store_text(SchemaWriter* writer, const std::string& sql) {
  return writer->rewrite([&](SchemaRow* row) -> Result<bool> {
    if (row->type != "table" || !names_equal(row->name, table_name_)) return false;
    row->sql = sql;
    return true;
  });
}

Status AlterBody::refuse_rows(const std::string& sql, int code, std::string message) {
  GW_ASSIGN(auto statement, connection_->prepare_internal(sql));
  GW_ASSIGN(bool found, statement->step());
  return found ? Status(code, std::move(message)) : Status();
}

Result<TableTextPlaces> find_places(const std::string& sql) {
  Arena arena;
  GW_ASSIGN(ParsedStatement parsed, parse_statement(sql, nullptr, &arena));
  const auto* create = parsed.statement == nullptr
                           ? nullptr
                           : parsed.statement->try_as<ast::CreateTableStatement>();
  if (create == nullptr || create->columns.empty()) return corrupt("schema text of a table");
  const uint32_t columns_end = create->columns.back().range.end();
  Tokenizer tokens(std::string_view(sql).substr(columns_end));
  TableTextPlaces places;
  int depth = 0;
  for (bool first = true;; first = false) {
    Token token = tokens.next();
    if (first) places.after_columns = columns_end + token.offset;
    if (token.kind == TokenKind::kEnd) return corrupt("schema text of a table");
    if (token.kind == TokenKind::kLeftParen) ++depth;
    if (token.kind == TokenKind::kRightParen && depth-- == 0) {
      places.closing = columns_end + token.offset;
      return places;
    }
  }
}

namespace {

// Errors for what may not be altered at all.
Status check_alterable(const Table& table, const ast::AlterTableStatement& alter) {
  if (table.is_system) return Status::error("table " + table.name + " may not be altered");
  if (table.kind == TableKind::kTable) return Status();
  bool is_view = table.kind == TableKind::kView;
  const char* kind = is_view ? "view" : "virtual table";
  std::string quoted = std::string(kind) + " \"" + table.name + "\"";
  switch (alter.action) {
    case ast::AlterKind::kRenameTable:
      if (is_view) return Status::error("view " + table.name + " may not be altered");
      return Status();
    case ast::AlterKind::kRenameColumn:
      return Status::error("cannot rename columns of " + quoted);
    case ast::AlterKind::kAddColumn:
      return Status::error(is_view ? "Cannot add a column to a view"
                                   : "virtual tables may not be altered");
    case ast::AlterKind::kDropColumn:
      return Status::error("cannot drop column from " + quoted);
    default:
      return Status::error("cannot edit constraints of " + quoted);
  }
}

Status check_table_is_new(Connection* connection, const Table& table, std::string_view name) {
  const Schema& schema = *connection->databases()[static_cast<size_t>(table.database)].schema;
  if (schema.find_table(name) == nullptr && schema.find_index(name) == nullptr) return Status();
  return Status::error("there is already another table or index with this name: " +
                       std::string(name));
}

}  // namespace

namespace {

// Without the space and comments before it, and the semicolon behind it.
std::string_view bare_statement(std::string_view sql) {
  for (;;) {
    sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n\f;"), sql.size()));
    size_t end;
    if (sql.starts_with("--")) end = sql.find('\n');
    else if (sql.starts_with("/*")) end = sql.find("*/", 2);
    else break;
    if (end == std::string_view::npos) break;
    sql.remove_prefix(end + (sql[end] == '*' ? 2 : 1));
  }
  while (!sql.empty() && (sql.back() == ';' || sql.back() == ' ' || sql.back() == '\n')) {
    sql.remove_suffix(1);
  }
  return sql;
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_alter_table(const CompileInput& input,
                                                           const ast::AlterTableStatement& alter) {
  std::string_view schema = alter.table.schema.present() ? alter.table.schema.text : "";
  const Table* table = input.connection->catalog().find_table(schema, alter.table.table.text);
  if (table == nullptr) {
    GW_ASSIGN(table, input.connection->virtual_tables().find(alter.table.table.text));
    if (table != nullptr) return Status::error("table " + table->name + " may not be altered");
    std::string full = schema.empty() ? "" : std::string(schema) + ".";
    return Status::error("no such table: " + full + std::string(alter.table.table.text));
  }
  using Kind = ast::AlterKind;
  if (alter.action == Kind::kRenameTable) {
    GW_TRY(check_table_is_new(input.connection, *table, alter.new_name.text));
  }
  if (is_protected_shadow(input.connection, *table)) {
    return Status::error("table " + table->name + " may not be altered");
  }
  GW_TRY(check_alterable(*table, alter));
  auto compile = [&] {
    switch (alter.action) {
      case Kind::kRenameTable: return compile_rename_table(input, alter, *table);
      case Kind::kRenameColumn: return compile_rename_column(input, alter, *table);
      case Kind::kAddColumn: return compile_add_column(input, alter, *table);
      case Kind::kDropColumn: return compile_drop_column(input, alter, *table);
      default: return compile_alter_constraint(input, alter, *table);
    }
  };
  AlterResult body = compile();
  if (body.ok()) {
    if (auto* change = dynamic_cast<SchemaBody*>(body->get())) {
      change->set_repeatable_text(table->name, bare_statement(input.sql));
    }
  }
  return body;
}

}  // namespace godwit
