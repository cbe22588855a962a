// SELECT columns FROM table WHERE rowid = value: a query of at most one row, without operators.
//
// Applications run such queries far more often than any others, and alone: chunks and vectors, which
// pay for many rows, would cost several times the look-up itself. What is more than this (expressions,
// further conditions, virtual generated columns) is left to QueryRun.
//
//   idle --step()--> row --step()--> ended        or, if there is none: idle --step()--> ended
//     ^-----------------reset()---------+
#pragma once

#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "btree/btree.h"
#include "exec/exec_context.h"
#include "plan/plan_node.h"
#include "value/value.h"

namespace godwit {

class UniqueRowQuery {
 public:
  // Null: the plan is not of this kind. Both must outlive the object.
  static Result<std::unique_ptr<UniqueRowQuery>> make(const QueryPlan& plan, ExecContext* context);

  Result<bool> step();
  // Of the row; bytes stay valid until the next step() or reset().
  ValueView column(uint32_t index) const { return values_[index]; }
  // Ends the run and lets go of the page.
  void reset();

 private:
  // A column of the record, in the order of the record.
  struct Stored {
    uint32_t position;
    uint32_t output;
    bool real_affinity;  // integers are reals that were stored compactly
    Value missing;       // in records that end before it
    std::vector<char> converted;  // text of a UTF-16 database
  };
  enum class State : uint8_t { kIdle, kRow, kEnded };

  UniqueRowQuery(const AccessNode& access, ExecContext* context)
      : access_(access), context_(context) {}
  static const ProjectNode* find_projection(const PlanNode& root);
  static bool is_look_up(const AccessNode& access);
  Result<bool> add_output(const BoundExpr& expr);
  Result<bool> look_up();
  bool key_rowid(Rowid* rowid);
  Status decode(LeafEntry* entry);
  void set(Stored& stored, uint64_t serial_type, const uint8_t* body, uint32_t size);

  const AccessNode& access_;
  ExecContext* context_;
  Btree* btree_ = nullptr;
  TextEncoding encoding_ = TextEncoding::kUtf8;
  std::unique_ptr<Cursor> cursor_;
  std::vector<Stored> stored_;           // ascending by position
  std::vector<uint32_t> rowid_outputs_;
  std::vector<ValueView> values_;        // of the row
  PageImageRef image_;                   // that they borrow from
  std::vector<uint8_t> overflow_;        // or this
  Arena arena_;
  State state_ = State::kIdle;
};

}  // namespace godwit
