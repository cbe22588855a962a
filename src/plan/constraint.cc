#include "plan/constraint.h"

#include <bit>

#include "plan/expr_tree.h"
#include "plan/like_range.h"

namespace godwit {
namespace {

// SQLite looks for equivalent columns no further than this either.
constexpr size_t kEquivalentColumnsMax = 11;

class Deriver {
 public:
  explicit Deriver(FromClause* from) : from_(from), constraints_(from->arena()) {}

  ArenaVector<Constraint> run();

 private:
  void add_term(size_t term);
  void add_compare(size_t term, const BoundExpr& expr);
  void add_between(size_t term, const BoundExpr& expr);
  void add_in(size_t term, BoundExpr* expr);
  void add_or(size_t term, const BoundExpr& expr);
  void add_like(size_t term, const BoundExpr& expr);
  void add_equivalent();
  void spread(std::span<const BoundExpr* const> members);
  // Completes and keeps a constraint whose op, left, value, affinity and collation are set.
  void add(size_t term, Constraint constraint);

  FromClause* from_;
  ArenaVector<Constraint> constraints_;
};

bool is_rowid(const FromClause& from, int source, int32_t column) {
  if (column == ColumnRef::kRowid) return true;
  const Table* table = from.source(source).table;
  return table != nullptr && table->has_rowid() && table->rowid_column == column;
}

// `left` must be a column of one source, or an expression over one that an index may hold.
void Deriver::add(size_t term, Constraint constraint) {
  const BoundExpr& left = *constraint.left;
  int source = -1;
  if (left.kind == ExprKind::kColumn) {
    source = from_->find(left.column.source);
    if (source < 0) return;
    constraint.column =
        is_rowid(*from_, source, left.column.column) ? ColumnRef::kRowid : left.column.column;
  } else {
    if (!from_->has_expression_index || !is_simple(left) || left.kind == ExprKind::kConstant) return;
    SourceMask mask = from_->sources_of(&left);
    if (std::popcount(mask) != 1) return;
    source = std::countr_zero(mask);
    constraint.column = IndexColumn::kExpression;
  }
  const FromTerm& from_term = from_->terms[term];
  SourceMask self = source_bit(source);
  SourceMask value_sources = 0;
  if (constraint.op == ConstraintOp::kIn) {
    const BoundExpr& in = *constraint.value;
    for (const BoundExpr* arg : in.args.subspan(1)) value_sources |= from_->sources_of(arg);
    if (in.query != nullptr) {
      for (const ColumnRef& column : in.query->correlations) {
        int i = from_->find(column.source);
        if (i >= 0) value_sources |= source_bit(i);
      }
    }
  } else {
    value_sources = from_->sources_of(constraint.value);
  }
  if ((value_sources & self) != 0) return;
  // The terms that may choose among the rows of a source before it is joined: see FromClause.
  if (is_outer(from_->source(source).join)) {
    if (from_term.on_source != source) return;
  } else if (from_term.on_source >= 0) {
    return;
  }
  constraint.source = static_cast<uint8_t>(source);
  constraint.term = static_cast<uint16_t>(term);
  constraint.prerequisites = (value_sources | from_term.barrier) & ~self;
  constraints_.push_back(constraint);
}

ConstraintOp to_op(CompareOp op) {
  switch (op) {
    case CompareOp::kEq: return ConstraintOp::kEq;
    case CompareOp::kLt: return ConstraintOp::kLt;
    case CompareOp::kLe: return ConstraintOp::kLe;
    case CompareOp::kGt: return ConstraintOp::kGt;
    case CompareOp::kGe: return ConstraintOp::kGe;
    default: return ConstraintOp::kIs;
  }
}

void Deriver::add_compare(size_t term, const BoundExpr& expr) {
  if (expr.compare == CompareOp::kNe || expr.compare == CompareOp::kIsNot) return;
  if (expr.row_columns > 1 || expr.args[0]->kind == ExprKind::kRow) return;
  for (size_t side = 0; side < 2; ++side) {
    Constraint constraint;
    constraint.op = to_op(side == 0 ? expr.compare : mirrored(expr.compare));
    constraint.left = expr.args[side];
    constraint.value = expr.args[1 - side];
    constraint.affinity = expr.compare_affinity;
    constraint.collation = expr.compare_collation;
    add(term, constraint);
  }
}

void Deriver::add_between(size_t term, const BoundExpr& expr) {
  if (expr.negated || expr.args[0]->kind == ExprKind::kRow) return;
  Constraint constraint;
  constraint.left = expr.args[0];
  constraint.parts_of_term = 2;
  constraint.op = ConstraintOp::kGe;
  constraint.value = expr.args[1];
  constraint.affinity = expr.compare_affinity;
  constraint.collation = expr.compare_collation;
  add(term, constraint);
  constraint.op = ConstraintOp::kLe;
  constraint.value = expr.args[2];
  constraint.affinity = expr.high_affinity;
  constraint.collation = expr.high_collation;
  add(term, constraint);
}

void Deriver::add_in(size_t term, BoundExpr* expr) {
  if (expr->negated || expr->args.empty() || expr->args[0]->kind == ExprKind::kRow) return;
  bool is_query = expr->kind == ExprKind::kInQuery;
  if (is_query && (expr->args.size() != 1 || expr->query->column_count != 1)) return;
  Constraint constraint;
  constraint.op = ConstraintOp::kIn;
  constraint.left = expr->args[0];
  constraint.value = expr;
  if (is_query) {
    constraint.affinity = expr->affinities.empty() ? Affinity::kNone : expr->affinities[0];
    constraint.collation = expr->collations.empty() ? nullptr : expr->collations[0];
    constraint.in_count = 46;  // 25 members, as SQLite guesses
  } else {
    constraint.affinity = expr->compare_affinity;
    constraint.collation = expr->compare_collation;
    constraint.in_count = log_est(expr->args.size() - 1);
  }
  add(term, constraint);
}

// a=1 OR a=2 OR a IN (3,4) is a IN (1,2,3,4) when all compare alike.
void Deriver::add_or(size_t term, const BoundExpr& expr) {
  const BoundExpr* left = nullptr;
  const BoundExpr* first = nullptr;
  ArenaVector<BoundExpr*> members(from_->arena());
  for (size_t i = 0; i < 2 && members.empty(); ++i) {
    const BoundExpr& head = *expr.args[0];
    if (head.kind != ExprKind::kCompare || head.compare != CompareOp::kEq) return;
    if (head.args[i]->kind != ExprKind::kColumn) continue;
    left = head.args[i];
    first = &head;
    for (const BoundExpr* arg : expr.args) {
      if (arg->kind != ExprKind::kCompare || arg->compare != CompareOp::kEq ||
          arg->compare_affinity != head.compare_affinity ||
          !same_collation(arg->compare_collation, head.compare_collation)) {
        return;
      }
      bool on_left = same_expr(*arg->args[0], *left);
      if (!on_left && !same_expr(*arg->args[1], *left)) {
        members.clear();
        break;
      }
      members.push_back(arg->args[on_left ? 1 : 0]);
    }
  }
  if (members.empty()) return;
  BoundExpr* in = from_->arena()->make<BoundExpr>();
  in->kind = ExprKind::kInList;
  in->compare_affinity = first->compare_affinity;
  in->compare_collation = first->compare_collation;
  in->is_deterministic = expr.is_deterministic;
  in->has_subquery = expr.has_subquery;
  in->args = from_->arena()->make_array<BoundExpr*>(members.size() + 1);
  in->args[0] = const_cast<BoundExpr*>(left);
  for (size_t i = 0; i < members.size(); ++i) in->args[i + 1] = members[i];
  add_in(term, in);
}

void Deriver::add_like(size_t term, const BoundExpr& expr) {
  LikeRange range;
  if (!find_like_range(expr, *from_->context, &range)) return;
  Constraint constraint;
  constraint.left = range.column;
  constraint.collation = range.collation;
  constraint.exact = false;
  constraint.is_like = true;
  constraint.op = ConstraintOp::kGe;
  constraint.value = range.lower;
  add(term, constraint);
  constraint.op = ConstraintOp::kLt;
  constraint.value = range.upper;
  add(term, constraint);
}

void Deriver::add_term(size_t term) {
  BoundExpr* expr = from_->terms[term].expr;
  switch (expr->kind) {
    case ExprKind::kCompare:
      add_compare(term, *expr);
      break;
    case ExprKind::kIsNull:
      if (!expr->negated) {
        Constraint constraint;
        constraint.op = ConstraintOp::kIsNull;
        constraint.left = expr->args[0];
        add(term, constraint);
      }
      break;
    case ExprKind::kBetween:
      add_between(term, *expr);
      break;
    case ExprKind::kInList:
    case ExprKind::kInQuery:
      add_in(term, expr);
      break;
    case ExprKind::kOr:
      add_or(term, *expr);
      break;
    case ExprKind::kFunction:
      add_like(term, *expr);
      break;
    default:
      break;
  }
}

// a=b, where a value that equals one can stand for the other: both columns store values of one
// class, and equality is not blurred by different collations.
bool is_equivalence(const FromTerm& term) {
  const BoundExpr& e = *term.expr;
  if (term.on_source >= 0 || term.barrier != 0) return false;
  if (e.kind != ExprKind::kCompare || e.compare != CompareOp::kEq) return false;
  const BoundExpr& a = *e.args[0];
  const BoundExpr& b = *e.args[1];
  if (a.kind != ExprKind::kColumn || b.kind != ExprKind::kColumn) return false;
  if (a.affinity != b.affinity && !(is_numeric(a.affinity) && is_numeric(b.affinity))) return false;
  const Collation* collation = e.compare_collation;
  if (same_collation(collation, nullptr)) return true;
  return same_collation(a.collation, collation) && same_collation(b.collation, collation);
}

// Gives each member of a set of equal columns what is known of the others.
void Deriver::spread(std::span<const BoundExpr* const> members) {
  ArenaVector<size_t> known(from_->arena());
  for (size_t i = 0; i < constraints_.size(); ++i) {
    const BoundExpr& left = *constraints_[i].left;
    if (left.kind != ExprKind::kColumn || constraints_[i].is_like) continue;
    for (const BoundExpr* member : members) {
      if (left.column != member->column) continue;
      known.push_back(i);
      break;
    }
  }
  for (const BoundExpr* member : members) {
    for (size_t i : known) {
      Constraint constraint = constraints_[i];
      if (constraint.left->column == member->column) continue;
      constraint.left = member;
      constraint.exact = false;
      add(constraint.term, constraint);
    }
  }
}

void Deriver::add_equivalent() {
  // The equalities that belong to no set yet.
  ArenaVector<const BoundExpr*> left(from_->arena());
  for (const FromTerm& term : from_->terms) {
    if (is_equivalence(term)) left.push_back(term.expr);
  }
  while (left.size() > 0) {
    ArenaVector<const BoundExpr*> members(from_->arena());
    members.push_back(left[0]->args[0]);
    bool grown = true;
    while (grown) {
      grown = false;
      size_t kept = 0;
      for (const BoundExpr* e : left) {
        bool has[2] = {false, false};
        for (const BoundExpr* member : members) {
          for (int side = 0; side < 2; ++side) has[side] |= member->column == e->args[side]->column;
        }
        if (!has[0] && !has[1]) {
          left[kept++] = e;
          continue;
        }
        if ((has[0] && has[1]) || members.size() >= kEquivalentColumnsMax) continue;
        members.push_back(e->args[has[0] ? 1 : 0]);
        grown = true;
      }
      left.resize(kept);
    }
    spread(members.span());
  }
}

ArenaVector<Constraint> Deriver::run() {
  for (size_t i = 0; i < from_->terms.size(); ++i) add_term(i);
  if (from_->size() > 1 || constraints_.size() > 1) add_equivalent();
  return constraints_;
}

}  // namespace

bool same_collation(const Collation* a, const Collation* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) {
    const Collation* other = a == nullptr ? b : a;
    return other->kind != Collation::Kind::kNoCase && other->kind != Collation::Kind::kRtrim &&
           other->kind != Collation::Kind::kUser;
  }
  return a->kind == b->kind && a->kind != Collation::Kind::kUser;
}

ArenaVector<Constraint> derive_constraints(FromClause* from) { return Deriver(from).run(); }

}  // namespace godwit
