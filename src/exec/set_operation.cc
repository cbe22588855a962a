#include "exec/set_operation.h"

#include <algorithm>

namespace godwit {

Result<std::unique_ptr<Operator>> SetOperator::make(const SetNode& node, ExecContext* context,
                                                    OuterRow* outer) {
  if (node.children.size() != 2) return Status(code::kInternal, "a set operation has two sides");
  std::unique_ptr<SetOperator> set(new SetOperator(node.operation, context));
  for (const OrderTerm& term : node.order) {
    set->keys_.push_back({static_cast<size_t>(term.output_column), term.collation, term.descending,
                          term.nulls_first});
  }
  for (size_t i = 0; i < node.collations.size(); ++i) {
    set->equality_.push_back({i, node.collations[i], false, true});
  }
  GW_ASSIGN(auto left, make_operator(*node.children[0], context, outer));
  GW_ASSIGN(auto right, make_operator(*node.children[1], context, outer));
  set->left_ = std::make_unique<Side>(std::move(left));
  set->right_ = std::make_unique<Side>(std::move(right));
  set->builders_.resize(node.output.size());
  set->previous_.resize(node.output.size());
  for (ColumnBuilder& builder : set->builders_) set->output_.columns.push_back(&builder.vector());
  return std::unique_ptr<Operator>(std::move(set));
}

void SetOperator::Side::rewind() {
  ramp_.reset();
  chunk_ = nullptr;
  place_ = 0;
  ended_ = false;
}

void SetOperator::Side::close() {
  if (is_open_) child_->close();
  is_open_ = false;
}

Status SetOperator::Side::load() {
  if (ended_ || (chunk_ != nullptr && place_ < chunk_->size())) return Status();
  if (!is_open_) {
    is_open_ = true;
    GW_TRY(child_->open());
  }
  GW_TRY(child_->next(ramp_.next(), &chunk_));
  place_ = 0;
  ended_ = chunk_->at_end();
  return Status();
}

Status SetOperator::open() {
  left_->rewind();
  right_->rewind();
  has_previous_ = false;
  return Status();
}

void SetOperator::close() {
  left_->close();
  right_->close();
}

int SetOperator::compare() const {
  for (const SortKey& key : keys_) {
    int order = compare_key_values(key, left_->value(key.column), right_->value(key.column));
    if (order != 0) return order;
  }
  return 0;
}

Status SetOperator::pick(Side** side) {
  Side& left = *left_;
  Side& right = *right_;
  bool is_union = operation_ == SetOp::kUnion || operation_ == SetOp::kUnionAll;
  *side = nullptr;
  while (true) {
    GW_TRY(left.load());
    if (left.ended() && !is_union) return Status();
    GW_TRY(right.load());
    if (left.ended() || right.ended()) {
      if (left.ended() && right.ended()) return Status();
      if (operation_ == SetOp::kIntersect) return Status();
      *side = left.ended() ? &right : &left;
      return Status();
    }
    int order = compare();
    if (order < 0) {
      *side = operation_ == SetOp::kIntersect ? nullptr : &left;
    } else if (order > 0) {
      *side = is_union ? &right : nullptr;
    } else {
      *side = operation_ == SetOp::kUnionAll || operation_ == SetOp::kIntersect ? &left : nullptr;
    }
    if (*side != nullptr) return Status();
    (order <= 0 ? left : right).advance();
  }
}

bool SetOperator::repeats(const Side& side) const {
  if (!has_previous_ || equality_.empty()) return false;
  return std::ranges::all_of(equality_, [&](const SortKey& key) {
    return compare_key_values(key, previous_[key.column], side.value(key.column)) == 0;
  });
}

// Moves the bytes of the previous row to the arena of the next chunk.
void SetOperator::keep_previous() {
  arena_ = 1 - arena_;
  Arena& arena = arenas_[arena_];
  arena.reset();
  if (!has_previous_) return;
  for (ValueView& value : previous_) {
    if (value.type < ValueType::kText || value.bytes == nullptr) continue;
    auto* copy = static_cast<char*>(arena.allocate(value.size, 1));
    std::copy_n(value.bytes, value.size, copy);
    value.bytes = copy;
  }
}

Status SetOperator::next(uint32_t max_rows, const Chunk** chunk) {
  GW_TRY(context_->check_interrupt());
  keep_previous();
  for (ColumnBuilder& builder : builders_) builder.begin(max_rows);
  uint32_t count = 0;
  while (count < max_rows) {
    Side* side = nullptr;
    GW_TRY(pick(&side));
    if (side == nullptr) break;
    if (!repeats(*side)) {
      for (size_t i = 0; i < builders_.size(); ++i) {
        ValueView value = side->value(i);
        if (value.type >= ValueType::kText && value.bytes != nullptr) {
          auto* copy = static_cast<char*>(arenas_[arena_].allocate(value.size, 1));
          std::copy_n(value.bytes, value.size, copy);
          value.bytes = copy;
        }
        builders_[i].put(count, value);
        previous_[i] = value;
      }
      has_previous_ = true;
      ++count;
    }
    side->advance();
  }
  for (ColumnBuilder& builder : builders_) builder.finish();
  output_.rows = count;
  output_.selection = {nullptr, count};
  *chunk = &output_;
  return Status();
}

}  // namespace godwit
