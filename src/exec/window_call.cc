// The functions that exist only with OVER.
#include "exec/window_call.h"

#include <string>
#include <utility>

#include "exec/arithmetic_kernels.h"
#include "value/affinity.h"
#include "value/cast.h"

namespace godwit {

namespace {

// row_number(), rank(), dense_rank(), percent_rank(), cume_dist(): places in the order.
class RankCall final : public WindowCall {
 public:
  explicit RankCall(WindowKind kind) : kind_(kind) {}

  Status compute(const WindowBatch& batch, const WindowFrame*, uint32_t target, Arena*,
                 ColumnBuilder* out) override {
    int64_t first = batch.partition.begin;
    batch.for_each_row([&](uint32_t row, uint32_t group) {
      switch (kind_) {
        case WindowKind::kRank:
          out->put_integer(target++, batch.groups[group] - first + 1);
          break;
        case WindowKind::kDenseRank:
          out->put_integer(target++, int64_t{group} + 1);
          break;
        case WindowKind::kPercentRank:
          out->put_real(target++, percent_rank(batch, batch.groups[group]));
          break;
        case WindowKind::kCumeDist:
          out->put_real(target++, static_cast<double>(batch.group_end(group) - first) /
                                      static_cast<double>(batch.partition.size()));
          break;
        default:
          out->put_integer(target++, row - first + 1);
      }
    });
    return Status();
  }

 private:
  static double percent_rank(const WindowBatch& batch, uint32_t peer) {
    if (batch.partition.size() < 2) return 0;
    return static_cast<double>(peer - batch.partition.begin) /
           static_cast<double>(batch.partition.size() - 1);
  }

  WindowKind kind_;
};

class NtileCall final : public WindowCall {
 public:
  explicit NtileCall(size_t argument) : argument_(argument) {}

  // The argument of the partition's first row counts.
  Status compute(const WindowBatch& batch, const WindowFrame*, uint32_t target, Arena*,
                 ColumnBuilder* out) override {
    int64_t tiles = value_to_integer(batch.store->get(batch.partition.begin, argument_));
    if (tiles <= 0) return Status::error("argument of ntile must be a positive integer");
    int64_t total = batch.partition.size();
    int64_t size = total / tiles;  // of the small ones, which come last
    int64_t large = total % tiles;
    for (uint32_t row = batch.rows.begin; row < batch.rows.end; ++row) {
      int64_t place = row - batch.partition.begin;
      int64_t in_large = large * (size + 1);
      int64_t tile = place < in_large ? place / (size + 1) : large + (place - in_large) / size;
      out->put_integer(target++, tile + 1);
    }
    return Status();
  }

 private:
  size_t argument_;
};

// lag() and lead(): (value [, offset [, default]]).
class OffsetCall final : public WindowCall {
 public:
  OffsetCall(bool forward, std::vector<size_t> arguments)
      : forward_(forward), arguments_(std::move(arguments)) {}

  Status compute(const WindowBatch& batch, const WindowFrame*, uint32_t target, Arena*,
                 ColumnBuilder* out) override {
    for (uint32_t row = batch.rows.begin; row < batch.rows.end; ++row) {
      uint32_t from = 0;
      ValueView value;
      if (find(batch, row, &from)) {
        value = batch.store->get(from, arguments_[0]);
      } else if (arguments_.size() == 3) {
        value = batch.store->get(row, arguments_[2]);
      }
      out->put(target++, value);
    }
    return Status();
  }

 private:
  // The row at the offset, by the arithmetic of SQL: a sum that is no whole number is no row.
  bool find(const WindowBatch& batch, uint32_t row, uint32_t* from) const {
    ValueView place = ValueView::of(static_cast<int64_t>(row - batch.partition.begin));
    ValueView offset = ValueView::of(int64_t{1});
    if (arguments_.size() > 1) offset = batch.store->get(row, arguments_[1]);
    place = arithmetic_value(forward_ ? BinaryOp::kAdd : BinaryOp::kSubtract, place, offset);
    int64_t at = place.integer;
    if (place.is_real() && !real_is_integer(place.real, &at)) return false;
    if (place.is_null() || at < 0 || at >= batch.partition.size()) return false;
    // SQLite's lag() has read one row ahead, no more.
    if (!forward_ && at > int64_t{row - batch.partition.begin} + 1) return false;
    *from = batch.partition.begin + static_cast<uint32_t>(at);
    return true;
  }

