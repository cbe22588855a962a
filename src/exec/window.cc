#include "exec/window.h"

#include <algorithm>
#include <numeric>

#include "plan/expr_tree.h"
#include "value/record.h"

namespace godwit {

namespace {

// What begins with a row.
enum Start : uint8_t { kNothing, kPeers, kPartition };

// Rows that the store may hold of partitions that are complete.
constexpr uint32_t kRowsHeld = 4 * ColumnStore::kBlockRows;

bool differ(const ValueView& a, const ValueView& b, const Collation* collation) {
  if (a.is_null() || b.is_null()) return a.is_null() != b.is_null();
  return compare_values(a, b, collation) != 0;
}

// Marks the rows of the selection, from the second on, whose key is not that of the row before.
void mark_changes(const Vector& keys, const Selection& selection, const Collation* collation,
                  Start start, uint8_t* starts) {
  if (keys.is_constant()) return;
  if (keys.is_uniform(ValueType::kInteger)) {
    const Vector::Slot* slots = keys.slots();
    for (uint32_t i = 1; i < selection.count; ++i) {
      bool changes = slots[selection[i]].integer != slots[selection[i - 1]].integer;
      if (changes && starts[i] < start) starts[i] = start;
    }
    return;
  }
  for (uint32_t i = 1; i < selection.count; ++i) {
    if (starts[i] >= start) continue;
    if (differ(keys.get(selection[i]), keys.get(selection[i - 1]), collation)) starts[i] = start;
  }
}

}  // namespace

Result<std::unique_ptr<Operator>> WindowOperator::make(const WindowNode& node,
                                                       std::unique_ptr<Operator> child,
                                                       ExecContext* context, OuterRow* outer) {
  std::unique_ptr<WindowOperator> window(new WindowOperator(std::move(child), context));
  GW_TRY(window->prepare(node, outer));
  return std::unique_ptr<Operator>(std::move(window));
}

// --- Preparation --------------------------------------------------------------------------------------

Status WindowOperator::prepare(const WindowNode& node, OuterRow* outer) {
  child_columns_ = node.child->output;
  const BoundWindow& first = *node.windows[0];
  partition_keys_ = first.partition_by.size();
  for (size_t i = 0; i < partition_keys_; ++i) {
    GW_ASSIGN(size_t input, add_input(*first.partition_by[i], outer));
    keys_.push_back({input, first.partition_collations[i]});
  }
  for (const OrderTerm& term : first.order_by) {
    GW_ASSIGN(size_t input, add_input(*term.expr, outer));
    keys_.push_back({input, term.collation});
  }
  for (const BoundWindow* window : node.windows) GW_TRY(prepare_window(*window, outer));
  for (const ColumnRef& column : node.output) {
    auto call = std::ranges::find_if(calls_, [&](const Call& c) { return c.column == column; });
    if (call != calls_.end()) {
      output_columns_.push_back({true, static_cast<size_t>(call - calls_.begin())});
      continue;
    }
    auto found = std::ranges::find(child_columns_, column);
    if (found == child_columns_.end()) return Status(code::kInternal, "a window lacks a column");
    Input input;
    input.slot = static_cast<int>(found - child_columns_.begin());
    auto same = std::ranges::find_if(inputs_, [&](const Input& i) { return i.slot == input.slot; });
    if (same == inputs_.end()) {
      inputs_.push_back(std::move(input));
      same = inputs_.end() - 1;
    }
    output_columns_.push_back({false, store_input(static_cast<size_t>(same - inputs_.begin()))});
  }
  store_ = std::make_unique<ColumnStore>(stored_.size());
  values_.resize(inputs_.size());
  stored_values_.resize(stored_.size());
  last_keys_.resize(keys_.size());
  output_.columns.resize(output_columns_.size());
  block_rows_.resize(ColumnStore::kBlockRows);
  std::iota(block_rows_.begin(), block_rows_.end(), uint16_t{0});
  return Status();
}

Status WindowOperator::prepare_window(const BoundWindow& window, OuterRow* outer) {
  int frame = -1;
  if (std::ranges::any_of(window.calls, [](const auto* call) { return needs_frame(*call); })) {
    const SortKey* key = nullptr;
    if (window.unit == ast::FrameUnit::kRange &&
        (window.start_offset != nullptr || window.end_offset != nullptr)) {
      const OrderTerm& term = window.order_by[0];
      GW_ASSIGN(size_t column, add_stored(*term.expr, outer));
      order_key_ = {column, term.collation, term.descending, term.nulls_first};
      key = &order_key_;
    }
    GW_ASSIGN(auto made, WindowFrame::make(window, key, context_, outer));
    frame = static_cast<int>(frames_.size());
    frames_.push_back(std::move(made));
  }
  for (size_t i = 0; i < window.calls.size(); ++i) {
    const BoundWindowCall& bound = *window.calls[i];
    WindowArguments arguments;
    for (const BoundExpr* arg : bound.args) {
      GW_ASSIGN(size_t column, add_stored(*arg, outer));
      arguments.columns.push_back(column);
    }
    if (bound.filter != nullptr) {
      GW_ASSIGN(size_t column, add_stored(*bound.filter, outer));
      arguments.filter = static_cast<int64_t>(column);
    }
    Call call;
    call.column = {window.output, static_cast<int32_t>(i)};
    if (needs_frame(bound)) call.frame = frame;
    call.call = bound.aggregate != nullptr
                    ? make_window_aggregate(bound, std::move(arguments), *frames_[frame], context_)
                    : make_window_function(bound, std::move(arguments));
    calls_.push_back(std::move(call));
    calls_lookahead_.add(lookahead_of(bound));
  }
  return Status();
}

Result<size_t> WindowOperator::add_input(const BoundExpr& expr, OuterRow* outer) {
  Layout layout{child_columns_};
  Input input;
  input.expr = &expr;
  if (expr.kind == ExprKind::kColumn) input.slot = layout.find(expr.column);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (input.slot >= 0 ? inputs_[i].slot == input.slot
                        : inputs_[i].slot < 0 && same_expr(*inputs_[i].expr, expr)) {
      return i;
    }
  }
  if (input.slot < 0) {
    GW_ASSIGN(input.expression, compile_expression(expr, layout, context_, outer));
  }
  inputs_.push_back(std::move(input));
  return inputs_.size() - 1;
}

