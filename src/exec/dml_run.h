// INSERT, UPDATE and DELETE being run: rows from a query, handed one by one to a TableWriter.
//
// Rows are taken from the query in chunks while the table is being changed. Where the query could
// notice (it reads the table otherwise, or by an index), all its rows are copied first (must_buffer).
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "exec/exec_context.h"
#include "exec/query_run.h"
#include "exec/table_writer.h"
#include "plan/bound_dml.h"

namespace godwit {

class DmlRun {
 public:
  virtual ~DmlRun() = default;

  // Does all the work. Requires a write transaction.
  Status run();
  // Ends the run, whatever its state.
  void reset();
  int64_t changes() const { return changes_; }
  ConflictAction failure_action() const { return writer_->failure_action(); }

 protected:
  explicit DmlRun(ExecContext* context) : context_(context) {}
  virtual Status run_all() = 0;
  virtual void close_writers() {}  // those besides writer_
  // Calls visit(values of one row) for every row of the source.
  template <typename Visit>
  Status for_each_row(bool must_buffer, Visit visit);

  ExecContext* context_;
  std::unique_ptr<QueryRun> source_;
  std::unique_ptr<TableWriter> writer_;
  int64_t changes_ = 0;

 private:
  // Copies of all rows, for must_buffer.
  std::vector<ValueView> buffer_;
  Arena buffer_bytes_;
  std::vector<ValueView> row_;
};

// The bound statements, with planned source queries, must outlive the run.
Result<std::unique_ptr<DmlRun>> make_insert(const BoundInsert& insert, ExecContext* context);
Result<std::unique_ptr<DmlRun>> make_update(const BoundUpdate& update, ExecContext* context);
Result<std::unique_ptr<DmlRun>> make_delete(const BoundDelete& remove, ExecContext* context);

}  // namespace godwit
