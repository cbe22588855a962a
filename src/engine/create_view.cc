// CREATE VIEW and CREATE TRIGGER: their text is checked and stored.
#include "engine/body_ddl.h"

namespace godwit {

namespace {

class StoreTextBody final : public SchemaBody {
 public:
  StoreTextBody(Connection* connection, int database, const char* type, std::string name,
                std::string table, std::string sql)
      : SchemaBody(connection, database),
        type_(type),
        name_(std::move(name)),
        table_(std::move(table)),
        sql_(std::move(sql)) {}

 protected:
  Status change(SchemaWriter* writer) override {
    return writer->add({type_, name_, table_, 0, sql_});
  }

 private:
  const char* type_;
  std::string name_, table_, sql_;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_create_view(const CompileInput& input,
                                                           const ast::CreateViewStatement& create) {
  GW_ASSIGN(int database,
            creation_database(input.connection, create.name, create.temporary, "view"));
  bool exists = false;
  GW_TRY(check_new_name(input.connection, database, create.name.table.text, false,
                        create.if_not_exists, &exists));
  if (exists) return empty_body();
  if (input.parsed->parameter_count > 0) {
    return Status::error("parameters are not allowed in views");
  }
  std::string text = "CREATE VIEW " + std::string(text_to_end(input.sql, create.schema_text));
  text.erase(text.find_last_not_of(" \t\n\r\f") + 1);
  std::string name(create.name.table.text);
  GW_TRY(build_view(text, build_context(input.connection, database)));
  return std::unique_ptr<StatementBody>(std::make_unique<StoreTextBody>(
      input.connection, database, "view", name, name, std::move(text)));
}

Result<std::unique_ptr<StatementBody>> compile_create_trigger(
    const CompileInput& input, const ast::CreateTriggerStatement& create) {
  Connection* connection = input.connection;
  if (input.parsed->parameter_count > 0) return Status::error("trigger cannot use variables");
  std::string_view schema = create.name.schema.present() ? create.name.schema.text : "";
  const Table* table = connection->catalog().find_table(
      create.temporary || schema.empty() ? std::string_view() : schema, create.table.table.text);
  if (table == nullptr) {
    return Status::error("no such table: " + (schema.empty() ? "main" : std::string(schema)) + "." +
                         std::string(create.table.table.text));
  }
  int database = table->database;
  if (create.temporary) {
    GW_TRY(connection->open_temp());
    database = Connection::kTemp;
  }
  std::string name(create.name.table.text);
  const auto& db = connection->databases()[static_cast<size_t>(database)];
  if (db.schema->find_trigger(name) != nullptr) {
    if (create.if_not_exists) return empty_body();
    return Status::error("trigger " + name + " already exists");
  }
  if (table->is_system) return Status::error("cannot create trigger on system table");
  bool is_view = table->kind == TableKind::kView;
  if (is_view && create.time != ast::TriggerTime::kInsteadOf) {
    return Status::error(std::string("cannot create ") +
                         (create.time == ast::TriggerTime::kBefore ? "BEFORE" : "AFTER") +
                         " trigger on view: " + table->name);
  }
  if (!is_view && create.time == ast::TriggerTime::kInsteadOf) {
    return Status::error("cannot create INSTEAD OF trigger on table: " + table->name);
  }
  std::string text = "CREATE TRIGGER " + std::string(create.schema_text.of(input.sql));
  return std::unique_ptr<StatementBody>(std::make_unique<StoreTextBody>(
      connection, database, "trigger", std::move(name), table->name, std::move(text)));
}

}  // namespace godwit
