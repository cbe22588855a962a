// The virtual tables of a connection that exist without CREATE VIRTUAL TABLE: those of built-in
// modules under their own names, dbstat and sqlite_dbpage, and pragma_NAME for pragmas that give rows. Each is made when a
// statement first names it, and lives as long as the connection.
#pragma once

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

class TableFunctions {
 public:
  explicit TableFunctions(Connection* connection) : connection_(connection) {}

  // Null: no module has this name.
  Result<const Table*> find(std::string_view name);
  // The code behind a table of find().
  Result<VirtualTable*> code_of(const Table& table) const;
  // Of the modules used so far, sorted.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::shared_ptr<Table> table;
    std::unique_ptr<VirtualTable> code;
  };
  Result<const Table*> add(std::string_view name, std::string declaration,
                           std::unique_ptr<VirtualTable> code);

  Connection* connection_;
  std::vector<Entry> entries_;
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
