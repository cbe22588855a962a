// Aggregates over frames.
//
// Where frames only grow or an aggregate can remove rows, one state moves along with the frame: each
// row is added once and removed once. min() and max() cannot remove; they keep the rows that may
// still become the extreme. With EXCLUDE the state is made anew for each frame, as SQLite does it,
// since sums of reals depend on the way.
#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>

#include "exec/window_call.h"
#include "value/cast.h"
#include "value/record.h"

namespace godwit {

namespace {

constexpr size_t kStateAlignment = 16;
// From so many rows on, a batch step pays.
constexpr uint32_t kBatchStepRows = 4;

const uint16_t* row_numbers() {
  static const std::vector<uint16_t> numbers = [] {
    std::vector<uint16_t> all(ColumnStore::kBlockRows);
    std::iota(all.begin(), all.end(), uint16_t{0});
    return all;
  }();
  return numbers.data();
}

class AggregateCall final : public WindowCall {
 public:
  AggregateCall(const BoundWindowCall& call, WindowArguments arguments, ExecContext* context)
      : function_(*call.aggregate),
        collation_(call.collation),
        arguments_(std::move(arguments)),
        values_(arguments_.columns.size()),
        vectors_(arguments_.columns.size()),
        state_(::operator new(std::max<size_t>(function_.state_size, 1),
                              std::align_val_t{kStateAlignment})),
        context_(context->services, &bytes_,
                 context->services == nullptr ? TextEncoding::kUtf8
                                              : context->services->encoding()) {}
  ~AggregateCall() override {
    reset();
    ::operator delete(state_, std::align_val_t{kStateAlignment});
  }

  Status compute(const WindowBatch& batch, const WindowFrame* frame, uint32_t target, Arena* arena,
                 ColumnBuilder* out) override;
  void reset() override {
    if (!alive_) return;
    // An application may free in its final step what it allocated in others.
    if (!finalized_ && function_.user_data != nullptr) {
      ValueView ignored;
      function_.finalize(context_, state_, &ignored);
      if (context_.failed()) (void)context_.take_status();
    }
    if (function_.destroy != nullptr) function_.destroy(state_);
    alive_ = false;
  }

 private:
  void restart() {
    reset();
    if (function_.state_size > 0) std::memset(state_, 0, function_.state_size);
    if (function_.init != nullptr) function_.init(state_);
    alive_ = true;
    finalized_ = false;
  }
  // The row from which on rows are added after others have been removed.
  static uint32_t last_addition(const WindowBatch& batch, const WindowFrame& frame,
                                const RowRange& wanted) {
    if (frame.unit() == ast::FrameUnit::kRange || wanted.end == wanted.begin) return wanted.begin;
    if (frame.unit() == ast::FrameUnit::kRows) return wanted.end - 1;
    auto next = std::ranges::lower_bound(batch.groups, wanted.end);
    return *(next - 1);
  }
  // The state becomes that of the frame of the batch's row i; *changed: it was another one.
  Status move_to(const WindowBatch& batch, const WindowFrame& frame, uint32_t i, bool* changed);
  Status gather(const WindowBatch& batch, const WindowFrame& frame, uint32_t i, bool* changed);
  Status add(const ColumnStore& store, uint32_t begin, uint32_t end);
  Status add_block(const ColumnStore& store, uint32_t begin, uint32_t end);
  Status remove(const ColumnStore& store, uint32_t begin, uint32_t end);
  bool passes(const ColumnStore& store, uint32_t row) const {
    return arguments_.filter < 0 ||
           value_is_true(store.get(row, static_cast<size_t>(arguments_.filter)));
  }
  void load(const ColumnStore& store, uint32_t row) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = store.get(row, arguments_.columns[i]);
  }
  Status take_error() {
    return context_.failed() ? context_.take_status() : Status();
  }

