// Statements that change data, the schema or the connection.
#pragma once

#include "sql/ast_select.h"

namespace godwit::ast {

enum class StatementKind : uint8_t {
  kSelect,  // SelectStatement
  kInsert,
  kUpdate,
  kDelete,
  kCreateTable,
  kCreateIndex,
  kCreateView,
  kCreateTrigger,
  kCreateVirtualTable,
  kDrop,
  kAlterTable,
  kBegin,
  kCommit,
  kRollback,
  kSavepoint,
  kRelease,
  kPragma,
  kAttach,
  kDetach,
  kVacuum,
  kAnalyze,
  kReindex,
};

enum class Explain : uint8_t { kNone, kExplain, kQueryPlan };

struct Statement {
  StatementKind kind;
  Explain explain = Explain::kNone;
  // From the first token (EXPLAIN included) to the last before the semicolon.
  SourceRange range;

  template <typename T>
  T* as() {
    GW_ASSERT(kind == T::kKind);
    return static_cast<T*>(this);
  }
  template <typename T>
  const T* as() const {
    GW_ASSERT(kind == T::kKind);
    return static_cast<const T*>(this);
  }
  template <typename T>
  T* try_as() {
    return kind == T::kKind ? static_cast<T*>(this) : nullptr;
  }
  template <typename T>
  const T* try_as() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

 protected:
  explicit Statement(StatementKind k) : kind(k) {}
};

template <StatementKind K>
struct StatementBase : Statement {
  static constexpr StatementKind kKind = K;
  StatementBase() : Statement(K) {}
};

struct SelectStatement : StatementBase<StatementKind::kSelect> {
  Select* select = nullptr;
};

// ---- Data -----------------------------------------------------------------------------------

// ON CONFLICT of a constraint, OR of a statement. kDefault: nothing was written.
enum class ConflictAction : uint8_t { kDefault, kRollback, kAbort, kFail, kIgnore, kReplace };

struct TableName {
  Name schema;  // may be absent
  Name table;
};

// SET column = expr, or SET (columns) = expr where expr is a row value or a subquery.
struct Assignment {
  std::span<Name> columns;
  bool is_row = false;  // the columns were in parentheses
  Expr* expr = nullptr;
};

struct Upsert {
  std::span<OrderTerm> target;  // empty: any conflict
  Expr* target_where = nullptr;
  bool do_nothing = false;
  std::span<Assignment> assignments;
  Expr* where = nullptr;
};

struct InsertStatement : StatementBase<StatementKind::kInsert> {
  With* with = nullptr;
  ConflictAction conflict = ConflictAction::kDefault;  // REPLACE INTO: kReplace
  TableName target;
  Name alias;
  std::span<Name> columns;
  Select* select = nullptr;  // null: DEFAULT VALUES
  std::span<Upsert> upserts;
  std::span<ResultColumn> returning;
};

struct UpdateStatement : StatementBase<StatementKind::kUpdate> {
  With* with = nullptr;
  ConflictAction conflict = ConflictAction::kDefault;
  TableName target;
  Name alias;
  IndexHint index_hint = IndexHint::kNone;
  Name index;
  std::span<Assignment> assignments;
  std::span<FromItem> from;
  Expr* where = nullptr;
  std::span<OrderTerm> order_by;
  Expr* limit = nullptr;
  Expr* offset = nullptr;
  std::span<ResultColumn> returning;
};

struct DeleteStatement : StatementBase<StatementKind::kDelete> {
  With* with = nullptr;
  TableName target;
  Name alias;
  IndexHint index_hint = IndexHint::kNone;
  Name index;
  Expr* where = nullptr;
  std::span<OrderTerm> order_by;
  Expr* limit = nullptr;
  Expr* offset = nullptr;
  std::span<ResultColumn> returning;
};

// ---- Schema ---------------------------------------------------------------------------------

enum class ForeignKeyAction : uint8_t { kNoAction, kRestrict, kSetNull, kSetDefault, kCascade };

struct ForeignKey {
  Name table;
  std::span<Name> columns;  // of the parent; empty: its primary key
  ForeignKeyAction on_delete = ForeignKeyAction::kNoAction;
  ForeignKeyAction on_update = ForeignKeyAction::kNoAction;
  bool has_deferrable = false;  // [NOT] DEFERRABLE was written
  bool deferrable = false;
  bool initially_deferred = false;

