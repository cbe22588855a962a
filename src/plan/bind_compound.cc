// Whole queries: cores joined by UNION, EXCEPT and INTERSECT, and what their columns are to those
// who use them.
#include "plan/binder_state.h"
#include "plan/depth_guard.h"

namespace godwit {

namespace {

// Views and subqueries nested deeper than this are refused, so that the stack suffices.
constexpr uint32_t kQueryDepthMax = 250;

std::string_view op_text(ast::CompoundOp op) {
  switch (op) {
    case ast::CompoundOp::kUnion:
      return "UNION";
    case ast::CompoundOp::kUnionAll:
      return "UNION ALL";
    case ast::CompoundOp::kExcept:
      return "EXCEPT";
    case ast::CompoundOp::kIntersect:
      return "INTERSECT";
  }
  return "";
}

SetOp set_op(ast::CompoundOp op) {
  switch (op) {
    case ast::CompoundOp::kUnion:
      return SetOp::kUnion;
    case ast::CompoundOp::kUnionAll:
      return SetOp::kUnionAll;
    case ast::CompoundOp::kExcept:
      return SetOp::kExcept;
    case ast::CompoundOp::kIntersect:
      return SetOp::kIntersect;
  }
  return SetOp::kUnionAll;
}

// What an expression may give besides NULL.
enum Kinds : uint8_t { kNumbers = 1, kTexts = 2, kBlobs = 4, kAnything = 7 };

uint8_t kinds_of_affinity(Affinity affinity) {
  if (is_numeric(affinity)) return kNumbers | kBlobs;
  return affinity == Affinity::kText ? kTexts | kBlobs : kAnything;
}

uint8_t possible_kinds(const BoundExpr& expr) {
  switch (expr.kind) {
    case ExprKind::kConstant:
      if (expr.constant.is_null()) return 0;
      if (expr.constant.is_text()) return kTexts;
      return expr.constant.is_blob() ? kBlobs : kNumbers;
    case ExprKind::kBinary:
      return expr.binary == BinaryOp::kConcat ? kTexts | kBlobs : kNumbers;
    case ExprKind::kParameter:
    case ExprKind::kFunction:
      return kAnything;
    case ExprKind::kColumn:
    case ExprKind::kCast:
    case ExprKind::kScalarQuery:
      return kinds_of_affinity(expr.affinity);
    case ExprKind::kUnary:
      return expr.unary == UnaryOp::kPlus ? possible_kinds(*expr.args[0]) : uint8_t{kNumbers};
    case ExprKind::kCase: {
      uint8_t kinds = 0;
      size_t count = expr.args.size() - expr.has_else;
      for (size_t i = expr.has_operand ? 2 : 1; i < count; i += 2) {
        kinds |= possible_kinds(*expr.args[i]);
      }
      return expr.has_else ? kinds | possible_kinds(*expr.args.back()) : kinds;
    }
    default:
      return kNumbers;
  }
}

}  // namespace

Result<BoundQuery*> BinderState::bind_query(const ast::Select& select, Scope* outer,
                                            bool* reads_outer, CommonTableState* recursive) {
  if (++query_depth > kQueryDepthMax) return fail("too many levels of nested queries");
  if (select.cores.size() > context.limits.compound_select) {
    return fail("too many terms in compound SELECT");
  }
  authorize_later(AuthAction::kSelect);
  WithFrame* saved_with = with;
  if (select.with != nullptr) GW_TRY(push_with(*select.with));
  BoundQuery* query = arena->make<BoundQuery>();
  GW_TRY(bind_limits(select, query));
  GW_TRY(bind_cores(select, query, outer, reads_outer, recursive));
  with = saved_with;
  --query_depth;
  return query;
}

Status BinderState::bind_limits(const ast::Select& select, BoundQuery* query) {
  if (select.limit != nullptr) {
    GW_ASSIGN(query->limit, bind_without_columns(*select.limit));
  }
  if (select.offset != nullptr) {
    GW_ASSIGN(query->offset, bind_without_columns(*select.offset));
  }
  return Status();
}

Result<BoundExpr*> BinderState::bind_without_columns(const ast::Expr& expr) {
  DepthGuard depth(this, expr.height + 1);
  GW_TRY(depth.check());
  Scope* saved = scope;
  scope = nullptr;
  Result<BoundExpr*> bound = bind_scalar(expr);
  scope = saved;
  return bound;
}

Status BinderState::bind_cores(const ast::Select& select, BoundQuery* query, Scope* outer,
                               bool* reads_outer, CommonTableState* recursive) {
  size_t count = select.cores.size();
  std::span<BoundCore*> cores = arena->make_array<BoundCore*>(count);
  if (count > 1) query->operators = arena->make_array<SetOp>(count - 1);
  if (recursive != nullptr) authorize_later(AuthAction::kRecursive);
  std::span<Scope*> scopes = arena->make_array<Scope*>(count);
  const Place before = place();
  for (size_t i = 0; i < count; ++i) {
    if (recursive != nullptr && i == recursive->initial_cores) {
      query->is_recursive = true;
      query->initial_cores = static_cast<uint32_t>(i);
      GW_TRY(describe_columns(query));
      GW_TRY(name_common_columns(recursive, query));
      recursive->query = query;
      recursive->error = "multiple recursive references: ";
    }
    if (count > 1) authorize_later(AuthAction::kSelect);
    scopes[i] = arena->make<Scope>(arena);
    scopes[i]->parent = outer;
    if (query->is_recursive) recursive->recursive_scope = scopes[i];
    cores[i] = arena->make<BoundCore>();
    std::span<ast::OrderTerm> order_by;
    if (count == 1) order_by = select.order_by;
    Status bound = bind_core(*select.cores[i], order_by, query, cores[i], scopes[i]);
    if (!bound.ok()) {
      if (count == 1 || recursive != nullptr) return bound;
      return compound_error(select, i, outer, before, std::move(bound));
    }
    *reads_outer |= scopes[i]->reads_outer;
    query->cores = cores.first(i + 1);
    if (i == 0) continue;
    query->operators[i - 1] = set_op(select.operators[i - 1]);
    if (cores[i]->results.size() == cores[0]->results.size()) continue;
    if (select.cores[i]->is_values && select.cores[i - 1]->is_values) {
      return fail("all VALUES must have the same number of terms");
    }
    Status differs = fail(concat("SELECTs to the left and right of ",
                                 op_text(select.operators[i - 1]),
                                 " do not have the same number of result columns"));
    return recursive != nullptr ? differs
                                : compound_error(select, i, outer, before, std::move(differs));
  }
  if (recursive != nullptr) recursive->recursive_scope = nullptr;
  GW_TRY(describe_columns(query));
  if (count > 1) GW_TRY(bind_compound_order(select, query, scopes));
  return Status();
}

BinderState::Place BinderState::place() const {
  return {scope, with, origin, use, query_depth, expr_height};
}

void BinderState::go_to(const Place& place) {
  scope = place.scope;
  with = place.with;
  origin = place.origin;
  use = place.use;
  query_depth = place.query_depth;
  expr_height = place.expr_height;
}

// Arm `failed` has an error, and those before have none but for tables that do not exist. SQLite looks
// for the tables of all arms first, and in both rounds at the last arm first.
Status BinderState::compound_error(const ast::Select& select, size_t failed, Scope* outer,
                                   const Place& before, Status error) {
  const int32_t offset = error_offset;
  for (const WithFrame* frame = before.with; frame != nullptr; frame = frame->parent) {
    for (const CommonTableState& table : frame->tables) {
      if (!table.error.empty()) return error;  // it is within that one, which cannot be bound again
    }
  }
  for (bool tables_only : {true, false}) {
    for (size_t i = select.cores.size() - 1; i > failed || (tables_only && i == failed); --i) {
      go_to(before);
      Scope* other = arena->make<Scope>(arena);
      other->parent = outer;
      Status status = tables_only ? bind_from_list(select.cores[i]->from, other)
                                  : bind_core(*select.cores[i], {}, arena->make<BoundQuery>(),
                                              arena->make<BoundCore>(), other);
      if (!status.ok()) return status;
      if (i == 0) break;
    }
  }
  error_offset = offset;
  return error;
}

// May be called again when cores were added.
Status BinderState::describe_columns(BoundQuery* query) {
  if (query->output == 0) query->output = new_source_id();
  query->column_count = static_cast<uint32_t>(query->cores[0]->results.size());
  query->column_collations = arena->make_array<const Collation*>(query->column_count);
  query->column_affinities = arena->make_array<Affinity>(query->column_count);
  bool compares = query->cores.size() > 1 || query->cores[0]->distinct;
  for (uint32_t i = 0; i < query->column_count; ++i) {
    const Collation* collation = nullptr;
    for (const BoundCore* core : query->cores) {
      if (collation == nullptr) collation = core->results[i].expr->collation;
    }
    if (collation == nullptr) collation = binary();
    if (compares) GW_TRY(usable(collation));
    query->column_collations[i] = collation;
    query->column_affinities[i] = column_affinity(*query, i);
  }
  for (const BoundCore* core : query->cores) {
    for_each_expr(*core, [&](const BoundExpr* expr) {
      query->is_deterministic &= expr->is_deterministic;
    });
    for (const BoundSource* source : core->sources) {
      if (source->query != nullptr) query->is_deterministic &= source->query->is_deterministic;
    }
  }
  return Status();
}

// The first core whose expression has an affinity decides, unless another core may give values that
// the affinity would change.
Affinity column_affinity(const BoundQuery& query, uint32_t column) {
  auto expr_of = [&](size_t core) { return query.cores[core]->results[column].expr; };
  size_t deciding = 0;
  while (deciding + 1 < query.cores.size() && expr_of(deciding)->affinity <= Affinity::kNone) {
    ++deciding;
  }
  Affinity affinity = expr_of(deciding)->affinity;
  if (affinity < Affinity::kText || query.cores.size() == 1) return affinity;
  uint8_t kinds = 0;
  for (size_t i = 0; i < query.cores.size(); ++i) {
    if (i != deciding) kinds |= possible_kinds(*expr_of(i));
  }
  if (affinity == Affinity::kText && (kinds & kNumbers) != 0) return Affinity::kBlob;
  if (is_numeric(affinity) && (kinds & kTexts) != 0) return Affinity::kBlob;
  if (is_numeric(affinity) && expr_of(0)->kind == ExprKind::kCast) return Affinity::kFlexNum;
  return affinity;
}

}  // namespace godwit
