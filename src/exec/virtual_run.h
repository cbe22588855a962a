// INSERT, UPDATE and DELETE on a virtual table: each row is handed to the table's own update().
//
// A table that supports constraints has its failures resolved by the OR clause here; the others do
// all that is asked for (VirtualChange::conflict), or fail.
#pragma once

#include <vector>

#include "exec/dml_run.h"
#include "function/virtual_table.h"

namespace godwit {

class VirtualRun : public DmlRun {
 public:
  ConflictAction failure_action() const override {
    return failed_constraint_ ? conflict_ : DmlRun::failure_action();
  }

 protected:
  VirtualRun(const BoundTableWrite& write, ConflictAction conflict, ExecContext* context,
             OuterRow* outer)
      : DmlRun(context, outer),
        table_(*write.table),
        code_(*write.virtual_table),
        conflict_(conflict) {}
  // Before the first row.
  Status begin();
  // False: the row was skipped.
  Result<bool> change(VirtualChange change, int64_t* rowid);

  const Table& table_;
  VirtualTable& code_;
  const ConflictAction conflict_;

 private:
  bool failed_constraint_ = false;
};

class VirtualInsertRun final : public VirtualRun {
 public:
  VirtualInsertRun(const BoundInsert& insert, ExecContext* context, OuterRow* outer)
      : VirtualRun(*insert.write, insert.conflict, context, outer), insert_(insert) {}
  Status prepare();

 protected:
  Status run_all() override;

 private:
  Status insert_row(std::span<const ValueView> row);

  const BoundInsert& insert_;
  std::vector<ValueView> values_;
};

class VirtualUpdateRun final : public VirtualRun {
 public:
  VirtualUpdateRun(const BoundUpdate& update, ExecContext* context, OuterRow* outer)
      : VirtualRun(*update.write, update.conflict, context, outer), update_(update) {}
  Status prepare() { return prepare_source(update_.source); }

 protected:
  Status run_all() override;

 private:
  Status update_row(std::span<const ValueView> row);

  const BoundUpdate& update_;
  std::vector<ValueView> values_;
};

class VirtualDeleteRun final : public VirtualRun {
 public:
  VirtualDeleteRun(const BoundDelete& remove, ExecContext* context, OuterRow* outer)
      : VirtualRun(*remove.write, ConflictAction::kDefault, context, outer), delete_(remove) {}
  Status prepare() { return prepare_source(delete_.source); }

 protected:
  Status run_all() override;

 private:
  const BoundDelete& delete_;
};

}  // namespace godwit
