// The columns of a table as changesets count them: without generated ones, and with the rowid as
// column 0, _rowid_, if the table has no primary key.
#pragma once

#include <string>
#include <vector>

#include "base/identifier.h"
#include "sqlite3.h"

namespace godwit::api {

struct TableShape {
  std::vector<std::string> columns;   // in quotes
  std::vector<unsigned char> key;     // per column: its place in the primary key, from 1; 0: none
  std::vector<std::string> defaults;  // expressions

  bool exists() const { return !columns.empty(); }
  // Changes of a table with this key fit: it may have less columns at its end.
  bool takes(const std::vector<unsigned char>& other_key) const;
};

TableShape shape_of_table(sqlite3* db, const std::string& database, const std::string& table);

}  // namespace godwit::api
