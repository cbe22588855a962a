#include "exec/recursive.h"

#include <algorithm>
#include <numeric>

namespace godwit {

namespace {

// Whether the rows of `step` come in the order of the queue's rows when it is given several at once:
// the queue is the outermost loop of a plain chain.
bool follows_queue_order(const PlanNode& step) {
  switch (step.kind) {
    case PlanKind::kProject:
    case PlanKind::kFilter:
      return follows_queue_order(*step.child);
    case PlanKind::kAccess: {
      const auto& access = static_cast<const AccessNode&>(step);
      if (access.join == JoinType::kRight || access.join == JoinType::kFull) return false;
      if (access.method != AccessMethod::kRecursiveQueue) return follows_queue_order(*step.child);
      const PlanNode* start = step.child;
      while (start->kind == PlanKind::kFilter) start = start->child;
      return start->kind == PlanKind::kSingleRow;
    }
    default:
      return false;
  }
}

}  // namespace

Result<std::unique_ptr<Operator>> RecursiveOperator::make(const RecursiveNode& node,
                                                          ExecContext* context, OuterRow* outer) {
  size_t columns = node.query->column_count;
  std::unique_ptr<RecursiveOperator> recursive(new RecursiveOperator(context, columns));
  if (node.distinct) recursive->distinct_.emplace(node.query->column_collations);
  for (const OrderTerm& term : node.order) {
    recursive->order_.push_back({static_cast<size_t>(term.output_column), term.collation,
                                 term.descending, term.nulls_first});
  }
  for (size_t i = 0; i < columns; ++i) {
    if (node.query->column_affinities[i] != Affinity::kReal) continue;
    recursive->real_columns_.emplace_back(i, RealColumn());
  }
  GW_ASSIGN(recursive->initial_, make_operator(*node.initial, context, outer));
  recursive->queue_.source = node.query->recursive_source;
  recursive->queue_.rows = recursive->order_.empty() ? &recursive->current_ : &recursive->waiting_;
  context->recursive_queues.push_back(&recursive->queue_);
  Status status;
  for (const PlanNode* step : node.steps) {
    auto made = make_operator(*step, context, outer);
    if (!made.ok()) {
      status = made.take_status();
      break;
    }
    recursive->steps_.push_back(std::move(*made));
  }
  context->recursive_queues.pop_back();
  GW_TRY(std::move(status));
  recursive->in_batches_ = node.steps.size() == 1 && follows_queue_order(*node.steps[0]);
  recursive->output_.columns.resize(columns);
  return std::unique_ptr<Operator>(std::move(recursive));
}

Status RecursiveOperator::open() {
  started_ = false;
  return Status();
}

void RecursiveOperator::close() {
  if (!started_) return;
  started_ = false;
  initial_->close();
  for (auto& step : steps_) step->close();
  current_.clear();
  waiting_.clear();
  if (distinct_) distinct_->clear();
}

Status RecursiveOperator::start() {
  started_ = true;
  current_.clear();
  waiting_.clear();
  heap_.clear();
  if (distinct_) distinct_->clear();
  put_through_ = given_ = 0;
  has_last_ = false;
  batch_.reset();
  return run(initial_.get());
}

Status RecursiveOperator::run(Operator* op) {
  GW_TRY(op->open());
  ChunkRamp ramp;
  while (true) {
    const Chunk* chunk = nullptr;
    GW_TRY(op->next(ramp.next(), &chunk));
    if (chunk->at_end()) break;
    Selection rows = chunk->selection;
    row_columns_.assign(chunk->columns.begin(), chunk->columns.end());
    for (auto& [column, real] : real_columns_) {
      row_columns_[column] = real.convert(row_columns_[column], rows, chunk->rows);
    }
    if (distinct_) rows = distinct_->new_rows(row_columns_, rows);
    waiting_.append(row_columns_, rows);
    GW_TRY(context_->check_interrupt());
  }
  waiting_.finish();
  if (order_.empty()) return Status();
  auto comes_later = [this](uint32_t a, uint32_t b) {
    int order = compare_rows(order_, waiting_, a, waiting_, b);
    return order != 0 ? order > 0 : a > b;
  };
  for (uint32_t row = static_cast<uint32_t>(given_); row < waiting_.size(); ++row) {
    heap_.push_back(row);
    std::push_heap(heap_.begin(), heap_.end(), comes_later);
  }
  given_ = waiting_.size();
  return Status();
}

Status RecursiveOperator::put_through(uint32_t begin, uint32_t end) {
  queue_.begin = begin;
  queue_.end = end;
  for (auto& step : steps_) GW_TRY(run(step.get()));
  return Status();
}

Status RecursiveOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!started_) GW_TRY(start());
  GW_TRY(context_->check_interrupt());
  output_.selection = Selection();
  *chunk = &output_;
  return order_.empty() ? next_in_order(max_rows) : next_of_heap();
}

Status RecursiveOperator::next_in_order(uint32_t max_rows) {
  while (given_ == waiting_.size()) {
    if (put_through_ == current_.size()) {
      std::swap(current_, waiting_);
      waiting_.clear();
      put_through_ = given_ = 0;
      batch_.reset();
      if (current_.empty()) return Status();
    }
    uint32_t count = in_batches_ ? batch_.next() : 1;
    uint32_t end = std::min(put_through_ + count, current_.size());
    GW_TRY(put_through(put_through_, end));
    put_through_ = end;
  }
  uint32_t in_block = ColumnStore::kBlockRows - given_ % ColumnStore::kBlockRows;
  uint32_t count = std::min({max_rows, in_block, waiting_.size() - given_});
  give(given_, count);
  given_ += count;
  return Status();
}

Status RecursiveOperator::next_of_heap() {
  if (has_last_) {
    has_last_ = false;
    GW_TRY(put_through(put_through_, put_through_ + 1));
  }
  if (heap_.empty()) return Status();
  std::pop_heap(heap_.begin(), heap_.end(), [this](uint32_t a, uint32_t b) {
    int order = compare_rows(order_, waiting_, a, waiting_, b);
    return order != 0 ? order > 0 : a > b;
  });
  put_through_ = heap_.back();
  heap_.pop_back();
  has_last_ = true;
  give(put_through_, 1);
  return Status();
}

// Makes rows of waiting_, all in one block, the output.
void RecursiveOperator::give(uint32_t row, uint32_t count) {
  uint32_t block = row / ColumnStore::kBlockRows;
  for (size_t i = 0; i < output_.columns.size(); ++i) {
    output_.columns[i] = waiting_.block_column(block, i);
  }
  if (block_rows_.empty()) {
    block_rows_.resize(ColumnStore::kBlockRows);
    std::iota(block_rows_.begin(), block_rows_.end(), uint16_t{0});
  }
  output_.rows = waiting_.block_rows(block);
  output_.selection = {block_rows_.data() + row % ColumnStore::kBlockRows, count};
}

}  // namespace godwit
