// Operators: what executes a plan. Each plan node becomes one operator.
//
// Life of an operator:
//
//   make_operator()      open()            next() ... next()            close()
//   (built once per  -->  (positions  -->  (chunks, then an empty  -->  (drops cursors
//    statement)            nothing yet)     one at the end)              and pins)
//        ^                    |  ^                 |                        |
//        |                    |  +---- open() -----+  runs again            |
//        +--------------------+---------------------------------------------+
//
// Rules:
//   1. next() returns a chunk that is valid until the next call of next(), open() or close().
//   2. The consumer says how many rows it can use; an operator returns at most that many and does
//      no work for more. Consumers ramp the number up: 1, 8, 64, 1024 (ChunkRamp).
//   3. Rows come in the order that SQLite would show.
//   4. On the steady path (open, next, close of a prepared statement run again) nothing allocates.
#pragma once

#include <memory>

#include "base/status.h"
#include "exec/exec_context.h"
#include "plan/plan_node.h"
#include "vector/vector.h"

namespace godwit {

// Sizes of successive chunks.
class ChunkRamp {
 public:
  uint32_t next() {
    uint32_t size = size_;
    size_ = size_ >= kChunkRowsMax ? kChunkRowsMax : size_ * 8 > kChunkRowsMax ? kChunkRowsMax : size_ * 8;
    return size;
  }
  void reset() { size_ = 1; }

 private:
  uint32_t size_ = 1;
};

class Operator {
 public:
  virtual ~Operator() = default;
  // Prepares a run; evaluates nothing that could fail for want of a row.
  virtual Status open() = 0;
  // *chunk: never null; at_end() when there are no more rows.
  virtual Status next(uint32_t max_rows, const Chunk** chunk) = 0;
  virtual void close() = 0;
  // Ends a run and prepares the next one of the same execution. What would only be found again may
  // stay: operators over trees keep the positions of their cursors.
  virtual Status reopen() {
    close();
    return open();
  }
};

// Builds the operators of `plan`. `context` and `plan` must outlive them. `outer` gives the columns
// of enclosing queries (null: none).
Result<std::unique_ptr<Operator>> make_operator(const PlanNode& plan, ExecContext* context,
                                                OuterRow* outer);

}  // namespace godwit
