#include "engine/schema_text.h"

#include <algorithm>

#include "engine/connection.h"
#include "sql/parser.h"
#include "sql/token.h"

namespace godwit {

namespace {

// Names as they are taken where only their meaning as columns and tables counts.
class LenientNames final : public NameResolver {
 public:
  explicit LenientNames(Connection* connection) : connection_(connection) {}

  FunctionLookup find_function(std::string_view name, int argument_count) const override {
    FunctionLookup found = connection_->functions().find(name, argument_count);
    if (found.found() || found.name_exists) return found;
    return connection_->functions().find("coalesce", std::max(argument_count, 2));
  }
  const Collation* find_collation(std::string_view name) const override {
    const Collation* found = connection_->find_collation(name);
    return found != nullptr ? found : connection_->find_collation("BINARY");
  }

 private:
  Connection* connection_;
};

class SchemaTextBinder {
 public:
  SchemaTextBinder(Connection* connection, int database, std::string_view sql, bool quoted_strings,
                   NameObserver* observer)
      : connection_(connection),
        names_(connection),
        database_(database),
        sql_(sql),
        observer_(observer) {
    context_.catalog = &connection->catalog();
    context_.names = &names_;
    context_.arena = &arena_;
    context_.sql = sql;
    context_.double_quoted_strings_ddl = quoted_strings;
    context_.encoding = connection->databases()[Connection::kMain].schema->encoding;
    context_.observer = observer;
  }

  Status bind();

 private:
  Status bind_table(const ast::CreateTableStatement& create);
  void name_key_columns(std::span<const ast::OrderTerm> terms, const Table& table);
  void name_foreign_key(const ast::ForeignKey& key, std::span<const ast::Name> children,
                        const Table& table);
  Status bind_index(const ast::CreateIndexStatement& create);
  Status bind_view(const ast::CreateViewStatement& create);
  Status bind_trigger(const ast::CreateTriggerStatement& create);
  Status bind_trigger_statement(const ast::Statement& statement);
  Status bind_insert(const ast::InsertStatement& insert);
  Status bind_upsert(const ast::Upsert& upsert, const Table& table, std::string_view name);
  Status bind_update(const ast::UpdateStatement& update);
  Status bind_delete(const ast::DeleteStatement& remove);
  Status bind_assignments(std::span<const ast::Assignment> assignments, const Table& table);
  Result<const Table*> find_target(const ast::TableName& name);
  Result<const Table*> row_table(const Table* table);

  std::string_view database_name() const {
    return connection_->databases()[static_cast<size_t>(database_)].name;
  }
  void name_table(const ast::Name& name, const Table& table) {
    if (observer_ != nullptr) observer_->table_named(name, table);
  }
  void name_column(const ast::Name& name, const Table& table) {
    if (observer_ == nullptr || table.kind == TableKind::kView) return;
    int32_t column = table.find_column(name.text);
    if (column >= 0) observer_->column_named(name, table, column);
  }

