// Turns the chosen paths into a chain of Access nodes, and puts every term at the node where it
// belongs.
#include <algorithm>

#include "plan/access_path.h"
#include "plan/expr_tree.h"
#include "plan/from_clause.h"
#include "plan/index_match.h"
#include "plan/join_order.h"
#include "plan/order_by.h"

namespace godwit {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(FromClause* from, const PathSet& set, SourceMask reverse)
      : from_(from), set_(set), reverse_(reverse) {}

  AccessNode* build(const AccessPath& path, SourceMask before);
  // Takes the terms that can be evaluated when `available` is.
  BoundExpr* take_terms(SourceMask available, int on_source);
  // Takes the terms of WHERE that read no source but have to wait for a RIGHT or FULL join.
  BoundExpr* take_gate();

 private:
  template <typename Node>
  Node* make_node(PlanKind kind) {
    Node* node = from_->arena()->make<Node>();
    node->kind = kind;
    return node;
  }
  AccessNode* make_access(const AccessPath& path);
  void set_keys(AccessNode* node, const AccessPath& path);
  SeekKey make_key(const Constraint& constraint);
  void consume(const Constraint* constraint);
  void consume_or(const AccessPath& path);
  void set_hash(AccessNode* node, const AccessPath& path, SourceMask before);
  bool is_constant(const AccessPath& path) const;
  PlanNode* query_input(size_t i);
  PlanNode* hash_input(size_t i);
  BoundExpr* take_local_terms(size_t i);
  PlanNode* subquery_input(const BoundSource& source);

  FromClause* from_;
  const PathSet& set_;
  SourceMask reverse_;
};

BoundExpr* ChainBuilder::take_terms(SourceMask available, int on_source) {
  ArenaVector<BoundExpr*> taken(from_->arena());
  for (FromTerm& term : from_->terms) {
    if (term.consumed || term.on_source != on_source || (term.after & ~available) != 0) continue;
    taken.push_back(term.expr);
    term.consumed = true;
  }
  return make_and(from_->arena(), taken.span());
}

BoundExpr* ChainBuilder::take_gate() {
  ArenaVector<BoundExpr*> taken(from_->arena());
  for (FromTerm& term : from_->terms) {
    if (term.sources != 0 || term.on_source >= 0 || term.barrier == 0) continue;
    if (!term.expr->is_deterministic) continue;
    taken.push_back(term.expr);
    term.consumed = true;
  }
  return make_and(from_->arena(), taken.span());
}

void ChainBuilder::consume(const Constraint* constraint) {
  if (constraint == nullptr || !constraint->exact) return;
  FromTerm& term = from_->terms[constraint->term];
  if (++term.parts_used >= constraint->parts_of_term) term.consumed = true;
}

SeekKey ChainBuilder::make_key(const Constraint& constraint) {
  SeekKey key;
  key.is_in = constraint.op == ConstraintOp::kIn;
  key.null_matches = constraint.op == ConstraintOp::kIs || constraint.op == ConstraintOp::kIsNull;
  key.affinity = constraint.affinity;
  key.expr = constraint.op == ConstraintOp::kIsNull ? make_constant(from_->arena(), ValueView())
                                                    : constraint.value;
  return key;
}

void ChainBuilder::set_keys(AccessNode* node, const AccessPath& path) {
  node->equal = from_->arena()->make_array<SeekKey>(path.equal.size());
  for (size_t i = 0; i < path.equal.size(); ++i) node->equal[i] = make_key(*path.equal[i]);
  if (path.lower != nullptr) {
    node->lower = path.lower->value;
    node->lower_inclusive = path.lower->op == ConstraintOp::kGe;
    node->range_affinity = path.lower->affinity;
    node->is_like_range = path.lower->is_like;
  }
  if (path.upper != nullptr) {
    node->upper = path.upper->value;
    node->upper_inclusive = path.upper->op == ConstraintOp::kLe;
    node->range_affinity = path.upper->affinity;
  }
}

AccessNode* ChainBuilder::make_access(const AccessPath& path) {
  AccessNode* node = make_node<AccessNode>(PlanKind::kAccess);
  node->source = &from_->source(path.source);
  node->method = path.method;
  node->index = path.index;
  node->covering = path.covering;
  node->descending = (reverse_ & source_bit(path.source)) != 0;
  node->rows = from_log_est(path.rows);
  node->cost = from_log_est(path.run);
  set_keys(node, path);
  return node;
}

// The OR is done when each arm is nothing but what its branch seeks.
void ChainBuilder::consume_or(const AccessPath& path) {
  FromTerm& term = from_->terms[path.or_term];
  bool exact = true;
  for (size_t i = 0; i < path.branches.size(); ++i) {
    const AccessPath& branch = *path.branches[i];
    ExprKind kind = term.expr->args[i]->kind;
    bool one_key = branch.equal.size() + (branch.lower != nullptr) + (branch.upper != nullptr) == 1;
    const Constraint* key = !branch.equal.empty() ? branch.equal[0]
                            : branch.lower        ? branch.lower
                                                  : branch.upper;
    exact &= one_key && kind != ExprKind::kAnd && key != nullptr && key->exact &&
             key->parts_of_term == 1;
  }
  term.consumed |= exact;
}

