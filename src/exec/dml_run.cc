#include "exec/dml_run.h"

#include <algorithm>
#include <numeric>

#include "exec/subquery.h"
#include "exec/upsert.h"
#include "exec/view_run.h"
#include "exec/virtual_run.h"
#include "value/affinity.h"

namespace godwit {

Status DmlRun::run() {
  log_.changes = 0;
  context_->raised = ConflictAction::kDefault;
  if (returning_ != nullptr) returning_->clear();
  if (writer_ == nullptr) return run_all();
  GW_TRY(writer_->open());
  GW_TRY(run_all());
  return writer_->finish();
}

void DmlRun::reset() {
  if (writer_ != nullptr) writer_->close();
  close_writers();
  if (returning_ != nullptr) returning_->clear();
  if (source_ != nullptr) source_->reset();
  close_subqueries(context_);
  buffer_.clear();
  buffer_bytes_.reset();
}

Status DmlRun::prepare_source(const BoundQuery* source) {
  if (source == nullptr) return Status();
  GW_ASSIGN(source_, QueryRun::make(*source->plan, context_, outer_));
  return Status();
}

Status DmlRun::prepare_writer(const BoundTableWrite& write, ConflictAction conflict) {
  GW_ASSIGN(writer_, TableWriter::make(write, conflict, context_));
  writer_->set_log(&log_);
  return Status();
}

Status DmlRun::prepare_returning(const BoundReturning* bound, const Table& table) {
  if (bound == nullptr) return Status();
  GW_ASSIGN(returning_, Returning::make(*bound, table, context_));
  log_.returning = returning_.get();
  return Status();
}

Status DmlRun::fill_buffer() {
  uint32_t columns = source_->column_count();
  for (;;) {
    GW_ASSIGN(bool more, source_->step());
    if (!more) break;
    for (uint32_t i = 0; i < columns; ++i) {
      ValueView value = source_->column(i);
      if (value.type >= ValueType::kText && !value.zero_filled) {
        value.bytes = buffer_bytes_.copy(value.text()).data();
      }
      buffer_.push_back(value);
    }
  }
  source_->reset();
  return Status();
}

void DmlRun::set_key_order(const Table& table, bool by_key) {
  SortKey key;
  if (table.has_rowid()) {
    key_order_.push_back(key);
    return;
  }
  const Index& primary = *table.primary_index;
  for (uint32_t i = 0; i < primary.declared_columns; ++i) {
    key.column = by_key ? i : static_cast<size_t>(primary.columns[i].column);
    key.collation = primary.columns[i].collation;
    key.descending = primary.columns[i].descending;
    key.nulls_first = !key.descending;
    key_order_.push_back(key);
  }
}

void DmlRun::sort_buffer() {
  size_t columns = source_->column_count();
  auto compare = [&](uint32_t a, uint32_t b) {
    for (const SortKey& key : key_order_) {
      int order = compare_key_values(key, buffer_[a * columns + key.column],
                                     buffer_[b * columns + key.column]);
      if (order != 0) return order;
    }
    return 0;
  };
  sorted_rows_.resize(buffer_.size() / columns);
  std::iota(sorted_rows_.begin(), sorted_rows_.end(), 0);
  std::stable_sort(sorted_rows_.begin(), sorted_rows_.end(),
                   [&](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
  // Rows with the same key come from UPDATE ... FROM.
  size_t count = 0;
  for (size_t i = 0; i < sorted_rows_.size(); ++i) {
    bool again = i + 1 < sorted_rows_.size() && compare(sorted_rows_[i], sorted_rows_[i + 1]) == 0;
    if (!again) sorted_rows_[count++] = sorted_rows_[i];
  }
  sorted_rows_.resize(count);
}

namespace {

class InsertRun final : public DmlRun {
 public:
  InsertRun(const BoundInsert& insert, ExecContext* context, OuterRow* outer)
      : DmlRun(context, outer), insert_(insert) {}

  Status prepare() {
    const BoundTableWrite& write = *insert_.write;
    if (const auto* row = single_row()) {
      GW_TRY(compile_row(*row));
    } else {
      GW_TRY(prepare_source(insert_.source));
    }
    GW_TRY(prepare_writer(write, insert_.conflict));
    GW_TRY(prepare_returning(insert_.returning, *write.table));
    writer_->set_unique_checks(insert_.unique_checks);
    for (const BoundUpsert& clause : insert_.upserts) {
      updates_.emplace_back();
      if (clause.do_nothing) continue;
      GW_ASSIGN(updates_.back(), UpsertUpdate::make(clause, context_, outer_));
      updates_.back()->set_log(&log_);
    }
    values_.resize(write.table->columns.size());
    defaults_.resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      if (insert_.column_sources[i] >= 0 || write.defaults[i] == nullptr) continue;
      if (static_cast<int32_t>(i) == write.table->rowid_column) continue;
      GW_ASSIGN(defaults_[i],
                compile_expression(*write.defaults[i], Layout{}, context_, nullptr));
    }
    return Status();
  }

 protected:
  void close_writers() override {
    for (auto& update : updates_) {
      if (update != nullptr) update->close();
    }
  }
  Status run_all() override {
    for (auto& update : updates_) {
      if (update != nullptr) GW_TRY(update->open());
    }
    if (source_ == nullptr) {
      GW_TRY(context_->check_interrupt());
      for (size_t i = 0; i < one_row_.size(); ++i) {
        GW_TRY(evaluate(row_values_[i], &one_row_[i]));
      }
      return insert_row(one_row_);
    }
    return for_each_row(insert_.must_buffer,
                        [&](std::span<ValueView> row) { return insert_row(row); });
  }

 private:
  // A value of the one row: of an expression, or else of a parameter.
  struct RowValue {
    std::unique_ptr<Expression> expression;
    size_t parameter = 0;
  };

  // The one row of VALUES that needs no operators: nothing in it reads a table.
  const std::span<BoundExpr*>* single_row() const {
    if (insert_.source == nullptr || insert_.must_buffer) return nullptr;
    const PlanNode& root = *insert_.source->plan->root;
    if (root.kind != PlanKind::kValues) return nullptr;
    const auto& values = static_cast<const ValuesNode&>(root);
    if (values.rows_exprs.size() != 1) return nullptr;
    for (const BoundExpr* expr : values.rows_exprs[0]) {
      if (expr->has_subquery) return nullptr;
    }
    return &values.rows_exprs[0];
  }

  Status compile_row(std::span<BoundExpr* const> row) {
    row_values_.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i]->kind == ExprKind::kParameter) {
        row_values_[i].parameter = static_cast<size_t>(row[i]->parameter) - 1;
      } else {
        GW_ASSIGN(row_values_[i].expression,
                  compile_expression(*row[i], Layout{}, context_, outer_));
      }
    }
    one_row_.resize(row.size());
    return Status();
  }

