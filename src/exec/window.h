// Window functions: adds the values of calls with OVER to rows that come sorted by partition and
// order.
//
//   child --chunk--> pending_ --rows--> store_ --results computed--> output
//                                 |--given--|--ready--|--not ready--|
//
// Rows stay in the store until the results of all rows of their partition have been given. A row is
// ready when everything its frame may hold is known (WindowLookahead): running totals are given while
// the partition is still being read. Output chunks are views of the store's blocks; the results of
// calls stand beside them at the same rows.
#pragma once

#include <memory>
#include <vector>

#include "exec/column_store.h"
#include "exec/operator.h"
#include "exec/window_call.h"
#include "exec/window_frame.h"

namespace godwit {

class WindowOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const WindowNode& node,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  // An expression over the child's rows: one of its columns, or one to be computed.
  struct Input {
    const BoundExpr* expr = nullptr;
    int slot = -1;
    std::unique_ptr<Expression> expression;
    int stored_in = -1;  // column of the store; negative: not kept
  };
  // A term of PARTITION BY or ORDER BY.
  struct Key {
    size_t input = 0;
    const Collation* collation = nullptr;
  };
  struct Call {
    std::unique_ptr<WindowCall> call;
    int frame = -1;  // in frames_; negative: needs none
    ColumnRef column;
    ColumnBuilder results;
  };
  struct Partition {
    uint32_t first_row = 0;
    uint32_t first_group = 0;  // in groups_
  };
  struct OutputColumn {
    bool is_call = false;
    size_t index = 0;  // of the store's columns or of calls_
  };

  WindowOperator(std::unique_ptr<Operator> child, ExecContext* context)
      : child_(std::move(child)), context_(context) {}
  Status prepare(const WindowNode& node, OuterRow* outer);
  Status prepare_window(const BoundWindow& window, OuterRow* outer);
  Result<size_t> add_input(const BoundExpr& expr, OuterRow* outer);
  Result<size_t> add_stored(const BoundExpr& expr, OuterRow* outer);
  size_t store_input(size_t input);
  void forget();

  Status fill();
  Status next_pending();
  void mark_starts();
  void append_pending(uint32_t count);
  bool is_last_partition_complete() const;
  uint32_t ready_end() const;
  Status give(uint32_t count);
  // *end: a row's failure is deferred_, and the rows before it are good.
  void compute(uint32_t begin, uint32_t* end);

  std::unique_ptr<Operator> child_;
  ExecContext* context_;
  std::span<const ColumnRef> child_columns_;
  std::vector<Input> inputs_;
  std::vector<Key> keys_;  // those of the partition first
  size_t partition_keys_ = 0;
  SortKey order_key_;      // the only ORDER BY term, for RANGE with offsets
  std::vector<size_t> stored_;  // inputs, by column of the store
  std::vector<std::unique_ptr<WindowFrame>> frames_;
  std::vector<Call> calls_;
  std::vector<OutputColumn> output_columns_;
  WindowLookahead calls_lookahead_;
  WindowLookahead lookahead_;  // of this run, frames included

  bool started_ = false;
  bool input_ended_ = false;
  ChunkRamp ramp_;
  // The child's chunk: rows not yet taken into the store, and what begins with each.
  Chunk pending_;
  uint32_t pending_first_ = 0;
  std::vector<const Vector*> values_;       // of inputs_
  std::vector<const Vector*> stored_values_;
  std::vector<uint8_t> starts_;
  std::vector<Value> last_keys_;
  bool has_last_ = false;

  std::unique_ptr<ColumnStore> store_;
  std::vector<uint32_t> groups_;       // the first row of each group of peers
  std::vector<Partition> partitions_;
  uint32_t given_ = 0;
  Status deferred_;          // of the row after those that were given
  size_t partition_at_ = 0;  // of row given_
  size_t group_at_ = 0;
  Arena bytes_;
  std::vector<uint16_t> block_rows_;
  Chunk output_;
};

}  // namespace godwit
