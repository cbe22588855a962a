// Grouping: see aggregate.h.
#include "exec/aggregate.h"

#include <algorithm>

namespace godwit {

namespace {

std::vector<SortKey> group_order(const AggregateNode& node) {
  std::vector<SortKey> keys;
  if (node.method == AggregateMethod::kSorted) return keys;  // they come in order
  for (size_t i = 0; i < node.core->group_by.size(); ++i) {
    bool descending = i < node.descending.size() && node.descending[i];
    keys.push_back({i, node.core->group_collations[i], descending, !descending});
  }
  return keys;
}

}  // namespace

AggregateOperator::AggregateOperator(const AggregateNode& node, std::unique_ptr<Operator> child,
                                     ExecContext* context)
    : node_(node),
      child_(std::move(child)),
      context_(context),
      table_(node.core->group_collations),
      keys_(node.core->group_by.size(), group_order(node)),
      bare_(node.core->bare_columns.size()) {}

Result<std::unique_ptr<Operator>> AggregateOperator::make(const AggregateNode& node,
                                                          std::unique_ptr<Operator> child,
                                                          ExecContext* context, OuterRow* outer) {
  std::unique_ptr<AggregateOperator> aggregate(
      new AggregateOperator(node, std::move(child), context));
  GW_TRY(aggregate->prepare(outer));
  return std::unique_ptr<Operator>(std::move(aggregate));
}

Status AggregateOperator::prepare(OuterRow* outer) {
  const BoundCore& core = *node_.core;
  Layout layout{node_.child->output};
  for (const BoundExpr* key : core.group_by) {
    GW_ASSIGN(auto expression, compile_expression(*key, layout, context_, outer));
    key_expressions_.push_back(std::move(expression));
  }
  for (const BoundExpr* bare : core.bare_columns) {
    GW_ASSIGN(auto expression, compile_expression(*bare, layout, context_, outer));
    bare_expressions_.push_back(std::move(expression));
  }
  bool grouped = node_.method != AggregateMethod::kSingle;
  GW_ASSIGN(aggregates_,
            AggregateSet::make(core.aggregates, layout, context_, outer, grouped));
  auto is_extreme = [](const BoundAggregate* a) { return a->is_min || a->is_max; };
  choosing_ = !core.bare_columns.empty() &&
              std::any_of(core.aggregates.begin(), core.aggregates.end(), is_extreme);
  if (node_.first_row_only) {
    GW_ASSIGN(first_row_value_,
              compile_expression(*core.aggregates[0]->args[0], layout, context_, outer));
  }
  builders_.resize(node_.output.size());
  values_.resize(node_.output.size());
  output_.columns.resize(node_.output.size());
  return Status();
}

void AggregateOperator::begin_run() {
  forget_groups();
  started_ = collected_ = false;
  given_ = 0;
  deferred_ = Status();
  ramp_.reset();
}

Status AggregateOperator::open() {
  begin_run();
  return child_->open();
}

Status AggregateOperator::reopen() {
  begin_run();
  return child_->reopen();
}

void AggregateOperator::close() {
  forget_groups();
  child_->close();
}

void AggregateOperator::forget_groups() {
  aggregates_->reset();
  table_.clear();
  keys_.clear();
  groups_.clear();
  bare_.clear();
}

void AggregateOperator::add_group() { groups_.push_back(aggregates_->create_group()); }

// --- Taking rows in ---------------------------------------------------------------------------------

// Takes one more chunk. Groups that come sorted are complete as soon as the next one begins.
Status AggregateOperator::collect_chunk() {
  GW_TRY(context_->check_interrupt());
  const Chunk* chunk = nullptr;
  GW_TRY(child_->next(ramp_.next(), &chunk));
  if (!chunk->at_end()) return take_chunk(*chunk);
  collected_ = true;
  keys_.sort();
  bare_.finish();
  return Status();
}

// min() or max() over rows that come in its order: the first one that is not NULL has the value. If
// all are NULL, bare columns are those of the first row.
Status AggregateOperator::collect_first_row() {
  collected_ = true;
  bool is_first = true;
  while (true) {
    const Chunk* chunk = nullptr;
    GW_TRY(child_->next(ramp_.next(), &chunk));
    if (chunk->at_end()) return Status();
    const Vector* values = nullptr;
    GW_TRY(first_row_value_->evaluate(*chunk, chunk->selection, &values));
    uint32_t i = 0;
    while (i < chunk->size() && values->is_null(chunk->selection[i])) ++i;
    if (i == chunk->size() && !is_first) continue;
    bool found = i < chunk->size();
    auto row = static_cast<uint16_t>(chunk->selection[found ? i : 0]);
    Chunk one = *chunk;
    one.selection = {&row, 1};
    bare_.clear();
    GW_TRY(take_chunk(one));
    bare_.finish();
    if (found) return Status();
    is_first = false;
  }
}

Status AggregateOperator::evaluate(const std::vector<std::unique_ptr<Expression>>& expressions,
                                   const Chunk& chunk, std::vector<const Vector*>* values) {
  values->resize(expressions.size());
  for (size_t i = 0; i < expressions.size(); ++i) {
    GW_TRY(expressions[i]->evaluate(chunk, chunk.selection, &(*values)[i]));
  }
  return Status();
}

Status AggregateOperator::take_chunk(const Chunk& chunk) {
  GW_TRY(aggregates_->begin_chunk(chunk, chunk.selection));
  if (choosing_ || bare_.empty() || node_.method != AggregateMethod::kSingle) {
    GW_TRY(evaluate(bare_expressions_, chunk, &bare_values_));
  }
  if (row_groups_.size() < chunk.size()) {
    row_groups_.resize(chunk.size());
    chosen_.resize(chunk.size());
    numbers_.resize(chunk.size());
    new_rows_.resize(chunk.size());
  }
  return node_.method == AggregateMethod::kSingle ? take_single(chunk) : take_grouped(chunk);
}

Status AggregateOperator::take_single(const Chunk& chunk) {
  if (bare_.empty()) {
    auto first = static_cast<uint16_t>(chunk.selection[0]);
    bare_.append(bare_values_, {&first, 1});
  }
  if (!choosing_) return aggregates_->step_range(groups_[0], 0, chunk.size());
  std::fill_n(row_groups_.begin(), chunk.size(), groups_[0]);
  GW_TRY(aggregates_->step_groups(row_groups_.data(), chosen_.data()));
  for (uint32_t i = chunk.size(); i-- > 0;) {
    if (chosen_[i] == 0) continue;
    // The last row that was chosen stays.
    auto row = static_cast<uint16_t>(chunk.selection[i]);
    bare_.clear();
    bare_.append(bare_values_, {&row, 1});
    break;
  }
  return Status();
}

Status AggregateOperator::take_grouped(const Chunk& chunk) {
  GW_TRY(evaluate(key_expressions_, chunk, &key_values_));
  const uint32_t first_new_group = table_.size();
  uint32_t next_number = first_new_group;
  table_.find_or_insert(key_values_, chunk.selection, numbers_.data());
  uint32_t new_count = 0;
  for (uint32_t i = 0; i < chunk.size(); ++i) {
    if (numbers_[i] == next_number) {
      ++next_number;
      add_group();
      new_rows_[new_count++] = static_cast<uint16_t>(chunk.selection[i]);
    }
    row_groups_[i] = groups_[numbers_[i]];
  }
  if (new_count > 0) {
    keys_.append(key_values_, {new_rows_.data(), new_count});
    if (!choosing_) bare_.append(bare_values_, {new_rows_.data(), new_count});
  }
  GW_TRY(aggregates_->step_groups(row_groups_.data(), choosing_ ? chosen_.data() : nullptr));
  if (choosing_) choose_bare_rows(chunk, first_new_group);
  return Status();
}

// Bare columns of the rows that are the first of a group or were chosen.
void AggregateOperator::choose_bare_rows(const Chunk& chunk, uint32_t first_new_group) {
  size_t width = bare_expressions_.size();
  if (chosen_bare_.size() < groups_.size() * width) chosen_bare_.resize(groups_.size() * width);
  uint32_t next_new = first_new_group;
  for (uint32_t i = 0; i < chunk.size(); ++i) {
    bool is_new = numbers_[i] == next_new;
    if (is_new) ++next_new;
    if (!is_new && chosen_[i] == 0) continue;
    for (size_t c = 0; c < width; ++c) {
      chosen_bare_[numbers_[i] * width + c].assign(bare_values_[c]->get(chunk.selection[i]));
    }
  }
}

// --- Giving groups out ------------------------------------------------------------------------------

uint32_t AggregateOperator::complete_groups() const {
  auto groups = static_cast<uint32_t>(groups_.size());
  if (collected_) return groups;
  return node_.method == AggregateMethod::kSorted && groups > 0 ? groups - 1 : 0;
}

Status AggregateOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!deferred_.ok()) [[unlikely]] return deferred_;
  if (!started_) {
    started_ = true;
    if (node_.method == AggregateMethod::kSingle) add_group();
    if (node_.first_row_only) GW_TRY(collect_first_row());
  }
  while (!collected_ && complete_groups() == given_) GW_TRY(collect_chunk());
  if (!collected_) {  // sorted groups, readable so far
    keys_.sort();
    bare_.finish();
  }
  GW_TRY(context_->check_interrupt());
  uint32_t count = std::min(max_rows, complete_groups() - given_);
  if (count > 0) GW_TRY(load_output(&count));
  given_ += count;
  output_.rows = count;
  output_.selection = {nullptr, count};
  *chunk = &output_;
  return Status();
}

