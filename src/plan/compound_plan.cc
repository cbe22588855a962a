#include "plan/compound_plan.h"

#include <algorithm>

#include "plan/arena_vector.h"
#include "plan/core_plan.h"

namespace godwit {
namespace {

// By which arms compare column i: the first that has a collation decides.
const Collation* column_collation(std::span<BoundCore* const> arms, uint32_t i) {
  for (const BoundCore* core : arms) {
    const Collation* collation = core->results[i].expr->collation;
    if (collation != nullptr) return collation;
  }
  return binary_collation();
}

// `order`, then the columns that it does not name: equal rows must be neighbours.
std::span<const OrderTerm> with_all_columns(std::span<const OrderTerm> order,
                                            std::span<const Collation* const> collations,
                                            PlanContext& context) {
  ArenaVector<OrderTerm> terms(context.arena);
  for (const OrderTerm& term : order) terms.push_back(term);
  for (size_t i = 0; i < collations.size(); ++i) {
    auto is_named = [i](const OrderTerm& t) { return t.output_column == static_cast<int32_t>(i); };
    if (std::ranges::any_of(order, is_named)) continue;
    OrderTerm term;
    term.collation = collations[i];
    term.output_column = static_cast<int32_t>(i);
    terms.push_back(term);
  }
  return terms.span();
}

// Of the arms begin .. end - 1, the first one of the right side of their last merge. Long runs of UNION
// or UNION ALL are halved; it shows where arms compare by different collations.
size_t first_of_right_side(const BoundQuery& query, size_t begin, size_t end) {
  constexpr size_t kLongRun = 4;
  SetOp operation = query.operators[end - 2];
  if (operation != SetOp::kUnion && operation != SetOp::kUnionAll) return end - 1;
  size_t run = 1;
  for (size_t i = end - 1; i > begin && query.operators[i - 1] == operation; --i) ++run;
  return run < kLongRun ? end - 1 : end - (run + 1) / 2;
}

// The arms begin .. end - 1.
Result<PlanNode*> plan_arms(BoundQuery& query, size_t begin, size_t end,
                            std::span<const OrderTerm> order, bool limited, PlanContext& context) {
  if (end - begin == 1) return plan_arm(query, *query.cores[begin], order, limited, context);
  SetOp operation = query.operators[end - 2];
  bool is_union_all = operation == SetOp::kUnionAll;
  std::span<const Collation*> collations;
  if (!is_union_all) {
    collations = context.arena->make_array<const Collation*>(query.column_count);
    for (uint32_t i = 0; i < query.column_count; ++i) {
      collations[i] = column_collation(query.cores.subspan(begin, end - begin), i);
    }
    order = with_all_columns(order, collations, context);
    limited = false;
  }
  size_t split = order.empty() ? end - 1 : first_of_right_side(query, begin, end);
  GW_ASSIGN(PlanNode * left, plan_arms(query, begin, split, order, limited, context));
  GW_ASSIGN(PlanNode * right, plan_arms(query, split, end, order, limited, context));
  bool append = order.empty() && left->kind == PlanKind::kUnionAll;
  SetNode* node = append ? static_cast<SetNode*>(left) : context.arena->make<SetNode>();
  ArenaVector<PlanNode*> children(context.arena);
  if (append) {
    children.append(node->children);
  } else {
    node->kind = order.empty() ? PlanKind::kUnionAll : PlanKind::kSetOperation;
    node->operation = operation;
    node->collations = collations;
    node->order = context.arena->copy_array<OrderTerm>(order);
    SourceId id = context.next_source++;
    node->output = context.arena->make_array<ColumnRef>(query.column_count);
    for (uint32_t c = 0; c < query.column_count; ++c) node->output[c] = {id, static_cast<int32_t>(c)};
    children.push_back(left);
  }
  children.push_back(right);
  node->children = children.span();
  node->rows = left->rows + right->rows;
  return node;
}

}  // namespace

Result<PlanNode*> plan_arms(BoundQuery& query, size_t count, std::span<const OrderTerm> order,
                            bool limited, PlanContext& context) {
  return plan_arms(query, 0, count, order, limited, context);
}

}  // namespace godwit
