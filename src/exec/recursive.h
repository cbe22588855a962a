// Recursive queries: a queue of rows, each given out and then put through the recursive part, whose
// rows join the queue.
//
// Without ORDER BY rows leave the queue in the order they entered. Two stores take turns: rows of
// `current_` are put through the recursive part, rows of `waiting_` are given out:
//
//   initial part --> waiting_ --given out--> current_ --recursive part--> waiting_ --> ...
//
// Rows are put through only when all waiting ones have been given, so a consumer that stops early
// (LIMIT) stops the recursion. With ORDER BY the queue is a heap, and a row is put through before
// the next one is chosen.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/access_store.h"
#include "exec/column_store.h"
#include "exec/distinct.h"
#include "exec/operator.h"
#include "exec/row_sorter.h"
#include "exec/vector_affinity.h"

namespace godwit {

class RecursiveOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const RecursiveNode& node, ExecContext* context,
                                                OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  RecursiveOperator(ExecContext* context, size_t columns)
      : context_(context), current_(columns), waiting_(columns) {}

  Status start();
  // Adds what `op` gives to waiting_.
  Status run(Operator* op);
  Status put_through(uint32_t begin, uint32_t end);
  Status next_in_order(uint32_t max_rows);
  Status next_of_heap();
  void give(uint32_t row, uint32_t count);

  ExecContext* context_;
  RecursiveQueue queue_;
  std::unique_ptr<Operator> initial_;
  std::vector<std::unique_ptr<Operator>> steps_;
  bool in_batches_ = false;  // several rows may be put through at once
  std::optional<DistinctFilter> distinct_;
  std::vector<SortKey> order_;
  std::vector<std::pair<size_t, RealColumn>> real_columns_;  // by number: columns of REAL affinity
  std::vector<const Vector*> row_columns_;

  bool started_ = false;
  ColumnStore current_, waiting_;
  uint32_t put_through_ = 0;  // rows of current_
  uint32_t given_ = 0;        // rows of waiting_
  ChunkRamp batch_;
  std::vector<uint32_t> heap_;       // rows of waiting_
  bool has_last_ = false;            // ORDER BY: a row was given and not put through yet
  std::vector<uint16_t> block_rows_;
  Chunk output_;
};

}  // namespace godwit
