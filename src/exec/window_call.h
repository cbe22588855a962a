// Calls of window functions: what computes one column of a window operator's output.
//
// A call reads its arguments from the store, where they stand beside the rows, and writes the results
// of a batch of rows. Batches come in order; the first one of a partition tells it to forget the one
// before.
#pragma once

#include <memory>
#include <vector>

#include "base/arena.h"
#include "exec/column_builder.h"
#include "exec/window_frame.h"
#include "function/function.h"

namespace godwit {

class WindowCall {
 public:
  virtual ~WindowCall() = default;
  // Stores the results of the batch's rows at rows `target` and behind of *out. `frame` has the
  // batch's frames (null: the call said that it needs none). Bytes of results stay valid until
  // `arena` is reset or the store changes.
  virtual Status compute(const WindowBatch& batch, const WindowFrame* frame, uint32_t target,
                         Arena* arena, ColumnBuilder* out) = 0;
  // After a failure: how many rows of the batch have results.
  uint32_t rows_done() const { return rows_done_; }
  // Forgets everything.
  virtual void reset() {}

 protected:
  uint32_t rows_done_ = 0;
};

// Where in the store a call's arguments are.
struct WindowArguments {
  std::vector<size_t> columns;
  int64_t filter = -1;  // the column of FILTER; negative: none
};

bool needs_frame(const BoundWindowCall& call);
// Without what its frame must know.
WindowLookahead lookahead_of(const BoundWindowCall& call);

// A function that is no aggregate.
std::unique_ptr<WindowCall> make_window_function(const BoundWindowCall& call,
                                                 WindowArguments arguments);
// An aggregate over the rows of `frame` (window_aggregate.cc).
std::unique_ptr<WindowCall> make_window_aggregate(const BoundWindowCall& call,
                                                  WindowArguments arguments,
                                                  const WindowFrame& frame, ExecContext* context);

}  // namespace godwit
