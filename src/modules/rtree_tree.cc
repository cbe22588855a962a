#include "modules/rtree_tree.h"

#include <algorithm>
#include <numeric>

namespace godwit::modules {

void RtreeTree::rename(std::string name) {
  name_ = std::move(name);
  for (Statement* stmt : {&read_node_, &write_node_, &delete_node_, &read_leaf_, &write_leaf_,
                          &delete_leaf_, &read_parent_, &write_parent_, &delete_parent_, &insert_rowid_}) {
    stmt->finalize();
  }
}

// `format` has places for the database and the table.
int RtreeTree::prepare(Statement* stmt, const char* format) {
  if (stmt->is_prepared()) return SQLITE_OK;
  return stmt->prepare(db_, formatted(format, database_.c_str(), name_.c_str()));
}

// ---- Tables --------------------------------------------------------------------------------------

int RtreeTree::read(int64_t number, RtreeNode* node) {
  int code = prepare(&read_node_, "SELECT data FROM \"%w\".\"%w_node\" WHERE nodeno = ?1");
  if (code != SQLITE_OK) return code;
  read_node_.bind(1, number);
  bool is_whole = false;
  if (read_node_.next_row()) is_whole = node->decode(read_node_.blob(0), shape_);
  code = read_node_.reset();
  node->number = number;
  return code != SQLITE_OK || is_whole ? code : SQLITE_CORRUPT_VTAB;
}

int RtreeTree::get(int64_t number, RtreeNode** node) {
  auto known = changed_.find(number);
  if (known == changed_.end()) {
    RtreeNode fresh;
    int code = read(number, &fresh);
    if (code != SQLITE_OK) return code;
    known = changed_.emplace(number, std::move(fresh)).first;
  }
  *node = &known->second;
  return SQLITE_OK;
}

int RtreeTree::find_leaf(int64_t rowid, int64_t* leaf) {
  *leaf = 0;
  int code = prepare(&read_leaf_, "SELECT nodeno FROM \"%w\".\"%w_rowid\" WHERE rowid = ?1");
  if (code != SQLITE_OK) return code;
  read_leaf_.bind(1, rowid);
  if (read_leaf_.next_row()) *leaf = read_leaf_.integer(0);
  return read_leaf_.reset();
}

int RtreeTree::find_parent(int64_t number, int64_t* parent) {
  *parent = 0;
  int code = prepare(&read_parent_, "SELECT parentnode FROM \"%w\".\"%w_parent\" WHERE nodeno = ?1");
  if (code != SQLITE_OK) return code;
  read_parent_.bind(1, number);
  if (read_parent_.next_row()) *parent = read_parent_.integer(0);
  code = read_parent_.reset();
  return code != SQLITE_OK || *parent != 0 ? code : SQLITE_CORRUPT_VTAB;
}

int RtreeTree::set_parent(int64_t number, int64_t parent) {
  int code = prepare(&write_parent_, "INSERT OR REPLACE INTO \"%w\".\"%w_parent\" VALUES(?1, ?2)");
  if (code != SQLITE_OK) return code;
  write_parent_.bind(1, number);
  write_parent_.bind(2, parent);
  return write_parent_.run();
}

// Keeps what else is in the row.
int RtreeTree::set_leaf(int64_t rowid, int64_t leaf) {
  int code = prepare(&write_leaf_,
                     "INSERT INTO \"%w\".\"%w_rowid\"(rowid, nodeno) VALUES(?1, ?2) "
                     "ON CONFLICT(rowid) DO UPDATE SET nodeno = excluded.nodeno");
  if (code != SQLITE_OK) return code;
  write_leaf_.bind(1, rowid);
  write_leaf_.bind(2, leaf);
  return write_leaf_.run();
}

int RtreeTree::new_rowid(int64_t* rowid) {
  int code = prepare(&insert_rowid_, "INSERT INTO \"%w\".\"%w_rowid\"(rowid, nodeno) VALUES(NULL, NULL)");
  if (code != SQLITE_OK) return code;
  code = insert_rowid_.run();
  *rowid = sqlite3_last_insert_rowid(db_);
  return code;
}

int RtreeTree::add_node(RtreeNode node, int64_t* number) {
  int code = prepare(&write_node_, "INSERT OR REPLACE INTO \"%w\".\"%w_node\" VALUES(?1, ?2)");
  if (code != SQLITE_OK) return code;
  const std::string data = node.encode(shape_);
  write_node_.bind_null(1);
  write_node_.bind_blob(2, data);
  code = write_node_.run();
  if (code != SQLITE_OK) return code;
  *number = node.number = sqlite3_last_insert_rowid(db_);
  changed_[*number] = std::move(node);
  return SQLITE_OK;
}

int RtreeTree::erase_node(int64_t number) {
  changed_.erase(number);
  int code = prepare(&delete_node_, "DELETE FROM \"%w\".\"%w_node\" WHERE nodeno = ?1");
  if (code == SQLITE_OK) {
    code = prepare(&delete_parent_, "DELETE FROM \"%w\".\"%w_parent\" WHERE nodeno = ?1");
  }
  if (code != SQLITE_OK) return code;
  delete_node_.bind(1, number);
  code = delete_node_.run();
  delete_parent_.bind(1, number);
  return code == SQLITE_OK ? delete_parent_.run() : code;
}

int RtreeTree::write_changes(int code) {
  if (code == SQLITE_OK) {
    code = prepare(&write_node_, "INSERT OR REPLACE INTO \"%w\".\"%w_node\" VALUES(?1, ?2)");
  }
  for (auto& [number, node] : changed_) {
    if (code != SQLITE_OK) break;
    const std::string data = node.encode(shape_);
    write_node_.bind(1, number);
    write_node_.bind_blob(2, data);
    code = write_node_.run();
  }
  changed_.clear();
  orphans_.clear();
  return code;
}

// ---- Inserting -----------------------------------------------------------------------------------

RtreeCell RtreeTree::bounds_of(const std::vector<RtreeCell>& cells) const {
  RtreeCell bounds = cells.empty() ? RtreeCell() : cells[0];
  for (const RtreeCell& cell : cells) bounds.extend(cell, shape_.coordinates);
  return bounds;
}

// The node `height` levels above the leaves that takes the cell.
int RtreeTree::choose_node(const RtreeCell& cell, int height, int64_t* number) {
  RtreeNode* node = nullptr;
  *number = kRootNode;
  int code = get(kRootNode, &node);
  const int depth = code == SQLITE_OK ? node->depth : 0;
  for (int level = depth; code == SQLITE_OK && level > height; --level) {
    const RtreeCell* best = nullptr;
    double best_growth = 0, best_area = 0;
    for (const RtreeCell& child : node->cells) {
      RtreeCell grown = child;
      grown.extend(cell, shape_.coordinates);
      const double area = child.area(shape_.coordinates);
      const double growth = grown.area(shape_.coordinates) - area;
      if (best == nullptr || growth < best_growth || (growth == best_growth && area < best_area)) {
        best = &child;
        best_growth = growth;
        best_area = area;
      }
    }
    if (best == nullptr) return SQLITE_CORRUPT_VTAB;
    *number = best->id;
    code = get(*number, &node);
  }
  return code;
}

int RtreeTree::insert_cell(const RtreeCell& cell, int height, int64_t number) {
  RtreeNode* node = nullptr;
  int code = get(number, &node);
  if (code != SQLITE_OK) return code;
  if (static_cast<int>(node->cells.size()) >= shape_.capacity()) {
    std::vector<RtreeCell> cells = node->cells;
    cells.push_back(cell);
    return split(number, height, std::move(cells));
  }
  node->cells.push_back(cell);
  code = height == 0 ? set_leaf(cell.id, number) : set_parent(cell.id, number);
  return code == SQLITE_OK ? grow_parents(number, cell) : code;
}

// Bounds of the nodes above must hold the new cell.
int RtreeTree::grow_parents(int64_t number, const RtreeCell& cell) {
  for (int steps = 0; number != kRootNode; ++steps) {
    if (steps > kMaxDepth) return SQLITE_CORRUPT_VTAB;
    int64_t parent = 0;
    RtreeNode* node = nullptr;
    int code = find_parent(number, &parent);
    if (code == SQLITE_OK) code = get(parent, &node);
    if (code != SQLITE_OK) return code;
    auto entry = std::find_if(node->cells.begin(), node->cells.end(),
                              [&](const RtreeCell& child) { return child.id == number; });
    if (entry == node->cells.end()) return SQLITE_CORRUPT_VTAB;
    if (entry->contains(cell, shape_.coordinates)) return SQLITE_OK;
    entry->extend(cell, shape_.coordinates);
    number = parent;
  }
  return SQLITE_OK;
}

namespace {

// How the cells of a full node are best divided: their order and the size of the first part.
struct Division {
  std::vector<RtreeCell> cells;
  size_t first = 0;
};

Division divide(const std::vector<RtreeCell>& cells, const RtreeShape& shape) {
  const int coordinates = shape.coordinates;
  const auto minimum = static_cast<size_t>(std::max(shape.minimum(), 1));
  Division best;
  double best_margin = 0;
  for (int dimension = 0; dimension < coordinates; dimension += 2) {
    Division division{cells, 0};
    std::stable_sort(division.cells.begin(), division.cells.end(),
                     [&](const RtreeCell& a, const RtreeCell& b) {
                       if (a.coordinate[dimension] != b.coordinate[dimension]) {
                         return a.coordinate[dimension] < b.coordinate[dimension];
                       }
                       return a.coordinate[dimension + 1] < b.coordinate[dimension + 1];
                     });
    // Bounds of the first i cells and of those from i on.
    const size_t count = cells.size();
    std::vector<RtreeCell> before(count + 1), after(count + 1);
    before[1] = division.cells[0];
    for (size_t i = 2; i <= count; ++i) {
      before[i] = before[i - 1];
      before[i].extend(division.cells[i - 1], coordinates);
    }
    after[count - 1] = division.cells[count - 1];
    for (size_t i = count - 1; i-- > 0;) {
      after[i] = after[i + 1];
      after[i].extend(division.cells[i], coordinates);
    }
    double margin = 0, best_overlap = 0, best_area = 0;
    for (size_t first = minimum; first + minimum <= count; ++first) {
      margin += before[first].margin(coordinates) + after[first].margin(coordinates);
      const double overlap = before[first].overlap(after[first], coordinates);
      const double area = before[first].area(coordinates) + after[first].area(coordinates);
      if (division.first == 0 || overlap < best_overlap ||
          (overlap == best_overlap && area < best_area)) {
        division.first = first;
        best_overlap = overlap;
        best_area = area;
      }
    }
    if (dimension == 0 || margin < best_margin) {
      best_margin = margin;
      best = std::move(division);
    }
  }
  return best;
}

}  // namespace

// What is in a node points to it.
int RtreeTree::adopt(const RtreeNode& node, int height) {
  int code = SQLITE_OK;
  for (const RtreeCell& cell : node.cells) {
    if (code != SQLITE_OK) break;
    code = height == 0 ? set_leaf(cell.id, node.number) : set_parent(cell.id, node.number);
  }
  return code;
}

// Two nodes for the cells of one; the root gets two children instead.
int RtreeTree::split(int64_t number, int height, std::vector<RtreeCell> cells) {
  Division division = divide(cells, shape_);
  const auto middle = division.cells.begin() + static_cast<ptrdiff_t>(division.first);
  RtreeNode left, right;
  left.cells.assign(division.cells.begin(), middle);
  right.cells.assign(middle, division.cells.end());
  RtreeCell left_cell = bounds_of(left.cells), right_cell = bounds_of(right.cells);

  int code = SQLITE_OK;
  RtreeNode* node = nullptr;
  if (number == kRootNode) {
    code = add_node(left, &left.number);
    if (code == SQLITE_OK) code = add_node(right, &right.number);
    if (code == SQLITE_OK) code = get(kRootNode, &node);
    if (code != SQLITE_OK) return code;
    if (node->depth >= kMaxDepth) return SQLITE_CORRUPT_VTAB;
    ++node->depth;
    left_cell.id = left.number;
    right_cell.id = right.number;
    node->cells = {left_cell, right_cell};
    code = set_parent(left.number, kRootNode);
    if (code == SQLITE_OK) code = set_parent(right.number, kRootNode);
    if (code == SQLITE_OK) code = adopt(left, height);
    return code == SQLITE_OK ? adopt(right, height) : code;
  }

  code = get(number, &node);
  if (code != SQLITE_OK) return code;
  node->cells = left.cells;
  left.number = number;
  code = add_node(right, &right.number);
  if (code == SQLITE_OK) code = adopt(left, height);
  if (code == SQLITE_OK) code = adopt(right, height);
  if (code == SQLITE_OK) code = shrink_parents(number);
  int64_t parent = 0;
  if (code == SQLITE_OK) code = find_parent(number, &parent);
  if (code != SQLITE_OK) return code;
  right_cell.id = right.number;
  return insert_cell(right_cell, height + 1, parent);
}

int RtreeTree::insert(const RtreeCell& cell) {
  int64_t number = 0;
  int code = choose_node(cell, 0, &number);
  if (code == SQLITE_OK) code = insert_cell(cell, 0, number);
  return write_changes(code);
}

// ---- Removing ------------------------------------------------------------------------------------

// Bounds of the nodes above are made those of what is in them.
int RtreeTree::shrink_parents(int64_t number) {
  for (int steps = 0; number != kRootNode; ++steps) {
    if (steps > kMaxDepth) return SQLITE_CORRUPT_VTAB;
    int64_t parent = 0;
    RtreeNode* node = nullptr;
    RtreeNode* above = nullptr;
    int code = get(number, &node);
    if (code == SQLITE_OK) code = find_parent(number, &parent);
    if (code == SQLITE_OK) code = get(parent, &above);
    if (code != SQLITE_OK) return code;
    auto entry = std::find_if(above->cells.begin(), above->cells.end(),
                              [&](const RtreeCell& child) { return child.id == number; });
    if (entry == above->cells.end()) return SQLITE_CORRUPT_VTAB;
    RtreeCell bounds = bounds_of(node->cells);
    bounds.id = number;
    *entry = bounds;
    number = parent;
  }
  return SQLITE_OK;
}

int RtreeTree::remove_cell(int64_t number, int64_t id, int height) {
  RtreeNode* node = nullptr;
  int code = get(number, &node);
  if (code != SQLITE_OK) return code;
  auto entry = std::find_if(node->cells.begin(), node->cells.end(),
                            [&](const RtreeCell& cell) { return cell.id == id; });
  if (entry == node->cells.end()) return SQLITE_CORRUPT_VTAB;
  node->cells.erase(entry);
  if (number == kRootNode) return SQLITE_OK;
  if (static_cast<int>(node->cells.size()) >= shape_.minimum()) return shrink_parents(number);
  return remove_node(number, height);
}

// What is left in a node with too few cells goes into others.
int RtreeTree::remove_node(int64_t number, int height) {
  RtreeNode* node = nullptr;
  int64_t parent = 0;
  int code = get(number, &node);
  if (code == SQLITE_OK) code = find_parent(number, &parent);
  if (code != SQLITE_OK) return code;
  if (height > kMaxDepth) return SQLITE_CORRUPT_VTAB;
  for (const RtreeCell& cell : node->cells) orphans_.push_back({cell, height});
  code = remove_cell(parent, number, height + 1);
  return code == SQLITE_OK ? erase_node(number) : code;
}

int RtreeTree::reinsert_orphans() {
  while (!orphans_.empty()) {
    Orphan orphan = orphans_.back();
    orphans_.pop_back();
    int64_t number = 0;
    int code = choose_node(orphan.cell, orphan.height, &number);
    if (code == SQLITE_OK) code = insert_cell(orphan.cell, orphan.height, number);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// A root with one child takes what is in that child.
int RtreeTree::lower_root() {
  RtreeNode* root = nullptr;
  int code = get(kRootNode, &root);
  if (code != SQLITE_OK || root->depth == 0 || root->cells.size() != 1) return code;
  const int64_t child_number = root->cells[0].id;
  RtreeNode* child = nullptr;
  code = get(child_number, &child);
  if (code != SQLITE_OK) return code;
  root->cells = child->cells;
  --root->depth;
  RtreeNode adopted = *root;
  code = adopt(adopted, root->depth);
  return code == SQLITE_OK ? erase_node(child_number) : code;
}

int RtreeTree::remove(int64_t rowid) {
  int64_t leaf = 0;
  int code = find_leaf(rowid, &leaf);
  if (code != SQLITE_OK || leaf == 0) return code;
  code = remove_cell(leaf, rowid, 0);
  if (code == SQLITE_OK) code = prepare(&delete_leaf_, "DELETE FROM \"%w\".\"%w_rowid\" WHERE rowid = ?1");
  if (code == SQLITE_OK) {
    delete_leaf_.bind(1, rowid);
    code = delete_leaf_.run();
  }
  if (code == SQLITE_OK) code = lower_root();
  if (code == SQLITE_OK) code = reinsert_orphans();
  return write_changes(code);
}

}  // namespace godwit::modules
