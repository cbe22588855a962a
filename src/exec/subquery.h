// A subquery inside an expression: its operators, and the columns of enclosing queries it reads.
//
// A subquery that reads no column of the row is run once per execution of the statement (or once
// per run of the enclosing subquery whose columns it reads); another one is run for a row only if
// the values that it reads are not those of the row before. Between runs its operators stay open, so
// that look-ups that are close to each other stay cheap; the statement closes them when it ends.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/expression_node.h"
#include "exec/operator.h"

namespace godwit {

class Subquery {
 public:
  static Result<std::unique_ptr<Subquery>> make(const BoundQuery& query,
                                                const ExpressionCompiler& compiler);

  // It reads columns of the chunk, so that rows may have different results.
  bool depends_on_row() const { return depends_on_row_; }
  // Takes the outer values of row `row`. True: the results of the last run hold still.
  bool bind(const Chunk& input, uint32_t row);

  ~Subquery() { close(); }
  Subquery(const Subquery&) = delete;
  Subquery& operator=(const Subquery&) = delete;

  // Calls f(const Chunk&) for the chunks of one run, until it returns false, or to the end; asks for
  // at most `rows_max` rows if that is not 0. f returns Result<bool>.
  template <typename F>
  Status run(uint32_t rows_max, F&& f) {
    ran_ = false;
    GW_TRY(begin_run());
    ChunkRamp ramp;
    for (;;) {
      const Chunk* chunk = nullptr;
      GW_TRY(root_->next(rows_max != 0 ? rows_max : ramp.next(), &chunk));
      if (chunk->at_end()) break;
      GW_ASSIGN(bool more, f(*chunk));
      if (!more || rows_max != 0) break;
      GW_TRY(context_->check_interrupt());
    }
    ran_ = true;
    return Status();
  }

 private:
  // Where an outer value comes from: a column of the chunk, or a value of the enclosing outer row.
  struct Source {
    int slot = -1;
    const OuterRow* outer = nullptr;
    size_t index = 0;
  };

  friend void close_subqueries(ExecContext* context);

  Subquery() = default;
  Status begin_run();
  void close();

  ExecContext* context_ = nullptr;
  // Of the open ones of the context.
  Subquery* previous_open_ = nullptr;
  Subquery* next_open_ = nullptr;
  bool is_open_ = false;
  std::unique_ptr<Operator> root_;
  OuterRow outer_;
  std::vector<Source> sources_;
  std::vector<Value> last_values_;
  bool depends_on_row_ = false;
  bool is_repeatable_ = false;
  bool tables_change_ = false;  // between two runs: nothing may be kept
  bool ran_ = false;  // the last run ended without error
  uint64_t execution_ = 0;
};

// Closes the subqueries that have run: for the end of a statement's run.
void close_subqueries(ExecContext* context);

}  // namespace godwit
