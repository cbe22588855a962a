#include "exec/aggregate_state.h"

#include <algorithm>
#include <cstring>

#include "plan/expr_tree.h"
#include "value/record.h"

namespace godwit {

namespace {

constexpr size_t kStateAlignment = 16;
constexpr uint32_t kNone = UINT32_MAX;

size_t aligned(size_t bytes) { return (bytes + kStateAlignment - 1) & ~(kStateAlignment - 1); }

}  // namespace

AggregateSet::AggregateSet(ExecContext* context, bool grouped)
    : context_(context), grouped_(grouped), group_bytes_(kStateAlignment),
      call_(context->services, &bytes_,
            context->services == nullptr ? TextEncoding::kUtf8 : context->services->encoding()) {}

Result<std::unique_ptr<AggregateSet>> AggregateSet::make(
    std::span<BoundAggregate* const> aggregates, const Layout& layout, ExecContext* context,
    OuterRow* outer, bool grouped) {
  std::unique_ptr<AggregateSet> set(new AggregateSet(context, grouped));
  ExpressionCompiler compiler{layout, context, outer};
  for (const BoundAggregate* bound : aggregates) GW_TRY(set->add(*bound, compiler));
  return set;
}

Status AggregateSet::add(const BoundAggregate& bound, const ExpressionCompiler& compiler) {
  auto aggregate = std::make_unique<Aggregate>();
  aggregate->bound = &bound;
  aggregate->function = bound.function;
  if (bound.filter != nullptr) {
    GW_ASSIGN(aggregate->filter, compiler.compile(*bound.filter));
  }
  GW_TRY(compiler.compile_all(bound.args, &aggregate->args));
  bool is_extreme = bound.is_min || bound.is_max;
  for (const OrderTerm& term : is_extreme ? std::span<OrderTerm>() : bound.order_by) {
    GW_ASSIGN(ExpressionPtr key, compiler.compile(*term.expr));
    aggregate->sort_keys.push_back(std::move(key));
  }
  aggregate->keeps_last_of_equals = bound.distinct && aggregate->sort_keys.size() == 1 &&
                                    same_expr(*bound.order_by[0].expr, *bound.args[0]);
  aggregate->vectors.resize(aggregate->args.size() + aggregate->sort_keys.size());
  if (aggregate->ordered()) {
    aggregate->list_offset = group_bytes_;
    group_bytes_ += aligned(sizeof(OrderedList));
  }
  aggregate->offset = group_bytes_;
  group_bytes_ += aligned(bound.function->state_size);
  needs_destroy_ |= bound.function->destroy != nullptr;
  if (bound.distinct && !aggregate->keeps_last_of_equals) {
    std::vector<const Collation*> collations(grouped_ ? 1 : 0, binary_collation());
    collations.resize(collations.size() + bound.args.size(), bound.collation);
    aggregate->distinct = std::make_unique<RowKeyTable>(collations);
  }
  values_.resize(std::max(values_.size(), aggregate->vectors.size()));
  aggregates_.push_back(std::move(aggregate));
  return Status();
}

void* AggregateSet::create_group() {
  char* group = static_cast<char*>(memory_.allocate(group_bytes_, kStateAlignment));
  std::memset(group, 0, group_bytes_);
  uint32_t number = static_cast<uint32_t>(groups_.size());
  std::memcpy(group, &number, sizeof(number));
  groups_.push_back(group);
  for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    if (aggregate->ordered()) {
      *reinterpret_cast<OrderedList*>(group + aggregate->list_offset) = {kNone, kNone};
    }
    if (aggregate->function->init != nullptr) aggregate->function->init(group + aggregate->offset);
  }
  return group;
}

void AggregateSet::reset() {
  if (needs_destroy_) {
    for (void* group : groups_) {
      for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
        if (aggregate->function->destroy != nullptr) {
          aggregate->function->destroy(state_of(*aggregate, group));
        }
      }
    }
  }
  groups_.clear();
  for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    if (aggregate->distinct != nullptr) aggregate->distinct->clear();
    aggregate->ordered_rows.clear();
  }
  memory_.reset();
  bytes_.reset();
}

