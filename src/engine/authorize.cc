#include "engine/authorize.h"

#include "engine/connection.h"
#include "plan/authorizer.h"

namespace godwit {

namespace {

constexpr std::string_view kSchemaColumns[] = {"type", "name", "tbl_name", "rootpage", "sql"};

// Asks in SQLite's order, which follows its own changes of the schema table. Stops where the answer is
// to leave the statement out.
class Questions {
 public:
  explicit Questions(Connection* connection)
      : connection_(connection), authorizer_(connection->authorizer()) {}

  bool ignored() const { return ignored_; }

  Status ask(AuthAction action, std::string_view first = {}, std::string_view second = {},
             std::string_view database = {}) {
    if (ignored_) return Status();
    return authorizer_->check({action, first, second, database, {}}, &ignored_);
  }

  // About `database` from now on.
  void set_database(int database) {
    name_ = connection_->databases()[static_cast<size_t>(database)].name;
    is_temp_ = database == Connection::kTemp;
    master_ = is_temp_ ? "sqlite_temp_master" : "sqlite_master";
  }
  std::string_view database() const { return name_; }
  bool is_temp() const { return is_temp_; }

  Status schema_row(AuthAction action) { return ask(action, master_, {}, name_); }
  Status read_column(std::string_view column) { return read(master_, column); }
  Status read(std::string_view table, std::string_view column) {
    return ask(AuthAction::kRead, table, column, name_);
  }
  Status update_column(std::string_view column) {
    return ask(AuthAction::kUpdate, master_, column, name_);
  }
  // The row of a new object is filled in.
  Status fill_schema_row() {
    for (std::string_view column : kSchemaColumns) GW_TRY(update_column(column));
    return read_column("ROWID");
  }
  Status move_root() {
    GW_TRY(update_column("rootpage"));
    return read_column("rootpage");
  }

 private:
  Connection* connection_;
  Authorizer* authorizer_;
  std::string_view name_, master_;
  bool is_temp_ = false;
  bool ignored_ = false;
};

class StatementAuthorization {
 public:
  explicit StatementAuthorization(const CompileInput& input)
      : connection_(input.connection), questions_(input.connection) {}

  Result<bool> run(const ast::Statement& statement) {
    GW_TRY(ask(statement));
    return questions_.ignored();
  }

 private:
  using Kind = ast::StatementKind;

  Status ask(const ast::Statement& statement) {
    switch (statement.kind) {
      case Kind::kBegin:
        return questions_.ask(AuthAction::kTransaction, "BEGIN");
      case Kind::kCommit:
        return questions_.ask(AuthAction::kTransaction, "COMMIT");
      case Kind::kRollback: {
        const ast::Name& name = statement.as<ast::RollbackStatement>()->savepoint;
        return name.present() ? questions_.ask(AuthAction::kSavepoint, "ROLLBACK", name.text)
                              : questions_.ask(AuthAction::kTransaction, "ROLLBACK");
      }
      case Kind::kSavepoint:
        return questions_.ask(AuthAction::kSavepoint, "BEGIN",
                              statement.as<ast::SavepointStatement>()->name.text);
      case Kind::kRelease:
        return questions_.ask(AuthAction::kSavepoint, "RELEASE",
                              statement.as<ast::ReleaseStatement>()->name.text);
      case Kind::kPragma:
        return pragma(*statement.as<ast::PragmaStatement>());
      case Kind::kAttach:
        return questions_.ask(AuthAction::kAttach,
                              literal_text(*statement.as<ast::AttachStatement>()->file));
      case Kind::kDetach:
        return questions_.ask(AuthAction::kDetach,
                              literal_text(*statement.as<ast::DetachStatement>()->schema));
      case Kind::kAnalyze:
        return analyze(*statement.as<ast::AnalyzeStatement>());
      case Kind::kReindex:
        return reindex(*statement.as<ast::ReindexStatement>());
      default:
        return schema_change(statement);
    }
  }

