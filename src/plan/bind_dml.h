// Binding of INSERT, UPDATE and DELETE.
#pragma once

#include "plan/binder.h"
#include "plan/bound_dml.h"

namespace godwit {

// All trees live in `arena` (the one of the binder's context). Errors in SQLite's words; what is not
// executed yet (triggers, RETURNING, UPSERT, foreign key actions) is kError "not implemented: ...".
// `sql`: the statement's text.
struct DmlContext {
  Binder* binder = nullptr;
  Arena* arena = nullptr;
  const Catalog* catalog = nullptr;
  bool foreign_keys = false;  // enforcement is asked for
  bool writable_schema = false;
};

Result<BoundInsert*> bind_insert(const DmlContext& context, const ast::InsertStatement& insert);
Result<BoundUpdate*> bind_update(const DmlContext& context, const ast::UpdateStatement& update);
Result<BoundDelete*> bind_delete(const DmlContext& context, const ast::DeleteStatement& remove);

}  // namespace godwit
