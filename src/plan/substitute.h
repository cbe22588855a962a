// Replacing the columns of a source by expressions, in whole trees and the queries within them.
#pragma once

#include <span>

#include "plan/planner.h"

namespace godwit {

struct Substitution {
  SourceId source = 0;
  std::span<BoundExpr* const> exprs;  // for column i of the source
};

// Replaces in place. The trees of `exprs` are shared, not copied. Correlations of queries are kept
// up to date.
void substitute(BoundExpr*& slot, const Substitution& substitution, Arena* arena);
void substitute(BoundQuery& query, const Substitution& substitution, Arena* arena);

// A copy of `expr` with the columns replaced; null if it cannot be copied (queries inside).
BoundExpr* substituted_copy(const BoundExpr& expr, const Substitution& substitution, Arena* arena);

}  // namespace godwit
