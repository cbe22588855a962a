// generate_series(start, stop, step): integers. start is required; stop is the largest integer if it
// is not given; step is 1. With a negative step the series goes down.
//
// Comparisons of `value` with numbers narrow the series before it begins, so that
// generate_series(1) WHERE value < 10 ends. The plan's number says what filter() gets:
//   bits 0..2  start, stop, step          bit 3  descending order     bit 4  ascending order
//   bit 7      value = x                  bits 8, 9  value >= x, value > x
//                                         bits 12, 13  value <= x, value < x
#include <algorithm>
#include <cmath>
#include <limits>

#include "function/virtual_table.h"
#include "value/cast.h"

namespace godwit {

namespace {

constexpr int32_t kRowid = -1, kValue = 0, kStart = 1, kStop = 2, kStep = 3;
constexpr int kHasStart = 1, kHasStop = 2, kHasStep = 4, kDescending = 8, kAscending = 16;
constexpr int kValueEq = 0x80, kValueGe = 0x100, kValueGt = 0x200, kValueLe = 0x1000,
              kValueLt = 0x2000;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

int bound_bit(VirtualOp op) {
  switch (op) {
    case VirtualOp::kEq:
    case VirtualOp::kIs:
      return kValueEq;
    case VirtualOp::kGe: return kValueGe;
    case VirtualOp::kGt: return kValueGt;
    case VirtualOp::kLe: return kValueLe;
    case VirtualOp::kLt: return kValueLt;
    default: return 0;
  }
}

// The integers between `low` and `high`, both included.
struct Range {
  int64_t low = kMin, high = kMax;
  void make_empty() {
    low = kMax;
    high = kMin;
  }
  bool is_empty() const { return low > high; }

  void at_least(int64_t bound) { low = std::max(low, bound); }
  void at_most(int64_t bound) { high = std::min(high, bound); }
  void above(int64_t bound) {
    bound == kMax ? make_empty() : at_least(bound + 1);
  }
  void below(int64_t bound) {
    bound == kMin ? make_empty() : at_most(bound - 1);
  }
  void narrow(int bit, const ValueView& value);
  void narrow_real(int bit, double value);
};

// Texts and blobs are greater than all numbers as a rule, but the comparison may convert them: the
// rows are compared again anyway.
void Range::narrow(int bit, const ValueView& value) {
  if (value.is_null()) return make_empty();
  if (value.type == ValueType::kReal) return narrow_real(bit, value.real);
  if (value.type != ValueType::kInteger) return;
  if (bit == kValueEq || bit == kValueGe) at_least(value.integer);
  if (bit == kValueEq || bit == kValueLe) at_most(value.integer);
  if (bit == kValueGt) above(value.integer);
  if (bit == kValueLt) below(value.integer);
}

void Range::narrow_real(int bit, double value) {
  constexpr double kTop = 9223372036854775808.0;
  bool is_lower = bit == kValueGe || bit == kValueGt;
  if (value >= kTop || value < -kTop) {
    bool beyond = value >= kTop ? is_lower : !is_lower;
    if (beyond || bit == kValueEq) make_empty();
    return;
  }
  auto floor = static_cast<int64_t>(std::floor(value));
  bool is_whole = static_cast<double>(floor) == value && std::floor(value) == value;
  if (is_whole) return narrow(bit, ValueView::of(floor));
  if (bit == kValueEq) return make_empty();
  is_lower ? above(floor) : at_most(floor);
}

class SeriesCursor final : public VirtualCursor {
 public:
  Status filter(int plan_number, std::string_view, std::span<const ValueView> arguments) override {
    size_t next = 0;
    bool has_null = false;
    auto take = [&](int bit, int64_t otherwise) {
      if ((plan_number & bit) == 0) return otherwise;
      const ValueView& value = arguments[next++];
      has_null |= value.is_null();
      return value_to_integer(value);
    };
    start_ = take(kHasStart, 0);
    stop_ = take(kHasStop, kMax);
    step_ = take(kHasStep, 1);
    if (step_ == 0) step_ = 1;
    Range range;
    for (int bit : {kValueEq, kValueGe, kValueGt, kValueLe, kValueLt}) {
      if ((plan_number & bit) != 0) range.narrow(bit, arguments[next++]);
    }
    if (has_null) range.make_empty();
    set_steps(range);
    if ((plan_number & (kDescending | kAscending)) != 0) {
      bool goes_down = step_ < 0;
      if (goes_down != ((plan_number & kDescending) != 0)) reverse();
    }
    return Status();
  }

