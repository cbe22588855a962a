// Which part of a wanted order (OrderRequest) a chain of access paths gives by itself.
#pragma once

#include "plan/access_path.h"
#include "plan/from_clause.h"

namespace godwit {

// Walking `index` (null: the table) could give some term of the requested order.
bool might_give_order(const FromClause& from, size_t i, const Index* index);

// Paths that give the same order have the same class; never 0.
uint8_t order_class_of(const Table& table, const Index* index);

// How many leading terms of the request the rows of `chain` follow; -1: all so far, and what comes
// behind decides. Bit i of *reverse: source i must be walked backwards for that.
int satisfied_terms(FromClause* from, const PathSet& set, std::span<const AccessPath* const> chain,
                    SourceMask* reverse);

// Whether the last source of `chain` alone gives the whole order for each row of those before it. SQLite
// then walks it that way, which shows in the order of ties.
bool innermost_gives_order(FromClause* from, const PathSet& set,
                           std::span<const AccessPath* const> chain, SourceMask* reverse);

}  // namespace godwit
