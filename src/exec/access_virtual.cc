#include "exec/access_virtual.h"

#include <algorithm>

namespace godwit {

namespace {

bool keeps_right(const AccessNode& node) {
  return node.join == JoinType::kRight || node.join == JoinType::kFull;
}

// Where the rowid is among the columns of the node; behind them if nobody reads it.
size_t rowid_slot(const AccessNode& node) {
  return static_cast<size_t>(std::ranges::find(node.columns, ColumnRef::kRowid) -
                             node.columns.begin());
}

// Columns of the node, and the rowid where rows must be told from each other.
std::vector<int32_t> columns_of(const AccessNode& node) {
  std::vector<int32_t> columns(node.columns.begin(), node.columns.end());
  if (keeps_right(node) && rowid_slot(node) == columns.size()) columns.push_back(ColumnRef::kRowid);
  return columns;
}

}  // namespace

VirtualSource::VirtualSource(const RowSourceSpec& spec)
    : spec_(spec),
      rows_(columns_of(*spec.node)),
      row_by_row_(spec.node->source->virtual_table->needs_row_by_row()) {
  rows_.set_unchanged(spec.node->source->unchanged_columns);
  key_list_.assign(spec.node->equal.begin(), spec.node->equal.end());
  for (SeekKey& key : key_list_) {
    // The table sees values as they are, NULLs too.
    key.null_matches = true;
    if (!key.is_in) key.affinity = Affinity::kNone;
  }
}

Result<std::unique_ptr<RowSource>> VirtualSource::make(const RowSourceSpec& spec) {
  std::unique_ptr<VirtualSource> source(new VirtualSource(spec));
  std::vector<SeekKeyColumn> columns(source->key_list_.size());
  for (SeekKeyColumn& column : columns) column.collation = binary_collation();
  GW_TRY(source->keys_.prepare(source->key_list_, columns, spec.left, spec.context, spec.outer));
  return std::unique_ptr<RowSource>(std::move(source));
}

Status VirtualSource::open() {
  keys_.open();
  filtered_ = unmatched_ = false;
  matched_.clear();
  if (cursor_ == nullptr) {
    GW_ASSIGN(cursor_, spec_.node->source->virtual_table->open());
  }
  return Status();
}

Status VirtualSource::seek(uint32_t left_row) {
  filtered_ = false;
  return keys_.seek(left_row);
}

Status VirtualSource::fetch(uint32_t max, uint32_t* fetched) {
  const uint32_t begin = rows_.count();
  Status status = unmatched_ ? fetch_unmatched(max) : fetch_rows(max);
  *fetched = rows_.count() - begin;
  return status;
}

Status VirtualSource::filter() {
  const VirtualPlan& plan = *spec_.node->virtual_plan;
  std::vector<std::vector<ValueView>> sets;
  for (size_t i = 0; i < key_list_.size(); ++i) {
    if (!key_list_[i].as_set) continue;
    sets.push_back(keys_.members(i));
    cursor_->take_set(i, sets.back());
  }
  return cursor_->filter(plan.number, plan.text, keys_.key());
}

Status VirtualSource::fetch_rows(uint32_t max) {
  const uint32_t begin = rows_.count();
  for (;;) {
    if (!filtered_) {
      if (!keys_.next()) return Status();
      GW_TRY(filter());
      filtered_ = true;
    }
    rows_.set_room(max - (rows_.count() - begin));
    GW_TRY(cursor_->fetch(&rows_));
    if (rows_.room() == 0) return Status();
    filtered_ = false;
  }
}

void VirtualSource::append_null() {
  rows_.set_room(1);
  rows_.end_row();
}

// --- Right and full joins -----------------------------------------------------------------------

Status VirtualSource::mark_matched(const Selection& rows) {
  const Vector& rowids = *rows_.vector(rowid_slot(*spec_.node));
  for (uint32_t i = 0; i < rows.count; ++i) matched_.insert(rowids.get(rows[i]).integer);
  return Status();
}

// The arguments are evaluated once more, over a left row of NULLs.
Status VirtualSource::begin_unmatched() {
  null_.set_constant_value(ValueView());
  null_left_.columns.assign(spec_.left.size(), &null_);
  null_left_.rows = 1;
  null_left_.selection = {nullptr, 1};
  GW_TRY(keys_.begin_left(null_left_));
  GW_TRY(seek(0));
  unmatched_ = true;
  return Status();
}

Status VirtualSource::fetch_unmatched(uint32_t max) {
  const uint32_t end = rows_.count() + max;
  const Vector& rowids = *rows_.vector(rowid_slot(*spec_.node));
  while (rows_.count() < end) {
    const uint32_t row = rows_.count();
    GW_TRY(fetch_rows(1));
    if (rows_.count() == row) break;
    if (matched_.contains(rowids.get(row).integer)) rows_.drop_last();
  }
  return Status();
}

}  // namespace godwit
