// Bound INSERT, UPDATE and DELETE: where the rows come from, and what writing a row of the table
// takes.
#pragma once

#include <algorithm>
#include <span>

#include "plan/bound.h"
#include "plan/bound_foreign_key.h"

namespace godwit {

struct BoundTriggers;  // plan/bound_trigger.h

struct BoundIndexWrite {
  const Index* index = nullptr;
  // One per column of the index: the expression of an expression column, else null.
  std::span<BoundExpr*> expressions;
  BoundExpr* where = nullptr;  // partial index
  bool has_expressions = false;
  // UPDATE: some column that the index (or its WHERE) depends on is assigned.
  bool affected = true;
};

struct BoundCheck {
  const CheckConstraint* constraint = nullptr;
  BoundExpr* condition = nullptr;
};

// Everything that is evaluated or touched when a row of `table` is written. Expressions are over
// the columns of `row`, which stand for the row as it will be stored.
struct BoundTableWrite {
  const Table* table = nullptr;
  VirtualTable* virtual_table = nullptr;  // then nothing below counts
  const BoundSource* row = nullptr;
  std::span<BoundExpr*> defaults;   // one per column; null: NULL
  std::span<BoundExpr*> generated;  // one per column; null: not generated
  std::span<int32_t> generated_order;  // generated columns, each after those it uses
  std::span<BoundCheck> checks;
  std::span<BoundIndexWrite> indexes;  // in Table::indexes order, without the primary index
  // Uniqueness of the rowid or primary key is checked before this one of `indexes`.
  size_t key_position = 0;
  // AUTOINCREMENT: root of sqlite_sequence; else 0.
  PageNumber sequence_root = 0;
  std::span<const int32_t> assigned;  // UPDATE: the columns that change
  bool chooses_rowid = false;  // INSERT: no row gives one, so that none can be in the way of another
  BoundTriggers* triggers = nullptr;  // null: none fires
  // Null: there are none to enforce. For the event that the write is for, and for rows that are
  // removed (by DELETE, or by REPLACE).
  const BoundForeignKeys* foreign_keys = nullptr;
  const BoundForeignKeys* removal_keys = nullptr;
  bool is_assigned(int32_t column) const {
    return std::find(assigned.begin(), assigned.end(), column) != assigned.end();
  }
  // Writing a row may read or change other rows.
  bool has_side_effects() const {
    return triggers != nullptr || foreign_keys != nullptr || removal_keys != nullptr;
  }
  // Some expression is evaluated per row, so that the row must be laid out as a chunk.
  bool has_expressions = false;
};

// One ON CONFLICT clause of an INSERT. DO UPDATE: expressions are over the columns of `row`, the row
// that is there already, and of `excluded`, the row that could not be inserted.
struct BoundUpsert {
  bool do_nothing = false;
  const BoundSource* row = nullptr;
  const BoundSource* excluded = nullptr;
  BoundTableWrite* write = nullptr;
  std::span<int32_t> assigned;  // table columns; ColumnRef::kRowid: the rowid
  std::span<BoundExpr*> values;  // of `assigned`
  BoundExpr* where = nullptr;
};

// What makes a row unique: the rowid or primary key, or an index; and which ON CONFLICT clause takes
// over when the row is not.
struct BoundUniqueCheck {
  static constexpr int32_t kKey = -1;
  static constexpr int32_t kNoClause = -1;
  int32_t index = kKey;  // of BoundTableWrite::indexes
  int32_t clause = kNoClause;
};

// RETURNING: expressions over the row that was written (UPDATE, INSERT) or removed.
struct BoundReturning {
  const BoundSource* row = nullptr;
  std::span<ResultColumn> columns;
};

struct BoundInsert {
  BoundTableWrite* write = nullptr;
  std::span<BoundUpsert> upserts;
  // With upserts: all that is unique, in the order of the check, which is that of the clauses.
  std::span<BoundUniqueCheck> unique_checks;
  BoundReturning* returning = nullptr;  // null: no such clause
  ConflictAction conflict = ConflictAction::kDefault;
  BoundQuery* source = nullptr;  // null: DEFAULT VALUES
  // For each table column the source column that fills it, or -1: its default.
  std::span<int32_t> column_sources;
  // It writes one row and nothing else: immediate foreign keys are checked before that.
  bool is_alone = false;
  int32_t rowid_source = -1;  // source column for "rowid" in the column list, or -1
  bool must_buffer = false;   // the source reads the table: take all rows before the first insert

  // Inserting a row may change other rows.
  bool has_side_effects() const {
    return write->triggers != nullptr || write->removal_keys != nullptr ||
           std::any_of(upserts.begin(), upserts.end(), [](const BoundUpsert& clause) {
             return clause.write != nullptr && clause.write->has_side_effects();
           });
  }
};

// In which order UPDATE and DELETE change their rows. It shows in what OR FAIL leaves, in which rows
// OR IGNORE skips, in what triggers do and in what RETURNING gives. As in SQLite the rows are first
// all found and then changed by the order of their keys (the rowid or the primary key), but where the
// statement could as well change each when it is found: then the order is that of the search.
//
// The binder says which it is; the planner turns kKey into kSearch where that is the same.
enum class RowOrder : uint8_t { kSearch, kKey };

struct BoundUpdate {
  BoundTableWrite* write = nullptr;
  BoundReturning* returning = nullptr;  // null: no such clause
  ConflictAction conflict = ConflictAction::kDefault;
  // Columns: the row's rowid (rowid tables only; virtual tables: the rowid or primary key), all stored columns' values in table order (NULL
  // for virtual ones; a view's columns), then the new values of `assigned`.
  BoundQuery* source = nullptr;
  std::span<int32_t> assigned;  // table columns; ColumnRef::kRowid: the rowid
  // Rows are found first and then read one by one, because triggers may change them meanwhile. The
  // source gives the key (the rowid, or the columns of the primary key), and the new values after it
  // unless they are given by `values`, over the columns of `row`.
  bool by_key = false;
  const BoundSource* row = nullptr;
  std::span<BoundExpr*> values;
  bool must_buffer = false;
  RowOrder order = RowOrder::kKey;
};

struct BoundDelete {
  BoundTableWrite* write = nullptr;
  BoundReturning* returning = nullptr;  // null: no such clause
  BoundQuery* source = nullptr;  // as for UPDATE, without new values
  bool by_key = false;           // likewise
  bool must_buffer = false;
  RowOrder order = RowOrder::kKey;
  bool everything = false;       // no WHERE: the trees can be cleared
};

}  // namespace godwit