  bool deferred() const { return deferrable && initially_deferred; }
};

enum class ColumnConstraintKind : uint8_t {
  kPrimaryKey,
  kNotNull,
  kNull,  // NULL: means nothing
  kUnique,
  kCheck,
  kDefault,
  kCollate,
  kReferences,
  kGenerated,
};

struct ColumnConstraint {
  ColumnConstraintKind kind = ColumnConstraintKind::kNull;
  Name name;                                           // CONSTRAINT name
  ConflictAction conflict = ConflictAction::kDefault;  // kPrimaryKey, kNotNull, kNull, kUnique
  bool descending = false;                             // kPrimaryKey
  bool explicit_direction = false;                     // kPrimaryKey
  bool autoincrement = false;                          // kPrimaryKey
  bool in_parentheses = false;                         // kDefault: DEFAULT (expr)
  bool generated_always = false;                       // kGenerated: the words were written
  Name storage;                       // kGenerated: STORED or VIRTUAL as written; may be absent
  Expr* expr = nullptr;               // kCheck, kDefault, kGenerated
  SourceRange expr_text;              // of expr, without the parentheses that belong to the clause
  Name collation;                     // kCollate
  ForeignKey* foreign_key = nullptr;  // kReferences
};

struct ColumnDef {
  Name name;
  std::string_view type;  // as written, words separated by what separated them; may be empty
  std::span<ColumnConstraint> constraints;
  SourceRange range;
};

enum class TableConstraintKind : uint8_t { kPrimaryKey, kUnique, kCheck, kForeignKey };

struct TableConstraint {
  TableConstraintKind kind = TableConstraintKind::kCheck;
  Name name;
  ConflictAction conflict = ConflictAction::kDefault;
  std::span<OrderTerm> columns;       // kPrimaryKey, kUnique
  bool autoincrement = false;         // kPrimaryKey
  Expr* expr = nullptr;               // kCheck
  SourceRange expr_text;              // kCheck: between the parentheses
  std::span<Name> child_columns;      // kForeignKey
  ForeignKey* foreign_key = nullptr;  // kForeignKey
  SourceRange range;
};

// For statements that make a schema object, `schema_text` runs from the object's (unqualified) name
// to the end: sqlite_schema.sql is a fixed beginning ("CREATE TABLE ") and that text.
struct CreateTableStatement : StatementBase<StatementKind::kCreateTable> {
  bool temporary = false;
  bool if_not_exists = false;
  TableName name;
  std::span<ColumnDef> columns;
  std::span<TableConstraint> constraints;
  bool without_rowid = false;
  bool strict = false;
  Select* select = nullptr;  // CREATE TABLE ... AS
  SourceRange schema_text;
};

struct CreateIndexStatement : StatementBase<StatementKind::kCreateIndex> {
  bool unique = false;
  bool if_not_exists = false;
  TableName name;  // of the index
  Name table;
  std::span<OrderTerm> columns;
  Expr* where = nullptr;
  SourceRange schema_text;
};

struct CreateViewStatement : StatementBase<StatementKind::kCreateView> {
  bool temporary = false;
  bool if_not_exists = false;
  TableName name;
  std::span<Name> columns;
  Select* select = nullptr;
  SourceRange schema_text;
};

enum class TriggerTime : uint8_t { kBefore, kAfter, kInsteadOf };
enum class TriggerEvent : uint8_t { kDelete, kInsert, kUpdate };

struct CreateTriggerStatement : StatementBase<StatementKind::kCreateTrigger> {
  bool temporary = false;
  bool if_not_exists = false;
  bool for_each_row = false;  // was written; triggers are always for each row
  bool explicit_time = false;
  TableName name;
  TriggerTime time = TriggerTime::kBefore;
  TriggerEvent event = TriggerEvent::kDelete;
  std::span<Name> update_of;
  TableName table;
  Expr* when = nullptr;
  std::span<Statement*> body;  // SELECT, INSERT, UPDATE, DELETE
  SourceRange schema_text;
};

struct CreateVirtualTableStatement : StatementBase<StatementKind::kCreateVirtualTable> {
  bool if_not_exists = false;
  TableName name;
  Name module;
  std::span<std::string_view> arguments;  // the text between the commas, trimmed
  SourceRange schema_text;
};

enum class DropKind : uint8_t { kTable, kIndex, kView, kTrigger };

struct DropStatement : StatementBase<StatementKind::kDrop> {
  DropKind object = DropKind::kTable;
  bool if_exists = false;
  TableName name;
};

enum class AlterKind : uint8_t {
  kRenameTable,     // RENAME TO new_name
  kRenameColumn,    // RENAME [COLUMN] column TO new_name
  kAddColumn,       // ADD [COLUMN] column_def
  kDropColumn,      // DROP [COLUMN] column
  kAddCheck,        // ADD [CONSTRAINT constraint] CHECK (expr)
  kDropConstraint,  // DROP CONSTRAINT constraint
  kSetNotNull,      // ALTER [COLUMN] column SET NOT NULL
  kDropNotNull,     // ALTER [COLUMN] column DROP NOT NULL
};

struct AlterTableStatement : StatementBase<StatementKind::kAlterTable> {
  AlterKind action = AlterKind::kRenameTable;
  TableName table;
  Name column;
  Name new_name;
  ColumnDef* column_def = nullptr;
  TableConstraint* check = nullptr;                    // kAddCheck
  Name constraint;                                     // kDropConstraint
  ConflictAction conflict = ConflictAction::kDefault;  // kSetNotNull
  SourceRange
      added_text;  // kAddColumn, kAddCheck, kSetNotNull: what goes into the table's schema text
};

// ---- Transactions and the connection --------------------------------------------------------

enum class BeginMode : uint8_t { kDeferred, kImmediate, kExclusive, kConcurrent };

struct BeginStatement : StatementBase<StatementKind::kBegin> {
  BeginMode mode = BeginMode::kDeferred;
};

struct CommitStatement : StatementBase<StatementKind::kCommit> {};

struct RollbackStatement : StatementBase<StatementKind::kRollback> {
  Name savepoint;  // ROLLBACK TO; absent: the whole transaction
};

struct SavepointStatement : StatementBase<StatementKind::kSavepoint> {
  Name name;
};

struct ReleaseStatement : StatementBase<StatementKind::kRelease> {
  Name name;
};

enum class PragmaForm : uint8_t { kNone, kEquals, kCall };

struct PragmaStatement : StatementBase<StatementKind::kPragma> {
  Name schema;
  Name name;
  PragmaForm form = PragmaForm::kNone;
  std::string_view value;  // unquoted, a minus sign in front where one was written
};

struct AttachStatement : StatementBase<StatementKind::kAttach> {
  Expr* file = nullptr;
  Expr* schema = nullptr;
  Expr* key = nullptr;  // may be null
};

struct DetachStatement : StatementBase<StatementKind::kDetach> {
  Expr* schema = nullptr;
};

struct VacuumStatement : StatementBase<StatementKind::kVacuum> {
  Name schema;
  Expr* into = nullptr;
};

// ANALYZE and REINDEX: nothing, a schema, a table, an index or a collation; `first.second`.
struct AnalyzeStatement : StatementBase<StatementKind::kAnalyze> {
  Name first;
  Name second;
};

struct ReindexStatement : StatementBase<StatementKind::kReindex> {
  Name first;
  Name second;
};

}  // namespace godwit::ast
