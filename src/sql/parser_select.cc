// SELECT: WITH, compound chains, VALUES, result columns, ORDER BY, LIMIT.
#include <unordered_set>

#include "sql/parser_impl.h"

namespace godwit::internal {

namespace {

// Finds names that come twice, whatever their case.
class NameSet {
 public:
  // False if the name was there.
  bool insert(std::string_view name) {
    std::string key(name);
    for (char& c : key) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return names_.insert(std::move(key)).second;
  }

 private:
  std::unordered_set<std::string> names_;
};

const char* compound_name(ast::CompoundOp op) {
  switch (op) {
    case ast::CompoundOp::kUnionAll:
      return "UNION ALL";
    case ast::CompoundOp::kExcept:
      return "EXCEPT";
    case ast::CompoundOp::kIntersect:
      return "INTERSECT";
    default:
      return "UNION";
  }
}

void raise_height(ast::Select* select, int height) {
  select->height = static_cast<uint16_t>(std::max<int>(select->height, height));
}

}  // namespace

ast::Select* Parser::parse_select() {
  uint32_t start = token_.offset;
  ast::With* with = nullptr;
  if (at(Kind::k_WITH)) {
    with = parse_with();
    if (with == nullptr) return nullptr;
  }
  return parse_select_without_with(with, start);
}

ast::Select* Parser::parse_parenthesized_select() {
  ast::Select* select = parse_select();
  if (select == nullptr || !expect(Kind::kRightParen)) return nullptr;
  return select;
}

// ORDER BY and LIMIT are read after every core, and then found misplaced after all but the last.
ast::Select* Parser::parse_select_without_with(ast::With* with, uint32_t start) {
  auto* select = arena_->make<ast::Select>();
  select->with = with;
  ListBuilder<ast::SelectCore*> cores(arena_);
  ListBuilder<ast::CompoundOp> operators(arena_);
  std::string misplaced;
  int select_cores = 0;
  for (;;) {
    auto* core = arena_->make<ast::SelectCore>();
    if (!parse_select_core(select, core)) return nullptr;
    cores.add(core);
    if (!core->is_values || core->value_rows() == 1) ++select_cores;
    ast::CompoundOp op;
    if (!parse_compound_operator(&op)) break;
    if (failed_) return nullptr;
    operators.add(op);
    bool ordered = !select->order_by.empty();
    if (misplaced.empty() && (ordered || select->limit != nullptr)) {
      misplaced = std::string(ordered ? "ORDER BY" : "LIMIT") + " clause should come after " +
                  compound_name(op) + " not before";
    }
  }
  if (!misplaced.empty()) fail_later(std::move(misplaced));
  if (cores.size() > 1 && limits_.compound_select > 0 && select_cores > limits_.compound_select) {
    fail_later("too many terms in compound SELECT");
  }
  select->cores = cores.list();
  select->operators = operators.list();
  select->range = range_from(start);
  return select;
}

// False if there is none, or on error.
bool Parser::parse_compound_operator(ast::CompoundOp* op) {
  if (accept(Kind::k_UNION)) {
    *op = accept(Kind::k_ALL) ? ast::CompoundOp::kUnionAll : ast::CompoundOp::kUnion;
  } else if (accept(Kind::k_EXCEPT)) {
    *op = ast::CompoundOp::kExcept;
  } else if (accept(Kind::k_INTERSECT)) {
    *op = ast::CompoundOp::kIntersect;
  } else {
    return false;
  }
  return true;
}

bool Parser::parse_select_core(ast::Select* select, ast::SelectCore* core) {
  if (at(Kind::k_VALUES)) return parse_values_core(select, core);
  if (!expect(Kind::k_SELECT)) return false;
  if (accept(Kind::k_DISTINCT)) {
    core->distinct = ast::Distinctness::kDistinct;
  } else if (accept(Kind::k_ALL)) {
    core->distinct = ast::Distinctness::kAll;
  }
  int height = 0;
  Depth depth(this, 4);
  if (!depth.ok() || !parse_result_columns(&core->columns, &height)) return false;
  raise_height(select, height);
  return parse_from(&core->from) && parse_where(&core->where) && parse_select_tail(select, core);
}

// GROUP BY to LIMIT.
bool Parser::parse_select_tail(ast::Select* select, ast::SelectCore* core) {
  int height = core->where != nullptr ? core->where->height : 0;
  if (accept(Kind::k_GROUP)) {
    if (!expect(Kind::k_BY) || !parse_expr_list(&core->group_by, &height)) return false;
  }
  if (accept(Kind::k_HAVING)) {
    core->having = parse_expr();
    if (core->having == nullptr) return false;
    height = std::max<int>(height, core->having->height);
  }
  if (at(Kind::k_WINDOW) && !parse_window_clause(&core->windows)) return false;
  if (at(Kind::k_ORDER) && !parse_order_by(&select->order_by, &height)) return false;
  if (at(Kind::k_LIMIT) && !parse_limit(&select->limit, &select->offset)) return false;
  if (select->limit != nullptr) height = std::max(height, select->limit->height + 1);
  if (select->offset != nullptr) height = std::max(height, select->offset->height + 1);
  raise_height(select, height);
  return true;
}

bool Parser::parse_values_core(ast::Select* select, ast::SelectCore* core) {
  Depth depth(this, 2);
  if (!depth.ok()) return false;
  core->is_values = true;
  ListBuilder<ast::Expr*> values(arena_);
  advance();
  do {
    if (!expect(Kind::kLeftParen)) return false;
    size_t row_start = values.size();
    do {
      ast::Expr* value = parse_expr();
      if (value == nullptr) return false;
      raise_height(select, value->height);
      values.add(value);
    } while (accept(Kind::kComma));
    if (!expect(Kind::kRightParen)) return false;
    size_t columns = values.size() - row_start;
    if (core->value_columns == 0) core->value_columns = static_cast<uint32_t>(columns);
    if (columns != core->value_columns) {
      fail_later("all VALUES must have the same number of terms");
    }
  } while (accept(Kind::kComma));
  core->values = values.list();
  return true;
}

ast::With* Parser::parse_with() {
  Depth depth(this, 5);
  if (!depth.ok()) return nullptr;
  advance();
  auto* with = arena_->make<ast::With>();
  with->recursive = accept(Kind::k_RECURSIVE);
  ListBuilder<ast::CommonTable> tables(arena_);
  NameSet names;
  do {
    ast::CommonTable table;
    if (!parse_common_table(&table)) return nullptr;
    if (!names.insert(table.name.text)) {
      fail_later("duplicate WITH table name: " + std::string(table.name.text));
    }
    tables.add(table);
  } while (accept(Kind::kComma));
  with->tables = tables.list();
  return with;
}

bool Parser::parse_common_table(ast::CommonTable* table) {
  if (!parse_name(&table->name) || !parse_optional_columns(&table->columns) ||
      !expect(Kind::k_AS)) {
    return false;
  }
  if (accept(Kind::k_MATERIALIZED)) {
    table->materialized = ast::Materialized::kYes;
  } else if (accept(Kind::k_NOT)) {
    if (!expect(Kind::k_MATERIALIZED)) return false;
    table->materialized = ast::Materialized::kNo;
  }
  if (!expect(Kind::kLeftParen)) return false;
  if (!at_select()) return syntax_error();
  table->select = parse_parenthesized_select();
  return table->select != nullptr;
}

bool Parser::parse_result_columns(std::span<ast::ResultColumn>* columns, int* height) {
  ListBuilder<ast::ResultColumn> list(arena_);
  do {
    ast::ResultColumn& column = list.add();
    if (!parse_result_column(&column)) return false;
    if (column.expr != nullptr) *height = std::max<int>(*height, column.expr->height);
  } while (accept(Kind::kComma));
  *columns = list.list();
  return true;
}

bool Parser::parse_result_column(ast::ResultColumn* column) {
  if (accept(Kind::kStar)) {
    column->kind = ast::ResultColumnKind::kStar;
    return true;
  }
  if (at_table_star()) {
    column->kind = ast::ResultColumnKind::kTableStar;
    column->table = take_name();
    advance();
    advance();
    return true;
  }
  column->expr = parse_expr();
  return column->expr != nullptr && parse_alias(&column->alias);
}

bool Parser::at_table_star() {
  switch (token_.kind) {
    case Kind::k_CAST:
    case Kind::k_RAISE:
    case Kind::k_CURRENT_DATE:
    case Kind::k_CURRENT_TIME:
    case Kind::k_CURRENT_TIMESTAMP:
      return false;
    default:
      break;
  }
  if (!at_role(kRoleName) || tokenizer_.peek().kind != Kind::kDot) return false;
  Tokenizer ahead = tokenizer_;
  ahead.next();
  return ahead.next().kind == Kind::kStar;
}

bool Parser::parse_alias(ast::Name* alias) {
  if (accept(Kind::k_AS)) return parse_name(alias);
  if (at_role(kRoleAlias)) *alias = take_name();
  return true;
}

bool Parser::parse_where(ast::Expr** where) {
  if (!accept(Kind::k_WHERE)) return true;
  Depth depth(this, 1);
  if (!depth.ok()) return false;
  *where = parse_expr();
  return *where != nullptr;
}

bool Parser::parse_order_terms(std::span<ast::OrderTerm>* terms, int* height) {
  ListBuilder<ast::OrderTerm> list(arena_);
  Depth depth(this, 2);
  if (!depth.ok()) return false;
  do {
    ast::OrderTerm& term = list.add();
    term.expr = parse_expr();
    if (term.expr == nullptr) return false;
    if (height != nullptr) *height = std::max<int>(*height, term.expr->height);
    term.descending = at(Kind::k_DESC);
    term.explicit_direction = accept(Kind::k_ASC) || accept(Kind::k_DESC);
    if (accept(Kind::k_NULLS)) {
      term.nulls = at(Kind::k_FIRST) ? ast::NullsOrder::kFirst : ast::NullsOrder::kLast;
      if (!accept(Kind::k_FIRST) && !expect(Kind::k_LAST)) return false;
    }
  } while (accept(Kind::kComma));
  *terms = list.list();
  return true;
}

bool Parser::parse_order_by(std::span<ast::OrderTerm>* terms, int* height) {
  return expect(Kind::k_ORDER, Kind::k_BY) && parse_order_terms(terms, height);
}

// LIMIT count [OFFSET start], or LIMIT start, count.
bool Parser::parse_limit(ast::Expr** limit, ast::Expr** offset) {
  advance();
  *limit = parse_expr();
  if (*limit == nullptr) return false;
  if (accept(Kind::k_OFFSET)) {
    *offset = parse_expr();
    return *offset != nullptr;
  }
  if (accept(Kind::kComma)) {
    *offset = *limit;
    *limit = parse_expr();
    return *limit != nullptr;
  }
  return true;
}

}  // namespace godwit::internal
