#include "plan/virtual_path.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "function/virtual_table.h"

namespace godwit {

namespace {

VirtualOp to_virtual(ConstraintOp op) {
  switch (op) {
    case ConstraintOp::kEq:
    case ConstraintOp::kIn:
      return VirtualOp::kEq;
    case ConstraintOp::kIs: return VirtualOp::kIs;
    case ConstraintOp::kIsNull: return VirtualOp::kIsNull;
    case ConstraintOp::kLt: return VirtualOp::kLt;
    case ConstraintOp::kLe: return VirtualOp::kLe;
    case ConstraintOp::kGt: return VirtualOp::kGt;
    case ConstraintOp::kGe: return VirtualOp::kGe;
  }
  return VirtualOp::kEq;
}

LogEst log_est_of_real(double x) {
  if (x <= 1) return 0;
  if (x <= 2e9) return log_est(static_cast<uint64_t>(x));
  return static_cast<LogEst>(std::min(10 * std::ilogb(x) + 3, 20000));
}

class VirtualPaths {
 public:
  VirtualPaths(FromClause* from, PathSet* set, size_t i)
      : from_(from), set_(set), i_(i), source_(from->source(i)), constraints_(from->arena()) {
    for (const Constraint& c : set->constraints) {
      if (c.source != i || !c.exact || c.column == IndexColumn::kExpression) continue;
      if (c.left->kind != ExprKind::kColumn) continue;
      // Rows that match nothing are looked for with the arguments alone.
      bool is_argument = c.column >= 0 && source_.table->columns[static_cast<size_t>(c.column)].hidden;
      if (keeps_right(source_.join) && !is_argument) continue;
      constraints_.push_back(&c);
    }
    find_order();
  }

  Status run();

 private:
  void find_order();
  // Asks with the constraints usable whose values the sources in `before` give.
  Status ask(SourceMask before, bool with_in);
  std::vector<VirtualConstraint> describe(SourceMask before, bool with_in);
  void add_path(const VirtualQuery& query);

  FromClause* from_;
  PathSet* set_;
  size_t i_;
  const BoundSource& source_;
  ArenaVector<const Constraint*> constraints_;
  std::vector<VirtualOrderTerm> order_;
  SourceMask last_prerequisites_ = 0;
  bool last_used_in_ = false;
};

// The order that is wanted, if this source alone makes it.
void VirtualPaths::find_order() {
  if (from_->size() != 1 || from_->order.kind != OrderRequest::Kind::kOrderBy) return;
  for (const OrderTerm& term : from_->order.terms) {
    bool is_plain = term.expr->kind == ExprKind::kColumn &&
                    term.expr->column.source == source_.id &&
                    term.nulls_first != term.descending && same_collation(term.collation, nullptr);
    if (!is_plain) {
      order_.clear();
      return;
    }
    order_.push_back({term.expr->column.column, term.descending});
  }
}

std::vector<VirtualConstraint> VirtualPaths::describe(SourceMask before, bool with_in) {
  std::vector<VirtualConstraint> described(constraints_.size());
  for (size_t k = 0; k < constraints_.size(); ++k) {
    const Constraint& c = *constraints_[k];
    VirtualConstraint& out = described[k];
    out.column = c.column;
    out.op = to_virtual(c.op);
    out.collation = c.collation;
    out.usable = (c.prerequisites & ~before) == 0 && (with_in || c.op != ConstraintOp::kIn);
    if (c.value != nullptr && c.value->kind == ExprKind::kConstant) out.value = &c.value->constant;
  }
  return described;
}

Status VirtualPaths::ask(SourceMask before, bool with_in) {
  std::vector<VirtualConstraint> described = describe(before, with_in);
  VirtualQuery query;
  query.constraints = described;
  query.order_by = order_;
  Status status = source_.virtual_table->best_index(&query);
  if (status.primary() == code::kConstraint) return Status();
  GW_TRY(status);
  add_path(query);
  return Status();
}

void VirtualPaths::add_path(const VirtualQuery& query) {
  int count = 0;
  for (const VirtualConstraint& c : query.constraints) count = std::max(count, c.argument);
  AccessPath path;
  path.source = static_cast<uint8_t>(i_);
  path.method = AccessMethod::kVirtual;
  path.prerequisites = from_->fixed_before[i_];
  path.equal = from_->arena()->make_array<const Constraint*>(static_cast<size_t>(count));
  VirtualPlan* plan = from_->arena()->make<VirtualPlan>();
  plan->omit = from_->arena()->make_array<bool>(static_cast<size_t>(count));
  last_used_in_ = false;
  for (size_t k = 0; k < query.constraints.size(); ++k) {
    const VirtualConstraint& c = query.constraints[k];
    if (c.argument <= 0) continue;
    auto place = static_cast<size_t>(c.argument - 1);
    path.equal[place] = constraints_[k];
    plan->omit[place] = c.omit;
    path.prerequisites |= constraints_[k]->prerequisites;
    last_used_in_ |= constraints_[k]->op == ConstraintOp::kIn;
  }
  last_prerequisites_ = path.prerequisites;
  // A gap in the numbers of the arguments: nothing can be done with such an answer.
  if (std::ranges::find(path.equal, nullptr) != path.equal.end()) return;
  plan->number = query.plan_number;
  plan->text = from_->arena()->copy(query.plan_text);
  plan->shows_number_as_hex = query.shows_number_as_hex;
  plan->order_consumed = query.order_consumed && !order_.empty() && !last_used_in_;
  path.virtual_plan = plan;
  path.run = log_est_of_real(query.cost);
  path.rows = log_est(static_cast<uint64_t>(std::max<int64_t>(query.rows, 1)));
  path.one_row = query.one_row && !last_used_in_;
  path.order_class = plan->order_consumed ? 1 : 0;
  keep_path(from_, set_, path);
}

// First with everything usable. If that answer needs other sources, or IN, then without IN, with the
// values of fewer and fewer sources, and with none.
Status VirtualPaths::run() {
  SourceMask fixed = from_->fixed_before[i_];
  SourceMask all = ~source_bit(i_);
  size_t before = set_->paths.size();
  GW_TRY(ask(all, true));
  bool answered = set_->paths.size() > before;
  if (answered && last_prerequisites_ == fixed && !last_used_in_) return Status();
  if (answered && last_used_in_) GW_TRY(ask(all, false));
  ArenaVector<SourceMask> masks(from_->arena());
  masks.push_back(fixed);
  for (const Constraint* c : constraints_) {
    SourceMask mask = c->prerequisites | fixed;
    if (std::find(masks.begin(), masks.end(), mask) == masks.end()) masks.push_back(mask);
  }
  for (SourceMask mask : masks) {
    GW_TRY(ask(mask, true));
    if (last_used_in_) GW_TRY(ask(mask, false));
  }
  return Status();
}

}  // namespace

Status find_virtual_paths(FromClause* from, PathSet* set, size_t i) {
  return VirtualPaths(from, set, i).run();
}

}  // namespace godwit
