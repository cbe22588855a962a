// Sorting more rows than fit into memory: each time the sorter is full, its rows go to a temporary file
// as a sorted run; at the end the runs are merged.
//
//     file:  run 0: row row row ... | run 1: row row ... | ...
//     row:   size of what follows 8, then for each column
//              type 1 (ValueType; kZeros: a blob of zeros that is not materialized)
//              integer or real 8 | size 4, bytes of text or blob | size 4 of zeros
//
// Rows that are equal come in the order of their runs, so the sort stays stable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "exec/column_builder.h"
#include "exec/row_sorter.h"
#include "os/vfs.h"
#include "vector/vector.h"

namespace godwit {

class SortRuns {
 public:
  // `limit`: how many rows will be asked for; negative: all.
  SortRuns(std::unique_ptr<File> file, std::span<const SortKey> keys, size_t columns, int64_t limit)
      : file_(std::move(file)),
        keys_(keys.begin(), keys.end()),
        builders_(columns),
        rows_left_(limit) {
    output_.columns.resize(columns);
  }

  // Adds the rows of a sorter after its sort(). Errors: kFull, kIoErrWrite.
  Status add(const RowSorter& sorter);
  // After the last add().
  Status start_merge();
  // At most `max_rows` of the next rows; at_end() when there are no more.
  Status next(uint32_t max_rows, const Chunk** chunk);

 private:
  class Reader {
   public:
    Reader(uint64_t begin, uint64_t end) : position_(begin), end_(end) {}
    // Moves to the next row; its bytes stay until the next call. *done: there is none.
    Status next(File* file, size_t columns, size_t buffer_size, bool* done);
    std::span<const ValueView> row() const { return row_; }

   private:
    Status fill(File* file, size_t wanted, size_t buffer_size);
    Status decode(size_t row_size, size_t columns);

    uint64_t position_;  // in the file, of what is not in the buffer yet
    uint64_t end_;
    std::vector<char> buffer_;
    size_t begin_ = 0;  // of what the buffer holds and was not taken yet
    size_t filled_ = 0;
    std::vector<ValueView> row_;
  };

  void put(const ValueView& value);
  Status flush();
  bool comes_after(uint32_t a, uint32_t b) const;

  std::unique_ptr<File> file_;
  std::vector<SortKey> keys_;
  uint64_t size_ = 0;  // of the file
  std::vector<char> out_;
  std::vector<uint64_t> run_ends_;

  std::vector<Reader> readers_;
  std::vector<uint32_t> heap_;  // of readers, the one with the first row on top
  size_t buffer_size_ = 0;
  std::vector<ColumnBuilder> builders_;
  Arena arena_;  // bytes of output_
  Chunk output_;
  int64_t rows_left_;
};

}  // namespace godwit
