// The parser's state and its methods, one group a source file. Internal to sql/.
//
// Errors stick: the first one is kept, the method that noticed it returns false or null, and every
// caller passes that on at once. Before taking a token, methods test it with at(); a token that no
// rule wants ends in syntax_error(), which names it as SQLite does.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sql/list_builder.h"
#include "sql/parser.h"
#include "sql/token.h"

namespace godwit::internal {

using Kind = TokenKind;

// Binding strength of operators, weakest first.
enum Precedence : int {
  kLowest = 0,
  kPrecedenceOr = 1,
  kPrecedenceAnd,
  kPrecedenceNot,
  kPrecedenceEquality,  // = == <> != IS IN LIKE GLOB MATCH REGEXP BETWEEN ISNULL NOTNULL
  kPrecedenceComparison,
  kPrecedenceBit,
  kPrecedenceAdd,
  kPrecedenceMultiply,
  kPrecedenceConcat,
  kPrecedenceCollate,
  kPrecedenceUnary,
};

class Parser {
 public:
  Parser(std::string_view sql, Arena* arena, const ParseLimits& limits);

  // The next statement that is not empty; null at the end of the text and on error.
  ast::Statement* parse();
  ast::Expr* parse_lone_expression();

  bool failed() const { return failed_; }
  Status take_error();
  int32_t error_offset() const { return error_offset_; }
  // Bytes of the text that were read as tokens.
  size_t consumed() const { return token_.end(); }
  int32_t parameter_count() const { return parameter_count_; }
  std::span<std::string_view> parameter_names();
  std::span<ast::Name> schemas() const { return schemas_.list(); }

 private:
  // ---- parser.cc: tokens, errors, names -------------------------------------------------------
  void advance() {
    if (pending_) [[unlikely]]
      fail(std::move(pending_error_), pending_offset_);
    previous_end_ = token_.end();
    token_ = tokenizer_.next();
  }
  bool at(Kind kind) const { return token_.kind == kind; }
  bool accept(Kind kind) {
    if (token_.kind != kind) return false;
    advance();
    return true;
  }
  [[nodiscard]] bool expect(Kind kind) { return accept(kind) || syntax_error(); }
  [[nodiscard]] bool expect(Kind first, Kind second) { return expect(first) && expect(second); }
  bool at_role(uint8_t role) const {
    return (kNameRoles[static_cast<int>(token_.kind)] & role) != 0;
  }
  bool at_word(std::string_view word) const;
  std::string_view text() const { return tokenizer_.text(token_); }

  // All return false, so that `return fail(...)` reads well.
  bool fail(std::string message, int64_t offset = -1);
  bool syntax_error();
  // Fails when the next token has been taken: if that token is a syntax error, it comes first.
  void fail_later(std::string message, int64_t offset = -1) {
    if (pending_) return;
    pending_ = true;
    pending_error_ = std::move(message);
    pending_offset_ = offset;
  }
  bool check_height(int height);

  ast::Name take_name();
  [[nodiscard]] bool parse_name(ast::Name* name, uint8_t role = kRoleName);
  [[nodiscard]] bool parse_table_name(ast::TableName* name);
  [[nodiscard]] bool parse_name_list(std::span<ast::Name>* names);
  // `(a, b)`; SQLite's grammar lets COLLATE and a direction follow a name, and then complains.
  [[nodiscard]] bool parse_plain_columns(std::span<ast::Name>* names);
  [[nodiscard]] bool parse_optional_columns(std::span<ast::Name>* names);
  std::string_view unquoted(std::string_view text);
  ast::SourceRange range_from(uint32_t start) const { return {start, previous_end_ - start}; }
  ast::SourceRange trimmed(uint32_t start, uint32_t end) const;

  // Counts what has been begun and not ended, in symbols of an LR parser: that is SQLite's measure.
  class Depth {
   public:
    Depth(Parser* parser, int levels) : parser_(parser), levels_(levels) {
      parser_->depth_ += levels;
    }
    ~Depth() { parser_->depth_ -= levels_; }
    [[nodiscard]] bool ok() const {
      return parser_->depth_ <= parser_->limits_.parser_depth || parser_->fail("Recursion limit");
    }

   private:
    Parser* parser_;
    int levels_;
  };

  // ---- parser_statement.cc: dispatch, transactions, the connection ----------------------------
  ast::Statement* parse_statement_body();
  ast::Statement* parse_with_statement();
  ast::Statement* parse_create();
  ast::Statement* parse_begin();
  ast::Statement* parse_commit();
  ast::Statement* parse_rollback();
  ast::Statement* parse_savepoint();
  ast::Statement* parse_release();
  ast::Statement* parse_pragma();
  ast::Statement* parse_attach();
  ast::Statement* parse_detach();
  ast::Statement* parse_vacuum();
  template <typename T>
  ast::Statement* parse_analyze_or_reindex();
  bool parse_transaction_word();
  bool parse_pragma_value(ast::PragmaStatement* pragma);

