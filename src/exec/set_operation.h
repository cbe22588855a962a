// UNION, INTERSECT, EXCEPT and ordered UNION ALL: merges two sides that are sorted the same way.
//
// Of rows that are equal one is given: UNION takes it from the right side if that has one, the
// others from the left; on a side the first that came. The right side is first looked at when the left
// has a row (UNION: or none at all), so that it is not run where it cannot matter.
#pragma once

#include <memory>
#include <vector>

#include "base/arena.h"
#include "exec/operator.h"
#include "exec/row_sorter.h"

namespace godwit {

class SetOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const SetNode& node, ExecContext* context,
                                                OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  // One side, and its next row.
  class Side {
   public:
    explicit Side(std::unique_ptr<Operator> child) : child_(std::move(child)) {}
    void rewind();
    void close();
    // Gets rows if there are none; afterwards there is a row unless the side has ended.
    Status load();
    bool ended() const { return ended_; }
    void advance() { ++place_; }
    ValueView value(size_t column) const {
      return chunk_->columns[column]->get(chunk_->selection[place_]);
    }

   private:
    std::unique_ptr<Operator> child_;
    ChunkRamp ramp_;
    const Chunk* chunk_ = nullptr;
    uint32_t place_ = 0;
    bool is_open_ = false;
    bool ended_ = false;
  };

  SetOperator(SetOp operation, ExecContext* context) : operation_(operation), context_(context) {}
  // The side whose row comes next; null: there are no more.
  Status pick(Side** side);
  int compare() const;
  bool repeats(const Side& side) const;
  void keep_previous();

  SetOp operation_;
  ExecContext* context_;
  std::vector<SortKey> keys_;
  std::vector<SortKey> equality_;  // by which rows are equal; empty: none are
  std::unique_ptr<Side> left_, right_;
  std::vector<ColumnBuilder> builders_;
  Chunk output_;
  // The row given last; its bytes are in one of the arenas, those of the chunk in the other or both.
  std::vector<ValueView> previous_;
  bool has_previous_ = false;
  Arena arenas_[2];
  size_t arena_ = 0;
};

}  // namespace godwit
