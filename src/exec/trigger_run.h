// Triggers being run. A TableWriter holds a TriggerSet if its table has triggers; the set makes the
// program of a trigger when it first fires, and keeps it.
//
// A program is a list of compiled statements over an outer row: the columns of NEW and OLD. It runs
// under an ExecContext of its own, whose execution number rises with each run, so that subqueries are
// evaluated anew. A trigger that fires itself finds, in the writer of its own statement, a set of its
// own: programs are never entered twice, and there are as many copies as the recursion was deep.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "exec/exec_context.h"
#include "plan/bound_trigger.h"
#include "sql/ast.h"
#include "value/value.h"

namespace godwit {

// A row as triggers see it: all columns of the table, generated ones too.
struct TriggerRow {
  Rowid rowid = 0;
  std::span<const ValueView> values;
};

class TriggerProgram;

class TriggerSet {
 public:
  TriggerSet(const BoundTriggers& bound, ExecContext* context);
  ~TriggerSet();

  bool has_before(ast::TriggerEvent event) const { return !bound_.of(event).before.empty(); }
  bool has(ast::TriggerEvent event) const {
    const BoundEventTriggers& triggers = bound_.of(event);
    return !triggers.before.empty() || !triggers.after_temp.empty() || !triggers.after.empty();
  }
  // The programs that are run from now on must not write the table (TriggerFrame); null: they may.
  void pin(const Table* table) { pinned_ = table; }
  // Run the programs for one row; `old_row` is null for INSERT, `new_row` for DELETE. False: one of
  // them gave the row up by RAISE(IGNORE). After an error, ExecContext::raised of the statement says
  // what becomes of it.
  Result<bool> fire_before(ast::TriggerEvent event, const TriggerRow* old_row,
                           const TriggerRow* new_row);
  Result<bool> fire_after_temp(ast::TriggerEvent event, const TriggerRow* old_row,
                               const TriggerRow* new_row);
  Result<bool> fire_after(ast::TriggerEvent event, const TriggerRow* old_row,
                          const TriggerRow* new_row);

 private:
  Result<bool> fire(std::span<BoundTriggerProgram* const> programs, const TriggerRow* old_row,
                    const TriggerRow* new_row);
  Result<TriggerProgram*> program(const BoundTriggerProgram& bound);

  const BoundTriggers& bound_;
  ExecContext* context_;
  const Table* pinned_ = nullptr;
  std::vector<std::unique_ptr<TriggerProgram>> programs_;
};

}  // namespace godwit
