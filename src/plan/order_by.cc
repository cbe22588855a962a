#include "plan/order_by.h"

#include <algorithm>

#include "plan/expr_tree.h"
#include "plan/index_match.h"

namespace godwit {
namespace {

// Terms are kept as bits.
constexpr size_t kOrderTermsMax = 63;

using TermMask = uint64_t;

TermMask term_bit(size_t i) { return TermMask{1} << i; }

// A term with which a seek fixes a column to one value.
bool fixes_value(ConstraintOp op) {
  return op == ConstraintOp::kEq || op == ConstraintOp::kIs || op == ConstraintOp::kIsNull;
}

class OrderCheck {
 public:
  OrderCheck(FromClause* from, const PathSet& set)
      : from_(from), set_(set), request_(from->order), all_(term_bit(request_.terms.size()) - 1) {}

  int run(std::span<const AccessPath* const> chain, SourceMask* reverse);
  bool run_innermost(std::span<const AccessPath* const> chain, SourceMask* reverse);

 private:
  void mark_fixed(const AccessPath& path);
  bool walk_index(const AccessPath& path, SourceMask* reverse);
  int find_match(const AccessPath& path, size_t column) const;
  bool matches(const AccessPath& path, size_t column, const OrderTerm& term) const;
  size_t column_count(const AccessPath& path) const;
  int32_t table_column(const AccessPath& path, size_t column) const;
  void mark_dependent();

