#include "plan/layout.h"

#include <algorithm>

#include "function/function.h"
#include "plan/bound_window.h"
#include "plan/expr_tree.h"

namespace godwit {
namespace {

using ColumnList = ArenaVector<ColumnRef>;

bool column_less(const ColumnRef& a, const ColumnRef& b) {
  return a.source != b.source ? a.source < b.source : a.column < b.column;
}

void sort_unique(ColumnList* columns) {
  std::sort(columns->begin(), columns->end(), column_less);
  columns->resize(std::unique(columns->begin(), columns->end()) - columns->begin());
}

bool contains(std::span<const ColumnRef> sorted, const ColumnRef& column) {
  return std::binary_search(sorted.begin(), sorted.end(), column, column_less);
}

// Its result can be an error.
bool may_fail(const BoundAggregate& aggregate) {
  std::string_view name = aggregate.function->name;
  return name != "count" && name != "min" && name != "max" && name != "avg" && name != "total";
}

bool may_fail(const BoundExpr& expr, const BoundCore& core) {
  bool found = false;
  for_each_expr(&expr, [&](const BoundExpr& e) {
    found |= e.kind == ExprKind::kFunction || e.query != nullptr;
    if (e.kind != ExprKind::kColumn || e.column.source != core.aggregate_output) return;
    size_t i = static_cast<size_t>(e.column.column) - core.group_by.size();
    found |= i < core.aggregates.size() && may_fail(*core.aggregates[i]);
  });
  return found;
}

// Columns of a query in FROM that nobody needs are not computed, but for these: SQLite computes them,
// so that errors in them show.
bool is_computed_anyway(const BoundSource& source, int32_t column) {
  const BoundQuery& query = *source.query;
  for (const BoundCore* core : query.cores) {
    if (core->kind != BoundCore::Kind::kSelect) continue;
    bool computes_all = source.is_common_table || !query.correlations.empty() ||
                        core->is_aggregate || !core->windows.empty();
    if (computes_all && may_fail(*core->results[column].expr, *core)) return true;
  }
  return false;
}

// The index's records have the column.
bool holds(const Index& index, int32_t column) {
  const Table& table = *index.table;
  if (&index == table.primary_index) return true;
  bool is_rowid = column == ColumnRef::kRowid || column == table.rowid_column;
  if (is_rowid && table.has_rowid()) return true;
  return std::ranges::any_of(index.columns,
                             [&](const IndexColumn& key) { return key.column == column; });
}

class Layouter {
 public:
  explicit Layouter(PlanContext* context) : context_(context) {}

  // `needed` is sorted. Afterwards node->output holds at least those that the node can give.
  void visit(PlanNode* node, const ColumnList& needed);

 private:
  void visit_access(AccessNode* node, const ColumnList& needed);
  void visit_input(AccessNode* node);
  void visit_project(ProjectNode* node, const ColumnList& needed);
  void visit_aggregate(AggregateNode* node, const ColumnList& needed);
  void visit_window(WindowNode* node, const ColumnList& needed);
  void visit_union_all(SetNode* node, const ColumnList& needed);
  // All columns of `node`, in the order they have now.
  PlanNode* visit_all(PlanNode* node) { return lay_out(node, node->output, *context_); }
  void visit_child(PlanNode* node, ColumnList* needed) {
    sort_unique(needed);
    visit(node->child, *needed);
    node->output = node->child->output;
  }
  Arena* arena() const { return context_->arena; }

