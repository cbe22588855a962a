// ALTER TABLE RENAME TO and RENAME COLUMN: every text of the schema that names the table or column is
// rewritten at the places of the names.
#include "engine/alter_table.h"
#include "sql/parser.h"

namespace godwit {

namespace {

class TableRenamer final : public TextEditor {
 public:
  TableRenamer(const Table* table, std::string_view new_name)
      : table_(table), quoted_(double_quoted(new_name)) {}
  void table_named(const ast::Name& name, const Table& table) override {
    if (&table == table_) replace(name.range, quoted_);
  }

 private:
  const Table* table_;
  std::string quoted_;
};

class ColumnRenamer final : public StringFixer {
 public:
  ColumnRenamer(const Table* table, int32_t column, std::string_view new_name, bool quoted)
      : table_(table), column_(column), name_(new_name), quoted_(quoted) {}
  void column_named(const ast::Name& name, const Table& table, int32_t column) override {
    if (&table != table_ || column != column_) return;
    bool bare = !quoted_ && name.quote == ast::Quote::kNone;
    replace(name.range, bare ? name_ : double_quoted(name_));
  }
 private:
  const Table* table_;
  int32_t column_;
  std::string name_;
  bool quoted_;
};

constexpr std::string_view kAutoIndex = "sqlite_autoindex_";

class RenameTableBody final : public AlterBody {
 public:
  RenameTableBody(Connection* connection, const Table& table, std::string_view new_name)
      : AlterBody(connection, table), new_name_(new_name) {}
  void set_virtual_table(std::shared_ptr<VirtualTables::Instance> instance) {
    virtual_table_ = std::move(instance);
  }

 protected:
  Status change(SchemaWriter* writer) override {
    TableRenamer renamer(&table(), new_name_);
    if (connection_->settings.legacy_alter_table) {
      GW_TRY(rename_legacy(writer, &renamer));
    } else {
      GW_TRY(rewrite_texts(&renamer, [&](SchemaRow* row, int database) {
        // What temp has under the same name is something else, but for triggers on the table.
        bool is_other = database != database_ &&
                        (row->type != "trigger" || renamer.edits.empty());
        return !is_other && rename_row(row);
      }));
    }
    GW_TRY(writer->rename_where("sqlite_sequence", table_name_, new_name_));
    table_name_ = new_name_;
    return virtual_table_ != nullptr ? virtual_table_->code->rename(new_name_) : Status();
  }
  Status check_result() override {
    return connection_->settings.legacy_alter_table ? Status() : check_texts("after rename");
  }

 private:
  // The columns name and tbl_name.
  bool rename_row(SchemaRow* row) const {
    if (!names_equal(row->table, table_name_)) return false;
    row->table = new_name_;
    if (row->type == "table") row->name = new_name_;
    std::string prefix = std::string(kAutoIndex) + table_name_ + "_";
    bool is_automatic = row->type == "index" && row->name.size() > prefix.size() &&
                        names_equal(row->name.substr(0, prefix.size()), prefix);
    if (is_automatic) {
      row->name = std::string(kAutoIndex) + new_name_ + row->name.substr(prefix.size() - 1);
    }
    return true;
  }

  // As before 3.25: what is inside views and triggers stays; foreign keys follow if they are enforced.
  Status rename_legacy(SchemaWriter* writer, TableRenamer* renamer) {
    return writer->rewrite([&](SchemaRow* row) -> Result<bool> {
      bool keys = row->type == "table" && connection_->settings.foreign_keys;
      bool own = names_equal(row->table, table_name_);
      if (!row->has_sql || !(own || keys)) return rename_row(row);
      renamer->edits.clear();
      renamer->start(row->sql);
      if (keys || row->type == "index") {
        (void)bind_schema_text(connection_, database_, row->sql, true, renamer);
      } else {
        Arena arena;
        GW_ASSIGN(ParsedStatement parsed, parse_statement(row->sql, nullptr, &arena));
        if (auto* create = parsed.statement->try_as<ast::CreateTableStatement>()) {
          renamer->table_named(create->name.table, table());
        } else if (auto* trigger = parsed.statement->try_as<ast::CreateTriggerStatement>()) {
          renamer->table_named(trigger->table.table, table());
        }
      }
      row->sql = apply_edits(row->sql, renamer->edits);
      bool renamed = rename_row(row);
      return renamed || !renamer->edits.empty();
    });
  }

  std::string new_name_;
  std::shared_ptr<VirtualTables::Instance> virtual_table_;  // null: an ordinary table
};

class RenameColumnBody final : public AlterBody {
 public:
  RenameColumnBody(Connection* connection, const Table& table, int32_t column,
                   const ast::Name& new_name)
      : AlterBody(connection, table),
        column_(column),
        new_name_(new_name.text),
        quoted_(new_name.quote != ast::Quote::kNone) {}

 protected:
  Status change(SchemaWriter* writer) override {
    ColumnRenamer renamer(&table(), column_, new_name_, quoted_);
    GW_TRY(rewrite_texts(&renamer, nullptr));
    GW_ASSIGN(std::vector<SchemaRow> rows, writer->rows());
    for (const SchemaRow& row : rows) {
      if (row.type != "table" || !names_equal(row.name, table_name_)) continue;
      GW_TRY(check_loads(writer, row.sql, "after rename"));
    }
    return Status();
  }
  Status check_result() override { return check_texts("after rename"); }

 private:
  int32_t column_;
  std::string new_name_;
  bool quoted_;
};

}  // namespace

AlterResult compile_rename_table(const CompileInput& input, const ast::AlterTableStatement& alter,
                                 const Table& table) {
  std::string_view name = alter.new_name.text;
  if (name.size() >= 7 && names_equal(name.substr(0, 7), "sqlite_")) {
    return Status::error("object name reserved for internal use: " + std::string(name));
  }
  auto body = std::make_unique<RenameTableBody>(input.connection, table, name);
  if (table.kind == TableKind::kVirtual) {
    GW_ASSIGN(auto instance, input.connection->virtual_tables().connect(table));
    body->set_virtual_table(std::move(instance));
  }
  return std::unique_ptr<StatementBody>(std::move(body));
}

AlterResult compile_rename_column(const CompileInput& input, const ast::AlterTableStatement& alter,
                                  const Table& table) {
  int32_t column = table.find_column(alter.column.text);
  if (column < 0) {
    return Status::error("no such column: \"" + std::string(alter.column.text) + "\"");
  }
  return std::unique_ptr<StatementBody>(
      std::make_unique<RenameColumnBody>(input.connection, table, column, alter.new_name));
}

}  // namespace godwit
