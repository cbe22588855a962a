// CREATE TABLE: columns, types, options.
#include <cctype>

#include "sql/parser_impl.h"

namespace godwit::internal {

namespace {

bool ends_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  text.remove_prefix(text.size() - word.size());
  for (size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) return false;
  }
  return true;
}

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty() && is_sql_space(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

bool Parser::parse_if_not_exists(bool* flag) {
  *flag = accept(Kind::k_IF);
  return !*flag || (expect(Kind::k_NOT, Kind::k_EXISTS));
}

ast::Statement* Parser::parse_create_table(bool temporary) {
  auto* table = arena_->make<ast::CreateTableStatement>();
  table->temporary = temporary;
  advance();
  if (!parse_if_not_exists(&table->if_not_exists) || !parse_table_name(&table->name)) {
    return nullptr;
  }
  if (accept(Kind::k_AS)) {
    if (!at_select()) {
      syntax_error();
      return nullptr;
    }
    table->select = parse_select();
    if (table->select == nullptr) return nullptr;
  } else if (!expect(Kind::kLeftParen) || !parse_table_body(table) || !expect(Kind::kRightParen) ||
             !parse_table_options(table)) {
    return nullptr;
  }
  table->schema_text = range_from(table->name.table.range.offset);
  return table;
}

// Columns, then constraints.
bool Parser::parse_table_body(ast::CreateTableStatement* table) {
  ListBuilder<ast::ColumnDef> columns(arena_);
  do {
    if (columns.size() > 0 && at_table_constraint()) {
      table->columns = columns.list();
      return parse_table_constraints(&table->constraints);
    }
    if (columns.size() == static_cast<size_t>(limits_.columns) && at_role(kRoleName)) {
      return fail("too many columns on " + std::string(table->name.table.text));
    }
    if (!parse_column(&columns.add())) return false;
  } while (accept(Kind::kComma));
  table->columns = columns.list();
  return true;
}

// Commas between table constraints are optional.
bool Parser::parse_table_constraints(std::span<ast::TableConstraint>* constraints) {
  ListBuilder<ast::TableConstraint> list(arena_);
  bool after_comma = true;
  while (after_comma || at_table_constraint()) {
    ast::TableConstraint constraint;
    uint32_t start = token_.offset;
    // A name without a constraint is allowed, and means nothing.
    bool only_name = false;
    if (accept(Kind::k_CONSTRAINT)) {
      if (!parse_name(&constraint.name)) return false;
      only_name = at(Kind::kComma) || at(Kind::kRightParen) || at(Kind::k_CONSTRAINT);
    }
    if (!only_name) {
      if (!parse_table_constraint(&constraint)) return false;
      constraint.range = range_from(start);
      list.add(constraint);
    }
    after_comma = accept(Kind::kComma);
  }
  *constraints = list.list();
  return true;
}

bool Parser::parse_table_options(ast::CreateTableStatement* table) {
  if (!at(Kind::k_WITHOUT) && !at_role(kRoleName) && !at(Kind::kComma)) return true;
  accept(Kind::kComma);  // may stand before the first option too
  do {
    bool without = accept(Kind::k_WITHOUT);
    if (!at_role(kRoleName)) return syntax_error();
    bool known = at_word(without ? "rowid" : "strict");
    (without ? table->without_rowid : table->strict) = true;
    std::string option(text());
    advance();
    if (!known) fail_later("unknown table option: " + option);
  } while (accept(Kind::kComma));
  return true;
}

bool Parser::parse_column(ast::ColumnDef* column) {
  uint32_t start = token_.offset;
  if (!parse_name(&column->name) || !parse_column_type(&column->type)) return false;
  ListBuilder<ast::ColumnConstraint> constraints(arena_);
  while (at_column_constraint()) {
    ast::ColumnConstraint constraint;
    bool is_constraint = true;
    if (accept(Kind::k_CONSTRAINT)) {
      if (!parse_name(&constraint.name)) return false;
      is_constraint = at_column_constraint() && !at(Kind::k_CONSTRAINT);
    }
    if (!is_constraint) continue;
    bool is_deferral =
        at(Kind::k_DEFERRABLE) || (at(Kind::k_NOT) && tokenizer_.peek().kind == Kind::k_DEFERRABLE);
    if (is_deferral) {
      // Belongs to the foreign key before it, wherever that is; without one it means nothing.
      ast::ForeignKey ignored;
      if (!parse_deferrable(last_foreign_key_ != nullptr ? last_foreign_key_ : &ignored)) {
        return false;
      }
      continue;
    }
    if (!parse_column_constraint(&constraint)) return false;
    constraints.add(constraint);
  }
  column->constraints = constraints.list();
  column->range = range_from(start);
  return true;
}

// The words GENERATED ALWAYS are read as part of the type, so they are taken off its end.
bool Parser::parse_column_type(std::string_view* type) {
  if (!parse_type(type)) return false;
  constexpr std::string_view kGenerated = "generated";
  constexpr std::string_view kAlways = "always";
  if (type->size() >= kGenerated.size() + 1 + kAlways.size() && ends_with_word(*type, kAlways)) {
    *type = without_trailing_space(type->substr(0, type->size() - kAlways.size()));
    if (ends_with_word(*type, kGenerated)) {
      *type = without_trailing_space(type->substr(0, type->size() - kGenerated.size()));
    }
  }
  return true;
}

}  // namespace godwit::internal
