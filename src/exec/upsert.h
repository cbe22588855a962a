// INSERT ... ON CONFLICT DO UPDATE: the row that is in the way is updated in the place of the insert.
// The update resolves its own constraints by ABORT, whatever the statement's OR clause is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/expression.h"
#include "exec/table_writer.h"
#include "plan/bound_dml.h"

namespace godwit {

class UpsertUpdate {
 public:
  static Result<std::unique_ptr<UpsertUpdate>> make(const BoundUpsert& clause,
                                                    ExecContext* context, OuterRow* outer);

  void set_log(RowLog* log) { writer_->set_log(log); }

  Status open() { return writer_->open(); }
  void close() { writer_->close(); }

  // Updates the row `rowid` / `values`, if the clause's WHERE holds; `excluded` is the row that was
  // to be inserted. False: it does not hold.
  Result<bool> update(Rowid rowid, std::span<const ValueView> values,
                      std::span<const ValueView> excluded, Rowid excluded_rowid);
  // The update gives the row another rowid, or fires triggers, which may do anything.
  bool may_change_rowids() const { return assigns_rowid_ || clause_->write->triggers != nullptr; }

 private:
  UpsertUpdate() = default;
  Status compile(ExecContext* context, OuterRow* outer);
  void show(size_t first, std::span<const ValueView> values, Rowid rowid);

  const BoundUpsert* clause_ = nullptr;
  std::unique_ptr<TableWriter> writer_;
  std::vector<std::unique_ptr<Expression>> expressions_;  // of the assigned columns
  std::unique_ptr<Expression> where_;
  bool assigns_rowid_ = false;
  // Layout: the columns of the row and its rowid, then the same of the excluded one.
  std::vector<ColumnRef> layout_columns_;
  std::vector<Vector> vectors_;
  Chunk chunk_;
  std::vector<ValueView> assigned_, new_values_;
  Arena bytes_;
};

}  // namespace godwit