Status AggregateOperator::load_output(uint32_t* wanted) {
  const BoundCore& core = *node_.core;
  bool single = node_.method == AggregateMethod::kSingle;
  uint32_t count = *wanted;
  output_groups_.resize(count);
  output_states_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    output_groups_[i] = single ? 0 : keys_.row(given_ + i);
    output_states_[i] = groups_[output_groups_[i]];
  }
  Selection all{nullptr, count};
  for (size_t slot = 0; slot < node_.output.size(); ++slot) {
    auto column = static_cast<size_t>(node_.output[slot].column);
    ColumnBuilder& builder = builders_[slot];
    output_.columns[slot] = &builder.vector();
    builder.begin(count);
    if (column < core.group_by.size()) {
      keys_.rows().gather(column, output_groups_.data(), all, &builder);
      builder.finish();
      continue;
    }
    column -= core.group_by.size();
    if (column < core.aggregates.size()) {
      std::span<void* const> states(output_states_.data(), *wanted);
      Status status = aggregates_->finalize(column, states, &values_[slot], wanted);
      if (!status.ok()) [[unlikely]] {
        if (*wanted == 0) return status;
        deferred_ = std::move(status);
      }
      output_.columns[slot] = &values_[slot];
      continue;
    }
    column -= core.aggregates.size();
    for (uint32_t i = 0; i < count; ++i) builder.put(i, bare_value(output_groups_[i], column));
    builder.finish();
  }
  return Status();
}

ValueView AggregateOperator::bare_value(uint32_t group, size_t column) const {
  if (node_.method == AggregateMethod::kSingle) {
    return bare_.empty() ? ValueView::null() : bare_.get(0, column);
  }
  if (choosing_) return chosen_bare_[group * bare_expressions_.size() + column];
  return bare_.get(group, column);
}

}  // namespace godwit
