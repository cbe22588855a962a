// Materialized subqueries and hash joins: see access_store.h.
#include "exec/access_store.h"

#include <algorithm>
#include <numeric>

#include "exec/plan_columns.h"

namespace godwit {

// --- StoreSource ------------------------------------------------------------------------------------

Status StoreSource::prepare(std::span<const ColumnRef> columns) {
  const AccessNode& node = *spec_.node;
  for (int32_t column : node.columns) {
    auto found = std::find(columns.begin(), columns.end(), ColumnRef{node.source->id, column});
    if (found == columns.end()) return Status(code::kInternal, "a subquery lacks a column");
    store_columns_.push_back(static_cast<size_t>(found - columns.begin()));
  }
  builders_.resize(store_columns_.size());
  columns_.resize(store_columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i] = &builders_[i].vector();
  return Status();
}

void StoreSource::begin_batch(uint32_t rows) {
  count_ = 0;
  block_mode_ = false;
  if (rows_.size() < rows) rows_.resize(rows);
}

void StoreSource::append_row(uint32_t row) {
  leave_block_mode();
  rows_[count_++] = row;
}

void StoreSource::leave_block_mode() {
  if (!block_mode_) return;
  block_mode_ = false;
  std::iota(rows_.begin(), rows_.begin() + count_, block_ * ColumnStore::kBlockRows);
}

uint32_t StoreSource::append_range(uint32_t max, uint32_t* position, uint32_t end) {
  uint32_t count = std::min({max, end - *position,
                             ColumnStore::kBlockRows - *position % ColumnStore::kBlockRows});
  if (count == 0) return 0;
  uint32_t block = *position / ColumnStore::kBlockRows;
  bool whole_block = *position % ColumnStore::kBlockRows == 0 && count == stored_.block_rows(block);
  if (count_ == 0 && whole_block) {
    block_mode_ = true;
    block_ = block;
  } else {
    leave_block_mode();
    std::iota(rows_.begin() + count_, rows_.begin() + count_ + count, *position);
  }
  count_ += count;
  *position += count;
  return count;
}

void StoreSource::append_all(uint32_t max, uint32_t* position, uint32_t end, uint32_t* fetched) {
  uint32_t total = 0;
  while (total < max) {
    uint32_t count = append_range(max - total, position, end);
    if (count == 0) break;
    total += count;
  }
  *fetched = total;
}

Status StoreSource::load(bool early, const Selection& rows) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (spec_.early[i] != early) continue;
    if (block_mode_) {
      columns_[i] = stored_.block_column(block_, store_columns_[i]);
      continue;
    }
    ColumnBuilder& builder = builders_[i];
    builder.begin(count_);
    stored_.gather(store_columns_[i], rows_.data(), rows, &builder);
    builder.finish();
    columns_[i] = &builder.vector();
  }
  return Status();
}

Status StoreSource::mark_matched(const Selection& rows) {
  if (matched_.size() < stored_.size()) matched_.resize(stored_.size());
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t row = block_mode_ ? block_ * ColumnStore::kBlockRows + rows[i] : rows_[rows[i]];
    matched_[row] = true;
  }
  return Status();
}

Status StoreSource::begin_unmatched() {
  unmatched_ = true;
  unmatched_position_ = 0;
  matched_.resize(stored_.size());
  return Status();
}

Status StoreSource::fetch_unmatched(uint32_t max, uint32_t* fetched) {
  uint32_t total = 0;
  for (; total < max && unmatched_position_ < stored_.size(); ++unmatched_position_) {
    if (matched_[unmatched_position_]) continue;
    append_row(unmatched_position_);
    ++total;
  }
  *fetched = total;
  return Status();
}

void StoreSource::open_store() {
  unmatched_ = false;
  matched_.clear();
}

// --- MaterializedInput ------------------------------------------------------------------------------

Status MaterializedInput::prepare(const RowSourceSpec& spec) {
  context_ = spec.context;
  correlated_ = spec.outer != nullptr && reads_any(*spec.node->input, spec.outer->columns);
  GW_ASSIGN(input_, make_operator(*spec.node->input, spec.context, spec.outer));
  return Status();
}

void MaterializedInput::open() {
  if (correlated_ || execution_ != context_->execution) known_ = false;
}

template <typename Add>
Status MaterializedInput::run(Add add) {
  Status status = input_->open();
  ChunkRamp ramp;
  const Chunk* chunk = nullptr;
  while (status.ok()) {
    status = input_->next(ramp.next(), &chunk);
    if (!status.ok() || chunk->at_end()) break;
    status = add(*chunk);
    if (status.ok()) status = context_->check_interrupt();
  }
  input_->close();
  known_ = status.ok();
  execution_ = context_->execution;
  return status;
}

// --- QuerySource ------------------------------------------------------------------------------------

Result<std::unique_ptr<RowSource>> QuerySource::make(const RowSourceSpec& spec) {
  std::span<const ColumnRef> columns = spec.node->input->output;
  std::unique_ptr<QuerySource> source(new QuerySource(spec, columns.size()));
  GW_TRY(source->prepare(columns));
  GW_TRY(source->input_.prepare(spec));
  return std::unique_ptr<RowSource>(std::move(source));
}

