// Join conditions: ON, USING and NATURAL.
//
// ON terms are bound after the results, as WHERE is, so that they may use aliases and every source
// of the FROM clause. A term of an inner join that looks at a source to its right counts as a WHERE
// term; an outer join cannot wait so long.
#include "plan/binder_state.h"
#include "plan/depth_guard.h"

namespace godwit {

namespace {

int32_t find_column(const ScopeSource& item, std::string_view name) {
  if (!item.nested.empty()) {
    for (const NestedColumn& column : item.nested) {
      if (!column.merged && !column.is_rowid && same_name(column.column, name)) return column.index;
    }
    return -1;
  }
  const BoundSource& source = *item.source;
  if (source.table != nullptr && source.kind == BoundSource::Kind::kTable) {
    return source.table->find_column(name);
  }
  for (uint32_t i = 0; i < source.column_count; ++i) {
    if (same_name(source.column_names[i], name)) return static_cast<int32_t>(i);
  }
  return -1;
}

bool is_outer(JoinType join) { return join >= JoinType::kLeft; }
bool keeps_right_rows(JoinType join) { return join == JoinType::kRight || join == JoinType::kFull; }

bool has_right_join(const Scope& scope) {
  for (const ScopeSource& item : scope.sources) {
    if (keeps_right_rows(item.source->join)) return true;
  }
  return false;
}

bool reads_source_after(const Scope& scope, size_t index, BoundExpr* term) {
  bool found = false;
  walk_columns(term, [&](BoundExpr* column) {
    for (size_t i = index + 1; i < scope.sources.size(); ++i) {
      found |= scope.sources[i].source->id == column->column.source;
    }
  });
  return found;
}

}  // namespace

void BinderState::find_natural_columns(const Scope& target, ScopeSource* item) {
  auto add_common = [&](std::string_view name) {
    for (const ScopeSource& left : target.sources) {
      if (find_column(left, name) < 0) continue;
      item->using_columns.push_back(name);
      return;
    }
  };
  for (const NestedColumn& column : item->nested) {
    if (!column.merged && !column.is_rowid) add_common(column.column);
  }
  if (!item->nested.empty()) return;
  const BoundSource& source = *item->source;
  for (uint32_t i = 0; i < source.column_count; ++i) {
    if (source.table != nullptr && source.table->columns[i].hidden) continue;
    add_common(source.column_names[i]);
  }
}

Status BinderState::bind_using_terms(Scope* target, size_t first) {
  // The equalities of all joins are one chain of ANDs.
  size_t terms_of_all = 0;
  for (const ScopeSource& item : target->sources) terms_of_all += item.using_columns.size();
  DepthGuard depth(this, static_cast<int>(terms_of_all) + 1);
  if (terms_of_all > 0) GW_TRY(depth.check());
  for (size_t i = first; i < target->sources.size(); ++i) {
    std::vector<BoundExpr*> terms;
    GW_TRY(bind_using(target, i, &terms));
    target->sources[i].source->on = conjunction(terms);
  }
  return Status();
}

Status BinderState::bind_join_conditions(Scope* target, size_t first,
                                         std::vector<BoundExpr*>* where_terms) {
  Scope* saved = scope;
  scope = target;
  for (size_t i = first; i < target->sources.size(); ++i) {
    BoundSource* source = target->sources[i].source;
    std::vector<BoundExpr*> on_terms;
    if (source->on != nullptr) on_terms.push_back(source->on);
    bool is_on = is_outer(source->join) || has_right_join(*target);
    GW_TRY(bind_table_arguments(target, i, is_on ? &on_terms : where_terms));
    GW_TRY(bind_on_terms(target, i, &on_terms, where_terms));
    source->on = conjunction(on_terms);
  }
  scope = saved;
  return Status();
}

Status BinderState::bind_table_arguments(Scope* target, size_t index,
                                         std::vector<BoundExpr*>* terms) {
  const ScopeSource& item = target->sources[index];
  if (item.arguments.empty()) return Status();
  const Table& table = *item.source->table;
  std::vector<int32_t> hidden;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].hidden) hidden.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < item.arguments.size(); ++i) {
    GW_ASSIGN(BoundExpr * argument, bind_scalar(*item.arguments[i]));
    if (i >= hidden.size()) {
      return fail(concat("too many arguments on ", table.name, "() - max ",
                         std::to_string(hidden.size())));
    }
    // Without an affinity of its own.
    BoundExpr* value = make(ExprKind::kUnary, {argument});
    value->unary = UnaryOp::kPlus;
    GW_ASSIGN(BoundExpr * term,
              make_comparison(CompareOp::kEq, make_column(item, hidden[i]), value));
    bool is_on = is_outer(item.source->join) || has_right_join(*target);
    if (is_on && reads_source_after(*target, index, term)) {
      return fail("ON clause references tables to its right");
    }
    terms->push_back(term);
  }
  return Status();
}

Status BinderState::bind_on_terms(Scope* target, size_t index, std::vector<BoundExpr*>* on_terms,
                                  std::vector<BoundExpr*>* where_terms) {
  JoinType join = target->sources[index].source->join;
  for (size_t i = 0; i < target->sources[index].on.size(); ++i) {
    const ast::Expr& on = *target->sources[index].on[i];
    DepthGuard depth(this, on.height);
    GW_TRY(depth.check());
    GW_ASSIGN(BoundExpr * condition, bind_scalar(on));
    std::vector<BoundExpr*> terms;
    if (condition->kind == ExprKind::kAnd) {
      terms.assign(condition->args.begin(), condition->args.end());
    } else {
      terms.push_back(condition);
    }
    for (BoundExpr* term : terms) {
      bool looks_right = reads_source_after(*target, index, term);
      if (looks_right && (is_outer(join) || has_right_join(*target))) {
        return fail("ON clause references tables to its right");
      }
      (looks_right ? where_terms : on_terms)->push_back(term);
    }
  }
  return Status();
}

Status BinderState::bind_using(Scope* target, size_t index, std::vector<BoundExpr*>* on_terms) {
  const ScopeSource& item = target->sources[index];
  for (std::string_view name : item.using_columns) {
    int32_t column = find_column(item, name);
    BoundExpr* left = nullptr;
    if (column >= 0) {
      GW_ASSIGN(left, using_left_side(name, target, index));
    }
    if (left == nullptr) {
      return fail(concat("cannot join using column ", name,
                         " - column not present in both tables"));
    }
    GW_ASSIGN(BoundExpr * term, make_comparison(CompareOp::kEq, left, make_column(item, column)));
    on_terms->push_back(term);
  }
  return Status();
}

// The column of the leftmost source that has it; with a right join somewhere, its value may be that
// of any source that an earlier USING merged. Null: no source has it.
Result<BoundExpr*> BinderState::using_left_side(std::string_view name, Scope* target,
                                                size_t index) {
  std::vector<BoundExpr*> candidates;
  for (size_t i = 0; i < index; ++i) {
    const ScopeSource& left = target->sources[i];
    int32_t column = find_column(left, name);
    if (column < 0) continue;
    if (!candidates.empty()) {
      if (!has_right_join(*target)) break;
      if (!uses_column(left, name)) {
        return fail(concat("ambiguous reference to ", name, " in USING()"));
      }
    }
    candidates.push_back(make_column(left, column));
  }
  if (candidates.empty()) return nullptr;
  if (candidates.size() == 1) return candidates[0];
  return merge_columns(arena->copy_array<BoundExpr*>(candidates), nullptr);
}

}  // namespace godwit