  Status schema_change(const ast::Statement& statement) {
    switch (statement.kind) {
      case Kind::kCreateTable:
        return create_table(*statement.as<ast::CreateTableStatement>());
      case Kind::kCreateIndex:
        return create_index(*statement.as<ast::CreateIndexStatement>());
      case Kind::kCreateView: {
        const auto& create = *statement.as<ast::CreateViewStatement>();
        if (!find_target(create.name, create.temporary)) return Status();
        GW_TRY(questions_.schema_row(AuthAction::kInsert));
        GW_TRY(questions_.ask(
            questions_.is_temp() ? AuthAction::kCreateTempView : AuthAction::kCreateView,
            create.name.table.text, {}, questions_.database()));
        return questions_.fill_schema_row();
      }
      case Kind::kCreateVirtualTable: {
        const auto& create = *statement.as<ast::CreateVirtualTableStatement>();
        if (!find_target(create.name, false)) return Status();
        GW_TRY(questions_.schema_row(AuthAction::kInsert));
        GW_TRY(questions_.ask(AuthAction::kCreateVtable, create.name.table.text,
                              create.module.text, questions_.database()));
        return questions_.fill_schema_row();
      }
      case Kind::kCreateTrigger:
        return create_trigger(*statement.as<ast::CreateTriggerStatement>());
      case Kind::kDrop:
        return drop(*statement.as<ast::DropStatement>());
      case Kind::kAlterTable: {
        const auto& alter = *statement.as<ast::AlterTableStatement>();
        const Table* table = find_table(alter.table);
        if (table == nullptr) return Status();
        std::string_view column;
        if (alter.action == ast::AlterKind::kDropColumn) column = alter.column.text;
        GW_TRY(questions_.ask(AuthAction::kAlterTable, questions_.database(), table->name, column));
        return questions_.update_column("sql");
      }
      default:
        return Status();
    }
  }

  // ---- Names ------------------------------------------------------------------------------------

  // The text of a literal; NULL for any other expression but a plain name.
  static std::string_view literal_text(const ast::Expr& expr) {
    if (const auto* literal = expr.try_as<ast::LiteralExpr>()) {
      if (literal->literal == ast::LiteralKind::kString) return literal->text;
    }
    const auto* column = expr.try_as<ast::ColumnExpr>();
    return column != nullptr && !column->table.present() ? column->column.text
                                                         : std::string_view();
  }

  // Where CREATE makes its object. False: there is no such database.
  bool find_target(const ast::TableName& name, bool temporary) {
    int database = temporary ? Connection::kTemp : Connection::kMain;
    if (name.schema.present()) database = connection_->find_database(name.schema.text);
    if (database < 0) return false;
    questions_.set_database(database);
    return true;
  }

  const Table* find_table(const ast::TableName& name) {
    return find_object<Table>(name.schema.text, name.table.text, [](const Schema& schema,
                                                                    std::string_view text) {
      return schema.find_table(text);
    });
  }
  const Index* find_index(std::string_view schema, std::string_view name) {
    return find_object<Index>(schema, name, [](const Schema& in, std::string_view text) {
      return in.find_index(text);
    });
  }
  // In SQLite's order: temp before main, then the others.
  template <typename T, typename F>
  const T* find_object(std::string_view database, std::string_view name, F find) {
    const auto& databases = connection_->catalog().databases;
    for (size_t i = 0; i < databases.size(); ++i) {
      const size_t at = i < 2 ? 1 - i : i;
      if (!database.empty() && !names_equal(databases[at].name, database)) continue;
      if (databases[at].schema == nullptr) continue;
      const T* found = find(*databases[at].schema, name);
      if (found == nullptr) continue;
      questions_.set_database(static_cast<int>(at));
      return found;
    }
    return nullptr;
  }

  // ---- Statements -------------------------------------------------------------------------------

  Status pragma(const ast::PragmaStatement& pragma) {
    std::string_view value, database;
    if (pragma.form != ast::PragmaForm::kNone) value = pragma.value;
    if (pragma.schema.present()) database = pragma.schema.text;
    return questions_.ask(AuthAction::kPragma, pragma.name.text, value, database);
  }

