#include "plan/virtual_path.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plan/expr_tree.h"
#include "plan/virtual_term.h"

namespace godwit {

namespace {

LogEst log_est_of_real(double x) {
  if (x <= 1) return 0;
  if (x <= 2e9) return log_est(static_cast<uint64_t>(x));
  return static_cast<LogEst>(std::min(10 * std::ilogb(x) + 3, 20000));
}

class VirtualPaths {
 public:
  VirtualPaths(FromClause* from, PathSet* set, size_t i)
      : from_(from),
        set_(set),
        i_(i),
        source_(from->source(i)),
        terms_(find_virtual_terms(from, *set, i)) {
    find_order();
  }

  Status run();

 private:
  void find_order();
  bool is_plain_order(const OrderTerm& term) const;
  bool orders_distinct_rows() const;
  uint64_t used_columns() const;
  // Asks with the constraints usable whose values the sources in `before` give.
  Status ask(SourceMask before, bool with_in);
  Status ask(SourceMask before, bool with_in, bool with_limits, bool* refused);
  std::vector<VirtualConstraint> describe(SourceMask before, bool with_in, bool with_limits);
  Status malfunction() const {
    return Status::error(source_.table->name + ".xBestIndex malfunction");
  }
  bool uses_in(const VirtualQuery& query) const;
  bool takes_limit_in_vain(const VirtualQuery& query) const;
  Status add_path(const VirtualQuery& query);