size_t AggregateSet::bytes_held() const {
  size_t bytes = memory_.bytes_reserved() + bytes_.bytes_reserved();
  for (const std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    if (aggregate->distinct != nullptr) bytes += aggregate->distinct->bytes_held();
    bytes += aggregate->ordered_rows.capacity() * sizeof(OrderedRow);
  }
  return bytes;
}

// --- Chunks -----------------------------------------------------------------------------------------

Status AggregateSet::begin_chunk(const Chunk& input, const Selection& selection) {
  selection_ = selection;
  if (states_.size() < selection.count) {
    states_.resize(selection.count);
    row_groups_.resize(selection.count);
    numbers_.resize(selection.count);
    new_rows_.resize(selection.count);
    new_groups_.resize(selection.count);
  }
  for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    GW_TRY(evaluate(*aggregate, input, selection));
  }
  return Status();
}

Status AggregateSet::evaluate(Aggregate& aggregate, const Chunk& input,
                              const Selection& selection) {
  aggregate.rows = selection;
  if (aggregate.filter != nullptr) {
    uint16_t* rows = aggregate.filtered.reserve(selection.count);
    uint32_t count = 0;
    GW_TRY(aggregate.filter->filter(input, selection, true, rows, &count));
    aggregate.rows = {rows, count};
    if (count == 0) return Status();
  }
  size_t i = 0;
  for (ExpressionPtr& arg : aggregate.args) {
    GW_TRY(arg->evaluate(input, aggregate.rows, &aggregate.vectors[i++]));
  }
  for (ExpressionPtr& key : aggregate.sort_keys) {
    GW_TRY(key->evaluate(input, aggregate.rows, &aggregate.vectors[i++]));
  }
  return Status();
}

Status AggregateSet::step_range(void* group, uint32_t first, uint32_t count) {
  if (count == 0) return Status();
  for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    Rows rows;
    rows.group = group;
    if (first == 0 && count == selection_.count) {
      rows.selection = aggregate->rows;
    } else if (aggregate->filter == nullptr && selection_.rows != nullptr) {
      rows.selection = {selection_.rows + first, count};
    } else if (aggregate->filter == nullptr) {
      for (uint32_t i = 0; i < count; ++i) new_rows_[i] = static_cast<uint16_t>(first + i);
      rows.selection = {new_rows_.data(), count};
    } else {
      const uint16_t* begin = aggregate->rows.rows;
      const uint16_t* end = begin + aggregate->rows.count;
      const uint16_t* from = std::lower_bound(begin, end, selection_[first]);
      const uint16_t* to = std::upper_bound(from, end, selection_[first + count - 1]);
      rows.selection = {from, static_cast<uint32_t>(to - from)};
    }
    if (rows.selection.count > 0) GW_TRY(step(*aggregate, rows));
  }
  return Status();
}

Status AggregateSet::step_groups(void* const* groups, uint8_t* chosen) {
  if (chosen != nullptr) std::memset(chosen, 0, selection_.count);
  const Aggregate* last_extreme = nullptr;
  for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    if (aggregate->extreme()) last_extreme = aggregate.get();
  }
  for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
    Rows rows{aggregate->rows, groups, nullptr};
    if (rows.selection.count == 0) continue;
    bool chooses = chosen != nullptr && aggregate.get() == last_extreme;
    if (aggregate->filter != nullptr) {
      // Positions change: collect the groups of the rows that passed.
      uint32_t passed = 0;
      for (uint32_t i = 0; i < selection_.count && passed < rows.selection.count; ++i) {
        if (selection_[i] != rows.selection[passed]) continue;
        numbers_[passed] = i;
        row_groups_[passed++] = groups[i];
      }
      rows.groups = row_groups_.data();
    }
    if (chooses) {
      GW_TRY(step_choosing(*aggregate, rows, chosen));
    } else {
      GW_TRY(step(*aggregate, rows));
    }
  }
  return Status();
}