  Status create_table(const ast::CreateTableStatement& create) {
    if (!find_target(create.name, create.temporary)) return Status();
    std::string_view name = create.name.table.text;
    GW_TRY(questions_.schema_row(AuthAction::kInsert));
    GW_TRY(questions_.ask(
        questions_.is_temp() ? AuthAction::kCreateTempTable : AuthAction::kCreateTable, name, {},
        questions_.database()));
    const Schema* schema =
        connection_->databases()[static_cast<size_t>(connection_->find_database(
                                     questions_.database()))].schema.get();
    if (create.if_not_exists && schema != nullptr && schema->find_table(name) != nullptr) {
      return Status();
    }
    return questions_.fill_schema_row();
  }

  Status create_index(const ast::CreateIndexStatement& create) {
    const Table* table = find_table({create.name.schema, create.table});
    if (table == nullptr) return Status();
    GW_TRY(questions_.schema_row(AuthAction::kInsert));
    GW_TRY(questions_.ask(
        questions_.is_temp() ? AuthAction::kCreateTempIndex : AuthAction::kCreateIndex,
        create.name.table.text, table->name, questions_.database()));
    for (const ast::OrderTerm& term : create.columns) {
      const auto* column = term.expr->try_as<ast::ColumnExpr>();
      if (column == nullptr || table->find_column(column->column.text) < 0) continue;
      GW_TRY(questions_.read(table->name, column->column.text));
    }
    GW_TRY(questions_.schema_row(AuthAction::kInsert));
    return questions_.ask(AuthAction::kReindex, create.name.table.text, {},
                          questions_.database());
  }

  Status create_trigger(const ast::CreateTriggerStatement& create) {
    ast::TableName of = create.table;
    if (!of.schema.present()) of.schema = create.name.schema;
    const Table* table = find_table(of);
    if (table == nullptr) return Status();
    const int table_database = table->database;
    const bool temporary = create.temporary || table_database == Connection::kTemp;
    questions_.set_database(temporary ? Connection::kTemp : table_database);
    GW_TRY(questions_.ask(temporary ? AuthAction::kCreateTempTrigger : AuthAction::kCreateTrigger,
                          create.name.table.text, table->name, questions_.database()));
    questions_.set_database(table_database);
    GW_TRY(questions_.schema_row(AuthAction::kInsert));
    if (temporary) questions_.set_database(Connection::kTemp);
    return questions_.schema_row(AuthAction::kInsert);
  }

  Status drop(const ast::DropStatement& drop) {
    switch (drop.object) {
      case ast::DropKind::kIndex: return drop_index(drop);
      case ast::DropKind::kTrigger: return drop_named_trigger(drop);
      case ast::DropKind::kTable:
      case ast::DropKind::kView: return drop_table(drop);
    }
    return Status();
  }

  Status drop_table(const ast::DropStatement& drop) {
    const Table* table = find_table(drop.name);
    const bool wants_view = drop.object == ast::DropKind::kView;
    if (table == nullptr || (table->kind == TableKind::kView) != wants_view) return Status();
    const bool temp = questions_.is_temp();
    GW_TRY(questions_.schema_row(AuthAction::kDelete));
    if (table->kind == TableKind::kVirtual) {
      GW_TRY(questions_.ask(AuthAction::kDropVtable, table->name, table->module,
                            questions_.database()));
    } else {
      AuthAction action = wants_view ? (temp ? AuthAction::kDropTempView : AuthAction::kDropView)
                                     : (temp ? AuthAction::kDropTempTable : AuthAction::kDropTable);
      GW_TRY(questions_.ask(action, table->name, {}, questions_.database()));
    }
    GW_TRY(questions_.ask(AuthAction::kDelete, table->name, {}, questions_.database()));
    for (const Trigger* trigger : table->triggers) GW_TRY(drop_trigger(*trigger, *table));
    if (table->autoincrement) {
      GW_TRY(questions_.ask(AuthAction::kDelete, "sqlite_sequence", {}, questions_.database()));
      GW_TRY(questions_.read("sqlite_sequence", "name"));
    }
    GW_TRY(questions_.schema_row(AuthAction::kDelete));
    GW_TRY(questions_.read_column("tbl_name"));
    GW_TRY(questions_.read_column("type"));
    if (table->kind != TableKind::kTable) return Status();
    GW_TRY(questions_.move_root());
    for (const Index* index : table->indexes) {
      if (index != table->primary_index) GW_TRY(questions_.move_root());
    }
    return Status();
  }

