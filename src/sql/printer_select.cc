// Printing of SELECT and its clauses.
#include "sql/printer.h"
#include "sql/printer_impl.h"

namespace godwit {

std::string print(const ast::Select& select) {
  internal::Printer printer;
  printer.select(select);
  return printer.take();
}

namespace internal {

// The words and the expression, if there is one.
void Printer::clause(std::string_view words, const ast::Expr* e) {
  if (e == nullptr) return;
  put(words);
  expr(*e);
}

void Printer::alias(const ast::Name& alias) {
  if (!alias) return;
  put(" AS ");
  name(alias);
}

void Printer::with(const ast::With* with) {
  if (with == nullptr) return;
  put(with->recursive ? "WITH RECURSIVE " : "WITH ");
  list(with->tables, [this](const ast::CommonTable& table) {
    name(table.name);
    if (!table.columns.empty()) names_in_parentheses(table.columns);
    put(" AS ");
    if (table.materialized == ast::Materialized::kYes) put("MATERIALIZED ");
    if (table.materialized == ast::Materialized::kNo) put("NOT MATERIALIZED ");
    subquery(*table.select);
  });
  put(" ");
}

void Printer::select(const ast::Select& select) {
  constexpr const char* kOperators[] = {" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "};
  with(select.with);
  for (size_t i = 0; i < select.cores.size(); ++i) {
    if (i > 0) put(kOperators[static_cast<int>(select.operators[i - 1])]);
    select_core(*select.cores[i]);
  }
  order_and_limit(select.order_by, select.limit, select.offset);
}

void Printer::order_and_limit(std::span<const ast::OrderTerm> order_by, const ast::Expr* limit,
                              const ast::Expr* offset) {
  if (!order_by.empty()) {
    put(" ORDER BY ");
    order_terms(order_by);
  }
  clause(" LIMIT ", limit);
  clause(" OFFSET ", offset);
}

void Printer::select_core(const ast::SelectCore& core) {
  if (core.is_values) return values(core);
  put("SELECT ");
  if (core.distinct == ast::Distinctness::kDistinct) put("DISTINCT ");
  if (core.distinct == ast::Distinctness::kAll) put("ALL ");
  result_columns(core.columns);
  from(core.from);
  clause(" WHERE ", core.where);
  if (!core.group_by.empty()) {
    put(" GROUP BY ");
    exprs(core.group_by);
  }
  clause(" HAVING ", core.having);
  if (core.windows.empty()) return;
  put(" WINDOW ");
  list(core.windows, [this](const ast::WindowDef* definition) {
    name(definition->name);
    put(" AS ");
    window(*definition);
  });
}

void Printer::values(const ast::SelectCore& core) {
  put("VALUES ");
  for (size_t row = 0; row < core.value_rows(); ++row) {
    put(row > 0 ? ", (" : "(");
    exprs(core.values.subspan(row * core.value_columns, core.value_columns));
    put(")");
  }
}

void Printer::result_columns(std::span<const ast::ResultColumn> columns) {
  list(columns, [this](const ast::ResultColumn& column) {
    switch (column.kind) {
      case ast::ResultColumnKind::kStar:
        return put("*");
      case ast::ResultColumnKind::kTableStar:
        name(column.table);
        return put(".*");
      case ast::ResultColumnKind::kExpr:
        expr(*column.expr);
        return alias(column.alias);
    }
  });
}

void Printer::from(std::span<const ast::FromItem> items) {
  if (items.empty()) return;
  put(" FROM ");
  from_list(items);
}

void Printer::from_list(std::span<const ast::FromItem> items) {
  for (const ast::FromItem& item : items) {
    join(item);
    from_item(item);
  }
}

void Printer::join(const ast::FromItem& item) {
  if (item.join == ast::JoinKind::kFirst) return;
  if (item.join == ast::JoinKind::kComma) return put(", ");
  if (item.natural) put(" NATURAL");
  switch (item.join) {
    case ast::JoinKind::kCross:
      return put(" CROSS JOIN ");
    case ast::JoinKind::kLeft:
      return put(" LEFT JOIN ");
    case ast::JoinKind::kRight:
      return put(" RIGHT JOIN ");
    case ast::JoinKind::kFull:
      return put(" FULL JOIN ");
    default:
      return put(" JOIN ");
  }
}

void Printer::from_item(const ast::FromItem& item) {
  switch (item.kind) {
    case ast::FromKind::kSubquery:
      subquery(*item.select);
      break;
    case ast::FromKind::kJoin:
      put("(");
      from_list(item.items);
      put(")");
      break;
    case ast::FromKind::kTable:
      qualified(item.schema, item.table);
      break;
    case ast::FromKind::kTableFunction:
      qualified(item.schema, item.table);
      put("(");
      exprs(item.arguments);
      put(")");
      break;
  }
  alias(item.alias);
  index_hint(item.index_hint, item.index);
  clause(" ON ", item.on);
  if (!item.using_columns.empty()) {
    put(" USING ");
    names_in_parentheses(item.using_columns);
  }
}

void Printer::index_hint(ast::IndexHint hint, const ast::Name& index) {
  if (hint == ast::IndexHint::kNotIndexed) put(" NOT INDEXED");
  if (hint != ast::IndexHint::kIndexedBy) return;
  put(" INDEXED BY ");
  name(index);
}

void Printer::window(const ast::WindowDef& window) {
  put("(");
  std::string_view separator;
  if (window.base) {
    name(window.base);
    separator = " ";
  }
  if (!window.partition_by.empty()) {
    put(separator);
    put("PARTITION BY ");
    exprs(window.partition_by);
    separator = " ";
  }
  if (!window.order_by.empty()) {
    put(separator);
    put("ORDER BY ");
    order_terms(window.order_by);
    separator = " ";
  }
  if (window.has_frame) {
    put(separator);
    frame(window);
  }
  put(")");
}

void Printer::frame(const ast::WindowDef& window) {
  constexpr const char* kUnits[] = {"RANGE", "ROWS", "GROUPS"};
  constexpr const char* kExcludes[] = {"NO OTHERS", "CURRENT ROW", "GROUP", "TIES"};
  put(kUnits[static_cast<int>(window.unit)]);
  put(" BETWEEN ");
  frame_bound(window.start);
  put(" AND ");
  frame_bound(window.end);
  if (!window.has_exclude) return;
  put(" EXCLUDE ");
  put(kExcludes[static_cast<int>(window.exclude)]);
}

void Printer::frame_bound(const ast::FrameBound& bound) {
  constexpr const char* kWords[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW",
                                    " FOLLOWING", "UNBOUNDED FOLLOWING"};
  clause("", bound.expr);
  put(kWords[static_cast<int>(bound.kind)]);
}

}  // namespace internal
}  // namespace godwit