  bool forward_;
  std::vector<size_t> arguments_;
};

// first_value(), last_value(), nth_value(value, n).
class FrameValueCall final : public WindowCall {
 public:
  FrameValueCall(WindowKind kind, std::vector<size_t> arguments)
      : kind_(kind), arguments_(std::move(arguments)) {}

  Status compute(const WindowBatch& batch, const WindowFrame* frame, uint32_t target, Arena*,
                 ColumnBuilder* out) override {
    for (uint32_t row = batch.rows.begin; row < batch.rows.end; ++row) {
      RowRange parts[3];
      rows_done_ = row - batch.rows.begin;
      size_t count = frame->parts(rows_done_, row, parts);
      uint64_t place = 0;
      // Where EXCLUDE leaves no row SQLite does not look at n.
      if (kind_ == WindowKind::kNthValue && (count > 0 || !frame->excludes())) {
        GW_TRY(place_of(batch.store->get(row, arguments_[1]), &place));
      }
      bool found = count > 0;
      uint32_t from = 0;
      if (kind_ == WindowKind::kLastValue && found) {
        from = parts[count - 1].end - 1;
      } else {
        size_t part = 0;
        while (part < count && place >= parts[part].size()) place -= parts[part++].size();
        found = part < count;
        if (found) from = parts[part].begin + static_cast<uint32_t>(place);
      }
      out->put(target++, found ? batch.store->get(from, arguments_[0]) : ValueView::null());
    }
    return Status();
  }

 private:
  static Status place_of(ValueView n, uint64_t* place) {
    if (n.is_text()) apply_numeric_affinity_to_text(&n);
    int64_t number = n.is_integer() ? n.integer : 0;
    if (n.is_real()) real_is_integer(n.real, &number);
    if (n.is_real() && static_cast<double>(number) != n.real) number = 0;
    if (number <= 0) {
      return Status::error("second argument to nth_value must be a positive integer");
    }
    *place = static_cast<uint64_t>(number) - 1;
    return Status();
  }

  WindowKind kind_;
  std::vector<size_t> arguments_;
};

}  // namespace

bool needs_frame(const BoundWindowCall& call) {
  if (call.window == nullptr) return true;
  WindowKind kind = call.window->kind;
  return kind == WindowKind::kFirstValue || kind == WindowKind::kLastValue ||
         kind == WindowKind::kNthValue;
}

WindowLookahead lookahead_of(const BoundWindowCall& call) {
  WindowLookahead ahead;
  if (call.window == nullptr) return ahead;
  // The offset of lag() and lead(); unknown: any.
  bool known = call.args.size() < 2 || (call.args[1]->kind == ExprKind::kConstant &&
                                        call.args[1]->constant.is_integer());
  int64_t offset = !known ? 0 : call.args.size() < 2 ? 1 : call.args[1]->constant.integer;
  switch (call.window->kind) {
    case WindowKind::kPercentRank:
    case WindowKind::kCumeDist:
    case WindowKind::kNtile:
      ahead.partition = true;
      break;
    case WindowKind::kLag:
      ahead.rows = !known || offset < 0 ? 1 : 0;
      break;
    case WindowKind::kLead:
      ahead.partition = !known;
      ahead.rows = offset > 0 ? static_cast<uint64_t>(offset) : 0;
      break;
    default:
      break;
  }
  return ahead;
}

std::unique_ptr<WindowCall> make_window_function(const BoundWindowCall& call,
                                                 WindowArguments arguments) {
  switch (call.window->kind) {
    case WindowKind::kNtile:
      return std::make_unique<NtileCall>(arguments.columns[0]);
    case WindowKind::kLag:
    case WindowKind::kLead:
      return std::make_unique<OffsetCall>(call.window->kind == WindowKind::kLead,
                                          std::move(arguments.columns));
    case WindowKind::kFirstValue:
    case WindowKind::kLastValue:
    case WindowKind::kNthValue:
      return std::make_unique<FrameValueCall>(call.window->kind, std::move(arguments.columns));
    default:
      return std::make_unique<RankCall>(call.window->kind);
  }
}

}  // namespace godwit
