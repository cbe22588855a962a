// Names of columns: from the innermost scope outwards, and in each of them first the columns of the
// sources, then the rowid, then the aliases of the results. What no scope knows may be TRUE, FALSE
// or a string in double quotes.
#include "base/inline_vector.h"
#include "base/utf.h"
#include "plan/binder_state.h"

namespace godwit {

namespace {

// What was found in one scope.
struct Match {
  const ScopeSource* item = nullptr;
  int32_t column = 0;
};

struct Matches {
  InlineVector<Match, 2> columns;  // several: the columns that a FULL JOIN's USING merges
  int count = 0;                   // 2 or more: ambiguous
};

bool item_matches(const ScopeSource& item, const ast::ColumnExpr& name) {
  if (!name.table) return !item.qualified_only;
  if (name.schema && !same_name(item.schema, name.schema.text)) return false;
  return same_name(item.name, name.table.text);
}

// One more source has the column. USING makes one column of several: the left one of inner and
// left joins, the right one of right joins, whichever is not NULL of full joins.
void add_match(const ScopeSource& item, int32_t column, std::string_view name, Matches* matches) {
  if (matches->count > 0) {
    JoinType join = item.source->join;
    if (!uses_column(item, name)) {
      matches->columns.clear();
    } else if (join == JoinType::kRight) {
      matches->count = 0;
      matches->columns.clear();
    } else if (join != JoinType::kFull) {
      return;
    } else {
      matches->count--;
    }
  }
  matches->count++;
  matches->columns.push_back({&item, column});
}

void find_nested(const ScopeSource& item, const ast::ColumnExpr& name, bool rowid,
                 Matches* matches) {
  bool by_alias = name.table && item_matches(item, name);
  int found = 0;
  for (const NestedColumn& column : item.nested) {
    if (column.is_rowid != rowid) continue;
    bool table_matches = by_alias || !name.table || same_name(column.table, name.table.text);
    if (!table_matches || (column.merged && (!name.table || by_alias))) continue;
    // Under the alias of the join its columns have their unique names.
    std::string_view known_as = by_alias ? item.source->column_names[column.index] : column.column;
    if (rowid || same_name(known_as, name.column.text)) {
      if (found++ == 0) {
        add_match(item, column.index, name.column.text, matches);
      } else if (!rowid) {
        matches->count++;
      }
    }
  }
}

int32_t find_in_source(const BoundSource& source, std::string_view name) {
  if (source.table != nullptr && source.kind != BoundSource::Kind::kQuery) {
    int32_t column = source.table->find_column(name);
    return column;
  }
  for (size_t i = 0; i < source.column_names.size(); ++i) {
    if (same_name(source.column_names[i], name)) return static_cast<int32_t>(i);
  }
  return -1;
}

Matches find_columns(const Scope& scope, const ast::ColumnExpr& name, bool knows_rowid) {
  Matches matches;
  for (const ScopeSource& item : scope.sources) {
    if (!item.nested.empty()) {
      find_nested(item, name, false, &matches);
      continue;
    }
    if (!item_matches(item, name)) continue;
    int32_t column = find_in_source(*item.source, name.column.text);
    if (column < 0) continue;
    // A name that a USING clause repeats within one source does not count twice.
    add_match(item, column, name.column.text, &matches);
  }
  if (matches.count > 0 || !knows_rowid || !is_rowid_name(name.column.text)) return matches;
  for (const ScopeSource& item : scope.sources) {
    if (!item.nested.empty()) {
      find_nested(item, name, true, &matches);
    } else if (item.has_rowid && item_matches(item, name)) {
      matches.count++;
      matches.columns.push_back({&item, ColumnRef::kRowid});
    }
  }
  return matches;
}

std::string full_name(const ast::ColumnExpr& name) {
  if (name.schema) return concat(name.schema.text, ".", name.table.text, ".", name.column.text);
  if (name.table) return concat(name.table.text, ".", name.column.text);
  return std::string(name.column.text);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) { return equals_ignore_case(a, b); }

bool is_rowid_name(std::string_view name) {
  return same_name(name, "rowid") || same_name(name, "oid") || same_name(name, "_rowid_");
}

std::string ordinal(size_t number) {
  static constexpr std::string_view kSuffix[] = {"th", "st", "nd", "rd"};
  size_t last = number % 10;
  bool is_teen = number / 10 % 10 == 1;
  return concat(std::to_string(number), kSuffix[last > 3 || is_teen ? 0 : last]);
}

Status BinderState::fail_at(const ast::SourceRange& range, std::string message) {
  if (!origin.is_schema) error_offset = static_cast<int32_t>(range.offset);
  return Status::error(std::move(message));
}

BoundExpr* BinderState::make_column(const ScopeSource& item, int32_t column) {
  const BoundSource& source = *item.source;
  BoundExpr* expr = make(ExprKind::kColumn);
  expr->column = {source.id, column};
  if (source.kind == BoundSource::Kind::kQuery || source.kind == BoundSource::Kind::kRecursive) {
    const ColumnTraits& column_traits = traits_of(source)[column];
    expr->affinity = column_traits.affinity;
    expr->collation = column_traits.collation;
    return expr;
  }
  const Table& table = *source.table;
  expr->table = &table;
  if (column == table.rowid_column || column == ColumnRef::kRowid) {
    // The rowid and its alias are one column.
    expr->column.column = ColumnRef::kRowid;
    expr->affinity = Affinity::kInteger;
    return expr;
  }
  expr->affinity = item.has_affinity ? table.columns[column].affinity : Affinity::kNone;
  expr->collation = table.columns[column].collation;
  return expr;
}

Result<BoundExpr*> BinderState::bind_alias(const ast::ColumnExpr& name, bool* found) {
  for (size_t i = 0; i < scope->results.size(); ++i) {
    const ResultItem& item = scope->results[i];
    std::string_view alias = item.ast == nullptr ? item.star_name : item.alias;
    if (alias.data() == nullptr || !same_name(alias, name.column.text)) continue;
    *found = true;
    if (item.has_aggregate && !scope->allow_aggregates) {
      return fail(concat("misuse of aliased aggregate ", alias));
    }
    if (item.has_window && !scope->allow_windows) {
      return fail(concat("misuse of aliased window function ", alias));
    }
    // Bound once more: each use is a tree of its own, and aliases do not see each other.
    Authorizer* authorizer = std::exchange(context.authorizer, nullptr);
    Result<BoundExpr*> again = bind_result_again(item, scope);
    context.authorizer = authorizer;
    return again;
  }
  return nullptr;
}

void BinderState::observe_column(const ast::ColumnExpr& name, const ScopeSource& item,
                                 int32_t column) const {
  NameObserver* watch = observer();
  if (watch == nullptr || column < 0) return;
  const BoundSource& source = *item.source;
  if (source.kind == BoundSource::Kind::kTable) {
    if (name.table && item.is_unaliased()) watch->table_named(name.table, *source.table);
    watch->column_named(name.column, *source.table, column);
    return;
  }
  // A parenthesized join passes the columns of its tables on.
  if (item.nested.empty()) return;
  const BoundExpr& inner = *source.query->cores[0]->results[column].expr;
  const BoundSource* table = inner.kind == ExprKind::kColumn ? sources[inner.column.source] : nullptr;
  if (table == nullptr || table->kind != BoundSource::Kind::kTable) return;
  int32_t origin_column = inner.column.column;
  if (origin_column < 0) origin_column = table->table->rowid_column;
  if (name.table && table->name.data() == table->table->name.data()) {
    watch->table_named(name.table, *table->table);
  }
  if (origin_column >= 0) watch->column_named(name.column, *table->table, origin_column);
}

Result<BoundExpr*> BinderState::bind_column(const ast::ColumnExpr& name) {
  std::string_view column = name.column.text;
  Scope* const start = scope;
  for (Scope* at = start; at != nullptr; at = at->parent) {
    Matches matches = find_columns(*at, name, use != ExprUse::kGenerated);
    if (matches.count > 1) {
      return fail_at(name.range, concat("ambiguous column name: ", full_name(name)));
    }
    if (matches.count == 1) {
      for (Scope* inner = start; inner != at; inner = inner->parent) inner->reads_outer = true;
      if (context.observer != nullptr) {
        for (const Match& match : matches.columns) observe_column(name, *match.item, match.column);
      }
      if (asks_authorizer()) {
        bool ignored = false;
        for (const Match& match : matches.columns) {
          bool leave_out = false;
          GW_TRY(authorize_column(*match.item, match.column, &leave_out));
          ignored |= leave_out;
        }
        if (ignored) return make_constant(ValueView());
      }
      if (matches.columns.size() == 1) {
        return make_column(*matches.columns[0].item, matches.columns[0].column);
      }
      std::span<BoundExpr*> args = arena->make_array<BoundExpr*>(matches.columns.size());
      for (size_t i = 0; i < args.size(); ++i) {
        args[i] = make_column(*matches.columns[i].item, matches.columns[i].column);
      }
      return merge_columns(args, &name);
    }
    if (name.table || !at->aliases_visible) continue;
    bool found = false;
    scope = at;
    Result<BoundExpr*> alias = bind_alias(name, &found);
    scope = start;
    if (found) {
      for (Scope* inner = start; inner != at; inner = inner->parent) inner->reads_outer = true;
      return alias;
    }
  }
  if (!name.table) {
    bool allowed = origin.is_schema ? context.double_quoted_strings_ddl
                                    : context.double_quoted_strings_dml;
    if (name.column.quote == ast::Quote::kDouble && allowed) {
      if (NameObserver* watch = observer()) watch->string_named(name.column);
      return make_constant(ValueView::of_text(arena->copy(column)));
    }
    if (name.column.quote == ast::Quote::kNone) {
      if (same_name(column, "true")) return make_constant(ValueView::boolean(true));
      if (same_name(column, "false")) return make_constant(ValueView::boolean(false));
    }
    if (name.column.quote == ast::Quote::kDouble) {
      return fail_at(name.range, concat("no such column: \"", column,
                                        "\" - should this be a string literal in single-quotes?"));
    }
  }
  return fail_at(name.range, concat("no such column: ", full_name(name)));
}

}  // namespace godwit
