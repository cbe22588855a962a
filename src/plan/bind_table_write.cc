#include "plan/bind_table_write.h"

#include <algorithm>
#include <vector>

#include "plan/bind_foreign_key.h"
#include "plan/bind_trigger.h"

namespace godwit {

namespace {

// Whether anything in `expr` depends on a column for which is_changed(column) holds.
template <typename Changed>
bool depends_on(const BoundExpr* expr, SourceId row, const Changed& is_changed) {
  if (expr == nullptr) return false;
  if (expr->query != nullptr) return true;
  if (expr->kind == ExprKind::kColumn && expr->column.source == row) {
    return is_changed(expr->column.column);
  }
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const BoundExpr* arg) {
    return depends_on(arg, row, is_changed);
  });
}

}  // namespace

bool changes_column(const BoundTableWrite& write, int32_t column) {
  const Table& table = *write.table;
  if (write.is_assigned(column)) return true;
  if (column == ColumnRef::kRowid) {
    return table.rowid_column >= 0 && write.is_assigned(table.rowid_column);
  }
  if (column == table.rowid_column && write.is_assigned(ColumnRef::kRowid)) return true;
  const BoundExpr* generated = write.generated[static_cast<size_t>(column)];
  return generated != nullptr && depends_on(generated, write.row->id, [&](int32_t c) {
           return changes_column(write, c);
         });
}

Status order_generated_columns(const Table& table, SourceId row,
                               std::span<BoundExpr* const> generated,
                               std::vector<int32_t>* order) {
  std::vector<bool> done(table.columns.size());
  for (size_t i = 0; i < done.size(); ++i) done[i] = generated[i] == nullptr;
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = 0; i < done.size(); ++i) {
      auto pending = [&](int32_t c) { return c >= 0 && !done[static_cast<size_t>(c)]; };
      if (done[i] || depends_on(generated[i], row, pending)) continue;
      done[i] = progress = true;
      order->push_back(static_cast<int32_t>(i));
    }
  }
  auto stuck = std::find(done.rbegin(), done.rend(), false);
  if (stuck == done.rend()) return Status();
  return Status::error("generated column loop on \"" +
                       table.columns[static_cast<size_t>(done.rend() - stuck) - 1].name + "\"");
}

namespace {

class TableWriteBinder {
 public:
  TableWriteBinder(const DmlContext& context, const Table& table,
                   const std::span<int32_t>* assigned)
      : context_(context), binder_(*context.binder), table_(table), assigned_(assigned) {}

  Result<BoundTableWrite*> bind() {
    write_ = context_.arena->make<BoundTableWrite>();
    write_->table = &table_;
    if (assigned_ != nullptr) write_->assigned = *assigned_;
    if (table_.kind == TableKind::kView) return write_;
    if (table_.kind == TableKind::kVirtual) {
      GW_ASSIGN(write_->virtual_table, binder_.find_writable(table_));
      return write_;
    }
    GW_TRY(find_sequence());
    binder_.push_scope();
    binder_.enter_schema_text(table_.database, table_.sql);
    GW_TRY(bind_defaults());
    row_ = binder_.add_table(table_, table_.name);
    write_->row = row_;
    GW_TRY(bind_generated());
    GW_TRY(bind_checks());
    binder_.leave_schema_text();
    GW_TRY(bind_indexes());
    binder_.pop_scope();
    return write_;
  }

 private:
  Status find_sequence() {
    if (!table_.autoincrement || assigned_ != nullptr) return Status();
    const auto& schema = context_.catalog->databases[static_cast<size_t>(table_.database)].schema;
    const Table* sequence = schema->find_table("sqlite_sequence");
    bool usable = sequence != nullptr && sequence->has_rowid() && sequence->columns.size() == 2;
    if (!usable) return Status(code::kCorruptSequence);
    write_->sequence_root = sequence->root;
    return Status();
  }

  Status bind_defaults() {
    write_->defaults = context_.arena->make_array<BoundExpr*>(table_.columns.size());
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      if (table_.columns[i].default_value == nullptr) continue;
      GW_ASSIGN(write_->defaults[i],
                binder_.bind_expr(*table_.columns[i].default_value, ExprUse::kDefault));
    }
    return Status();
  }