  PlanContext* context_;
};

void Layouter::visit(PlanNode* node, const ColumnList& needed) {
  if (node->is_laid_out) return;
  switch (node->kind) {
    case PlanKind::kSingleRow:
    case PlanKind::kValues:
      break;
    case PlanKind::kAccess:
      visit_access(static_cast<AccessNode*>(node), needed);
      break;
    case PlanKind::kFilter: {
      ColumnList below = needed.copy();
      collect_columns(static_cast<FilterNode*>(node)->condition, &below);
      visit_child(node, &below);
      break;
    }
    case PlanKind::kProject:
      visit_project(static_cast<ProjectNode*>(node), needed);
      break;
    case PlanKind::kAggregate:
      visit_aggregate(static_cast<AggregateNode*>(node), needed);
      break;
    case PlanKind::kDistinct:
      node->child = visit_all(node->child);
      break;
    case PlanKind::kSort: {
      ColumnList below = needed.copy();
      for (const OrderTerm& term : static_cast<SortNode*>(node)->terms) {
        collect_columns(term.expr, &below);
      }
      visit_child(node, &below);
      break;
    }
    case PlanKind::kLimit: {
      ColumnList below = needed.copy();
      visit_child(node, &below);
      break;
    }
    case PlanKind::kUnionAll:
      visit_union_all(static_cast<SetNode*>(node), needed);
      break;
    case PlanKind::kSetOperation:
      for (PlanNode*& child : static_cast<SetNode*>(node)->children) child = visit_all(child);
      break;
    case PlanKind::kRecursive: {
      RecursiveNode* recursive = static_cast<RecursiveNode*>(node);
      recursive->initial = visit_all(recursive->initial);
      for (PlanNode*& step : recursive->steps) step = visit_all(step);
      break;
    }
    case PlanKind::kWindow:
      visit_window(static_cast<WindowNode*>(node), needed);
      break;
  }
}

// Columns that conditions on the joined row read, and that keys read from the rows before.
void collect_access_columns(const AccessNode& node, ColumnList* columns) {
  for (const SeekKey& key : node.equal) collect_columns(key.expr, columns);
  collect_columns(node.lower, columns);
  collect_columns(node.upper, columns);
  collect_columns(node.on, columns);
  collect_columns(node.filter, columns);
  for (const AccessNode* branch : node.branches) collect_access_columns(*branch, columns);
}

void Layouter::visit_access(AccessNode* node, const ColumnList& needed) {
  ColumnList all = needed.copy();
  collect_access_columns(*node, &all);
  sort_unique(&all);
  ColumnList below(arena());
  ArenaVector<int32_t> own(arena());
  for (const ColumnRef& column : all) {
    if (column.source == node->source->id) {
      own.push_back(column.column);
    } else {
      below.push_back(column);
    }
  }
  visit(node->child, below);
  node->columns = own.span();
  // Paths are chosen by what the statement uses; is_computed_anyway() and shared queries can add to it.
  if (node->covering) {
    node->covering = std::ranges::all_of(own.span(), [&](int32_t c) { return holds(*node->index, c); });
  }
  ColumnList output(arena());
  output.reserve(needed.size());
  bool keep_all = node->method == AccessMethod::kQuery;
  for (const ColumnRef& column : node->child->output) {
    if (keep_all || contains(needed.span(), column)) output.push_back(column);
  }
  for (int32_t column : own) {
    ColumnRef ref{node->source->id, column};
    if (keep_all || contains(needed.span(), ref)) output.push_back(ref);
  }
  node->output = output.span();
  if (node->input != nullptr) visit_input(node);
}

void Layouter::visit_input(AccessNode* node) {
  ColumnList needed(arena());
  for (int32_t column : node->columns) needed.push_back({node->source->id, column});
  for (const BoundExpr* key : node->hash_keys) collect_columns(key, &needed);
  if (node->source->query != nullptr) {
    auto columns = static_cast<int32_t>(node->source->query->column_count);
    for (int32_t i = 0; i < columns; ++i) {
      if (is_computed_anyway(*node->source, i)) needed.push_back({node->source->id, i});
    }
  }
  sort_unique(&needed);
  node->input = lay_out(node->input, needed.span(), *context_);
}

void Layouter::visit_project(ProjectNode* node, const ColumnList& needed) {
  size_t kept = 0;
  ColumnList below(arena());
  for (size_t i = 0; i < node->exprs.size(); ++i) {
    if (!contains(needed.span(), node->output[i])) continue;
    node->exprs[kept] = node->exprs[i];
    node->output[kept] = node->output[i];
    collect_columns(node->exprs[kept], &below);
    ++kept;
  }
  node->exprs = node->exprs.first(kept);
  node->output = node->output.first(kept);
  sort_unique(&below);
  visit(node->child, below);
}

void Layouter::visit_aggregate(AggregateNode* node, const ColumnList& needed) {
  const BoundCore& core = *node->core;
  ColumnList output(arena());
  for (const ColumnRef& column : needed) {
    if (column.source == core.aggregate_output) output.push_back(column);
  }
  for (size_t i = 0; i < core.aggregates.size(); ++i) {
    ColumnRef column{core.aggregate_output, static_cast<int32_t>(core.group_by.size() + i)};
    if (may_fail(*core.aggregates[i]) && !contains(needed.span(), column)) output.push_back(column);
  }
  node->output = output.span();
  ColumnList below(arena());
  for (const BoundExpr* key : core.group_by) collect_columns(key, &below);
  for (const BoundAggregate* aggregate : core.aggregates) {
    for (const BoundExpr* arg : aggregate->args) collect_columns(arg, &below);
    collect_columns(aggregate->filter, &below);
    for (const OrderTerm& term : aggregate->order_by) collect_columns(term.expr, &below);
  }
  for (const BoundExpr* bare : core.bare_columns) collect_columns(bare, &below);
  sort_unique(&below);
  visit(node->child, below);
}

void Layouter::visit_window(WindowNode* node, const ColumnList& needed) {
  ColumnList below(arena()), output(arena());
  auto is_own = [&](const ColumnRef& column) {
    return std::ranges::any_of(node->windows,
                               [&](const BoundWindow* w) { return w->output == column.source; });
  };
  for (const ColumnRef& column : needed) {
    if (!is_own(column)) below.push_back(column);
  }
  for (const BoundWindow* window : node->windows) {
    for_each_slot_of_window(*window, [&](const BoundExpr* expr) { collect_columns(expr, &below); });
  }
  sort_unique(&below);
  visit(node->child, below);
  for (const ColumnRef& column : node->child->output) {
    if (contains(needed.span(), column)) output.push_back(column);
  }
  for (const ColumnRef& column : needed) {
    if (is_own(column)) output.push_back(column);
  }
  node->output = output.span();
}

void Layouter::visit_union_all(SetNode* node, const ColumnList& needed) {
  ArenaVector<uint32_t> kept(arena());
  for (uint32_t i = 0; i < node->output.size(); ++i) {
    if (contains(needed.span(), node->output[i])) kept.push_back(i);
  }
  for (PlanNode*& child : node->children) {
    std::span<ColumnRef> columns = arena()->make_array<ColumnRef>(kept.size());
    for (size_t i = 0; i < kept.size(); ++i) columns[i] = child->output[kept[i]];
    child = lay_out(child, columns, *context_);
  }
  std::span<ColumnRef> output = arena()->make_array<ColumnRef>(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) output[i] = node->output[kept[i]];
  node->output = output;
}

}  // namespace

PlanNode* lay_out(PlanNode* node, std::span<const ColumnRef> columns, PlanContext& context) {
  // `columns` may be the node's own output, which changes below.
  std::span<ColumnRef> wanted = context.arena->copy_array<ColumnRef>(columns);
  ColumnList needed(context.arena);
  needed.append(wanted);
  sort_unique(&needed);
  Layouter(&context).visit(node, needed);
  if (std::ranges::equal(node->output, wanted)) return node;
  ProjectNode* project = context.arena->make<ProjectNode>();
  project->kind = PlanKind::kProject;
  project->child = node;
  project->rows = node->rows;
  project->output = wanted;
  project->exprs = context.arena->make_array<BoundExpr*>(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    project->exprs[i] = make_column(context.arena, wanted[i]);
  }
  return project;
}

}  // namespace godwit