Result<size_t> WindowOperator::add_stored(const BoundExpr& expr, OuterRow* outer) {
  GW_ASSIGN(size_t input, add_input(expr, outer));
  return store_input(input);
}

size_t WindowOperator::store_input(size_t input) {
  if (inputs_[input].stored_in < 0) {
    inputs_[input].stored_in = static_cast<int>(stored_.size());
    stored_.push_back(input);
  }
  return static_cast<size_t>(inputs_[input].stored_in);
}

Status WindowOperator::open() {
  forget();
  started_ = input_ended_ = has_last_ = false;
  deferred_ = Status();
  pending_.selection = Selection();
  pending_first_ = 0;
  ramp_.reset();
  return child_->open();
}

void WindowOperator::close() {
  forget();
  child_->close();
}

void WindowOperator::forget() {
  store_->clear();
  groups_.clear();
  partitions_.clear();
  given_ = 0;
  partition_at_ = group_at_ = 0;
  for (Call& call : calls_) call.call->reset();
}

// --- Taking rows in -----------------------------------------------------------------------------------

Status WindowOperator::next_pending() {
  GW_TRY(context_->check_interrupt());
  const Chunk* chunk = nullptr;
  GW_TRY(child_->next(ramp_.next(), &chunk));
  pending_.selection = Selection();
  pending_first_ = 0;
  if (chunk->at_end()) {
    input_ended_ = true;
    return Status();
  }
  if (!started_) {
    // As SQLite, which looks at offsets when there is a row.
    started_ = true;
    lookahead_ = calls_lookahead_;
    for (auto& frame : frames_) {
      GW_TRY(frame->evaluate_offsets());
      lookahead_.add(frame->lookahead());
    }
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].slot >= 0) {
      values_[i] = chunk->columns[static_cast<size_t>(inputs_[i].slot)];
    } else {
      GW_TRY(inputs_[i].expression->evaluate(*chunk, chunk->selection, &values_[i]));
    }
  }
  pending_.rows = chunk->rows;
  pending_.selection = chunk->selection;
  if (pending_.selection.is_all()) pending_.selection.rows = block_rows_.data();
  mark_starts();
  return Status();
}

void WindowOperator::mark_starts() {
  const Selection& selection = pending_.selection;
  starts_.assign(selection.count, kNothing);
  if (!has_last_) starts_[0] = kPartition;
  for (size_t i = 0; i < keys_.size(); ++i) {
    Start start = i < partition_keys_ ? kPartition : kPeers;
    const Vector& keys = *values_[keys_[i].input];
    if (starts_[0] < start && differ(keys.get(selection[0]), last_keys_[i], keys_[i].collation)) {
      starts_[0] = start;
    }
    mark_changes(keys, selection, keys_[i].collation, start, starts_.data());
    last_keys_[i].assign(keys.get(selection[selection.count - 1]));
  }
  has_last_ = true;
}

void WindowOperator::append_pending(uint32_t count) {
  uint32_t row = store_->size();
  for (size_t i = 0; i < stored_.size(); ++i) stored_values_[i] = values_[stored_[i]];
  store_->append(stored_values_, {pending_.selection.rows + pending_first_, count});
  store_->finish();
  for (uint32_t i = 0; i < count; ++i, ++row) {
    uint8_t start = starts_[pending_first_ + i];
    if (start == kPartition) {
      partitions_.push_back({row, static_cast<uint32_t>(groups_.size())});
    }
    if (start != kNothing) groups_.push_back(row);
  }
  pending_first_ += count;
}