Status QuerySource::open() {
  open_store();
  input_.open();
  return Status();
}

Status QuerySource::begin_left(const Chunk&) { return fill_store(); }

Status QuerySource::begin_unmatched() {
  GW_TRY(fill_store());
  return StoreSource::begin_unmatched();
}

Status QuerySource::fill_store() {
  if (input_.is_known()) return Status();
  store_.clear();
  GW_TRY(input_.run([this](const Chunk& chunk) {
    store_.append(chunk.columns, chunk.selection);
    return Status();
  }));
  store_.finish();
  return Status();
}

Status QuerySource::seek(uint32_t) {
  position_ = 0;
  return Status();
}

Status QuerySource::fetch(uint32_t max, uint32_t* fetched) {
  if (unmatched_) return fetch_unmatched(max, fetched);
  append_all(max, &position_, store_.size(), fetched);
  return Status();
}

// --- QueueSource ------------------------------------------------------------------------------------

Result<std::unique_ptr<RowSource>> QueueSource::make(const RowSourceSpec& spec) {
  SourceId id = spec.node->source->id;
  const RecursiveQueue* queue = nullptr;
  for (const RecursiveQueue* candidate : spec.context->recursive_queues) {
    if (candidate->source == id) queue = candidate;
  }
  if (queue == nullptr) return Status(code::kInternal, "a recursive source outside of its query");
  std::vector<ColumnRef> columns;
  for (size_t i = 0; i < queue->rows->column_count(); ++i) {
    columns.push_back({id, static_cast<int32_t>(i)});
  }
  std::unique_ptr<QueueSource> source(new QueueSource(spec, queue));
  GW_TRY(source->prepare(columns));
  return std::unique_ptr<RowSource>(std::move(source));
}

Status QueueSource::open() {
  open_store();
  return Status();
}

Status QueueSource::seek(uint32_t) {
  position_ = queue_->begin;
  return Status();
}

Status QueueSource::fetch(uint32_t max, uint32_t* fetched) {
  append_all(max, &position_, queue_->end, fetched);
  return Status();
}

// --- HashSource -------------------------------------------------------------------------------------

namespace {

// A NULL key matches only where the comparison is IS.
RowKeyTable::Nulls nulls_of(const AccessNode& node) {
  bool any_is = std::any_of(node.equal.begin(), node.equal.end(),
                            [](const SeekKey& key) { return key.null_matches; });
  return any_is ? RowKeyTable::Nulls::kEqual : RowKeyTable::Nulls::kNeverMatch;
}

}  // namespace

HashSource::HashSource(const RowSourceSpec& spec, size_t store_columns)
    : StoreSource(spec, &store_),
      store_(store_columns),
      table_(spec.node->hash_collations, nulls_of(*spec.node)) {}

Result<std::unique_ptr<RowSource>> HashSource::make(const RowSourceSpec& spec) {
  const AccessNode& node = *spec.node;
  std::span<const ColumnRef> columns = node.input->output;
  std::unique_ptr<HashSource> source(new HashSource(spec, columns.size()));
  GW_TRY(source->prepare(columns));
  GW_TRY(source->input_.prepare(spec));
  for (size_t i = 0; i < node.hash_keys.size(); ++i) {
    GW_ASSIGN(auto build,
              compile_expression(*node.hash_keys[i], {columns}, spec.context, spec.outer));
    source->build_keys_.expressions.push_back(std::move(build));
    source->build_keys_.affinities.emplace_back(node.equal[i].affinity);
    GW_ASSIGN(auto probe, compile_expression(*node.equal[i].expr, {spec.left},
                                             spec.context, spec.outer));
    source->probe_keys_.expressions.push_back(std::move(probe));
    source->probe_keys_.affinities.emplace_back(node.equal[i].affinity);
  }
  source->choose_order(columns);
  return std::unique_ptr<RowSource>(std::move(source));
}

// The columns of an automatic index behind the keys: all others but the rowid, which is last, and is
// the order in which rows are added.
void HashSource::choose_order(std::span<const ColumnRef> columns) {
  const AccessNode& node = *spec_.node;
  const Table* table = node.source->table;
  for (size_t i = 0; i < columns.size(); ++i) {
    bool is_rowid = columns[i].column == ColumnRef::kRowid ||
                    (table != nullptr && columns[i].column == table->rowid_column);
    bool is_key = std::any_of(node.hash_keys.begin(), node.hash_keys.end(), [&](BoundExpr* key) {
      return key->kind == ExprKind::kColumn && key->column == columns[i];
    });
    if (!is_rowid && !is_key) order_.push_back({i, binary_collation()});
  }
  std::sort(order_.begin(), order_.end(), [&](const SortKey& a, const SortKey& b) {
    return columns[a.column].column < columns[b.column].column;
  });
}

Status HashSource::open() {
  open_store();
  input_.open();
  return Status();
}

