#include "exec/sort.h"

#include <algorithm>
#include <numeric>

namespace godwit {

const Chunk* SortedRows::next(const RowSorter& sorter, uint32_t max_rows) {
  uint32_t count = std::min(max_rows, sorter.size() - position_);
  rows_.resize(count);
  for (uint32_t i = 0; i < count; ++i) rows_[i] = sorter.row(position_ + i);
  for (size_t i = 0; i < builders_.size(); ++i) {
    builders_[i].begin(count);
    sorter.rows().gather(i, rows_.data(), {nullptr, count}, &builders_[i]);
    builders_[i].finish();
    output_.columns[i] = &builders_[i].vector();
  }
  position_ += count;
  output_.rows = count;
  output_.selection = {nullptr, count};
  return &output_;
}

Result<std::unique_ptr<Operator>> SortOperator::make(const SortNode& node,
                                                     std::unique_ptr<Operator> child,
                                                     ExecContext* context, OuterRow* outer) {
  std::span<const ColumnRef> columns = node.child->output;
  std::unique_ptr<SortOperator> sort(
      new SortOperator(std::move(child), context, columns.size()));
  sort->columns_ = columns.size();
  std::vector<SortKey> keys;
  for (const OrderTerm& term : node.terms) {
    SortKey key{0, term.collation, term.descending, term.nulls_first};
    auto found = std::find(columns.begin(), columns.end(), term.expr->column);
    if (term.expr->kind == ExprKind::kColumn && found != columns.end()) {
      key.column = static_cast<size_t>(found - columns.begin());
    } else {
      key.column = columns.size() + sort->keys_.size();
      GW_ASSIGN(auto expression, compile_expression(*term.expr, {columns}, context, outer));
      sort->keys_.push_back(std::move(expression));
    }
    keys.push_back(key);
  }
  sort->presorted_.assign(keys.begin(), keys.begin() + node.presorted_terms);
  keys.erase(keys.begin(), keys.begin() + node.presorted_terms);
  sort->sorter_.emplace(columns.size() + sort->keys_.size(), std::move(keys));
  GW_TRY(sort->bounds_.prepare(node.limit, node.offset, context, outer));
  return std::unique_ptr<Operator>(std::move(sort));
}

Status SortOperator::open() {
  started_ = false;
  input_ended_ = false;
  input_.selection = Selection();
  sorter_->clear();
  sorted_.rewind();
  runs_.reset();
  must_fit_ = false;
  ramp_.reset();
  return child_->open();
}

void SortOperator::close() {
  runs_.reset();
  sorter_->clear();
  child_->close();
}

Status SortOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!started_) {
    GW_TRY(bounds_.evaluate());
    started_ = true;
    if (bounds_.limit() == 0) input_ended_ = true;
  }
  while (true) {
    if (runs_ != nullptr) {
      GW_TRY(runs_->next(max_rows, chunk));
    } else {
      *chunk = sorted_.next(*sorter_, max_rows);
    }
    bool more_input = !input_ended_ || input_.size() > 0;
    if (!(*chunk)->at_end() || !more_input) return Status();
    GW_TRY(collect());
  }
}

// Makes input_ hold rows, unless there are no more.
Status SortOperator::next_input() {
  if (input_.size() > 0 || input_ended_) return Status();
  GW_TRY(context_->check_interrupt());
  const Chunk* chunk = nullptr;
  GW_TRY(child_->next(ramp_.next(), &chunk));
  if (chunk->at_end()) {
    input_ended_ = true;
    return Status();
  }
  input_.columns = chunk->columns;
  input_.rows = chunk->rows;
  input_.selection = chunk->selection;
  for (const auto& key : keys_) {
    const Vector* values = nullptr;
    GW_TRY(key->evaluate(*chunk, chunk->selection, &values));
    input_.columns.push_back(values);
  }
  return Status();
}

// Sorts the next run of rows that are equal on the presorted terms (all rows, if there are none).
Status SortOperator::collect() {
  runs_.reset();
  sorter_->clear();
  sorter_->set_limit(bounds_.rows_needed());
  sorted_.rewind();
  std::vector<Value> run;  // values of the presorted terms
  while (true) {
    GW_TRY(next_input());
    if (input_.size() == 0) break;
    uint32_t count = input_.size();
    if (!presorted_.empty()) {
      if (run.empty()) {
        for (const SortKey& key : presorted_) {
          run.emplace_back(input_.columns[key.column]->get(input_.selection[0]));
        }
      }
      auto is_in_run = [&](uint32_t row) {
        for (size_t i = 0; i < run.size(); ++i) {
          ValueView value = input_.columns[presorted_[i].column]->get(row);
          if (compare_key_values(presorted_[i], run[i], value) != 0) return false;
        }
        return true;
      };
      count = 0;
      while (count < input_.size() && is_in_run(input_.selection[count])) ++count;
    }
    sorter_->append(input_.columns, {input_.selection.rows, count});
    if (count < input_.size()) {
      drop_input(count);
      break;
    }
    input_.selection = Selection();
    if (sorter_->bytes_held() > context_->memory_budget_bytes && !must_fit_) GW_TRY(spill());
  }
  return finish_run();
}

// Everything is there: puts it in order.
Status SortOperator::finish_run() {
  if (runs_ == nullptr) {
    sorter_->sort();
    return Status();
  }
  GW_TRY(spill());
  return runs_->start_merge();
}

// Sorts the rows in memory and moves them to the temporary file.
Status SortOperator::spill() {
  if (runs_ == nullptr) {
    GW_ASSIGN(auto file, context_->services->open_temporary_file());
    must_fit_ = file == nullptr;
    if (must_fit_) return Status();
    runs_ = std::make_unique<SortRuns>(std::move(file), sorter_->keys(), sorter_->column_count(),
                                       bounds_.rows_needed());
  }
  sorter_->sort();
  GW_TRY(runs_->add(*sorter_));
  sorter_->clear();
  sorter_->set_limit(bounds_.rows_needed());
  return Status();
}

// Forgets the first `count` rows of input_.
void SortOperator::drop_input(uint32_t count) {
  uint32_t left = input_.selection.count - count;
  if (input_.selection.is_all()) {
    rest_.resize(input_.selection.count);
    std::iota(rest_.begin(), rest_.end(), uint16_t{0});
    input_.selection.rows = rest_.data();
  }
  input_.selection = {input_.selection.rows + count, left};
}

}  // namespace godwit
