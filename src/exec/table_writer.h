// Writes rows of one table: its tree and its indexes, under its constraints.
//
// A row is an array of values, one per column of the table, in column order. For each row the order
// of work is SQLite's: affinities, generated columns, NOT NULL, CHECK, uniqueness of the rowid, of
// each index in turn, then index entries, then the row itself. Nothing of a row is written before
// all its constraints have been checked, except that REPLACE removes the rows in its way.
//
// A constraint that fails is resolved by the statement's OR clause, else by its own ON CONFLICT
// clause, else ABORT. IGNORE skips the row; for ROLLBACK, ABORT and FAIL the call returns the error,
// and failure_action() says which it was.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "btree/btree.h"
#include "exec/action_writers.h"
#include "exec/autoincrement.h"
#include "exec/exec_context.h"
#include "exec/expression.h"
#include "exec/foreign_key.h"
#include "exec/returning.h"
#include "exec/row_observer.h"
#include "exec/trigger_run.h"
#include "plan/bound_dml.h"
#include "value/record.h"
#include "vector/vector.h"

namespace godwit {

// What a statement tells about its rows.
struct RowLog {
  int64_t changes = 0;             // rows written or removed, not counting what REPLACE removed
  Returning* returning = nullptr;  // null: no such clause
};

class TableWriter {
 public:
  static Result<std::unique_ptr<TableWriter>> make(const BoundTableWrite& write,
                                                   ConflictAction statement_action,
                                                   ExecContext* context,
                                                   ActionWriters* action_writers = nullptr);

  // Where the rows that are written and removed are counted, and their results made.
  void set_log(RowLog* log) { log_ = log; }

  // The writer works for a foreign key action; `depth` counts from 1.
  void set_action_depth(uint32_t depth) { action_depth_ = depth; }

  // Opens cursors; requires a write transaction on the table's database.
  Status open();
  // After the last row of a statement that succeeds.
  Status finish();
  void close();

  // These fire the triggers of the table. False: the row was skipped, by IGNORE, RAISE(IGNORE) or
  // because a trigger removed it.
  //
  // Stores a new row. `rowid`: null for automatic (also when the INTEGER PRIMARY KEY column is
  // NULL). `values` are converted in place.
  Result<bool> insert(std::span<ValueView> values, const ValueView* rowid);
  // Replaces the row `old_rowid` / `old_values` by `values`. `new_rowid`: assigned rowid, or null.
  Result<bool> update(Rowid old_rowid, std::span<const ValueView> old_values,
                      std::span<ValueView> values, const ValueView* new_rowid);
  // Removes a row, given completely (virtual columns are computed here). `values` may be changed.
  Result<bool> remove(Rowid rowid, std::span<ValueView> values);
  // Gives the row under `key` (the rowid, or the columns of the primary key) as it is now, to be
  // handed to update() or remove() next. False: it is gone. Bytes are put in `bytes`.
  Result<bool> load_row(std::span<const ValueView> key, Rowid* rowid,
                        std::vector<ValueView>* values, Arena* bytes);
  // Removes all rows; returns how many there were.
  Result<int64_t> clear();

  const BoundTableWrite& bound() const { return *write_; }
  // DEFAULT of a column, for foreign key actions.
  Status default_value(int32_t column, ValueView* value);
  // Violations of immediate foreign keys are errors before the row is written: for a statement that
  // writes one row.
  void fail_foreign_keys_at_once();

  // --- UPSERT
  // insert() leaves conflicts that a clause is for to that clause: it gives false, and
  // conflict_clause() is the clause's number.
  void set_unique_checks(std::span<const BoundUniqueCheck> checks) { unique_checks_ = checks; }
  int32_t conflict_clause() const { return conflict_clause_; }
  // The row that is in the way, and its rowid; generated columns included.
  Result<Rowid> load_conflicting_row(std::vector<ValueView>* values);
  // The rowid that the row of the last insert() has or would have had.
  Rowid proposed_rowid() const { return proposed_rowid_; }
  // The row itself as a clause sees it (excluded), `values` being what insert() made of it: a conflict
  // of rowids may be found before the affinities are applied.
  std::span<const ValueView> excluded_row(std::span<const ValueView> values) const {
    return is_excluded_raw_ ? std::span<const ValueView>(raw_values_) : values;
  }
  // Rowids were changed behind this writer.
  void forget_next_rowid() { knows_next_ = false; }
  // Around what may insert into the same table: it goes on from our sequence, and we from its.
  Status leave_for_triggers();
  Status return_from_triggers();

  // What the constraint that made the last call fail asks for.
  ConflictAction failure_action() const { return failure_action_; }
  // Of the row that insert() or update() wrote last.
  Rowid last_rowid() const { return last_rowid_; }