Status HashSource::KeySide::evaluate(const Chunk& chunk, const Selection& selection) {
  vectors.resize(expressions.size());
  for (size_t i = 0; i < expressions.size(); ++i) {
    GW_TRY(expressions[i]->evaluate(chunk, selection, &vectors[i]));
    vectors[i] = affinities[i].convert(vectors[i], selection, chunk.rows);
  }
  return Status();
}

Selection HashSource::rows_with_keys(const KeySide& side, const Selection& selection) {
  const AccessNode& node = *spec_.node;
  if (nulls_of(node) == RowKeyTable::Nulls::kNeverMatch) return selection;
  if (key_rows_.size() < selection.count) key_rows_.resize(selection.count);
  uint32_t count = 0;
  for (uint32_t i = 0; i < selection.count; ++i) {
    uint32_t row = selection[i];
    bool matches_nothing = false;
    for (size_t k = 0; k < node.equal.size(); ++k) {
      if (!node.equal[k].null_matches && side.vectors[k]->is_null(row)) matches_nothing = true;
    }
    if (!matches_nothing) key_rows_[count++] = static_cast<uint16_t>(row);
  }
  return {key_rows_.data(), count};
}

Status HashSource::build() {
  if (input_.is_known()) return Status();
  store_.clear();
  table_.clear();
  first_row_.clear();
  last_row_.clear();
  next_row_.clear();
  GW_TRY(input_.run([this](const Chunk& chunk) { return add_chunk(chunk); }));
  store_.finish();
  is_sorted_.assign(table_.size(), false);
  return Status();
}

Status HashSource::add_chunk(const Chunk& chunk) {
  GW_TRY(build_keys_.evaluate(chunk, chunk.selection));
  // Rows that can match nothing are of interest only if they are given when unmatched.
  bool keep_all = spec_.node->join == JoinType::kRight || spec_.node->join == JoinType::kFull;
  Selection keyed = rows_with_keys(build_keys_, chunk.selection);
  if (numbers_.size() < chunk.size()) numbers_.resize(chunk.size());
  table_.find_or_insert(build_keys_.vectors, keyed, numbers_.data());
  first_row_.resize(table_.size(), kNullRow);
  last_row_.resize(table_.size(), kNullRow);

  uint32_t row = store_.size();
  const Selection& stored = keep_all ? chunk.selection : keyed;
  store_.append(chunk.columns, stored);
  next_row_.resize(store_.size(), kNullRow);
  uint32_t k = 0;  // in `keyed`, a subset of `stored`
  for (uint32_t i = 0; i < stored.count; ++i, ++row) {
    if (k == keyed.count || keyed[k] != stored[i]) continue;
    uint32_t number = numbers_[k++];
    if (number == RowKeyTable::kNone) continue;
    if (first_row_[number] == kNullRow) {
      first_row_[number] = row;
    } else {
      next_row_[last_row_[number]] = row;
    }
    last_row_[number] = row;
  }
  return Status();
}

Status HashSource::begin_left(const Chunk& left) {
  GW_TRY(build());
  match_number_.assign(left.rows, RowKeyTable::kNone);
  if (table_.empty()) return Status();
  GW_TRY(probe_keys_.evaluate(left, left.selection));
  Selection keyed = rows_with_keys(probe_keys_, left.selection);
  if (numbers_.size() < keyed.count) numbers_.resize(keyed.count);
  table_.find(probe_keys_.vectors, keyed, numbers_.data());
  for (uint32_t i = 0; i < keyed.count; ++i) match_number_[keyed[i]] = numbers_[i];
  return Status();
}

void HashSource::sort_matches(uint32_t number) {
  is_sorted_[number] = true;
  if (first_row_[number] == last_row_[number] || order_.empty()) return;
  equal_rows_.clear();
  for (uint32_t row = first_row_[number]; row != kNullRow; row = next_row_[row]) {
    equal_rows_.push_back(row);
  }
  std::stable_sort(equal_rows_.begin(), equal_rows_.end(), [this](uint32_t a, uint32_t b) {
    return compare_rows(order_, store_, a, store_, b) < 0;
  });
  first_row_[number] = equal_rows_.front();
  last_row_[number] = equal_rows_.back();
  for (size_t i = 0; i + 1 < equal_rows_.size(); ++i) next_row_[equal_rows_[i]] = equal_rows_[i + 1];
  next_row_[equal_rows_.back()] = kNullRow;
}

Status HashSource::begin_unmatched() {
  GW_TRY(build());
  return StoreSource::begin_unmatched();
}

Status HashSource::seek(uint32_t left_row) {
  uint32_t number = match_number_[left_row];
  match_ = kNullRow;
  if (number == RowKeyTable::kNone) return Status();
  if (!is_sorted_[number]) sort_matches(number);
  match_ = first_row_[number];
  return Status();
}

Status HashSource::fetch(uint32_t max, uint32_t* fetched) {
  if (unmatched_) return fetch_unmatched(max, fetched);
  uint32_t total = 0;
  for (; total < max && match_ != kNullRow; ++total) {
    append_row(match_);
    match_ = next_row_[match_];
  }
  *fetched = total;
  return Status();
}

}  // namespace godwit