// Of DISTINCT, rows that are dropped are chosen if the row before them in the group was: SQLite's
// flag stays as it is when the step is jumped over.
Status AggregateSet::step_choosing(Aggregate& aggregate, const Rows& rows, uint8_t* chosen) {
  Rows kept = rows;
  if (aggregate.distinct != nullptr) {
    positions_.assign(numbers_.begin(), numbers_.begin() + rows.selection.count);
    drop_duplicates(aggregate, &kept);
  }
  auto position_of = [&](uint32_t i) {
    if (aggregate.filter == nullptr) return i;
    return aggregate.distinct != nullptr ? positions_[i] : numbers_[i];
  };
  begin_call(aggregate);
  for (uint32_t i = 0, next = 0; i < rows.selection.count; ++i) {
    void* group = rows.group_of(i);
    bool steps = next < kept.selection.count && kept.selection[next] == rows.selection[i];
    if (steps) {
      ++next;
      was_chosen(group) = chooses(aggregate, group, rows.selection[i]);
    }
    chosen[position_of(i)] = was_chosen(group) && (steps || aggregate.filter == nullptr);
  }
  return take_error();
}

// Steps one row; whether it has the new value.
bool AggregateSet::chooses(const Aggregate& aggregate, void* group, uint32_t row) {
  ValueView candidate = aggregate.vectors[0]->get(row);
  void* state = state_of(aggregate, group);
  ValueView best;
  aggregate.function->value(call_, state, &best);
  // With GROUP BY, a NULL is a new value as long as there was nothing else.
  if (candidate.is_null()) return grouped_ && best.is_null();
  if (!best.is_null()) {
    int order = compare_values(candidate, best, aggregate.bound->collation);
    if (aggregate.bound->is_max ? order <= 0 : order >= 0) return false;
  }
  aggregate.function->step(call_, state, std::span<const ValueView>(&candidate, 1));
  return true;
}

Status AggregateSet::step(Aggregate& aggregate, Rows rows) {
  if (aggregate.distinct != nullptr) {
    drop_duplicates(aggregate, &rows);
    if (rows.selection.count == 0) return Status();
  }
  if (aggregate.ordered()) {
    keep_ordered(aggregate, rows);
    return Status();
  }
  begin_call(aggregate);
  const AggregateFunction& function = *aggregate.function;
  std::span<const Vector* const> vectors(aggregate.vectors);
  if (rows.groups == nullptr && function.batch_step != nullptr) {
    function.batch_step(call_, state_of(aggregate, rows.group), vectors, rows.selection);
    return take_error();
  }
  if (rows.groups != nullptr && function.grouped_batch_step != nullptr) {
    for (uint32_t i = 0; i < rows.selection.count; ++i) {
      states_[i] = state_of(aggregate, rows.groups[i]);
    }
    function.grouped_batch_step(call_, states_.data(), vectors, rows.selection);
    return take_error();
  }
  std::span<ValueView> args(values_.data(), vectors.size());
  for (uint32_t i = 0; i < rows.selection.count; ++i) {
    for (size_t j = 0; j < args.size(); ++j) args[j] = vectors[j]->get(rows.selection[i]);
    function.step(call_, state_of(aggregate, rows.group_of(i)), args);
    if (call_.failed()) [[unlikely]]
      return call_.take_status();
  }
  return Status();
}

// --- DISTINCT -----------------------------------------------------------------------------------------

// Keeps the rows whose arguments are new in their group. Keys are (group number, arguments).
void AggregateSet::drop_duplicates(Aggregate& aggregate, Rows* rows) {
  const Selection& selection = rows->selection;
  key_columns_.clear();
  if (grouped_) {
    group_numbers_.begin(kChunkRowsMax);
    for (uint32_t i = 0; i < selection.count; ++i) {
      group_numbers_.set(selection[i],
                         ValueView::of(static_cast<int64_t>(group_number(rows->group_of(i)))));
    }
    key_columns_.push_back(&group_numbers_);
  }
  for (size_t j = 0; j < aggregate.args.size(); ++j) key_columns_.push_back(aggregate.vectors[j]);
  uint32_t next_number = aggregate.distinct->size();
  aggregate.distinct->find_or_insert(key_columns_, selection, numbers_.data());
  uint32_t kept = 0;
  for (uint32_t i = 0; i < selection.count; ++i) {
    if (numbers_[i] != next_number) continue;
    ++next_number;
    void* group = rows->group_of(i);
    new_rows_[kept] = static_cast<uint16_t>(selection[i]);
    new_groups_[kept++] = group;
  }
  rows->selection = {new_rows_.data(), kept};
  if (rows->groups != nullptr) rows->groups = new_groups_.data();
}

