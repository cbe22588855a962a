// Indexes, views, virtual tables, DROP and ALTER TABLE.
#include "sql/parser_impl.h"

namespace godwit::internal {

ast::Statement* Parser::parse_create_index(bool unique) {
  auto* index = arena_->make<ast::CreateIndexStatement>();
  index->unique = unique;
  advance();
  if (!parse_if_not_exists(&index->if_not_exists) || !parse_table_name(&index->name) ||
      !expect(Kind::k_ON) || !parse_name(&index->table) || !expect(Kind::kLeftParen) ||
      !parse_order_terms(&index->columns) || !expect(Kind::kRightParen) ||
      !parse_where(&index->where)) {
    return nullptr;
  }
  reject_explicit_nulls(index->columns);
  if (index->columns.size() > static_cast<size_t>(limits_.columns)) {
    fail("too many columns in index");
    return nullptr;
  }
  index->schema_text = range_from(index->name.table.range.offset);
  return index;
}

ast::Statement* Parser::parse_create_view(bool temporary) {
  auto* view = arena_->make<ast::CreateViewStatement>();
  view->temporary = temporary;
  advance();
  if (!parse_if_not_exists(&view->if_not_exists) || !parse_table_name(&view->name) ||
      !parse_optional_columns(&view->columns) || !expect(Kind::k_AS)) {
    return nullptr;
  }
  if (!at_select()) {
    syntax_error();
    return nullptr;
  }
  view->select = parse_select();
  if (view->select == nullptr) return nullptr;
  view->schema_text = range_from(view->name.table.range.offset);
  if (parameter_count_ > 0) {
    deferred_error_ = "parameters are not allowed in views";
  }
  return view;
}

ast::Statement* Parser::parse_create_virtual_table() {
  auto* table = arena_->make<ast::CreateVirtualTableStatement>();
  if (!expect(Kind::k_TABLE) || !parse_if_not_exists(&table->if_not_exists) ||
      !parse_table_name(&table->name) || !expect(Kind::k_USING) || !parse_name(&table->module)) {
    return nullptr;
  }
  if (accept(Kind::kLeftParen) && !parse_module_arguments(&table->arguments)) return nullptr;
  table->schema_text = range_from(table->name.table.range.offset);
  return table;
}

// Any tokens, semicolons too, with parentheses in pairs; commas outside them separate arguments.
// An empty list of arguments has none, but an empty argument between commas counts.
bool Parser::parse_module_arguments(std::span<std::string_view>* arguments) {
  ListBuilder<std::string_view> list(arena_);
  int nesting = 0;
  uint32_t start = token_.offset;
  uint32_t end = start;
  for (;; advance()) {
    if (at(Kind::kEnd) || at(Kind::kIllegal)) return syntax_error();
    bool ends_argument = nesting == 0 && (at(Kind::kComma) || at(Kind::kRightParen));
    if (ends_argument) {
      bool is_last = at(Kind::kRightParen);
      std::string_view argument = tokenizer_.sql().substr(start, end - start);
      if (!argument.empty() || list.size() > 0 || !is_last) list.add(argument);
      if (is_last) break;
      start = end = tokenizer_.peek().offset;
      continue;
    }
    if (at(Kind::kLeftParen)) ++nesting;
    if (at(Kind::kRightParen)) --nesting;
    end = token_.end();
  }
  advance();
  *arguments = list.list();
  return true;
}

ast::Statement* Parser::parse_drop() {
  auto* drop = arena_->make<ast::DropStatement>();
  advance();
  switch (token_.kind) {
    case Kind::k_TABLE:
      drop->object = ast::DropKind::kTable;
      break;
    case Kind::k_INDEX:
      drop->object = ast::DropKind::kIndex;
      break;
    case Kind::k_VIEW:
      drop->object = ast::DropKind::kView;
      break;
    case Kind::k_TRIGGER:
      drop->object = ast::DropKind::kTrigger;
      break;
    default:
      syntax_error();
      return nullptr;
  }
  advance();
  drop->if_exists = accept(Kind::k_IF);
  if (drop->if_exists && !expect(Kind::k_EXISTS)) return nullptr;
  return parse_table_name(&drop->name) ? drop : nullptr;
}

ast::Statement* Parser::parse_alter() {
  auto* alter = arena_->make<ast::AlterTableStatement>();
  advance();
  if (!expect(Kind::k_TABLE) || !parse_table_name(&alter->table)) return nullptr;
  bool parsed = false;
  if (accept(Kind::k_RENAME)) {
    parsed = parse_alter_rename(alter);
  } else if (accept(Kind::k_ADD)) {
    parsed = parse_alter_add(alter);
  } else if (accept(Kind::k_DROP)) {
    parsed = parse_alter_drop(alter);
  } else if (accept(Kind::k_ALTER)) {
    parsed = parse_alter_column(alter);
  } else {
    syntax_error();
  }
  return parsed ? alter : nullptr;
}

bool Parser::parse_alter_rename(ast::AlterTableStatement* alter) {
  if (accept(Kind::k_TO)) {
    alter->action = ast::AlterKind::kRenameTable;
    return parse_name(&alter->new_name);
  }
  alter->action = ast::AlterKind::kRenameColumn;
  accept(Kind::k_COLUMN);
  return parse_name(&alter->column) && expect(Kind::k_TO) && parse_name(&alter->new_name);
}

bool Parser::parse_alter_add(ast::AlterTableStatement* alter) {
  if (at(Kind::k_CONSTRAINT) || at(Kind::k_CHECK)) {
    alter->action = ast::AlterKind::kAddCheck;
    uint32_t start = token_.offset;
    alter->check = arena_->make<ast::TableConstraint>();
    if (accept(Kind::k_CONSTRAINT) && !parse_name(&alter->check->name)) return false;
    if (!at(Kind::k_CHECK)) return syntax_error();
    if (!parse_table_constraint(alter->check)) return false;
    alter->check->range = alter->added_text = range_from(start);
    return true;
  }
  alter->action = ast::AlterKind::kAddColumn;
  accept(Kind::k_COLUMN);
  alter->column_def = arena_->make<ast::ColumnDef>();
  if (!parse_column(alter->column_def)) return false;
  alter->added_text = alter->column_def->range;
  return true;
}

bool Parser::parse_alter_drop(ast::AlterTableStatement* alter) {
  if (accept(Kind::k_CONSTRAINT)) {
    alter->action = ast::AlterKind::kDropConstraint;
    return parse_name(&alter->constraint);
  }
  alter->action = ast::AlterKind::kDropColumn;
  accept(Kind::k_COLUMN);
  return parse_name(&alter->column);
}

bool Parser::parse_alter_column(ast::AlterTableStatement* alter) {
  accept(Kind::k_COLUMN);
  if (!parse_name(&alter->column)) return false;
  if (accept(Kind::k_DROP)) {
    alter->action = ast::AlterKind::kDropNotNull;
    return expect(Kind::k_NOT, Kind::k_NULL);
  }
  alter->action = ast::AlterKind::kSetNotNull;
  if (!expect(Kind::k_SET)) return false;
  uint32_t start = token_.offset;
  if (!expect(Kind::k_NOT, Kind::k_NULL) || !parse_on_conflict(&alter->conflict)) return false;
  alter->added_text = range_from(start);
  return true;
}

}  // namespace godwit::internal
