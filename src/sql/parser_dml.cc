// INSERT, UPDATE and DELETE.
#include "sql/parser_impl.h"

namespace godwit::internal {

// [OR action]
bool Parser::parse_or_conflict(ast::ConflictAction* action) {
  return !accept(Kind::k_OR) || parse_resolution(action);
}

bool Parser::parse_resolution(ast::ConflictAction* action) {
  switch (token_.kind) {
    case Kind::k_ROLLBACK:
      *action = ast::ConflictAction::kRollback;
      break;
    case Kind::k_ABORT:
      *action = ast::ConflictAction::kAbort;
      break;
    case Kind::k_FAIL:
      *action = ast::ConflictAction::kFail;
      break;
    case Kind::k_IGNORE:
      *action = ast::ConflictAction::kIgnore;
      break;
    case Kind::k_REPLACE:
      *action = ast::ConflictAction::kReplace;
      break;
    default:
      return syntax_error();
  }
  advance();
  return true;
}

// [schema.]table [AS alias]
bool Parser::parse_target(ast::TableName* target, ast::Name* alias) {
  if (!parse_table_name(target)) return false;
  if (target->schema) qualified_target_ = true;
  return !accept(Kind::k_AS) || parse_name(alias);
}

bool Parser::parse_target_index(ast::IndexHint* hint, ast::Name* index) {
  if (!parse_index_hint(hint, index)) return false;
  if (in_trigger_ && *hint != ast::IndexHint::kNone) {
    fail_later(std::string("the ") +
               (*hint == ast::IndexHint::kIndexedBy ? "INDEXED BY" : "NOT INDEXED") +
               " clause is not allowed on UPDATE or DELETE statements within triggers");
  }
  return true;
}

ast::Statement* Parser::parse_insert(ast::With* with) {
  auto* insert = arena_->make<ast::InsertStatement>();
  insert->with = with;
  if (accept(Kind::k_REPLACE)) {
    insert->conflict = ast::ConflictAction::kReplace;
  } else {
    advance();
    if (!parse_or_conflict(&insert->conflict)) return nullptr;
  }
  if (!expect(Kind::k_INTO) || !parse_target(&insert->target, &insert->alias)) return nullptr;
  if (accept(Kind::kLeftParen)) {
    if (!parse_name_list(&insert->columns) || !expect(Kind::kRightParen)) return nullptr;
  }
  if (!in_trigger_ && accept(Kind::k_DEFAULT)) {
    if (!expect(Kind::k_VALUES) || !parse_returning(&insert->returning)) return nullptr;
    return insert;
  }
  if (!at_select()) {
    syntax_error();
    return nullptr;
  }
  insert->select = parse_select();
  if (insert->select == nullptr || !parse_upserts(insert)) return nullptr;
  return insert;
}

// Any number of ON CONFLICT clauses, of which only the last may lack a target, then RETURNING.
bool Parser::parse_upserts(ast::InsertStatement* insert) {
  ListBuilder<ast::Upsert> upserts(arena_);
  while (accept(Kind::k_ON)) {
    ast::Upsert& upsert = upserts.add();
    if (!expect(Kind::k_CONFLICT) || !parse_upsert(&upsert)) return false;
    if (upsert.target.empty()) break;
  }
  insert->upserts = upserts.list();
  return parse_returning(&insert->returning);
}

bool Parser::parse_upsert(ast::Upsert* upsert) {
  if (accept(Kind::kLeftParen)) {
    if (!parse_order_terms(&upsert->target) || !expect(Kind::kRightParen) ||
        !parse_where(&upsert->target_where)) {
      return false;
    }
  }
  if (!expect(Kind::k_DO)) return false;
  upsert->do_nothing = accept(Kind::k_NOTHING);
  if (!upsert->do_nothing &&
      !(expect(Kind::k_UPDATE, Kind::k_SET) && parse_assignments(&upsert->assignments) &&
        parse_where(&upsert->where))) {
    return false;
  }
  reject_explicit_nulls(upsert->target);
  return true;
}

bool Parser::parse_returning(std::span<ast::ResultColumn>* columns) {
  if (!accept(Kind::k_RETURNING)) return true;
  int height = 0;
  if (!parse_result_columns(columns, &height)) return false;
  if (in_trigger_) fail_later("cannot use RETURNING in a trigger");
  return true;
}

ast::Statement* Parser::parse_update(ast::With* with) {
  auto* update = arena_->make<ast::UpdateStatement>();
  update->with = with;
  advance();
  if (!parse_or_conflict(&update->conflict) || !parse_target(&update->target, &update->alias) ||
      !parse_target_index(&update->index_hint, &update->index) || !expect(Kind::k_SET) ||
      !parse_assignments(&update->assignments) || !parse_from(&update->from) ||
      !parse_where(&update->where)) {
    return nullptr;
  }
  if (in_trigger_) return update;
  if (!parse_returning(&update->returning) ||
      !parse_dml_limit("UPDATE", &update->order_by, &update->limit, &update->offset)) {
    return nullptr;
  }
  return update;
}

ast::Statement* Parser::parse_delete(ast::With* with) {
  auto* statement = arena_->make<ast::DeleteStatement>();
  statement->with = with;
  advance();
  if (!expect(Kind::k_FROM) || !parse_target(&statement->target, &statement->alias) ||
      !parse_target_index(&statement->index_hint, &statement->index) ||
      !parse_where(&statement->where)) {
    return nullptr;
  }
  if (in_trigger_) return statement;
  if (!parse_returning(&statement->returning) ||
      !parse_dml_limit("DELETE", &statement->order_by, &statement->limit, &statement->offset)) {
    return nullptr;
  }
  return statement;
}

// ORDER BY and LIMIT on UPDATE and DELETE, as SQLite has them when built with
// SQLITE_ENABLE_UPDATE_DELETE_LIMIT.
bool Parser::parse_dml_limit(const char* verb, std::span<ast::OrderTerm>* order_by,
                             ast::Expr** limit, ast::Expr** offset) {
  if (at(Kind::k_ORDER) && !parse_order_by(order_by)) return false;
  if (at(Kind::k_LIMIT)) return parse_limit(limit, offset);
  if (order_by->empty()) return true;
  fail_later(std::string("ORDER BY without LIMIT on ") + verb);
  return true;
}

bool Parser::parse_assignments(std::span<ast::Assignment>* assignments) {
  ListBuilder<ast::Assignment> list(arena_);
  size_t columns = 0;
  do {
    ast::Assignment& assignment = list.add();
    if (!parse_assignment(&assignment)) return false;
    columns += assignment.columns.size();
  } while (accept(Kind::kComma));
  *assignments = list.list();
  if (columns > static_cast<size_t>(limits_.columns)) {
    return fail("too many columns in set list");
  }
  return true;
}

bool Parser::parse_assignment(ast::Assignment* assignment) {
  assignment->is_row = accept(Kind::kLeftParen);
  if (assignment->is_row) {
    if (!parse_name_list(&assignment->columns) || !expect(Kind::kRightParen)) return false;
  } else {
    assignment->columns = arena_->make_array<ast::Name>(1);
    if (!parse_name(&assignment->columns[0])) return false;
  }
  if (!expect(Kind::kEqual)) return false;
  assignment->expr = parse_expr();
  if (assignment->expr == nullptr) return false;
  if (!assignment->is_row || assignment->expr->kind == ast::ExprKind::kSubquery) return true;
  const auto* row = assignment->expr->try_as<ast::RowExpr>();
  size_t values = row != nullptr ? row->values.size() : 1;
  if (values != assignment->columns.size()) {
    fail_later(std::to_string(assignment->columns.size()) + " columns assigned " +
               std::to_string(values) + " values");
  }
  return true;
}

}  // namespace godwit::internal
