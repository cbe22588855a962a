// Which statement it is; and the short ones: transactions, PRAGMA, ATTACH, VACUUM and the like.
#include "sql/parser_impl.h"

namespace godwit::internal {

ast::Statement* Parser::parse_statement_body() {
  switch (token_.kind) {
    case Kind::k_SELECT:
    case Kind::k_VALUES:
    case Kind::k_WITH:
      return parse_with_statement();
    case Kind::k_INSERT:
    case Kind::k_REPLACE:
      return parse_insert(nullptr);
    case Kind::k_UPDATE:
      return parse_update(nullptr);
    case Kind::k_DELETE:
      return parse_delete(nullptr);
    case Kind::k_CREATE:
      return parse_create();
    case Kind::k_DROP:
      return parse_drop();
    case Kind::k_ALTER:
      return parse_alter();
    case Kind::k_BEGIN:
      return parse_begin();
    case Kind::k_COMMIT:
    case Kind::k_END:
      return parse_commit();
    case Kind::k_ROLLBACK:
      return parse_rollback();
    case Kind::k_SAVEPOINT:
      return parse_savepoint();
    case Kind::k_RELEASE:
      return parse_release();
    case Kind::k_PRAGMA:
      return parse_pragma();
    case Kind::k_ATTACH:
      return parse_attach();
    case Kind::k_DETACH:
      return parse_detach();
    case Kind::k_VACUUM:
      return parse_vacuum();
    case Kind::k_ANALYZE:
      return parse_analyze_or_reindex<ast::AnalyzeStatement>();
    case Kind::k_REINDEX:
      return parse_analyze_or_reindex<ast::ReindexStatement>();
    default:
      syntax_error();
      return nullptr;
  }
}

ast::Statement* Parser::parse_with_statement() {
  uint32_t start = token_.offset;
  ast::With* with = nullptr;
  if (at(Kind::k_WITH)) {
    with = parse_with();
    if (with == nullptr) return nullptr;
    switch (token_.kind) {
      case Kind::k_INSERT:
      case Kind::k_REPLACE:
        return parse_insert(with);
      case Kind::k_UPDATE:
        return parse_update(with);
      case Kind::k_DELETE:
        return parse_delete(with);
      default:
        break;
    }
  }
  auto* statement = arena_->make<ast::SelectStatement>();
  statement->select = parse_select_without_with(with, start);
  return statement->select != nullptr ? statement : nullptr;
}

ast::Statement* Parser::parse_create() {
  advance();
  bool temporary = accept(Kind::k_TEMP) || accept(Kind::k_TEMPORARY);
  switch (token_.kind) {
    case Kind::k_TABLE:
      return parse_create_table(temporary);
    case Kind::k_VIEW:
      return parse_create_view(temporary);
    case Kind::k_TRIGGER:
      return parse_create_trigger(temporary);
    default:
      break;
  }
  if (!temporary) {
    if (accept(Kind::k_UNIQUE)) {
      if (at(Kind::k_INDEX)) return parse_create_index(true);
    } else if (at(Kind::k_INDEX)) {
      return parse_create_index(false);
    } else if (accept(Kind::k_VIRTUAL)) {
      return parse_create_virtual_table();
    }
  }
  syntax_error();
  return nullptr;
}

// [TRANSACTION [name]]; the name means nothing.
bool Parser::parse_transaction_word() {
  if (accept(Kind::k_TRANSACTION) && at_role(kRoleName)) advance();
  return true;
}

ast::Statement* Parser::parse_begin() {
  auto* begin = arena_->make<ast::BeginStatement>();
  advance();
  if (accept(Kind::k_DEFERRED)) {
    begin->mode = ast::BeginMode::kDeferred;
  } else if (accept(Kind::k_IMMEDIATE)) {
    begin->mode = ast::BeginMode::kImmediate;
  } else if (accept(Kind::k_EXCLUSIVE)) {
    begin->mode = ast::BeginMode::kExclusive;
  } else if (at(Kind::kId) && at_word("concurrent")) {
    begin->mode = ast::BeginMode::kConcurrent;
    advance();
  }
  return parse_transaction_word() ? begin : nullptr;
}

ast::Statement* Parser::parse_commit() {
  advance();
  return parse_transaction_word() ? arena_->make<ast::CommitStatement>() : nullptr;
}

ast::Statement* Parser::parse_rollback() {
  auto* rollback = arena_->make<ast::RollbackStatement>();
  advance();
  parse_transaction_word();
  if (accept(Kind::k_TO)) {
    accept(Kind::k_SAVEPOINT);
    if (!parse_name(&rollback->savepoint)) return nullptr;
  }
  return rollback;
}

ast::Statement* Parser::parse_savepoint() {
  auto* savepoint = arena_->make<ast::SavepointStatement>();
  advance();
  return parse_name(&savepoint->name) ? savepoint : nullptr;
}

ast::Statement* Parser::parse_release() {
  auto* release = arena_->make<ast::ReleaseStatement>();
  advance();
  accept(Kind::k_SAVEPOINT);
  return parse_name(&release->name) ? release : nullptr;
}

ast::Statement* Parser::parse_pragma() {
  auto* pragma = arena_->make<ast::PragmaStatement>();
  advance();
  ast::TableName name;
  if (!parse_table_name(&name)) return nullptr;
  pragma->schema = name.schema;
  pragma->name = name.table;
  if (accept(Kind::kEqual)) {
    pragma->form = ast::PragmaForm::kEquals;
    if (!parse_pragma_value(pragma)) return nullptr;
  } else if (accept(Kind::kLeftParen)) {
    pragma->form = ast::PragmaForm::kCall;
    if (!parse_pragma_value(pragma) || !expect(Kind::kRightParen)) return nullptr;
  }
  return pragma;
}

bool Parser::parse_pragma_value(ast::PragmaStatement* pragma) {
  bool negative = accept(Kind::kMinus);
  bool is_signed = negative || accept(Kind::kPlus);
  if (at(Kind::kInteger) || at(Kind::kReal)) {
    pragma->value = text();
    if (negative) pragma->value = arena_->copy("-" + std::string(pragma->value));
    advance();
    return true;
  }
  bool at_value = at_role(kRoleName) || at(Kind::k_ON) || at(Kind::k_DELETE) || at(Kind::k_DEFAULT);
  if (is_signed || !at_value) return syntax_error();
  pragma->value = take_name().text;
  return true;
}

ast::Statement* Parser::parse_attach() {
  auto* attach = arena_->make<ast::AttachStatement>();
  advance();
  accept(Kind::k_DATABASE);
  attach->file = parse_expr();
  if (attach->file == nullptr || !expect(Kind::k_AS)) return nullptr;
  attach->schema = parse_expr();
  if (attach->schema == nullptr) return nullptr;
  if (accept(Kind::k_KEY)) {
    attach->key = parse_expr();
    if (attach->key == nullptr) return nullptr;
  }
  return attach;
}

ast::Statement* Parser::parse_detach() {
  auto* detach = arena_->make<ast::DetachStatement>();
  advance();
  accept(Kind::k_DATABASE);
  detach->schema = parse_expr();
  return detach->schema != nullptr ? detach : nullptr;
}

ast::Statement* Parser::parse_vacuum() {
  auto* vacuum = arena_->make<ast::VacuumStatement>();
  advance();
  if (at_role(kRoleName)) vacuum->schema = take_name();
  if (accept(Kind::k_INTO)) {
    vacuum->into = parse_expr();
    if (vacuum->into == nullptr) return nullptr;
  }
  return vacuum;
}

template <typename T>
ast::Statement* Parser::parse_analyze_or_reindex() {
  auto* statement = arena_->make<T>();
  advance();
  if (!at_role(kRoleName)) return statement;
  statement->first = take_name();
  if (accept(Kind::kDot) && !parse_name(&statement->second)) return nullptr;
  return statement;
}

}  // namespace godwit::internal