// Terms that concern no other source, and decide which of its rows take part in the join at all.
BoundExpr* ChainBuilder::take_local_terms(size_t i) {
  JoinType join = from_->source(i).join;
  if (keeps_right(join)) return nullptr;
  int on_source = join == JoinType::kLeft ? static_cast<int>(i) : -1;
  ArenaVector<BoundExpr*> taken(from_->arena());
  for (FromTerm& term : from_->terms) {
    if (term.consumed || term.on_source != on_source || term.barrier != 0) continue;
    if (term.sources != source_bit(i) || !term.expr->is_deterministic) continue;
    // Rows that do not depend on enclosing queries are kept from one run to the next.
    if (from_->reads_outer(term.expr)) continue;
    taken.push_back(term.expr);
    term.consumed = true;
  }
  return make_and(from_->arena(), taken.span());
}

// Column `i` has REAL affinity, but rows may hold integers there.
bool may_give_integers(const BoundQuery& query, size_t i) {
  if (i >= query.column_count || query.is_recursive) return false;  // or only sorted by
  if (query.column_affinities[i] != Affinity::kReal) return false;
  auto is_real = [i](const BoundCore* core) {
    if (core->kind == BoundCore::Kind::kValues) return false;
    const BoundExpr& e = *core->results[i].expr;
    return e.affinity == Affinity::kReal && (e.kind == ExprKind::kColumn || e.kind == ExprKind::kCast);
  };
  return !std::ranges::all_of(query.cores, is_real);
}

// The plan that produces the rows of a subquery, as columns of `source`.
PlanNode* ChainBuilder::subquery_input(const BoundSource& source) {
  const BoundQuery& query = *source.query;
  PlanNode* root = query.plan->root;
  bool has_integers = false;
  for (size_t i = 0; i < query.column_count; ++i) has_integers |= may_give_integers(query, i);
  if (query.reference_count <= 1 && !has_integers) return root;
  // A shared one has a name of its own.
  ProjectNode* renaming = make_node<ProjectNode>(PlanKind::kProject);
  renaming->child = root;
  renaming->rows = root->rows;
  size_t columns = root->output.size();
  renaming->exprs = from_->arena()->make_array<BoundExpr*>(columns);
  renaming->output = from_->arena()->make_array<ColumnRef>(columns);
  for (size_t i = 0; i < columns; ++i) {
    renaming->exprs[i] = make_column(from_->arena(), root->output[i]);
    if (has_integers && may_give_integers(query, static_cast<size_t>(root->output[i].column))) {
      BoundExpr* real = from_->arena()->make<BoundExpr>();
      real->kind = ExprKind::kUnary;
      real->unary = UnaryOp::kAsReal;
      real->args = from_->arena()->make_array<BoundExpr*>(1);
      real->args[0] = renaming->exprs[i];
      renaming->exprs[i] = real;
    }
    renaming->output[i] = {source.id, static_cast<int32_t>(i)};
  }
  return renaming;
}

// The path gives the same rows in every run and for all rows of other sources.
bool ChainBuilder::is_constant(const AccessPath& path) const {
  auto varies = [&](const Constraint* c) {
    return c != nullptr && (c->prerequisites != 0 || from_->reads_outer(c->value));
  };
  return path.method != AccessMethod::kOr && std::ranges::none_of(path.equal, varies) &&
         !varies(path.lower) && !varies(path.upper);
}

// The rows of a subquery that its local terms leave.
PlanNode* ChainBuilder::query_input(size_t i) {
  PlanNode* input = subquery_input(from_->source(i));
  BoundExpr* condition = take_local_terms(i);
  if (condition == nullptr) return input;
  FilterNode* filter = make_node<FilterNode>(PlanKind::kFilter);
  filter->child = input;
  filter->condition = condition;
  filter->rows = input->rows;
  return filter;
}

// The rows that go into a hash table: the cheapest way to get them without the sources before.
PlanNode* ChainBuilder::hash_input(size_t i) {
  if (from_->source(i).kind == BoundSource::Kind::kQuery) return query_input(i);
  const AccessPath* best = nullptr;
  for (const AccessPath* path : set_.paths) {
    if (path->source != i || path->method == AccessMethod::kHash || !is_constant(*path)) continue;
    if (best == nullptr || path->run < best->run) best = path;
  }
  AccessPath scan;
  if (best == nullptr) {
    scan.source = static_cast<uint8_t>(i);
    scan.index = from_->source(i).table->primary_index;
    scan.rows = table_rows(*from_->source(i).table);
    best = &scan;
  }
  AccessNode* input = make_access(*best);
  for (const Constraint* key : best->equal) consume(key);
  consume(best->lower);
  consume(best->upper);
  input->child = make_node<PlanNode>(PlanKind::kSingleRow);
  input->filter = take_local_terms(i);
  return input;
}