// --- ORDER BY -----------------------------------------------------------------------------------------

void AggregateSet::keep_ordered(Aggregate& aggregate, const Rows& rows) {
  size_t width = aggregate.vectors.size();
  for (uint32_t i = 0; i < rows.selection.count; ++i) {
    auto* values = static_cast<ValueView*>(
        memory_.allocate(width * sizeof(ValueView), alignof(ValueView)));
    for (size_t j = 0; j < width; ++j) {
      ValueView value = aggregate.vectors[j]->get(rows.selection[i]);
      if (value.type >= ValueType::kText && !value.zero_filled) {
        value.bytes = memory_.copy(value.text()).data();
      }
      values[j] = value;
    }
    auto* list = reinterpret_cast<OrderedList*>(static_cast<char*>(rows.group_of(i)) +
                                                aggregate.list_offset);
    uint32_t number = static_cast<uint32_t>(aggregate.ordered_rows.size());
    aggregate.ordered_rows.push_back({kNone, values});
    if (list->first == kNone) {
      list->first = number;
    } else {
      aggregate.ordered_rows[list->last].next = number;
    }
    list->last = number;
  }
}

Status AggregateSet::step_sorted(Aggregate& aggregate, void* group) {
  const auto* list =
      reinterpret_cast<const OrderedList*>(static_cast<char*>(group) + aggregate.list_offset);
  const std::vector<OrderedRow>& rows = aggregate.ordered_rows;
  order_.clear();
  for (uint32_t at = list->first; at != kNone; at = rows[at].next) order_.push_back(at);
  size_t keys_at = aggregate.args.size();
  std::span<const OrderTerm> terms = aggregate.bound->order_by;
  auto comes_before = [&](uint32_t a, uint32_t b) {
    for (size_t k = 0; k < terms.size(); ++k) {
      const ValueView& x = rows[a].values[keys_at + k];
      const ValueView& y = rows[b].values[keys_at + k];
      if (x.is_null() != y.is_null()) return x.is_null() == terms[k].nulls_first;
      int order = compare_values(x, y, terms[k].collation);
      if (order != 0) return terms[k].descending ? order > 0 : order < 0;
    }
    return false;
  };
  std::stable_sort(order_.begin(), order_.end(), comes_before);
  void* state = state_of(aggregate, group);
  for (size_t i = 0; i < order_.size(); ++i) {
    bool is_last = i + 1 == order_.size() || comes_before(order_[i], order_[i + 1]);
    if (aggregate.keeps_last_of_equals && !is_last) continue;
    aggregate.function->step(call_, state, std::span(rows[order_[i]].values, keys_at));
    if (call_.failed()) [[unlikely]]
      return call_.take_status();
  }
  return Status();
}

// --- Results ------------------------------------------------------------------------------------------

Status AggregateSet::finalize(size_t index, std::span<void* const> groups, Vector* result,
                              uint32_t* done) {
  Aggregate& aggregate = *aggregates_[index];
  begin_call(aggregate);
  result->begin(static_cast<uint32_t>(groups.size()));
  for (size_t i = 0; i < groups.size(); ++i) {
    *done = static_cast<uint32_t>(i);
    if (aggregate.ordered()) GW_TRY(step_sorted(aggregate, groups[i]));
    ValueView value;
    aggregate.function->finalize(call_, state_of(aggregate, groups[i]), &value);
    if (call_.failed()) [[unlikely]]
      return call_.take_status();
    result->set(static_cast<uint32_t>(i), value);
  }
  *done = static_cast<uint32_t>(groups.size());
  return Status();
}

}  // namespace godwit
