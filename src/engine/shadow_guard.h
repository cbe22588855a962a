// SQLITE_DBCONFIG_DEFENSIVE: only the modules themselves may change the tables where virtual tables keep
// their content.
#pragma once

#include "catalog/schema.h"
#include "engine/connection.h"

namespace godwit {

// Statements that a module prepares are within another one that runs.
inline bool is_protected_shadow(Connection* connection, const Schema& schema, std::string_view name) {
  if (!connection->settings.defensive || connection->active_statements() > 0) return false;
  return connection->virtual_tables().is_shadow_name(schema, name);
}

inline bool is_protected_shadow(Connection* connection, const Table& table) {
  if (table.kind != TableKind::kTable) return false;
  const Schema& schema = *connection->databases()[static_cast<size_t>(table.database)].schema;
  return is_protected_shadow(connection, schema, table.name);
}

}  // namespace godwit
