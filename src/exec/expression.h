// Compiled expressions: a BoundExpr tree made ready to be evaluated over chunks.
//
// Evaluation is vectorized: a node computes its value for all selected rows of a chunk. Laziness is
// SQLite's: the branches of CASE, the later arguments of coalesce() and, in conditions, the right
// side of AND and OR are evaluated only for the rows that need them, so errors and side effects
// occur for exactly the rows where SQLite has them. (As a value, AND evaluates both sides there,
// unless one has a subquery.)
#pragma once

#include <memory>
#include <span>

#include "base/arena.h"
#include "base/status.h"
#include "exec/exec_context.h"
#include "plan/bound.h"
#include "vector/vector.h"

namespace godwit {

// Which column is in which slot of the chunks that an expression will see.
struct Layout {
  std::span<const ColumnRef> columns;
  int find(const ColumnRef& column) const;  // -1: not here (a column of an enclosing query)
};

// Not shared between threads, nor re-entrant: each occurrence in the plan compiles its own.
class Expression {
 public:
  virtual ~Expression() = default;

  // Computes the value for the rows in `selection` (row numbers of `input`). *result is a vector
  // indexed by the same row numbers (or a constant one); rows not selected hold nothing of meaning.
  // It may be a column of `input` itself; it stays valid until this expression is evaluated again
  // and as long as `input` is.
  virtual Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) = 0;

  // Writes the selected rows where the value is true (`wanted`), or false and not NULL (!wanted), to
  // `rows`, and their number to *count. `rows` has room for selection.count and may be the
  // selection's own array. Comparisons and logic do so without computing the value.
  virtual Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                        uint32_t* count);
};

// `outer`: enclosing queries' columns, may be null. The result must not outlive `expr`'s arena.
// `pure_use`: where only functions whose result depends on their arguments alone may be called.
Result<std::unique_ptr<Expression>> compile_expression(const BoundExpr& expr, const Layout& layout,
                                                       ExecContext* context, OuterRow* outer,
                                                       PureUse pure_use = PureUse::kNone);

// Evaluates `condition` and writes the selected rows where it is true to `rows` (room for
// selection.count). Returns how many.
Result<uint32_t> filter_rows(Expression* condition, const Chunk& input, const Selection& selection,
                             uint16_t* rows);

// Evaluates an expression without columns (LIMIT, a default value). The view is valid until the next
// evaluation.
Status evaluate_scalar(Expression* expression, ValueView* value);

// Evaluates a constant expression (is_constant), for the planner's constant folding.
Status fold_constant(const BoundExpr& expr, ExecContext* context, Value* value);

}  // namespace godwit
