// foreign_key_list and foreign_key_check.
#include <deque>

#include "engine/body_ddl.h"
#include "engine/pragma.h"
#include "engine/schema_order.h"
#include "engine/statement.h"
#include "exec/foreign_key_parent.h"
#include "plan/bind_foreign_key.h"

namespace godwit {

namespace {

const char* action_name(ForeignKeyAction action) {
  switch (action) {
    case ForeignKeyAction::kRestrict: return "RESTRICT";
    case ForeignKeyAction::kSetNull: return "SET NULL";
    case ForeignKeyAction::kSetDefault: return "SET DEFAULT";
    case ForeignKeyAction::kCascade: return "CASCADE";
    default: return "NO ACTION";
  }
}

// Newest first, as SQLite lists them.
Status foreign_key_list(PragmaCall* call) {
  const Table* table = call->argument_table();
  if (table == nullptr) return Status();
  int64_t id = 0;
  for (auto key = table->foreign_keys.rbegin(); key != table->foreign_keys.rend(); ++key, ++id) {
    for (size_t i = 0; i < key->columns.size(); ++i) {
      Value to = key->parent_columns.empty() ? Value() : text(key->parent_columns[i]);
      call->add_row({number(id), number(static_cast<int64_t>(i)), text(key->parent_table),
                     text(table->columns[static_cast<size_t>(key->columns[i])].name),
                     std::move(to), text(action_name(key->on_update)),
                     text(action_name(key->on_delete)), text(key->match)});
    }
  }
  return Status();
}

// ---- foreign_key_check ------------------------------------------------------------------------------

// A name that means the rowid although the table may have a column of one of the names.
std::string_view rowid_name(const Table& table) {
  for (std::string_view name : {"rowid", "oid", "_rowid_"}) {
    if (table.find_column(name) < 0) return name;
  }
  return "NULL";
}

// The rows of one child table, each against all its keys.
class TableCheck {
 public:
  TableCheck(PragmaCall* call, const Table& table) : call_(call), table_(table) {}

  Status run() {
    Connection* connection = call_->connection;
    for (auto key = table_.foreign_keys.rbegin(); key != table_.foreign_keys.rend(); ++key) {
      const Catalog& catalog = connection->catalog();
      bool is_missing = catalog.databases[static_cast<size_t>(table_.database)].schema->find_table(
                            key->parent_table) == nullptr;
      GW_ASSIGN(const BoundReference* reference,
                resolve_reference(&arena_, catalog, table_, *key, is_missing));
      parents_.emplace_back(*reference);
    }
    GW_ASSIGN(rows_, connection->prepare_internal(query()));
    for (;;) {
      GW_ASSIGN(bool more, rows_->step());
      if (!more) return Status();
      GW_TRY(check_row());
    }
  }

 private:
  std::string query() const {
    std::string sql = "SELECT ";
    sql += table_.without_rowid ? std::string_view("NULL") : rowid_name(table_);
    for (const Column& column : table_.columns) sql += ", " + double_quoted(column.name);
    const AttachedDatabase& db =
        call_->connection->databases()[static_cast<size_t>(table_.database)];
    return sql + " FROM " + double_quoted(db.name) + "." + double_quoted(table_.name) +
           " NOT INDEXED";
  }

  Status check_row() {
    Btree* btree = call_->connection->btree(table_.database);
    for (size_t i = 0; i < parents_.size(); ++i) {
      const BoundReference& reference = parents_[i].reference();
      key_.clear();
      bool has_null = false;
      for (int32_t column : reference.child_columns) {
        key_.push_back(rows_->column(column + 1));
        has_null |= key_.back().is_null();
      }
      if (has_null) continue;
      GW_ASSIGN(bool exists, parents_[i].exists(btree, key_));
      if (exists) continue;
      call_->add_row({text(table_.name), Value(rows_->column(0)),
                      text(reference.key->parent_table), number(static_cast<int64_t>(i))});
    }
    return Status();
  }

  PragmaCall* call_;
  const Table& table_;
  Arena arena_;
  std::deque<ForeignKeyParent> parents_;
  std::unique_ptr<Statement> rows_;
  std::vector<ValueView> key_;
};

Status foreign_key_check(PragmaCall* call) {
  if (call->has_argument) {
    const Table* table = call->argument_table();
    if (table == nullptr) return Status::error("no such table: " + call->argument);
    return table->foreign_keys.empty() ? Status() : TableCheck(call, *table).run();
  }
  std::shared_ptr<const Schema> schema = call->attached().schema;
  GW_ASSIGN(auto tables, tables_in_order(call->connection, static_cast<size_t>(call->database)));
  for (const Table* table : tables) {
    if (!table->foreign_keys.empty()) GW_TRY(TableCheck(call, *table).run());
  }
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> foreign_key_pragmas() {
  using N = PragmaNeeds;
  constexpr uint8_t kBoth = pragma_table::kArgument | pragma_table::kSchema;
  return {
      {"foreign_key_list",
       N::kRead,
       foreign_key_list,
       {"id", "seq", "table", "from", "to", "on_update", "on_delete", "match"},
       false,
       kBoth},
      {"foreign_key_check",
       N::kRead,
       foreign_key_check,
       {"table", "rowid", "parent", "fkid"},
       false,
       kBoth},
  };
}

}  // namespace godwit