  // ---- parser_expr.cc, parser_primary.cc ------------------------------------------------------
  ast::Expr* parse_expr(int min_precedence = kLowest);
  ast::Expr* parse_infix(ast::Expr* left, uint32_t start, int min_precedence);
  ast::Expr* parse_prefix();
  ast::Expr* parse_unary(ast::UnaryOp op, int operand_precedence);
  ast::Expr* parse_postfix(ast::Expr* left, uint32_t start);
  ast::Expr* parse_binary(ast::Expr* left, uint32_t start, ast::BinaryOp op, int precedence);
  ast::Expr* parse_is(ast::Expr* left, uint32_t start);
  ast::Expr* parse_not_infix(ast::Expr* left, uint32_t start);
  ast::Expr* parse_like(ast::Expr* left, uint32_t start, ast::LikeOp op, std::string_view word,
                        bool negated);
  ast::Expr* parse_between(ast::Expr* left, uint32_t start, bool negated);
  ast::Expr* parse_in(ast::Expr* left, uint32_t start, bool negated);
  bool parse_in_source(ast::InExpr* in);
  ast::Expr* parse_collate(ast::Expr* left, uint32_t start);
  ast::Expr* make_postfix_unary(ast::Expr* left, uint32_t start, ast::UnaryOp op);

  ast::Expr* parse_primary();
  ast::Expr* parse_name_expr();
  ast::Expr* parse_term();  // literals without names; null without an error if there is none
  ast::Expr* parse_literal(ast::LiteralKind kind);
  ast::Expr* parse_number();
  ast::Expr* parse_string();
  ast::Expr* parse_blob();
  ast::Expr* parse_variable();
  ast::Expr* parse_parenthesized();
  ast::Expr* parse_case();
  ast::Expr* parse_cast();
  ast::Expr* parse_exists();
  ast::Expr* parse_raise();
  ast::Expr* parse_function(const ast::Name& name, uint32_t start);
  bool parse_arguments(ast::FunctionExpr* function);
  bool parse_filter_over(ast::FunctionExpr* function);
  bool parse_expr_list(std::span<ast::Expr*>* list, int* height);
  bool parse_more_exprs(ListBuilder<ast::Expr*>* builder, std::span<ast::Expr*>* list, int* height);
  bool parse_type(std::string_view* type);
  bool parse_type_size();
  bool assign_number(ast::BindExpr* bind, std::string_view name, uint32_t offset);

  template <typename T>
  T* make_expr(uint32_t start) {
    T* expr = arena_->make<T>();
    expr->range.offset = start;
    return expr;
  }
  // Sets the end and the height of a node whose children are done; null if it is too high.
  ast::Expr* finish(ast::Expr* expr, int height_of_children);

  // ---- parser_select.cc, parser_from.cc, parser_window.cc -------------------------------------
  bool at_select() const { return at(Kind::k_SELECT) || at(Kind::k_VALUES) || at(Kind::k_WITH); }
  ast::Select* parse_select();
  ast::Select* parse_select_without_with(ast::With* with, uint32_t start);
  ast::Select* parse_parenthesized_select();  // SELECT ... ), the ( already taken
  bool parse_select_core(ast::Select* select, ast::SelectCore* core);
  bool parse_select_tail(ast::Select* select, ast::SelectCore* core);
  bool parse_values_core(ast::Select* select, ast::SelectCore* core);
  bool parse_compound_operator(ast::CompoundOp* op);
  ast::With* parse_with();
  bool parse_common_table(ast::CommonTable* table);
  bool parse_result_columns(std::span<ast::ResultColumn>* columns, int* height);
  bool parse_result_column(ast::ResultColumn* column);
  bool at_table_star();
  bool parse_alias(ast::Name* alias);
  bool parse_order_terms(std::span<ast::OrderTerm>* terms, int* height = nullptr);
  bool parse_order_by(std::span<ast::OrderTerm>* terms, int* height = nullptr);
  bool parse_limit(ast::Expr** limit, ast::Expr** offset);
  bool parse_where(ast::Expr** where);

  bool parse_from(std::span<ast::FromItem>* items);
  bool parse_from_list(std::span<ast::FromItem>* items);
  bool parse_from_item(ast::FromItem* item);
  bool parse_from_table(ast::FromItem* item);
  bool parse_index_hint(ast::IndexHint* hint, ast::Name* index);
  bool parse_on_using(ast::FromItem* item);
  bool parse_join_operator(ast::FromItem* item, bool* found);
  void apply_join_words(ast::FromItem* item, const Token* words, int count);