  Status evaluate(const RowValue& source, ValueView* value) {
    if (source.expression != nullptr) return evaluate_scalar(source.expression.get(), value);
    *value = source.parameter < context_->parameters.size()
                 ? context_->parameters[source.parameter].view()
                 : ValueView::null();
    return Status();
  }

  Status insert_row(std::span<const ValueView> row) {
    for (size_t i = 0; i < values_.size(); ++i) {
      int32_t from = insert_.column_sources[i];
      if (from >= 0) {
        values_[i] = row[static_cast<size_t>(from)];
      } else if (defaults_[i] != nullptr) {
        GW_TRY(evaluate_scalar(defaults_[i].get(), &values_[i]));
      } else {
        values_[i] = ValueView::null();
      }
    }
    const ValueView* rowid =
        insert_.rowid_source >= 0 ? &row[static_cast<size_t>(insert_.rowid_source)] : nullptr;
    GW_ASSIGN(bool inserted, writer_->insert(values_, rowid));
    return inserted ? Status() : update_conflicting_row();
  }

  // The row was not inserted: the ON CONFLICT clause that takes over, if there is one, does its work.
  Status update_conflicting_row() {
    int32_t clause = writer_->conflict_clause();
    if (clause < 0 || updates_[static_cast<size_t>(clause)] == nullptr) return Status();
    UpsertUpdate& update = *updates_[static_cast<size_t>(clause)];
    GW_ASSIGN(Rowid rowid, writer_->load_conflicting_row(&conflicting_));
    const bool fires = insert_.upserts[static_cast<size_t>(clause)].write->has_side_effects();
    if (fires) GW_TRY(writer_->leave_for_triggers());
    GW_ASSIGN(bool updated,
              update.update(rowid, conflicting_, writer_->excluded_row(values_),
                            writer_->proposed_rowid()));
    if (fires) GW_TRY(writer_->return_from_triggers());
    if (updated && update.may_change_rowids()) writer_->forget_next_rowid();
    return Status();
  }

