// The printer's state: the text so far. Internal to sql/.
#pragma once

#include <string>

#include "sql/ast.h"

namespace godwit::internal {

class Printer {
 public:
  std::string take() { return std::move(out_); }

  // printer_expr.cc
  void expr(const ast::Expr& expr);
  void name(const ast::Name& name);

  // printer_select.cc
  void select(const ast::Select& select);

  // printer_statement.cc
  void statement(const ast::Statement& statement);

  // printer_schema.cc
  void column_def(const ast::ColumnDef& column);

 private:
  void put(std::string_view text) { out_ += text; }
  template <typename List, typename Print>
  void list(const List& elements, Print print_element) {
    bool first = true;
    for (const auto& element : elements) {
      if (!first) put(", ");
      first = false;
      print_element(element);
    }
  }

  void names(std::span<const ast::Name> list);
  void names_in_parentheses(std::span<const ast::Name> list);
  void qualified(const ast::Name& schema, const ast::Name& object);
  void qualified(const ast::TableName& name) { qualified(name.schema, name.table); }
  void alias(const ast::Name& alias);

  void exprs(std::span<ast::Expr* const> list);
  void operand(const ast::Expr& expr, int min_precedence);
  void literal(const ast::LiteralExpr& literal);
  void column(const ast::ColumnExpr& column);
  void unary(const ast::UnaryExpr& unary);
  void binary(const ast::BinaryExpr& binary);
  void between(const ast::BetweenExpr& between);
  void like(const ast::LikeExpr& like);
  void in(const ast::InExpr& in);
  void case_when(const ast::CaseExpr& expr);
  void function(const ast::FunctionExpr& function);
  void raise(const ast::RaiseExpr& raise);
  void order_terms(std::span<const ast::OrderTerm> terms);
  void subquery(const ast::Select& select);

  void with(const ast::With* with);
  void select_core(const ast::SelectCore& core);
  void values(const ast::SelectCore& core);
  void result_columns(std::span<const ast::ResultColumn> columns);
  void from(std::span<const ast::FromItem> items);
  void from_list(std::span<const ast::FromItem> items);
  void from_item(const ast::FromItem& item);
  void join(const ast::FromItem& item);
  void index_hint(ast::IndexHint hint, const ast::Name& index);
  void window(const ast::WindowDef& window);
  void frame(const ast::WindowDef& window);
  void frame_bound(const ast::FrameBound& bound);
  void clause(std::string_view words, const ast::Expr* expr);
  void order_and_limit(std::span<const ast::OrderTerm> order_by, const ast::Expr* limit,
                       const ast::Expr* offset);

  void insert(const ast::InsertStatement& insert);
  void upsert(const ast::Upsert& upsert);
  void update(const ast::UpdateStatement& update);
  void delete_from(const ast::DeleteStatement& statement);
  void assignments(std::span<const ast::Assignment> list);
  void returning(std::span<const ast::ResultColumn> columns);
  void or_conflict(ast::ConflictAction action);
  void on_conflict(ast::ConflictAction action);
  void transaction(const ast::Statement& statement);
  void pragma(const ast::PragmaStatement& pragma);
  void attach(const ast::AttachStatement& attach);
  void object(std::string_view word, const ast::Name& first, const ast::Name& second);

  void schema_statement(const ast::Statement& statement);
  void create_table(const ast::CreateTableStatement& table);
  void create_index(const ast::CreateIndexStatement& index);
  void create_view(const ast::CreateViewStatement& view);
  void create_trigger(const ast::CreateTriggerStatement& trigger);
  void create_virtual_table(const ast::CreateVirtualTableStatement& table);
  void drop(const ast::DropStatement& drop);
  void alter(const ast::AlterTableStatement& alter);
  void column_constraint(const ast::ColumnConstraint& constraint);
  void table_constraint(const ast::TableConstraint& constraint);
  void constraint_name(const ast::Name& name);
  void foreign_key(const ast::ForeignKey& key);

  std::string out_;
};

}  // namespace godwit::internal
