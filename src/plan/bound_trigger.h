// Triggers as bound programs.
//
// A program is what one trigger does for one row: its WHEN and the statements of its body, which see
// the row as the columns of two sources, NEW and OLD. It is bound once per statement for each OR
// clause that it runs under, because the clause of the statement that fires a trigger overrides those
// of the statements in it.
#pragma once

#include <span>

#include "plan/bound_dml.h"

namespace godwit {

// One statement of a body; one of these is not null.
struct BoundTriggerStep {
  BoundInsert* insert = nullptr;
  BoundUpdate* update = nullptr;
  BoundDelete* remove = nullptr;
  BoundQuery* query = nullptr;
  // The authorizer wants the statement left out.
  bool is_nothing() const {
    return insert == nullptr && update == nullptr && remove == nullptr && query == nullptr;
  }
};

struct BoundTriggerProgram {
  const Trigger* trigger = nullptr;
  ConflictAction conflict = ConflictAction::kDefault;  // of the statement that fires it
  bool may_recurse = false;                            // PRAGMA recursive_triggers
  const BoundSource* old_row = nullptr;  // null for INSERT
  const BoundSource* new_row = nullptr;  // null for DELETE
  std::span<ColumnRef> columns;          // of these two rows, that the program reads
  BoundExpr* when = nullptr;
  std::span<BoundTriggerStep> steps;
  SourceId next_source = 0;  // for the planner
};

// The triggers of one event on one table, in the order in which they fire.
struct BoundEventTriggers {
  std::span<BoundTriggerProgram*> before;      // INSTEAD OF too
  std::span<BoundTriggerProgram*> after_temp;  // those of the temp database, before RETURNING
  std::span<BoundTriggerProgram*> after;
};

struct BoundTriggers {
  BoundEventTriggers events[3];  // by ast::TriggerEvent
  const BoundEventTriggers& of(ast::TriggerEvent event) const {
    return events[static_cast<size_t>(event)];
  }
};

}  // namespace godwit
