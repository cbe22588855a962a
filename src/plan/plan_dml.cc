#include "plan/plan_dml.h"

#include <algorithm>

#include "plan/plan_node.h"

namespace godwit {

namespace {

Status plan_source(BoundQuery* source, PlanContext& context) {
  return source != nullptr ? plan_query(source, context).status() : Status();
}

Status plan_all(std::span<BoundExpr* const> exprs, PlanContext& context) {
  for (BoundExpr* expr : exprs) GW_TRY(plan_expression(expr, context));
  return Status();
}

Status plan_returning(const BoundReturning* returning, PlanContext& context) {
  if (returning == nullptr) return Status();
  for (const ResultColumn& column : returning->columns) {
    GW_TRY(plan_expression(column.expr, context));
  }
  return Status();
}

// The table's access, if there is one table.
const AccessNode* only_access(const PlanNode* node) {
  while (node != nullptr && node->kind != PlanKind::kAccess) node = node->child;
  if (node == nullptr) return nullptr;
  bool is_only = node->child == nullptr || node->child->kind == PlanKind::kSingleRow;
  return is_only ? static_cast<const AccessNode*>(node) : nullptr;
}

bool has_in(const AccessNode& access) {
  return std::any_of(access.equal.begin(), access.equal.end(),
                     [](const SeekKey& key) { return key.is_in; });
}

// Rows come in the order of the table's key: it is walked from the front, or there is one row.
bool is_in_key_order(const AccessNode& access, const Table& table) {
  if (has_in(access)) return false;
  switch (access.method) {
    case AccessMethod::kTableScan:
    case AccessMethod::kRowidRange:
      return !access.descending;
    case AccessMethod::kRowidLookup:
      return true;
    case AccessMethod::kIndexSeek:
    case AccessMethod::kIndexScan:
      return access.index == table.primary_index && !access.descending;
    default:
      return false;
  }
}

bool changes_index(const BoundTableWrite& write, const Index* index) {
  return std::any_of(write.indexes.begin(), write.indexes.end(), [&](const BoundIndexWrite& own) {
    return own.index == index && own.affected;
  });
}

RowOrder final_order(RowOrder order, const BoundQuery& source, const BoundTableWrite& write) {
  if (write.table->kind != TableKind::kTable) return RowOrder::kSearch;
  const AccessNode* access = only_access(source.plan->root);
  if (access == nullptr || !source.order_by.empty()) return order;
  if (is_in_key_order(*access, *write.table)) return RowOrder::kSearch;
  // A search by an index that changes, or by several, finds all rows before the first is changed.
  bool finds_all_first = access->method == AccessMethod::kOr || changes_index(write, access->index);
  return finds_all_first ? RowOrder::kKey : order;
}

}  // namespace

Status plan_insert(BoundInsert* insert, PlanContext& context) {
  GW_TRY(plan_source(insert->source, context));
  GW_TRY(plan_all(insert->write->defaults, context));
  for (const BoundUpsert& clause : insert->upserts) {
    GW_TRY(plan_all(clause.values, context));
    GW_TRY(plan_expression(clause.where, context));
  }
  return plan_returning(insert->returning, context);
}

Status plan_update(BoundUpdate* update, PlanContext& context) {
  GW_TRY(plan_source(update->source, context));
  update->order = final_order(update->order, *update->source, *update->write);
  GW_TRY(plan_all(update->write->defaults, context));
  GW_TRY(plan_all(update->values, context));
  return plan_returning(update->returning, context);
}

Status plan_delete(BoundDelete* remove, PlanContext& context) {
  GW_TRY(plan_source(remove->source, context));
  if (remove->order == RowOrder::kKey) {
    remove->order = final_order(remove->order, *remove->source, *remove->write);
  }
  return plan_returning(remove->returning, context);
}

}  // namespace godwit
