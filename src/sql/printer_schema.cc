// Printing of statements that change the schema.
#include "sql/printer.h"
#include "sql/printer_impl.h"

namespace godwit {

std::string print(const ast::ColumnDef& column) {
  internal::Printer printer;
  printer.column_def(column);
  return printer.take();
}

namespace internal {

using ast::StatementKind;

void Printer::schema_statement(const ast::Statement& s) {
  switch (s.kind) {
    case StatementKind::kCreateTable:
      return create_table(*s.as<ast::CreateTableStatement>());
    case StatementKind::kCreateIndex:
      return create_index(*s.as<ast::CreateIndexStatement>());
    case StatementKind::kCreateView:
      return create_view(*s.as<ast::CreateViewStatement>());
    case StatementKind::kCreateTrigger:
      return create_trigger(*s.as<ast::CreateTriggerStatement>());
    case StatementKind::kCreateVirtualTable:
      return create_virtual_table(*s.as<ast::CreateVirtualTableStatement>());
    case StatementKind::kDrop:
      return drop(*s.as<ast::DropStatement>());
    default:
      return alter(*s.as<ast::AlterTableStatement>());
  }
}

void Printer::create_table(const ast::CreateTableStatement& table) {
  put(table.temporary ? "CREATE TEMP TABLE " : "CREATE TABLE ");
  if (table.if_not_exists) put("IF NOT EXISTS ");
  qualified(table.name);
  if (table.select != nullptr) {
    put(" AS ");
    return select(*table.select);
  }
  put("(");
  list(table.columns, [this](const ast::ColumnDef& column) { column_def(column); });
  for (const ast::TableConstraint& constraint : table.constraints) {
    put(", ");
    table_constraint(constraint);
  }
  put(")");
  if (table.without_rowid) put(" WITHOUT ROWID");
  if (table.strict) put(table.without_rowid ? ", STRICT" : " STRICT");
}

namespace {

bool ends_with_always(std::string_view type) {
  constexpr std::string_view kAlways = "always";
  if (type.size() < kAlways.size()) return false;
  type.remove_prefix(type.size() - kAlways.size());
  for (size_t i = 0; i < kAlways.size(); ++i) {
    if ((type[i] | 0x20) != kAlways[i]) return false;
  }
  return true;
}

}  // namespace

void Printer::column_def(const ast::ColumnDef& column) {
  name(column.name);
  if (!column.type.empty()) {
    put(" ");
    put(column.type);
    // These words at the end of a type are not part of it, so a type that ends with them gets them
    // once more.
    if (ends_with_always(column.type)) put(" GENERATED ALWAYS");
  }
  for (const ast::ColumnConstraint& constraint : column.constraints) {
    put(" ");
    column_constraint(constraint);
  }
}

void Printer::constraint_name(const ast::Name& n) {
  if (!n) return;
  put("CONSTRAINT ");
  name(n);
  put(" ");
}

void Printer::column_constraint(const ast::ColumnConstraint& constraint) {
  using Kind = ast::ColumnConstraintKind;
  constraint_name(constraint.name);
  switch (constraint.kind) {
    case Kind::kPrimaryKey:
      put("PRIMARY KEY");
      if (constraint.explicit_direction) put(constraint.descending ? " DESC" : " ASC");
      on_conflict(constraint.conflict);
      if (constraint.autoincrement) put(" AUTOINCREMENT");
      return;
    case Kind::kNotNull:
      put("NOT NULL");
      return on_conflict(constraint.conflict);
    case Kind::kNull:
      put("NULL");
      return on_conflict(constraint.conflict);
    case Kind::kUnique:
      put("UNIQUE");
      return on_conflict(constraint.conflict);
    case Kind::kCheck:
      clause("CHECK (", constraint.expr);
      return put(")");
    case Kind::kDefault:
      put(constraint.in_parentheses ? "DEFAULT (" : "DEFAULT ");
      expr(*constraint.expr);
      if (constraint.in_parentheses) put(")");
      return;
    case Kind::kCollate:
      put("COLLATE ");
      return name(constraint.collation);
    case Kind::kReferences:
      return foreign_key(*constraint.foreign_key);
    case Kind::kGenerated:
      if (constraint.generated_always) put("GENERATED ALWAYS ");
      clause("AS (", constraint.expr);
      put(")");
      if (constraint.storage) {
        put(" ");
        name(constraint.storage);
      }
      return;
  }
}

void Printer::foreign_key(const ast::ForeignKey& key) {
  constexpr const char* kActions[] = {"NO ACTION", "RESTRICT", "SET NULL", "SET DEFAULT",
                                      "CASCADE"};
  put("REFERENCES ");
  name(key.table);
  if (!key.columns.empty()) names_in_parentheses(key.columns);
  if (key.on_delete != ast::ForeignKeyAction::kNoAction) {
    put(" ON DELETE ");
    put(kActions[static_cast<int>(key.on_delete)]);
  }
  if (key.on_update != ast::ForeignKeyAction::kNoAction) {
    put(" ON UPDATE ");
    put(kActions[static_cast<int>(key.on_update)]);
  }
  if (!key.has_deferrable) return;
  put(key.deferrable ? " DEFERRABLE" : " NOT DEFERRABLE");
  if (key.initially_deferred) put(" INITIALLY DEFERRED");
}

void Printer::table_constraint(const ast::TableConstraint& constraint) {
  constraint_name(constraint.name);
  switch (constraint.kind) {
    case ast::TableConstraintKind::kPrimaryKey:
    case ast::TableConstraintKind::kUnique:
      put(constraint.kind == ast::TableConstraintKind::kUnique ? "UNIQUE (" : "PRIMARY KEY (");
      order_terms(constraint.columns);
      if (constraint.autoincrement) put(" AUTOINCREMENT");
      put(")");
      return on_conflict(constraint.conflict);
    case ast::TableConstraintKind::kCheck:
      clause("CHECK (", constraint.expr);
      put(")");
      return on_conflict(constraint.conflict);
    case ast::TableConstraintKind::kForeignKey:
      put("FOREIGN KEY ");
      names_in_parentheses(constraint.child_columns);
      put(" ");
      return foreign_key(*constraint.foreign_key);
  }
}

void Printer::create_index(const ast::CreateIndexStatement& index) {
  put(index.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
  if (index.if_not_exists) put("IF NOT EXISTS ");
  qualified(index.name);
  put(" ON ");
  name(index.table);
  put("(");
  order_terms(index.columns);
  put(")");
  clause(" WHERE ", index.where);
}

void Printer::create_view(const ast::CreateViewStatement& view) {
  put(view.temporary ? "CREATE TEMP VIEW " : "CREATE VIEW ");
  if (view.if_not_exists) put("IF NOT EXISTS ");
  qualified(view.name);
  if (!view.columns.empty()) names_in_parentheses(view.columns);
  put(" AS ");
  select(*view.select);
}

void Printer::create_trigger(const ast::CreateTriggerStatement& trigger) {
  constexpr const char* kTimes[] = {" BEFORE", " AFTER", " INSTEAD OF"};
  constexpr const char* kEvents[] = {" DELETE", " INSERT", " UPDATE"};
  put(trigger.temporary ? "CREATE TEMP TRIGGER " : "CREATE TRIGGER ");
  if (trigger.if_not_exists) put("IF NOT EXISTS ");
  qualified(trigger.name);
  if (trigger.explicit_time) put(kTimes[static_cast<int>(trigger.time)]);
  put(kEvents[static_cast<int>(trigger.event)]);
  if (!trigger.update_of.empty()) {
    put(" OF ");
    names(trigger.update_of);
  }
  put(" ON ");
  qualified(trigger.table);
  if (trigger.for_each_row) put(" FOR EACH ROW");
  clause(" WHEN ", trigger.when);
  put(" BEGIN ");
  for (const ast::Statement* step : trigger.body) {
    statement(*step);
    put("; ");
  }
  put("END");
}

void Printer::create_virtual_table(const ast::CreateVirtualTableStatement& table) {
  put("CREATE VIRTUAL TABLE ");
  if (table.if_not_exists) put("IF NOT EXISTS ");
  qualified(table.name);
  put(" USING ");
  name(table.module);
  if (table.arguments.empty()) return;
  put("(");
  list(table.arguments, [this](std::string_view argument) { put(argument); });
  put(")");
}

void Printer::drop(const ast::DropStatement& drop) {
  constexpr const char* kObjects[] = {"TABLE ", "INDEX ", "VIEW ", "TRIGGER "};
  put("DROP ");
  put(kObjects[static_cast<int>(drop.object)]);
  if (drop.if_exists) put("IF EXISTS ");
  qualified(drop.name);
}

void Printer::alter(const ast::AlterTableStatement& alter) {
  put("ALTER TABLE ");
  qualified(alter.table);
  auto words_and_name = [this](std::string_view words, const ast::Name& n) {
    put(words);
    name(n);
  };
  switch (alter.action) {
    case ast::AlterKind::kRenameTable:
      return words_and_name(" RENAME TO ", alter.new_name);
    case ast::AlterKind::kRenameColumn:
      words_and_name(" RENAME COLUMN ", alter.column);
      return words_and_name(" TO ", alter.new_name);
    case ast::AlterKind::kAddColumn:
      put(" ADD COLUMN ");
      return column_def(*alter.column_def);
    case ast::AlterKind::kDropColumn:
      return words_and_name(" DROP COLUMN ", alter.column);
    case ast::AlterKind::kAddCheck:
      put(" ADD ");
      return table_constraint(*alter.check);
    case ast::AlterKind::kDropConstraint:
      return words_and_name(" DROP CONSTRAINT ", alter.constraint);
    case ast::AlterKind::kSetNotNull:
      words_and_name(" ALTER COLUMN ", alter.column);
      put(" SET NOT NULL");
      return on_conflict(alter.conflict);
    case ast::AlterKind::kDropNotNull:
      words_and_name(" ALTER COLUMN ", alter.column);
      return put(" DROP NOT NULL");
  }
}

}  // namespace internal
}  // namespace godwit