  const AggregateFunction& function_;
  const Collation* collation_;
  WindowArguments arguments_;
  std::vector<ValueView> values_;
  std::vector<const Vector*> vectors_;
  std::vector<uint16_t> filtered_;
  void* state_;
  bool alive_ = false;
  bool finalized_ = false;
  RowRange held_;               // rows in the state
  std::vector<RowRange> parts_;  // with EXCLUDE: the rows in the state
  Arena bytes_;
  FunctionContext context_;
};

Status AggregateCall::compute(const WindowBatch& batch, const WindowFrame* frame, uint32_t target,
                              Arena* arena, ColumnBuilder* out) {
  context_.begin_call(function_, collation_);
  if (batch.begins_partition()) {
    restart();
    held_ = {batch.partition.begin, batch.partition.begin};
    parts_.clear();
  }
  bool moves = !frame->excludes() && (frame->only_grows() || function_.inverse != nullptr);
  bool has_value = false;
  ValueView value;
  for (uint32_t i = 0; i < batch.rows.size(); ++i) {
    bool changed = false;
    rows_done_ = i;
    GW_TRY(moves ? move_to(batch, *frame, i, &changed) : gather(batch, *frame, i, &changed));
    if (changed || !has_value) {
      value = ValueView::null();
      moves ? function_.value(context_, state_, &value)
            : function_.finalize(context_, state_, &value);
      finalized_ |= !moves;
      GW_TRY(take_error());
      if (value.type >= ValueType::kText && !value.zero_filled && value.size > 0) {
        value.bytes = arena->copy(value.text()).data();
      }
      bytes_.reset();
      has_value = true;
    }
    out->put(target + i, value);
  }
  return Status();
}

Status AggregateCall::move_to(const WindowBatch& batch, const WindowFrame& frame, uint32_t i,
                              bool* changed) {
  RowRange wanted = frame.frame(i);
  *changed = wanted != held_;
  if (!*changed) return Status();
  if (frame.only_grows()) {
    GW_TRY(add(*batch.store, held_.end, wanted.end));
  } else {
    bool removes_first = frame.removes_first() && !frame.is_cut_off(i);
    uint32_t last = removes_first ? last_addition(batch, frame, wanted) : wanted.end;
    last = std::max(last, held_.end);
    GW_TRY(add(*batch.store, held_.end, last));
    GW_TRY(remove(*batch.store, held_.begin, wanted.begin));
    GW_TRY(add(*batch.store, last, wanted.end));
  }
  held_ = {wanted.begin, std::max(held_.end, wanted.end)};
  return Status();
}

Status AggregateCall::gather(const WindowBatch& batch, const WindowFrame& frame, uint32_t i,
                             bool* changed) {
  RowRange parts[3];
  size_t count = frame.parts(i, batch.rows.begin + i, parts);
  *changed = !std::equal(parts, parts + count, parts_.begin(), parts_.end());
  if (!*changed) return Status();
  parts_.assign(parts, parts + count);
  restart();
  for (const RowRange& part : parts_) GW_TRY(add(*batch.store, part.begin, part.end));
  return Status();
}

Status AggregateCall::add(const ColumnStore& store, uint32_t begin, uint32_t end) {
  if (begin >= end) return Status();
  if (end - begin >= kBatchStepRows && function_.batch_step != nullptr) {
    while (begin < end) {
      uint32_t block_end = (begin / ColumnStore::kBlockRows + 1) * ColumnStore::kBlockRows;
      GW_TRY(add_block(store, begin, std::min(end, block_end)));
      begin = std::min(end, block_end);
    }
    return Status();
  }
  for (uint32_t row = begin; row < end; ++row) {
    if (!passes(store, row)) continue;
    load(store, row);
    function_.step(context_, state_, values_);
  }
  return take_error();
}

// All rows are in one block.
Status AggregateCall::add_block(const ColumnStore& store, uint32_t begin, uint32_t end) {
  uint32_t block = begin / ColumnStore::kBlockRows;
  for (size_t i = 0; i < vectors_.size(); ++i) {
    vectors_[i] = store.block_column(block, arguments_.columns[i]);
  }
  const uint16_t* rows = row_numbers() + begin % ColumnStore::kBlockRows;
  uint32_t count = end - begin;
  if (arguments_.filter >= 0) {
    filtered_.resize(count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (passes(store, begin + i)) filtered_[kept++] = rows[i];
    }
    rows = filtered_.data();
    count = kept;
  }
  if (count == 0) return Status();
  function_.batch_step(context_, state_, vectors_, {rows, count});
  return take_error();
}

Status AggregateCall::remove(const ColumnStore& store, uint32_t begin, uint32_t end) {
  for (uint32_t row = begin; row < end; ++row) {
    if (!passes(store, row)) continue;
    load(store, row);
    function_.inverse(context_, state_, values_);
  }
  return take_error();
}

// min() and max() over frames whose start moves. Of equal values the last one counts, as in SQLite.
class ExtremeCall final : public WindowCall {
 public:
  ExtremeCall(const BoundWindowCall& call, WindowArguments arguments)
      : is_max_(call.aggregate->intrinsic == AggregateIntrinsic::kMax),
        collation_(call.collation),
        column_(arguments.columns[0]),
        filter_(arguments.filter) {}

  Status compute(const WindowBatch& batch, const WindowFrame* frame, uint32_t target, Arena*,
                 ColumnBuilder* out) override {
    const ColumnStore& store = *batch.store;
    if (batch.begins_partition()) {
      candidates_.clear();
      added_ = batch.partition.begin;
    }
    for (uint32_t i = 0; i < batch.rows.size(); ++i) {
      RowRange wanted = frame->frame(i);
      for (; added_ < wanted.end; ++added_) push(store, added_);
      while (!candidates_.empty() && candidates_.front() < wanted.begin) candidates_.pop_front();
      bool found = !candidates_.empty() && wanted.size() > 0;
      out->put(target + i, found ? store.get(candidates_.front(), column_) : ValueView::null());
    }
    return Status();
  }
  void reset() override { candidates_.clear(); }

 private:
  void push(const ColumnStore& store, uint32_t row) {
    if (filter_ >= 0 && !value_is_true(store.get(row, static_cast<size_t>(filter_)))) return;
    ValueView value = store.get(row, column_);
    if (value.is_null()) return;
    while (!candidates_.empty()) {
      int order = compare_values(store.get(candidates_.back(), column_), value, collation_);
      if (is_max_ ? order > 0 : order < 0) break;
      candidates_.pop_back();
    }
    candidates_.push_back(row);
  }

  bool is_max_;
  const Collation* collation_;
  size_t column_;
  int64_t filter_;
  std::deque<uint32_t> candidates_;  // each better than all behind it
  uint32_t added_ = 0;
};

}  // namespace

std::unique_ptr<WindowCall> make_window_aggregate(const BoundWindowCall& call,
                                                  WindowArguments arguments,
                                                  const WindowFrame& frame, ExecContext* context) {
  AggregateIntrinsic intrinsic = call.aggregate->intrinsic;
  bool is_extreme = intrinsic == AggregateIntrinsic::kMin || intrinsic == AggregateIntrinsic::kMax;
  if (is_extreme && !frame.only_grows() && !frame.excludes()) {
    return std::make_unique<ExtremeCall>(call, std::move(arguments));
  }
  return std::make_unique<AggregateCall>(call, std::move(arguments), context);
}

}  // namespace godwit
