#include "exec/member_set.h"

#include "value/record.h"

namespace godwit {

MemberSet::MemberSet(std::vector<const Collation*> collations, std::vector<Affinity> affinities)
    : table_(collations, RowKeyTable::Nulls::kNeverMatch), converted_(collations.size()) {
  for (size_t i = 0; i < collations.size(); ++i) {
    columns_.push_back(std::make_unique<Column>(collations[i], affinities[i]));
  }
}

void MemberSet::clear() {
  table_.clear();
  kept_.clear();
  empty_ = true;
  has_null_ = false;
}

void MemberSet::add(std::span<const Vector* const> columns, const Selection& selection,
                    uint32_t rows) {
  if (selection.count == 0) return;
  empty_ = false;
  for (size_t i = 0; i < columns_.size(); ++i) {
    converted_[i] = columns_[i]->member_affinity.convert(columns[i], selection, rows);
  }
  if (numbers_.size() < selection.count) numbers_.resize(selection.count);
  table_.find_or_insert(converted_, selection, numbers_.data());
  for (uint32_t i = 0; i < selection.count && !has_null_; ++i) {
    has_null_ = numbers_[i] == RowKeyTable::kNone;
  }
  if (columns_.size() > 1) keep_rows(converted_, selection);
}

void MemberSet::keep_rows(std::span<const Vector* const> columns, const Selection& selection) {
  for_each_row(selection, [&](uint32_t row) {
    for (const Vector* column : columns) kept_.emplace_back(column->get(row));
  });
}

void MemberSet::look_up(std::span<const Vector* const> columns, const Selection& selection,
                        uint32_t rows, Truth* truths) {
  if (empty_) {
    for_each_row(selection, [&](uint32_t row) { truths[row] = Truth::kFalse; });
    return;
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    converted_[i] = columns_[i]->subject_affinity.convert(columns[i], selection, rows);
  }
  if (numbers_.size() < selection.count) numbers_.resize(selection.count);
  table_.find(converted_, selection, numbers_.data());
  bool single = columns_.size() == 1;
  bool never_unknown = !has_null_ && converted_[0]->has_no_nulls() && single;
  for (uint32_t i = 0; i < selection.count; ++i) {
    uint32_t row = selection[i];
    if (numbers_[i] != RowKeyTable::kNone) {
      truths[row] = Truth::kTrue;
    } else if (never_unknown) {
      truths[row] = Truth::kFalse;
    } else {
      bool unknown = single ? has_null_ || converted_[0]->is_null(row)
                            : may_equal_some(converted_, row);
      truths[row] = unknown ? Truth::kUnknown : Truth::kFalse;
    }
  }
}

// For a row that was not found: whether some member differs in no column where both are not NULL.
bool MemberSet::may_equal_some(std::span<const Vector* const> columns, uint32_t row) const {
  bool subject_has_null = false;
  for (const Vector* column : columns) subject_has_null |= column->is_null(row);
  if (!subject_has_null && !has_null_) return false;
  size_t width = columns.size();
  for (size_t first = 0; first < kept_.size(); first += width) {
    bool differs = false;
    for (size_t i = 0; i < width && !differs; ++i) {
      ValueView subject = columns[i]->get(row);
      const ValueView& member = kept_[first + i];
      differs = !subject.is_null() && !member.is_null() &&
                compare_values(subject, member, columns_[i]->collation) != 0;
    }
    if (!differs) return true;
  }
  return false;
}

}  // namespace godwit
