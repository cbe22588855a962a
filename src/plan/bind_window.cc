// Calls of window functions, and the windows that they share.
//
// A call belongs to the SELECT core it stands in. Calls with the same partition, order and frame share
// one BoundWindow. Windows are listed in the order in which they first appear; they are computed
// from the last to the first, so that rows come out in the order of the first.
#include <algorithm>
#include <utility>

#include "plan/binder_state.h"

namespace godwit {

namespace {

bool has_offset(ast::FrameBoundKind kind) {
  return kind == ast::FrameBoundKind::kPreceding || kind == ast::FrameBoundKind::kFollowing;
}

bool same_optional(const BoundExpr* a, const BoundExpr* b) {
  return a == nullptr || b == nullptr ? a == b : same_tree(a, b);
}

bool same_window(const BoundWindow& a, const BoundWindow& b) {
  return a.unit == b.unit && a.start == b.start && a.end == b.end && a.exclude == b.exclude &&
         same_optional(a.start_offset, b.start_offset) &&
         same_optional(a.end_offset, b.end_offset) &&
         std::equal(a.partition_by.begin(), a.partition_by.end(), b.partition_by.begin(),
                    b.partition_by.end(), same_tree) &&
         same_terms(a.order_by, b.order_by);
}

bool same_call(const BoundWindowCall& a, const BoundWindowCall& b) {
  return a.aggregate == b.aggregate && a.window == b.window &&
         a.is_count_star == b.is_count_star && a.collation == b.collation &&
         same_optional(a.filter, b.filter) &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same_tree);
}

const ast::WindowDef* find_named(std::span<ast::WindowDef*> windows, std::string_view name) {
  for (const ast::WindowDef* window : windows) {
    if (same_name(window->name.text, name)) return window;
  }
  return nullptr;
}

}  // namespace

Result<BoundExpr*> BinderState::bind_window_call(const ast::FunctionExpr& call,
                                                 const FunctionLookup& match) {
  std::string_view name = call.name.text;
  if (call.distinct) return fail_at(call.range, "DISTINCT is not supported for window functions");
  if (call.filter != nullptr && match.aggregate == nullptr) {
    return fail_at(call.range,
                   "FILTER clause may only be used with aggregate window functions");
  }
  if (match.aggregate != nullptr && match.aggregate->value == nullptr) {
    return fail_at(call.range, concat(name, "() may not be used as a window function"));
  }
  if (!call.order_by.empty()) {
    return fail_at(call.range, concat("ORDER BY may not be used with non-aggregate ", name, "()"));
  }
  Scope* const home = scope;
  BoundWindowCall* bound = arena->make<BoundWindowCall>();
  bound->aggregate = match.aggregate;
  bound->window = match.window;
  home->allow_windows = false;
  bound->args = arena->make_array<BoundExpr*>(call.arguments.size());
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    GW_ASSIGN(bound->args[i], bind_scalar(*call.arguments[i]));
  }
  if (call.filter != nullptr) {
    GW_ASSIGN(bound->filter, bind_scalar(*call.filter));
  }
  bound->is_count_star = bound->args.empty() && same_name(name, "count");
  bound->collation = binary();
  if (!bound->args.empty() && bound->args[0]->collation != nullptr) {
    bound->collation = bound->args[0]->collation;
  }
  if (match.aggregate != nullptr && match.aggregate->has(function_flag::kNeedsCollation)) {
    GW_TRY(usable(bound->collation));
  }
  GW_ASSIGN(size_t window, bind_window(call));
  home->allow_windows = true;
  saw_window = true;
  std::vector<BoundWindowCall*>& calls = home->windows[window].calls;
  size_t index = 0;
  while (index < calls.size() && !same_call(*calls[index], *bound)) ++index;
  if (index == calls.size()) calls.push_back(bound);
  BoundExpr* expr = make(ExprKind::kColumn);
  expr->column = {home->windows[window].window->output, static_cast<int32_t>(index)};
  return expr;
}

