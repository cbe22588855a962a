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
#include "exec/returning.h"
#include "exec/row_sorter.h"
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
  // See TableWriter.
  void fail_foreign_keys_at_once() {
    if (writer_ != nullptr) writer_->fail_foreign_keys_at_once();
  }
  int64_t changes() const { return log_.changes; }
  // RETURNING: moves to the next row of results after run(); false: there are no more.
  bool next_result() { return returning_ != nullptr && returning_->next(); }
  ValueView result(int index) const { return returning_->column(static_cast<size_t>(index)); }
  // What becomes of the statement after run() has failed: what RAISE() or the constraint asks for.
  virtual ConflictAction failure_action() const {
    if (context_->raised != ConflictAction::kDefault) return context_->raised;
    return writer_ != nullptr ? writer_->failure_action() : ConflictAction::kDefault;
  }

 protected:
  DmlRun(ExecContext* context, OuterRow* outer) : context_(context), outer_(outer) {}
  virtual Status run_all() = 0;
  virtual void close_writers() {}  // those besides writer_
  Status prepare_source(const BoundQuery* source);
  Status prepare_writer(const BoundTableWrite& write, ConflictAction conflict);
  Status prepare_returning(const BoundReturning* bound, const Table& table);
  // Rows are visited in the order of the table's key, and of rows with the same key only the last.
  // `by_key`: the source gives the key's columns first, else the columns of the row.
  void set_key_order(const Table& table, bool by_key);
  // Calls visit(values of one row) for every row of the source.
  template <typename Visit>
  Status for_each_row(bool must_buffer, Visit visit) {
    uint32_t columns = source_->column_count();
    if (!key_order_.empty()) {
      GW_TRY(fill_buffer());
      sort_buffer();
      for (uint32_t row : sorted_rows_) {
        GW_TRY(visit(std::span<ValueView>(buffer_.data() + size_t{row} * columns, columns)));
      }
      return Status();
    }
    if (must_buffer) {
      GW_TRY(fill_buffer());
      for (size_t at = 0; at < buffer_.size(); at += columns) {
        GW_TRY(visit(std::span<ValueView>(buffer_.data() + at, columns)));
      }
      return Status();
    }
    row_.resize(columns);
    for (;;) {
      GW_ASSIGN(bool more, source_->step());
      if (!more) return Status();
      for (uint32_t i = 0; i < columns; ++i) row_[i] = source_->column(i);
      GW_TRY(visit(std::span<ValueView>(row_)));
    }
  }

  ExecContext* context_;
  OuterRow* outer_;  // NEW and OLD, in a trigger; else null
  RowLog log_;
  std::unique_ptr<QueryRun> source_;
  std::unique_ptr<TableWriter> writer_;  // null: of a view, where triggers do the work
  std::unique_ptr<Returning> returning_;  // null: no such clause

 private:
  Status fill_buffer();
  void sort_buffer();

  // Copies of all rows, for must_buffer.
  std::vector<ValueView> buffer_;
  Arena buffer_bytes_;
  std::vector<SortKey> key_order_;  // empty: as the source gives them
  std::vector<uint32_t> sorted_rows_;
  std::vector<ValueView> row_;
};

// The bound statements, with planned source queries, must outlive the run. `outer`: the rows that a
// trigger's statement sees; null: none.
Result<std::unique_ptr<DmlRun>> make_insert(const BoundInsert& insert, ExecContext* context,
                                            OuterRow* outer = nullptr);
Result<std::unique_ptr<DmlRun>> make_update(const BoundUpdate& update, ExecContext* context,
                                            OuterRow* outer = nullptr);
Result<std::unique_ptr<DmlRun>> make_delete(const BoundDelete& remove, ExecContext* context,
                                            OuterRow* outer = nullptr);

}  // namespace godwit
