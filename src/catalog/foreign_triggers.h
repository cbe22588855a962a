// Triggers of the temp database on tables of other databases. They have no table in their own schema
// to belong to, so the schema table of temp holds them (Table::owned_triggers), in the order in which
// they were made. Triggers on a schema table itself do not exist.
#pragma once

#include <memory>
#include <span>

#include "catalog/schema.h"

namespace godwit {

inline std::span<const std::shared_ptr<Trigger>> foreign_triggers(const Catalog& catalog) {
  constexpr size_t kTemp = 1;
  if (catalog.databases.size() <= kTemp || catalog.databases[kTemp].schema == nullptr) return {};
  const Table* self = catalog.databases[kTemp].schema->find_table("sqlite_temp_master");
  return self != nullptr ? std::span<const std::shared_ptr<Trigger>>(self->owned_triggers)
                         : std::span<const std::shared_ptr<Trigger>>();
}

// Whether a foreign trigger is on `table`.
bool is_trigger_on(const Catalog& catalog, const Trigger& trigger, const Table& table);

}  // namespace godwit