  Status drop_index(const ast::DropStatement& drop) {
    const Index* index = find_index(drop.name.schema.text, drop.name.table.text);
    if (index == nullptr) return Status();
    GW_TRY(questions_.schema_row(AuthAction::kDelete));
    GW_TRY(questions_.ask(
        questions_.is_temp() ? AuthAction::kDropTempIndex : AuthAction::kDropIndex, index->name,
        index->table->name, questions_.database()));
    GW_TRY(questions_.schema_row(AuthAction::kDelete));
    GW_TRY(questions_.read_column("name"));
    GW_TRY(questions_.read_column("type"));
    return questions_.move_root();
  }

  Status drop_named_trigger(const ast::DropStatement& drop) {
    const Trigger* trigger = find_object<Trigger>(
        drop.name.schema.text, drop.name.table.text,
        [](const Schema& schema, std::string_view name) { return schema.find_trigger(name); });
    if (trigger == nullptr) return Status();
    const Table* table = find_table({{}, trigger->definition->table.table});
    questions_.set_database(trigger->database);
    return table == nullptr ? Status() : drop_trigger(*trigger, *table);
  }

  Status drop_trigger(const Trigger& trigger, const Table& table) {
    GW_TRY(questions_.ask(
        questions_.is_temp() ? AuthAction::kDropTempTrigger : AuthAction::kDropTrigger,
        trigger.name, table.name, questions_.database()));
    GW_TRY(questions_.schema_row(AuthAction::kDelete));
    GW_TRY(questions_.schema_row(AuthAction::kDelete));
    GW_TRY(questions_.read_column("name"));
    return questions_.read_column("type");
  }

  // Every table, or those of one database, or one.
  template <typename F>
  Status for_each_table(const ast::Name& first, const ast::Name& second, F f) {
    const auto& databases = connection_->databases();
    int only = -1;
    std::string_view table_name;
    if (second.present()) {
      only = connection_->find_database(first.text);
      table_name = second.text;
    } else if (first.present()) {
      only = connection_->find_database(first.text);
      if (only < 0) table_name = first.text;
    }
    for (size_t i = 0; i < databases.size(); ++i) {
      if (databases[i].schema == nullptr || databases[i].btree == nullptr) continue;
      if (only >= 0 && static_cast<int>(i) != only) continue;
      if (only < 0 && !first.present() && i == Connection::kTemp) continue;
      questions_.set_database(static_cast<int>(i));
      for (const auto& [name, table] : databases[i].schema->tables) {
        bool named = table_name.empty() || names_equal(table->name, table_name);
        if (named && table->kind == TableKind::kTable) GW_TRY(f(*table, table_name));
      }
    }
    return Status();
  }

  Status analyze(const ast::AnalyzeStatement& analyze) {
    return for_each_table(analyze.first, analyze.second, [&](const Table& table, std::string_view) {
      if (table.name.starts_with("sqlite_")) return Status();
      return questions_.ask(AuthAction::kAnalyze, table.name, {}, questions_.database());
    });
  }

  Status reindex(const ast::ReindexStatement& reindex) {
    std::string_view name = reindex.second.present() ? reindex.second.text : reindex.first.text;
    std::string_view schema;
    if (reindex.second.present()) schema = reindex.first.text;
    if (!name.empty()) {
      if (const Index* index = find_index(schema, name)) {
        return questions_.ask(AuthAction::kReindex, index->name, {}, questions_.database());
      }
    }
    return for_each_table(reindex.first, reindex.second, [&](const Table& table, std::string_view) {
      for (const Index* index : table.indexes) {
        GW_TRY(questions_.ask(AuthAction::kReindex, index->name, {}, questions_.database()));
      }
      return Status();
    });
  }

  Connection* connection_;
  Questions questions_;
};

}  // namespace

Result<bool> authorize_statement(const CompileInput& input) {
  if (input.connection->authorizer() == nullptr) return false;
  return StatementAuthorization(input).run(*input.parsed->statement);
}

}  // namespace godwit
