// The binder: from syntax trees (sql/ast.h) to bound trees (plan/bound.h). It resolves names, views
// and common table expressions, works out affinities and collations, finds aggregates, and reports
// everything that is wrong with a statement before it runs, in SQLite's words.
//
// A query binds with bind_query(). Statements that are not queries (INSERT, UPDATE, DELETE, trigger
// bodies, CHECK constraints, index expressions) push a scope, add the sources whose columns may be
// named, and bind their expressions in it:
//
//   binder.push_scope();
//   BoundSource* row = binder.add_table(table, "t");
//   GW_ASSIGN(BoundExpr* where, binder.bind_expr(*ast));
//   binder.pop_scope();
//
// Scopes nest: a name that the innermost one does not have is looked up in the next. Every public
// bind function leaves complete trees (correlations, used columns). After an error the binder must
// not be used again, but for error_offset().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "catalog/schema.h"
#include "function/registry.h"
#include "plan/authorizer.h"
#include "plan/bound.h"
#include "plan/name_observer.h"
#include "sql/ast.h"

namespace godwit {

// Functions and collations of a connection, built-in ones included. Names compare without case.
class NameResolver {
 public:
  virtual ~NameResolver() = default;
  virtual FunctionLookup find_function(std::string_view name, int argument_count) const = 0;
  virtual const Collation* find_collation(std::string_view name) const = 0;  // null: none
  // The virtual table that a module is under its own name; null: none.
  virtual Result<const Table*> find_table_function(std::string_view) const { return nullptr; }
  // The same table with its columns, which only its module knows. Errors: "no such module: x", ...
  virtual Result<const Table*> describe_virtual_table(const Table& table) const { return &table; }
  // The code behind a table of kind kVirtual that was described.
  virtual Result<VirtualTable*> find_virtual_table(const Table&) const {
    return Status::not_implemented("virtual tables");
  }
};

struct BindLimits {
  uint32_t columns = 2000;
  uint32_t compound_select = 500;
  uint32_t expr_depth = 1000;
  uint32_t function_arguments = 1000;
  uint32_t from_items = 64;
};

struct BindContext {
  const Catalog* catalog = nullptr;
  const NameResolver* names = nullptr;  // null: built-in functions and collations
  Arena* arena = nullptr;   // where bound trees live
  std::string_view sql;     // the text that ranges of the syntax tree are about
  BindLimits limits;
  bool double_quoted_strings_dml = true;
  bool double_quoted_strings_ddl = true;  // for the text of views, triggers and the schema
  bool trusted_schema = true;
  // Not so: views must not be used and triggers do not fire, but for those of the temp database.
  bool views = true;
  bool triggers = true;
  bool full_column_names = false;
  bool short_column_names = true;
  TextEncoding encoding = TextEncoding::kUtf8;  // decides what BINARY is
  NameObserver* observer = nullptr;  // may be null
  Authorizer* authorizer = nullptr;  // null: everything is allowed
  // Receives the databases (bits) whose tables are named; all, if a virtual table is. May be null.
  uint64_t* used_databases = nullptr;
};

// Where an expression stands, which decides what may be in it.
enum class ExprUse : uint8_t {
  kStatement,        // anything but aggregates
  kCheck,            // CHECK constraint
  kIndex,            // expression of an index
  kPartialIndex,     // WHERE of a partial index
  kGenerated,        // generated column
  kDefault,          // DEFAULT (expr): no columns
};

struct BinderState;

class Binder {
 public:
  explicit Binder(const BindContext& context);
  ~Binder();
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  // Columns of the pushed scopes may be used in it: it is correlated then.
  Result<BoundQuery*> bind_query(const ast::Select& select, bool is_insert_values = false);
  // What INSERT takes its rows from. VALUES of one row are just expressions there: no aggregates, and
  // a WITH clause before it is not seen.
  Result<BoundQuery*> bind_insert_source(const ast::Select& select);

