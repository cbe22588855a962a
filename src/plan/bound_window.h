// Window functions: calls with OVER. One BoundWindow is one window of a SELECT core with all calls
// that share it; each call is a column of the window's output.
#pragma once

#include "plan/bound.h"
#include "sql/ast_select.h"

namespace godwit {

struct WindowFunction;  // function/function.h

struct BoundWindowCall {
  // One of the two is set.
  const AggregateFunction* aggregate = nullptr;
  const WindowFunction* window = nullptr;
  std::span<BoundExpr*> args;
  BoundExpr* filter = nullptr;
  const Collation* collation = nullptr;  // of min and max; never null
  bool is_count_star = false;
};

struct BoundWindow {
  SourceId output = 0;  // (output, i) is the value of calls[i]
  std::span<BoundWindowCall*> calls;
  std::span<BoundExpr*> partition_by;
  std::span<const Collation*> partition_collations;
  std::span<OrderTerm> order_by;
  ast::FrameUnit unit = ast::FrameUnit::kRange;
  ast::FrameBoundKind start = ast::FrameBoundKind::kUnboundedPreceding;
  ast::FrameBoundKind end = ast::FrameBoundKind::kCurrentRow;
  BoundExpr* start_offset = nullptr;  // of kPreceding and kFollowing; no columns
  BoundExpr* end_offset = nullptr;
  ast::FrameExclude exclude = ast::FrameExclude::kNoOthers;
  bool has_exclude = false;  // EXCLUDE was written, were it NO OTHERS: sums of reals show it
};

}  // namespace godwit
