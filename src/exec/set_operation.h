// UNION, INTERSECT and EXCEPT: both sides are sorted on all columns and merged.
//
// Of rows that are equal one is given: UNION takes it from the right side if that has one, the
// others from the left; on a side the first that came.
#pragma once

#include <memory>

#include "exec/operator.h"
#include "exec/row_sorter.h"
#include "exec/sort.h"

namespace godwit {

class SetOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const SetNode& node, ExecContext* context,
                                                OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  // One side, and the place of its next group of equal rows.
  struct Side {
    Side(std::unique_ptr<Operator> op, size_t columns, const std::vector<SortKey>& keys)
        : child(std::move(op)), sorter(columns, keys) {}
    std::unique_ptr<Operator> child;
    RowSorter sorter;
    uint32_t place = 0;

    Status collect(ExecContext* context);
    bool at_end() const { return place == sorter.size(); }
    uint32_t row() const { return sorter.row(place); }
    void skip_group();
  };
  struct Picked {
    bool from_right;
    uint32_t row;
  };

  SetOperator(SetOp operation, ExecContext* context) : operation_(operation), context_(context) {}
  bool pick_next(Picked* picked);

  SetOp operation_;
  ExecContext* context_;
  std::unique_ptr<Side> left_, right_;
  bool collected_ = false;
  std::vector<ColumnBuilder> builders_;
  Chunk output_;
};

}  // namespace godwit
