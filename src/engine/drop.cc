// DROP TABLE, INDEX, VIEW and TRIGGER.
#include <algorithm>

#include "catalog/foreign_triggers.h"
#include "engine/body_ddl.h"
#include "engine/shadow_guard.h"
#include "exec/dml_run.h"
#include "plan/bind_foreign_key.h"

namespace godwit {

namespace {

class DropBody final : public SchemaBody {
 public:
  DropBody(Connection* connection, int database, ast::DropKind kind, std::string name,
           std::unique_ptr<DmlRun> implicit_delete)
      : SchemaBody(connection, database), kind_(kind), name_(std::move(name)),
        implicit_delete_(std::move(implicit_delete)) {
    bool of_table = kind == ast::DropKind::kTable || kind == ast::DropKind::kView;
    if (of_table && !foreign_triggers(connection->catalog()).empty()) {
      reads_ |= uint64_t{1} << Connection::kTemp;
      writes_ |= uint64_t{1} << Connection::kTemp;
    }
  }

  void set_virtual_table(std::shared_ptr<VirtualTables::Instance> instance) {
    virtual_table_ = std::move(instance);
  }

 protected:
  Status change(SchemaWriter* writer) override {
    const Schema& schema = *connection_->databases()[static_cast<size_t>(database_)].schema;
    // Other statements that run may be reading the pages that become free.
    const bool frees_pages = (kind_ == ast::DropKind::kTable || kind_ == ast::DropKind::kIndex) &&
                             virtual_table_ == nullptr;
    const int own_readers = 1 + connection_->virtual_tables().destroying();
    if (frees_pages && connection_->active_readers() > own_readers) return Status(code::kLocked);
    switch (kind_) {
      case ast::DropKind::kTable: return drop_table(writer, *schema.find_table(name_));
      case ast::DropKind::kIndex: return drop_index(writer, *schema.find_index(name_));
      case ast::DropKind::kView:
        GW_TRY(drop_foreign_triggers(*schema.find_table(name_)));
        return writer->remove_table(name_);
      case ast::DropKind::kTrigger: return writer->remove("trigger", name_);
    }
    return Status();
  }

 private:
  // Triggers that the temp database has on a table or view of another one.
  Status drop_foreign_triggers(const Table& table) {
    if (database_ == Connection::kTemp) return Status();
    std::vector<std::string> names;
    for (const auto& trigger : foreign_triggers(connection_->catalog())) {
      if (is_trigger_on(connection_->catalog(), *trigger, table)) names.push_back(trigger->name);
    }
    if (names.empty()) return Status();
    SchemaWriter writer(connection_, Connection::kTemp);
    for (const std::string& name : names) GW_TRY(writer.remove("trigger", name));
    GW_TRY(connection_->bump_schema_cookie(Connection::kTemp));
    return connection_->reload_schema(Connection::kTemp);
  }

  // Foreign keys see the rows go. A violation of an immediate key is noticed before the schema
  // changes; one of a deferred key, when the transaction ends.
  Status delete_rows(const Table& table) {
    ForeignKeyCounters& counters = *connection_->foreign_key_counters();
    if (!is_parent(connection_->catalog(), table)) {
      bool is_deferred = std::ranges::any_of(
          table.foreign_keys, [&](const ForeignKey& key) { return key.deferred || counters.defer_all; });
      if (!is_deferred) return Status();
      if (counters.may_commit()) {
        connection_->set_changes(0);
        return Status();
      }
    }
    connection_->set_changes(0);
    const ForeignKeyCounters before = counters;
    counters.statement = 0;
    Status status = implicit_delete_->run();
    implicit_delete_->reset();
    bool sound = counters.statement <= 0 && (!connection_->autocommit() || counters.may_commit());
    if (status.ok() && !sound) {
      status = Status(code::kConstraintForeignKey, "FOREIGN KEY constraint failed");
    }
    if (status.ok()) {
      connection_->set_changes(implicit_delete_->changes());
      connection_->add_total_changes(implicit_delete_->changes());
    } else {
      counters = before;
    }
    counters.statement = before.statement;
    return status;
  }

  Status drop_table(SchemaWriter* writer, const Table& table) {
    if (implicit_delete_ != nullptr) GW_TRY(delete_rows(table));
    GW_TRY(drop_foreign_triggers(table));
    GW_TRY(writer->remove_where("sqlite_sequence", 0, table.name));
    GW_TRY(writer->remove_where("sqlite_stat1", 0, table.name));
    GW_TRY(writer->remove_table(table.name));
    if (table.kind == TableKind::kVirtual) {
      return connection_->virtual_tables().destroy(virtual_table_);
    }
    std::vector<PageNumber> roots = {table.root};
    for (const Index* index : table.indexes) {
      if (index != table.primary_index) roots.push_back(index->root);
    }
    // Largest first: auto-vacuum moves the last root of the file into a gap, and that must not be
    // one that is still to be dropped.
    std::sort(roots.rbegin(), roots.rend());
    for (PageNumber root : roots) GW_TRY(writer->drop_tree(root));
    return Status();
  }

