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
         a.has_exclude == b.has_exclude &&
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

// Of several windows of one name the last one counts.
const NamedWindow* find_named(const Scope& scope, std::string_view name) {
  for (size_t i = scope.named_windows.size(); i-- > 0;) {
    const NamedWindow& window = scope.named_windows[i];
    if (same_name(window.definition->name.text, name)) return &window;
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
  if (!call.order_by.empty() && !call.arguments.empty()) {
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
  GW_ASSIGN(size_t window, bind_window(call, match.window));
  home->allow_windows = true;
  saw_window = true;
  ArenaVector<BoundWindowCall*>& calls = home->windows[window].calls;
  size_t index = 0;
  while (index < calls.size() && !same_call(*calls[index], *bound)) ++index;
  if (index == calls.size()) calls.push_back(bound);
  BoundExpr* expr = make(ExprKind::kColumn);
  expr->column = {home->windows[window].window->output, static_cast<int32_t>(index)};
  return expr;
}

// The number of the scope's window that the call is over.
Result<size_t> BinderState::bind_window(const ast::FunctionExpr& call,
                                        const WindowFunction* function) {
  NamedWindow window;
  if (call.over_name) {
    const NamedWindow* named = find_named(*scope, call.over_name.text);
    if (named == nullptr) return fail(concat("no such window: ", call.over_name.text));
    window = *named;
  } else {
    window = {call.over, call.over->partition_by, call.over->order_by};
    GW_TRY(extend_window(*scope, &window));
  }
  BoundWindow* bound = arena->make<BoundWindow>();
  GW_TRY(bind_window_parts(window, bound));
  GW_TRY(bind_window_frame(*window.definition, function, bound));
  for (size_t i = 0; i < scope->windows.size(); ++i) {
    if (same_window(*scope->windows[i].window, *bound)) return i;
  }
  bound->output = new_source_id();
  scope->windows.push_back({bound, ArenaVector<BoundWindowCall*>(arena)});
  return scope->windows.size() - 1;
}

// The windows of a WINDOW clause. Each may extend one that stands before it; what the first one says
// it extends is not looked at, as in SQLite.
Status BinderState::name_windows(std::span<ast::WindowDef*> definitions, Scope* target) {
  for (const ast::WindowDef* definition : definitions) {
    NamedWindow window{definition, definition->partition_by, definition->order_by};
    if (!target->named_windows.empty()) GW_TRY(extend_window(*target, &window));
    target->named_windows.push_back(window);
  }
  return Status();
}

Status BinderState::extend_window(const Scope& target, NamedWindow* window) {
  if (!window->definition->base) return Status();
  std::string_view name = window->definition->base.text;
  const NamedWindow* base = find_named(target, name);
  if (base == nullptr) return fail(concat("no such window: ", name));
  std::string_view part;
  if (!window->partition_by.empty()) {
    part = "PARTITION clause";
  } else if (!base->order_by.empty() && !window->order_by.empty()) {
    part = "ORDER BY clause";
  } else if (base->definition->has_frame) {
    part = "frame specification";
  }
  if (!part.empty()) return fail(concat("cannot override ", part, " of window: ", name));
  window->partition_by = base->partition_by;
  if (window->order_by.empty()) window->order_by = base->order_by;
  return Status();
}

Status BinderState::bind_window_parts(const NamedWindow& window, BoundWindow* bound) {
  std::span<ast::Expr*> partition = window.partition_by;
  std::span<ast::OrderTerm> order = window.order_by;
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

// Most functions that are no aggregates have a frame of their own, whatever is written.
bool BinderState::set_own_frame(const WindowFunction& function, BoundWindow* bound) {
  using Unit = ast::FrameUnit;
  using Bound = ast::FrameBoundKind;
  auto set = [bound](Unit unit, Bound start, Bound end) {
    bound->unit = unit;
    bound->start = start;
    bound->end = end;
    bound->exclude = ast::FrameExclude::kNoOthers;
    bound->has_exclude = false;
    return true;
  };
  switch (function.kind) {
    case WindowKind::kRowNumber:
    case WindowKind::kLag:
      return set(Unit::kRows, Bound::kUnboundedPreceding, Bound::kCurrentRow);
    case WindowKind::kRank:
    case WindowKind::kDenseRank:
      return set(Unit::kRange, Bound::kUnboundedPreceding, Bound::kCurrentRow);
    case WindowKind::kPercentRank:
      return set(Unit::kGroups, Bound::kCurrentRow, Bound::kUnboundedFollowing);
    case WindowKind::kCumeDist:
      bound->start_offset = make_constant(ValueView::of(int64_t{1}));
      return set(Unit::kGroups, Bound::kFollowing, Bound::kUnboundedFollowing);
    case WindowKind::kNtile:
      return set(Unit::kRows, Bound::kCurrentRow, Bound::kUnboundedFollowing);
    case WindowKind::kLead:
      return set(Unit::kRows, Bound::kUnboundedPreceding, Bound::kUnboundedFollowing);
    case WindowKind::kFirstValue:
    case WindowKind::kLastValue:
    case WindowKind::kNthValue:
      break;
  }
  return false;
}

Status BinderState::bind_window_frame(const ast::WindowDef& definition,
                                      const WindowFunction* function, BoundWindow* bound) {
  bound->unit = definition.unit;
  bound->start = definition.start.kind;
  bound->end = definition.end.kind;
  bound->exclude = definition.exclude;
  bound->has_exclude = definition.has_exclude;
  bool offsets = has_offset(bound->start) || has_offset(bound->end);
  if (offsets && bound->unit == ast::FrameUnit::kRange && bound->order_by.size() != 1) {
    return fail("RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression");
  }
  if (function != nullptr && set_own_frame(*function, bound)) return Status();
  if (definition.start.expr != nullptr) {
    GW_ASSIGN(bound->start_offset, bind_frame_offset(*definition.start.expr));
  }
  if (definition.end.expr != nullptr) {
    GW_ASSIGN(bound->end_offset, bind_frame_offset(*definition.end.expr));
  }
  return Status();
}

// An offset that is not constant (calls of functions never are) counts as NULL, which is refused when
// the statement runs.
Result<BoundExpr*> BinderState::bind_frame_offset(const ast::Expr& expr) {
  saw_function = false;
  GW_ASSIGN(BoundExpr * offset, bind_scalar(expr));
  bool depends = offset->has_subquery || saw_function;
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
