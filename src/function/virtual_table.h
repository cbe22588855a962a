// Virtual tables: tables whose rows come from code. Table-valued functions (generate_series,
// json_each, pragma_*) are virtual tables that exist without CREATE VIRTUAL TABLE; their arguments
// are hidden columns: f(1, 2) is f WHERE first_hidden_column = 1 AND second_hidden_column = 2.
//
//   VirtualModule --connect()--> VirtualTable --open()--> VirtualCursor
//   (process or                  (connection)             (a running statement)
//    connection)
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

// SQLITE_INDEX_CONSTRAINT_*
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
  // Answers.
  int argument = 0;   // > 0: filter() gets the value as arguments[argument - 1]
  bool omit = false;  // the cursor sees to it: the rows need not be checked again
};

struct VirtualOrderTerm {
  int32_t column = 0;
  bool descending = false;
};

// What a statement wants of a table, and how the table will do it.
struct VirtualQuery {
  std::span<VirtualConstraint> constraints;
  std::span<const VirtualOrderTerm> order_by;  // empty: any order
  // Answers.
  int plan_number = 0;               // both for filter()
  std::string plan_text;
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

  // For cursors.
  uint32_t room() const { return limit_ - count_; }
  bool wants(int32_t column) const { return slot_of(column) >= 0; }
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
  std::vector<int> slot_by_column_;  // [column + 1]; -1: nobody reads it
  uint32_t count_ = 0;
  uint32_t limit_ = 0;
  Arena arena_;
};

class VirtualCursor {
 public:
  virtual ~VirtualCursor() = default;
  // The arguments are valid during the call.
  virtual Status filter(int plan_number, std::string_view plan_text,
                        std::span<const ValueView> arguments) = 0;
  // Adds rows while there is room. Leaving room says that there are no more.
  virtual Status fetch(VirtualRows* rows) = 0;
};

class VirtualTable {
 public:
  virtual ~VirtualTable() = default;
  // code::kConstraint: there is no way with the constraints that are usable.
  virtual Status best_index(VirtualQuery* query) = 0;
  virtual Result<std::unique_ptr<VirtualCursor>> open() = 0;
};

struct VirtualModule {
  std::string_view name;
  // CREATE TABLE x(...); columns with the word HIDDEN in their type are hidden.
  std::string_view declaration;
  Result<std::unique_ptr<VirtualTable>> (*connect)();
};

// The modules that are tables under their own names everywhere, without state in the connection.
std::span<const VirtualModule* const> builtin_modules();

// For best_index() of functions whose arguments are the hidden columns from `first` on: makes each
// value that is given an argument of filter(), in the order of the columns, and returns which are
// given as bits (bit 0: column `first`). code::kConstraint: one is given, but cannot be used yet.
Result<uint32_t> take_arguments(VirtualQuery* query, int32_t first, int32_t count);

}  // namespace godwit
