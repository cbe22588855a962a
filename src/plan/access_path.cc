#include "plan/access_path.h"

#include <algorithm>
#include <bit>

#include "plan/expr_tree.h"
#include "plan/index_match.h"
#include "plan/order_by.h"
#include "plan/virtual_path.h"

namespace godwit {
namespace {

// What visiting a row of a table costs more than visiting one of an index.
constexpr LogEst kRowVisit = 16;
// Rows that a hash table is thought to give for one key.
constexpr LogEst kHashRows = 43;
constexpr LogEst kHashInsert = 4;
// Many terms on many columns of many indexes: enough is enough.
constexpr size_t kPathsMax = 4000;

bool has_expression(const Index& index) {
  return std::ranges::any_of(index.columns, [](const IndexColumn& key) {
    return key.column == IndexColumn::kExpression;
  });
}

// To SQLite a generated column is one that reads all others, which a scan for its own sake had better
// know: the rows come in another order.
bool hides_generated_columns(const BoundSource& source, const Index& index) {
  const Table& table = *source.table;
  auto is_virtual = [&](const IndexColumn& key) {
    return key.column >= 0 && table.columns[key.column].generated == Generated::kVirtual;
  };
  // Of an index on expressions it looks at each column that is used.
  if (has_expression(index) && std::ranges::none_of(index.columns, is_virtual)) return false;
  bool uses_one = false, holds_all = true;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    auto column = static_cast<int32_t>(c);
    bool is_generated = table.columns[c].generated != Generated::kNo;
    uses_one |= is_generated && source.used_columns[c];
    auto is_key = [&](const IndexColumn& key) { return key.column == column; };
    holds_all &= table.columns[c].generated != Generated::kVirtual &&
                 (has_rowid_column(table, column) || std::ranges::any_of(index.columns, is_key));
  }
  return uses_one && !holds_all;
}

// Finds the paths of one source. `only_seeks`: for an arm of an OR, where scans are no use.
class PathFinder {
 public:
  PathFinder(FromClause* from, PathSet* set, size_t source, bool only_seeks)
      : from_(from), set_(set), i_(source), source_(from->source(source)), only_seeks_(only_seeks) {}

  Status run();

 private:
  void find_table();
  void add_scan(LogEst rows, const Index* index);
  void add_rowid_paths();
  void add_index(const Index& index);
  void add_index_scan(const Index& index);
  // Adds the seeks that use `path.equal` and more. `rows`: those that share these keys.
  void extend(const Index& index, const AccessPath& path, LogEst rows, LogEst in_factor);
  void extend_ranges(const Index* index, const AccessPath& path, LogEst rows, LogEst in_factor);
  void finish_seek(AccessPath path, LogEst rows, LogEst in_factor);
  bool fits(const Constraint& constraint, const Index* index, size_t column) const;
  bool is_one_row(const Index& index, const AccessPath& path, LogEst in_factor) const;
  void add_hash_paths(LogEst rows);
  void add_or_paths();
  // Null: an arm has nothing to seek with.
  AccessPath* best_for_arm(BoundExpr* arm, const FromTerm& term);
  void reduce_rows(AccessPath* path) const;
  bool is_alone_and_one_row() const;
  bool takes_care_of(const AccessPath& path, size_t term) const;
  AccessPath make_path(AccessMethod method, const Index* index) const;
  void keep(AccessPath path);

