// The keys with which an access seeks: `column = expr` and `column IN (...)` on leading columns, as
// a sequence of key prefixes for each left row.
//
// A plain key has one value. The members of an IN key are tried as SQLite does: without NULLs and
// duplicates, sorted by the column's collation, backwards where the scan goes backwards. With
// several IN keys the last one varies fastest.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "exec/exec_context.h"
#include "exec/expression.h"
#include "exec/operator.h"
#include "plan/plan_node.h"
#include "value/collation.h"
#include "value/value.h"
#include "vector/vector.h"

namespace godwit {

// How one key is made, beside its SeekKey.
struct SeekKeyColumn {
  const Collation* collation = nullptr;  // never null
  bool descending = false;               // IN members from the largest to the smallest
};

class SeekKeys {
 public:
  // `left`: columns of the left chunks.
  Status prepare(std::span<const SeekKey> keys, std::span<const SeekKeyColumn> columns,
                 std::span<const ColumnRef> left, ExecContext* context, OuterRow* outer);
  void open();
  Status begin_left(const Chunk& left);
  // Starts the prefixes of a row of that chunk.
  Status seek(uint32_t left_row);
  // The next prefix; false: there are no more.
  bool next();
  // The current prefix; values are valid until the next seek().
  std::span<const ValueView> key() const { return key_; }
  // The members of key `i`, if that is taken as a set (its value in key() is NULL).
  std::vector<ValueView> members(size_t i) const {
    std::vector<ValueView> members;
    for (uint32_t member : parts_[i].members) members.push_back(parts_[i].member_values[member]);
    return members;
  }

 private:
  struct Part {
    bool is_tried_in_turn() const { return value == nullptr && !key->as_set; }
    const SeekKey* key = nullptr;
    SeekKeyColumn column;
    std::unique_ptr<Expression> value;  // plain key
    const Vector* values = nullptr;     // of the left chunk
    // IN key.
    std::vector<std::unique_ptr<Expression>> list;
    std::unique_ptr<Operator> query;
    OuterRow query_outer;
    bool depends_on_left = false;       // else the members are found once for a run
    bool depends_on_outer = false;      // else once for an execution
    bool members_known = false;
    uint64_t members_execution = 0;
    std::vector<Value> member_values;
    std::vector<uint32_t> members;      // of member_values, in the order in which they are tried
    size_t next_member = 0;
  };

  Status prepare_in(Part& part, std::span<const ColumnRef> left, OuterRow* outer);
  Status find_members(Part& part, uint32_t left_row);
  Status find_list_members(Part& part, uint32_t left_row);
  Status find_query_members(Part& part, uint32_t left_row);
  void add_member(Part& part, size_t* count, const ValueView& value);

  ExecContext* context_ = nullptr;
  OuterRow* outer_ = nullptr;
  std::span<const ColumnRef> left_columns_;
  const Chunk* left_ = nullptr;
  std::vector<Part> parts_;
  std::vector<ValueView> key_;
  Arena arena_;  // values that affinity had to make, for one left chunk
  bool started_ = false;
  bool exhausted_ = true;
};

}  // namespace godwit
