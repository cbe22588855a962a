#include "exec/table_writer.h"

#include <algorithm>

#include "value/affinity.h"
#include "value/cast.h"

namespace godwit {

Result<std::unique_ptr<TableWriter>> TableWriter::make(const BoundTableWrite& write,
                                                       ConflictAction statement_action,
                                                       ExecContext* context,
                                                       ActionWriters* action_writers) {
  std::unique_ptr<TableWriter> writer(new TableWriter());
  writer->write_ = &write;
  writer->table_ = write.table;
  writer->context_ = context;
  writer->statement_action_ = statement_action;
  GW_TRY(writer->compile(write));
  if (write.triggers != nullptr) {
    writer->triggers_ = std::make_unique<TriggerSet>(*write.triggers, context);
  }
  GW_TRY(writer->prepare_foreign_keys(action_writers));
  return writer;
}

// `action_writers`: those of the statement, if this is a writer for an action itself.
Status TableWriter::prepare_foreign_keys(ActionWriters* action_writers) {
  if (write_->foreign_keys == nullptr && write_->removal_keys == nullptr) return Status();
  if (action_writers == nullptr) {
    own_action_writers_ = std::make_unique<ActionWriters>(context_);
    action_writers = own_action_writers_.get();
  }
  if (write_->foreign_keys != nullptr) {
    GW_ASSIGN(foreign_keys_,
              ForeignKeys::make(*write_->foreign_keys, *table_, context_, action_writers));
    meets_itself_ = meets_itself(*write_->foreign_keys);
  }
  if (write_->removal_keys != nullptr) {
    GW_ASSIGN(removal_keys_,
              ForeignKeys::make(*write_->removal_keys, *table_, context_, action_writers));
  }
  return Status();
}

bool TableWriter::meets_itself(const BoundForeignKeys& keys) const {
  auto is_assigned = [&](int32_t column) { return write_->is_assigned(column); };
  for (const BoundReference* reference : keys.parents) {
    if (reference->is_self() && std::ranges::any_of(reference->child_columns, is_assigned)) {
      return true;
    }
  }
  return std::ranges::any_of(keys.children, [](const BoundChildren& children) {
    return children.action != ForeignKeyAction::kNoAction;
  });
}

void TableWriter::fail_foreign_keys_at_once() {
  if (foreign_keys_ != nullptr) foreign_keys_->set_fails_at_once();
}

Status TableWriter::default_value(int32_t column, ValueView* value) {
  Expression* expression = defaults_[static_cast<size_t>(column)].get();
  *value = ValueView::null();
  return expression == nullptr ? Status() : evaluate_scalar(expression, value);
}

Result<std::unique_ptr<Expression>> TableWriter::compile_one(const BoundExpr* expr) {
  if (expr == nullptr) return std::unique_ptr<Expression>();
  return compile_expression(*expr, Layout{layout_columns_}, context_, nullptr);
}

Status TableWriter::compile(const BoundTableWrite& write) {
  size_t columns = table_->columns.size();
  layout_columns_.reserve(columns + 1);
  row_chunk_.columns.reserve(columns + 1);
  defaults_.reserve(columns);
  generated_.reserve(columns);
  checks_.reserve(write.checks.size());
  indexes_.reserve(write.indexes.size());
  for (size_t i = 0; i < columns; ++i) {
    layout_columns_.push_back({write.row->id, static_cast<int32_t>(i)});
  }
  layout_columns_.push_back({write.row->id, ColumnRef::kRowid});
  row_vectors_.resize(columns + 1);
  for (Vector& vector : row_vectors_) row_chunk_.columns.push_back(&vector);
  row_chunk_.rows = 1;
  row_chunk_.selection = {nullptr, 1};
  note_columns();
  for (size_t i = 0; i < columns; ++i) {
    GW_ASSIGN(auto default_value, compile_one(write.defaults[i]));
    defaults_.push_back(std::move(default_value));
    GW_ASSIGN(auto generated, compile_one(write.generated[i]));
    generated_.push_back(std::move(generated));
  }
  for (const BoundCheck& check : write.checks) {
    GW_ASSIGN(auto condition, compile_one(check.condition));
    checks_.push_back(std::move(condition));
  }
  for (const BoundIndexWrite& index : write.indexes) {
    IndexState state;
    state.write = &index;
    state.expressions.reserve(index.expressions.size());
    for (const BoundExpr* expr : index.expressions) {
      GW_ASSIGN(auto expression, compile_one(expr));
      state.expressions.push_back(std::move(expression));
    }
    GW_ASSIGN(state.where, compile_one(index.where));
    state.key.resize(index.index->columns.size());
    state.old_key.resize(index.index->columns.size());
    indexes_.push_back(std::move(state));
  }
  return Status();
}

// What is asked of the columns for each row, close together.
void TableWriter::note_columns() {
  const std::vector<Column>& columns = table_->columns;
  stored_columns_.reserve(columns.size());
  affinities_.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    affinities_.push_back(column.affinity);
    if (column.not_null && static_cast<int32_t>(i) != table_->rowid_column) {
      not_null_columns_.push_back(static_cast<uint32_t>(i));
    }
    if (column.storage_position < 0) continue;
    size_t position = static_cast<size_t>(column.storage_position);
    if (position >= stored_columns_.size()) stored_columns_.resize(position + 1);
    stored_columns_[position] = {static_cast<uint32_t>(i), column.affinity == Affinity::kReal};
  }
  stored_.resize(stored_columns_.size());
  checks_rows_ = table_->strict || !not_null_columns_.empty() || !write_->checks.empty();
}

