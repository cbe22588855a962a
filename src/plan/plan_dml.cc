#include "plan/plan_dml.h"

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
  GW_TRY(plan_all(update->write->defaults, context));
  GW_TRY(plan_all(update->values, context));
  return plan_returning(update->returning, context);
}

Status plan_delete(BoundDelete* remove, PlanContext& context) {
  GW_TRY(plan_source(remove->source, context));
  return plan_returning(remove->returning, context);
}

}  // namespace godwit
