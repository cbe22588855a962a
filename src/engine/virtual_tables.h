// The modules and virtual tables of a connection.
//
// A virtual table is connected when a statement first names it, and stays so until its schema object
// goes. There are three kinds: those of CREATE VIRTUAL TABLE, of modules of the application; tables
// under the names of modules (eponymous ones), of the application or built in, dbstat and sqlite_dbpage
// among them; and pragma_NAME for pragmas that give rows.
//
// Statements hold the tables that they use (Collector), so that a table whose object goes while a
// statement is compiled for it is disconnected when the statement is compiled anew or ends.
//
// Transactions. A table that is written takes part from its first write: begin(), then marks
// (savepoint, release, rollback_to) with the number of open savepoints and statement marks, then
// sync() and commit(), or rollback().
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "catalog/schema.h"
#include "function/virtual_table.h"

namespace godwit {

class Connection;
struct PragmaDefinition;

class VirtualTables {
 public:
  struct Instance {
    std::shared_ptr<const Table> schema_table;  // null: there is no CREATE VIRTUAL TABLE
    std::shared_ptr<Table> table;               // with its columns
    std::shared_ptr<VirtualModule> module;      // null: built in
    std::unique_ptr<VirtualTable> code;
    int savepoints = 0;  // that the table was told of, while it is written
  };
  using Instances = std::vector<std::shared_ptr<Instance>>;

  // While one exists, the tables that are found are added to *instances.
  class Collector {
   public:
    Collector(VirtualTables* tables, Instances* instances)
        : tables_(tables), outer_(tables->collected_) {
      tables->collected_ = instances;
    }
    ~Collector() { tables_->collected_ = outer_; }

   private:
    VirtualTables* tables_;
    Instances* outer_;
  };

  explicit VirtualTables(Connection* connection) : connection_(connection) {}

  // --- Modules
  // Replaces the one of the same name. Null: removes it.
  void set_module(std::string_view name, std::shared_ptr<VirtualModule> module);
  std::vector<std::string> module_names() const;  // of the application
  // Also those of built-in modules that were used so far. Sorted.
  std::vector<std::string> names() const;
  // `name` is TABLE_suffix, where the content of a virtual table of this schema is.
  bool is_shadow_name(const Schema& schema, std::string_view name) const;

  // --- Tables
  // A table under a module's name. Null: none.
  Result<const Table*> find(std::string_view name);
  // The table, of kind kVirtual, with its columns; connects it. Errors: "no such module: x", and those
  // of the module.
  Result<const Table*> describe(const Table& table);
  // The code behind a table of find() or describe().
  Result<VirtualTable*> code_of(const Table& table);
  // Of a table that is in the schema by now: CREATE VIRTUAL TABLE.
  Status create(const Table& table);
  // Of a table that is being dropped. Its instance must be held.
  Status destroy(const std::shared_ptr<Instance>& instance);
  // DROP TABLE statements whose virtual table is being destroyed: what it drops itself has no other
  // reader in them.
  int destroying() const { return destroying_; }
  Result<std::shared_ptr<Instance>> connect(const Table& table);
  // The table that a module declares.
  Result<std::shared_ptr<Table>> build(std::string declaration) const;
  // Disconnects those that are in no schema any more.
  void drop_stale();
  void disconnect_all();

  // --- Transactions
  Status begin(VirtualTable* table, int open_savepoints);
  Status sync();
  void commit();
  void rollback();
  // `number`: of the mark, from 0.
  Status savepoint(int number);
  Status release(int number);
  Status rollback_to(int number);

 private:
  Result<std::shared_ptr<Instance>> make(std::shared_ptr<const Table> table, bool create);
  Result<const Table*> add_eponymous(std::string_view name, DeclaredTable declared,
                                     std::shared_ptr<VirtualModule> module);
  std::shared_ptr<const Table> owner_of(const Table& table) const;
  const std::shared_ptr<Instance>& note(const std::shared_ptr<Instance>& instance);

  Connection* connection_;
  std::map<std::string, std::shared_ptr<VirtualModule>, NameLess> modules_;
  Instances instances_;
  Instances written_;  // by the open transaction
  Instances* collected_ = nullptr;
  std::vector<const Table*> being_made_;
  int destroying_ = 0;
};

// dbstat_module.cc, dbpage_module.cc
inline constexpr std::string_view kDbstatDeclaration =
    "CREATE TABLE x(name TEXT,path TEXT,pageno INTEGER,pagetype TEXT,ncell INTEGER,payload INTEGER,"
    "unused INTEGER,mx_payload INTEGER,pgoffset INTEGER,pgsize INTEGER,schema TEXT HIDDEN,"
    "aggregate BOOLEAN HIDDEN)";
inline constexpr std::string_view kDbpageDeclaration =
    "CREATE TABLE x(pgno INTEGER PRIMARY KEY,data BLOB,schema HIDDEN)";
std::unique_ptr<VirtualTable> make_dbstat_table(Connection* connection);
std::unique_ptr<VirtualTable> make_dbpage_table(Connection* connection);

// pragma_module.cc
std::string pragma_table_declaration(const PragmaDefinition& pragma);
std::unique_ptr<VirtualTable> make_pragma_table(Connection* connection,
                                                const PragmaDefinition& pragma);

}  // namespace godwit
