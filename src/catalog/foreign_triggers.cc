#include "catalog/foreign_triggers.h"

namespace godwit {

bool is_trigger_on(const Catalog& catalog, const Trigger& trigger, const Table& table) {
  if (!names_equal(trigger.table, table.name)) return false;
  const ast::Name& schema = trigger.definition->table.schema;
  if (schema.present()) return catalog.find_database(schema.text) == table.database;
  const Table* found = catalog.find_table({}, trigger.table);
  return found != nullptr && found->database == table.database;
}

}  // namespace godwit