// The number of the scope's window that the call is over.
Result<size_t> BinderState::bind_window(const ast::FunctionExpr& call) {
  const ast::WindowDef* definition = call.over;
  if (call.over_name) {
    definition = find_named(scope->windows_ast, call.over_name.text);
    if (definition == nullptr) {
      return fail(concat("no such window: ", call.over_name.text));
    }
  }
  BoundWindow* bound = arena->make<BoundWindow>();
  GW_TRY(bind_window_parts(*definition, bound));
  GW_TRY(bind_window_frame(*definition, bound));
  for (size_t i = 0; i < scope->windows.size(); ++i) {
    if (same_window(*scope->windows[i].window, *bound)) return i;
  }
  bound->output = new_source_id();
  scope->windows.push_back({bound, {}});
  return scope->windows.size() - 1;
}

// PARTITION BY and ORDER BY, those of the window that this one extends included.
Status BinderState::bind_window_parts(const ast::WindowDef& definition, BoundWindow* bound) {
  std::span<ast::Expr*> partition = definition.partition_by;
  std::span<ast::OrderTerm> order = definition.order_by;
  const ast::WindowDef* at = &definition;
  for (size_t steps = 0; at->base; ++steps) {
    std::string_view name = at->base.text;
    const ast::WindowDef* base = find_named(scope->windows_ast, name);
    if (base == nullptr || steps > scope->windows_ast.size()) {
      return fail(concat("no such window: ", name));
    }
    std::string_view part;
    if (!at->partition_by.empty()) {
      part = "PARTITION clause";
    } else if (!base->order_by.empty() && !at->order_by.empty()) {
      part = "ORDER BY clause";
    } else if (base->has_frame) {
      part = "frame specification";
    }
    if (!part.empty()) return fail(concat("cannot override ", part, " of window: ", name));
    if (partition.empty()) partition = base->partition_by;
    if (order.empty()) order = base->order_by;
    at = base;
  }
  bound->partition_by = arena->make_array<BoundExpr*>(partition.size());
  bound->partition_collations = arena->make_array<const Collation*>(partition.size());
  for (size_t i = 0; i < partition.size(); ++i) {
    GW_ASSIGN(bound->partition_by[i], bind_scalar(*partition[i]));
    GW_ASSIGN(bound->partition_collations[i], operand_collation(bound->partition_by[i]));
  }
  bound->order_by = arena->make_array<OrderTerm>(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    GW_ASSIGN(bound->order_by[i].expr, bind_scalar(*order[i].expr));
    GW_ASSIGN(bound->order_by[i].collation, operand_collation(bound->order_by[i].expr));
    set_direction(order[i], &bound->order_by[i]);
  }
  return Status();
}

Status BinderState::bind_window_frame(const ast::WindowDef& definition, BoundWindow* bound) {
  bound->unit = definition.unit;
  bound->start = definition.start.kind;
  bound->end = definition.end.kind;
  bound->exclude = definition.exclude;
  bool offsets = has_offset(bound->start) || has_offset(bound->end);
  if (offsets && bound->unit == ast::FrameUnit::kRange && bound->order_by.size() != 1) {
    return fail("RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression");
  }
  if (definition.start.expr != nullptr) {
    GW_ASSIGN(bound->start_offset, bind_frame_offset(*definition.start.expr));
  }
  if (definition.end.expr != nullptr) {
    GW_ASSIGN(bound->end_offset, bind_frame_offset(*definition.end.expr));
  }
  return Status();
}

// An offset that depends on the row counts as NULL, which is refused when the statement runs.
Result<BoundExpr*> BinderState::bind_frame_offset(const ast::Expr& expr) {
  GW_ASSIGN(BoundExpr * offset, bind_scalar(expr));
  bool depends = offset->has_subquery;
  walk_columns(offset, [&](BoundExpr*) { depends = true; });
  return depends ? make_constant(ValueView::null()) : offset;
}

void BinderState::finish_windows(const Scope& target, BoundCore* core) {
  core->windows = arena->make_array<BoundWindow*>(target.windows.size());
  for (size_t i = 0; i < target.windows.size(); ++i) {
    core->windows[i] = target.windows[i].window;
    core->windows[i]->calls = arena->copy_array<BoundWindowCall*>(target.windows[i].calls);
  }
}

}  // namespace godwit
