// Scans and look-ups in the tree of a table: see access_table.h.
#include "exec/access_table.h"

#include <cmath>

#include "exec/row_key.h"
#include "value/affinity.h"

namespace godwit {

// --- TreeSource -------------------------------------------------------------------------------------

Status TreeSource::prepare(TreeRows* rows) {
  btree_ = spec_.context->services->btree(table().database);
  rows_ = rows;
  if (rows != nullptr) return Status();
  GW_ASSIGN(own_rows_, TreeRows::make(spec_, index_, btree_->encoding()));
  rows_ = own_rows_.get();
  return Status();
}

Status TreeSource::open() {
  unmatched_ = false;
  matched_.clear();
  if (cursor_ != nullptr) {
    cursor_->invalidate();  // a rollback since the last run may have made it fail
    return Status();
  }
  GW_ASSIGN(cursor_, is_table_tree()
                         ? Cursor::open(btree_, table().root, TreeKind::kTable, nullptr, false)
                         : Cursor::open(btree_, index_->root, TreeKind::kIndex, &index_->key_info,
                                        false));
  return Status();
}

Status TreeSource::reopen() {
  unmatched_ = false;
  matched_.clear();
  rows_->clear();
  return Status();
}

void TreeSource::close() {
  rows_->clear();
  if (cursor_ != nullptr) cursor_->invalidate();
}

Status TreeSource::first_entry() {
  return spec_.node->descending ? cursor_->last() : cursor_->first();
}

Result<uint32_t> TreeSource::append_batch(uint32_t max) {
  PageImageRef image;
  GW_ASSIGN(uint32_t count,
            spec_.node->descending ? cursor_->previous_batch(rows_->next_entries(), max, &image)
                                   : cursor_->next_batch(rows_->next_entries(), max, &image));
  if (count > 0) rows_->commit(count, std::move(image));
  return count;
}

Status TreeSource::fetch_all(uint32_t max, uint32_t* fetched) {
  uint32_t total = 0;
  while (total < max) {
    GW_ASSIGN(uint32_t count, append_batch(max - total));
    if (count == 0) break;
    total += count;
  }
  *fetched = total;
  return Status();
}

// --- EntrySet ---------------------------------------------------------------------------------------

namespace {

// What tells an entry of an index tree from all others: its record, or where that goes on in overflow pages
// the first of these, which no other entry has. (The decoder may have put the whole record in place of
// its local part.)
std::string record_identity(const LeafEntry& entry) {
  if (entry.overflow == 0) return std::string(as_text({entry.payload.local, entry.payload.local_size}));
  std::string identity(1, '\0');  // no record begins so: that is the size of its header
  identity.append(reinterpret_cast<const char*>(&entry.overflow), sizeof(entry.overflow));
  return identity;
}

}  // namespace

bool EntrySet::insert(const LeafEntry& entry) {
  return is_table_tree_ ? rowids_.insert(entry.rowid).second
                        : records_.insert(record_identity(entry)).second;
}

bool EntrySet::contains(const LeafEntry& entry) const {
  return is_table_tree_ ? rowids_.contains(entry.rowid)
                        : records_.contains(record_identity(entry));
}

void EntrySet::clear() {
  if (!rowids_.empty()) rowids_.clear();
  if (!records_.empty()) records_.clear();
}

// --- TreeSource: outer joins ------------------------------------------------------------------------

Status TreeSource::mark_matched(const Selection& rows) {
  for (uint32_t i = 0; i < rows.count; ++i) matched_.insert(rows_->entry(rows[i]));
  return Status();
}

Status TreeSource::begin_unmatched() {
  unmatched_ = true;
  return first_entry();
}

Status TreeSource::fetch_unmatched(uint32_t max, uint32_t* fetched) {
  const uint32_t start = rows_->size();
  while (rows_->size() - start < max) {
    uint32_t kept = rows_->size();
    GW_ASSIGN(uint32_t count, append_batch(max - (kept - start)));
    if (count == 0) break;
    for (uint32_t row = kept, end = kept + count; row < end; ++row) {
      if (!matched_.contains(rows_->entry(row))) rows_->entry(kept++) = rows_->entry(row);
    }
    rows_->truncate(kept);
  }
  *fetched = rows_->size() - start;
  return Status();
}

// --- TableScanSource --------------------------------------------------------------------------------

Result<std::unique_ptr<TreeSource>> TableScanSource::make(const RowSourceSpec& spec) {
  const Table& table = *spec.node->source->table;
  std::unique_ptr<TableScanSource> source(
      new TableScanSource(spec, table.without_rowid ? table.primary_index : nullptr));
  GW_TRY(source->prepare());
  return std::unique_ptr<TreeSource>(std::move(source));
}

// --- RowidLookupSource ------------------------------------------------------------------------------

namespace {

// The rowid that equals `key`, if one can.
bool rowid_of_key(const ValueView& key, Rowid* rowid) {
  if (key.is_integer()) {
    *rowid = key.integer;
    return true;
  }
  return key.is_real() && real_equals_integer(key.real, rowid);
}

}  // namespace

Result<std::unique_ptr<TreeSource>> RowidLookupSource::make(const RowSourceSpec& spec,
                                                            TreeRows* rows) {
  std::unique_ptr<RowidLookupSource> source(new RowidLookupSource(spec, nullptr));
  GW_TRY(source->prepare(rows));
  const AccessNode& node = *spec.node;
  source->directory_.prepare(source->btree_, source->table().root, nullptr,
                             spec.context->memory_budget_bytes);
  SeekKeyColumn column{binary_collation(), node.descending};
  GW_TRY(source->keys_.prepare(node.equal.first(1), {&column, 1}, spec.left, spec.context,
                               spec.outer));
  return std::unique_ptr<TreeSource>(std::move(source));
}

Status RowidLookupSource::fetch(uint32_t max, uint32_t* fetched) {
  if (unmatched_) return fetch_unmatched(max, fetched);
  uint32_t total = 0;
  while (total < max && keys_.next()) {
    Rowid rowid;
    if (!rowid_of_key(keys_.key()[0], &rowid)) continue;
    GW_TRY(directory_.note_look_up());
    if (directory_.is_ready()) {
      auto places = directory_.find(rowid);
      if (places.empty()) continue;
      rows_->append(places[0].entry(rowid));
      ++total;
      continue;
    }
    int order;
    GW_TRY(cursor_->seek_rowid(rowid, &order));
    if (order != 0 || cursor_->at_end()) continue;
    GW_ASSIGN(uint32_t count, append_batch(1));
    total += count;
  }
  *fetched = total;
  return Status();
}

// --- RowidRangeSource -------------------------------------------------------------------------------

namespace {

constexpr double kRowidEnd = 9223372036854775808.0;  // 2^63

// The smallest rowid that is > or >= `bound`. False: none is.
bool first_rowid(const ValueView& bound, bool inclusive, Rowid* rowid) {
  switch (bound.type) {
    case ValueType::kInteger:
      *rowid = bound.integer;
      break;
    case ValueType::kReal: {
      if (bound.real >= kRowidEnd) return false;
      double whole = std::ceil(bound.real);
      if (whole < -kRowidEnd) whole = -kRowidEnd;
      inclusive = inclusive || whole != bound.real;
      if (whole >= kRowidEnd) return false;
      *rowid = static_cast<Rowid>(whole);
      break;
    }
    default:
      return false;  // NULL; text and blobs are larger than all numbers
  }
  if (inclusive) return true;
  if (*rowid == INT64_MAX) return false;
  ++*rowid;
  return true;
}

// The largest rowid that is < or <= `bound`. False: none is.
bool last_rowid(const ValueView& bound, bool inclusive, Rowid* rowid) {
  switch (bound.type) {
    case ValueType::kNull:
      return false;
    case ValueType::kInteger:
      *rowid = bound.integer;
      break;
    case ValueType::kReal: {
      if (bound.real < -kRowidEnd) return false;
      double whole = std::floor(bound.real);
      inclusive = inclusive || whole != bound.real;
      if (whole >= kRowidEnd) {
        *rowid = INT64_MAX;
        return true;
      }
      *rowid = static_cast<Rowid>(whole);
      break;
    }
    default:
      *rowid = INT64_MAX;
      return true;
  }
  if (inclusive) return true;
  if (*rowid == INT64_MIN) return false;
  --*rowid;
  return true;
}

ValueView bound_value(const Vector& values, uint32_t row) {
  ValueView value = values.get(row);
  if (value.is_text()) apply_numeric_affinity_to_text(&value);
  return value;
}

}  // namespace

Result<std::unique_ptr<TreeSource>> RowidRangeSource::make(const RowSourceSpec& spec,
                                                            TreeRows* rows) {
  std::unique_ptr<RowidRangeSource> source(new RowidRangeSource(spec, nullptr));
  GW_TRY(source->prepare(rows));
  const AccessNode& node = *spec.node;
  Layout left{spec.left};
  if (node.lower != nullptr) {
    GW_ASSIGN(source->lower_, compile_expression(*node.lower, left, spec.context, spec.outer));
  }
  if (node.upper != nullptr) {
    GW_ASSIGN(source->upper_, compile_expression(*node.upper, left, spec.context, spec.outer));
  }
  return std::unique_ptr<TreeSource>(std::move(source));
}

Status RowidRangeSource::begin_left(const Chunk& left) {
  if (lower_ != nullptr) GW_TRY(lower_->evaluate(left, left.selection, &lowers_));
  if (upper_ != nullptr) GW_TRY(upper_->evaluate(left, left.selection, &uppers_));
  return Status();
}

Status RowidRangeSource::seek(uint32_t left_row) {
  const AccessNode& node = *spec_.node;
  first_ = INT64_MIN;
  last_ = INT64_MAX;
  empty_ = (lower_ != nullptr &&
            !first_rowid(bound_value(*lowers_, left_row), node.lower_inclusive, &first_)) ||
           (upper_ != nullptr &&
            !last_rowid(bound_value(*uppers_, left_row), node.upper_inclusive, &last_)) ||
           first_ > last_;
  if (empty_) return Status();
  return node.descending ? cursor_->seek_rowid_upper(last_, true)
                         : cursor_->seek_rowid_lower(first_, true);
}

Status RowidRangeSource::fetch(uint32_t max, uint32_t* fetched) {
  if (unmatched_) return fetch_unmatched(max, fetched);
  uint32_t total = 0;
  auto in_range = [this](Rowid rowid) { return rowid >= first_ && rowid <= last_; };
  while (!empty_ && total < max) {
    uint32_t start = rows_->size();
    GW_ASSIGN(uint32_t count, append_batch(max - total));
    if (count == 0) {
      empty_ = true;
      break;
    }
    while (count > 0 && !in_range(rows_->entry(start + count - 1).rowid)) {
      --count;
      empty_ = true;
    }
    rows_->truncate(start + count);
    total += count;
  }
  *fetched = total;
  return Status();
}

}  // namespace godwit