  Connection* connection_;
  LenientNames names_;
  int database_;
  std::string_view sql_;
  NameObserver* observer_;
  Arena arena_;
  BindContext context_;
  std::unique_ptr<Binder> binder_;
};

Status SchemaTextBinder::bind() {
  GW_ASSIGN(ParsedStatement parsed, parse_statement(sql_, nullptr, &arena_));
  if (parsed.statement == nullptr) return corrupt("schema text is empty");
  binder_ = std::make_unique<Binder>(context_);
  bool is_trigger = parsed.statement->kind == ast::StatementKind::kCreateTrigger;
  binder_->enter_schema_text(database_, sql_, is_trigger);
  switch (parsed.statement->kind) {
    case ast::StatementKind::kCreateTable:
      return bind_table(*parsed.statement->as<ast::CreateTableStatement>());
    case ast::StatementKind::kCreateIndex:
      return bind_index(*parsed.statement->as<ast::CreateIndexStatement>());
    case ast::StatementKind::kCreateView:
      return bind_view(*parsed.statement->as<ast::CreateViewStatement>());
    case ast::StatementKind::kCreateTrigger:
      return bind_trigger(*parsed.statement->as<ast::CreateTriggerStatement>());
    case ast::StatementKind::kCreateVirtualTable: {
      const auto& create = *parsed.statement->as<ast::CreateVirtualTableStatement>();
      const Table* table = connection_->catalog().find_table(database_name(), create.name.table.text);
      if (table != nullptr) name_table(create.name.table, *table);
      return Status();
    }
    default:
      return corrupt("schema text is not a CREATE statement");
  }
}

// Key columns of constraints and indexes: a plain name, or a string that is one, perhaps under
// COLLATE.
void SchemaTextBinder::name_key_columns(std::span<const ast::OrderTerm> terms, const Table& table) {
  for (const ast::OrderTerm& term : terms) {
    const ast::Expr* expr = term.expr;
    while (const auto* collate = expr->try_as<ast::CollateExpr>()) expr = collate->operand;
    if (const auto* column = expr->try_as<ast::ColumnExpr>()) {
      if (!column->table.present()) name_column(column->column, table);
    } else if (const auto* literal = expr->try_as<ast::LiteralExpr>()) {
      if (literal->literal != ast::LiteralKind::kString) continue;
      name_column({literal->text, literal->range, ast::Quote::kSingle}, table);
    }
  }
}

void SchemaTextBinder::name_foreign_key(const ast::ForeignKey& key,
                                        std::span<const ast::Name> children, const Table& table) {
  for (const ast::Name& child : children) name_column(child, table);
  const Table* parent = connection_->catalog().find_table(database_name(), key.table.text);
  if (parent == nullptr) return;
  name_table(key.table, *parent);
  for (const ast::Name& column : key.columns) name_column(column, *parent);
}

Status SchemaTextBinder::bind_table(const ast::CreateTableStatement& create) {
  const Table* table = connection_->catalog().find_table(database_name(), create.name.table.text);
  if (table == nullptr) return Status();
  name_table(create.name.table, *table);
  binder_->push_scope();
  binder_->add_table(*table, table->name);
  for (const ast::ColumnDef& column : create.columns) {
    name_column(column.name, *table);
    for (const ast::ColumnConstraint& constraint : column.constraints) {
      if (constraint.kind == ast::ColumnConstraintKind::kReferences) {
        name_foreign_key(*constraint.foreign_key, {}, *table);
      } else if (constraint.kind == ast::ColumnConstraintKind::kCheck) {
        GW_TRY(binder_->bind_expr(*constraint.expr, ExprUse::kCheck));
      } else if (constraint.kind == ast::ColumnConstraintKind::kGenerated) {
        GW_TRY(binder_->bind_expr(*constraint.expr, ExprUse::kGenerated));
      }
    }
  }
  for (const ast::TableConstraint& constraint : create.constraints) {
    if (constraint.kind == ast::TableConstraintKind::kCheck) {
      GW_TRY(binder_->bind_expr(*constraint.expr, ExprUse::kCheck));
    } else if (constraint.kind == ast::TableConstraintKind::kForeignKey) {
      name_foreign_key(*constraint.foreign_key, constraint.child_columns, *table);
    } else {
      name_key_columns(constraint.columns, *table);
    }
  }
  return Status();
}

Status SchemaTextBinder::bind_index(const ast::CreateIndexStatement& create) {
  const Table* table = connection_->catalog().find_table(database_name(), create.table.text);
  if (table == nullptr) return Status();
  name_table(create.table, *table);
  name_key_columns(create.columns, *table);
  binder_->push_scope();
  binder_->add_table(*table, table->name);
  for (const ast::OrderTerm& term : create.columns) {
    if (term.expr->kind == ast::ExprKind::kLiteral) continue;
    GW_TRY(binder_->bind_expr(*term.expr, ExprUse::kIndex));
  }
  if (create.where != nullptr) GW_TRY(binder_->bind_expr(*create.where, ExprUse::kPartialIndex));
  return Status();
}

Status SchemaTextBinder::bind_view(const ast::CreateViewStatement& create) {
  GW_TRY(binder_->bind_query(*create.select));
  return Status();
}

// ---- Triggers ---------------------------------------------------------------------------------

// A table whose columns are those of the view, for NEW and OLD and as a target.
Result<const Table*> SchemaTextBinder::row_table(const Table* table) {
  if (table->kind != TableKind::kView) return table;
  BindContext context = context_;
  context.observer = nullptr;
  context.sql = table->sql;
  Binder binder(context);
  binder.enter_schema_text(table->database, table->sql);
  GW_ASSIGN(const BoundQuery* query, binder.bind_query(*table->view_select));
  Table* rows = arena_.make<Table>();
  rows->name = table->name;
  rows->database = table->database;
  rows->kind = TableKind::kView;
  for (uint32_t i = 0; i < query->column_count; ++i) {
    Column column;
    const BoundCore& core = *query->cores[0];
    column.name = i < table->view_columns.size() ? table->view_columns[i]
                  : core.kind == BoundCore::Kind::kValues
                      ? "column" + std::to_string(i + 1)
                      : std::string(core.results[i].name);
    column.collation = connection_->find_collation("BINARY");
    rows->columns.push_back(std::move(column));
  }
  return rows;
}

Result<const Table*> SchemaTextBinder::find_target(const ast::TableName& name) {
  GW_ASSIGN(const Table* table, binder_->find_table(name));
  name_table(name.table, *table);
  return row_table(table);
}

Status SchemaTextBinder::bind_trigger(const ast::CreateTriggerStatement& create) {
  GW_ASSIGN(const Table* table, find_target(create.table));
  for (const ast::Name& column : create.update_of) name_column(column, *table);
  binder_->push_scope();
  if (create.event != ast::TriggerEvent::kDelete) binder_->add_table(*table, "new", true);
  if (create.event != ast::TriggerEvent::kInsert) binder_->add_table(*table, "old", true);
  if (create.when != nullptr) GW_TRY(binder_->bind_expr(*create.when));
  for (const ast::Statement* statement : create.body) GW_TRY(bind_trigger_statement(*statement));
  return Status();
}

Status SchemaTextBinder::bind_trigger_statement(const ast::Statement& statement) {
  switch (statement.kind) {
    case ast::StatementKind::kSelect:
      GW_TRY(binder_->bind_query(*statement.as<ast::SelectStatement>()->select));
      return Status();
    case ast::StatementKind::kInsert:
      return bind_insert(*statement.as<ast::InsertStatement>());
    case ast::StatementKind::kUpdate:
      return bind_update(*statement.as<ast::UpdateStatement>());
    case ast::StatementKind::kDelete:
      return bind_delete(*statement.as<ast::DeleteStatement>());
    default:
      return Status();
  }
}

Status SchemaTextBinder::bind_insert(const ast::InsertStatement& insert) {
  if (insert.with != nullptr) GW_TRY(binder_->push_with(*insert.with));
  GW_ASSIGN(const Table* table, find_target(insert.target));
  for (const ast::Name& column : insert.columns) name_column(column, *table);
  if (insert.select != nullptr) GW_TRY(binder_->bind_query(*insert.select));
  std::string_view name = insert.alias.present() ? insert.alias.text : table->name;
  for (const ast::Upsert& upsert : insert.upserts) GW_TRY(bind_upsert(upsert, *table, name));
  if (insert.with != nullptr) binder_->pop_with();
  return Status();
}

Status SchemaTextBinder::bind_upsert(const ast::Upsert& upsert, const Table& table,
                                     std::string_view name) {
  binder_->push_scope();
  binder_->add_table(table, name);
  for (const ast::OrderTerm& term : upsert.target) {
    GW_TRY(binder_->bind_expr(*term.expr, ExprUse::kIndex));
  }
  if (upsert.target_where != nullptr) GW_TRY(binder_->bind_expr(*upsert.target_where));
  binder_->add_table(table, "excluded", true);
  GW_TRY(bind_assignments(upsert.assignments, table));
  if (upsert.where != nullptr) GW_TRY(binder_->bind_expr(*upsert.where));
  binder_->pop_scope();
  return Status();
}

Status SchemaTextBinder::bind_assignments(std::span<const ast::Assignment> assignments,
                                          const Table& table) {
  for (const ast::Assignment& assignment : assignments) {
    for (const ast::Name& column : assignment.columns) name_column(column, table);
    if (assignment.columns.size() == 1) {
      GW_TRY(binder_->bind_expr(*assignment.expr));
    } else {
      GW_TRY(binder_->bind_row(*assignment.expr, static_cast<uint32_t>(assignment.columns.size())));
    }
  }
  return Status();
}

Status SchemaTextBinder::bind_update(const ast::UpdateStatement& update) {
  if (update.with != nullptr) GW_TRY(binder_->push_with(*update.with));
  GW_ASSIGN(const Table* table, find_target(update.target));
  binder_->push_scope();
  binder_->add_table(*table, update.alias.present() ? update.alias.text : table->name);
  if (!update.from.empty()) GW_TRY(binder_->bind_from(update.from));
  GW_TRY(bind_assignments(update.assignments, *table));
  if (update.where != nullptr) GW_TRY(binder_->bind_expr(*update.where));
  binder_->pop_scope();
  if (update.with != nullptr) binder_->pop_with();
  return Status();
}

Status SchemaTextBinder::bind_delete(const ast::DeleteStatement& remove) {
  if (remove.with != nullptr) GW_TRY(binder_->push_with(*remove.with));
  GW_ASSIGN(const Table* table, find_target(remove.target));
  binder_->push_scope();
  binder_->add_table(*table, remove.alias.present() ? remove.alias.text : table->name);
  if (remove.where != nullptr) GW_TRY(binder_->bind_expr(*remove.where));
  binder_->pop_scope();
  if (remove.with != nullptr) binder_->pop_with();
  return Status();
}

}  // namespace

Status bind_schema_text(Connection* connection, int database, std::string_view sql,
                        bool quoted_strings, NameObserver* observer) {
  return SchemaTextBinder(connection, database, sql, quoted_strings, observer).bind();
}

// ---- Edits ------------------------------------------------------------------------------------

// Quotes that meet would be taken for one doubled quote.
void TextEditor::replace(const ast::SourceRange& range, std::string replacement) {
  char last = replacement.back();
  bool meets = (last == '"' || last == '\'') && range.end() < text_.size() &&
               text_[range.end()] == last;
  if (meets) replacement += ' ';
  edits.push_back({range.offset, range.length, std::move(replacement)});
}

void StringFixer::string_named(const ast::Name& name) {
  std::string quoted = "'";
  for (char c : name.text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  replace(name.range, quoted + "'");
}

std::string apply_edits(std::string_view text, std::vector<TextEdit> edits) {
  auto by_offset = [](const TextEdit& a, const TextEdit& b) { return a.offset < b.offset; };
  std::stable_sort(edits.begin(), edits.end(), by_offset);
  std::string result;
  size_t done = 0;
  for (const TextEdit& edit : edits) {
    if (edit.offset < done) continue;
    result += text.substr(done, edit.offset - done);
    result += edit.text;
    done = edit.offset + edit.length;
  }
  result += text.substr(done);
  return result;
}

}  // namespace godwit
