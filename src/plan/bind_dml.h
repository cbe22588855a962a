// Binding of INSERT, UPDATE and DELETE.
#pragma once

#include "plan/binder.h"
#include "plan/bound_dml.h"

namespace godwit {

class ForeignKeyBinder;  // plan/bind_foreign_key.h
class TriggerBinder;     // plan/bind_trigger.h

// All trees live in `arena` (the one of the binder's context). Errors in SQLite's words.
struct DmlContext {
  Binder* binder = nullptr;
  Arena* arena = nullptr;
  const Catalog* catalog = nullptr;
  TriggerBinder* triggers = nullptr;  // null: none is to fire
  // In a trigger: the OR clause of the statement that fires it, which comes before those inside.
  ConflictAction conflict = ConflictAction::kDefault;
  ForeignKeyBinder* foreign_keys = nullptr;  // null: they are not enforced
  bool writable_schema = false;
  bool removes_each_row = false;  // DELETE without WHERE must not empty the table at once
};

inline ConflictAction effective_conflict(const DmlContext& context, ConflictAction own) {
  return context.conflict != ConflictAction::kDefault ? context.conflict : own;
}

// Null: the authorizer wants the statement to do nothing.
Result<BoundInsert*> bind_insert(const DmlContext& context, const ast::InsertStatement& insert);
Result<BoundUpdate*> bind_update(const DmlContext& context, const ast::UpdateStatement& update);
Result<BoundDelete*> bind_delete(const DmlContext& context, const ast::DeleteStatement& remove);

}  // namespace godwit