  // ---- Scopes -------------------------------------------------------------------------------

  void push_scope();
  void pop_scope();
  // A table in the innermost scope. `qualified_only`: only name.column finds it (new, old,
  // excluded). The join of the source is kInner, its flags are clear.
  BoundSource* add_table(const Table& table, std::string_view name, bool qualified_only = false);
  // NEW or OLD of a trigger: found as name.column alone. Its columns have collations but, but for the
  // rowid, no affinity.
  BoundSource* add_trigger_row(const Table& table, std::string_view name);
  // A view in the innermost scope, as the query that it is.
  Result<BoundSource*> add_view(const Table& view, std::string_view name);
  // Column `column` of a view that was added.
  BoundExpr* view_column(const BoundSource& view, int32_t column);
  // As SELECT * would. Errors: a VIRTUAL column is made of itself.
  Status use_all_columns(const BoundSource& source);
  // The row of RETURNING: as add_table(), but no schema name finds it.
  BoundSource* add_returning_row(const Table& table);
  // The same for a table whose rows are read (UPDATE, DELETE): VIRTUAL columns are bound too.
  Result<BoundSource*> add_scanned_table(const Table& table, std::string_view name);
  // A FROM clause in the innermost scope, behind what is there (UPDATE ... FROM). ON terms are bound
  // too. The sources are those of this clause.
  Result<std::span<BoundSource*>> bind_from(std::span<ast::FromItem> items);
  // The common tables are seen by everything bound until pop_with().
  Status push_with(const ast::With& with);
  void pop_with();
  // Names inside the text of a schema object: unqualified tables are looked up in `database` alone
  // (temp: everywhere), and ranges of syntax trees are about `sql`. RAISE() is for triggers only.
  void enter_schema_text(int database, std::string_view sql, bool is_trigger = false);
  void leave_schema_text();
  // The view or trigger on whose behalf the authorizer is asked from now on; returns the one before.
  std::string_view set_inner_name(std::string_view name);
  // Asks the authorizer whether rows of `table` may be changed. True: they are to be left alone.
  Result<bool> authorize_write(AuthAction action, const Table& table, std::string_view column = {});

  // ---- In the innermost scope -----------------------------------------------------------------

  // A scalar; row values and subqueries of several columns are refused.
  Result<BoundExpr*> bind_expr(const ast::Expr& expr, ExprUse use = ExprUse::kStatement);
  // `columns` values: (a, b) = (1, 2) or a subquery (then one kScalarQuery with row_columns).
  Result<BoundExpr*> bind_row(const ast::Expr& expr, uint32_t columns);
  // RETURNING: stars are expanded.
  Result<std::span<ResultColumn>> bind_results(std::span<ast::ResultColumn> columns);
  // ORDER BY of UPDATE and DELETE: expressions over the scope, or numbers of `results`.
  Result<std::span<OrderTerm>> bind_order_by(std::span<ast::OrderTerm> terms,
                                             std::span<const ResultColumn> results);
  // Outside of every scope: no columns.
  Result<BoundExpr*> bind_limit(const ast::Expr& expr);

  // ---- Names and ids ----------------------------------------------------------------------------

  // A table or view, or "no such table: x".
  Result<const Table*> find_table(const ast::TableName& name);
  // The code behind a virtual table that is to be changed, or why it cannot be.
  Result<VirtualTable*> find_writable(const Table& table);
  // "no such index: x" unless the table has it.
  Result<const Index*> find_index(const Table& table, const ast::Name& name);
  SourceId new_source_id();
  // All sources made so far, by id; null for ids of outputs.
  BoundSource* source(SourceId id) const;

  // Byte in BindContext::sql where the last error was noticed; -1: unknown.
  int32_t error_offset() const;
  // Comparisons by collations that the connection does not have are no errors while this is set.
  void allow_missing_collations(bool allow);

 private:
  Status ask_pending();
  BinderState* state_;  // in the arena
};

}  // namespace godwit
