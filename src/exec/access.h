// One step of a FROM clause: extends each row of the child by the matching rows of one source.
//
// Rows of a batch are candidates: pairs of a left row and a row of the source. `on` says which of
// them match; then come the outer joins' rules, then `filter`:
//
//   candidates  (left 0, a) (left 0, b) (left 0, NULL) (left 1, NULL) (left 2, c) ...
//                                       ^ only for left joins: closes the candidates of a left row;
//                                         kept if none of them matched
//
// Invariants:
//   1. A batch has candidates of one left chunk only, so the left chunk's views outlive the batch.
//   2. Survivors of a batch are handed out in slices of what the consumer asks for before the next
//      batch is made.
//   3. Candidates are tried in steps that grow while nothing survives: what a consumer of few rows
//      causes to be read in vain stays in proportion to what had to be read.
//   4. An error in `on` or `filter` comes after the rows before it: conditions are then evaluated
//      row by row.
#pragma once

#include <memory>
#include <vector>

#include "exec/column_builder.h"
#include "exec/expression.h"
#include "exec/operator.h"
#include "exec/row_source.h"

namespace godwit {

class AccessOperator final : public Operator {
 public:
  static Result<std::unique_ptr<Operator>> make(const AccessNode& node,
                                                std::unique_ptr<Operator> child,
                                                ExecContext* context, OuterRow* outer);
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;
  Status reopen() override;

 private:
  AccessOperator(const AccessNode& node, std::unique_ptr<Operator> child, ExecContext* context)
      : node_(node), child_(std::move(child)), context_(context) {}

  enum class Phase : uint8_t { kLeft, kUnmatched, kEnd };
  enum class When : uint8_t { kNever, kEarly, kLate };
  struct LeftColumn {
    When when = When::kNever;
    ColumnBuilder builder;
  };

  Status prepare(OuterRow* outer);
  void begin_run();
  Status next_left(uint32_t rows);
  Status fill(uint32_t rows);
  Status fill_left_row(uint32_t rows);
  Status fill_unmatched(uint32_t rows);
  void append_candidates(uint32_t count);
  Status evaluate();
  void apply_on(Selection* rows);
  void add_unmatched_left(Selection* rows);
  void keep_first_matches(Selection* rows);
  void remember_active_row(const Selection& rows, bool* flag) const;
  Selection passing(Expression* condition, const Selection& in);
  // The one of the two row arrays that `in` does not use.
  uint16_t* spare(const Selection& in) {
    return in.rows == rows_a_.data() ? rows_b_.data() : rows_a_.data();
  }
  void load_left(When when, const Selection& rows);
  void emit(uint32_t max_rows, const Chunk** chunk);

  bool keeps_left() const { return node_.join == JoinType::kLeft || node_.join == JoinType::kFull; }
  bool keeps_right() const {
    return node_.join == JoinType::kRight || node_.join == JoinType::kFull;
  }

  // Constant after construction.
  const AccessNode& node_;
  std::unique_ptr<Operator> child_;
  ExecContext* context_;
  std::unique_ptr<RowSource> source_;
  std::unique_ptr<Expression> on_;
  std::unique_ptr<Expression> filter_;
  std::vector<ColumnRef> layout_;  // child's output, then the source's columns
  size_t left_columns_ = 0;
  std::vector<uint32_t> output_slots_;  // by slot of the output: slot of layout_

  // The left side.
  Phase phase_ = Phase::kEnd;
  const Chunk* left_ = nullptr;
  uint32_t left_position_ = 0;  // in the selection of left_
  bool row_active_ = false;     // the source is on the matches of the row at left_position_
  bool null_due_ = false;       // its candidates are complete but for the NULL row
  bool row_matched_ = false;    // a candidate of a batch evaluated already matched
  bool row_taken_ = false;      // first_match_only: and passed the filter
  // Of the row that was active when the batch began; it may have no more candidates.
  uint32_t carried_row_ = 0;  // of left_
  bool carried_matched_ = false, carried_taken_ = false;
  uint32_t first_match_step_ = 1;

  // The batch.
  uint32_t batch_rows_ = 0;
  std::vector<uint16_t> left_rows_;  // row of left_, by candidate
  std::vector<uint16_t> null_rows_;  // candidates that are NULL rows
  bool identity_ = false;            // left_rows_[i] == i
  uint32_t sound_rows_ = 0;          // candidates before the one where a condition failed
  std::vector<LeftColumn> left_builders_;
  Chunk candidates_;                 // layout_
  std::vector<uint16_t> rows_a_, rows_b_;
  Selection survivors_;
  uint32_t emitted_ = 0;
  Status deferred_;
  Chunk output_;
};

}  // namespace godwit
