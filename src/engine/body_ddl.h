// What the statements that change the schema share.
#pragma once

#include <string>
#include <string_view>

#include "base/identifier.h"
#include "engine/compile.h"
#include "engine/connection.h"
#include "engine/schema_writer.h"

namespace godwit {

// The text of the statement from the object's name to its end, without the semicolon: with the space
// and comments before it, which SQLite stores too for some objects.
std::string_view text_to_end(std::string_view sql, const ast::SourceRange& schema_text);

// Where CREATE puts an object: the database named, or main, or temp.
Result<int> creation_database(const CompileInput& input, const ast::TableName& name,
                              bool temporary, const char* kind);
// Errors for names that users may not create, or that are taken. *exists: an object of the kind is
// there already and IF NOT EXISTS was said.
Status check_new_name(Connection* connection, int database, std::string_view name, bool for_index,
                      bool if_not_exists, bool* exists);

// Stored queries may name only tables of their own database, unless they are temporary.
Status check_schemas(const CompileInput& input, int database, const char* kind,
                     std::string_view name);

BuildContext build_context(Connection* connection, int database);

// A body that changes the schema of one database.
class SchemaBody : public ActionBody {
 public:
  SchemaBody(Connection* connection, int database) : connection_(connection), database_(database) {
    reads_ = writes_ = uint64_t{1} << database;
    read_only_ = false;
    needs_mark_ = true;
  }

  // Of ALTER: the statement, which says more than the difference of the schema's texts. It must outlive
  // the body.
  void set_repeatable_text(std::string_view table, std::string_view text) {
    repeatable_table_ = table;
    repeatable_text_ = text;
  }

 protected:
  Status run() final;
  virtual Status change(SchemaWriter* writer) = 0;
  // After the schema was loaded anew: what is wrong with it now undoes the statement.
  virtual Status check_result() { return Status(); }
  // change() has told the capture of what it does by itself.
  void is_told() { told_ = true; }

  Connection* connection_;
  int database_;

 private:
  void tell_capture(const std::vector<SchemaRow>& before, const std::vector<SchemaRow>& after);
  std::string repeatable_table_;
  std::string_view repeatable_text_;
  bool told_ = false;
};

// Binds every expression in the definition of a table or index that is about to be created, so that
// what is wrong with one is said now and not at its first use.
Status check_table_expressions(const CompileInput& input, const Table& table);
Status check_index_expressions(const CompileInput& input, const Table& table, const Index& index);

// The query that gives the entries of an index, column by column: SELECT <key columns> FROM table
// [WHERE ...], without an order.
std::string index_entries_query(Connection* connection, const Table& table, const Index& index);

// Fills the tree of `index` from its table. Errors: kConstraintUnique.
Status fill_index(Connection* connection, const Table& table, const Index& index, PageNumber root);

Result<std::unique_ptr<StatementBody>> compile_create_table(const CompileInput& input,
                                                            const ast::CreateTableStatement& create);
Result<std::unique_ptr<StatementBody>> compile_create_virtual_table(
    const CompileInput& input, const ast::CreateVirtualTableStatement& create);
Result<std::unique_ptr<StatementBody>> compile_create_index(const CompileInput& input,
                                                            const ast::CreateIndexStatement& create);
Result<std::unique_ptr<StatementBody>> compile_create_view(const CompileInput& input,
                                                           const ast::CreateViewStatement& create);
Result<std::unique_ptr<StatementBody>> compile_create_trigger(
    const CompileInput& input, const ast::CreateTriggerStatement& create);
Result<std::unique_ptr<StatementBody>> compile_alter_table(const CompileInput& input,
                                                           const ast::AlterTableStatement& alter);
Result<std::unique_ptr<StatementBody>> compile_analyze(const CompileInput& input,
                                                       const ast::AnalyzeStatement& analyze);
Result<std::unique_ptr<StatementBody>> compile_reindex(const CompileInput& input,
                                                       const ast::ReindexStatement& reindex);
Result<std::unique_ptr<StatementBody>> compile_vacuum(const CompileInput& input,
                                                      const ast::VacuumStatement& vacuum);
Result<std::unique_ptr<StatementBody>> compile_drop(const CompileInput& input,
                                                    const ast::DropStatement& drop);

// A body that adds an object that is nothing but its text (views, triggers).
std::unique_ptr<StatementBody> store_text(Connection* connection, int database,
                                          const SchemaEntry& entry);

// A statement that turns out to have nothing to do (IF NOT EXISTS, IF EXISTS), having looked at the
// databases `reads` (bits).
std::unique_ptr<StatementBody> empty_body(uint64_t reads = 0);

}  // namespace godwit
