// Walking an index and finding the rows of its entries: see access_index.h.
#include "exec/access_index.h"

#include <algorithm>
#include <cstring>

#include "exec/row_decoder.h"
#include "exec/row_key.h"
#include "value/affinity.h"

namespace godwit {

namespace {

// Entries asked for at once after a seek, at first: most seeks find a few, and what is read beyond
// the end is in vain.
constexpr uint32_t kFirstStep = 4;

}  // namespace

// --- IndexWalk --------------------------------------------------------------------------------------

Status IndexWalk::prepare(const RowSourceSpec& spec) {
  node_ = spec.node;
  index_ = node_->index;
  std::vector<SeekKeyColumn> columns;
  columns.reserve(node_->equal.size());
  bool nulls_match = false;
  for (size_t i = 0; i < node_->equal.size(); ++i) {
    const IndexColumn& column = index_->columns[i];
    columns.push_back({column.collation, node_->descending != column.descending});
    nulls_match = nulls_match || node_->equal[i].null_matches;
  }
  may_use_directory_ = node_->equal.size() == 1 && !node_->equal[0].is_in &&
                       !node_->equal[0].as_set && !nulls_match && node_->lower == nullptr &&
                       node_->upper == nullptr;
  if (may_use_directory_) {
    directory_.prepare(spec.context->services->btree(node_->source->table->database),
                       index_->root, &index_->key_info, spec.context->memory_budget_bytes);
  }
  unique_ = index_->unique && node_->equal.size() >= index_->declared_columns && !nulls_match;
  GW_TRY(keys_.prepare(node_->equal, columns, spec.left, spec.context, spec.outer));
  Layout layout{spec.left};
  if (node_->lower != nullptr) {
    GW_ASSIGN(lower_expression_,
              compile_expression(*node_->lower, layout, spec.context, spec.outer));
  }
  if (node_->upper != nullptr) {
    GW_ASSIGN(upper_expression_,
              compile_expression(*node_->upper, layout, spec.context, spec.outer));
  }
  return Status();
}

void IndexWalk::open(Cursor* cursor, Arena* arena) {
  cursor_ = cursor;
  overflow_ = arena;
  directory_.clear();
  reopen();
}

void IndexWalk::reopen() {
  found_ = {};
  keys_.open();
  empty_ = true;
  walking_ = false;
}

Status IndexWalk::begin_left(const Chunk& left) {
  arena_.reset();
  GW_TRY(keys_.begin_left(left));
  if (lower_expression_ != nullptr) {
    GW_TRY(lower_expression_->evaluate(left, left.selection, &lowers_));
  }
  if (upper_expression_ != nullptr) {
    GW_TRY(upper_expression_->evaluate(left, left.selection, &uppers_));
  }
  return Status();
}

Status IndexWalk::seek(uint32_t left_row) {
  found_ = {};
  walking_ = second_walk_due_ = false;
  GW_TRY(evaluate_range(left_row));
  if (empty_) return Status();
  return keys_.seek(left_row);
}

// Sets begin_, end_ and empty_.
Status IndexWalk::evaluate_range(uint32_t left_row) {
  empty_ = false;
  begin_ = end_ = Bound();
  if (lowers_ == nullptr && uppers_ == nullptr) return Status();
  // A range never holds NULLs, which are smaller than everything.
  Bound lower{true, false, ValueView::null()};
  Bound upper;
  if (lowers_ != nullptr) {
    lower = {true, node_->lower_inclusive, lowers_->get(left_row)};
    empty_ = lower.value.is_null();
    apply_affinity(node_->range_affinity, &lower.value, &arena_);
  }
  if (uppers_ != nullptr) {
    upper = {true, node_->upper_inclusive, uppers_->get(left_row)};
    empty_ = empty_ || upper.value.is_null();
    apply_affinity(node_->range_affinity, &upper.value, &arena_);
  }
  bool column_descends = index_->columns[node_->equal.size()].descending;
  upwards_ = column_descends == node_->descending;
  begin_ = upwards_ ? lower : upper;
  end_ = upwards_ ? upper : lower;
  return Status();
}

void IndexWalk::make_key(const Bound& bound, std::vector<ValueView>* key) const {
  key->assign(keys_.key().begin(), keys_.key().end());
  if (bound.present) key->push_back(bound.value);
}

// Puts the cursor on the first entry of the current key prefix.
Status IndexWalk::position() {
  make_key(begin_, &begin_key_);
  make_key(end_, &end_key_);
  step_ = unique_ ? 1 : begin_key_.empty() && end_key_.empty() ? kChunkRowsMax : kFirstStep;
  if (begin_key_.empty()) return node_->descending ? cursor_->last() : cursor_->first();
  bool inclusive = !begin_.present || begin_.inclusive;
  return node_->descending ? cursor_->seek_key_upper(begin_key_, inclusive)
                           : cursor_->seek_key_lower(begin_key_, inclusive);
}

void IndexWalk::set_bound_types(ValueType type) {
  begin_.value.type = end_.value.type = type;
}

// Makes the next key prefix, or the other half of a LIKE range, current. Blobs are larger than texts.
bool IndexWalk::next_walk() {
  if (second_walk_due_) {
    second_walk_due_ = false;
    set_bound_types(upwards_ ? ValueType::kBlob : ValueType::kText);
    return true;
  }
  if (!keys_.next()) return false;
  if (node_->is_like_range) {
    second_walk_due_ = true;
    set_bound_types(upwards_ ? ValueType::kText : ValueType::kBlob);
  }
  return true;
}

// Looks the current key up in the directory. False: the directory cannot tell.
bool IndexWalk::walk_directory() {
  if (!directory_.is_ready()) return false;
  const ValueView& key = keys_.key()[0];
  int64_t integer = key.integer;
  // All keys of the index that are not NULL are integers.
  const bool is_possible =
      key.is_integer() || (key.is_real() && real_equals_integer(key.real, &integer));
  if (is_possible) found_ = directory_.find(integer);
  return true;
}

// Gives entries that the directory has found, in walking order.
uint32_t IndexWalk::give_found(LeafEntry* entries, uint32_t max) {
  const auto count = std::min(max, static_cast<uint32_t>(found_.size()));
  for (uint32_t i = 0; i < count; ++i) {
    entries[i] = (node_->descending ? found_[found_.size() - 1 - i] : found_[i]).entry(0);
  }
  found_ = node_->descending ? found_.first(found_.size() - count) : found_.subspan(count);
  return count;
}

Result<uint32_t> IndexWalk::next(LeafEntry* entries, uint32_t max, PageImageRef* image) {
  while (!empty_) {
    if (!found_.empty()) return give_found(entries, max);
    if (!walking_) {
      if (!next_walk()) break;
      if (may_use_directory_) {
        GW_TRY(directory_.note_look_up());
        if (walk_directory()) continue;
      }
      GW_TRY(position());
      walking_ = true;
    }
    uint32_t want = std::min(max, step_);
    step_ = std::min(step_ * 4, kChunkRowsMax);
    GW_ASSIGN(uint32_t count, node_->descending ? cursor_->previous_batch(entries, want, image)
                                                : cursor_->next_batch(entries, want, image));
    GW_ASSIGN(uint32_t within, drop_beyond_end(entries, count));
    if (within < count || count == 0 || unique_) walking_ = false;
    if (within > 0) return within;
  }
  empty_ = true;
  return uint32_t{0};
}

// How many of the entries, which are in walking order, come before the end of the range.
Result<uint32_t> IndexWalk::drop_beyond_end(LeafEntry* entries, uint32_t count) {
  if (count == 0 || end_key_.empty()) return count;
  GW_ASSIGN(bool all, is_within(&entries[count - 1]));
  if (all) return count;
  uint32_t low = 0, high = count - 1;  // the answer is in [low, high]
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    GW_ASSIGN(bool within, is_within(&entries[middle]));
    if (within) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Result<bool> IndexWalk::is_within(LeafEntry* entry) {
  if (!entry->payload.is_complete()) GW_TRY(complete(entry));
  Status error;
  int order = compare_key_record(index_->key_info, end_key_,
                                 {entry->payload.local, entry->payload.size}, &error);
  GW_TRY(std::move(error));
  if (order == 0) return !end_.present || end_.inclusive;
  return node_->descending ? order < 0 : order > 0;
}

Status IndexWalk::complete(LeafEntry* entry) {
  GW_TRY(cursor_->read_overflow(*entry, &scratch_));
  if (scratch_.size() != entry->payload.size) return corrupt("overflow chain of a wrong length");
  auto* copy = static_cast<uint8_t*>(
      overflow_->allocate(RowDecoder::kLeadBytes + scratch_.size(), 1));
  std::memcpy(copy + RowDecoder::kLeadBytes, scratch_.data(), scratch_.size());
  entry->payload.local = copy + RowDecoder::kLeadBytes;
  entry->payload.local_size = entry->payload.size;
  return Status();
}

// --- IndexSource ------------------------------------------------------------------------------------

Result<std::unique_ptr<TreeSource>> IndexSource::make(const RowSourceSpec& spec, TreeRows* rows) {
  const AccessNode& node = *spec.node;
  const Table& table = *node.source->table;
  bool covering = node.covering || node.index == table.primary_index;
  const Index* tree = covering ? node.index : table.without_rowid ? table.primary_index : nullptr;
  std::unique_ptr<IndexSource> source(new IndexSource(spec, tree));
  GW_TRY(source->prepare(rows));
  GW_TRY(source->walk_.prepare(spec));
  source->lookup_.prepare(*node.index, source->btree_->encoding());
  if (!covering && !table.without_rowid) {
    source->directory_.prepare(source->btree_, table.root, nullptr,
                               spec.context->memory_budget_bytes);
  }
  return std::unique_ptr<TreeSource>(std::move(source));
}

Status IndexSource::open() {
  GW_TRY(TreeSource::open());
  if (index_cursor_ != nullptr) {
    index_cursor_->invalidate();
  } else if (!is_covering()) {
    const Index& index = *spec_.node->index;
    GW_ASSIGN(index_cursor_,
              Cursor::open(btree_, index.root, TreeKind::kIndex, &index.key_info, false));
  }
  directory_.clear();
  walk_.open(is_covering() ? cursor_.get() : index_cursor_.get(), &rows_->arena());
  return Status();
}

Status IndexSource::reopen() {
  GW_TRY(TreeSource::reopen());
  walk_.reopen();
  return Status();
}

void IndexSource::close() {
  walk_.close();
  directory_.clear();
  TreeSource::close();
  if (index_cursor_ != nullptr) index_cursor_->invalidate();
}

// Appends the row that the index record belongs to.
Status IndexSource::find_row(const PayloadView& payload) {
  GW_TRY(directory_.note_look_up());
  if (directory_.is_ready()) {
    GW_ASSIGN(Rowid rowid, rowid_of_index_record(payload));
    auto places = directory_.find(rowid);
    if (places.empty()) return corrupt("index entry without a row");
    rows_->append(places[0].entry(rowid));
    return Status();
  }
  GW_TRY(lookup_.seek(cursor_.get(), payload));
  PageImageRef image;
  GW_ASSIGN(uint32_t found, cursor_->next_batch(rows_->next_entries(), 1, &image));
  if (found == 0) return corrupt("index entry without a row");
  rows_->commit(1, std::move(image));
  return Status();
}

Status IndexSource::fetch(uint32_t max, uint32_t* fetched) {
  if (unmatched_) return fetch_unmatched(max, fetched);
  uint32_t total = 0;
  if (index_entries_.size() < max && !is_covering()) index_entries_.resize(max);
  while (total < max) {
    PageImageRef image;
    LeafEntry* entries = is_covering() ? rows_->next_entries() : index_entries_.data();
    GW_ASSIGN(uint32_t count, walk_.next(entries, max - total, &image));
    if (count == 0) break;
    total += count;
    if (is_covering()) {
      rows_->commit(count, std::move(image));
      continue;
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (!entries[i].payload.is_complete()) GW_TRY(walk_.complete(&entries[i]));
      GW_TRY(find_row(entries[i].payload));
    }
  }
  *fetched = total;
  return Status();
}

}  // namespace godwit
