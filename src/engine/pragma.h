// Pragmas: a table of names, and one function for each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/compile.h"
#include "engine/connection.h"

namespace godwit {

// One execution of a pragma.
struct PragmaCall {
  Connection* connection;
  int database;          // of PRAGMA schema.name, or main
  bool has_schema;       // the schema was named
  bool has_argument;
  std::string argument;  // unquoted
  std::vector<std::vector<Value>>* rows;

  void add_row(std::vector<Value> row) { rows->push_back(std::move(row)); }
  void add_text(std::string_view text) { add_row({Value(ValueView::of_text(text))}); }
  void add_integer(int64_t value) { add_row({Value(ValueView::of(value))}); }
  AttachedDatabase& attached() {
    return connection->databases()[static_cast<size_t>(database)];
  }
  // Null for the temp database before its first use.
  Btree* btree() { return attached().btree.get(); }
};

// When the transaction must have been begun before the function runs.
enum class PragmaNeeds : uint8_t {
  kNothing,
  kRead,            // a snapshot
  kWrite,           // a write transaction
  kWriteIfArgument  // kRead to ask, kWrite to set
};

struct PragmaDefinition {
  std::string_view name;
  PragmaNeeds needs;
  Status (*run)(PragmaCall* call);
  // Result columns; empty: one column of the pragma's name. With `silent_set`, setting gives no rows.
  std::vector<const char*> columns;
  bool silent_set = false;
};

// "on", "yes", "true" and numbers other than 0 are true.
bool pragma_boolean(std::string_view text);
int64_t pragma_integer(std::string_view text);

// Each gives the definitions of its topic.
std::vector<PragmaDefinition> settings_pragmas();
std::vector<PragmaDefinition> storage_pragmas();
std::vector<PragmaDefinition> schema_pragmas();
std::vector<PragmaDefinition> check_pragmas();

}  // namespace godwit
