#include "exec/window_frame.h"

#include <algorithm>
#include <string>

#include "exec/arithmetic_kernels.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

using Bound = ast::FrameBoundKind;
using Unit = ast::FrameUnit;
using Exclude = ast::FrameExclude;

Result<std::unique_ptr<WindowFrame>> WindowFrame::make(const BoundWindow& window,
                                                       const SortKey* key, ExecContext* context,
                                                       OuterRow* outer) {
  auto frame = std::make_unique<WindowFrame>();
  frame->unit_ = window.unit;
  frame->exclude_ = window.exclude;
  frame->has_exclude_ = window.has_exclude;
  frame->start_.kind = window.start;
  frame->end_.kind = window.end;
  if (key != nullptr) frame->key_ = *key;
  if (window.start_offset != nullptr) {
    GW_ASSIGN(frame->start_.offset,
              compile_expression(*window.start_offset, Layout(), context, outer));
  }
  if (window.end_offset != nullptr) {
    GW_ASSIGN(frame->end_.offset,
              compile_expression(*window.end_offset, Layout(), context, outer));
  }
  bool is_range = window.unit == Unit::kRange;
  frame->removes_first_ = window.end != Bound::kUnboundedFollowing &&
                          (!is_range || (window.start <= Bound::kCurrentRow &&
                                         window.end >= Bound::kCurrentRow));
  frame->frames_.resize(kChunkRowsMax);
  frame->cut_off_.resize(kChunkRowsMax);
  if (frame->excludes()) frame->peers_.resize(kChunkRowsMax);
  return frame;
}

Status WindowFrame::evaluate_offsets() {
  if (start_.has_offset()) GW_TRY(evaluate_offset(&start_, "starting"));
  if (end_.has_offset()) GW_TRY(evaluate_offset(&end_, "ending"));
  always_empty_ = false;
  if (!start_.has_offset() || start_.kind != end_.kind || unit_ == Unit::kRange) return Status();
  bool preceding = start_.kind == Bound::kPreceding;
  always_empty_ = preceding ? start_.count < end_.count : start_.count > end_.count;
  return Status();
}

Status WindowFrame::evaluate_offset(Edge* edge, std::string_view which) {
  ValueView value;
  GW_TRY(evaluate_scalar(edge->offset.get(), &value));
  if (value.is_text()) apply_numeric_affinity_to_text(&value);
  std::string_view wanted = "number";
  if (unit_ == Unit::kRange) {
    bool is_negative = value.is_integer() ? value.integer < 0 : !(value.real >= 0);
    if (value.is_number() && !is_negative) {
      edge->distance = value;
      return Status();
    }
  } else {
    wanted = "integer";
    int64_t count = -1;
    bool is_integer = value.is_real() && real_is_integer(value.real, &count);
    if (value.is_integer()) count = value.integer;
    if ((value.is_integer() || is_integer) && count >= 0) {
      edge->count = static_cast<uint64_t>(count);
      return Status();
    }
  }
  return Status::error("frame " + std::string(which) + " offset must be a non-negative " +
                       std::string(wanted));
}

WindowLookahead WindowFrame::lookahead() const {
  WindowLookahead ahead;
  bool by_rows = unit_ == Unit::kRows;
  ahead.peers = !by_rows || exclude_ == Exclude::kGroup || exclude_ == Exclude::kTies;
  if (end_.kind == Bound::kUnboundedFollowing) ahead.partition = true;
  if (end_.kind == Bound::kFollowing) {
    ahead.partition = !by_rows;
    ahead.rows = by_rows ? end_.count : 0;
  }
  return ahead;
}

// --- The bounds ---------------------------------------------------------------------------------------

uint32_t WindowFrame::row_start(const RowRange& partition, uint32_t row) const {
  switch (start_.kind) {
    case Bound::kPreceding:
      return row - partition.begin < start_.count ? partition.begin
                                                  : row - static_cast<uint32_t>(start_.count);
    case Bound::kFollowing:
      return partition.end - row < start_.count ? partition.end
                                                : row + static_cast<uint32_t>(start_.count);
    case Bound::kCurrentRow:
      return row;
    default:
      return partition.begin;
  }
}

uint32_t WindowFrame::row_end(const RowRange& partition, uint32_t row) const {
  switch (end_.kind) {
    case Bound::kPreceding:
      return row - partition.begin < end_.count ? partition.begin
                                                : row - static_cast<uint32_t>(end_.count) + 1;
    case Bound::kFollowing:
      return partition.end - row - 1 < end_.count ? partition.end
                                                  : row + static_cast<uint32_t>(end_.count) + 1;
    case Bound::kCurrentRow:
      return row + 1;
    default:
      return partition.end;
  }
}

uint32_t WindowFrame::group_start(const WindowBatch& batch, uint32_t group) const {
  switch (start_.kind) {
    case Bound::kPreceding:
      return group < start_.count ? batch.partition.begin
                                  : batch.groups[group - static_cast<uint32_t>(start_.count)];
    case Bound::kFollowing:
      return batch.groups.size() - group <= start_.count
                 ? batch.partition.end
                 : batch.groups[group + static_cast<uint32_t>(start_.count)];
    case Bound::kCurrentRow:
      return batch.groups[group];
    default:
      return batch.partition.begin;
  }
}

