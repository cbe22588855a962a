// Hands out rows of a chunk in slices of what the consumer asks for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vector/vector.h"

namespace godwit {

class ChunkSlicer {
 public:
  void clear() { rows_ = Selection(), given_ = 0; }
  bool has_rows() const { return given_ < rows_.count; }
  // `rows`: of `input`, with an array of rows that stays until all are given.
  void begin(const Chunk& input, const Selection& rows) {
    output_.columns = input.columns;
    output_.rows = input.rows;
    rows_ = rows;
    given_ = 0;
  }
  const Chunk* give(uint32_t max_rows) {
    uint32_t count = std::min(max_rows, rows_.count - given_);
    output_.selection = {rows_.rows + given_, count};
    given_ += count;
    return &output_;
  }

 private:
  Selection rows_;
  uint32_t given_ = 0;
  Chunk output_;
};

}  // namespace godwit
