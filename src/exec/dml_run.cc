#include "exec/dml_run.h"

#include "exec/subquery.h"
#include "exec/upsert.h"
#include "value/affinity.h"

namespace godwit {

Status DmlRun::run() {
  changes_ = 0;
  GW_TRY(writer_->open());
  GW_TRY(run_all());
  return writer_->finish();
}

void DmlRun::reset() {
  writer_->close();
  close_writers();
  if (source_ != nullptr) source_->reset();
  close_subqueries(context_);
  buffer_.clear();
  buffer_bytes_.reset();
}

template <typename Visit>
Status DmlRun::for_each_row(bool must_buffer, Visit visit) {
  uint32_t columns = source_->column_count();
  row_.resize(columns);
  if (!must_buffer) {
    for (;;) {
      GW_ASSIGN(bool more, source_->step());
      if (!more) return Status();
      for (uint32_t i = 0; i < columns; ++i) row_[i] = source_->column(i);
      GW_TRY(visit(std::span<ValueView>(row_)));
    }
  }
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
  for (size_t at = 0; at < buffer_.size(); at += columns) {
    GW_TRY(visit(std::span<ValueView>(buffer_.data() + at, columns)));
  }
  return Status();
}

namespace {

class InsertRun final : public DmlRun {
 public:
  InsertRun(const BoundInsert& insert, ExecContext* context) : DmlRun(context), insert_(insert) {}

  Status prepare() {
    const BoundTableWrite& write = *insert_.write;
    if (insert_.source != nullptr) {
      GW_ASSIGN(source_, QueryRun::make(*insert_.source->plan, context_));
    }
    GW_ASSIGN(writer_, TableWriter::make(write, insert_.conflict, context_));
    writer_->set_unique_checks(insert_.unique_checks);
    for (const BoundUpsert& clause : insert_.upserts) {
      updates_.emplace_back();
      if (clause.do_nothing) continue;
      GW_ASSIGN(updates_.back(), UpsertUpdate::make(clause, context_));
    }
    values_.resize(write.table->columns.size());
    defaults_.resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      if (insert_.column_sources[i] >= 0 || write.defaults[i] == nullptr) continue;
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
    if (source_ == nullptr) return insert_row({});
    return for_each_row(insert_.must_buffer,
                        [&](std::span<ValueView> row) { return insert_row(row); });
  }

 private:
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
    if (!inserted) return update_conflicting_row();
    ++changes_;
    if (!insert_.write->table->without_rowid) {
      context_->services->set_last_insert_rowid(writer_->last_rowid());
    }
    return Status();
  }

  // The row was not inserted: the ON CONFLICT clause that takes over, if there is one, does its work.
  Status update_conflicting_row() {
    int32_t clause = writer_->conflict_clause();
    if (clause < 0 || updates_[static_cast<size_t>(clause)] == nullptr) return Status();
    UpsertUpdate& update = *updates_[static_cast<size_t>(clause)];
    GW_ASSIGN(Rowid rowid, writer_->load_conflicting_row(&conflicting_));
    GW_ASSIGN(bool updated,
              update.update(rowid, conflicting_, values_, writer_->proposed_rowid()));
    if (!updated) return Status();
    ++changes_;
    if (update.assigns_rowid()) writer_->forget_next_rowid();
    return Status();
  }

  const BoundInsert& insert_;
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
  UpdateRun(const BoundUpdate& update, ExecContext* context) : DmlRun(context), update_(update) {}

  Status prepare() {
    GW_ASSIGN(source_, QueryRun::make(*update_.source->plan, context_));
    GW_ASSIGN(writer_, TableWriter::make(*update_.write, update_.conflict, context_));
    return Status();
  }

 protected:
  Status run_all() override {
    return for_each_row(update_.must_buffer,
                        [&](std::span<ValueView> row) { return update_row(row); });
  }

 private:
  Status update_row(std::span<ValueView> row) {
    const Table& table = *update_.write->table;
    OldRow old = old_row(table, row);
    std::span<const ValueView> assigned = row.last(update_.assigned.size());
    values_.assign(old.values.begin(), old.values.end());
    const ValueView* new_rowid = nullptr;
    for (size_t i = 0; i < assigned.size(); ++i) {
      int32_t column = update_.assigned[i];
      if (column == ColumnRef::kRowid || column == table.rowid_column) {
        new_rowid = &assigned[i];
      } else {
        values_[static_cast<size_t>(column)] = assigned[i];
      }
    }
    GW_ASSIGN(bool updated, writer_->update(old.rowid, old.values, values_, new_rowid));
    if (updated) ++changes_;
    return Status();
  }

  const BoundUpdate& update_;
  std::vector<ValueView> values_;
};

class DeleteRun final : public DmlRun {
 public:
  DeleteRun(const BoundDelete& remove, ExecContext* context) : DmlRun(context), delete_(remove) {}

  Status prepare() {
    if (!delete_.everything) {
      GW_ASSIGN(source_, QueryRun::make(*delete_.source->plan, context_));
    }
    GW_ASSIGN(writer_, TableWriter::make(*delete_.write, ConflictAction::kDefault, context_));
    return Status();
  }

 protected:
  Status run_all() override {
    if (delete_.everything) {
      GW_ASSIGN(changes_, writer_->clear());
      return Status();
    }
    return for_each_row(delete_.must_buffer, [&](std::span<ValueView> row) -> Status {
      OldRow old = old_row(*delete_.write->table, row);
      GW_TRY(writer_->remove(old.rowid, old.values));
      ++changes_;
      return Status();
    });
  }

 private:
  const BoundDelete& delete_;
};

template <typename Run, typename Bound>
Result<std::unique_ptr<DmlRun>> make_run(const Bound& bound, ExecContext* context) {
  auto run = std::make_unique<Run>(bound, context);
  GW_TRY(run->prepare());
  return std::unique_ptr<DmlRun>(std::move(run));
}

}  // namespace

Result<std::unique_ptr<DmlRun>> make_insert(const BoundInsert& insert, ExecContext* context) {
  return make_run<InsertRun>(insert, context);
}
Result<std::unique_ptr<DmlRun>> make_update(const BoundUpdate& update, ExecContext* context) {
  return make_run<UpdateRun>(update, context);
}
Result<std::unique_ptr<DmlRun>> make_delete(const BoundDelete& remove, ExecContext* context) {
  return make_run<DeleteRun>(remove, context);
}

}  // namespace godwit
