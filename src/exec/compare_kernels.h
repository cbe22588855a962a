// Comparisons of two vectors, to booleans or straight to the rows that satisfy them.
//
// Affinities have been applied before (vector_affinity.h). Vectors of one type run tight loops; text
// under BINARY compares sizes before bytes when it is for equality.
#pragma once

#include "plan/bound.h"
#include "value/collation.h"
#include "vector/vector.h"

namespace godwit {

// The selected rows where `a op b` is true (wanted), or false and not NULL (!wanted). `rows` may be
// the selection's own array. Returns their number.
uint32_t compare_filter(CompareOp op, const Vector& a, const Vector& b, const Collation* collation,
                        const Selection& selection, bool wanted, uint16_t* rows);

// `a op b` as 0, 1 or NULL; a constant vector when both sides are. `rows`: of the chunk.
void compare_booleans(CompareOp op, const Vector& a, const Vector& b, const Collation* collation,
                      const Selection& selection, uint32_t rows, Vector* result);

}  // namespace godwit
