// What is known only when a whole statement is bound: which columns of which sources it uses, and
// which columns of enclosing queries each subquery reads.
//
// A column of a view or subquery that nobody uses does not count as a use of what it is made of.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/inline_vector.h"
#include "plan/binder_state.h"
#include "plan/small_set.h"

namespace godwit {

namespace {

// Finds the free columns of queries, innermost first.
class CorrelationFinder {
 public:
  using Columns = InlineVector<ColumnRef, 16>;

  explicit CorrelationFinder(BinderState* state) : state_(state) {}

  std::span<ColumnRef> find(BoundQuery* query) {
    if (!visited_.insert(query)) return query->correlations;
    Columns columns;
    SmallSet<SourceId> own;
    own.insert(query->output);
    if (query->recursive_source != 0) own.insert(query->recursive_source);
    for (BoundCore* core : query->cores) {
      own.insert(core->output);
      own.insert(core->aggregate_output);
      for (const BoundWindow* window : core->windows) own.insert(window->output);
      for (BoundSource* source : core->sources) {
        own.insert(source->id);
        if (source->query == nullptr) continue;
        std::span<ColumnRef> inner = find(source->query);
        for (const ColumnRef& column : inner) columns.push_back(column);
      }
      for_each_expr(*core, [&](BoundExpr* expr) { collect(expr, &columns); });
    }
    for (OrderTerm& term : query->order_by) collect(term.expr, &columns);
    if (query->limit != nullptr) collect(query->limit, &columns);
    if (query->offset != nullptr) collect(query->offset, &columns);
    Columns free;
    for (const ColumnRef& column : columns) {
      if (own.contains(column.source)) continue;
      if (std::find(free.begin(), free.end(), column) == free.end()) free.push_back(column);
    }
    query->correlations = state_->arena->copy_array<ColumnRef>({free.data(), free.size()});
    return query->correlations;
  }

  void collect(BoundExpr* expr, Columns* columns) {
    if (expr->kind == ExprKind::kColumn) columns->push_back(expr->column);
    for (BoundExpr* arg : expr->args) collect(arg, columns);
    if (expr->query == nullptr) return;
    std::span<ColumnRef> inner = find(expr->query);
    for (const ColumnRef& column : inner) columns->push_back(column);
  }

 private:
  BinderState* state_;
  SmallSet<BoundQuery*> visited_;
};

class UsageMarker {
 public:
  explicit UsageMarker(BinderState* state) : state_(state) {}

  // Marks what the query needs whoever uses it; `all_outputs`: and what its columns need.
  void visit(BoundQuery* query, bool all_outputs) {
    if (visited_.insert(query)) visit_parts(query);
    if (!all_outputs) return;
    for (uint32_t i = 0; i < query->column_count; ++i) use_output(query, i);
  }

  void visit(BoundExpr* expr) {
    if (expr->kind == ExprKind::kColumn) use(expr->column);
    for (BoundExpr* arg : expr->args) visit(arg);
    if (expr->query != nullptr) visit(expr->query, true);
  }

 private:
  void visit_parts(BoundQuery* query) {
    bool all = query->is_recursive || (query->cores.size() > 1 && !query->order_by.empty());
    for (SetOp op : query->operators) all |= op != SetOp::kUnionAll;
    for (BoundCore* core : query->cores) {
      all |= core->distinct;
      std::span<ResultColumn> results = std::exchange(core->results, {});
      std::span<std::span<BoundExpr*>> values = std::exchange(core->values, {});
      for_each_expr(*core, [&](BoundExpr* expr) { visit(expr); });
      core->results = results;
      core->values = values;
      for (BoundSource* source : core->sources) {
        if (source->query != nullptr) visit(source->query, false);
      }
    }
    for (OrderTerm& term : query->order_by) {
      visit(term.expr);
    }
    if (query->limit != nullptr) visit(query->limit);
    if (query->offset != nullptr) visit(query->offset);
    for (uint32_t i = 0; all && i < query->column_count; ++i) use_output(query, i);
  }

  void use_output(BoundQuery* query, uint32_t column) {
    for (BoundCore* core : query->cores) {
      for (std::span<BoundExpr*> row : core->values) {
        if (core->values_are_constant) break;
        visit(row[column]);
      }
      if (core->values.empty()) visit(core->results[column].expr);
    }
  }

  void use(const ColumnRef& column) {
    BoundSource* source =
        column.source < state_->sources.size() ? state_->sources[column.source] : nullptr;
    if (source == nullptr) return;
    if (column.column < 0) {
      source->rowid_used = true;
      return;
    }
    if (std::ranges::find(computed_, column) != computed_.end()) {
      state_->usage_error = concat("generated column loop on \"",
                                   source->column_names[column.column], "\"");
      return;
    }
    bool& used = source->used_columns[column.column];
    // SQLite computes a column anew wherever it is read; of the loops it reports the last.
    bool looks_for_loops = !state_->usage_error.empty() && ++loop_steps_ < kLoopStepsMax;
    if (used && !looks_for_loops) return;
    used = true;
    size_t index = static_cast<size_t>(column.column);
    if (index < source->generated.size() && source->generated[index] != nullptr) {
      computed_.push_back(column);
      visit(source->generated[index]);
      computed_.pop_back();
    }
    if (source->query != nullptr) use_output(source->query, static_cast<uint32_t>(column.column));
  }

  BinderState* state_;
  SmallSet<BoundQuery*> visited_;
  static constexpr int kLoopStepsMax = 10000;
  int loop_steps_ = 0;
  std::vector<ColumnRef> computed_;  // the VIRTUAL columns around the expression at hand
};

Status take_usage_error(BinderState* state) {
  if (state->usage_error.empty()) return Status();
  return state->fail(std::exchange(state->usage_error, {}));
}

void walk(BoundExpr* expr, const std::function<void(BoundExpr*)>& visit,
          SmallSet<BoundQuery*>* visited);

void walk(BoundQuery* query, const std::function<void(BoundExpr*)>& visit,
          SmallSet<BoundQuery*>* visited) {
  if (!visited->insert(query)) return;
  for (BoundCore* core : query->cores) {
    for_each_expr(*core, [&](BoundExpr* expr) { walk(expr, visit, visited); });
    for (BoundSource* source : core->sources) {
      if (source->query != nullptr) walk(source->query, visit, visited);
    }
  }
  for (OrderTerm& term : query->order_by) walk(term.expr, visit, visited);
}

void walk(BoundExpr* expr, const std::function<void(BoundExpr*)>& visit,
          SmallSet<BoundQuery*>* visited) {
  if (expr->kind == ExprKind::kColumn) visit(expr);
  for (BoundExpr* arg : expr->args) walk(arg, visit, visited);
  if (expr->query != nullptr) walk(expr->query, visit, visited);
}

}  // namespace

void walk_columns(BoundExpr* expr, const std::function<void(BoundExpr*)>& visit) {
  SmallSet<BoundQuery*> visited;
  walk(expr, visit, &visited);
}

Status mark_usage(BinderState* state, BoundQuery* query) {
  CorrelationFinder(state).find(query);
  UsageMarker(state).visit(query, true);
  return take_usage_error(state);
}

Status mark_usage(BinderState* state, BoundExpr* expr) {
  CorrelationFinder::Columns columns;
  CorrelationFinder(state).collect(expr, &columns);
  UsageMarker(state).visit(expr);
  return take_usage_error(state);
}

}  // namespace godwit
