#include "modules/rtree_node.h"

#include <algorithm>
#include <cstring>

namespace godwit::modules {

namespace {

uint64_t load_number(const char* bytes, int size) {
  uint64_t number = 0;
  for (int i = 0; i < size; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

void append_number(uint64_t number, int size, std::string* out) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(number >> shift));
  }
}

double load_coordinate(const char* bytes, bool is_integer) {
  const auto bits = static_cast<uint32_t>(load_number(bytes, 4));
  if (is_integer) return static_cast<int32_t>(bits);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void append_coordinate(double value, bool is_integer, std::string* out) {
  uint32_t bits;
  if (is_integer) {
    bits = static_cast<uint32_t>(static_cast<int32_t>(value));
  } else {
    const auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof bits);
  }
  append_number(bits, 4, out);
}

}  // namespace

double RtreeCell::area(int coordinates) const {
  double area = 1;
  for (int i = 0; i < coordinates; i += 2) area *= coordinate[i + 1] - coordinate[i];
  return area;
}

double RtreeCell::margin(int coordinates) const {
  double margin = 0;
  for (int i = 0; i < coordinates; i += 2) margin += coordinate[i + 1] - coordinate[i];
  return margin;
}

void RtreeCell::extend(const RtreeCell& other, int coordinates) {
  for (int i = 0; i < coordinates; i += 2) {
    coordinate[i] = std::min(coordinate[i], other.coordinate[i]);
    coordinate[i + 1] = std::max(coordinate[i + 1], other.coordinate[i + 1]);
  }
}

bool RtreeCell::contains(const RtreeCell& other, int coordinates) const {
  for (int i = 0; i < coordinates; i += 2) {
    if (other.coordinate[i] < coordinate[i] || other.coordinate[i + 1] > coordinate[i + 1]) {
      return false;
    }
  }
  return true;
}

double RtreeCell::overlap(const RtreeCell& other, int coordinates) const {
  double area = 1;
  for (int i = 0; i < coordinates; i += 2) {
    const double low = std::max(coordinate[i], other.coordinate[i]);
    const double high = std::min(coordinate[i + 1], other.coordinate[i + 1]);
    if (high < low) return 0;
    area *= high - low;
  }
  return area;
}

bool RtreeNode::decode(std::string_view data, const RtreeShape& shape) {
  if (data.size() != static_cast<size_t>(shape.node_size)) return false;
  depth = static_cast<int>(load_number(data.data(), 2));
  const auto count = static_cast<int>(load_number(data.data() + 2, 2));
  if (count > shape.capacity() || depth > kMaxDepth) return false;
  cells.resize(static_cast<size_t>(count));
  const char* at = data.data() + kNodeHeader;
  for (RtreeCell& cell : cells) {
    cell.id = static_cast<int64_t>(load_number(at, 8));
    for (int i = 0; i < shape.coordinates; ++i) {
      cell.coordinate[i] = load_coordinate(at + 8 + 4 * i, shape.is_integer);
    }
    at += shape.cell_size();
  }
  return true;
}

std::string RtreeNode::encode(const RtreeShape& shape) const {
  std::string out;
  out.reserve(static_cast<size_t>(shape.node_size));
  append_number(static_cast<uint64_t>(number == kRootNode ? depth : 0), 2, &out);
  append_number(cells.size(), 2, &out);
  for (const RtreeCell& cell : cells) {
    append_number(static_cast<uint64_t>(cell.id), 8, &out);
    for (int i = 0; i < shape.coordinates; ++i) {
      append_coordinate(cell.coordinate[i], shape.is_integer, &out);
    }
  }
  out.resize(static_cast<size_t>(shape.node_size), '\0');
  return out;
}

}  // namespace godwit::modules
