// Enforcement of the foreign keys of one table, as its TableWriter asks for it.
//
// Violations are counted (exec/foreign_key_counters.h) as rows come and go; who runs the statement
// looks at the counters at its end. Actions (CASCADE, SET NULL, SET DEFAULT) run after the parent row
// was changed, through writers of the child tables.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "exec/exec_context.h"
#include "exec/foreign_key_parent.h"
#include "exec/query_run.h"
#include "plan/bound_dml.h"

namespace godwit {

class ActionWriters;
class TableWriter;

// A row of the table, by column. The rowid stands for the column that is its alias.
struct KeyedRow {
  Rowid rowid = 0;
  std::span<const ValueView> values;
};

class ForeignKeys {
 public:
  // `writers` must outlive the result.
  static Result<std::unique_ptr<ForeignKeys>> make(const BoundForeignKeys& keys, const Table& table,
                                                   ExecContext* context, ActionWriters* writers);

  // A row is about to be removed (or replaced: then it is given to count_stored() too, when it is out
  // of the indexes).
  Status count_removed(const KeyedRow& row, const KeyedRow* replacement);
  // A row is about to be stored. `replaced`: the row that it takes the place of, or null.
  Status count_stored(const KeyedRow& row, const KeyedRow* replaced);
  // The row was removed or replaced: runs the actions.
  Status act(const KeyedRow& row, const KeyedRow* replacement);
  void close();

  // A violation of an immediate key is an error at once: nothing else that the statement does could
  // mend it.
  void set_fails_at_once() { fails_at_once_ = true; }

 private:
  struct Children {
    const BoundChildren* bound = nullptr;
    std::unique_ptr<QueryRun> count, keys;
    OuterRow count_outer, keys_outer;
  };

  ForeignKeys(const Table& table, ExecContext* context, ActionWriters* writers)
      : table_(table), context_(context), writers_(writers) {}
  Status add_children(const BoundChildren& bound);
  ValueView value(const KeyedRow& row, int32_t column) const;
  // The key's values of a row; false: one of them is NULL.
  bool child_key(const BoundReference& reference, const KeyedRow& row);
  bool parent_key(const BoundReference& reference, const KeyedRow& row,
                  std::vector<ValueView>* key) const;
  bool is_own_parent(const BoundReference& reference, const KeyedRow& row) const;
  bool is_same_key(const BoundReference& reference, const KeyedRow& a, const KeyedRow& b,
                   bool by_collation) const;
  Result<int64_t> count_children(Children* children, const KeyedRow& row, const KeyedRow& self);
  Status act_on(Children* children, const KeyedRow& row, const KeyedRow* replacement);
  Status change_children(const BoundChildren& bound, std::span<const ValueView> keys,
                         const KeyedRow* replacement);
  Result<bool> change_child(const BoundChildren& bound, TableWriter* writer,
                            std::span<const ValueView> key, const KeyedRow* replacement);

  const Table& table_;
  ExecContext* context_;
  ActionWriters* writers_;
  std::deque<ForeignKeyParent> parents_;
  std::vector<std::unique_ptr<Children>> children_;
  std::vector<ValueView> key_;
  bool fails_at_once_ = false;
};

}  // namespace godwit
