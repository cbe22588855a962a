// RETURNING being run: a row of results for each row that a statement writes or removes. All rows
// are made while the statement runs; they are given out when it is done.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "exec/expression.h"
#include "exec/row_chunk.h"
#include "plan/bound_dml.h"

namespace godwit {

class Returning {
 public:
  static Result<std::unique_ptr<Returning>> make(const BoundReturning& bound, const Table& table,
                                                 ExecContext* context);

  // Forgets all rows.
  void clear();
  // Makes the result of one row of the table: all its columns, generated ones too.
  Status add(Rowid rowid, std::span<const ValueView> values);
  // Moves to the next result; false: there are no more.
  bool next();
  const ValueView& column(size_t index) const { return values_[at_ + index]; }

 private:
  Returning() = default;

  RowChunk row_;
  std::vector<std::unique_ptr<Expression>> expressions_;
  std::vector<bool> is_real_;  // by expression: an integer becomes a real (of a view; tables hold none)
  std::vector<ValueView> values_;  // of all results, one after the other
  Arena bytes_;
  size_t at_ = 0;    // of the current result
  size_t next_ = 0;  // of the one after it
};

}  // namespace godwit
