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

// What the engine (connection and statement) provides. Implemented in engine/.
class ExecServices {
 public:
  virtual ~ExecServices() = default;
  virtual Btree* btree(int database) = 0;  // 0 main, 1 temp, 2.. attached
  virtual int64_t last_insert_rowid() const = 0;
  virtual void set_last_insert_rowid(int64_t rowid) = 0;
  virtual int64_t changes() const = 0;
  virtual int64_t total_changes() const = 0;
  virtual void random_bytes(void* out, size_t count) = 0;
  // Milliseconds since the Julian epoch (as sqlite3 VFS xCurrentTimeInt64), the same for all of one
  // step() of a statement.
  virtual int64_t statement_time_ms() = 0;
  // SQLITE_LIMIT_LENGTH and SQLITE_LIMIT_LIKE_PATTERN_LENGTH.
  virtual int64_t length_limit() const = 0;
  virtual int like_pattern_limit() const = 0;
};

// Lives as long as the prepared statement; begin() is called for each execution.
struct ExecContext {
  ExecServices* services = nullptr;
  // Bound parameters, number n at [n - 1].
  std::span<const Value> parameters;
  // Set by sqlite3_interrupt() from any thread: checked once a chunk.
  const std::atomic<bool>* interrupted = nullptr;
  // Counts executions, so that "evaluate once per execution" caches know when they are stale.
  uint64_t execution = 0;
  // Bytes that sorts, hash tables and materialized sets may hold before they spill to disk.
  size_t memory_budget_bytes = size_t{256} << 20;

  Status check_interrupt() const {
    if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) [[unlikely]]
      return Status(code::kInterrupt);
    return Status();
  }
};

}  // namespace godwit
