#include "engine/body_ddl.h"
#include "engine/shadow_guard.h"

namespace godwit {

std::string_view text_to_end(std::string_view sql, const ast::SourceRange& schema_text) {
  std::string_view text = sql.substr(schema_text.offset);
  if (text.ends_with(';')) text.remove_suffix(1);
  return text;
}

Status unknown_database(const CompileInput& input, const ast::Name& name) {
  return Status::error("unknown database " + std::string(name.range.of(input.sql)));
}

Result<int> creation_database(const CompileInput& input, const ast::TableName& name,
                              bool temporary, const char* kind) {
  Connection* connection = input.connection;
  if (temporary) {
    if (name.schema.present() && !names_equal(name.schema.text, "temp")) {
      return Status::error("temporary " + std::string(kind) + " name must be unqualified");
    }
    GW_TRY(connection->open_temp());
    return Connection::kTemp;
  }
  if (!name.schema.present()) return Connection::kMain;
  int database = connection->find_database(name.schema.text);
  if (database < 0) return unknown_database(input, name.schema);
  if (database == Connection::kTemp) GW_TRY(connection->open_temp());
  return database;
}

Status check_new_name(Connection* connection, int database, std::string_view name, bool for_index,
                      bool if_not_exists, bool* exists) {
  *exists = false;
  if (name.size() >= 7 && names_equal(name.substr(0, 7), "sqlite_") &&
      !connection->settings.writable_schema) {
    return Status::error("object name reserved for internal use: " + std::string(name));
  }
  const Schema& schema = *connection->databases()[static_cast<size_t>(database)].schema;
  if (!for_index && is_protected_shadow(connection, schema, name)) {
    return Status::error("object name reserved for internal use: " + std::string(name));
  }
  const Table* table = schema.find_table(name);
  const Index* index = schema.find_index(name);
  std::string text(name);
  if (for_index) {
    if (table != nullptr) return Status::error("there is already a table named " + text);
    if (index == nullptr) return Status();
    *exists = if_not_exists;
    return if_not_exists ? Status() : Status::error("index " + text + " already exists");
  }
  if (table != nullptr) {
    *exists = if_not_exists;
    if (if_not_exists) return Status();
    const char* kind = table->kind == TableKind::kView ? "view " : "table ";
    return Status::error(kind + text + " already exists");
  }
  if (index != nullptr) return Status::error("there is already an index named " + text);
  return Status();
}

Status check_schemas(const CompileInput& input, int database, const char* kind,
                     std::string_view name) {
  if (database == Connection::kTemp) return Status();
  for (const ast::Name& schema : input.parsed->schemas) {
    if (input.connection->find_database(schema.text) == database) continue;
    return Status::error(std::string(kind) + " " + std::string(name) +
                         " cannot reference objects in database " + std::string(schema.text));
  }
  return Status();
}

BuildContext build_context(Connection* connection, int database) {
  BuildContext context;
  context.collations = connection->collation_lookup();
  const Schema& schema = *connection->databases()[static_cast<size_t>(database)].schema;
  context.encoding = schema.encoding;
  context.schema_format = schema.format;
  context.database = database;
  return context;
}

// Any failure after the first change undoes the statement; the schema in memory is only exchanged
// when all is written.
// ALTER as it was said; else an object that is there now is told by its text, one that is gone by a
// DROP. What goes with its table is not told.
void SchemaBody::tell_capture(const std::vector<SchemaRow>& before,
                              const std::vector<SchemaRow>& after) {
  ChangeCapture* capture = connection_->capture();
  if (!repeatable_text_.empty()) {
    SchemaChange altered{database_, repeatable_table_, repeatable_text_, nullptr, nullptr};
    for (const SchemaRow& row : before) {
      const bool is_object = row.type == "table" || row.type == "view";
      if (is_object && names_equal(row.name, repeatable_table_)) altered.before = &row;
    }
    for (const SchemaRow& row : after) {
      if (altered.before != nullptr && row.rowid == altered.before->rowid) altered.after = &row;
    }
    capture->schema_changed(altered);
    return;
  }
  auto is_in = [](const std::vector<SchemaRow>& rows, std::string_view type, const std::string& name) {
    return std::ranges::any_of(rows, [&](const SchemaRow& row) {
      return row.type == type && names_equal(row.name, name);
    });
  };
  for (const SchemaRow& row : before) {
    if (!row.has_sql || is_in(after, row.type, row.name)) continue;
    const bool is_owner = row.type == "table" || row.type == "view";
    if (!is_owner && !is_in(after, "table", row.table) && !is_in(after, "view", row.table)) continue;
    std::string kind = row.type;
    for (char& c : kind) c = static_cast<char>(c - 'a' + 'A');
    const std::string drop = "DROP " + kind + " " + double_quoted(row.name);
    capture->schema_changed({database_, row.table, drop, &row, nullptr});
  }
  for (const SchemaRow& row : after) {
    if (row.has_sql && !is_in(before, row.type, row.name)) {
      capture->schema_changed({database_, row.table, row.sql, nullptr, &row});
    }
  }
}

Status SchemaBody::run() {
  SchemaWriter writer(connection_, database_);
  GW_TRY(writer.prepare_file());
  ChangeCapture* capture = connection_->capture();
  std::vector<SchemaRow> before;
  if (capture != nullptr) {
    GW_ASSIGN(before, writer.rows());
  }
  told_ = false;
  GW_TRY(change(&writer));
  if (capture != nullptr && !told_) {
    GW_ASSIGN(auto after, writer.rows());
    tell_capture(before, after);
  }
  GW_TRY(connection_->bump_schema_cookie(database_));
  GW_TRY(connection_->reload_schema(database_));
  return check_result();
}

namespace {
class EmptyBody final : public ActionBody {
 public:
  explicit EmptyBody(uint64_t reads) { reads_ = reads; }

