#include "plan/virtual_term.h"

#include "function/function.h"
#include "plan/expr_tree.h"

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

class VirtualTerms {
 public:
  VirtualTerms(FromClause* from, const PathSet& set, size_t i)
      : from_(from),
        set_(set),
        i_(i),
        source_(from->source(i)),
        terms_(from->arena()),
        derived_(from->arena()) {}

  ArenaVector<VirtualTerm> run();

 private:
  void add_of_term(size_t t);
  bool is_derived(const Constraint& c) const;
  void add_auxiliary(size_t t);
  void add_function(size_t t, const BoundExpr& call);
  bool is_own_column(const BoundExpr& expr) const {
    return expr.kind == ExprKind::kColumn && expr.column.source == source_.id;
  }
  // `column op value`; `value` null: NULL.
  void add(size_t t, VirtualOp op, const BoundExpr& column, BoundExpr* value,
           const Collation* collation);
  void add_limits();
  void add_limit(VirtualOp op, BoundExpr* value);
  bool can_take_limits() const;

  FromClause* from_;
  const PathSet& set_;
  size_t i_;
  const BoundSource& source_;
  ArenaVector<VirtualTerm> terms_;
  ArenaVector<VirtualTerm> derived_;
};

bool VirtualTerms::is_derived(const Constraint& c) const {
  const BoundExpr& expr = *from_->terms[c.term].expr;
  if (expr.kind == ExprKind::kBetween || expr.kind == ExprKind::kOr) return true;
  // a = b, of two columns, is b = a too.
  return expr.kind == ExprKind::kCompare && c.left == expr.args[1] &&
         expr.args[0]->kind == ExprKind::kColumn && from_->find(expr.args[0]->column.source) >= 0;
}

void VirtualTerms::add_of_term(size_t t) {
  for (const Constraint& c : set_.constraints) {
    if (c.term != t || c.source != i_ || !c.exact) continue;
    if (c.left->kind != ExprKind::kColumn) continue;
    // Rows that match nothing are looked for with the arguments alone.
    bool is_argument = c.column >= 0 && source_.table->columns[static_cast<size_t>(c.column)].hidden;
    if (keeps_right(source_.join) && !is_argument) continue;
    if (!is_derived(c)) terms_.push_back({&c, to_virtual(c.op)});
  }
}

// The conditions must be of the join with this source if that is an outer one, and else of none.
void VirtualTerms::add(size_t t, VirtualOp op, const BoundExpr& column, BoundExpr* value,
                       const Collation* collation) {
  const FromTerm& term = from_->terms[t];
  if (keeps_right(source_.join)) return;
  int on_source = is_outer(source_.join) ? static_cast<int>(i_) : -1;
  if (term.on_source != on_source) return;
  SourceMask self = source_bit(i_);
  SourceMask value_sources = from_->sources_of(value);
  if ((value_sources & self) != 0) return;
  Constraint* constraint = from_->arena()->make<Constraint>();
  constraint->op = value == nullptr ? ConstraintOp::kIsNull : ConstraintOp::kEq;
  constraint->source = static_cast<uint8_t>(i_);
  constraint->term = static_cast<uint16_t>(t);
  constraint->column = column.column.column;
  constraint->left = &column;
  constraint->value = value;
  constraint->prerequisites = (value_sources | term.barrier) & ~self;
  constraint->collation = collation;
  derived_.push_back({constraint, op});
}

// An operator, which is a function of (right, left); or f(column, value), if the module knows f.
void VirtualTerms::add_function(size_t t, const BoundExpr& call) {
  if (call.args.size() != 2) return;
  std::string_view name = call.function->name;
  if (is_own_column(*call.args[1])) {
    static constexpr std::pair<std::string_view, VirtualOp> kOperators[] = {
        {"match", VirtualOp::kMatch},
        {"glob", VirtualOp::kGlob},
        {"like", VirtualOp::kLike},
        {"regexp", VirtualOp::kRegexp},
    };
    for (const auto& [operator_name, op] : kOperators) {
      if (!names_equal(name, operator_name)) continue;
      add(t, op, *call.args[1], call.args[0], nullptr);
      return;
    }
  }
  if (!is_own_column(*call.args[0])) return;
  const ScalarFunction* function = nullptr;
  int number = source_.virtual_table->find_function(name, 2, &function);
  if (number < static_cast<int>(VirtualOp::kFunction) || number > 255) return;
  add(t, static_cast<VirtualOp>(number), *call.args[0], call.args[1], nullptr);
}