 private:
  struct IndexState {
    const BoundIndexWrite* write = nullptr;
    std::vector<std::unique_ptr<Expression>> expressions;  // null for plain columns
    std::unique_ptr<Expression> where;
    std::unique_ptr<Cursor> cursor;
    // Entries of the new row and of the row that goes; a partial index may hold neither.
    std::vector<ValueView> key, old_key;
    bool has_key = false, has_old_key = false;
  };
  enum class Verdict : uint8_t { kGo, kSkip };
  // The row that is being updated: what it owns is no conflict.
  struct Self {
    Rowid rowid = 0;
    std::span<const ValueView> values;
  };

  TableWriter() = default;
  // --- table_writer.cc: setting up, and the row as expressions see it
  Status compile(const BoundTableWrite& write);
  void note_columns();
  Status prepare_foreign_keys(ActionWriters* action_writers);
  bool meets_itself(const BoundForeignKeys& keys) const;
  Status open_cursors(Btree* btree);
  void set_resting(bool resting);
  Result<std::unique_ptr<Expression>> compile_one(const BoundExpr* expr);
  void show_row(std::span<const ValueView> values, Rowid rowid);
  Status evaluate(Expression* expression, ValueView* value);
  Status evaluate_condition(Expression* expression, bool* is_true, bool* is_null);
  Status compute_generated(std::span<ValueView> values, Rowid rowid);
  void apply_column_affinities(std::span<ValueView> values);
  void keep_raw_values(std::span<const ValueView> values);
  Status make_key(IndexState* index, std::span<const ValueView> values, Rowid rowid,
                  std::vector<ValueView>* key, bool* in_index);

  // --- table_writer_constraints.cc
  ConflictAction resolve(ConflictAction own) const;
  ConflictAction chosen_action(ConflictAction own) const;
  Result<Verdict> fail(ConflictAction action, int code, std::string message);
  Status check_types(std::span<const ValueView> values);
  Status check_strict(std::span<const ValueView> values);
  // All constraints of the row itself; may put defaults in the place of NULLs (REPLACE).
  Result<Verdict> check_row(std::span<ValueView> values, Rowid rowid);
  Result<Verdict> check_not_null(std::span<ValueView> values, Rowid rowid);
  Result<Verdict> check_checks(std::span<const ValueView> values, Rowid rowid);
  // All uniqueness of the row; REPLACE removes the rows in its way. `self`: null when inserting.
  Result<Verdict> check_unique(std::span<const ValueView> values, Rowid rowid, bool check_key,
                               const Self* self);
  // The same when inserting with ON CONFLICT clauses, in the order of the clauses.
  Result<Verdict> check_unique_by_clauses(std::span<const ValueView> values, Rowid rowid,
                                          bool check_key);
  // `clause`: the ON CONFLICT clause that takes over, or BoundUniqueCheck::kNoClause.
  Result<Verdict> check_rowid(Rowid rowid, int32_t clause);
  Result<Verdict> check_primary_key(std::span<const ValueView> values, const Self* self,
                                    int32_t clause);
  Result<Verdict> check_index(IndexState* index, const Self* self, int32_t clause);
  Verdict leave_to_clause(int32_t clause);
  bool key_check_is_last() const;
  bool is_self(const IndexState& index, std::span<const ValueView> entry, const Self& self);
  std::string unique_message(const Index& index) const;
  Status seek_conflicting(const IndexState& index, std::span<const ValueView> entry);

  // --- table_writer_change.cc
  Result<Rowid> choose_rowid();
  Result<bool> insert_rowid_row(std::span<ValueView> values, const ValueView* rowid);
  Result<bool> insert_keyed_row(std::span<ValueView> values);
  Result<bool> refresh_old_row(Rowid rowid, std::span<const ValueView> old_values,
                               std::span<ValueView> values, std::vector<ValueView>* current);
  Status finish_update(const Self& self, std::span<const ValueView> values, Rowid rowid);
  Status write_index_entry(IndexState* index);
  Status remove_index_entry(IndexState* index, std::span<const ValueView> key);
  Status check_pinned() const;
  Status write_row(std::span<const ValueView> values, Rowid rowid, bool append);
  Status remove_tree_row(Rowid rowid, std::span<const ValueView> values);
  std::span<const ValueView> primary_key(std::span<const ValueView> values);
  Status load_current_row(std::vector<ValueView>* values, Arena* bytes);
  Status remove_stored_row(Rowid rowid, bool pins);
  Status remove_row_and_entries(Rowid rowid, std::span<const ValueView> values);
  void begin_row();
  // Tell the observer, if there is one. `old_values`, `new_values`: empty for none.
  void tell_before(RowChangeKind kind, Rowid old_rowid, std::span<const ValueView> old_values,
                   Rowid new_rowid, std::span<const ValueView> new_values);
  void tell_after(RowChangeKind kind, Rowid rowid);

