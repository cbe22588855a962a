// Rows of a result on their way to JavaScript, in a form that needs no JavaScript object until the
// whole batch is there: numbers as doubles, and all short ASCII texts in one run of bytes, which becomes
// one string that lib/rows.js cuts. Other texts and blobs become values of their own ("extras").
// Filling a batch touches no environment, so that a pool thread may do it.

#pragma once

#include <string>
#include <vector>

#include "addon.h"

namespace godwit::node {

struct RowBatch {
  struct Extra {
    bool blob;
    const void* borrowed;  // into the statement's row, or null: `bytes` from `offset` on
    size_t offset;
    size_t length;
  };

  int rows = 0;
  size_t cell_count = 0;
  bool integer_refused = false;  // IntegerMode::kThrow met an unsafe integer
  int64_t refused = 0;
  const std::unique_ptr<double[]> cells{new double[kCells]};
  const std::unique_ptr<uint8_t[]> tags{new uint8_t[kCells]};
  std::string text;
  std::vector<Extra> extras;
  std::string bytes;

  void clear();
  // Adds the row that `program` stands on. With `borrow`, extras point into that row, and the batch has
  // to be delivered before the program is stepped or reset.
  void add_row(sqlite3_stmt* program, int columns, IntegerMode integers, bool borrow);
  bool full(int columns) const;

  // Copies the batch into the exchange buffer. The result is its text, or an array of text and extras.
  napi_value deliver(Addon* addon) const;

 private:
  void add_text(const char* text, size_t length, bool borrow);
  void add_extra(bool blob, const void* data, size_t length, bool borrow);
};

// A batch of the addon's, given back at the end of the scope. Functions written in JavaScript may run
// statements while another one is filling its batch.
class BatchLease {
 public:
  explicit BatchLease(Addon* addon);
  ~BatchLease();
  BatchLease(const BatchLease&) = delete;
  BatchLease& operator=(const BatchLease&) = delete;
  RowBatch* operator->() { return batch_.get(); }

 private:
  Addon* addon_;
  std::unique_ptr<RowBatch> batch_;
};

napi_value blob_value(napi_env env, const void* data, size_t length);

}  // namespace godwit::node