  FromClause* from_;
  const PathSet& set_;
  const OrderRequest& request_;
  TermMask all_;
  TermMask satisfied_ = 0;
  SourceMask ready_ = 0;     // sources before the one that is looked at
  SourceMask distinct_ = 0;  // sources whose rows all differ in the terms so far
  bool is_distinct_ = true;
};

// Terms on columns that have one value for each row of the sources before.
void OrderCheck::mark_fixed(const AccessPath& path) {
  SourceId id = from_->source(path.source).id;
  for (size_t i = 0; i < request_.terms.size(); ++i) {
    const OrderTerm& term = request_.terms[i];
    if ((satisfied_ & term_bit(i)) != 0) continue;
    if (term.expr->kind != ExprKind::kColumn || term.expr->column.source != id) continue;
    int32_t column = term.expr->column.column;
    const Table* table = from_->source(path.source).table;
    if (table != nullptr && has_rowid_column(*table, column)) column = ColumnRef::kRowid;
    for (const Constraint& c : set_.constraints) {
      if (c.source != path.source || c.column != column || !fixes_value(c.op)) continue;
      if (c.left->kind != ExprKind::kColumn || (c.prerequisites & ~ready_) != 0) continue;
      // Under another collation values that are equal here may differ there.
      if (c.op != ConstraintOp::kIsNull && column >= 0 &&
          !same_collation(c.collation, term.collation)) {
        continue;
      }
      satisfied_ |= term_bit(i);
      break;
    }
  }
}

size_t OrderCheck::column_count(const AccessPath& path) const {
  return path.index == nullptr ? 1 : path.index->columns.size();
}

int32_t OrderCheck::table_column(const AccessPath& path, size_t column) const {
  if (path.index == nullptr) return ColumnRef::kRowid;
  int32_t c = path.index->columns[column].column;
  if (c == IndexColumn::kExpression) return c;
  return has_rowid_column(*path.index->table, c) ? ColumnRef::kRowid : c;
}

bool OrderCheck::matches(const AccessPath& path, size_t column, const OrderTerm& term) const {
  const BoundSource& source = from_->source(path.source);
  int32_t c = table_column(path, column);
  if (c == IndexColumn::kExpression) {
    const BoundExpr* expr = index_expression(from_, path.source, *path.index, column);
    if (expr == nullptr || !same_expr(*expr, *term.expr)) return false;
  } else {
    if (term.expr->kind != ExprKind::kColumn || term.expr->column.source != source.id) return false;
    bool is_rowid = source.table != nullptr && has_rowid_column(*source.table, term.expr->column.column);
    if (c == ColumnRef::kRowid) return is_rowid;
    if (term.expr->column.column != c) return false;
  }
  return same_collation(path.index->columns[column].collation, term.collation);
}

int OrderCheck::find_match(const AccessPath& path, size_t column) const {
  for (size_t i = 0; i < request_.terms.size(); ++i) {
    if ((satisfied_ & term_bit(i)) != 0) continue;
    if (matches(path, column, request_.terms[i])) return static_cast<int>(i);
    bool any_order = request_.kind == OrderRequest::Kind::kGroupBy ||
                     request_.kind == OrderRequest::Kind::kDistinct;
    if (!any_order) return -1;
  }
  return -1;
}

// Goes through the key columns in order, as long as they match terms. False: no order at all.
bool OrderCheck::walk_index(const AccessPath& path, SourceMask* reverse) {
  if (path.virtual_plan != nullptr && path.virtual_plan->order_consumed) {
    satisfied_ = all_;
    return true;
  }
  bool is_tree = path.method == AccessMethod::kTableScan || path.method == AccessMethod::kRowidLookup ||
                 path.method == AccessMethod::kRowidRange ||
                 path.method == AccessMethod::kIndexSeek || path.method == AccessMethod::kIndexScan;
  if (!is_tree || (path.index != nullptr && path.index->stat_unordered)) {
    is_distinct_ = false;
    return path.method != AccessMethod::kOr;
  }
  const Table& table = *from_->source(path.source).table;
  bool is_walk_of_index = path.index != nullptr;
  is_distinct_ = !is_walk_of_index || path.index->unique || path.index == table.primary_index;
  bool direction_known = false, backwards = false, ends_distinct = false;
  size_t keys = is_walk_of_index ? path.index->declared_columns : 0;
  for (size_t j = 0; j < column_count(path); ++j) {
    if (j < path.equal.size() && fixes_value(path.equal[j]->op)) {
      if (path.equal[j]->op != ConstraintOp::kEq) is_distinct_ = false;
      continue;
    }
    int32_t column = table_column(path, j);
    bool can_be_null = column >= 0 ? !table.columns[column].not_null
                                   : column == IndexColumn::kExpression;
    if (is_distinct_ && j >= path.equal.size() && can_be_null) is_distinct_ = false;
    int match = find_match(path, j);
    if (match >= 0 && request_.kind != OrderRequest::Kind::kGroupBy) {
      const OrderTerm& term = request_.terms[match];
      bool index_descends = is_walk_of_index && path.index->columns[j].descending;
      bool opposite = index_descends != term.descending;
      if (direction_known && opposite != backwards) match = -1;
      // An index has NULLs before everything else.
      if (term.nulls_first == term.descending && request_.kind == OrderRequest::Kind::kOrderBy) {
        match = -1;
      }
      if (match >= 0 && !direction_known) {
        direction_known = true;
        backwards = opposite;
        if (backwards) *reverse |= source_bit(path.source);
      }
    }
    if (match < 0) {
      if (j == 0 || j < keys) is_distinct_ = false;
      break;
    }
    satisfied_ |= term_bit(match);
    if (column == ColumnRef::kRowid) ends_distinct = true;
  }
  if (ends_distinct) is_distinct_ = true;
  return true;
}

// Terms over sources whose rows differ in what is satisfied already cannot change the order.
void OrderCheck::mark_dependent() {
  for (size_t i = 0; i < request_.terms.size(); ++i) {
    if ((satisfied_ & term_bit(i)) != 0) continue;
    const BoundExpr& expr = *request_.terms[i].expr;
    SourceMask sources = from_->sources_of(&expr);
    if (sources == 0 && !expr.is_constant) continue;
    if ((sources & ~distinct_) == 0 && expr.is_deterministic) satisfied_ |= term_bit(i);
  }
}

int OrderCheck::run(std::span<const AccessPath* const> chain, SourceMask* reverse) {
  for (const AccessPath* path : chain) {
    if (!is_distinct_ || satisfied_ == all_) break;
    mark_fixed(*path);
    if (!path->one_row && !walk_index(*path, reverse)) return 0;
    ready_ |= source_bit(path->source);
    if (is_distinct_) {
      distinct_ |= source_bit(path->source);
      mark_dependent();
    }
  }
  if (satisfied_ == all_) return static_cast<int>(request_.terms.size());
  if (is_distinct_) return -1;
  int leading = 0;
  while ((satisfied_ & term_bit(leading)) != 0) ++leading;
  return leading;
}

bool OrderCheck::run_innermost(std::span<const AccessPath* const> chain, SourceMask* reverse) {
  for (const AccessPath* path : chain.first(chain.size() - 1)) ready_ |= source_bit(path->source);
  const AccessPath& path = *chain.back();
  mark_fixed(path);
  if (!walk_index(path, reverse)) return false;
  if (is_distinct_) {
    distinct_ |= source_bit(path.source);
    mark_dependent();
  }
  return satisfied_ == all_;
}

bool is_column_of(const BoundExpr& expr, SourceId id) {
  return expr.kind == ExprKind::kColumn && expr.column.source == id;
}

}  // namespace

bool might_give_order(const FromClause& from, size_t i, const Index* index) {
  const BoundSource& source = from.source(i);
  if (from.order.kind == OrderRequest::Kind::kNone) return false;
  if (index != nullptr && index->stat_unordered) return false;
  for (const OrderTerm& term : from.order.terms) {
    if (is_column_of(*term.expr, source.id)) {
      int32_t column = term.expr->column.column;
      if (has_rowid_column(*source.table, column)) return true;
      if (index == nullptr) continue;
      for (size_t j = 0; j < index->declared_columns; ++j) {
        if (index->columns[j].column == column) return true;
      }
    } else if (index != nullptr && from.has_expression_index) {
      for (size_t j = 0; j < index->declared_columns; ++j) {
        if (index->columns[j].column == IndexColumn::kExpression) return true;
      }
    }
  }
  return false;
}

uint8_t order_class_of(const Table& table, const Index* index) {
  if (index == nullptr) return 1;
  size_t position = std::ranges::find(table.indexes, index) - table.indexes.begin();
  return static_cast<uint8_t>(2 + std::min<size_t>(position, 250));
}

int satisfied_terms(FromClause* from, const PathSet& set, std::span<const AccessPath* const> chain,
                    SourceMask* reverse) {
  *reverse = 0;
  if (from->order.terms.size() > kOrderTermsMax) return 0;
  int terms = OrderCheck(from, set).run(chain, reverse);
  // Rows of a right side that match nothing come behind all others, whatever order those have.
  for (const AccessPath* path : chain) {
    if (keeps_right(from->source(path->source).join)) return 0;
  }
  return terms;
}

bool innermost_gives_order(FromClause* from, const PathSet& set,
                           std::span<const AccessPath* const> chain, SourceMask* reverse) {
  if (from->order.terms.size() > kOrderTermsMax || chain.empty() || chain.back()->one_row) return false;
  *reverse = 0;
  return OrderCheck(from, set).run_innermost(chain, reverse);
}

}  // namespace godwit