  // --- table_writer_triggers.cc
  bool has_before(ast::TriggerEvent event) const {
    return triggers_ != nullptr && triggers_->has_before(event);
  }
  bool fires_on_replace() const {
    return triggers_ != nullptr && triggers_->has(ast::TriggerEvent::kDelete);
  }
  Result<bool> fire_before(ast::TriggerEvent event, const TriggerRow* old_row,
                           const TriggerRow* new_row);
  Result<bool> fire_before_insert(std::span<ValueView> values, ValueView* rowid);
  Result<bool> fire_before_update(const TriggerRow& old_row, const TriggerRow& new_row,
                                  std::span<ValueView> values, std::vector<ValueView>* current);
  Status row_done(ast::TriggerEvent event, const TriggerRow* old_row, const TriggerRow* new_row);
  Status fire_after(ast::TriggerEvent event, const TriggerRow* old_row, const TriggerRow* new_row);
  Result<bool> seek_row(Rowid rowid, std::span<const ValueView> values);
  Result<bool> reload_row(Rowid rowid, std::span<const ValueView> values,
                          std::vector<ValueView>* current);
  Status replace_with_triggers(Rowid rowid, std::span<ValueView> values, bool pins);
  Status fire_around_removal(Rowid rowid, std::span<ValueView> values);
  Status find_old_entries_again(Self* self);
  Result<Verdict> check_unique_again(std::span<const ValueView> values, Rowid rowid,
                                     bool check_key, const Self* self);

  const BoundTableWrite* write_ = nullptr;
  const Table* table_ = nullptr;
  ExecContext* context_ = nullptr;
  Btree* btree_ = nullptr;  // whose cursors are open
  ConflictAction statement_action_ = ConflictAction::kDefault;
  ConflictAction failure_action_ = ConflictAction::kDefault;
  std::vector<std::unique_ptr<Expression>> defaults_, generated_, checks_;
  std::vector<IndexState> indexes_;
  std::unique_ptr<Cursor> cursor_;  // the table tree
  RecordEncoder encoder_;
  // Columns that are stored, in storage order.
  struct StoredColumn {
    uint32_t column;
    bool is_real;
  };
  std::vector<StoredColumn> stored_columns_;
  std::vector<Affinity> affinities_;        // by column
  std::vector<uint32_t> not_null_columns_;
  bool checks_rows_ = false;  // check_row() has something to do
  std::vector<ValueView> stored_;       // values in storage order
  std::vector<ValueView> primary_key_;  // WITHOUT ROWID: key of the row at hand
  std::vector<ValueView> old_values_;   // UPDATE: the old row, generated columns included
  Arena scratch_;
  std::span<const BoundUniqueCheck> unique_checks_;  // empty: no ON CONFLICT clauses
  int32_t conflict_clause_ = BoundUniqueCheck::kNoClause;
  Rowid proposed_rowid_ = 0;
  std::vector<ValueView> raw_values_;  // with ON CONFLICT clauses: the row before affinities
  bool is_excluded_raw_ = false;
  Rowid found_rowid_ = 0;  // UPDATE: of the index entry that was in the way last
  // Row layout of expressions: the columns, then the rowid.
  std::vector<ColumnRef> layout_columns_;
  std::vector<Vector> row_vectors_;
  Chunk row_chunk_;
  Autoincrement autoincrement_;  // used if the table is AUTOINCREMENT
  Rowid last_rowid_ = 0;
  Rowid next_rowid_ = 0;  // the next automatic rowid, while knows_next_
  bool knows_next_ = false;
  bool removed_rows_ = false;  // REPLACE removed rows: later rows of the statement may be gone
  RowLog* log_ = nullptr;
  RowObserver* observer_ = nullptr;  // null: nobody wants to know of changes
  uint32_t action_depth_ = 0;        // of foreign key actions around this writer
  std::unique_ptr<TriggerSet> triggers_;  // null: none fires
  // Null: there are none to enforce.
  std::unique_ptr<ActionWriters> own_action_writers_;
  std::unique_ptr<ForeignKeys> foreign_keys_, removal_keys_;
  bool meets_itself_ = false;      // UPDATE: by a foreign key to its own table, or an action
  bool types_are_due_ = false;     // STRICT: of the row at hand
  bool row_is_loaded_ = false;     // by load_row(): the next call is about that row
  bool fired_on_replace_ = false;  // triggers ran for a row that REPLACE removed
  bool is_checked_again_ = false;  // then: what is still in the way is an error
};

}  // namespace godwit
