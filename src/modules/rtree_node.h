// Nodes of an R-Tree as they are in table %_node:
//
//   2 bytes  depth of the tree in the root (0: the root is a leaf), else unused
//   2 bytes  number of cells
//   cells    8 bytes: rowid (leaf) or number of the child node, then the coordinates, 4 bytes each:
//            minimum and maximum of each dimension, as 32-bit floating point or integer numbers
//
// All numbers are big-endian. A node takes the same number of bytes whatever is in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite3.h"

namespace godwit::modules {

inline constexpr int kMaxCoordinates = 10;
inline constexpr int kMaxCells = 51;
inline constexpr int kMaxDepth = 40;
inline constexpr int64_t kRootNode = 1;
inline constexpr int kNodeHeader = 4;

struct RtreeShape {
  int coordinates = 0;  // twice the dimensions
  bool is_integer = false;
  int node_size = 0;

  int cell_size() const { return 8 + coordinates * 4; }
  int capacity() const { return (node_size - kNodeHeader) / cell_size(); }
  int minimum() const { return capacity() / 3; }
};

struct RtreeCell {
  int64_t id = 0;
  double coordinate[kMaxCoordinates] = {};

  double area(int coordinates) const;
  double margin(int coordinates) const;
  void extend(const RtreeCell& other, int coordinates);
  bool contains(const RtreeCell& other, int coordinates) const;
  double overlap(const RtreeCell& other, int coordinates) const;
};

struct RtreeNode {
  int64_t number = 0;  // 0: not in the table yet
  int depth = 0;       // of the root
  std::vector<RtreeCell> cells;

  // False: damaged.
  bool decode(std::string_view data, const RtreeShape& shape);
  std::string encode(const RtreeShape& shape) const;
};

}  // namespace godwit::modules