  Status drop_index(SchemaWriter* writer, const Index& index) {
    GW_TRY(writer->remove_where("sqlite_stat1", 1, index.name));
    GW_TRY(writer->remove("index", index.name));
    return writer->drop_tree(index.root);
  }

  ast::DropKind kind_;
  std::string name_;
  std::unique_ptr<DmlRun> implicit_delete_;  // DROP TABLE; may be null
  std::shared_ptr<VirtualTables::Instance> virtual_table_;  // DROP TABLE of one
};

const char* kind_name(ast::DropKind kind) {
  switch (kind) {
    case ast::DropKind::kTable: return "table";
    case ast::DropKind::kIndex: return "index";
    case ast::DropKind::kView: return "view";
    case ast::DropKind::kTrigger: return "trigger";
  }
  return "";
}

Status check_table_kind(const Table& table, ast::DropKind kind) {
  bool is_view = table.kind == TableKind::kView;
  if (kind == ast::DropKind::kTable && is_view) {
    return Status::error("use DROP VIEW to delete view " + table.name);
  }
  if (kind == ast::DropKind::kView && !is_view) {
    return Status::error("use DROP TABLE to delete table " + table.name);
  }
  // Statistics may be dropped, other system tables not.
  bool is_stat = table.name.size() > 11 && names_equal(table.name.substr(0, 11), "sqlite_stat");
  if (table.is_system && !is_stat) {
    return Status::error("table " + table.name + " may not be dropped");
  }
  return Status();
}

// The database of the object to drop; -1: there is none.
Result<int> find_object(Connection* connection, const ast::DropStatement& drop,
                        std::string_view schema) {
  const Catalog& catalog = connection->catalog();
  std::string_view name = drop.name.table.text;
  switch (drop.object) {
    case ast::DropKind::kTable:
    case ast::DropKind::kView: {
      const Table* table = catalog.find_table(schema, name);
      if (table == nullptr) {
        GW_ASSIGN(table, connection->virtual_tables().find(name));
        if (table == nullptr) return -1;
        return Status::error("table " + table->name + " may not be dropped");
      }
      GW_TRY(check_table_kind(*table, drop.object));
      if (is_protected_shadow(connection, *table)) {
        return Status::error("table " + table->name + " may not be dropped");
      }
      return table->database;
    }
    case ast::DropKind::kIndex: {
      const Index* index = catalog.find_index(schema, name);
      if (index == nullptr) return -1;
      if (index->origin != Index::Origin::kCreate) {
        return Status::error(
            "index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped");
      }
      return index->table->database;
    }
    case ast::DropKind::kTrigger: {
      const Trigger* trigger = catalog.find_trigger(schema, name);
      return trigger == nullptr ? -1 : trigger->database;
    }
  }
  return -1;
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_drop(const CompileInput& input,
                                                    const ast::DropStatement& drop) {
  std::string_view schema = drop.name.schema.present() ? drop.name.schema.text : "";
  GW_ASSIGN(int database, find_object(input.connection, drop, schema));
  if (database < 0) {
    if (drop.if_exists) {
      const int named = input.connection->find_database(schema);
      return empty_body(schema.empty() ? all_databases(input.connection)
                        : named < 0    ? 0
                                       : uint64_t{1} << named);
    }
    std::string full = schema.empty() ? "" : std::string(schema) + ".";
    return Status::error(std::string("no such ") + kind_name(drop.object) + ": " + full +
                         std::string(drop.name.table.text));
  }
  std::unique_ptr<DmlRun> implicit_delete;
  if (drop.object == ast::DropKind::kTable) {
    const Table* table = input.connection->databases()[static_cast<size_t>(database)]
                             .schema->find_table(drop.name.table.text);
    GW_ASSIGN(implicit_delete, compile_implicit_delete(input, *table));
  }
  auto body = std::make_unique<DropBody>(input.connection, database, drop.object,
                                         std::string(drop.name.table.text),
                                         std::move(implicit_delete));
  if (drop.object == ast::DropKind::kTable) {
    const Table& table = *input.connection->databases()[static_cast<size_t>(database)]
                              .schema->find_table(drop.name.table.text);
    if (table.kind == TableKind::kVirtual) {
      GW_ASSIGN(auto instance, input.connection->virtual_tables().connect(table));
      body->set_virtual_table(std::move(instance));
    }
  }
  return std::unique_ptr<StatementBody>(std::move(body));
}

}  // namespace godwit
