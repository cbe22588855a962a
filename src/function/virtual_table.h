// Virtual tables: tables whose rows come from code. Table-valued functions (generate_series,
// json_each, pragma_*) are virtual tables that exist without CREATE VIRTUAL TABLE; their arguments
// are hidden columns: f(1, 2) is f WHERE first_hidden_column = 1 AND second_hidden_column = 2.
//
//   BuiltinModule --connect()-->
//   (process)                    VirtualTable --open()--> VirtualCursor
//   VirtualModule --connect()--> (connection)             (a running statement)
//   (connection)
//
// Planning asks the table's best_index() several times, each time with another set of constraints
// usable, and takes the cheapest answer. The answer says which values the cursor's filter() gets,
// and in which order. filter() begins the rows of one set of values; fetch() gives them in batches.
//
// Meanings, numbers of operators and order of calls are those of sqlite3_module, so that modules of
// applications fit behind the same classes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "value/collation.h"
#include "value/value.h"
#include "vector/vector.h"

namespace godwit {

struct ScalarFunction;  // function/function.h

// SQLITE_INDEX_CONSTRAINT_*; from kFunction to 255: numbers that find_function() gave.
enum class VirtualOp : uint8_t {
  kEq = 2, kGt = 4, kLe = 8, kLt = 16, kGe = 32, kMatch = 64, kLike = 65, kGlob = 66, kRegexp = 67,
  kNe = 68, kIsNot = 69, kIsNotNull = 70, kIsNull = 71, kIs = 72, kLimit = 73, kOffset = 74,
  kFunction = 150,
};

// `column op value`, which must hold for the rows that are wanted.
struct VirtualConstraint {
  int32_t column = 0;  // -1: the rowid
  VirtualOp op = VirtualOp::kEq;
  bool usable = false;                   // the value is known when the cursor is filtered
  const Collation* collation = nullptr;  // of the comparison; null: BINARY
  const ValueView* value = nullptr;      // if it is a constant
  bool is_in = false;  // kEq with each member of a list or query in turn
  // Answers.
  int argument = 0;   // > 0: filter() gets the value as arguments[argument - 1]
  bool omit = false;  // the cursor sees to it: the rows need not be checked again
  bool takes_set = false;  // is_in: the cursor gets all members at once, by take_set()
};

struct VirtualOrderTerm {
  int32_t column = 0;
  bool descending = false;
};

// What order_by is for; sqlite3_vtab_distinct().
enum class VirtualOrder : uint8_t { kSorted = 0, kGrouped = 1, kDistinct = 2, kSortedDistinct = 3 };

// What a statement wants of a table, and how the table will do it.
struct VirtualQuery {
  std::span<VirtualConstraint> constraints;
  std::span<const VirtualOrderTerm> order_by;  // empty: any order
  VirtualOrder order = VirtualOrder::kSorted;
  uint64_t used_columns = 0;  // bits; the last one: column 63 or any beyond
  // Answers.
  int plan_number = 0;               // both for filter()
  std::string plan_text;
  bool has_plan_text = true;         // false: filter() gets a text without data
  bool shows_number_as_hex = false;  // in EXPLAIN QUERY PLAN
  bool order_consumed = false;       // rows come in the order of order_by
  bool one_row = false;              // at most one
  double cost = 5e98;
  int64_t rows = 25;
};

// Takes the rows of a cursor: set...() for the columns of one row, then end_row().
class VirtualRows {
 public:
  // `columns`: those that somebody reads; -1 is the rowid.
  explicit VirtualRows(std::span<const int32_t> columns);
  // Those, by column, whose value need not be given: sqlite3_vtab_nochange().
  void set_unchanged(std::span<const bool> unchanged) { unchanged_ = unchanged; }

  // For cursors.
  uint32_t room() const { return limit_ - count_; }
  size_t slot_count() const { return slots_.size(); }
  int32_t column_of(size_t slot) const { return slots_[slot].column; }
  bool wants(int32_t column) const { return slot_of(column) >= 0; }
  bool is_unchanged(int32_t column) const {
    return static_cast<size_t>(column) < unchanged_.size() && unchanged_[static_cast<size_t>(column)];
  }
  // Bytes are copied. Columns that are not set are NULL; those that nobody reads are ignored.
  void set(int32_t column, const ValueView& value);
  void set_rowid(int64_t rowid) { set(-1, ValueView::of(rowid)); }
  void end_row();

  // For those who read the rows: a batch of up to `rows`, of which a cursor may add up to `max`.
  void begin(uint32_t rows);
  void set_room(uint32_t max) { limit_ = count_ + max; }
  uint32_t count() const { return count_; }
  void drop_last() { --count_; }
  const Vector* vector(size_t slot) const { return &slots_[slot].vector; }

 private:
  struct Slot {
    int32_t column = 0;
    bool is_set = false;  // in the row that is being made
    Vector vector;
  };
  int slot_of(int32_t column) const {
    size_t i = static_cast<size_t>(column + 1);
    return i < slot_by_column_.size() ? slot_by_column_[i] : -1;
  }

