// Finds the triggers that a statement fires, and binds them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "plan/bind_dml.h"
#include "plan/bound_trigger.h"
#include "plan/planner.h"

namespace godwit {

// One for a statement and all the triggers that it may fire. Programs refer to each other (and, where
// triggers are recursive, to themselves), so each is bound once and shared.
class TriggerBinder {
 public:
  TriggerBinder(const BindContext& bind, bool recursive_triggers)
      : bind_(bind), recursive_triggers_(recursive_triggers) {}

  bool recursive_triggers() const { return recursive_triggers_; }

  // Whether an event on `table` fires any. `names`: UPDATE's SET list, for UPDATE OF.
  bool exist(const Table& table, ast::TriggerEvent event,
             std::span<const std::string_view> names) const;
  // Whether any event does.
  bool exist(const Table& table) const;
  // Adds the programs of one event to write->triggers. `conflict`: of the statement.
  Status bind(const DmlContext& context, const Table& table, ast::TriggerEvent event,
              std::span<const std::string_view> names, ConflictAction conflict,
              BoundTableWrite* write);

  // Plans the queries of all programs.
  Status plan(const PlanContext& context);
  // The databases, as bits, that the programs write.
  uint64_t written_databases() const { return written_; }

  // A view as the table that its triggers take it for: the names, affinities and collations of its
  // columns.
  Result<const Table*> describe_view(const Table& view);

 private:
  struct Found {
    std::vector<const Trigger*> temp;   // of the temp database, on a table of another
    std::vector<const Trigger*> local;  // of the table's own database
  };
  Found find(const Table& table, ast::TriggerEvent event,
             std::span<const std::string_view> names) const;
  Result<BoundTriggerProgram*> bind_program(const DmlContext& context, const Trigger& trigger,
                                            const Table& table, ConflictAction conflict);
  Status bind_body(const DmlContext& context, const Table& table, BoundTriggerProgram* program);
  Status bind_step(const DmlContext& context, const ast::Statement& statement,
                   BoundTriggerStep* step);
  void note_write(const BoundTriggerStep& step);

  BindContext bind_;
  bool recursive_triggers_;
  std::vector<BoundTriggerProgram*> programs_;
  std::vector<const Table*> views_;  // described
  uint64_t written_ = 0;
};

// The names in a SET list.
std::vector<std::string_view> assigned_names(std::span<const ast::Assignment> assignments);

}  // namespace godwit
