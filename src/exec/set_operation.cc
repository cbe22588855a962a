#include "exec/set_operation.h"

#include <algorithm>

namespace godwit {

Result<std::unique_ptr<Operator>> SetOperator::make(const SetNode& node, ExecContext* context,
                                                    OuterRow* outer) {
  if (node.children.size() != 2) return Status(code::kInternal, "a set operation has two sides");
  std::unique_ptr<SetOperator> set(new SetOperator(node.operation, context));
  size_t columns = node.output.size();
  std::vector<SortKey> keys;
  for (const OrderTerm& term : node.order) {
    keys.push_back({static_cast<size_t>(term.output_column), term.collation, term.descending,
                    term.nulls_first});
  }
  GW_ASSIGN(auto left, make_operator(*node.children[0], context, outer));
  GW_ASSIGN(auto right, make_operator(*node.children[1], context, outer));
  set->left_ = std::make_unique<Side>(std::move(left), columns, keys);
  set->right_ = std::make_unique<Side>(std::move(right), columns, keys);
  set->builders_.resize(columns);
  for (ColumnBuilder& builder : set->builders_) set->output_.columns.push_back(&builder.vector());
  return std::unique_ptr<Operator>(std::move(set));
}

Status SetOperator::Side::collect(ExecContext* context) {
  sorter.clear();
  place = 0;
  Status status = child->open();
  ChunkRamp ramp;
  while (status.ok()) {
    const Chunk* chunk = nullptr;
    status = child->next(ramp.next(), &chunk);
    if (!status.ok() || chunk->at_end()) break;
    sorter.append(chunk->columns, chunk->selection);
    status = context->check_interrupt();
  }
  child->close();
  if (status.ok()) sorter.sort();
  return status;
}

void SetOperator::Side::skip_group() {
  uint32_t first = row();
  ++place;
  while (!at_end() &&
         compare_rows(sorter.keys(), sorter.rows(), first, sorter.rows(), row()) == 0) {
    ++place;
  }
}

Status SetOperator::open() {
  collected_ = false;
  return Status();
}

void SetOperator::close() {
  left_->sorter.clear();
  right_->sorter.clear();
}

// The next row of the result; false: there are no more.
bool SetOperator::pick_next(Picked* picked) {
  Side& left = *left_;
  Side& right = *right_;
  while (!left.at_end() || (operation_ == SetOp::kUnion && !right.at_end())) {
    int order = left.at_end()    ? 1
                : right.at_end() ? -1
                                 : compare_rows(left.sorter.keys(), left.sorter.rows(), left.row(),
                                                right.sorter.rows(), right.row());
    *picked = {false, order <= 0 ? left.row() : 0};
    if (operation_ == SetOp::kUnion && order >= 0) *picked = {true, right.row()};
    if (order <= 0) left.skip_group();
    if (order >= 0) right.skip_group();
    bool given = operation_ == SetOp::kUnion       ? true
                 : operation_ == SetOp::kIntersect ? order == 0
                                                   : order < 0;
    if (given) return true;
  }
  return false;
}

Status SetOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!collected_) {
    GW_TRY(left_->collect(context_));
    GW_TRY(right_->collect(context_));
    collected_ = true;
  }
  GW_TRY(context_->check_interrupt());
  for (ColumnBuilder& builder : builders_) builder.begin(max_rows);
  uint32_t count = 0;
  Picked picked;
  for (; count < max_rows && pick_next(&picked); ++count) {
    const ColumnStore& store = (picked.from_right ? right_ : left_)->sorter.rows();
    for (size_t i = 0; i < builders_.size(); ++i) {
      builders_[i].put(count, store.get(picked.row, i));
    }
  }
  for (ColumnBuilder& builder : builders_) builder.finish();
  output_.rows = count;
  output_.selection = {nullptr, count};
  *chunk = &output_;
  return Status();
}

}  // namespace godwit
