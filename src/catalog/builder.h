// From the SQL text of a schema object to the object: one path for loading sqlite_schema and for
// CREATE statements, so that what CREATE accepts is what loading accepts.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "catalog/schema.h"

namespace godwit {

// Finds collations by name: the connection's registry. Null result: there is none.
struct CollationLookup {
  const Collation* (*find)(void* context, std::string_view name) = nullptr;
  void* context = nullptr;
  const Collation* operator()(std::string_view name) const { return find(context, name); }
};

struct BuildContext {
  CollationLookup collations;
  TextEncoding encoding = TextEncoding::kUtf8;
  uint32_t schema_format = 4;
  int database = 0;
  // True for CREATE statements: unknown collations and the like are errors. False while loading:
  // the object is kept, and its use fails.
  bool strict = true;
};

// Builds a table from "CREATE TABLE ..." (not AS SELECT), with its automatic indexes
// (sqlite_autoindex_<table>_<n>), whose roots are 0 until assigned with set_root().
Result<std::shared_ptr<Table>> build_table(std::string sql, const BuildContext& context);
Result<std::shared_ptr<Table>> build_view(std::string sql, const BuildContext& context);
Result<std::shared_ptr<Table>> build_virtual_table(std::string sql, const BuildContext& context);
// The columns of a virtual table, from the "CREATE TABLE x(...)" that its module declares: columns
// with the word HIDDEN in their type are hidden, and the word goes.
Result<std::shared_ptr<Table>> build_declared_table(std::string sql, const BuildContext& context);
// Builds an index on `table` from "CREATE [UNIQUE] INDEX ...". Does not attach it.
Result<std::shared_ptr<Index>> build_index(std::string sql, const Table& table,
                                           const BuildContext& context);
Result<std::shared_ptr<Trigger>> build_trigger(std::string sql, const BuildContext& context);

// Adds an index to a table that is not published yet, in the place where SQLite would keep it:
// newest first, those that REPLACE after all others.
void attach_index(Table* table, std::shared_ptr<Index> index);

// sqlite_schema (or sqlite_temp_schema, for database 1), which describes itself nowhere.
std::shared_ptr<Table> make_schema_table(int database, TextEncoding encoding);

}  // namespace godwit