bool WindowOperator::is_last_partition_complete() const {
  uint32_t left = pending_.selection.count - pending_first_;
  if (left == 0) return input_ended_;
  return starts_[pending_first_] == kPartition;
}

// Takes more rows into the store. When it holds enough of complete partitions, it is emptied first.
Status WindowOperator::fill() {
  if (pending_first_ == pending_.selection.count && !input_ended_) GW_TRY(next_pending());
  if (is_last_partition_complete() && given_ == store_->size()) {
    forget();
  }
  uint32_t left = pending_.selection.count - pending_first_;
  if (left == 0) return Status();
  uint32_t count = left;
  if (store_->size() + left > kRowsHeld) {
    for (count = 1; count < left && starts_[pending_first_ + count] != kPartition;) ++count;
  }
  append_pending(count);
  return Status();
}

// Rows from the first up to this one can be given.
uint32_t WindowOperator::ready_end() const {
  uint32_t rows = store_->size();
  if (rows == 0 || is_last_partition_complete()) return rows;
  uint32_t first = partitions_.back().first_row;
  if (lookahead_.partition) return first;
  uint32_t end = lookahead_.peers ? groups_.back() : rows;
  uint32_t behind = rows - first;
  uint32_t by_rows = lookahead_.rows >= behind
                         ? first
                         : rows - static_cast<uint32_t>(lookahead_.rows);
  return std::min(end, by_rows);
}

// --- Giving rows out ----------------------------------------------------------------------------------

Status WindowOperator::next(uint32_t max_rows, const Chunk** chunk) {
  output_.selection = Selection();
  *chunk = &output_;
  if (!deferred_.ok()) [[unlikely]] return deferred_;
  while (true) {
    uint32_t ready = ready_end();
    if (given_ < ready) {
      uint32_t in_block = ColumnStore::kBlockRows - given_ % ColumnStore::kBlockRows;
      return give(std::min({max_rows, in_block, ready - given_}));
    }
    bool has_pending = pending_first_ < pending_.selection.count;
    if (input_ended_ && !has_pending) return Status();
    GW_TRY(fill());
  }
}

Status WindowOperator::give(uint32_t count) {
  bytes_.reset();
  uint32_t block = given_ / ColumnStore::kBlockRows;
  uint32_t first = given_ % ColumnStore::kBlockRows;
  for (Call& call : calls_) call.results.begin(first + count);
  uint32_t end = given_ + count;
  compute(given_, &end);
  count = end - given_;
  if (count == 0) return deferred_;
  for (size_t i = 0; i < output_columns_.size(); ++i) {
    const OutputColumn& column = output_columns_[i];
    if (column.is_call) {
      calls_[column.index].results.finish();
      output_.columns[i] = &calls_[column.index].results.vector();
    } else {
      output_.columns[i] = store_->block_column(block, column.index);
    }
  }
  output_.rows = first + count;
  output_.selection = {block_rows_.data() + first, count};
  given_ += count;
  return Status();
}

// All rows are in one block, perhaps of several partitions.
void WindowOperator::compute(uint32_t begin, uint32_t* end) {
  while (begin < *end) {
    while (partition_at_ + 1 < partitions_.size() &&
           partitions_[partition_at_ + 1].first_row <= begin) {
      ++partition_at_;
    }
    while (group_at_ + 1 < groups_.size() && groups_[group_at_ + 1] <= begin) ++group_at_;
    const Partition& partition = partitions_[partition_at_];
    bool is_last = partition_at_ + 1 == partitions_.size();
    size_t groups_end = is_last ? groups_.size() : partitions_[partition_at_ + 1].first_group;
    WindowBatch batch;
    batch.store = store_.get();
    batch.partition = {partition.first_row,
                       is_last ? store_->size() : partitions_[partition_at_ + 1].first_row};
    batch.rows = {begin, std::min(*end, batch.partition.end)};
    batch.groups = std::span(groups_).subspan(partition.first_group,
                                              groups_end - partition.first_group);
    batch.first_group = static_cast<uint32_t>(group_at_ - partition.first_group);
    for (auto& frame : frames_) frame->compute(batch);
    for (Call& call : calls_) {
      const WindowFrame* frame = call.frame < 0 ? nullptr : frames_[call.frame].get();
      Status status = call.call->compute(batch, frame, begin % ColumnStore::kBlockRows, &bytes_,
                                         &call.results);
      if (status.ok()) continue;
      uint32_t failed = begin + call.call->rows_done();
      if (failed >= *end) continue;
      *end = failed;
      deferred_ = std::move(status);
    }
    begin = batch.rows.end;
  }
}

}  // namespace godwit
