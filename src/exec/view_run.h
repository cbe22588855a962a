// INSERT, UPDATE and DELETE on a view: each row is handed to the INSTEAD OF triggers.
#pragma once

#include <vector>

#include "exec/dml_run.h"

namespace godwit {

class ViewRun : public DmlRun {
 protected:
  ViewRun(const BoundTableWrite& write, ExecContext* context, OuterRow* outer)
      : DmlRun(context, outer), table_(*write.table), triggers_(*write.triggers, context) {}
  // Fires the triggers for one row, then makes its results.
  Status fire(ast::TriggerEvent event, const TriggerRow* old_row, const TriggerRow* new_row);

  const Table& table_;

 private:
  TriggerSet triggers_;
};

class ViewInsertRun final : public ViewRun {
 public:
  ViewInsertRun(const BoundInsert& insert, ExecContext* context, OuterRow* outer)
      : ViewRun(*insert.write, context, outer), insert_(insert) {}
  Status prepare();

 protected:
  Status run_all() override;

 private:
  Status insert_row(std::span<const ValueView> row);

  const BoundInsert& insert_;
  std::vector<ValueView> values_;
};

class ViewUpdateRun final : public ViewRun {
 public:
  ViewUpdateRun(const BoundUpdate& update, ExecContext* context, OuterRow* outer)
      : ViewRun(*update.write, context, outer), update_(update) {}
  Status prepare();

 protected:
  Status run_all() override;

 private:
  Status update_row(std::span<ValueView> row);

  const BoundUpdate& update_;
  std::vector<ValueView> values_;
  Arena bytes_;
};

class ViewDeleteRun final : public ViewRun {
 public:
  ViewDeleteRun(const BoundDelete& remove, ExecContext* context, OuterRow* outer)
      : ViewRun(*remove.write, context, outer), delete_(remove) {}
  Status prepare();

 protected:
  Status run_all() override;

 private:
  const BoundDelete& delete_;
};

}  // namespace godwit
