// Changes of the sqlite_schema table, row by row, through a cursor: no SQL.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "btree/btree.h"

namespace godwit {

class Connection;

struct SchemaEntry {
  std::string_view type;   // table, index, view, trigger
  std::string_view name;
  std::string_view table;  // the table it belongs to; of a table or view itself
  PageNumber root = 0;
  std::string_view sql;    // data() == nullptr: NULL (automatic indexes)
};

// A row of sqlite_schema in memory of its own.
struct SchemaRow {
  std::string type, name, table;
  int64_t root = 0;
  std::string sql;
  bool has_sql = false;
  Rowid rowid = 0;  // as it was read
};

// All functions require a write transaction on `database`. The caller increases the schema cookie
// and reloads.
class SchemaWriter {
 public:
  SchemaWriter(Connection* connection, int database);

  // Before the first object of a new file: writes the schema format and the encoding.
  Status prepare_file();
  Status add(const SchemaEntry& entry);
  // All rows, in order.
  Result<std::vector<SchemaRow>> rows();
  // Calls change(&row) for each row; those for which it gives true are stored anew.
  Status rewrite(const std::function<Result<bool>(SchemaRow*)>& change);
  // Removes the row of the object `name` of that type ("" : any type), or, for `of_table`, every row
  // that belongs to the table `name`.
  Status remove(std::string_view type, std::string_view name);
  Status remove_table(std::string_view name);
  // Drops a tree, and follows the root that auto-vacuum may have moved into its place.
  Status drop_tree(PageNumber root);
  // Gives another name to the rows of sqlite_sequence or sqlite_stat1 whose first column is `from`.
  Status rename_where(std::string_view table, std::string_view from, std::string_view to);
  // Removes the rows of sqlite_sequence (column 0) or sqlite_stat1 (column 0: tbl, 1: idx) whose
  // column is `name`.
  Status remove_where(std::string_view table, int column, std::string_view name);

 private:
  template <typename Matches>
  Status remove_matching(PageNumber root, Matches matches);
  Status change_root(PageNumber from, PageNumber to);
  template <typename Visit>
  Status scan(PageNumber root, Visit visit);

  Connection* connection_;
  int database_;
  Btree& btree_;
};

}  // namespace godwit
