// One query being run, row by row: what a statement steps through.
//
// A QueryRun owns the operators of a QueryPlan and walks the rows of their chunks. Chunks are asked
// for in growing sizes (ChunkRamp), so a query whose user reads one row computes about one row. That
// chunks are read ahead cannot be seen: the values of the current row stay until the next step(),
// and an error in a later row is reported by the step() that would have given that row.
//
//   make() --> (idle) --step()--> row ... row --step()--> end (operators closed)
//                ^                                          |
//                +--------------- reset() <-----------------+   (from any state)
//
// Run again after reset(), it allocates nothing.
#pragma once

#include <memory>

#include "base/status.h"
#include "exec/exec_context.h"
#include "exec/operator.h"
#include "plan/plan_node.h"
#include "value/value.h"
#include "vector/vector.h"

namespace godwit {

class QueryRun {
 public:
  // `plan` and `context` must outlive the run. `outer`: see make_operator().
  static Result<std::unique_ptr<QueryRun>> make(const QueryPlan& plan, ExecContext* context,
                                                OuterRow* outer = nullptr);
  ~QueryRun() { reset(); }
  QueryRun(const QueryRun&) = delete;
  QueryRun& operator=(const QueryRun&) = delete;

  // Moves to the next row; the first call starts the run. False: no more rows (and the operators
  // are closed; further calls give false again until reset()). After an error, only reset().
  Result<bool> step() {
    if (position_ + 1 < count_) [[likely]] {
      ++position_;
      return true;
    }
    return step_chunk();
  }

  // Column `index` of the current row; bytes stay valid until the next step() or reset().
  ValueView column(uint32_t index) const { return chunk_->columns[index]->get(row()); }
  uint32_t column_count() const { return column_count_; }

  // Whole chunks, for consumers that take all rows (INSERT ... SELECT). Not to be mixed with
  // step() within one run. *chunk is at_end() when there are no more rows.
  Status next_chunk(const Chunk** chunk);

  // Ends the run, whatever its state, and lets go of cursors' pages.
  void reset();

 private:
  QueryRun() = default;
  Result<bool> step_chunk();
  Status fetch();
  uint32_t row() const { return chunk_->selection[position_]; }

  enum class State : uint8_t { kIdle, kRunning, kEnded };

  std::unique_ptr<Operator> root_;
  ExecContext* context_ = nullptr;
  const Chunk* chunk_ = nullptr;
  uint32_t position_ = 0;  // of the current row in the selection of chunk_
  uint32_t count_ = 0;     // rows of chunk_
  uint32_t column_count_ = 0;
  State state_ = State::kIdle;
  ChunkRamp ramp_;
};

}  // namespace godwit
