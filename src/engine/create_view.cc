// CREATE VIEW: its text is checked and stored.
#include "engine/body_ddl.h"

namespace godwit {

Result<std::unique_ptr<StatementBody>> compile_create_view(const CompileInput& input,
                                                           const ast::CreateViewStatement& create) {
  GW_ASSIGN(int database,
            creation_database(input, create.name, create.temporary, "view"));
  bool exists = false;
  GW_TRY(check_new_name(input.connection, database, create.name.table.text, false,
                        create.if_not_exists, &exists));
  if (exists) return empty_body(uint64_t{1} << database);
  if (input.parsed->parameter_count > 0) {
    return Status::error("parameters are not allowed in views");
  }
  GW_TRY(check_schemas(input, database, "view", create.name.table.text));
  std::string text = "CREATE VIEW " + std::string(text_to_end(input.sql, create.schema_text));
  text.erase(text.find_last_not_of(" \t\n\r\f") + 1);
  std::string name(create.name.table.text);
  GW_TRY(build_view(text, build_context(input.connection, database)));
  return store_text(input.connection, database, {"view", name, name, 0, text});
}

}  // namespace godwit