uint32_t WindowFrame::group_end(const WindowBatch& batch, uint32_t group) const {
  switch (end_.kind) {
    case Bound::kPreceding:
      return group < end_.count ? batch.partition.begin : batch.group_end(group - end_.count);
    case Bound::kFollowing:
      return batch.groups.size() - group <= end_.count ? batch.partition.end
                                                       : batch.group_end(group + end_.count);
    case Bound::kCurrentRow:
      return batch.group_end(group);
    default:
      return batch.partition.end;
  }
}

// Only numbers are moved. Without offsets the distance is NULL, and the key stays where it is.
ValueView WindowFrame::shifted(const WindowBatch& batch, uint32_t row,
                               const ValueView& distance) const {
  ValueView value = batch.store->get(row, key_.column);
  if (!value.is_number()) return value;
  return arithmetic_value(key_.descending ? BinaryOp::kSubtract : BinaryOp::kAdd, value, distance);
}

int WindowFrame::compare(const ValueView& a, const ValueView& b) const {
  return compare_key_values(key_, a, b);
}

// Where rounding says otherwise, a row's peers are still in a frame that reaches from before them to
// behind them; SQLite's cursors do not pass each other.
uint32_t WindowFrame::range_start(const WindowBatch& batch, uint32_t group) {
  if (!start_.has_offset()) return group_start(batch, group);
  uint32_t row = batch.groups[group];
  if (start_.kind == Bound::kPreceding) {
    ValueView key = batch.store->get(row, key_.column);
    while (range_start_ < row && compare(shifted(batch, range_start_, start_.distance), key) < 0) {
      ++range_start_;
    }
  } else {
    ValueView key = shifted(batch, row, start_.distance);
    while (range_start_ < batch.partition.end &&
           compare(key, batch.store->get(range_start_, key_.column)) > 0) {
      ++range_start_;
    }
  }
  return range_start_;
}

uint32_t WindowFrame::range_end(const WindowBatch& batch, uint32_t group) {
  if (!end_.has_offset()) return group_end(batch, group);
  uint32_t row = batch.groups[group];
  uint32_t peers_end = batch.group_end(group);
  if (end_.kind == Bound::kPreceding) {
    ValueView key = batch.store->get(row, key_.column);
    while (range_end_ < peers_end &&
           compare(shifted(batch, range_end_, end_.distance), key) <= 0) {
      ++range_end_;
    }
  } else {
    ValueView key = shifted(batch, row, end_.distance);
    range_end_ = std::max(range_end_, peers_end);
    while (range_end_ < batch.partition.end &&
           compare(key, batch.store->get(range_end_, key_.column)) >= 0) {
      ++range_end_;
    }
  }
  return range_end_;
}

void WindowFrame::compute(const WindowBatch& batch) {
  if (batch.begins_partition()) range_start_ = range_end_ = batch.partition.begin;
  bool needs_peers = excludes();
  uint32_t last_group = UINT32_MAX;
  RowRange frame;
  uint32_t i = 0;
  batch.for_each_row([&](uint32_t row, uint32_t group) {
    if (unit_ == Unit::kRows) {
      frame = {row_start(batch.partition, row), row_end(batch.partition, row)};
    } else if (group != last_group) {
      bool by_groups = unit_ == Unit::kGroups;
      frame.begin = by_groups ? group_start(batch, group) : range_start(batch, group);
      frame.end = by_groups ? group_end(batch, group) : range_end(batch, group);
      last_group = group;
    }
    if (always_empty_) frame.end = frame.begin = batch.partition.begin;
    frame.end = std::max(frame.begin, frame.end);
    frames_[i] = frame;
    bool follows = end_.kind == Bound::kFollowing && unit_ != Unit::kRange;
    uint64_t places = unit_ == Unit::kRows ? batch.partition.end - row : batch.groups.size() - group;
    cut_off_[i] = follows && end_.count >= places;
    if (needs_peers) peers_[i] = {batch.groups[group], batch.group_end(group)};
    ++i;
  });
}

size_t WindowFrame::parts(uint32_t i, uint32_t row, RowRange out[3]) const {
  RowRange frame = frames_[i];
  size_t count = 0;
  auto add = [&](uint32_t begin, uint32_t end) {
    begin = std::max(begin, frame.begin);
    end = std::min(end, frame.end);
    if (begin < end) out[count++] = {begin, end};
  };
  if (exclude_ == Exclude::kNoOthers) {
    add(frame.begin, frame.end);
    return count;
  }
  RowRange excluded = exclude_ == Exclude::kCurrentRow ? RowRange{row, row + 1} : peers_[i];
  add(frame.begin, excluded.begin);
  if (exclude_ == Exclude::kTies) add(row, row + 1);
  add(excluded.end, frame.end);
  return count;
}

}  // namespace godwit
