// CREATE VIRTUAL TABLE: the text is stored, then the module makes the table, which may run statements
// of its own.
#include "engine/body_ddl.h"

namespace godwit {

namespace {

class CreateVirtualTableBody final : public SchemaBody {
 public:
  CreateVirtualTableBody(Connection* connection, int database, std::string name, std::string sql)
      : SchemaBody(connection, database), name_(std::move(name)), sql_(std::move(sql)) {}

 protected:
  Status change(SchemaWriter* writer) override {
    return writer->add({"table", name_, name_, 0, sql_});
  }
  Status check_result() override {
    const Schema& schema = *connection_->databases()[static_cast<size_t>(database_)].schema;
    return connection_->virtual_tables().create(*schema.find_table(name_));
  }

 private:
  std::string name_, sql_;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_create_virtual_table(
    const CompileInput& input, const ast::CreateVirtualTableStatement& create) {
  GW_ASSIGN(int database, creation_database(input, create.name, false, "table"));
  std::string name(create.name.table.text);
  bool exists = false;
  GW_TRY(check_new_name(input.connection, database, name, false, create.if_not_exists, &exists));
  if (exists) return empty_body(uint64_t{1} << database);
  std::string text = "CREATE VIRTUAL TABLE " + std::string(create.schema_text.of(input.sql));
  GW_TRY(build_virtual_table(text, build_context(input.connection, database)).status());
  return std::unique_ptr<StatementBody>(std::make_unique<CreateVirtualTableBody>(
      input.connection, database, std::move(name), std::move(text)));
}

}  // namespace godwit