  const BoundInsert& insert_;
  std::vector<RowValue> row_values_;  // of single_row()
  std::vector<ValueView> one_row_;
  std::vector<std::unique_ptr<UpsertUpdate>> updates_;  // by clause; null: DO NOTHING
  std::vector<ValueView> conflicting_;
  std::vector<std::unique_ptr<Expression>> defaults_;
  std::vector<ValueView> values_;
};

// Where a source row of UPDATE and DELETE has its parts (BoundUpdate::source).
struct OldRow {
  Rowid rowid = 0;
  std::span<ValueView> values;
};
OldRow old_row(const Table& table, std::span<ValueView> row) {
  size_t first = table.has_rowid() ? 1 : 0;
  return {first == 1 ? row[0].integer : 0, row.subspan(first, table.columns.size())};
}

class UpdateRun final : public DmlRun {
 public:
  UpdateRun(const BoundUpdate& update, ExecContext* context, OuterRow* outer)
      : DmlRun(context, outer), update_(update) {}

  Status prepare() {
    const Table& table = *update_.write->table;
    GW_TRY(prepare_source(update_.source));
    if (update_.order == RowOrder::kKey) set_key_order(table, update_.by_key);
    GW_TRY(prepare_writer(*update_.write, update_.conflict));
    if (!update_.values.empty()) {
      row_.init(table, update_.row->id);
      for (const BoundExpr* value : update_.values) {
        GW_ASSIGN(auto expression, compile_expression(*value, row_.layout(), context_, outer_));
        expressions_.push_back(std::move(expression));
      }
      assigned_.resize(expressions_.size());
    }
    return prepare_returning(update_.returning, table);
  }

 protected:
  Status run_all() override {
    return for_each_row(update_.must_buffer, [&](std::span<ValueView> row) {
      return update_.by_key ? update_row_by_key(row) : update_row(row);
    });
  }

 private:
  Status update_row(std::span<ValueView> row) {
    OldRow old = old_row(*update_.write->table, row);
    return update_row(old.rowid, old.values, row.last(update_.assigned.size()));
  }

  Status update_row_by_key(std::span<ValueView> row) {
    Rowid rowid = 0;
    bytes_.reset();
    std::span<const ValueView> key = row;
    if (expressions_.empty()) key = row.first(row.size() - update_.assigned.size());
    GW_ASSIGN(bool exists, writer_->load_row(key, &rowid, &old_values_, &bytes_));
    if (!exists) return Status();
    if (expressions_.empty()) {
      return update_row(rowid, old_values_, row.last(update_.assigned.size()));
    }
    row_.show(old_values_, rowid);
    for (size_t i = 0; i < expressions_.size(); ++i) {
      ValueView& value = assigned_[i];
      GW_TRY(row_.evaluate(expressions_[i].get(), &value));
      if (value.type >= ValueType::kText && !value.zero_filled) {
        value.bytes = bytes_.copy(value.text()).data();
      }
    }
    return update_row(rowid, old_values_, assigned_);
  }

