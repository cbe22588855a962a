// A walk over the rows of an R-Tree that meet constraints. What is still to be looked at waits in a
// queue: boxes by their score (of sqlite3_rtree_query_callback(), else 0), then those nearest to
// the leaves, then in the order of their cells.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "modules/rtree_geometry.h"
#include "modules/rtree_tree.h"

namespace godwit::modules {

// `column operation value`; the letters are those of the plan's text.
struct RtreeConstraint {
  static constexpr char kFalse = '@', kTrue = '?', kEq = 'A', kLe = 'B', kLt = 'C', kGe = 'D',
                        kGt = 'E', kMatch = 'F';
  char operation = kTrue;
  int coordinate = 0;
  double value = 0;
  std::unique_ptr<GeometryCall> call;  // kMatch
};

class RtreeCursor {
 public:
  explicit RtreeCursor(RtreeTree* tree) : tree_(tree) {}

  // All rows that meet the constraints, or the one with a rowid.
  int start(std::vector<RtreeConstraint> constraints);
  int start_at(int64_t rowid);
  int next();
  void finish() { row_.reset(); }
  bool at_end() const { return !row_.has_value(); }
  const RtreeCell& row() const { return *row_; }

 private:
  struct Place {
    std::shared_ptr<const RtreeNode> node;  // null: `cell` is a row
    size_t next_cell = 0;
    RtreeCell cell;
    double score = 0;
    int within = 0;
  };
  using Order = std::tuple<double, int, uint64_t>;  // score, level, number

  int open_node(int64_t number, int level, double score, int within);
  // Whether something may be in the box (a row: is). Gives its score.
  int test(const RtreeCell& cell, int level, double parent_score, int parent_within, double* score,
           int* within);
  int test_call(RtreeConstraint* constraint, const RtreeCell& cell, int level, double parent_score,
                int parent_within, double* score, int* within);
  void push(Order order, Place place);

  RtreeTree* tree_;
  std::vector<RtreeConstraint> constraints_;
  std::map<Order, Place> queue_;
  std::vector<unsigned> queued_;  // by level
  uint64_t pushed_ = 0;
  int top_level_ = 0;  // of the root; its children are one lower, rows 0
  std::optional<RtreeCell> row_;
};

}  // namespace godwit::modules
