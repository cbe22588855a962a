#include "plan/access_path.h"

#include "plan/expr_tree.h"

namespace godwit {
namespace {

bool is_rowid_of(const BoundExpr& expr, const BoundSource& source) {
  if (expr.kind != ExprKind::kColumn || expr.column.source != source.id) return false;
  return expr.column.column == ColumnRef::kRowid ||
         (source.table->rowid_column >= 0 && expr.column.column == source.table->rowid_column);
}

// May `term` choose among the rows of source `i` before they are joined to what stands before?
bool usable_for(const FromClause& from, const FromTerm& term, size_t i, SourceMask available) {
  if (term.consumed || (term.sources & source_bit(i)) == 0) return false;
  if ((term.after & ~(available | source_bit(i))) != 0) return false;
  if (is_outer(from.source(i).join)) return term.on_source == static_cast<int>(i);
  return term.on_source < 0;
}

// rowid = value: the value, or null.
BoundExpr* rowid_equal(const FromClause& from, const FromTerm& term, size_t i) {
  const BoundExpr& expr = *term.expr;
  if (expr.kind != ExprKind::kCompare || expr.compare != CompareOp::kEq) return nullptr;
  for (int side = 0; side < 2; ++side) {
    if (!is_rowid_of(*expr.args[side], from.source(i))) continue;
    BoundExpr* value = expr.args[1 - side];
    if ((from.sources_of(value) & source_bit(i)) == 0) return value;
  }
  return nullptr;
}

void choose_table_access(FromClause* from, size_t i, SourceMask available, AccessNode* access) {
  const Table& table = *from->source(i).table;
  access->method = AccessMethod::kTableScan;
  access->index = table.primary_index;
  access->rows = table.row_estimate != 0 ? static_cast<double>(table.row_estimate) : 1e6;
  if (!table.has_rowid()) return;
  for (FromTerm& term : from->terms) {
    if (!usable_for(*from, term, i, available)) continue;
    BoundExpr* value = rowid_equal(*from, term, i);
    if (value == nullptr) continue;
    term.consumed = true;
    access->method = AccessMethod::kRowidLookup;
    access->equal = from->arena()->make_array<SeekKey>(1);
    access->equal[0].expr = value;
    access->equal[0].affinity = Affinity::kNumeric;
    access->rows = 1;
    return;
  }
}

// The plan that produces the rows of a subquery, as columns of `source`.
PlanNode* subquery_input(const BoundSource& source, PlanContext& context) {
  PlanNode* root = source.query->plan->root;
  if (source.query->reference_count <= 1) return root;
  // A shared one has a name of its own; lay_out() fills the projection.
  ProjectNode* renaming = context.arena->make<ProjectNode>();
  renaming->kind = PlanKind::kProject;
  renaming->child = root;
  renaming->rows = root->rows;
  return renaming;
}

}  // namespace

Result<AccessNode*> choose_access(FromClause* from, size_t i, SourceMask available) {
  BoundSource& source = from->source(i);
  AccessNode* access = from->arena()->make<AccessNode>();
  switch (source.kind) {
    case BoundSource::Kind::kTable:
      if (source.table->kind == TableKind::kVirtual) {
        access->method = AccessMethod::kTableFunction;
      } else {
        choose_table_access(from, i, available, access);
      }
      break;
    case BoundSource::Kind::kQuery:
      access->method = AccessMethod::kQuery;
      access->input = subquery_input(source, *from->context);
      access->rows = access->input->rows;
      break;
    case BoundSource::Kind::kTableFunction:
      access->method = AccessMethod::kTableFunction;
      access->rows = 25;
      break;
    case BoundSource::Kind::kRecursive:
      access->method = AccessMethod::kRecursiveQueue;
      access->rows = 25;
      break;
  }
  return access;
}

}  // namespace godwit