 protected:
  Status run() override { return Status(); }
};
}  // namespace

namespace {

class StoreTextBody final : public SchemaBody {
 public:
  StoreTextBody(Connection* connection, int database, const SchemaEntry& entry)
      : SchemaBody(connection, database),
        type_(entry.type),
        name_(entry.name),
        table_(entry.table),
        sql_(entry.sql) {}

 protected:
  Status change(SchemaWriter* writer) override {
    return writer->add({type_, name_, table_, 0, sql_});
  }

 private:
  std::string type_, name_, table_, sql_;
};

}  // namespace

std::unique_ptr<StatementBody> store_text(Connection* connection, int database,
                                          const SchemaEntry& entry) {
  return std::make_unique<StoreTextBody>(connection, database, entry);
}

std::unique_ptr<StatementBody> empty_body(uint64_t reads) {
  return std::make_unique<EmptyBody>(reads);
}

Result<std::unique_ptr<StatementBody>> compile_ddl(const CompileInput& input) {
  const ast::Statement& statement = *input.parsed->statement;
  using Kind = ast::StatementKind;
  switch (statement.kind) {
    case Kind::kCreateTable:
      return compile_create_table(input, *statement.as<ast::CreateTableStatement>());
    case Kind::kCreateIndex:
      return compile_create_index(input, *statement.as<ast::CreateIndexStatement>());
    case Kind::kCreateView:
      return compile_create_view(input, *statement.as<ast::CreateViewStatement>());
    case Kind::kCreateTrigger:
      return compile_create_trigger(input, *statement.as<ast::CreateTriggerStatement>());
    case Kind::kDrop:
      return compile_drop(input, *statement.as<ast::DropStatement>());
    case Kind::kCreateVirtualTable:
      return compile_create_virtual_table(input,
                                          *statement.as<ast::CreateVirtualTableStatement>());
    case Kind::kAlterTable:
      return compile_alter_table(input, *statement.as<ast::AlterTableStatement>());
    case Kind::kAnalyze:
      return compile_analyze(input, *statement.as<ast::AnalyzeStatement>());
    case Kind::kReindex:
      return compile_reindex(input, *statement.as<ast::ReindexStatement>());
    default:
      return compile_vacuum(input, *statement.as<ast::VacuumStatement>());
  }
}

}  // namespace godwit