  Status bind_generated() {
    write_->generated = context_.arena->make_array<BoundExpr*>(table_.columns.size());
    if (!table_.has_generated) return Status();
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      if (table_.columns[i].generated_as == nullptr) continue;
      GW_ASSIGN(write_->generated[i],
                binder_.bind_expr(*table_.columns[i].generated_as, ExprUse::kGenerated));
    }
    write_->has_expressions = true;
    std::vector<int32_t> order;
    GW_TRY(order_generated_columns(table_, row_->id, write_->generated, &order));
    write_->generated_order = context_.arena->copy_array<int32_t>(order);
    return Status();
  }

  bool is_changed(int32_t column) const {
    return assigned_ == nullptr || changes_column(*write_, column);
  }

  Status bind_checks() {
    std::vector<BoundCheck> checks;
    for (const CheckConstraint& constraint : table_.checks) {
      GW_ASSIGN(BoundExpr* condition, binder_.bind_expr(*constraint.expression, ExprUse::kCheck));
      if (depends_on(condition, row_->id, [&](int32_t c) { return is_changed(c); }) ||
          assigned_ == nullptr) {
        checks.push_back({&constraint, condition});
        write_->has_expressions = true;
      }
    }
    write_->checks = context_.arena->copy_array<BoundCheck>(checks);
    return Status();
  }

  Status bind_indexes() {
    std::vector<BoundIndexWrite> indexes;
    for (const Index* index : table_.indexes) {
      if (index == table_.primary_index) {
        write_->key_position = indexes.size();
        continue;
      }
      BoundIndexWrite write;
      write.index = index;
      binder_.enter_schema_text(table_.database, index->sql);
      write.expressions = context_.arena->make_array<BoundExpr*>(index->columns.size());
      write.affected = assigned_ == nullptr;
      for (size_t i = 0; i < index->columns.size(); ++i) {
        const IndexColumn& column = index->columns[i];
        if (column.column != IndexColumn::kExpression) {
          write.affected |= is_changed(column.column);
          continue;
        }
        GW_ASSIGN(write.expressions[i], binder_.bind_expr(*column.expression, ExprUse::kIndex));
        write.has_expressions = true;
        write.affected |= depends_on(write.expressions[i], row_->id,
                                     [&](int32_t c) { return is_changed(c); });
      }
      if (index->where != nullptr) {
        GW_ASSIGN(write.where, binder_.bind_expr(*index->where, ExprUse::kPartialIndex));
        write.affected |=
            depends_on(write.where, row_->id, [&](int32_t c) { return is_changed(c); });
      }
      binder_.leave_schema_text();
      if (write.has_expressions || write.where != nullptr) write_->has_expressions = true;
      indexes.push_back(write);
    }
    write_->indexes = context_.arena->copy_array<BoundIndexWrite>(indexes);
    return Status();
  }

  const DmlContext& context_;
  Binder& binder_;
  const Table& table_;
  const std::span<int32_t>* assigned_;
  BoundTableWrite* write_ = nullptr;
  BoundSource* row_ = nullptr;
};

}  // namespace

Status bind_foreign_keys(const DmlContext& context, BoundTableWrite* write,
                         ast::TriggerEvent event, ConflictAction conflict) {
  if (context.foreign_keys == nullptr || write->table->kind != TableKind::kTable) return Status();
  const bool replaces = may_replace(*write, conflict);
  GW_TRY(context.foreign_keys->bind(context, write, event, replaces));
  // For the keys' sake more indexes may take part than the assignments ask for.
  if (replaces || !may_replace(*write, conflict)) return Status();
  return context.foreign_keys->bind(context, write, ast::TriggerEvent::kDelete, false);
}

namespace {

// Of a view whose list of names has another length than its query: that is no reason not to write it.
bool is_wrong_count(const Status& status) { return status.message().starts_with("expected "); }

}  // namespace

Result<const Table*> find_target(const DmlContext& context, const ast::TableName& name,
                                 ast::TriggerEvent event, bool has_returning,
                                 std::span<const std::string_view> names) {
  GW_ASSIGN(const Table* table, context.binder->find_table(name));
  if (table->kind == TableKind::kVirtual) {
    GW_TRY(context.binder->find_writable(*table));
    return table;
  }
  if (table->kind == TableKind::kView) {
    Result<const Table*> description = context.triggers->describe_view(*table);
    if (!description.ok() && !is_wrong_count(description.status())) return description;
    // As in SQLite: RETURNING counts as a trigger, if the view has any other, whatever fires it.
    bool fires = context.triggers->exist(*table, event, names) ||
                 (has_returning && context.triggers->exist(*table));
    if (!fires) {
      return Status::error("cannot modify " + table->name + " because it is a view");
    }
    return description;
  }
  // Users may write sqlite_sequence and the statistics, not the schema.
  bool is_schema = table->root == 1;
  if (is_schema && !context.writable_schema) {
    return Status::error("table " + table->name + " may not be modified");
  }
  return table;
}

Status bind_triggers(const DmlContext& context, ast::TriggerEvent event,
                     std::span<const std::string_view> names, ConflictAction conflict,
                     BoundTableWrite* write) {
  TriggerBinder& triggers = *context.triggers;
  const Table& table = *write->table;
  if (table.kind == TableKind::kVirtual) return Status();
  GW_TRY(triggers.bind(context, table, event, names, conflict, write));
  bool fires_on_replace = triggers.recursive_triggers() && event != ast::TriggerEvent::kDelete &&
                          table.kind == TableKind::kTable && may_replace(*write, conflict);
  if (!fires_on_replace) return Status();
  return triggers.bind(context, table, ast::TriggerEvent::kDelete, {}, ConflictAction::kReplace,
                       write);
}

