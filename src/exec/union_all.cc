#include "exec/union_all.h"

namespace godwit {

Status UnionAllOperator::open() {
  current_ = 0;
  current_open_ = false;
  return Status();
}

Status UnionAllOperator::next(uint32_t max_rows, const Chunk** chunk) {
  *chunk = &end_;
  while (current_ < children_.size()) {
    Operator& child = *children_[current_];
    if (!current_open_) {
      current_open_ = true;
      GW_TRY(child.open());
    }
    GW_TRY(child.next(max_rows, chunk));
    if (!(*chunk)->at_end()) return Status();
    close();
    ++current_;
  }
  return Status();
}

void UnionAllOperator::close() {
  if (current_open_) children_[current_]->close();
  current_open_ = false;
}

}  // namespace godwit
