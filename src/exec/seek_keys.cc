// Making key prefixes: see seek_keys.h.
#include "exec/seek_keys.h"

#include <algorithm>

#include "exec/expr_columns.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

Status SeekKeys::prepare(std::span<const SeekKey> keys, std::span<const SeekKeyColumn> columns,
                         std::span<const ColumnRef> left, ExecContext* context, OuterRow* outer) {
  context_ = context;
  outer_ = outer;
  left_columns_ = left;
  parts_.resize(keys.size());
  key_.resize(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    parts_[i].key = &keys[i];
    parts_[i].column = columns[i];
    if (keys[i].is_in) {
      GW_TRY(prepare_in(parts_[i], left, outer));
    } else {
      GW_ASSIGN(parts_[i].value, compile_expression(*keys[i].expr, {left}, context, outer));
    }
  }
  return Status();
}

Status SeekKeys::prepare_in(Part& part, std::span<const ColumnRef> left, OuterRow* outer) {
  const BoundExpr& in = *part.key->expr;
  auto note_dependence = [&](const ColumnRef& column) {
    bool is_left = std::find(left.begin(), left.end(), column) != left.end();
    (is_left ? part.depends_on_left : part.depends_on_outer) = true;
  };
  if (in.kind == ExprKind::kInList) {
    for (const BoundExpr* member : in.args.subspan(1)) {
      for_each_column(*member, note_dependence);
      if (!member->is_deterministic) part.depends_on_left = true;
      GW_ASSIGN(auto expression, compile_expression(*member, {left}, context_, outer));
      part.list.push_back(std::move(expression));
    }
    return Status();
  }
  if (in.kind != ExprKind::kInQuery || in.query->plan == nullptr || in.args.size() != 1) {
    return Status(code::kInternal, "a key that is neither a value nor IN");
  }
  const QueryPlan& plan = *in.query->plan;
  for (const ColumnRef& column : plan.correlations) note_dependence(column);
  part.query_outer.columns = plan.correlations;
  part.query_outer.values.resize(plan.correlations.size());
  part.query_outer.parent = outer;
  GW_ASSIGN(part.query, make_operator(*plan.root, context_, &part.query_outer));
  return Status();
}

void SeekKeys::open() {
  for (Part& part : parts_) {
    bool still_right = !part.depends_on_outer && part.members_execution == context_->execution;
    part.members_known = part.members_known && still_right;
  }
  exhausted_ = true;
}

Status SeekKeys::begin_left(const Chunk& left) {
  left_ = &left;
  arena_.reset();
  for (Part& part : parts_) {
    if (part.value != nullptr) GW_TRY(part.value->evaluate(left, left.selection, &part.values));
  }
  return Status();
}

Status SeekKeys::seek(uint32_t left_row) {
  started_ = false;
  exhausted_ = false;
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.value != nullptr) {
      key_[i] = part.values->get(left_row);
      apply_affinity(part.key->affinity, &key_[i], &arena_);
      if (key_[i].is_null() && !part.key->null_matches) exhausted_ = true;
      continue;
    }
    if (exhausted_) continue;
    GW_TRY(find_members(part, left_row));
    if (part.members.empty() && part.is_tried_in_turn()) exhausted_ = true;
  }
  return Status();
}

bool SeekKeys::next() {
  if (exhausted_) return false;
  if (!started_) {
    started_ = true;
    for (size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      if (!part.is_tried_in_turn()) continue;
      part.next_member = 0;
      key_[i] = part.member_values[part.members[0]];
    }
    return true;
  }
  // The last key varies fastest.
  for (size_t i = parts_.size(); i-- > 0;) {
    Part& part = parts_[i];
    if (!part.is_tried_in_turn()) continue;
    bool wraps = ++part.next_member == part.members.size();
    if (wraps) part.next_member = 0;
    key_[i] = part.member_values[part.members[part.next_member]];
    if (!wraps) return true;
  }
  exhausted_ = true;
  return false;
}

// --- Members of IN ----------------------------------------------------------------------------------

Status SeekKeys::find_members(Part& part, uint32_t left_row) {
  if (part.members_known && !part.depends_on_left) return Status();
  part.members.clear();
  GW_TRY(part.query != nullptr ? find_query_members(part, left_row)
                               : find_list_members(part, left_row));
  const Collation* collation = part.column.collation;
  auto value_of = [&part](uint32_t member) -> const ValueView& {
    return part.member_values[member].view();
  };
  std::stable_sort(part.members.begin(), part.members.end(), [&](uint32_t a, uint32_t b) {
    return compare_values(value_of(a), value_of(b), collation) < 0;
  });
  auto last = std::unique(part.members.begin(), part.members.end(), [&](uint32_t a, uint32_t b) {
    return compare_values(value_of(a), value_of(b), collation) == 0;
  });
  part.members.erase(last, part.members.end());
  if (part.column.descending) std::reverse(part.members.begin(), part.members.end());
  part.members_known = true;
  part.members_execution = context_->execution;
  return Status();
}

Status SeekKeys::find_list_members(Part& part, uint32_t left_row) {
  size_t count = 0;
  auto row = static_cast<uint16_t>(left_row);
  for (const auto& expression : part.list) {
    const Vector* vector = nullptr;
    GW_TRY(expression->evaluate(*left_, {&row, 1}, &vector));
    add_member(part, &count, vector->get(left_row));
  }
  return Status();
}

Status SeekKeys::find_query_members(Part& part, uint32_t left_row) {
  for (size_t i = 0; i < part.query_outer.columns.size(); ++i) {
    const ColumnRef& column = part.query_outer.columns[i];
    auto found = std::find(left_columns_.begin(), left_columns_.end(), column);
    if (found != left_columns_.end()) {
      part.query_outer.values[i] = left_->columns[found - left_columns_.begin()]->get(left_row);
      continue;
    }
    if (outer_ == nullptr) return Status(code::kInternal, "a column of no query");
    auto outer = std::find(outer_->columns.begin(), outer_->columns.end(), column);
    if (outer == outer_->columns.end()) return Status(code::kInternal, "a column of no query");
    part.query_outer.values[i] = outer_->values[outer - outer_->columns.begin()];
  }
  size_t count = 0;
  ChunkRamp ramp;
  Status status = part.query->open();
  const Chunk* chunk = nullptr;
  while (status.ok()) {
    status = part.query->next(ramp.next(), &chunk);
    if (!status.ok() || chunk->at_end()) break;
    for (uint32_t i = 0; i < chunk->size(); ++i) {
      add_member(part, &count, chunk->columns[0]->get(chunk->selection[i]));
    }
  }
  part.query->close();
  return status;
}

void SeekKeys::add_member(Part& part, size_t* count, const ValueView& value) {
  ValueView member = value;
  apply_affinity(part.key->affinity, &member, &arena_);
  if (member.is_null() && !part.key->as_set) return;
  if (part.member_values.size() == *count) part.member_values.emplace_back();
  part.member_values[*count].assign(member);
  part.members.push_back(static_cast<uint32_t>(*count));
  ++*count;
}

}  // namespace godwit
