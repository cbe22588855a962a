// The join loop: see access.h.
#include "exec/access.h"

#include <algorithm>
#include <numeric>

#include "exec/expr_columns.h"
#include "exec/filter.h"

namespace godwit {

namespace {

int find_column(std::span<const ColumnRef> columns, const ColumnRef& column) {
  auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

// Rows asked for at once where the first match is wanted and conditions may drop some.
constexpr uint32_t kFirstMatchStep = 4;

uint32_t grown(uint32_t rows) { return std::min(rows * 8, kChunkRowsMax); }

}  // namespace

Result<std::unique_ptr<Operator>> AccessOperator::make(const AccessNode& node,
                                                       std::unique_ptr<Operator> child,
                                                       ExecContext* context, OuterRow* outer) {
  std::unique_ptr<AccessOperator> access(new AccessOperator(node, std::move(child), context));
  GW_TRY(access->prepare(outer));
  return std::unique_ptr<Operator>(std::move(access));
}

Status AccessOperator::prepare(OuterRow* outer) {
  left_columns_ = node_.child->output.size();
  layout_.reserve(left_columns_ + node_.columns.size());
  layout_.assign(node_.child->output.begin(), node_.child->output.end());
  for (int32_t column : node_.columns) layout_.push_back({node_.source->id, column});

  left_builders_.resize(left_columns_);
  RowSourceSpec spec{&node_, node_.child->output, std::vector<bool>(node_.columns.size(), false),
                     context_, outer};
  auto mark_early = [&](const ColumnRef& column) {
    int slot = find_column(layout_, column);
    if (slot < 0) return;
    if (static_cast<size_t>(slot) < left_columns_) {
      left_builders_[slot].when = When::kEarly;
    } else {
      spec.early[slot - left_columns_] = true;
    }
  };
  Layout layout{layout_};
  if (node_.on != nullptr) {
    for_each_column(*node_.on, mark_early);
    GW_ASSIGN(on_, compile_expression(*node_.on, layout, context_, outer));
  }
  if (node_.filter != nullptr) {
    for_each_column(*node_.filter, mark_early);
    GW_ASSIGN(filter_, compile_expression(*node_.filter, layout, context_, outer));
  }
  output_slots_.reserve(node_.output.size());
  for (const ColumnRef& column : node_.output) {
    int slot = find_column(layout_, column);
    if (slot < 0) return Status(code::kInternal, "a plan node gives a column that it does not have");
    output_slots_.push_back(static_cast<uint32_t>(slot));
    if (static_cast<size_t>(slot) < left_columns_ && left_builders_[slot].when == When::kNever) {
      left_builders_[slot].when = When::kLate;
    }
  }
  candidates_.columns.resize(layout_.size());
  output_.columns.resize(output_slots_.size());
  GW_ASSIGN(source_, make_row_source(std::move(spec)));
  return Status();
}

void AccessOperator::begin_run() {
  phase_ = Phase::kLeft;
  left_ = nullptr;
  left_position_ = 0;
  row_active_ = null_due_ = row_matched_ = row_taken_ = false;
  survivors_ = Selection();
  emitted_ = 0;
  batch_rows_ = 0;
  deferred_ = Status();
}

Status AccessOperator::open() {
  begin_run();
  GW_TRY(child_->open());
  return source_->open();
}

Status AccessOperator::reopen() {
  begin_run();
  GW_TRY(child_->reopen());
  return source_->reopen();
}

void AccessOperator::close() {
  source_->close();
  child_->close();
  left_ = nullptr;
  phase_ = Phase::kEnd;
}

Status AccessOperator::next(uint32_t max_rows, const Chunk** chunk) {
  GW_TRY(context_->check_interrupt());
  const uint32_t batch_max = source_->max_batch();
  uint32_t rows = std::min(max_rows, batch_max);
  while (emitted_ == survivors_.count) {
    if (!deferred_.ok()) [[unlikely]]
      return deferred_;
    survivors_ = Selection();
    emitted_ = 0;
    GW_TRY(fill(rows));
    if (batch_rows_ == 0) {
      output_.selection = Selection();
      *chunk = &output_;
      return Status();
    }
    GW_TRY(evaluate());
    rows = std::min(grown(rows), batch_max);
    if (survivors_.count == 0) GW_TRY(context_->check_interrupt());
  }
  emit(max_rows, chunk);
  return Status();
}

void AccessOperator::emit(uint32_t max_rows, const Chunk** chunk) {
  uint32_t count = std::min(max_rows, survivors_.count - emitted_);
  for (size_t i = 0; i < output_slots_.size(); ++i) {
    output_.columns[i] = candidates_.columns[output_slots_[i]];
  }
  output_.rows = batch_rows_;
  if (survivors_.is_all() && count < survivors_.count) {
    uint16_t* rows = spare(survivors_);
    std::iota(rows, rows + survivors_.count, uint16_t{0});
    survivors_.rows = rows;
  }
  output_.selection = {survivors_.is_all() ? nullptr : survivors_.rows + emitted_, count};
  emitted_ += count;
  *chunk = &output_;
}

// --- Making a batch -------------------------------------------------------------------------------

// Makes left_position_ a row of left_, or changes the phase when there are no more.
Status AccessOperator::next_left(uint32_t rows) {
  if (left_ != nullptr && left_position_ < left_->size()) return Status();
  GW_TRY(child_->next(rows, &left_));
  left_position_ = 0;
  carried_matched_ = carried_taken_ = false;
  if (!left_->at_end()) return source_->begin_left(*left_);
  if (keeps_right()) {
    phase_ = Phase::kUnmatched;
    return source_->begin_unmatched();
  }
  phase_ = Phase::kEnd;
  return Status();
}

Status AccessOperator::fill(uint32_t rows) {
  batch_rows_ = 0;
  if (left_rows_.size() < rows) {
    left_rows_.resize(rows);
    rows_a_.resize(rows);
    rows_b_.resize(rows);
  }
  null_rows_.clear();
  identity_ = true;
  carried_matched_ = row_active_ && row_matched_;
  carried_taken_ = row_active_ && row_taken_;
  if (row_active_) carried_row_ = left_->selection[left_position_];
  source_->begin_batch(rows);
  uint32_t left_rows = rows;
  while (batch_rows_ == 0 && phase_ == Phase::kLeft) {
    GW_TRY(next_left(left_rows));
    left_rows = grown(left_rows);
    while (phase_ == Phase::kLeft && left_position_ < left_->size() && batch_rows_ < rows &&
           deferred_.ok()) {
      GW_TRY(fill_left_row(rows));
      if (row_active_ && node_.first_match_only) break;
    }
  }
  if (phase_ == Phase::kUnmatched) return fill_unmatched(rows);
  return Status();
}

// Appends candidates of the left row at left_position_, and moves on when they are complete.
Status AccessOperator::fill_left_row(uint32_t rows) {
  uint32_t left_row = left_->selection[left_position_];
  if (!row_active_) {
    GW_TRY(source_->seek(left_row));
    row_active_ = true;
    null_due_ = row_matched_ = row_taken_ = false;
    // Most keys find a few rows: when fewer come than were asked for, the next left row can follow
    // in the same batch.
    first_match_step_ = on_ == nullptr && filter_ == nullptr ? 1 : kFirstMatchStep;
  }
  if (!null_due_) {
    uint32_t want = rows - batch_rows_;
    bool any_match_will_do = node_.first_match_only && on_ == nullptr && filter_ == nullptr;
    if (node_.first_match_only) want = std::min(want, first_match_step_);
    uint32_t fetched = 0;
    Status status;
    if (!row_taken_) status = source_->fetch(want, &fetched);
    append_candidates(fetched);
    if (!status.ok()) {
      // The rows before it come first.
      if (batch_rows_ == 0) return status;
      deferred_ = std::move(status);
      return Status();
    }
    first_match_step_ = grown(first_match_step_);
    bool complete = fetched < want || row_taken_ || any_match_will_do;
    if (!complete) return Status();
    null_due_ = keeps_left();
  }
  if (null_due_) {
    if (batch_rows_ == rows) return Status();
    null_rows_.push_back(static_cast<uint16_t>(batch_rows_));
    source_->append_null();
    append_candidates(1);
    null_due_ = false;
  }
  row_active_ = false;
  ++left_position_;
  return Status();
}

void AccessOperator::append_candidates(uint32_t count) {
  if (count == 0) return;
  auto left_row = static_cast<uint16_t>(left_->selection[left_position_]);
  identity_ = identity_ && count == 1 && left_row == batch_rows_;
  std::fill_n(left_rows_.begin() + batch_rows_, count, left_row);
  batch_rows_ += count;
}

Status AccessOperator::fill_unmatched(uint32_t rows) {
  uint32_t fetched = 0;
  GW_TRY(source_->fetch(rows, &fetched));
  batch_rows_ = fetched;
  if (fetched == 0) phase_ = Phase::kEnd;
  return Status();
}

// --- From candidates to survivors -----------------------------------------------------------------

// The left columns that are due: constants when all candidates have the same left row, the left
// chunk's own vectors when candidate i has left row i, else gathered.
void AccessOperator::load_left(When when, const Selection& rows) {
  bool single = batch_rows_ > 0 && left_rows_[0] == left_rows_[batch_rows_ - 1];
  for (size_t i = 0; i < left_columns_; ++i) {
    LeftColumn& column = left_builders_[i];
    if (column.when != when) continue;
    if (phase_ == Phase::kUnmatched) {
      column.builder.mutable_vector().set_constant_value(ValueView::null());
    } else if (const Vector* from = left_->columns[i]; from->is_constant() || identity_) {
      candidates_.columns[i] = from;
      continue;
    } else if (single) {
      column.builder.mutable_vector().set_constant_value(from->get(left_rows_[0]));
    } else {
      column.builder.begin(batch_rows_);
      column.builder.gather_selected(*from, left_rows_.data(), rows);
      column.builder.finish();
    }
    candidates_.columns[i] = &column.builder.vector();
  }
}

Status AccessOperator::evaluate() {
  Selection all{nullptr, batch_rows_};
  candidates_.rows = batch_rows_;
  candidates_.selection = all;
  sound_rows_ = batch_rows_;
  load_left(When::kEarly, all);
  GW_TRY(source_->load(true, all));
  for (size_t i = left_columns_; i < layout_.size(); ++i) {
    candidates_.columns[i] = source_->column(i - left_columns_);
  }

  Selection rows = all;
  if (phase_ == Phase::kLeft) {
    apply_on(&rows);
    if (keeps_right()) GW_TRY(source_->mark_matched(rows));
    if (keeps_left()) add_unmatched_left(&rows);
  }
  if (filter_ != nullptr) rows = passing(filter_.get(), rows);
  if (node_.first_match_only && phase_ == Phase::kLeft) keep_first_matches(&rows);

  load_left(When::kLate, rows);
  GW_TRY(source_->load(false, rows));
  for (size_t i = left_columns_; i < layout_.size(); ++i) {
    candidates_.columns[i] = source_->column(i - left_columns_);
  }
  survivors_ = rows;
  return Status();
}

// Leaves the candidates that match, without the NULL rows.
void AccessOperator::apply_on(Selection* rows) {
  if (!null_rows_.empty()) {
    uint16_t* real = spare(*rows);
    uint32_t count = 0;
    size_t null_index = 0;
    for (uint32_t row = 0; row < batch_rows_; ++row) {
      if (null_index < null_rows_.size() && null_rows_[null_index] == row) {
        ++null_index;
      } else {
        real[count++] = static_cast<uint16_t>(row);
      }
    }
    *rows = {real, count};
  }
  if (on_ != nullptr) *rows = passing(on_.get(), *rows);
}

// Merges the NULL rows of left rows without a match into the matches.
void AccessOperator::add_unmatched_left(Selection* rows) {
  remember_active_row(*rows, &row_matched_);
  if (null_rows_.empty()) return;
  const Selection matches = *rows;
  uint16_t* merged = spare(matches);
  uint32_t count = 0;
  uint32_t next_match = 0;
  uint32_t last_matched = UINT32_MAX;  // left row
  // The first left row of a batch may have had matches in earlier ones.
  if (carried_matched_) last_matched = carried_row_;
  for (uint16_t null_row : null_rows_) {
    if (null_row >= sound_rows_) break;
    while (next_match < matches.count && matches[next_match] < null_row) {
      uint32_t match = matches[next_match++];
      last_matched = left_rows_[match];
      merged[count++] = static_cast<uint16_t>(match);
    }
    if (last_matched != left_rows_[null_row]) merged[count++] = null_row;
  }
  while (next_match < matches.count) merged[count++] = static_cast<uint16_t>(matches[next_match++]);
  *rows = {merged, count};
}

// Sets *flag if the left row whose candidates go on in the next batch is among `rows`.
void AccessOperator::remember_active_row(const Selection& rows, bool* flag) const {
  if (!row_active_ || rows.count == 0) return;
  if (left_rows_[rows[rows.count - 1]] == left_->selection[left_position_]) *flag = true;
}

void AccessOperator::keep_first_matches(Selection* rows) {
  remember_active_row(*rows, &row_taken_);
  const Selection matches = *rows;
  uint16_t* first = spare(matches);
  uint32_t count = 0;
  uint32_t last = carried_taken_ ? carried_row_ : UINT32_MAX;
  for (uint32_t i = 0; i < matches.count; ++i) {
    uint32_t row = matches[i];
    if (left_rows_[row] == last) continue;
    last = left_rows_[row];
    first[count++] = static_cast<uint16_t>(row);
  }
  *rows = {first, count};
}

// Keeps the candidates in `in` for which `condition` is true. An error is deferred: see invariant 4.
Selection AccessOperator::passing(Expression* condition, const Selection& in) {
  return filter_until_error(condition, candidates_, in, spare(in), &deferred_, &sound_rows_);
}

}  // namespace godwit