bool may_replace(const BoundTableWrite& write, ConflictAction statement_action) {
  auto replaces = [&](ConflictAction own) {
    return (statement_action != ConflictAction::kDefault ? statement_action : own) ==
           ConflictAction::kReplace;
  };
  const Table& table = *write.table;
  auto is_assigned = [&](int32_t column) {
    return write.assigned.empty() || write.is_assigned(column);
  };
  if (table.primary_index != nullptr) {
    bool assigned = std::any_of(table.primary_key.begin(), table.primary_key.end(), is_assigned);
    if (assigned && replaces(table.primary_index->conflict)) return true;
  } else if (!write.chooses_rowid &&
             (is_assigned(table.rowid_column) || write.is_assigned(ColumnRef::kRowid)) &&
             replaces(table.primary_key_conflict)) {
    return true;
  }
  return std::any_of(write.indexes.begin(), write.indexes.end(), [&](const BoundIndexWrite& index) {
    return index.affected && index.index->unique && replaces(index.index->conflict);
  });
}

Result<BoundTableWrite*> bind_table_write(const DmlContext& context, const Table& table,
                                          const std::span<int32_t>* assigned) {
  return TableWriteBinder(context, table, assigned).bind();
}

bool expr_reads(const BoundExpr* expr, const Table& table) {
  if (expr == nullptr) return false;
  if (expr->query != nullptr && query_reads(*expr->query, table)) return true;
  return std::any_of(expr->args.begin(), expr->args.end(),
                     [&](const BoundExpr* arg) { return expr_reads(arg, table); });
}

namespace {

bool core_reads(const BoundCore& core, const Table& table) {
  for (const BoundSource* source : core.sources) {
    if (source->table == &table) return true;
    if (source->query != nullptr && query_reads(*source->query, table)) return true;
    if (expr_reads(source->on, table)) return true;
  }
  if (expr_reads(core.where, table) || expr_reads(core.having, table)) return true;
  for (const BoundExpr* expr : core.group_by) {
    if (expr_reads(expr, table)) return true;
  }
  for (const BoundAggregate* aggregate : core.aggregates) {
    if (expr_reads(aggregate->filter, table)) return true;
    for (const BoundExpr* arg : aggregate->args) {
      if (expr_reads(arg, table)) return true;
    }
  }
  for (const ResultColumn& result : core.results) {
    if (expr_reads(result.expr, table)) return true;
  }
  for (const auto& row : core.values) {
    if (core.values_are_constant) break;
    for (const BoundExpr* expr : row) {
      if (expr_reads(expr, table)) return true;
    }
  }
  return false;
}

}  // namespace

bool query_reads(const BoundQuery& query, const Table& table) {
  for (const BoundCore* core : query.cores) {
    if (core_reads(*core, table)) return true;
  }
  for (const OrderTerm& term : query.order_by) {
    if (expr_reads(term.expr, table)) return true;
  }
  return expr_reads(query.limit, table) || expr_reads(query.offset, table);
}

void key_columns(const DmlContext& context, BoundSource* source, const Table& table,
                 std::vector<ResultColumn>* results) {
  std::fill(source->used_columns.begin(), source->used_columns.end(), true);
  if (table.has_rowid()) {
    results->push_back({make_column(context, source, table, ColumnRef::kRowid), {}});
    return;
  }
  const Index& primary = *table.primary_index;
  for (uint32_t i = 0; i < primary.declared_columns; ++i) {
    results->push_back({make_column(context, source, table, primary.columns[i].column), {}});
  }
}

BoundQuery* make_row_query(const DmlContext& context, std::span<BoundSource*> sources,
                           BoundExpr* where, std::span<ResultColumn> results) {
  auto* core = context.arena->make<BoundCore>();
  core->sources = sources;
  core->where = where;
  core->results = results;
  core->output = context.binder->new_source_id();
  auto* query = context.arena->make<BoundQuery>();
  query->cores = context.arena->make_array<BoundCore*>(1);
  query->cores[0] = core;
  query->output = context.binder->new_source_id();
  query->column_count = static_cast<uint32_t>(results.size());
  query->column_collations = context.arena->make_array<const Collation*>(results.size());
  query->column_affinities = context.arena->make_array<Affinity>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const BoundExpr& expr = *results[i].expr;
    query->column_collations[i] = expr.collation != nullptr ? expr.collation : binary_collation();
    query->column_affinities[i] = expr.affinity;
  }
  return query;
}

BoundExpr* make_column(const DmlContext& context, BoundSource* source, const Table& table,
                       int32_t column) {
  auto* expr = context.arena->make<BoundExpr>();
  expr->kind = ExprKind::kColumn;
  expr->column = {source->id, column};
  expr->table = &table;
  if (column == ColumnRef::kRowid) {
    source->rowid_used = true;
    expr->affinity = Affinity::kInteger;
  } else {
    const Column& definition = table.columns[static_cast<size_t>(column)];
    source->used_columns[static_cast<size_t>(column)] = true;
    expr->affinity = definition.affinity;
    expr->collation = definition.collation;
  }
  return expr;
}

}  // namespace godwit
