// Which column of a source is where in a record, and decoding a batch: see tree_rows.h.
#include "exec/tree_rows.h"

#include <algorithm>
#include <utility>

#include "exec/column_default.h"
#include "exec/expr_columns.h"
#include "value/affinity.h"

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

// The expression of a VIRTUAL generated column of the table; null: the column is stored.
const BoundExpr* virtual_expression(const BoundSource& source, const Index* index, int32_t column) {
  bool is_table_record = index == nullptr || index == source.table->primary_index;
  if (!is_table_record || column < 0 || static_cast<size_t>(column) >= source.generated.size()) {
    return nullptr;
  }
  return source.generated[static_cast<size_t>(column)];
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
    return Status(code::kInternal, "a generated column without its expression");
  }
  return definition.storage_position;
}

}  // namespace

Result<std::unique_ptr<TreeRows>> TreeRows::make(const RowSourceSpec& spec, const Index* index,
                                                 TextEncoding encoding) {
  std::unique_ptr<TreeRows> rows(new TreeRows(encoding));
  GW_TRY(rows->add_columns(spec, index));
  return rows;
}

Status TreeRows::add_columns(const RowSourceSpec& spec, const Index* index) {
  const BoundSource& source = *spec.node->source;
  columns_.reserve(spec.node->columns.size());
  for (int32_t column : spec.node->columns) columns_.push_back({source.id, column});
  is_early_ = spec.early;
  // Columns that virtual ones read are needed no later than those.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const BoundExpr* expr = virtual_expression(source, index, columns_[i].column);
      if (expr == nullptr) continue;
      for_each_column(*expr, [&](const ColumnRef& read) {
        auto found = std::find(columns_.begin(), columns_.end(), read);
        auto at = static_cast<size_t>(found - columns_.begin());
        if (found == columns_.end()) {
          columns_.push_back(read);
          is_early_.push_back(is_early_[i]);
          changed = true;
        } else if (is_early_[i] && !is_early_[at]) {
          is_early_[at] = true;
          changed = true;
        }
      });
    }
  }
  builders_.resize(columns_.size());
  const auto early = static_cast<size_t>(std::count(is_early_.begin(), is_early_.end(), true));
  early_.stored.reserve(early);
  late_.stored.reserve(columns_.size() - early);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (virtual_expression(source, index, columns_[i].column) == nullptr) {
      GW_TRY(add_column(spec, index, i));
    }
  }
  GW_TRY(add_virtual_columns(spec, index));
  computed_from_.columns.resize(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) computed_from_.columns[i] = &builders_[i].vector();
  auto by_position = [](const DecodeColumn& a, const DecodeColumn& b) {
    return a.position < b.position;
  };
  for (std::vector<DecodeColumn>* stored : {&early_.stored, &late_.stored}) {
    if (std::is_sorted(stored->begin(), stored->end(), by_position)) continue;
    std::stable_sort(stored->begin(), stored->end(), by_position);
  }
  return Status();
}

Status TreeRows::add_virtual_columns(const RowSourceSpec& spec, const Index* index) {
  const BoundSource& source = *spec.node->source;
  std::vector<bool> added;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (virtual_expression(source, index, columns_[i].column) == nullptr) continue;
    added.resize(columns_.size(), false);
    GW_TRY(add_virtual(spec, index, i, &added));
  }
  return Status();
}

// Adds column number `i` if it is virtual, after those that it reads.
Status TreeRows::add_virtual(const RowSourceSpec& spec, const Index* index, size_t i,
                             std::vector<bool>* added) {
  const BoundSource& source = *spec.node->source;
  const BoundExpr* expr = virtual_expression(source, index, columns_[i].column);
  if (expr == nullptr || (*added)[i]) return Status();
  (*added)[i] = true;
  std::vector<size_t> read;
  for_each_column(*expr, [&](const ColumnRef& column) {
    auto found = std::find(columns_.begin(), columns_.end(), column);
    read.push_back(static_cast<size_t>(found - columns_.begin()));
  });
  for (size_t column : read) GW_TRY(add_virtual(spec, index, column, added));
  VirtualColumn column;
  column.affinity = source.table->columns[columns_[i].column].affinity;
  column.target = i;
  GW_ASSIGN(column.expression, compile_expression(*expr, {columns_}, spec.context, nullptr));
  (is_early_[i] ? early_ : late_).computed.push_back(std::move(column));
  return Status();
}

Status TreeRows::add_column(const RowSourceSpec& spec, const Index* index, size_t i) {
  const Table& table = *spec.node->source->table;
  int32_t number = columns_[i].column;
  DecodeColumn decode;
  GW_ASSIGN(decode.position, position_in_record(table, index, number));
  decode.target = &builders_[i];
  if (number >= 0) {
    const Column& column = table.columns[number];
    decode.real_affinity = column.affinity == Affinity::kReal;
    if (column.default_value != nullptr) {
      if (defaults_.empty()) defaults_.resize(columns_.size());
      GW_TRY(evaluate_column_default(column, &defaults_[i]));
      decode.missing = defaults_[i];
    }
  }
  (is_early_[i] ? early_ : late_).stored.push_back(decode);
  return Status();
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

void TreeRows::commit(uint32_t count, PageImageRef image) {
  count_ += count;
  if (!image) return;
  if (images_.empty() || images_.back().get() != image.get()) images_.push_back(std::move(image));
}

void TreeRows::append_null() {
  entries_[count_] = LeafEntry();
  entries_[count_].overflow = RowDecoder::kNullEntry;
  ++count_;
}

Status TreeRows::load(bool early, const Selection& rows, Cursor* cursor) {
  Stage& stage = early ? early_ : late_;
  if (!stage.stored.empty()) {
    for (const DecodeColumn& column : stage.stored) column.target->begin(count_);
    GW_TRY(decoder_.decode({entries_.data(), count_}, rows, stage.stored, cursor, &arena_));
    for (const DecodeColumn& column : stage.stored) column.target->finish();
  }
  for (VirtualColumn& column : stage.computed) GW_TRY(compute(column, rows));
  return Status();
}

Status TreeRows::compute(VirtualColumn& column, const Selection& rows) {
  computed_from_.rows = count_;
  computed_from_.selection = rows;
  const Vector* values = nullptr;
  GW_TRY(column.expression->evaluate(computed_from_, rows, &values));
  ColumnBuilder& target = builders_[column.target];
  target.begin(count_);
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t row = rows[i];
    ValueView value = is_null(row) ? ValueView::null() : values->get(row);
    apply_affinity(column.affinity, &value, &arena_);
    target.put(row, value);
  }
  target.finish();
  return Status();
}

}  // namespace godwit