  Status update_row(Rowid rowid, std::span<const ValueView> old_values,
                    std::span<const ValueView> assigned) {
    const Table& table = *update_.write->table;
    values_.assign(old_values.begin(), old_values.end());
    const ValueView* new_rowid = nullptr;
    for (size_t i = 0; i < assigned.size(); ++i) {
      int32_t column = update_.assigned[i];
      if (column == ColumnRef::kRowid || column == table.rowid_column) {
        new_rowid = &assigned[i];
      } else {
        values_[static_cast<size_t>(column)] = assigned[i];
      }
    }
    return writer_->update(rowid, old_values, values_, new_rowid).status();
  }

  const BoundUpdate& update_;
  std::vector<ValueView> values_;
  // By key: the row as it is, and the expressions of the new values over it.
  RowChunk row_;
  std::vector<std::unique_ptr<Expression>> expressions_;
  std::vector<ValueView> old_values_, assigned_;
  Arena bytes_;
};

class DeleteRun final : public DmlRun {
 public:
  DeleteRun(const BoundDelete& remove, ExecContext* context, OuterRow* outer)
      : DmlRun(context, outer), delete_(remove) {}

  Status prepare() {
    if (!delete_.everything) GW_TRY(prepare_source(delete_.source));
    if (delete_.order == RowOrder::kKey) set_key_order(*delete_.write->table, delete_.by_key);
    GW_TRY(prepare_writer(*delete_.write, ConflictAction::kDefault));
    return prepare_returning(delete_.returning, *delete_.write->table);
  }

 protected:
  Status run_all() override {
    if (delete_.everything) {
      GW_ASSIGN(log_.changes, writer_->clear());
      return Status();
    }
    return for_each_row(delete_.must_buffer, [&](std::span<ValueView> row) -> Status {
      if (delete_.by_key) return remove_row_by_key(row);
      OldRow old = old_row(*delete_.write->table, row);
      return writer_->remove(old.rowid, old.values).status();
    });
  }

 private:
  Status remove_row_by_key(std::span<ValueView> row) {
    Rowid rowid = 0;
    bytes_.reset();
    GW_ASSIGN(bool exists, writer_->load_row(row, &rowid, &values_, &bytes_));
    return exists ? writer_->remove(rowid, values_).status() : Status();
  }

  const BoundDelete& delete_;
  std::vector<ValueView> values_;  // by key: the row as it is
  Arena bytes_;
};

template <typename Run, typename Bound>
Result<std::unique_ptr<DmlRun>> make_run(const Bound& bound, ExecContext* context,
                                         OuterRow* outer) {
  auto run = std::make_unique<Run>(bound, context, outer);
  GW_TRY(run->prepare());
  return std::unique_ptr<DmlRun>(std::move(run));
}

template <typename Bound>
bool is_of_view(const Bound& bound) {
  return bound.write->table->kind == TableKind::kView;
}
template <typename Bound>
bool is_of_virtual_table(const Bound& bound) {
  return bound.write->virtual_table != nullptr;
}

}  // namespace

Result<std::unique_ptr<DmlRun>> make_insert(const BoundInsert& insert, ExecContext* context,
                                            OuterRow* outer) {
  if (is_of_view(insert)) return make_run<ViewInsertRun>(insert, context, outer);
  if (is_of_virtual_table(insert)) return make_run<VirtualInsertRun>(insert, context, outer);
  return make_run<InsertRun>(insert, context, outer);
}
Result<std::unique_ptr<DmlRun>> make_update(const BoundUpdate& update, ExecContext* context,
                                            OuterRow* outer) {
  if (is_of_view(update)) return make_run<ViewUpdateRun>(update, context, outer);
  if (is_of_virtual_table(update)) return make_run<VirtualUpdateRun>(update, context, outer);
  return make_run<UpdateRun>(update, context, outer);
}
Result<std::unique_ptr<DmlRun>> make_delete(const BoundDelete& remove, ExecContext* context,
                                            OuterRow* outer) {
  if (is_of_view(remove)) return make_run<ViewDeleteRun>(remove, context, outer);
  if (is_of_virtual_table(remove)) return make_run<VirtualDeleteRun>(remove, context, outer);
  return make_run<DeleteRun>(remove, context, outer);
}

}  // namespace godwit
