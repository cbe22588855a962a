// ALTER TABLE: what its forms share. Each form computes the new texts of the schema's objects, and is
// undone as a whole if an object no longer makes sense afterwards ("error in view v after rename: ...").
#pragma once

#include <string>
#include <string_view>

#include "engine/body_ddl.h"
#include "engine/schema_text.h"

namespace godwit {

class AlterBody : public SchemaBody {
 public:
  AlterBody(Connection* connection, const Table& table);

 protected:
  // The table in the schema as it is now.
  const Table& table() const;
  // Binds all objects of the table's database and of temp, and applies the edits that `editor`
  // collects meanwhile. finish(&row, database) may change more of a row, and then gives true. An
  // object that makes no sense now is an error.
  Status rewrite_texts(TextEditor* editor,
                       const std::function<bool(SchemaRow*, int database)>& finish);
  // Builds the table of `sql` and the indexes that are on it, as loading the schema will.
  Status check_loads(SchemaWriter* writer, const std::string& sql, std::string_view when);
  // Binds all objects.
  Status check_texts(std::string_view when);
  // Replaces the text of the table.
  Status store_text(SchemaWriter* writer, const std::string& sql);
  // An error of `code` with `message` if `sql` gives a row.
  Status refuse_rows(const std::string& sql, int code, std::string message);
  std::string qualified_name() const;
  // The table's own, and temp.
  std::vector<int> databases_to_rewrite() const;

  std::string table_name_;
};

// "error in view v after rename: no such column: x"
Status error_in(std::string_view type, std::string_view name, std::string_view when,
                const Status& status);

// Places in the text of a CREATE TABLE: where a column, or a constraint, would be added.
struct TableTextPlaces {
  uint32_t after_columns = 0;  // offset of the token behind the last column
  uint32_t closing = 0;        // offset of the parenthesis at the end
};
Result<TableTextPlaces> find_places(const std::string& sql);

using AlterResult = Result<std::unique_ptr<StatementBody>>;
AlterResult compile_rename_table(const CompileInput& input, const ast::AlterTableStatement& alter,
                                 const Table& table);
AlterResult compile_rename_column(const CompileInput& input, const ast::AlterTableStatement& alter,
                                  const Table& table);
AlterResult compile_add_column(const CompileInput& input, const ast::AlterTableStatement& alter,
                               const Table& table);
AlterResult compile_drop_column(const CompileInput& input, const ast::AlterTableStatement& alter,
                                const Table& table);
// ADD CHECK, DROP CONSTRAINT, ALTER COLUMN SET and DROP NOT NULL.
AlterResult compile_alter_constraint(const CompileInput& input,
                                     const ast::AlterTableStatement& alter, const Table& table);

}  // namespace godwit
