#include "modules/rtree_cursor.h"

#include <algorithm>

namespace godwit::modules {

namespace {

bool holds(const RtreeConstraint& constraint, double value) {
  switch (constraint.operation) {
    case RtreeConstraint::kTrue: return true;
    case RtreeConstraint::kEq: return value == constraint.value;
    case RtreeConstraint::kLe: return value <= constraint.value;
    case RtreeConstraint::kLt: return value < constraint.value;
    case RtreeConstraint::kGe: return value >= constraint.value;
    case RtreeConstraint::kGt: return value > constraint.value;
    default: return false;
  }
}

// Whether a box can hold a row whose coordinate meets the constraint: it lies between these bounds.
bool may_hold(const RtreeConstraint& constraint, double low, double high) {
  switch (constraint.operation) {
    case RtreeConstraint::kTrue: return true;
    case RtreeConstraint::kEq: return low <= constraint.value && constraint.value <= high;
    case RtreeConstraint::kLe:
    case RtreeConstraint::kLt: return low <= constraint.value;
    case RtreeConstraint::kGe:
    case RtreeConstraint::kGt: return high >= constraint.value;
    default: return false;
  }
}

}  // namespace

int RtreeCursor::start(std::vector<RtreeConstraint> constraints) {
  constraints_ = std::move(constraints);
  queue_.clear();
  row_.reset();
  RtreeNode root;
  int code = tree_->read(kRootNode, &root);
  if (code != SQLITE_OK) return code;
  top_level_ = root.depth + 1;
  queued_.assign(static_cast<size_t>(top_level_) + 1, 0);
  Place place;
  place.node = std::make_shared<const RtreeNode>(std::move(root));
  place.within = PARTLY_WITHIN;
  push({0, top_level_, 0}, std::move(place));
  return next();
}

int RtreeCursor::start_at(int64_t rowid) {
  constraints_.clear();
  queue_.clear();
  row_.reset();
  int64_t leaf = 0;
  RtreeNode node;
  int code = tree_->find_leaf(rowid, &leaf);
  if (code == SQLITE_OK && leaf != 0) code = tree_->read(leaf, &node);
  if (code != SQLITE_OK || leaf == 0) return code;
  for (const RtreeCell& cell : node.cells) {
    if (cell.id == rowid) row_ = cell;
  }
  return row_.has_value() ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

void RtreeCursor::push(Order order, Place place) {
  ++queued_[static_cast<size_t>(std::get<1>(order))];
  queue_.emplace(order, std::move(place));
}

int RtreeCursor::next() {
  row_.reset();
  while (!queue_.empty()) {
    auto first = queue_.begin();
    const int level = std::get<1>(first->first);
    Place& place = first->second;
    const bool is_row = place.node == nullptr;
    if (is_row) row_ = place.cell;
    if (is_row || place.next_cell >= place.node->cells.size()) {
      --queued_[static_cast<size_t>(level)];
      queue_.erase(first);
      if (is_row) return SQLITE_OK;
      continue;
    }
    const RtreeCell cell = place.node->cells[place.next_cell++];
    double score = 0;
    int within = 0;
    int code = test(cell, level - 1, place.score, place.within, &score, &within);
    if (code != SQLITE_OK) return code;
    if (within == NOT_WITHIN) continue;
    Place found;
    found.cell = cell;
    found.score = score;
    found.within = within;
    if (level > 1) {
      RtreeNode node;
      code = tree_->read(cell.id, &node);
      if (code != SQLITE_OK) return code;
      found.node = std::make_shared<const RtreeNode>(std::move(node));
    }
    push({score, level - 1, ++pushed_}, std::move(found));
  }
  return SQLITE_OK;
}

int RtreeCursor::test(const RtreeCell& cell, int level, double parent_score, int parent_within,
                      double* score, int* within) {
  *score = -1;
  *within = FULLY_WITHIN;
  for (RtreeConstraint& constraint : constraints_) {
    if (constraint.operation == RtreeConstraint::kMatch) {
      int code = test_call(&constraint, cell, level, parent_score, parent_within, score, within);
      if (code != SQLITE_OK) return code;
    } else {
      const double value = cell.coordinate[constraint.coordinate];
      const int low = constraint.coordinate & ~1;
      const bool passes =
          level == 0 ? holds(constraint, value)
                     : may_hold(constraint, cell.coordinate[low], cell.coordinate[low + 1]);
      if (!passes) *within = NOT_WITHIN;
    }
    if (*within == NOT_WITHIN) return SQLITE_OK;
  }
  *score = std::max(*score, 0.0);
  return SQLITE_OK;
}

int RtreeCursor::test_call(RtreeConstraint* constraint, const RtreeCell& cell, int level,
                           double parent_score, int parent_within, double* score, int* within) {
  double coordinates[kMaxCoordinates];
  const int count = tree_->shape().coordinates;
  std::copy(cell.coordinate, cell.coordinate + count, coordinates);
  sqlite3_rtree_query_info& info = constraint->call->info;
  const GeometryFunction& function = *constraint->call->arguments.function;
  if (function.query == nullptr) {
    int is_in = 0;
    // The older structure is the beginning of the newer one.
    int code = function.geometry(reinterpret_cast<sqlite3_rtree_geometry*>(&info), count, coordinates,
                                 &is_in);
    if (is_in == 0) *within = NOT_WITHIN;
    *score = 0;
    return code;
  }
  info.aCoord = coordinates;
  info.nCoord = count;
  info.iLevel = level;
  info.mxLevel = top_level_;
  info.iRowid = cell.id;
  info.anQueue = queued_.data();
  info.rScore = info.rParentScore = parent_score;
  info.eWithin = info.eParentWithin = parent_within;
  int code = function.query(&info);
  *within = std::min(*within, info.eWithin);
  if (info.rScore < *score || *score < 0) *score = info.rScore;
  return code;
}

}  // namespace godwit::modules
