// The order in which SQLite goes through the tables of a schema: users see it in the rows of
// PRAGMA table_list and foreign_key_check, and in sqlite_stat1.
#pragma once

#include <vector>

#include "engine/connection.h"

namespace godwit {

// Tables and views of a database, the schema table included, as in an SQLite connection that has read
// the schema from the file. (One that has dropped tables since may have another order.)
Result<std::vector<const Table*>> tables_in_order(Connection* connection, size_t database);

}  // namespace godwit
