// Builds tables and bound trees by hand, for tests of the planner.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "plan/planner.h"

namespace godwit {

class BoundBuilder {
 public:
  // Columns "x:INTEGER"; "id:ROWID" is an INTEGER PRIMARY KEY.
  Table* table(const std::string& name, std::initializer_list<const char*> columns) {
    tables_.push_back(std::make_unique<Table>());
    Table* table = tables_.back().get();
    table->name = name;
    for (std::string spec : columns) {
      Column column;
      size_t colon = spec.find(':');
      column.name = spec.substr(0, colon);
      std::string type = spec.substr(colon + 1);
      column.collation = type == "NOCASE" ? nocase_collation() : binary_collation();
      column.affinity = type == "INTEGER" || type == "ROWID" ? Affinity::kInteger
                        : type == "NUMERIC"                  ? Affinity::kNumeric
                                                             : Affinity::kText;
      column.declared_type = type == "ROWID" ? "INTEGER" : type;
      if (type == "ROWID") table->rowid_column = static_cast<int32_t>(table->columns.size());
      table->columns.push_back(column);
    }
    return table;
  }
  Index* index(Table* table, const std::string& name, std::initializer_list<int32_t> columns,
               bool unique = false) {
    auto index = std::make_shared<Index>();
    index->name = name;
    index->table = table;
    index->unique = unique;
    for (int32_t c : columns) index->columns.push_back({c, nullptr, table->columns[c].collation, false});
    index->declared_columns = static_cast<uint32_t>(columns.size());
    index->columns.push_back({IndexColumn::kRowid, nullptr, binary_collation(), false});
    table->indexes.insert(table->indexes.begin(), index.get());
    table->owned_indexes.push_back(index);
    return index.get();
  }

  BoundSource* source(const Table* table, JoinType join = JoinType::kInner, BoundExpr* on = nullptr) {
    BoundSource* source = arena.make<BoundSource>();
    source->id = next_id_++;
    source->name = table->name;
    source->table = table;
    source->join = join;
    source->on = on;
    source->column_count = static_cast<uint32_t>(table->columns.size());
    source->used_columns = arena.make_array<bool>(table->columns.size());
    for (bool& used : source->used_columns) used = true;
    return source;
  }
  BoundExpr* column(const BoundSource* source, int32_t c) {
    BoundExpr* e = make(ExprKind::kColumn);
    e->column = {source->id, c};
    e->affinity = c < 0 ? Affinity::kInteger : source->table->columns[c].affinity;
    e->collation = c < 0 ? nullptr : source->table->columns[c].collation;
    return e;
  }
  BoundExpr* value(int64_t i) {
    BoundExpr* e = make(ExprKind::kConstant);
    e->is_constant = true;
    e->constant = ValueView::of(i);
    return e;
  }
  BoundExpr* compare(CompareOp op, BoundExpr* a, BoundExpr* b) {
    BoundExpr* e = make(ExprKind::kCompare, {a, b});
    e->compare = op;
    bool numeric = is_numeric(a->affinity) || is_numeric(b->affinity);
    bool text = a->affinity == Affinity::kText && b->affinity == Affinity::kNone;
    e->compare_affinity = numeric ? Affinity::kNumeric : text ? Affinity::kText : Affinity::kNone;
    const Collation* collation = a->collation != nullptr ? a->collation : b->collation;
    e->compare_collation = collation != nullptr ? collation : binary_collation();
    return e;
  }
  BoundExpr* equal(BoundExpr* a, BoundExpr* b) { return compare(CompareOp::kEq, a, b); }
  BoundExpr* make(ExprKind kind, std::initializer_list<BoundExpr*> args = {}) {
    BoundExpr* e = arena.make<BoundExpr>();
    e->kind = kind;
    e->args = arena.copy_array<BoundExpr*>(std::span<BoundExpr* const>(args.begin(), args.size()));
    return e;
  }

  BoundQuery* query(std::initializer_list<BoundSource*> sources, BoundExpr* where,
                    std::initializer_list<BoundExpr*> results) {
    BoundCore* core = arena.make<BoundCore>();
    core->sources =
        arena.copy_array<BoundSource*>(std::span<BoundSource* const>(sources.begin(), sources.size()));
    core->where = where;
    core->results = arena.make_array<ResultColumn>(results.size());
    for (size_t i = 0; i < results.size(); ++i) core->results[i].expr = results.begin()[i];
    BoundQuery* query = arena.make<BoundQuery>();
    query->cores = arena.make_array<BoundCore*>(1);
    query->cores[0] = core;
    query->output = core->output = next_id_++;
    query->column_count = static_cast<uint32_t>(results.size());
    query->column_collations = arena.make_array<const Collation*>(results.size());
    for (const Collation*& c : query->column_collations) c = binary_collation();
    return query;
  }
  void order_by(BoundQuery* query, std::initializer_list<BoundExpr*> exprs, bool descending = false) {
    query->order_by = arena.make_array<OrderTerm>(exprs.size());
    for (size_t i = 0; i < exprs.size(); ++i) {
      BoundExpr* expr = exprs.begin()[i];
      const Collation* collation = expr->collation != nullptr ? expr->collation : binary_collation();
      query->order_by[i] = {expr, collation, descending, !descending, -1};
    }
  }
  // GROUP BY keys; results must be over (group_id, i).
  void group_by(BoundQuery* query, std::initializer_list<BoundExpr*> keys) {
    BoundCore& core = *query->cores[0];
    core.is_aggregate = core.has_group_by = true;
    core.aggregate_output = kGroupId;
    core.group_by = arena.copy_array<BoundExpr*>(std::span<BoundExpr* const>(keys.begin(), keys.size()));
    core.group_collations = arena.make_array<const Collation*>(keys.size());
    for (const Collation*& c : core.group_collations) c = binary_collation();
  }
  BoundExpr* group_column(int32_t i) {
    BoundExpr* e = make(ExprKind::kColumn);
    e->column = {kGroupId, i};
    return e;
  }

  const QueryPlan* plan(BoundQuery* query) {
    PlanContext context;
    context.arena = &arena;
    Result<const QueryPlan*> plan = plan_query(query, context);
    error = plan.ok() ? "" : plan.status().message();
    return plan.ok() ? *plan : nullptr;
  }
  std::string dump(BoundQuery* query) {
    const QueryPlan* p = plan(query);
    return p != nullptr ? dump_plan(*p) : "error: " + error;
  }
  // The EXPLAIN QUERY PLAN details, " | " between them.
  std::string explain(BoundQuery* query) {
    const QueryPlan* p = plan(query);
    if (p == nullptr) return "error: " + error;
    std::string out;
    for (const ExplainRow& row : explain_query_plan(*p)) {
      if (!out.empty()) out += " | ";
      out += row.detail;
    }
    return out;
  }

  static constexpr SourceId kGroupId = 900;
  Arena arena;
  std::string error;

 private:
  SourceId next_id_ = 1;
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace godwit
