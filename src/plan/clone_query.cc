#include "plan/clone_query.h"

#include "plan/arena_vector.h"
#include "plan/expr_tree.h"

namespace godwit {
namespace {

class Cloner {
 public:
  explicit Cloner(PlanContext* context) : context_(context), ids_(context->arena) {}

  BoundQuery* clone(BoundQuery* query);
  bool failed() const { return failed_; }

 private:
  struct NewId {
    SourceId from;
    SourceId to;
  };

  SourceId rename(SourceId id);  // gives it a new one
  SourceId renamed(SourceId id) const;
  BoundCore* clone(const BoundCore& core);
  BoundSource* clone(const BoundSource& source);
  BoundAggregate* clone(const BoundAggregate& aggregate);
  BoundExpr* clone(const BoundExpr* expr);
  std::span<BoundExpr*> clone(std::span<BoundExpr*> exprs);
  std::span<OrderTerm> clone(std::span<OrderTerm> terms);

  Arena* arena() const { return context_->arena; }

  PlanContext* context_;
  ArenaVector<NewId> ids_;
  bool failed_ = false;
};

SourceId Cloner::rename(SourceId id) {
  if (id == 0) return 0;
  ids_.push_back({id, context_->next_source++});
  return ids_.back().to;
}

SourceId Cloner::renamed(SourceId id) const {
  for (const NewId& known : ids_) {
    if (known.from == id) return known.to;
  }
  return id;
}

std::span<BoundExpr*> Cloner::clone(std::span<BoundExpr*> exprs) {
  std::span<BoundExpr*> copies = arena()->make_array<BoundExpr*>(exprs.size());
  for (size_t i = 0; i < exprs.size(); ++i) copies[i] = clone(exprs[i]);
  return copies;
}

std::span<OrderTerm> Cloner::clone(std::span<OrderTerm> terms) {
  std::span<OrderTerm> copies = arena()->copy_array<OrderTerm>(terms);
  for (OrderTerm& term : copies) term.expr = clone(term.expr);
  return copies;
}

BoundExpr* Cloner::clone(const BoundExpr* expr) {
  if (expr == nullptr) return nullptr;
  BoundExpr* copy = arena()->make<BoundExpr>(*expr);
  copy->args = clone(expr->args);
  if (expr->kind == ExprKind::kColumn) copy->column.source = renamed(expr->column.source);
  if (expr->query != nullptr) copy->query = clone(expr->query);
  return copy;
}

BoundAggregate* Cloner::clone(const BoundAggregate& aggregate) {
  BoundAggregate* copy = arena()->make<BoundAggregate>(aggregate);
  copy->args = clone(aggregate.args);
  copy->filter = clone(aggregate.filter);
  copy->order_by = clone(aggregate.order_by);
  return copy;
}

BoundSource* Cloner::clone(const BoundSource& source) {
  BoundSource* copy = arena()->make<BoundSource>(source);
  copy->id = renamed(source.id);
  copy->on = clone(source.on);
  if (source.query != nullptr) copy->query = clone(source.query);
  return copy;
}

BoundCore* Cloner::clone(const BoundCore& core) {
  BoundCore* copy = arena()->make<BoundCore>(core);
  failed_ |= !core.windows.empty();
  for (const BoundSource* source : core.sources) rename(source->id);
  copy->aggregate_output = rename(core.aggregate_output);
  copy->output = rename(core.output);
  copy->sources = arena()->make_array<BoundSource*>(core.sources.size());
  for (size_t i = 0; i < core.sources.size(); ++i) copy->sources[i] = clone(*core.sources[i]);
  copy->where = clone(core.where);
  copy->group_by = clone(core.group_by);
  copy->aggregates = arena()->make_array<BoundAggregate*>(core.aggregates.size());
  for (size_t i = 0; i < core.aggregates.size(); ++i) {
    copy->aggregates[i] = clone(*core.aggregates[i]);
  }
  copy->bare_columns = clone(core.bare_columns);
  copy->having = clone(core.having);
  copy->results = arena()->copy_array<ResultColumn>(core.results);
  for (ResultColumn& result : copy->results) result.expr = clone(result.expr);
  copy->values = arena()->copy_array<std::span<BoundExpr*>>(core.values);
  for (std::span<BoundExpr*>& row : copy->values) row = clone(row);
  return copy;
}

BoundQuery* Cloner::clone(BoundQuery* query) {
  failed_ |= query->is_recursive;
  if (failed_) return query;
  if (!ids_.empty() && query->reference_count > 1 && query->correlations.empty()) {
    ++query->reference_count;
    return query;
  }
  BoundQuery* copy = arena()->make<BoundQuery>(*query);
  copy->plan = nullptr;
  copy->reference_count = 1;
  copy->cores = arena()->make_array<BoundCore*>(query->cores.size());
  for (size_t i = 0; i < query->cores.size(); ++i) copy->cores[i] = clone(*query->cores[i]);
  copy->output = query->output == query->cores[0]->output ? copy->cores[0]->output
                                                          : rename(query->output);
  copy->order_by = clone(query->order_by);
  copy->limit = clone(query->limit);
  copy->offset = clone(query->offset);
  copy->correlations = arena()->copy_array<ColumnRef>(query->correlations);
  for (ColumnRef& column : copy->correlations) column.source = renamed(column.source);
  return copy;
}

}  // namespace

BoundQuery* clone_query(const BoundQuery& query, PlanContext& context) {
  Cloner cloner(&context);
  BoundQuery* copy = cloner.clone(const_cast<BoundQuery*>(&query));
  return cloner.failed() ? nullptr : copy;
}

}  // namespace godwit
