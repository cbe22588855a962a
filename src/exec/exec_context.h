// What one execution of a statement shares with all its operators and expressions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "btree/btree.h"
#include "catalog/schema.h"
#include "function/function.h"
#include "os/vfs.h"
#include "plan/bound.h"
#include "value/value.h"

namespace godwit {

// The values of enclosing queries' columns for one run of a subquery. `values` may be exchanged
// between runs; expressions read it when they are evaluated.
struct OuterRow {
  std::span<const ColumnRef> columns;
  std::vector<ValueView> values;  // one per column; bytes borrowed from the outer chunk
  OuterRow* parent = nullptr;     // for columns of queries further out: always empty for
                                  // subqueries planned with complete correlations
};

class RowObserver;          // exec/row_observer.h
struct ForeignKeyCounters;  // exec/foreign_key_counters.h
class VirtualTable;         // function/virtual_table.h

// What the engine (connection and statement) provides. Implemented in engine/.
class ExecServices : public FunctionServices {
 public:
  virtual Btree* btree(int database) = 0;  // 0 main, 1 temp, 2.. attached
  virtual void set_last_insert_rowid(int64_t rowid) = 0;
  virtual void set_changes(int64_t changes) = 0;        // what changes() gives
  virtual void add_total_changes(int64_t changes) = 0;  // to what total_changes() gives
  virtual uint32_t trigger_depth_limit() const { return 1000; }
  // Open violations of foreign keys. Null only where none are enforced.
  virtual ForeignKeyCounters* foreign_key_counters() { return nullptr; }
  // The table takes part in the transaction from now on, if it does not yet.
  virtual Status begin_virtual_write(VirtualTable*) { return Status(); }
  // Of the database: CAST between text and blob shows the bytes that are stored.
  virtual TextEncoding encoding() const { return TextEncoding::kUtf8; }
  // Is told of all rows that are written and removed. Null: nobody is.
  virtual RowObserver* row_observer() { return nullptr; }
  // For what does not fit into memory. Null: it has to (PRAGMA temp_store = MEMORY).
  virtual Result<std::unique_ptr<File>> open_temporary_file() { return std::unique_ptr<File>(); }
  // Called once a chunk while ExecContext::interrupted is set. An error ends the statement.
  virtual Status poll() { return Status(code::kInterrupt); }
};

struct RecursiveQueue;  // exec/access_store.h
class Subquery;         // exec/subquery.h

// The trigger programs that are running around a statement, innermost first.
struct TriggerFrame {
  const void* trigger = nullptr;
  const TriggerFrame* parent = nullptr;
  uint32_t depth = 0;  // 1: fired by the statement of the user
  // The program runs because UPDATE replaces a row of this table, which nothing may write meanwhile.
  const Table* pinned = nullptr;
};

// Lives as long as the prepared statement; begin() is called for each execution.
struct ExecContext {
  ExecServices* services = nullptr;
  // Bound parameters, number n at [n - 1].
  std::span<const Value> parameters;
  // Set by sqlite3_interrupt() from any thread, or while services->poll() wants to be called: checked
  // once a chunk.
  const std::atomic<bool>* interrupted = nullptr;
  // Counts executions, so that "evaluate once per execution" caches know when they are stale.
  uint64_t execution = 0;
  // Bytes that a sort may hold before it spills to disk.
  size_t memory_budget_bytes = size_t{64} << 20;

  // While operators are made: the recursive queries around the node at hand, innermost last.
  std::vector<RecursiveQueue*> recursive_queues;

  // Set by RAISE() when it fails: what becomes of the statement (kIgnore: only the row is given up).
  // Whoever handles the error sets it back to kDefault.
  ConflictAction raised = ConflictAction::kDefault;

  // Those whose operators are open (close_subqueries() in exec/subquery.h).
  Subquery* open_subqueries = nullptr;

  // Statements of a trigger program: the program's frame. Null: the user's own statement.
  const TriggerFrame* frame = nullptr;

  Status check_interrupt() const {
    if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) [[unlikely]]
      return services->poll();
    return Status();
  }
};

}  // namespace godwit