  FromClause* from_;
  PathSet* set_;
  size_t i_;
  const BoundSource& source_;
  bool only_seeks_;
  LogEst table_rows_ = 0;
  LogEst row_size_ = 0;
};

AccessPath PathFinder::make_path(AccessMethod method, const Index* index) const {
  AccessPath path;
  path.source = static_cast<uint8_t>(i_);
  path.method = method;
  path.index = index;
  path.prerequisites = from_->fixed_before[i_];
  return path;
}

void PathFinder::keep(AccessPath path) { keep_path(from_, set_, path); }

bool PathFinder::takes_care_of(const AccessPath& path, size_t term) const {
  auto is_of_term = [&](const Constraint* c) { return c != nullptr && c->term == term; };
  return std::ranges::any_of(path.equal, is_of_term) || is_of_term(path.lower) ||
         is_of_term(path.upper);
}

// Terms that no key takes care of still drop rows: a little each, an equality three quarters.
void PathFinder::reduce_rows(AccessPath* path) const {
  SourceMask self = source_bit(i_);
  SourceMask allowed = path->prerequisites | self;
  LogEst most_selective = 0;
  for (size_t t = 0; t < from_->terms.size(); ++t) {
    const FromTerm& term = from_->terms[t];
    if ((term.sources & self) == 0 || (term.after & ~allowed) != 0) continue;
    if (takes_care_of(*path, t)) continue;
    path->rows--;
    const BoundExpr& e = *term.expr;
    if (e.kind != ExprKind::kCompare) continue;
    if (e.compare != CompareOp::kEq && e.compare != CompareOp::kIs) continue;
    const BoundExpr& right = *e.args[1];
    bool is_flag = right.kind == ExprKind::kConstant && right.constant.is_integer() &&
                   right.constant.integer >= -1 && right.constant.integer <= 1;
    most_selective = std::max<LogEst>(most_selective, is_flag ? 10 : 20);
  }
  path->rows = std::min<LogEst>(path->rows, static_cast<LogEst>(table_rows_ - most_selective));
}

void PathFinder::add_scan(LogEst rows, const Index* index) {
  AccessPath path = make_path(AccessMethod::kTableScan, index);
  path.rows = rows;
  path.order_class = might_give_order(*from_, i_, index) ? 1 : 0;
  if (index == nullptr) {
    path.run = rows + kRowVisit;
  } else {
    path.covering = true;
    path.run = static_cast<LogEst>(rows + 1 + 15 * index_row_size(*index) / row_size_);
  }
  reduce_rows(&path);
  keep(path);
}

bool PathFinder::fits(const Constraint& c, const Index* index, size_t column) const {
  if (c.source != i_) return false;
  if (index == nullptr) return column == 0 && c.column == ColumnRef::kRowid;
  return serves(from_, c, *index, column);
}

void PathFinder::add_rowid_paths() {
  for (const Constraint& c : set_->constraints) {
    if (!fits(c, nullptr, 0) || is_range(c.op) || c.op == ConstraintOp::kIsNull) continue;
    AccessPath path = make_path(AccessMethod::kRowidLookup, nullptr);
    path.equal = from_->arena()->make_array<const Constraint*>(1);
    path.equal[0] = &c;
    path.prerequisites |= c.prerequisites;
    path.one_row = c.op != ConstraintOp::kIn;
    finish_seek(path, 0, c.in_count);
  }
  extend_ranges(nullptr, make_path(AccessMethod::kRowidRange, nullptr), table_rows_, 0);
}

bool PathFinder::is_one_row(const Index& index, const AccessPath& path, LogEst in_factor) const {
  if (!index.unique || in_factor > 0 || path.equal.size() < index.declared_columns) return false;
  // A NULL key of a unique index may be there many times.
  for (const Constraint* c : path.equal) {
    if (c->op == ConstraintOp::kEq) continue;
    if (c->column < 0 || !source_.table->columns[c->column].not_null) return false;
  }
  return true;
}

void PathFinder::extend(const Index& index, const AccessPath& path, LogEst rows, LogEst in_factor) {
  size_t column = path.equal.size();
  size_t usable = &index == source_.table->primary_index ? index.declared_columns
                                                         : index.columns.size();
  if (column >= usable || path.one_row || set_->paths.size() > kPathsMax) return;
  for (const Constraint& c : set_->constraints) {
    if (is_range(c.op) || !fits(c, &index, column)) continue;
    if (c.op == ConstraintOp::kIsNull && c.column >= 0 &&
        source_.table->columns[c.column].not_null) {
      continue;
    }
    source_.table->wants_statistics = true;
    LogEst more_in = 0;
    if (c.op == ConstraintOp::kIn) {
      more_in = c.in_count;
      // Stepping over the rows may be cheaper than seeking each member.
      LogEst size = log_est_of_log(index_rows(index, 0));
      LogEst gain = static_cast<LogEst>(index_rows(index, column) +
                                        log_est_of_log(c.in_count) + 10 - (c.in_count + size));
      if (!index.stat.empty() && size >= 10 && gain < 0) continue;
    }
    AccessPath next = path;
    next.equal = from_->arena()->make_array<const Constraint*>(column + 1);
    std::ranges::copy(path.equal, next.equal.begin());
    next.equal[column] = &c;
    next.prerequisites |= c.prerequisites;
    LogEst next_rows = rows;
    next_rows += index_rows(index, column + 1) - index_rows(index, column);
    if (c.op == ConstraintOp::kIsNull) next_rows += 10;
    next.one_row = is_one_row(index, next, in_factor + more_in);
    finish_seek(next, next_rows, in_factor + more_in);
    extend(index, next, next_rows, in_factor + more_in);
  }
  extend_ranges(&index, path, rows, in_factor);
}

// One bound leaves a quarter of the rows, two bounds a sixty-fourth.
LogEst range_rows(LogEst rows, bool lower, bool upper) {
  int reduced = rows - (lower ? 20 : 0) - (upper ? 20 : 0) - (lower && upper ? 20 : 0);
  int slightly = rows - (lower ? 1 : 0) - (upper ? 1 : 0);
  return static_cast<LogEst>(std::min(std::max(reduced, 10), slightly));
}

void PathFinder::extend_ranges(const Index* index, const AccessPath& path, LogEst rows,
                               LogEst in_factor) {
  size_t column = path.equal.size();
  for (const Constraint& c : set_->constraints) {
    if (!is_range(c.op) || !fits(c, index, column)) continue;
    source_.table->wants_statistics |= index != nullptr;
    // Both bounds of LIKE, or none; the rowid is no text.
    if (c.is_like && (!is_lower(c.op) || index == nullptr)) continue;
    AccessPath one = path;
    (is_lower(c.op) ? one.lower : one.upper) = &c;
    one.prerequisites |= c.prerequisites;
    if (!c.is_like) {
      finish_seek(one, range_rows(rows, is_lower(c.op), is_upper(c.op)), in_factor);
    }
    if (!is_lower(c.op)) continue;
    for (const Constraint& other : set_->constraints) {
      if (!is_upper(other.op) || !fits(other, index, column)) continue;
      // A node converts both bounds alike.
      if (other.affinity != c.affinity || other.is_like != c.is_like) continue;
      if (c.is_like && other.term != c.term) continue;
      AccessPath both = one;
      both.upper = &other;
      both.prerequisites |= other.prerequisites;
      finish_seek(both, range_rows(rows, true, true), in_factor);
    }
  }
}

void PathFinder::finish_seek(AccessPath path, LogEst rows, LogEst in_factor) {
  const Index* index = path.index;
  rows = std::max<LogEst>(rows, 0);
  LogEst visit = rows + kRowVisit;
  if (index != nullptr) {
    visit = static_cast<LogEst>(rows + 1 + 15 * index_row_size(*index) / row_size_);
  }
  LogEst all_rows = index != nullptr ? index_rows(*index, 0) : table_rows_;
  path.run = log_est_add(log_est_of_log(all_rows), visit);
  if (index != nullptr && !path.covering) path.run = log_est_add(path.run, rows + kRowVisit);
  path.run += in_factor;
  path.rows = rows + in_factor;
  path.order_class = might_give_order(*from_, i_, index) ? order_class_of(*source_.table, index) : 0;
  reduce_rows(&path);
  path.rows = std::max<LogEst>(path.rows, 0);
  keep(path);
}

void PathFinder::add_index_scan(const Index& index) {
  bool covering = is_covering(source_, index);
  bool gives_order = might_give_order(*from_, i_, &index);
  LogEst size = index_row_size(index);
  if (source_.table->has_generated && covering && !gives_order && source_.indexed_by != &index &&
      hides_generated_columns(source_, index)) {
    return;
  }
  bool worth = gives_order || !source_.table->has_rowid() || index.where != nullptr ||
               source_.indexed_by == &index ||
               (covering && !index.stat_unordered && size < row_size_);
  if (!worth) return;
  AccessPath path = make_path(AccessMethod::kIndexScan, &index);
  path.covering = covering;
  LogEst rows = index_rows(index, 0);
  path.rows = rows;
  path.run = static_cast<LogEst>(rows + 1 + 15 * size / row_size_);
  if (!covering) path.run = log_est_add(path.run, rows + kRowVisit);
  path.order_class = gives_order ? order_class_of(*source_.table, &index) : 0;
  reduce_rows(&path);
  keep(path);
}

void PathFinder::add_index(const Index& index) {
  bool is_primary = &index == source_.table->primary_index;
  // RIGHT and FULL joins also give the rows that the condition does not choose.
  if (keeps_right(source_.join) && index.where != nullptr) return;
  if (!rows_are_in_index(from_, i_, index)) return;
  bool can_scan = !keeps_right(source_.join) || is_primary ||
                  (source_.indexed_by == &index && !has_expression(index));
  if (!only_seeks_ && can_scan) {
    if (is_primary) {
      add_scan(table_rows_, &index);
    } else {
      add_index_scan(index);
    }
  }
  AccessPath path = make_path(AccessMethod::kIndexSeek, &index);
  path.covering = is_primary || is_covering(source_, index);
  extend(index, path, index_rows(index, 0), 0);
}

}  // namespace