void VirtualTerms::add_auxiliary(size_t t) {
  const BoundExpr& expr = *from_->terms[t].expr;
  if (expr.kind == ExprKind::kFunction) {
    add_function(t, expr);
  } else if (expr.kind == ExprKind::kIsNull && expr.negated && is_own_column(*expr.args[0])) {
    add(t, VirtualOp::kIsNotNull, *expr.args[0], nullptr, nullptr);
  } else if (expr.kind == ExprKind::kCompare && expr.row_columns <= 1 &&
             expr.args[0]->kind != ExprKind::kRow &&
             (expr.compare == CompareOp::kNe || expr.compare == CompareOp::kIsNot)) {
    VirtualOp op = expr.compare == CompareOp::kNe ? VirtualOp::kNe : VirtualOp::kIsNot;
    for (size_t side = 0; side < 2; ++side) {
      if (!is_own_column(*expr.args[side])) continue;
      add(t, op, *expr.args[side], expr.args[1 - side], expr.compare_collation);
    }
  }
}

// The table may stop early only if every condition is one that it is told.
bool VirtualTerms::can_take_limits() const {
  if (from_->limit == nullptr || from_->size() != 1) return false;
  for (size_t t = 0; t < from_->terms.size(); ++t) {
    bool is_told = false;
    for (const auto* list : {&terms_, &derived_}) {
      for (const VirtualTerm& term : *list) {
        is_told |= term.constraint->term == t && term.constraint->prerequisites == 0;
      }
    }
    if (!is_told) return false;
  }
  if (from_->order.kind != OrderRequest::Kind::kOrderBy) return true;
  for (const OrderTerm& term : from_->order.terms) {
    if (!is_own_column(*term.expr) || term.nulls_first == term.descending) return false;
  }
  return true;
}

void VirtualTerms::add_limit(VirtualOp op, BoundExpr* value) {
  Constraint* constraint = from_->arena()->make<Constraint>();
  constraint->op = ConstraintOp::kEq;
  constraint->source = static_cast<uint8_t>(i_);
  constraint->exact = false;  // of no term
  constraint->value = value;
  terms_.push_back({constraint, op});
}

void VirtualTerms::add_limits() {
  if (!can_take_limits()) return;
  if (from_->offset != nullptr && *from_->offset != nullptr) {
    add_limit(VirtualOp::kOffset, *from_->offset);
  }
  add_limit(VirtualOp::kLimit, from_->limit);
}

ArenaVector<VirtualTerm> VirtualTerms::run() {
  for (size_t t = 0; t < from_->terms.size(); ++t) add_of_term(t);
  for (size_t t = from_->terms.size(); t-- > 0;) {
    for (const Constraint& c : set_.constraints) {
      if (c.term != t || c.source != i_ || c.left->kind != ExprKind::kColumn) continue;
      bool is_offered = c.is_like || (c.exact && is_derived(c));
      if (is_offered && !keeps_right(source_.join)) derived_.push_back({&c, to_virtual(c.op)});
    }
    add_auxiliary(t);
  }
  const bool limits = can_take_limits();
  for (const VirtualTerm& term : derived_) terms_.push_back(term);
  derived_.clear();
  if (limits) add_limits();
  return terms_;
}

}  // namespace

ArenaVector<VirtualTerm> find_virtual_terms(FromClause* from, const PathSet& set, size_t i) {
  return VirtualTerms(from, set, i).run();
}

}  // namespace godwit
