// Result columns: stars are expanded, the rest is bound, and all get the names that
// sqlite3_column_name() shows.
#include "plan/binder_state.h"
#include "plan/depth_guard.h"

namespace godwit {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Where the token after `at` begins: behind white space and comments.
size_t skip_to_token(std::string_view sql, size_t at) {
  while (at < sql.size()) {
    std::string_view rest = sql.substr(at);
    size_t end = std::string_view::npos;
    if (is_space(rest[0])) {
      end = 1;
    } else if (rest.starts_with("--")) {
      end = rest.find('\n');
    } else if (rest.starts_with("/*")) {
      end = rest.find("*/", 2);
      if (end != std::string_view::npos) end += 2;
    } else {
      break;
    }
    at = end == std::string_view::npos ? sql.size() : at + end;
  }
  return at;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace

Status BinderState::expand_results(std::span<ast::ResultColumn> columns, Scope* target) {
  target->results.reserve(columns.size());
  for (const ast::ResultColumn& column : columns) {
    if (column.kind != ast::ResultColumnKind::kExpr) {
      GW_TRY(expand_star(column, target));
      continue;
    }
    ResultItem item;
    item.ast = column.expr;
    if (column.alias) item.alias = column.alias.text;
    target->results.push_back(item);
  }
  if (target->results.size() > context.limits.columns) {
    return fail("too many columns in result set");
  }
  return Status();
}

Status BinderState::expand_star(const ast::ResultColumn& column, Scope* target) {
  std::string_view table = column.table.text;
  bool is_qualified = column.kind == ast::ResultColumnKind::kTableStar;
  bool found = false;
  for (size_t i = 0; i < target->sources.size(); ++i) {
    const ScopeSource& item = target->sources[i];
    if (item.qualified_only) continue;
    bool by_name = is_qualified && same_name(item.name, table);
    if (!item.nested.empty()) {
      for (const NestedColumn& part : item.nested) {
        if (part.is_rowid) continue;
        bool named = is_qualified && !by_name && same_name(part.table, table);
        if (is_qualified ? !named && !(by_name && !part.merged) : part.merged) continue;
        found = true;
        if (!is_qualified && uses_column(item, part.column)) continue;
        GW_TRY(add_star_column(i, part.index, item.source->column_names[part.index], is_qualified,
                               target));
      }
      continue;
    }
    if (is_qualified && !by_name) continue;
    found = true;
    const BoundSource& source = *item.source;
    if (NameObserver* watch = is_qualified && item.is_unaliased() ? observer() : nullptr) {
      watch->table_named(column.table, *source.table);
    }
    for (uint32_t c = 0; c < source.column_count; ++c) {
      if (source.table != nullptr && source.table->columns[c].hidden) continue;
      std::string_view name = source.column_names[c];
      if (!is_qualified && uses_column(item, name)) continue;
      GW_TRY(add_star_column(i, static_cast<int32_t>(c), name, is_qualified, target));
    }
  }
  if (found) return Status();
  if (is_qualified) return fail(concat("no such table: ", table));
  return fail("no tables specified");
}

// A column that a later USING merges with others of a right or full join stands for all of them.
Status BinderState::add_star_column(size_t index, int32_t column, std::string_view name,
                                    bool is_qualified, Scope* target) {
  ResultItem result;
  result.star_name = name;
  for (size_t i = index + 1; i < target->sources.size() && !is_qualified; ++i) {
    const ScopeSource& later = target->sources[i];
    bool keeps_right = later.source->join == JoinType::kRight ||
                       later.source->join == JoinType::kFull;
    if (!keeps_right || !uses_column(later, name)) continue;
    ast::ColumnExpr* merged = arena->make<ast::ColumnExpr>();
    merged->column.text = name;
    merged->column.quote = ast::Quote::kBracket;
    GW_ASSIGN(result.expr, bind_column(*merged));
    break;
  }
  if (result.expr == nullptr) {
    bool ignored = false;
    GW_TRY(authorize_column(target->sources[index], column, &ignored));
    result.expr = ignored ? make_constant(ValueView())
                          : make_column(target->sources[index], column);
  }
  target->results.push_back(result);
  return Status();
}

Status BinderState::bind_result_items(Scope* target) {
  target->phase = ScopePhase::kResults;
  target->allow_aggregates = true;
  target->allow_windows = true;
  for (size_t i = 0; i < target->results.size(); ++i) {
    if (target->results[i].ast == nullptr) continue;
    saw_aggregate = saw_window = false;
    DepthGuard depth(this, target->results[i].ast->height);
    GW_TRY(depth.check());
    GW_ASSIGN(BoundExpr * bound, bind_scalar(*target->results[i].ast));
    target->results[i].expr = bound;
    target->results[i].has_aggregate = saw_aggregate;
    target->results[i].has_window = saw_window;
  }
  return Status();
}

std::span<ResultColumn> BinderState::finish_results(const Scope& target) {
  std::span<ResultColumn> results = arena->make_array<ResultColumn>(target.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = {target.results[i].expr, result_name(target.results[i])};
  }
  return results;
}

// The alias, or the name of the column, or the text of the expression.
std::string_view BinderState::result_name(const ResultItem& item) {
  if (item.alias.data() != nullptr) return item.alias;
  if (item.ast == nullptr) return item.star_name;
  bool is_inner = query_depth > 1;
  bool by_column = is_inner || context.short_column_names || context.full_column_names;
  const ast::Expr* ast = item.ast;
  while (is_inner && ast->kind == ast::ExprKind::kCollate) {
    ast = ast->as<ast::CollateExpr>()->operand;
  }
  const BoundExpr& expr = *item.expr;
  if (by_column && ast->kind == ast::ExprKind::kColumn && expr.kind == ExprKind::kColumn &&
      sources[expr.column.source] != nullptr) {
    const BoundSource& source = *sources[expr.column.source];
    int32_t column = expr.column.column;
    if (column == ColumnRef::kRowid && source.table != nullptr) column = source.table->rowid_column;
    std::string_view name = column < 0 ? "rowid" : source.column_names[column];
    if (is_inner || !context.full_column_names) return name;
    return arena->copy(concat(source.table != nullptr ? source.table->name : source.name, ".",
                              name));
  }
  // As SQLite takes it: up to the next token, comments included.
  size_t start = item.ast->range.offset;
  size_t end = skip_to_token(origin.sql, item.ast->range.end());
  return arena->copy(trim(origin.sql.substr(start, end - start)));
}

}  // namespace godwit
