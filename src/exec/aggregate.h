// GROUP BY and aggregates.
//
// Groups are numbered as they appear (row_key_table.h). A group has its key (from its first row),
// its aggregate states (aggregate_state.h), and its bare columns: result columns that are neither
// keys nor aggregates. Those are taken from the group's first row, or, if there is a min() or max(),
// from the row that gave the last such aggregate its value.
//
// Groups come out in the order of their keys.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/aggregate_state.h"
#include "exec/column_builder.h"
#include "exec/column_store.h"
#include "exec/expression.h"
#include "exec/operator.h"
#include "exec/row_key_table.h"
#include "exec/row_sorter.h"

namespace godwit {

class AggregateOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const AggregateNode& node,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;
  Status reopen() override;

 private:
  void begin_run();
  AggregateOperator(const AggregateNode& node, std::unique_ptr<Operator> child,
                    ExecContext* context);
  Status prepare(OuterRow* outer);

  void forget_groups();
  void add_group();
  Status collect_chunk();
  Status collect_first_row();
  Status take_chunk(const Chunk& chunk);
  Status take_single(const Chunk& chunk);
  Status take_grouped(const Chunk& chunk);
  void choose_bare_rows(const Chunk& chunk, uint32_t first_new_group);
  Status evaluate(const std::vector<std::unique_ptr<Expression>>& expressions, const Chunk& chunk,
                  std::vector<const Vector*>* values);
  // Groups that no row can join any more.
  uint32_t complete_groups() const;
  // The next *count groups; fewer, if the value of one after them is an error (deferred_).
  Status load_output(uint32_t* count);
  ValueView bare_value(uint32_t group, size_t column) const;

  // Constant after construction.
  const AggregateNode& node_;
  std::unique_ptr<Operator> child_;
  ExecContext* context_;
  std::vector<std::unique_ptr<Expression>> key_expressions_;
  std::vector<std::unique_ptr<Expression>> bare_expressions_;
  std::unique_ptr<Expression> first_row_value_;  // first_row_only: the argument
  bool choosing_ = false;  // bare columns follow a min() or max()

  // Groups, by number.
  std::unique_ptr<AggregateSet> aggregates_;
  RowKeyTable table_;
  RowSorter keys_;
  std::vector<void*> groups_;
  ColumnStore bare_;
  std::vector<Value> chosen_bare_;  // choosing_: bare columns, group after group

  // The chunk at hand.
  std::vector<const Vector*> key_values_, bare_values_;
  std::vector<uint32_t> numbers_;
  std::vector<uint16_t> new_rows_;
  std::vector<void*> row_groups_;
  std::vector<uint8_t> chosen_;

  // Output.
  bool started_ = false;
  bool collected_ = false;
  ChunkRamp ramp_;
  uint32_t given_ = 0;
  Status deferred_;  // of the group after the last one given
  std::vector<uint32_t> output_groups_;
  std::vector<void*> output_states_;
  std::vector<ColumnBuilder> builders_;
  std::vector<Vector> values_;
  Chunk output_;
};

}  // namespace godwit