  std::vector<Slot> slots_;
  std::span<const bool> unchanged_;
  std::vector<int> slot_by_column_;  // [column + 1]; -1: nobody reads it
  uint32_t count_ = 0;
  uint32_t limit_ = 0;
  Arena arena_;
};

class VirtualCursor {
 public:
  virtual ~VirtualCursor() = default;
  // Before filter(): the members of the IN whose set the table takes as this argument, sorted; the
  // argument itself is NULL then. They are valid during the call of filter().
  virtual void take_set(size_t argument, std::span<const ValueView> members) {
    (void)argument;
    (void)members;
  }
  // The arguments are valid during the call.
  virtual Status filter(int plan_number, std::string_view plan_text,
                        std::span<const ValueView> arguments) = 0;
  // Adds rows while there is room. Leaving room says that there are no more.
  virtual Status fetch(VirtualRows* rows) = 0;
};

// One row of a change: which row goes, and what comes.
struct VirtualChange {
  static constexpr uint8_t kAbort = 4;
  const ValueView* old_key = nullptr;  // rowid, or the primary key of a WITHOUT ROWID table; null: INSERT
  const ValueView* new_key = nullptr;  // null: DELETE; NULL: the table chooses
  std::span<const ValueView> values;   // one per column; empty: DELETE
  uint8_t conflict = kAbort;           // of sqlite3_vtab_on_conflict()
};

// In triggers and views: kInnocuous always, kDirectOnly never, kNormal in a schema that is trusted.
enum class VirtualRisk : uint8_t { kInnocuous, kNormal, kDirectOnly };

class VirtualTable {
 public:
  virtual ~VirtualTable() = default;
  // code::kConstraint: there is no way with the constraints that are usable.
  virtual Status best_index(VirtualQuery* query) = 0;
  virtual Result<std::unique_ptr<VirtualCursor>> open() = 0;
  virtual VirtualRisk risk() const { return VirtualRisk::kNormal; }
  // Functions look at the cursor's current row: it must not run ahead of them.
  virtual bool needs_row_by_row() const { return false; }
  // A function of `arguments` arguments whose first one (of operators: the left side) is a column of
  // the table. 0: nothing special; else *function takes its place, and from VirtualOp::kFunction on the
  // number also stands for the function as an operator of two arguments in best_index().
  virtual int find_function(std::string_view name, int arguments, const ScalarFunction** function) {
    (void)name;
    (void)arguments;
    (void)function;
    return 0;
  }

  // --- Changes
  virtual bool is_writable() const { return false; }
  // *rowid: of a row that was inserted with a NULL key.
  virtual Status update(const VirtualChange& change, int64_t* rowid) {
    (void)change;
    (void)rowid;
    return Status(code::kReadOnly);
  }
  // A failing update() of code::kConstraint has changed nothing, so that OR clauses may be obeyed.
  virtual bool supports_constraints() const { return false; }
  virtual bool has_transactions() const { return false; }
  virtual Status begin() { return Status(); }
  virtual Status sync() { return Status(); }
  virtual void commit() {}
  virtual void rollback() {}
  virtual bool has_savepoints() const { return false; }
  virtual Status savepoint(int) { return Status(); }
  virtual Status release(int) { return Status(); }
  virtual Status rollback_to(int) { return Status(); }

  // --- As an object of the schema
  virtual Status rename(std::string_view new_name) {
    (void)new_name;
    return Status();
  }
  // DROP TABLE: what is behind the table goes too. Nothing but the destructor may be called then.
  virtual Status destroy() { return Status(); }
  // Cursors are open.
  virtual bool is_in_use() const { return false; }
  // PRAGMA integrity_check: *problem, unless it stays empty. `quick`: quick_check.
  virtual Status check_integrity(std::string_view database, std::string_view table, bool quick,
                                 std::string* problem) {
    (void)database;
    (void)table;
    (void)quick;
    (void)problem;
    return Status();
  }
};

// What a module makes: a table, and the CREATE TABLE x(...) that says its columns.
struct DeclaredTable {
  std::unique_ptr<VirtualTable> table;
  std::string declaration;
};

// A module of a connection.
class VirtualModule {
 public:
  virtual ~VirtualModule() = default;
  // CREATE VIRTUAL TABLE ... USING may name it.
  virtual bool can_create() const { return true; }
  // It is a table under its own name.
  virtual bool is_eponymous() const { return false; }
  // `arguments`: the module's name, the database, the table, then those in parentheses. `create`: by
  // CREATE VIRTUAL TABLE, else the table exists already.
  virtual Result<DeclaredTable> connect(std::span<const std::string> arguments, bool create) = 0;
  // TABLE_suffix is where a table of this module keeps its content.
  virtual bool is_shadow_name(std::string_view suffix) const {
    (void)suffix;
    return false;
  }
};

// A module without state, which is a table under its own name everywhere.
struct BuiltinModule {
  std::string_view name;
  // CREATE TABLE x(...); columns with the word HIDDEN in their type are hidden.
  std::string_view declaration;
  Result<std::unique_ptr<VirtualTable>> (*connect)();
};

std::span<const BuiltinModule* const> builtin_modules();

// For best_index() of functions whose arguments are the hidden columns from `first` on: makes each
// value that is given an argument of filter(), in the order of the columns, and returns which are
// given as bits (bit 0: column `first`). code::kConstraint: one is given, but cannot be used yet.
Result<uint32_t> take_arguments(VirtualQuery* query, int32_t first, int32_t count);

}  // namespace godwit