  FromClause* from_;
  PathSet* set_;
  size_t i_;
  const BoundSource& source_;
  ArenaVector<VirtualTerm> terms_;
  std::vector<VirtualOrderTerm> order_;
  VirtualOrder order_use_ = VirtualOrder::kSorted;
  SourceMask last_prerequisites_ = 0;
  bool last_used_in_ = false;
  bool refuses_limits_ = false;  // they were taken in vain
};

bool VirtualPaths::is_plain_order(const OrderTerm& term) const {
  if (term.expr->kind != ExprKind::kColumn || term.expr->column.source != source_.id) return false;
  if (term.nulls_first == term.descending) return false;
  int32_t column = term.expr->column.column;
  const Collation* own =
      column < 0 ? nullptr : source_.table->columns[static_cast<size_t>(column)].collation;
  return same_collation(term.collation, own);
}

// SELECT DISTINCT a, b ... ORDER BY a, b.
bool VirtualPaths::orders_distinct_rows() const {
  const BoundCore& core = *from_->core;
  if (!core.distinct || core.is_aggregate || !core.windows.empty()) return false;
  if (core.results.size() != from_->order.terms.size()) return false;
  for (size_t i = 0; i < core.results.size(); ++i) {
    if (!same_expr(*core.results[i].expr, *from_->order.terms[i].expr)) return false;
  }
  return true;
}

// The order that is wanted, if this source alone makes it.
void VirtualPaths::find_order() {
  using Kind = OrderRequest::Kind;
  switch (from_->order.kind) {
    case Kind::kOrderBy:
      order_use_ = orders_distinct_rows() ? VirtualOrder::kSortedDistinct : VirtualOrder::kSorted;
      break;
    case Kind::kGroupBy: order_use_ = VirtualOrder::kGrouped; break;
    case Kind::kDistinct: order_use_ = VirtualOrder::kDistinct; break;
    default: return;
  }
  for (const OrderTerm& term : from_->order.terms) {
    if (term.expr->is_constant) continue;
    if (!is_plain_order(term)) {
      order_.clear();
      order_use_ = VirtualOrder::kSorted;
      return;
    }
    order_.push_back({term.expr->column.column, term.descending});
  }
}

uint64_t VirtualPaths::used_columns() const {
  // A row that is written back is read whole.
  if (!source_.unchanged_columns.empty()) return ~uint64_t{0};
  uint64_t bits = 0;
  for (size_t c = 0; c < source_.used_columns.size(); ++c) {
    if (source_.used_columns[c]) bits |= uint64_t{1} << std::min<size_t>(c, 63);
  }
  return bits;
}

std::vector<VirtualConstraint> VirtualPaths::describe(SourceMask before, bool with_in,
                                                      bool with_limits) {
  std::vector<VirtualConstraint> described(terms_.size());
  for (size_t k = 0; k < terms_.size(); ++k) {
    const Constraint& c = *terms_[k].constraint;
    VirtualConstraint& out = described[k];
    out.column = c.column;
    out.op = terms_[k].op;
    out.collation = c.collation;
    if (out.op == VirtualOp::kIsNull) out.collation = c.left->collation;
    out.is_in = c.op == ConstraintOp::kIn;
    out.usable = (c.prerequisites & ~before) == 0 && (with_in || !out.is_in) &&
                 (with_limits || !terms_[k].is_limit());
    if (c.value != nullptr && c.value->kind == ExprKind::kConstant) out.value = &c.value->constant;
  }
  return described;
}

// A table that stops at LIMIT must see to all other conditions, and be filtered once.
bool VirtualPaths::takes_limit_in_vain(const VirtualQuery& query) const {
  bool all_taken = true;
  for (size_t k = 0; k < terms_.size(); ++k) {
    const VirtualConstraint& c = query.constraints[k];
    if (!terms_[k].is_limit()) {
      all_taken &= c.argument > 0;
    } else if (c.argument > 0 && (!all_taken || uses_in(query))) {
      return true;
    }
  }
  return false;
}

bool VirtualPaths::uses_in(const VirtualQuery& query) const {
  return std::ranges::any_of(query.constraints, [](const VirtualConstraint& c) {
    return c.argument > 0 && c.is_in && !c.takes_set;
  });
}

Status VirtualPaths::ask(SourceMask before, bool with_in) {
  bool refused = false;
  GW_TRY(ask(before, with_in, !refuses_limits_, &refused));
  if (!refused) return Status();
  refuses_limits_ = true;
  return ask(before, with_in, false, &refused);
}

Status VirtualPaths::ask(SourceMask before, bool with_in, bool with_limits, bool* refused) {
  std::vector<VirtualConstraint> described = describe(before, with_in, with_limits);
  VirtualQuery query;
  query.constraints = described;
  query.order_by = order_;
  query.order = order_use_;
  query.used_columns = used_columns();
  last_used_in_ = false;
  last_prerequisites_ = from_->fixed_before[i_];
  Status status = source_.virtual_table->best_index(&query);
  if (status.primary() == code::kConstraint) return Status();
  GW_TRY(status);
  *refused = with_limits && takes_limit_in_vain(query);
  return *refused ? Status() : add_path(query);
}

Status VirtualPaths::add_path(const VirtualQuery& query) {
  size_t count = 0;
  for (const VirtualConstraint& c : query.constraints) {
    if (c.argument <= 0) continue;
    if (!c.usable || static_cast<size_t>(c.argument) > terms_.size()) return malfunction();
    count = std::max(count, static_cast<size_t>(c.argument));
  }
  AccessPath path;
  path.source = static_cast<uint8_t>(i_);
  path.method = AccessMethod::kVirtual;
  path.prerequisites = from_->fixed_before[i_];
  path.equal = from_->arena()->make_array<const Constraint*>(count);
  VirtualPlan* plan = from_->arena()->make<VirtualPlan>();
  plan->omit = from_->arena()->make_array<bool>(count);
  plan->sets = from_->arena()->make_array<bool>(count);
  for (size_t k = 0; k < query.constraints.size(); ++k) {
    const VirtualConstraint& c = query.constraints[k];
    if (c.argument <= 0) continue;
    auto place = static_cast<size_t>(c.argument - 1);
    if (path.equal[place] != nullptr) return malfunction();
    const Constraint* constraint = terms_[k].constraint;
    path.equal[place] = constraint;
    plan->omit[place] = c.omit;
    plan->sets[place] = c.is_in && c.takes_set;
    plan->takes_offset |= terms_[k].op == VirtualOp::kOffset && c.omit;
    path.prerequisites |= constraint->prerequisites;
  }
  if (std::ranges::find(path.equal, nullptr) != path.equal.end()) return malfunction();
  last_used_in_ = uses_in(query);
  last_prerequisites_ = path.prerequisites;
  plan->number = query.plan_number;
  if (query.has_plan_text) plan->text = from_->arena()->copy(query.plan_text);
  plan->shows_number_as_hex = query.shows_number_as_hex;
  // Rows that are only made distinct come in any order.
  plan->order_consumed = query.order_consumed && !order_.empty() && !last_used_in_ &&
                         order_use_ != VirtualOrder::kDistinct;
  path.virtual_plan = plan;
  path.run = log_est_of_real(query.cost);
  path.rows = log_est(static_cast<uint64_t>(std::max<int64_t>(query.rows, 1)));
  path.one_row = query.one_row && !last_used_in_;
  path.order_class = plan->order_consumed ? 1 : 0;
  keep_path(from_, set_, path);
  return Status();
}

// First with everything usable. If that answer needs other sources, or IN, then without IN, with the
// values of fewer and fewer sources, and with none.
Status VirtualPaths::run() {
  const SourceMask fixed = from_->fixed_before[i_];
  const SourceMask all = ~source_bit(i_);
  GW_TRY(ask(all, true));
  const SourceMask best = last_prerequisites_ & ~fixed;
  const bool used_in = last_used_in_;
  if (best == 0 && !used_in) return Status();
  bool asked_with_none = false, asked_with_none_and_no_in = false;
  SourceMask best_without_in = 0;
  if (used_in) {
    GW_TRY(ask(all, false));
    best_without_in = last_prerequisites_ & ~fixed;
    asked_with_none = asked_with_none_and_no_in = best_without_in == 0;
  }
  ArenaVector<SourceMask> masks(from_->arena());
  for (const VirtualTerm& term : terms_) {
    SourceMask mask = term.constraint->prerequisites & ~fixed;
    if (mask == 0 || mask == best || mask == best_without_in) continue;
    if (std::find(masks.begin(), masks.end(), mask) == masks.end()) masks.push_back(mask);
  }
  std::sort(masks.begin(), masks.end());
  for (SourceMask mask : masks) {
    GW_TRY(ask(mask | fixed, true));
    if ((last_prerequisites_ & ~fixed) != 0) continue;
    asked_with_none = true;
    asked_with_none_and_no_in |= !last_used_in_;
  }
  if (!asked_with_none) {
    GW_TRY(ask(fixed, true));
    asked_with_none_and_no_in |= !last_used_in_;
  }
  return asked_with_none_and_no_in ? Status() : ask(fixed, false);
}

}  // namespace

Status find_virtual_paths(FromClause* from, PathSet* set, size_t i) {
  return VirtualPaths(from, set, i).run();
}

}  // namespace godwit
