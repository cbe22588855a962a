// Binding of what enforces foreign keys: lookups of parents, scans for children, and the writes that
// are the actions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/bind_dml.h"
#include "plan/planner.h"

namespace godwit {

// One for a statement with all its triggers. Actions write tables that foreign keys with actions refer
// to in turn: each kind of write of a table is bound once, so that circles of tables end.
class ForeignKeyBinder {
 public:
  // `statement`: the binder of the statement itself, not of its triggers. `defers_all`: PRAGMA
  // defer_foreign_keys is on. Without a statement (DROP TABLE), parents that are missing or do not
  // match are no errors.
  ForeignKeyBinder(const BindContext& bind, const Binder* statement, bool defers_all)
      : bind_(bind), binder_(bind), statement_(statement), defers_all_(defers_all) {}

  // Fills the foreign keys of `write`. `may_replace`: REPLACE may remove rows of the table.
  Status bind(const DmlContext& context, BoundTableWrite* write, ast::TriggerEvent event,
              bool may_replace) {
    return bind(context, write, event, may_replace, false);
  }
  // The same for INSERT. `is_alone`: it writes one row and nothing else, so that it can neither break
  // nor mend an immediate key of a child.
  Status bind_insert(const DmlContext& context, BoundTableWrite* write, bool may_replace,
                     bool is_alone) {
    is_alone &= context.binder == statement_ && !defers_all_;
    return bind(context, write, ast::TriggerEvent::kInsert, may_replace, is_alone);
  }
  // DELETE FROM table, without triggers.
  Result<BoundDelete*> bind_delete_all(const Table& table);

  // Plans all queries.
  Status plan(const PlanContext& context);

 private:
  class Binding;
  Status bind(const DmlContext& context, BoundTableWrite* write, ast::TriggerEvent event,
              bool may_replace, bool is_alone);

  BindContext bind_;
  Binder binder_;
  const Binder* statement_;
  bool defers_all_;
  std::vector<BoundQuery*> queries_;
  std::map<std::string, BoundTableWrite*> action_writes_;  // by table, event and columns
};

// Finds the parent of a foreign key. Errors: the parent is missing, or has no key of these columns
// ("foreign key mismatch"); with `ignore_errors` the result is null where the key does not match.
Result<const BoundReference*> resolve_reference(Arena* arena, const Catalog& catalog,
                                                const Table& child, const ForeignKey& key,
                                                bool ignore_errors);

// Whether a table of its database has a foreign key to `table`.
bool is_parent(const Catalog& catalog, const Table& table);

// Whether an event on `table` may change children, which may be rows of the same table.
bool foreign_keys_act(const DmlContext& context, const Table& table, ast::TriggerEvent event);

}  // namespace godwit