bool can_hash(const FromClause& from, const Constraint& c) {
  if (c.op != ConstraintOp::kEq && c.op != ConstraintOp::kIs) return false;
  if (c.column == IndexColumn::kExpression) return false;
  const BoundSource& source = from.source(c.source);
  if (source.kind == BoundSource::Kind::kTable) {
    if (c.column == ColumnRef::kRowid) return false;
    return keeps_stored_values(c.affinity, source.table->columns[c.column].affinity);
  }
  return source.kind == BoundSource::Kind::kQuery && keeps_stored_values(c.affinity, c.left->affinity);
}

bool is_hash_key(const FromClause& from, const Constraint& c) {
  // A constant will do in a join: what is left of the table is kept for all rows before it.
  return c.prerequisites != 0 || from.size() > 1 || from.reads_outer(c.value);
}

namespace {

void PathFinder::add_hash_paths(LogEst rows) {
  if (only_seeks_ || source_.indexed_by != nullptr || source_.not_indexed) return;
  if (from_->context->hooks != nullptr && !from_->context->hooks->automatic_index()) return;
  bool is_query = source_.kind == BoundSource::Kind::kQuery;
  LogEst search = log_est_of_log(rows);
  for (const Constraint& c : set_->constraints) {
    if (c.source != i_ || !can_hash(*from_, c) || !is_hash_key(*from_, c)) continue;
    AccessPath path = make_path(AccessMethod::kHash, nullptr);
    path.prerequisites |= c.prerequisites;
    path.equal = from_->arena()->make_array<const Constraint*>(1);
    path.equal[0] = &c;
    path.setup = std::max<LogEst>(search + rows + (is_query ? -25 : 28), 0);
    // SQLite's price for a tree is too high for a hash table. Where the order of the sources depends
    // on it the price stays; in a correlated query over one source only the time does.
    if (from_->size() == 1) path.setup = rows + kRowVisit + kHashInsert;
    path.rows = kHashRows;
    path.run = log_est_add(search, kHashRows);
    keep(path);
  }
}

AccessPath* PathFinder::best_for_arm(BoundExpr* arm, const FromTerm& term) {
  FromClause sub(from_->context, from_->core);
  sub.has_expression_index = from_->has_expression_index;
  sub.fixed_before = from_->fixed_before;
  add_conditions(&sub, arm, term.on_source, term.barrier);
  PathSet paths(from_->arena());
  paths.constraints = derive_constraints(&sub);
  if (!PathFinder(&sub, &paths, i_, true).run().ok()) return nullptr;
  AccessPath* best = nullptr;
  for (AccessPath* path : paths.paths) {
    if (best == nullptr || path->run < best->run) best = path;
  }
  return best;
}

void PathFinder::add_or_paths() {
  if (only_seeks_ || !source_.table->has_rowid() || source_.indexed_by != nullptr ||
      keeps_right(source_.join)) {
    return;
  }
  for (size_t t = 0; t < from_->terms.size(); ++t) {
    const FromTerm& term = from_->terms[t];
    if (term.expr->kind != ExprKind::kOr || (term.sources & source_bit(i_)) == 0) continue;
    bool outer = is_outer(source_.join);
    if (outer ? term.on_source != static_cast<int>(i_) : term.on_source >= 0) continue;
    AccessPath path = make_path(AccessMethod::kOr, nullptr);
    path.or_term = static_cast<int>(t);
    path.branches = from_->arena()->make_array<AccessPath*>(term.expr->args.size());
    path.prerequisites |= term.barrier & ~source_bit(i_);
    bool complete = true;
    for (size_t arm = 0; arm < term.expr->args.size() && complete; ++arm) {
      AccessPath* branch = best_for_arm(term.expr->args[arm], term);
      complete = branch != nullptr;
      if (!complete) break;
      path.branches[arm] = branch;
      path.prerequisites |= branch->prerequisites;
      path.run = arm == 0 ? branch->run : log_est_add(path.run, branch->run);
      path.rows = arm == 0 ? branch->rows : log_est_add(path.rows, branch->rows);
    }
    if (!complete) continue;
    path.run += 1;
    keep(path);
  }
}

// `rowid = value` on the only table of FROM: nothing can be better.
bool PathFinder::is_alone_and_one_row() const {
  if (from_->size() > 1 || !source_.table->has_rowid()) return false;
  return std::ranges::any_of(set_->constraints, [&](const Constraint& c) {
    return c.op == ConstraintOp::kEq && fits(c, nullptr, 0);
  });
}

void PathFinder::find_table() {
  const Table& table = *source_.table;
  table_rows_ = table_rows(table);
  row_size_ = table_row_size(table);
  if (source_.indexed_by != nullptr) {
    add_hash_paths(table_rows_);
    add_index(*source_.indexed_by);
    return;
  }
  if (is_alone_and_one_row()) {
    add_rowid_paths();
    return;
  }
  add_hash_paths(table_rows_);
  if (table.has_rowid()) {
    if (!only_seeks_) add_scan(table_rows_, nullptr);
    add_rowid_paths();
  } else if (table.primary_index == nullptr && !only_seeks_) {
    add_scan(table_rows_, nullptr);
  }
  if (!source_.not_indexed) {
    for (const Index* index : table.indexes) {
      if (index != table.primary_index) add_index(*index);
    }
  }
  // The oldest index, so the last.
  if (table.primary_index != nullptr) add_index(*table.primary_index);
  add_or_paths();
}

Status PathFinder::run() {
  switch (source_.kind) {
    case BoundSource::Kind::kTable:
      find_table();
      return Status();
    case BoundSource::Kind::kVirtual:
      return only_seeks_ ? Status() : find_virtual_paths(from_, set_, i_);
    case BoundSource::Kind::kQuery:
    case BoundSource::Kind::kRecursive: {
      if (only_seeks_) return Status();
      bool is_query = source_.kind == BoundSource::Kind::kQuery;
      double rows = is_query ? source_.query->plan->root->rows : 25;
      table_rows_ = log_est(static_cast<uint64_t>(std::min(rows, 1e18)));
      if (is_query) add_hash_paths(table_rows_);
      AccessPath path = make_path(
          is_query ? AccessMethod::kQuery : AccessMethod::kRecursiveQueue, nullptr);
      path.rows = table_rows_;
      path.run = table_rows_ + kRowVisit;
      reduce_rows(&path);
      path.rows = std::max<LogEst>(path.rows, 0);
      keep(path);
      return Status();
    }
  }
  return Status();
}

// Which sources must stand before each one whatever the conditions say: all that precede a CROSS or
// outer join in FROM; and nothing moves across a RIGHT or FULL join.
void fix_order(FromClause* from) {
  from->fixed_before.resize(from->size());
  bool keep_all = false;
  for (size_t i = 0; i < from->size(); ++i) keep_all |= keeps_right(from->source(i).join);
  bool cross_ahead = false;
  for (size_t i = 0; i < from->size(); ++i) {
    JoinType join = from->source(i).join;
    SourceMask before = source_bit(i) - 1;
    cross_ahead |= join == JoinType::kCross;
    bool fixed = keep_all || cross_ahead || is_outer(join);
    from->fixed_before[i] = fixed ? before : 0;
  }
}

}  // namespace

Status find_paths(FromClause* from, PathSet* set) {
  fix_order(from);
  for (size_t i = 0; i < from->size() && !from->has_expression_index; ++i) {
    const Table* table = from->source(i).table;
    if (table == nullptr) continue;
    for (const Index* index : table->indexes) {
      from->has_expression_index |= has_expression(*index);
    }
  }
  set->constraints = derive_constraints(from);
  for (size_t i = 0; i < from->size(); ++i) {
    size_t before = set->paths.size();
    GW_TRY(PathFinder(from, set, i, false).run());
    if (set->paths.size() == before) return Status::error("no query solution");
  }
  return Status();
}

}  // namespace godwit
