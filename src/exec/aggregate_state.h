// The aggregates of one aggregation: their arguments, and their states, group by group.
//
//   make()                                  once per statement
//   create_group()                          for each group as it appears
//   begin_chunk(), then step_...()          for each chunk: arguments are evaluated for all its rows,
//                                           then rows are given to groups
//   finalize()                              values of an aggregate for some groups, once each
//   reset()                                 forgets all groups
//
// The memory of a group:
//
//   | number (4 bytes), was chosen (1 byte), padded to 16 | state of aggregate 0 | state of 1 | ...
//
// FILTER is applied before arguments are evaluated. DISTINCT drops a row whose arguments were seen in
// its group. ORDER BY (which means nothing to min and max) keeps the rows of a group and steps them, sorted, when the group is finalized.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "exec/expression_node.h"
#include "exec/row_key_table.h"
#include "function/function.h"
#include "plan/bound.h"

namespace godwit {

class AggregateSet {
 public:
  // `grouped`: several groups are alive at the same time.
  static Result<std::unique_ptr<AggregateSet>> make(std::span<BoundAggregate* const> aggregates,
                                                    const Layout& layout, ExecContext* context,
                                                    OuterRow* outer, bool grouped);
  ~AggregateSet() { reset(); }
  AggregateSet(const AggregateSet&) = delete;
  AggregateSet& operator=(const AggregateSet&) = delete;

  size_t aggregate_count() const { return aggregates_.size(); }

  // Memory of a new group, valid until reset(). Groups are numbered 0, 1, ...
  void* create_group();
  static uint32_t group_number(const void* group) { return *static_cast<const uint32_t*>(group); }

  // Evaluates filters and arguments; `input` and `selection` must stay as they are until the last
  // step of the chunk.
  Status begin_chunk(const Chunk& input, const Selection& selection);
  // Rows at positions first .. first + count - 1 of the selection belong to `group`.
  Status step_range(void* group, uint32_t first, uint32_t count);
  // The row at position i of the selection belongs to groups[i], for all positions.
  //
  // chosen (may be null; one byte a position): set to 1 where the row gave the last min() or max()
  // aggregate a new value, else 0. That is the row from which bare columns are taken.
  Status step_groups(void* const* groups, uint8_t* chosen = nullptr);

  // result[i] = value of aggregate `index` for groups[i]. Bytes are valid until reset(). *done: how
  // many groups have their value; all, unless there is an error.
  Status finalize(size_t index, std::span<void* const> groups, Vector* result, uint32_t* done);

  void reset();
  size_t bytes_held() const;

 private:
  struct OrderedRow {
    uint32_t next;             // row of the same group; kNone: last
    const ValueView* values;   // arguments, then sort keys
  };
  // The state of an aggregate with ORDER BY starts with the list of its rows.
  struct OrderedList {
    uint32_t first, last;
  };
  struct Aggregate {
    const BoundAggregate* bound = nullptr;
    const AggregateFunction* function = nullptr;
    ExpressionPtr filter;
    std::vector<ExpressionPtr> args;
    std::vector<ExpressionPtr> sort_keys;
    size_t offset = 0;        // of the state in the group
    size_t list_offset = 0;   // of the OrderedList, if ordered()
    std::unique_ptr<RowKeyTable> distinct;
    std::vector<OrderedRow> ordered_rows;
    // Of the chunk: the live rows, and the vectors of arguments and sort keys.
    Selection rows;
    RowBuffer filtered;
    std::vector<const Vector*> vectors;
    bool ordered() const { return !sort_keys.empty(); }
    // DISTINCT, and ORDER BY the argument: of equal rows the last one counts, as in SQLite.
    bool keeps_last_of_equals = false;
    bool extreme() const { return bound->is_min || bound->is_max; }
  };

  AggregateSet(ExecContext* context, bool grouped);
  Status add(const BoundAggregate& bound, const ExpressionCompiler& compiler);
  Status evaluate(Aggregate& aggregate, const Chunk& input, const Selection& selection);

  // Rows of one aggregate with the group of each; `groups` null: all are of `group`.
  struct Rows {
    Selection selection;
    void* const* groups = nullptr;
    void* group = nullptr;
    void* group_of(uint32_t i) const { return groups != nullptr ? groups[i] : group; }
  };
  Status step(Aggregate& aggregate, Rows rows);
  void drop_duplicates(Aggregate& aggregate, Rows* rows);
  void keep_ordered(Aggregate& aggregate, const Rows& rows);
  Status step_choosing(Aggregate& aggregate, const Rows& rows, uint8_t* chosen);
  bool chooses(const Aggregate& aggregate, void* group, uint32_t row);
  // Kept in the group's header, behind its number.
  static char& was_chosen(void* group) { return static_cast<char*>(group)[sizeof(uint32_t)]; }
  Status step_row(Aggregate& aggregate, void* group, std::span<const ValueView> args);
  Status step_sorted(Aggregate& aggregate, void* group);
  void begin_call(const Aggregate& aggregate) {
    call_.begin_call(*aggregate.function, aggregate.bound->collation);
  }
  static void* state_of(const Aggregate& aggregate, void* group) {
    return static_cast<char*>(group) + aggregate.offset;
  }
  Status take_error() { return call_.failed() ? call_.take_status() : Status(); }

  ExecContext* context_;
  bool grouped_;
  std::vector<std::unique_ptr<Aggregate>> aggregates_;
  size_t group_bytes_;
  bool needs_destroy_ = false;
  std::vector<void*> groups_;
  Arena memory_;  // groups, rows of ordered aggregates
  Arena bytes_;   // results
  FunctionContext call_;

  // Of the chunk being stepped.
  Selection selection_;
  // Scratch, one entry a row.
  std::vector<void*> states_;
  std::vector<void*> row_groups_;
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> positions_;
  std::vector<uint16_t> new_rows_;
  std::vector<void*> new_groups_;
  std::vector<ValueView> values_;
  std::vector<const Vector*> key_columns_;
  std::vector<uint32_t> order_;
  Vector group_numbers_;
};

}  // namespace godwit