  bool parse_window_clause(std::span<ast::WindowDef*>* windows);
  ast::WindowDef* parse_window();  // what stands between the parentheses, and the closing one
  bool parse_frame(ast::WindowDef* window);
  bool parse_frame_bound(ast::FrameBound* bound, bool is_end);
  bool parse_frame_exclude(ast::WindowDef* window);

  // ---- parser_dml.cc --------------------------------------------------------------------------
  ast::Statement* parse_insert(ast::With* with);
  ast::Statement* parse_update(ast::With* with);
  ast::Statement* parse_delete(ast::With* with);
  bool parse_or_conflict(ast::ConflictAction* action);
  bool parse_resolution(ast::ConflictAction* action);
  bool parse_target(ast::TableName* target, ast::Name* alias);
  bool parse_target_index(ast::IndexHint* hint, ast::Name* index);
  bool parse_assignments(std::span<ast::Assignment>* assignments);
  bool parse_assignment(ast::Assignment* assignment);
  bool parse_upserts(ast::InsertStatement* insert);
  bool parse_upsert(ast::Upsert* upsert);
  bool parse_returning(std::span<ast::ResultColumn>* columns);
  bool parse_dml_limit(const char* verb, std::span<ast::OrderTerm>* order_by, ast::Expr** limit,
                       ast::Expr** offset);

  // ---- parser_table.cc, parser_constraint.cc --------------------------------------------------
  ast::Statement* parse_create_table(bool temporary);
  bool parse_if_not_exists(bool* flag);
  bool parse_table_body(ast::CreateTableStatement* table);
  bool parse_table_options(ast::CreateTableStatement* table);
  bool parse_table_constraints(std::span<ast::TableConstraint>* constraints);
  bool parse_column(ast::ColumnDef* column);
  bool parse_column_type(std::string_view* type);
  bool at_column_constraint() const;
  bool parse_column_constraint(ast::ColumnConstraint* constraint);
  bool parse_default(ast::ColumnConstraint* constraint);
  bool parse_column_primary_key(ast::ColumnConstraint* constraint);
  bool parse_generated(ast::ColumnConstraint* constraint);
  bool parse_checked_expr(ast::Expr** expr, ast::SourceRange* range);
  bool at_table_constraint() const;
  bool parse_table_constraint(ast::TableConstraint* constraint);
  bool parse_table_key(ast::TableConstraint* constraint);
  bool parse_table_foreign_key(ast::TableConstraint* constraint);
  bool parse_references(ast::ForeignKey** key);
  bool parse_reference_actions(ast::ForeignKey* key);
  bool parse_foreign_key_action(ast::ForeignKeyAction* action);
  bool parse_deferrable(ast::ForeignKey* key);
  bool parse_on_conflict(ast::ConflictAction* action);
  void reject_explicit_nulls(std::span<const ast::OrderTerm> terms);

  // ---- parser_schema.cc -----------------------------------------------------------------------
  ast::Statement* parse_create_index(bool unique);
  ast::Statement* parse_create_view(bool temporary);
  ast::Statement* parse_create_virtual_table();
  bool parse_module_arguments(std::span<std::string_view>* arguments);
  ast::Statement* parse_drop();
  ast::Statement* parse_alter();
  bool parse_alter_add(ast::AlterTableStatement* alter);
  bool parse_alter_rename(ast::AlterTableStatement* alter);
  bool parse_alter_drop(ast::AlterTableStatement* alter);
  bool parse_alter_column(ast::AlterTableStatement* alter);

  // ---- parser_trigger.cc ----------------------------------------------------------------------
  ast::Statement* parse_create_trigger(bool temporary);
  bool parse_trigger_event(ast::CreateTriggerStatement* trigger);
  bool parse_trigger_body(ast::CreateTriggerStatement* trigger);
  ast::Statement* parse_trigger_step();

  Arena* arena_;
  ListBuilder<ast::Name> schemas_{arena_};  // ParsedStatement::schemas
  ParseLimits limits_;
  Tokenizer tokenizer_;
  Token token_;                // the next one, not yet taken
  uint32_t previous_end_ = 0;  // of the token taken last
  int depth_ = 2;
  bool in_trigger_ = false;
  bool qualified_target_ = false;                // a statement named its table as schema.table
  ast::ForeignKey* last_foreign_key_ = nullptr;  // of the table being read
  bool failed_ = false;
  int32_t error_offset_ = -1;
  std::string error_;
  // An error that counts unless the next token is a syntax error.
  bool pending_ = false;
  std::string pending_error_;
  int64_t pending_offset_ = -1;
  // An error that counts only if the statement is otherwise well-formed.
  const char* deferred_error_ = nullptr;

  int32_t parameter_count_ = 0;
  // Parameters that have a name; made when the first one comes.
  struct Parameters {
    std::unordered_map<std::string_view, int32_t> numbers;
    std::vector<std::string_view> names;  // by number
  };
  std::unique_ptr<Parameters> parameters_;
};

}  // namespace godwit::internal
