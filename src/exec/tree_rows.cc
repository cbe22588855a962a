// Which column of a source is where in a record, and decoding a batch: see tree_rows.h.
#include "exec/tree_rows.h"

#include <algorithm>

#include "exec/column_default.h"

namespace godwit {

namespace {

// Where column `column` of the table is in the index's records; -1: it is not.
int32_t position_in_index(const Index& index, int32_t column) {
  bool is_rowid = column == ColumnRef::kRowid || column == index.table->rowid_column;
  for (size_t i = 0; i < index.columns.size(); ++i) {
    int32_t stored = index.columns[i].column;
    if (stored == column || (is_rowid && stored == IndexColumn::kRowid)) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

Result<int32_t> position_in_record(const Table& table, const Index* index, int32_t column) {
  if (index != nullptr && index != table.primary_index) {
    int32_t position = position_in_index(*index, column);
    if (position < 0) return Status(code::kInternal, "an index does not hold a column it should");
    return position;
  }
  if (column == ColumnRef::kRowid || column == table.rowid_column) {
    return DecodeColumn::kRowidPosition;
  }
  const Column& definition = table.columns[column];
  if (definition.generated == Generated::kVirtual) {
    return Status::not_implemented("reading VIRTUAL generated columns");
  }
  return definition.storage_position;
}

}  // namespace

Result<std::unique_ptr<TreeRows>> TreeRows::make(const RowSourceSpec& spec, const Index* index,
                                                 TextEncoding encoding) {
  std::unique_ptr<TreeRows> rows(new TreeRows(encoding));
  std::span<const int32_t> columns = spec.node->columns;
  const Table& table = *spec.node->source->table;
  rows->builders_.resize(columns.size());
  rows->defaults_.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    DecodeColumn decode;
    GW_ASSIGN(decode.position, position_in_record(table, index, columns[i]));
    decode.target = &rows->builders_[i];
    if (columns[i] >= 0) {
      const Column& column = table.columns[columns[i]];
      decode.real_affinity = column.affinity == Affinity::kReal;
      if (column.default_value != nullptr) {
        GW_TRY(evaluate_column_default(column, &rows->defaults_[i]));
        decode.missing = rows->defaults_[i];
      }
    }
    (spec.early[i] ? rows->early_ : rows->late_).push_back(decode);
  }
  auto by_position = [](const DecodeColumn& a, const DecodeColumn& b) {
    return a.position < b.position;
  };
  std::stable_sort(rows->early_.begin(), rows->early_.end(), by_position);
  std::stable_sort(rows->late_.begin(), rows->late_.end(), by_position);
  return rows;
}

void TreeRows::begin(uint32_t rows) {
  clear();
  rows_ = rows;
  if (entries_.size() < rows) entries_.resize(rows);
}

void TreeRows::clear() {
  count_ = 0;
  images_.clear();
  arena_.reset();
}

void TreeRows::commit(uint32_t count, const PageImageRef& image) {
  count_ += count;
  if (images_.empty() || images_.back().get() != image.get()) images_.push_back(image);
}

void TreeRows::append_null() {
  entries_[count_] = LeafEntry();
  entries_[count_].overflow = RowDecoder::kNullEntry;
  ++count_;
}

Status TreeRows::load(bool early, const Selection& rows, Cursor* cursor) {
  const std::vector<DecodeColumn>& columns = early ? early_ : late_;
  if (columns.empty()) return Status();
  for (const DecodeColumn& column : columns) column.target->begin(count_);
  GW_TRY(decoder_.decode({entries_.data(), count_}, rows, columns, cursor, &arena_));
  for (const DecodeColumn& column : columns) column.target->finish();
  return Status();
}

}  // namespace godwit
