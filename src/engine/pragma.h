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
  bool argument_is_quoted;
  std::vector<std::vector<Value>>* rows;
  Status* after_rows;  // an error that comes when all rows were read

  void add_row(std::vector<Value> row) { rows->push_back(std::move(row)); }
  void add_text(std::string_view text) { add_row({Value(ValueView::of_text(text))}); }
  void add_integer(int64_t value) { add_row({Value(ValueView::of(value))}); }
  AttachedDatabase& attached() {
    return connection->databases()[static_cast<size_t>(database)];
  }
  // Null for the temp database before its first use.
  Btree* btree() { return attached().btree.get(); }
  // The table that the argument names, in the schema if one was named; null: there is none.
  const Table* argument_table() const {
    std::string_view schema = has_schema
        ? std::string_view(connection->databases()[static_cast<size_t>(database)].name)
        : std::string_view();
    return connection->catalog().find_table(schema, argument);
  }
};

// Values of result rows.
inline Value text(std::string_view t) { return Value(ValueView::of_text(t)); }
inline Value number(int64_t i) { return Value(ValueView::of(i)); }

// When the transaction must have been begun before the function runs.
enum class PragmaNeeds : uint8_t {
  kNothing,
  kRead,            // a snapshot
  kWrite,           // a write transaction
  kWriteIfArgument  // kRead to ask, kWrite to set
};

// The virtual table pragma_NAME that a pragma is.
namespace pragma_table {
inline constexpr uint8_t kNone = 0;
inline constexpr uint8_t kPlain = 1;
inline constexpr uint8_t kArgument = 2;  // hidden column arg
inline constexpr uint8_t kSchema = 4;    // hidden column schema
}  // namespace pragma_table

struct PragmaDefinition {
  std::string_view name;
  PragmaNeeds needs;
  Status (*run)(PragmaCall* call);
  // Result columns; empty: one column of the pragma's name. With `silent_set`, setting gives no rows.
  std::vector<const char*> columns;
  bool silent_set = false;
  uint8_t table = pragma_table::kNone;
  bool gives_empty_rows = false;  // rows without columns
};

// Null: there is none of this name.
const PragmaDefinition* find_pragma(std::string_view name);
const std::vector<PragmaDefinition>& all_pragmas();

// How arguments are understood. Words in any case.
//   level    a text that begins with a digit: its number, of which the low byte counts; else a word:
//            on, yes, true: 1; off, no, false: 0; full: 2, extra: 3; any other: `otherwise`
//   boolean  a level (without full and extra) other than 0
//   integer  the leading 32-bit integer, hexadecimal too; 0 if there is none or it is too large
//   wide     likewise of 64 bits, saturated; *is_integer: the text is nothing else, and fits
int pragma_level(std::string_view text, bool knows_full, int otherwise);
bool pragma_boolean(std::string_view text, bool otherwise = false);
int32_t pragma_integer(std::string_view text);
bool parse_pragma_integer(std::string_view text, int32_t* value);  // false: see integer
int64_t pragma_wide(std::string_view text, bool* is_integer);

// Each gives the definitions of its topic.
std::vector<PragmaDefinition> settings_pragmas();
std::vector<PragmaDefinition> storage_pragmas();
std::vector<PragmaDefinition> schema_pragmas();
std::vector<PragmaDefinition> check_pragmas();
std::vector<PragmaDefinition> memory_pragmas();
std::vector<PragmaDefinition> foreign_key_pragmas();
std::vector<PragmaDefinition> optimize_pragmas();
std::vector<PragmaDefinition> capture_pragmas();

}  // namespace godwit