  Status fetch(VirtualRows* rows) override {
    while (!done_ && rows->room() > 0) {
      rows->set(kValue, ValueView::of(current_));
      rows->set_rowid(current_);
      rows->set(kStart, ValueView::of(start_));
      rows->set(kStop, ValueView::of(stop_));
      rows->set(kStep, ValueView::of(step_));
      rows->end_row();
      if (left_-- == 0) done_ = true;
      current_ = static_cast<int64_t>(static_cast<uint64_t>(current_) + delta_);
    }
    return Status();
  }

 private:
  // The first and the last value that are in the series and in `range`.
  void set_steps(const Range& range) {
    bool up = step_ > 0;
    done_ = range.is_empty() || (up ? start_ > stop_ : start_ < stop_);
    if (done_) return;
    uint64_t size = up ? static_cast<uint64_t>(step_) : 0 - static_cast<uint64_t>(step_);
    delta_ = static_cast<uint64_t>(step_);
    // Distances from start.
    auto distance = [&](int64_t to) {
      return up ? static_cast<uint64_t>(to) - static_cast<uint64_t>(start_)
                : static_cast<uint64_t>(start_) - static_cast<uint64_t>(to);
    };
    int64_t last = up ? std::min(stop_, range.high) : std::max(stop_, range.low);
    int64_t nearest = up ? std::max(start_, range.low) : std::min(start_, range.high);
    done_ = up ? nearest > last : nearest < last;
    if (done_) return;
    uint64_t skipped = distance(nearest) / size + (distance(nearest) % size != 0 ? 1 : 0);
    uint64_t steps = distance(last) / size;
    done_ = skipped > steps;
    if (done_) return;
    current_ = static_cast<int64_t>(static_cast<uint64_t>(start_) + skipped * delta_);
    left_ = steps - skipped;
  }

  void reverse() {
    current_ = static_cast<int64_t>(static_cast<uint64_t>(current_) + left_ * delta_);
    delta_ = 0 - delta_;
  }

  int64_t start_ = 0, stop_ = 0, step_ = 1;
  int64_t current_ = 0;
  uint64_t delta_ = 1;
  uint64_t left_ = 0;  // rows behind the current one
  bool done_ = true;
};

class SeriesTable final : public VirtualTable {
 public:
  Status best_index(VirtualQuery* query) override {
    GW_ASSIGN(uint32_t given, take_arguments(query, kStart, 3));
    bool asked = false;
    for (const VirtualConstraint& c : query->constraints) asked |= c.column == kStart && c.usable;
    if (!asked) {
      return Status::error("first argument to \"generate_series()\" missing or unusable");
    }
    query->plan_number = static_cast<int>(given);
    take_bounds(query);
    if ((given & kHasStop) != 0) {
      query->cost = 2.0 - ((given & kHasStep) != 0 ? 1 : 0);
      query->rows = 1000;
      take_order(query);
    } else {
      query->rows = 2147483647;
    }
    query->shows_number_as_hex = true;
    return Status();
  }
  Result<std::unique_ptr<VirtualCursor>> open() override {
    return std::unique_ptr<VirtualCursor>(std::make_unique<SeriesCursor>());
  }

 private:
  static void take_bounds(VirtualQuery* query) {
    int argument = 0;
    for (const VirtualConstraint& c : query->constraints) argument = std::max(argument, c.argument);
    for (int bit : {kValueEq, kValueGe, kValueGt, kValueLe, kValueLt}) {
      for (VirtualConstraint& c : query->constraints) {
        if ((c.column != kValue && c.column != kRowid) || !c.usable || bound_bit(c.op) != bit) continue;
        c.argument = ++argument;
        query->plan_number |= bit;
        break;
      }
    }
  }
  static void take_order(VirtualQuery* query) {
    if (query->order_by.empty() || query->order_by[0].column > kValue) return;
    query->plan_number |= query->order_by[0].descending ? kDescending : kAscending;
    query->order_consumed = true;
  }
};

Result<std::unique_ptr<VirtualTable>> connect_series() {
  return std::unique_ptr<VirtualTable>(std::make_unique<SeriesTable>());
}

}  // namespace

extern const BuiltinModule kSeriesModule = {
    "generate_series", "CREATE TABLE x(value,start hidden,stop hidden,step hidden)",
    connect_series};

}  // namespace godwit