// Cursors are kept from run to run.
Status TableWriter::open() {
  Btree* btree = context_->services->btree(table_->database);
  failure_action_ = ConflictAction::kDefault;
  observer_ = context_->services->row_observer();
  knows_next_ = false;
  removed_rows_ = false;
  if (btree != btree_) GW_TRY(open_cursors(btree));
  set_resting(false);
  if (write_->sequence_root != 0) {
    GW_TRY(autoincrement_.load(btree_, write_->sequence_root, table_->name));
  }
  return Status();
}

Status TableWriter::open_cursors(Btree* btree) {
  encoder_ = RecordEncoder({btree->encoding(), true});
  if (table_->without_rowid) {
    GW_ASSIGN(cursor_, Cursor::open(btree, table_->root, TreeKind::kIndex,
                                    &table_->primary_index->key_info, true));
  } else {
    GW_ASSIGN(cursor_, Cursor::open(btree, table_->root, TreeKind::kTable, nullptr, true));
  }
  for (IndexState& index : indexes_) {
    const Index& definition = *index.write->index;
    GW_ASSIGN(index.cursor, Cursor::open(btree, definition.root, TreeKind::kIndex,
                                         &definition.key_info, true));
  }
  btree_ = btree;
  return Status();
}

Status TableWriter::finish() {
  return write_->sequence_root != 0 ? autoincrement_.store() : Status();
}

// While the transaction goes on the next run finds its place at once.
void TableWriter::set_resting(bool resting) {
  cursor_->set_resting(resting);
  for (IndexState& index : indexes_) index.cursor->set_resting(resting);
}

void TableWriter::close() {
  if (btree_ == nullptr) return;
  set_resting(true);
  if (foreign_keys_ != nullptr) foreign_keys_->close();
  if (removal_keys_ != nullptr) removal_keys_->close();
}

// ---- Values of a row ------------------------------------------------------------------------------

void TableWriter::show_row(std::span<const ValueView> values, Rowid rowid) {
  for (size_t i = 0; i < values.size(); ++i) row_vectors_[i].set_constant_value(values[i]);
  if (table_->rowid_column >= 0) {
    row_vectors_[static_cast<size_t>(table_->rowid_column)].set_constant_value(
        ValueView::of(rowid));
  }
  row_vectors_.back().set_constant_value(ValueView::of(rowid));
}

// The value is copied to the scratch arena: it must outlive the next evaluation.
Status TableWriter::evaluate(Expression* expression, ValueView* value) {
  const Vector* result = nullptr;
  GW_TRY(expression->evaluate(row_chunk_, row_chunk_.selection, &result));
  *value = result->get(0);
  if (value->type >= ValueType::kText && !value->zero_filled) {
    value->bytes = scratch_.copy(value->text()).data();
  }
  return Status();
}

Status TableWriter::evaluate_condition(Expression* expression, bool* is_true, bool* is_null) {
  const Vector* result = nullptr;
  GW_TRY(expression->evaluate(row_chunk_, row_chunk_.selection, &result));
  ValueView value = result->get(0);
  *is_null = value.is_null();
  *is_true = !value.is_null() && value_is_true(value);
  return Status();
}

void TableWriter::apply_column_affinities(std::span<ValueView> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Affinity affinity = affinities_[i];
    // Most values have the type of their column.
    if (affinity <= Affinity::kBlob || values[i].is_null()) continue;
    if (affinity == Affinity::kText ? values[i].is_text() : values[i].is_integer() &&
                                                                affinity != Affinity::kReal) {
      continue;
    }
    apply_affinity(affinity, &values[i], &scratch_);
  }
}

Status TableWriter::compute_generated(std::span<ValueView> values, Rowid rowid) {
  for (int32_t i : write_->generated_order) {
    size_t column = static_cast<size_t>(i);
    show_row(values, rowid);
    GW_TRY(evaluate(generated_[column].get(), &values[column]));
    apply_affinity(table_->columns[column].affinity, &values[column], &scratch_);
  }
  return Status();
}

// The entry of the row in an index: its key, and whether a partial index holds it at all.
Status TableWriter::make_key(IndexState* index, std::span<const ValueView> values, Rowid rowid,
                             std::vector<ValueView>* key, bool* in_index) {
  const Index& definition = *index->write->index;
  *in_index = true;
  bool needs_row = index->write->has_expressions || index->where != nullptr;
  if (needs_row) show_row(values, rowid);
  if (index->where != nullptr) {
    bool is_null = false;
    GW_TRY(evaluate_condition(index->where.get(), in_index, &is_null));
    if (!*in_index) return Status();
  }
  for (size_t i = 0; i < definition.columns.size(); ++i) {
    const IndexColumn& column = definition.columns[i];
    if (column.column == IndexColumn::kRowid || column.column == table_->rowid_column) {
      (*key)[i] = ValueView::of(rowid);
    } else if (column.column == IndexColumn::kExpression) {
      GW_TRY(evaluate(index->expressions[i].get(), &(*key)[i]));
    } else {
      size_t from = static_cast<size_t>(column.column);
      (*key)[i] = stored_form(table_->columns[from].affinity, values[from]);
    }
  }
  return Status();
}

}  // namespace godwit
