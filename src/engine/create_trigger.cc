// CREATE TRIGGER: its text is checked and stored. Names inside are looked up when it is fired.
#include "engine/body_ddl.h"
#include "engine/shadow_guard.h"

namespace godwit {

namespace {

// The database that the trigger is made in. A trigger on a temporary table is temporary.
Result<int> trigger_database(const CompileInput& input, const ast::CreateTriggerStatement& create) {
  Connection* connection = input.connection;
  if (create.temporary) {
    GW_TRY(connection->open_temp());
    return Connection::kTemp;
  }
  if (create.name.schema.present()) {
    int database = connection->find_database(create.name.schema.text);
    if (database < 0) return unknown_database(input, create.name.schema);
    if (database == Connection::kTemp) GW_TRY(connection->open_temp());
    return database;
  }
  std::string_view schema = create.table.schema.present() ? create.table.schema.text : "";
  const Table* table = connection->catalog().find_table(schema, create.table.table.text);
  bool is_temp = table != nullptr && table->database == Connection::kTemp;
  return is_temp ? Connection::kTemp : Connection::kMain;
}

// The table that the trigger is on. Only temporary triggers may be on tables of other databases.
Result<const Table*> trigger_table(Connection* connection,
                                   const ast::CreateTriggerStatement& create, int database) {
  const ast::TableName& name = create.table;
  std::string schema(name.schema.present() ? name.schema.text : "");
  if (database != Connection::kTemp) {
    const std::string& own = connection->databases()[static_cast<size_t>(database)].name;
    if (!schema.empty() && connection->find_database(schema) != database) {
      return Status::error("trigger " + std::string(create.name.table.text) +
                           " cannot reference objects in database " + schema);
    }
    schema = own;
  }
  const Table* table = connection->catalog().find_table(schema, name.table.text);
  if (table != nullptr) return table;
  return Status::error("no such table: " + (schema.empty() ? "" : schema + ".") +
                       std::string(name.table.text));
}

Status check_kind(const Table& table, ast::TriggerTime time) {
  bool is_view = table.kind == TableKind::kView;
  if (is_view && time != ast::TriggerTime::kInsteadOf) {
    return Status::error(std::string("cannot create ") +
                         (time == ast::TriggerTime::kBefore ? "BEFORE" : "AFTER") +
                         " trigger on view: " + table.name);
  }
  if (!is_view && time == ast::TriggerTime::kInsteadOf) {
    return Status::error("cannot create INSTEAD OF trigger on table: " + table.name);
  }
  return Status();
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_create_trigger(
    const CompileInput& input, const ast::CreateTriggerStatement& create) {
  Connection* connection = input.connection;
  GW_ASSIGN(int database, trigger_database(input, create));
  GW_ASSIGN(const Table* table, trigger_table(connection, create, database));
  if (table->kind == TableKind::kVirtual) {
    return Status::error("cannot create triggers on virtual tables");
  }
  if (is_protected_shadow(connection, *table)) {
    return Status::error("cannot create triggers on shadow tables");
  }
  std::string name(create.name.table.text);
  bool is_reserved = name.size() >= 7 && names_equal(name.substr(0, 7), "sqlite_");
  if (is_reserved && !connection->settings.writable_schema) {
    return Status::error("object name reserved for internal use: " + name);
  }
  const auto& schema = connection->databases()[static_cast<size_t>(database)].schema;
  if (schema->find_trigger(name) != nullptr) {
    if (create.if_not_exists) return empty_body(uint64_t{1} << database);
    return Status::error("trigger " + name + " already exists");
  }
  if (table->is_system) return Status::error("cannot create trigger on system table");
  GW_TRY(check_kind(*table, create.time));
  GW_TRY(check_schemas(input, database, "trigger", name));
  std::string text = "CREATE TRIGGER " + std::string(create.schema_text.of(input.sql));
  return store_text(connection, database, {"trigger", name, table->name, 0, text});
}

}  // namespace godwit
