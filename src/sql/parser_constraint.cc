// Constraints of columns and tables.
#include "sql/parser_impl.h"

namespace godwit::internal {

bool Parser::at_column_constraint() const {
  switch (token_.kind) {
    case Kind::k_CONSTRAINT:
    case Kind::k_DEFAULT:
    case Kind::k_NULL:
    case Kind::k_NOT:
    case Kind::k_PRIMARY:
    case Kind::k_UNIQUE:
    case Kind::k_CHECK:
    case Kind::k_REFERENCES:
    case Kind::k_DEFERRABLE:
    case Kind::k_COLLATE:
    case Kind::k_GENERATED:
    case Kind::k_AS:
      return true;
    default:
      return false;
  }
}

bool Parser::parse_column_constraint(ast::ColumnConstraint* constraint) {
  using ConstraintKind = ast::ColumnConstraintKind;
  Kind kind = token_.kind;
  if (kind != Kind::k_PRIMARY && kind != Kind::k_REFERENCES) advance();
  switch (kind) {
    case Kind::k_DEFAULT:
      constraint->kind = ConstraintKind::kDefault;
      return parse_default(constraint);
    case Kind::k_NULL:
      constraint->kind = ConstraintKind::kNull;
      return parse_on_conflict(&constraint->conflict);
    case Kind::k_NOT:
      constraint->kind = ConstraintKind::kNotNull;
      return expect(Kind::k_NULL) && parse_on_conflict(&constraint->conflict);
    case Kind::k_PRIMARY:
      return parse_column_primary_key(constraint);
    case Kind::k_UNIQUE:
      constraint->kind = ConstraintKind::kUnique;
      return parse_on_conflict(&constraint->conflict);
    case Kind::k_CHECK:
      constraint->kind = ConstraintKind::kCheck;
      return parse_checked_expr(&constraint->expr, &constraint->expr_text);
    case Kind::k_REFERENCES:
      constraint->kind = ConstraintKind::kReferences;
      return parse_references(&constraint->foreign_key);
    case Kind::k_COLLATE:
      constraint->kind = ConstraintKind::kCollate;
      return parse_name(&constraint->collation, kRoleAlias);
    case Kind::k_GENERATED:
      constraint->generated_always = true;
      return expect(Kind::k_ALWAYS, Kind::k_AS) && parse_generated(constraint);
    default:
      return parse_generated(constraint);
  }
}

// A literal, a signed literal, an identifier that stands for a string, or (expr).
bool Parser::parse_default(ast::ColumnConstraint* constraint) {
  uint32_t start = token_.offset;
  if (at(Kind::kLeftParen)) {
    constraint->in_parentheses = true;
    return parse_checked_expr(&constraint->expr, &constraint->expr_text);
  }
  bool is_signed = at(Kind::kMinus) || at(Kind::kPlus);
  auto op = at(Kind::kMinus) ? ast::UnaryOp::kMinus : ast::UnaryOp::kPlus;
  if (is_signed) advance();
  ast::Expr* value = nullptr;
  if (at(Kind::kString)) {
    auto* literal = make_expr<ast::LiteralExpr>(token_.offset);
    literal->literal = ast::LiteralKind::kString;
    literal->text = take_name().text;
    value = finish(literal, 0);
  } else if (!is_signed && at_role(kRoleId) && !at(Kind::k_CURRENT_DATE) &&
             !at(Kind::k_CURRENT_TIME) && !at(Kind::k_CURRENT_TIMESTAMP)) {
    bool is_boolean = at_word("true") || at_word("false");
    uint32_t offset = token_.offset;
    ast::Name name = take_name();
    if (is_boolean) {
      auto* column = make_expr<ast::ColumnExpr>(offset);
      column->column = name;
      value = finish(column, 0);
    } else {
      auto* literal = make_expr<ast::LiteralExpr>(offset);
      literal->literal = ast::LiteralKind::kString;
      literal->text = name.text;
      value = finish(literal, 0);
    }
  } else {
    value = parse_term();
  }
  if (value == nullptr) return failed_ ? false : syntax_error();
  if (is_signed) {
    auto* unary = make_expr<ast::UnaryExpr>(start);
    unary->op = op;
    unary->operand = value;
    value = finish(unary, value->height);
  }
  constraint->expr = value;
  constraint->expr_text = range_from(start);
  return value != nullptr;
}

bool Parser::parse_column_primary_key(ast::ColumnConstraint* constraint) {
  constraint->kind = ast::ColumnConstraintKind::kPrimaryKey;
  if (!expect(Kind::k_PRIMARY, Kind::k_KEY)) return false;
  constraint->descending = at(Kind::k_DESC);
  constraint->explicit_direction = accept(Kind::k_ASC) || accept(Kind::k_DESC);
  if (!parse_on_conflict(&constraint->conflict)) return false;
  constraint->autoincrement = accept(Kind::k_AUTOINCREMENT);
  return true;
}

// (expr) [STORED | VIRTUAL]; any name is let through here.
bool Parser::parse_generated(ast::ColumnConstraint* constraint) {
  constraint->kind = ast::ColumnConstraintKind::kGenerated;
  if (!parse_checked_expr(&constraint->expr, &constraint->expr_text)) return false;
  if (at_role(kRoleAlias) && !at(Kind::kString)) constraint->storage = take_name();
  return true;
}

// ( expr ), and the text between the parentheses.
bool Parser::parse_checked_expr(ast::Expr** expr, ast::SourceRange* range) {
  uint32_t start = token_.end();
  if (!expect(Kind::kLeftParen)) return false;
  *expr = parse_expr();
  if (*expr == nullptr) return false;
  *range = trimmed(start, token_.offset);
  return expect(Kind::kRightParen);
}

bool Parser::parse_on_conflict(ast::ConflictAction* action) {
  if (!accept(Kind::k_ON)) return true;
  return expect(Kind::k_CONFLICT) && parse_resolution(action);
}

bool Parser::at_table_constraint() const {
  return at(Kind::k_CONSTRAINT) || at(Kind::k_PRIMARY) || at(Kind::k_UNIQUE) || at(Kind::k_CHECK) ||
         at(Kind::k_FOREIGN);
}

bool Parser::parse_table_constraint(ast::TableConstraint* constraint) {
  switch (token_.kind) {
    case Kind::k_PRIMARY:
      constraint->kind = ast::TableConstraintKind::kPrimaryKey;
      advance();
      return expect(Kind::k_KEY) && parse_table_key(constraint);
    case Kind::k_UNIQUE:
      constraint->kind = ast::TableConstraintKind::kUnique;
      advance();
      return parse_table_key(constraint);
    case Kind::k_CHECK:
      constraint->kind = ast::TableConstraintKind::kCheck;
      advance();
      return parse_checked_expr(&constraint->expr, &constraint->expr_text) &&
             parse_on_conflict(&constraint->conflict);
    case Kind::k_FOREIGN:
      return parse_table_foreign_key(constraint);
    default:
      return syntax_error();
  }
}

bool Parser::parse_table_key(ast::TableConstraint* constraint) {
  if (!expect(Kind::kLeftParen) || !parse_order_terms(&constraint->columns)) return false;
  if (constraint->kind == ast::TableConstraintKind::kPrimaryKey) {
    constraint->autoincrement = accept(Kind::k_AUTOINCREMENT);
  }
  if (!expect(Kind::kRightParen) || !parse_on_conflict(&constraint->conflict)) return false;
  reject_explicit_nulls(constraint->columns);
  return true;
}

bool Parser::parse_table_foreign_key(ast::TableConstraint* constraint) {
  constraint->kind = ast::TableConstraintKind::kForeignKey;
  advance();
  if (!expect(Kind::k_KEY) || !parse_plain_columns(&constraint->child_columns) ||
      !parse_references(&constraint->foreign_key)) {
    return false;
  }
  bool deferral = at(Kind::k_DEFERRABLE) || at(Kind::k_NOT);
  return !deferral || parse_deferrable(constraint->foreign_key);
}

bool Parser::parse_references(ast::ForeignKey** key) {
  if (!expect(Kind::k_REFERENCES)) return false;
  *key = arena_->make<ast::ForeignKey>();
  last_foreign_key_ = *key;
  return parse_name(&(*key)->table) && parse_optional_columns(&(*key)->columns) &&
         parse_reference_actions(*key);
}

// ON DELETE, ON UPDATE, MATCH, in any number and order; ON INSERT and MATCH mean nothing.
bool Parser::parse_reference_actions(ast::ForeignKey* key) {
  for (;;) {
    if (accept(Kind::k_MATCH)) {
      ast::Name ignored;
      if (!parse_name(&ignored)) return false;
    } else if (accept(Kind::k_ON)) {
      ast::ForeignKeyAction ignored;
      ast::ForeignKeyAction* action = &ignored;
      if (accept(Kind::k_DELETE)) {
        action = &key->on_delete;
      } else if (accept(Kind::k_UPDATE)) {
        action = &key->on_update;
      } else if (!expect(Kind::k_INSERT)) {
        return false;
      }
      if (!parse_foreign_key_action(action)) return false;
    } else {
      return true;
    }
  }
}

bool Parser::parse_foreign_key_action(ast::ForeignKeyAction* action) {
  switch (token_.kind) {
    case Kind::k_SET:
      advance();
      *action =
          at(Kind::k_NULL) ? ast::ForeignKeyAction::kSetNull : ast::ForeignKeyAction::kSetDefault;
      return accept(Kind::k_NULL) || expect(Kind::k_DEFAULT);
    case Kind::k_CASCADE:
      *action = ast::ForeignKeyAction::kCascade;
      break;
    case Kind::k_RESTRICT:
      *action = ast::ForeignKeyAction::kRestrict;
      break;
    case Kind::k_NO:
      *action = ast::ForeignKeyAction::kNoAction;
      advance();
      return expect(Kind::k_ACTION);
    default:
      return syntax_error();
  }
  advance();
  return true;
}

// [NOT] DEFERRABLE [INITIALLY DEFERRED | INITIALLY IMMEDIATE]
bool Parser::parse_deferrable(ast::ForeignKey* key) {
  key->has_deferrable = true;
  key->deferrable = !accept(Kind::k_NOT);
  if (!expect(Kind::k_DEFERRABLE)) return false;
  key->initially_deferred = false;
  if (!accept(Kind::k_INITIALLY)) return true;
  key->initially_deferred = accept(Kind::k_DEFERRED);
  return key->initially_deferred || expect(Kind::k_IMMEDIATE);
}

void Parser::reject_explicit_nulls(std::span<const ast::OrderTerm> terms) {
  for (const ast::OrderTerm& term : terms) {
    if (term.nulls == ast::NullsOrder::kFirst) fail_later("unsupported use of NULLS FIRST");
    if (term.nulls == ast::NullsOrder::kLast) fail_later("unsupported use of NULLS LAST");
  }
}

}  // namespace godwit::internal