void ChainBuilder::set_hash(AccessNode* node, const AccessPath& path, SourceMask before) {
  ArenaVector<const Constraint*> usable(from_->arena());
  for (const Constraint& c : set_.constraints) {
    if (c.source != path.source || !can_hash(*from_, c) || (c.prerequisites & ~before) != 0) continue;
    if (!is_hash_key(*from_, c) || from_->terms[c.term].consumed) continue;
    usable.push_back(&c);
  }
  // The rows that are kept are those that a constant selects already.
  const Constraint** varying = std::stable_partition(
      usable.begin(), usable.end(), [this](const Constraint* c) {
        return c->prerequisites != 0 || from_->reads_outer(c->value);
      });
  if (varying != usable.begin()) usable.resize(static_cast<size_t>(varying - usable.begin()));
  node->input = hash_input(path.source);
  size_t count = usable.size();
  node->equal = from_->arena()->make_array<SeekKey>(count);
  node->hash_keys = from_->arena()->make_array<BoundExpr*>(count);
  node->hash_collations = from_->arena()->make_array<const Collation*>(count);
  for (size_t i = 0; i < count; ++i) {
    node->equal[i] = make_key(*usable[i]);
    node->hash_keys[i] = const_cast<BoundExpr*>(usable[i]->left);
    const Collation* collation = usable[i]->collation;
    node->hash_collations[i] = collation != nullptr ? collation : binary_collation();
    consume(usable[i]);
  }
}

AccessNode* ChainBuilder::build(const AccessPath& path, SourceMask before) {
  AccessNode* node = make_access(path);
  BoundSource& source = *node->source;
  node->join = is_outer(source.join) ? source.join : JoinType::kInner;
  node->first_match_only = source.only_exists;
  switch (path.method) {
    case AccessMethod::kQuery:
      node->input = query_input(path.source);
      break;
    case AccessMethod::kHash:
      set_hash(node, path, before);
      break;
    case AccessMethod::kOr:
      consume_or(path);
      node->branches = from_->arena()->make_array<AccessNode*>(path.branches.size());
      for (size_t i = 0; i < path.branches.size(); ++i) {
        node->branches[i] = make_access(*path.branches[i]);
        node->branches[i]->descending = false;
        node->branches[i]->covering = false;
      }
      break;
    case AccessMethod::kVirtual:
      node->virtual_plan = path.virtual_plan;
      for (size_t k = 0; k < path.equal.size(); ++k) {
        if (path.virtual_plan->omit[k]) consume(path.equal[k]);
        node->equal[k].as_set = path.virtual_plan->sets[k];
      }
      if (path.virtual_plan->takes_offset) *from_->offset = nullptr;
      break;
    default:
      for (const Constraint* key : path.equal) consume(key);
      consume(path.lower);
      consume(path.upper);
      break;
  }
  SourceMask available = before | source_bit(path.source);
  if (is_outer(node->join)) node->on = take_terms(available, path.source);
  node->filter = take_terms(available, -1);
  return node;
}

}  // namespace

Result<FromPlan> plan_from(FromClause* from) {
  FromPlan plan;
  PathSet set(from->arena());
  JoinOrder order;
  if (from->size() > 0) {
    GW_TRY(find_paths(from, &set));
    GW_ASSIGN(order, choose_join_order(from, set));
  }
  plan.ordered_terms = order.ordered_terms;
  bool any_order = from->order.kind == OrderRequest::Kind::kNone;
  if (any_order && from->context->hooks != nullptr &&
      from->context->hooks->reverse_unordered_selects()) {
    order.reverse = ~SourceMask{0};
  }
  if (from->order.orders_groups && order.ordered_terms == static_cast<int>(from->order.terms.size())) {
    // Grouping takes any direction; if the groups can come in the order that is wanted, they should.
    from->order.kind = OrderRequest::Kind::kOrderBy;
    SourceMask reverse = 0;
    int exact = satisfied_terms(from, set, order.chain, &reverse);
    plan.exact_order = exact == static_cast<int>(from->order.terms.size());
    if (plan.exact_order) order.reverse = reverse;
  }
  ChainBuilder builder(from, set, order.reverse);
  BoundExpr* gate = builder.take_gate();
  PlanNode* chain = from->arena()->make<PlanNode>();
  if (BoundExpr* condition = builder.take_terms(0, -1)) {
    FilterNode* filter = from->arena()->make<FilterNode>();
    filter->kind = PlanKind::kFilter;
    filter->child = chain;
    filter->condition = condition;
    chain = filter;
  }
  SourceMask available = 0;
  LogEst rows = 0;
  for (const AccessPath* path : order.chain) {
    rows += path->rows;
    plan.most_rows = std::max(plan.most_rows, rows);
    AccessNode* node = builder.build(*path, available);
    available |= source_bit(path->source);
    node->child = chain;
    for (AccessNode* branch : node->branches) branch->child = chain;
    node->rows *= chain->rows;
    chain = node;
  }
  plan.root = chain;
  if (gate != nullptr) {
    FilterNode* filter = from->arena()->make<FilterNode>();
    filter->kind = PlanKind::kFilter;
    filter->child = chain;
    filter->output = chain->output;
    filter->rows = chain->rows;
    filter->condition = gate;
    filter->is_gate = true;
    plan.root = filter;
  }
  return plan;
}

}  // namespace godwit
